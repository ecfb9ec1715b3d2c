"""The connection pool: what every transaction is told first, and what may not happen to a connection."""

import os
import select
import time
from typing import Any

import psycopg
from sqlalchemy import URL, Engine, create_engine, event, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import InvalidatePoolError
from sqlalchemy.pool import ConnectionPoolEntry, PoolProxiedConnection, QueuePool

from app.db import arrays
from app.db.roles import APP
from app.errors import ConfigurationError
from app.settings import Settings

UNASKED_SECONDS = 5.0
"""How long a connection may have been idle to be used again without a question to the server, a tenth of a
millisecond of either side: what ended it meanwhile shows at its socket.
"""
_BACK = "back"
_LOGIN = """
SELECT session_user::text, (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = session_user), pg_backend_pid()
"""  # noqa: E501
# A plan for a table of a few pages takes any index for as good as its key; kept, it would read whole spaces
# by the wrong one until the next ANALYZE (measured: 7.9 ms of Postgres a passage instead of 2.2). So plans
# are kept from 20 pages on.
BY_INDEX = """
SET LOCAL enable_seqscan = off;
SELECT set_config('plan_cache_mode', 'force_generic_plan', true) WHERE 163840 <= ALL (
    SELECT pg_relation_size(each)
    FROM unnest('{public.knowledge_chunk,public.graph_node,public.graph_edge}'::regclass[]) AS each
)
"""
GENERIC = "SET LOCAL plan_cache_mode = force_generic_plan"
FILLED = """
    SELECT count(*) = 8 AND min(reltuples) >= 1000 FROM pg_class WHERE oid = ANY (ARRAY[
        to_regclass('knowledge_chunk'), to_regclass('graph_node'), to_regclass('node_name'), to_regclass('node_mention'),
        to_regclass('graph_edge'), to_regclass('chunk_vector'), to_regclass('fact_vector'), to_regclass('node_vector')])
"""  # noqa: E501
"""Whether the planner knows of so many rows in each table that it reads them by their indexes, for any
values.
"""


def as_psycopg(url: str) -> URL:
    """The URL with psycopg 3 as its driver, whichever Postgres form it was written in."""
    parsed = make_url(url)
    if parsed.drivername in ("postgres", "postgresql"):
        parsed = parsed.set(drivername="postgresql+psycopg")
    if parsed.drivername != "postgresql+psycopg":
        raise ConfigurationError("The database URL must begin with postgresql://.")
    return parsed


def as_conninfo(url: URL) -> str:
    """The same address for psycopg and libpq programs."""
    return url.set(drivername="postgresql").render_as_string(hide_password=False)


