"""The connection pool: what every connection is told first, and what may not happen to it."""

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
from app.errors import ConfigurationError
from app.settings import Settings

UNASKED_SECONDS = 5.0
"""How long a connection may have been idle to be used again without a question to the server, a tenth of a millisecond
of either side: what ended it meanwhile shows at its socket."""
_BACK = "back"


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
    """Whether the server said something that nobody asked for, as it does when it ends the connection."""
    # Not select(): it refuses descriptors over 1,023, which a process with many clients has.
    news = select.poll()
    news.register(connection.fileno(), select.POLLIN)
    return bool(news.poll(0))


def create_app_engine(url: str, settings: Settings) -> Engine:
    """A pool whose connections act as the application's role, with time-outs, and never cross a fork.

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
        # Only statements that ask for it are prepared: a plan made while a table was small would be kept
        # until the next ANALYZE (measured: 340 ms instead of 20 for one ingest statement).
        connect_args={"connect_timeout": 5, "prepare_threshold": 1_000_000},
    )
    role = settings.database_role

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
            raw.autocommit = True
            raw.execute("")
            raw.autocommit = False
        except psycopg.Error as error:
            # What ended this one ended the others.
            raise InvalidatePoolError from error

    @event.listens_for(engine, "connect")
    def prepare(connection: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
        raw: Any = connection
        arrays.register(raw)
        raw.autocommit = True
        try:
            with raw.cursor() as cursor:
                if role:
                    cursor.execute(psycopg.sql.SQL("SET ROLE {}").format(psycopg.sql.Identifier(role)))
                cursor.execute(
                    psycopg.sql.SQL(
                        "SET statement_timeout = {}; SET lock_timeout = {};"
                        # Compiling gains nothing even where it may: a sum over 5M edges took 1.9 s with it, 1.6 without.
                        " SET idle_in_transaction_session_timeout = 120000; SET jit = off;"
                        # Foreign key checks keep their plans too: made on a nearly empty table, they read it
                        # whole until the next ANALYZE (measured: 57 passages a second and falling, not 165).
                        # `open_space(by_index=True)` may keep them.
                        " SET plan_cache_mode = force_custom_plan"
                    ).format(int(settings.statement_timeout * 1000), int(settings.lock_timeout * 1000))
                )
        except (psycopg.errors.InvalidParameterValue, psycopg.errors.InsufficientPrivilege) as error:
            raw.close()
            raise ConfigurationError(
                f"The database has no role {role!r} that this login may act as: run `citegraph migrate` first, "
                "or, where the host forbids roles, set CITEGRAPH_DATABASE_ROLE to nothing and read "
                "docs/isolation.md."
            ) from error
        raw.autocommit = False

    return engine