class _OneProcessPool(QueuePool):
    """A pool that serves the process that made it and nobody else.

    The refusal stands before anything is sent: the liveness check of a check-out would already
    read an answer that belongs to the parent. `engine.dispose(close=False)` in a child makes it anew.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._owner_pid = os.getpid()

    def connect(self) -> PoolProxiedConnection:
        """A connection of this process. Raises ConfigurationError in a forked child."""
        if os.getpid() != self._owner_pid:
            raise ConfigurationError("A forked process must open its own database connections.")
        return super().connect()


def _has_news(connection: psycopg.Connection[Any]) -> bool:
    """Return whether the server sent something unasked, as it does when it ends the connection."""
    # Not select(): it refuses descriptors over 1,023, which a process with many clients has.
    news = select.poll()
    news.register(connection.fileno(), select.POLLIN)
    return bool(news.poll(0))


def create_app_engine(url: str, settings: Settings) -> Engine:
    """A pool whose transactions act as the application's role, with time-outs, and never cross a fork.

    Role and time-outs are set by `SET LOCAL` in the statement that begins a transaction, so that they hold
    wherever a pooler in transaction mode sends it; on the connection itself nothing is set.
    A connection that a forked child inherits would hand one tenant's answers to another
    (reliability.md, fact 24): there, asking the pool for one raises ConfigurationError.
    """
    engine = create_engine(
        as_psycopg(url),
        poolclass=_OneProcessPool,
        pool_size=settings.pool_size,
        max_overflow=settings.pool_overflow,
        pool_timeout=settings.pool_timeout,
        pool_use_lifo=True,
        # What a statement was given are words of documents: errors do not repeat it.
        hide_parameters=True,
        # Only statements that ask for it are prepared: a plan made while a table was small would be kept
        # until the next ANALYZE (measured: 340 ms instead of 20 for one ingest statement).
        connect_args={"connect_timeout": 5, "prepare_threshold": 1_000_000},
    )
    beginning = _beginning(settings)

    @event.listens_for(engine, "checkin")
    def note(_connection: DBAPIConnection | None, entry: ConnectionPoolEntry) -> None:
        entry.info[_BACK] = time.monotonic()

    @event.listens_for(engine, "checkout")
    def check(connection: DBAPIConnection, entry: ConnectionPoolEntry, _proxy: PoolProxiedConnection) -> None:
        raw: Any = connection
        back = entry.info.get(_BACK)
        if back is None or (time.monotonic() - back < UNASKED_SECONDS and not _has_news(raw)):
            return
        try:
            raw.execute("")
        except psycopg.Error as error:
            # What ended this one ended the others.
            raise InvalidatePoolError from error

    @event.listens_for(engine, "connect")
    def prepare(connection: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
        raw: Any = connection
        arrays.register(raw)
        # psycopg begins no transaction by itself: `begin` does, with all that holds for it, in one round
        # trip.
        raw.autocommit = True
        try:
            _check_login(raw, beginning, settings)
        except BaseException:
            raw.close()
            raise

    def begin(dbapi_connection: PoolProxiedConnection) -> None:
        raw: Any = dbapi_connection
        raw.execute(beginning)

    # Errors there are wrapped as those of any statement; the event `begin` would cost 30 microseconds more.
    engine.dialect.do_begin = begin  # type: ignore[method-assign]
    return engine


def connections_of(engine: Engine) -> dict[str, float]:
    """Connections of the pool that are in use and idle, and how many there may be."""
    pool = engine.pool
    assert isinstance(pool, QueuePool)
    most = pool.size() + pool._max_overflow
    return {"in_use": float(pool.checkedout()), "idle": float(pool.checkedin()), "limit": float(most)}


def _beginning(settings: Settings) -> str:
    """The statements that begin a transaction as the application's role, sent as one (13 microseconds more
    than BEGIN).
    """
    role = psycopg.sql.Identifier(settings.database_role).as_string(None) if settings.database_role else None
    return "; ".join(
        (
            "BEGIN",
            *((f"SET LOCAL ROLE {role}",) if role else ()),
            f"SET LOCAL statement_timeout = {int(settings.statement_timeout * 1000)}",
            f"SET LOCAL lock_timeout = {int(settings.lock_timeout * 1000)}",
            "SET LOCAL idle_in_transaction_session_timeout = 120000",
            # Compiling gains nothing even where it may: a sum over 5M edges took 1.9 s with it, 1.6 without.
            "SET LOCAL jit = off",
            # Foreign key checks keep their plans too: made on a nearly empty table, they read it whole until
            # the next ANALYZE (measured: 57 chunks a second and falling, not 165).
            # `open_space(by_index=True)` may keep them.
            "SET LOCAL plan_cache_mode = force_custom_plan",
        )
    )


def _check_login(raw: psycopg.Connection[Any], beginning: str, settings: Settings) -> None:
    """Try what begins each transaction, and see who logged in. Raises ConfigurationError.

    Prepared statements are switched off where a pooler stands between: the next transaction may be
    sent to a server's connection that does not know them.
    """
    role = settings.database_role
    try:
        raw.execute(beginning)
        found = raw.execute(_LOGIN).fetchone()
        raw.execute("ROLLBACK")
    except (psycopg.errors.InvalidParameterValue, psycopg.errors.InsufficientPrivilege) as error:
        raise ConfigurationError(
            f"The database has no role {role!r} that this login may act as: run `citegraph migrate` first, "
            "or, where the host forbids roles, set CITEGRAPH_DATABASE_ROLE to nothing and read "
            "docs/isolation.md."
        ) from error
    assert found is not None
    login, privileged, pid = found
    if privileged and not settings.allow_privileged_login:
        raise ConfigurationError(
            f"The database login {login} may bypass row security. Log in as {APP} (CITEGRAPH_APP_PASSWORD"
            " gives it a password), or set CITEGRAPH_ALLOW_PRIVILEGED_LOGIN=true where the host has no other"
            " login.",
            code="privileged_login",
        )
    if settings.pooler == "transaction" or (settings.pooler == "auto" and pid != raw.info.backend_pid):
        raw.prepare_threshold = None


def is_pooled(raw: psycopg.Connection[Any]) -> bool:
    """Return whether a pooler stands between.

    A pooler names a process of its own making as the one that serves the connection.
    """
    found = raw.execute("SELECT pg_backend_pid()").fetchone()
    return found is not None and found[0] != raw.info.backend_pid


def require_session(raw: psycopg.Connection[Any], pooler: str) -> None:
    """Refuse a pooler before work that keeps a lock and a role from one transaction to the next.

    Raises ConfigurationError, unless the setting `pooler` says that each client has a connection to itself.
    """
    if pooler != "session" and is_pooled(raw):
        raise ConfigurationError(
            "This address leads through a connection pooler; migrations and maintenance need a connection to "
            "themselves. Give CITEGRAPH_MIGRATION_DATABASE_URL the server's own address, or set "
            "CITEGRAPH_POOLER=session if the pooler is in session mode.",
            code="pooled_migration",
        )
