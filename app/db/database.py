"""The door: the only way to a database session, and the only code that says which space is open.

One `with` block is one transaction: it commits at its end and rolls back on an exception.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from copy import copy
from functools import partial
from typing import Any, NamedTuple
from uuid import UUID

import psycopg
from sqlalchemy import Engine

from app.db.changes import Change
from app.db.connection_checks import PRIVILEGED_LOGIN
from app.db.engine import (
    build_timeout_command,
)
from app.db.errors import DATABASE_ERRORS
from app.db.large_shards import LargeShards
from app.db.node_logins import (
    NodeLogins,
    list_groups_bypassing_row_security,
    list_groups_bypassing_row_security_in_own_connection,
)
from app.db.node_pools import NodePools
from app.db.node_watch import NodeWatch
from app.db.orm_space_filter import ScopedSession
from app.db.replicas.commit_position import take_position_of_last_commit
from app.db.replicas.servers import Replicas
from app.db.session import (
    CONSTRUCTION_TOKEN,
    Consequences,
    PlatformSession,
    Row,
    ShardSession,
    SpaceSession,
    TenantSession,
)
from app.errors import ConfigurationError
from app.ids import SpaceId, TenantId
from app.observability.counters import Counters
from app.tenant_quotas import PlatformDefaults

# The queue's transactions are short, and lock jobs and tenants that others need: a process that is stopped
# within one (a frozen machine, SIGSTOP) must not hold them for the two minutes allowed for work on a space.
_PLATFORM_COMMANDS = (
    "SET LOCAL app.platform = 'on'",
    "SET LOCAL idle_in_transaction_session_timeout = 10000",
)
_SNAPSHOT_COMMANDS = ("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ",)


def _list_timeout_commands(seconds: float | None) -> tuple[str, ...]:
    return () if seconds is None else (build_timeout_command(seconds),)


@contextmanager
def _commit_at_end(orm: ScopedSession) -> Iterator[None]:
    """Commit at the end, even if nothing was written: on rollback psycopg drops all prepared statements."""
    yield
    orm.commit()


class _Unwired(dict[Change, Callable[[SpaceSession], None]]):
    def __missing__(self, change: Change) -> Callable[[SpaceSession], None]:
        raise RuntimeError(f"Nobody said what follows from a change of {change.value}: see app.wiring.")


class OpenTransaction(NamedTuple):
    """A session in a transaction, and what ends with it."""

    orm: ScopedSession
    end_stack: ExitStack


class Database:
    """The connection pools; opens a session for the platform, a tenant or a space. One per process; a forked
    child makes its own.
    """

    def __init__(
        self,
        engine: Engine,
        settings: PlatformDefaults,
        *,
        wake: Callable[[], None] = lambda: None,
        consequences: Consequences | None = None,
        replicas: Replicas | None = None,
        node_pools: NodePools | None = None,
    ) -> None:
        """`settings` are the platform's, which apply in spaces without settings of their own.

        `wake` tells the workers that there may be work; it is called after a commit and never raises.
        `consequences` says what follows from a change, in its own transaction: it is the same for every door,
        and without it no transaction that marks a change can be committed (see `app.wiring`).
        `replicas` serve read-only sessions within a read route (`read_route`). On a cluster such a session
        reads content at its Citus node, through `node_pools`.
        """
        self.engine = engine
        self.settings = settings
        self.wake = wake
        self.replicas = replicas
        self.node_pools = node_pools
        self.counters = replicas.counters if replicas else Counters()
        self.consequences: Consequences = consequences or _Unwired()
        # Records the results that were returned to callers, after the commit; never raises.
        self.record_recall_after_commit: Callable[[TenantId, SpaceId, object], None] = lambda *_: None
        self._tried_settings: Mapping[str, Any] = {}
        self.large_shards = LargeShards()
        self._node_logins = NodeLogins(partial(list_groups_bypassing_row_security_in_own_connection, engine))
        self._nodes = NodeWatch(
            engine, node_pools.suspend_silent_nodes if node_pools else lambda _groups: None
        )

    def with_trial_settings(self, tried_settings: Mapping[str, Any]) -> "Database":
        """Return this database with other settings in its spaces, and without recording recalls.

        For trials: the settings are not stored.
        """
        database = copy(self)
        database._tried_settings = tried_settings
        database.record_recall_after_commit = lambda *_: None
        return database

    @contextmanager
    def open_space(
        self,
        tenant_id: TenantId,
        space_id: SpaceId,
        *,
        by_index: bool = False,
        snapshot: bool = False,
        may_be_closed: bool = False,
        may_use_replica: bool = False,
        statement_timeout_seconds: float | None = None,
    ) -> Iterator[SpaceSession]:
        """Open the space for one transaction. Raises NotFound unless the tenant owns it, and on a cluster
        ConfigurationError if the application's login may bypass row security on its node.

        `by_index` is for writing many rows: every table is read through an index, even without statistics,
        so that the plan of a foreign key check may be kept (see `engine`). Measured on ingest: planning a
        check anew for each row was a third of Postgres' time. With `snapshot` all statements read the same
        state (REPEATABLE READ). `may_be_closed` also opens a deleted space, for the job that empties it. With
        `may_use_replica` it may be opened on a replica that has replayed all that the tenant wrote.
        `statement_timeout_seconds` limits each statement; by default the limit of the settings applies.
        """
        tenant_uuid, space_uuid = UUID(str(tenant_id)), UUID(str(space_id))
        with self._open_transaction(
            SpaceId(space_uuid), owner=str(tenant_uuid), may_use_replica=may_use_replica
        ) as (
            orm,
            end_stack,
        ):
            # The isolation level must be set before the first query, which takes the snapshot.
            first_commands = (
                *(_SNAPSHOT_COMMANDS if snapshot else ()),
                *_list_timeout_commands(statement_timeout_seconds),
            )
            session = SpaceSession(
                CONSTRUCTION_TOKEN,
                orm,
                self,
                TenantId(tenant_uuid),
                SpaceId(space_uuid),
                first_commands,
                may_be_closed,
            )
            if session.is_clustered:
                # Watched from here on: what is asked next waits for a silent node, too.
                end_stack.enter_context(self._nodes.watch_transaction(session.connection, space_uuid))
                self._node_logins.require_row_security(
                    partial(list_groups_bypassing_row_security, session.connection), session.list_node_groups
                )
                if may_use_replica and not snapshot and self.node_pools is not None:
                    timeout_commands = _list_timeout_commands(statement_timeout_seconds)
                    session.set_shard_session_opener(
                        partial(self._begin_shard_session, session, timeout_commands, end_stack)
                    )
            if by_index:
                session.force_index_scans()
            yield session
            session.run_followers_of_marked_changes()
        session.notify_after_commit()

    def _begin_shard_session(
        self, session: SpaceSession, begin_statements: Sequence[str], end_stack: ExitStack
    ) -> ShardSession | None:
        """Return a session at the Citus node that has the space's content, closed with `end_stack`.

        None if it does not accept us or is unknown: then reads go through the coordinator. Raises
        ConfigurationError if our login may bypass row security there, and ConnectionFailure if it has not
        answered for a while.
        """
        pools, space_id = self.node_pools, UUID(str(session.space_id))
        assert pools is not None
        for _ in range(2):
            shard_tables = pools.get_cached_or_located_shard_tables(space_id, session.locate_shards)
            if shard_tables is None:
                return None
            self._nodes.require_answering_node(shard_tables.node.group)
            engine = pools.get_engine(shard_tables.node)
            if engine is None:
                return None
            try:
                with ExitStack() as attempt_stack:
                    orm = attempt_stack.enter_context(ScopedSession(engine, expire_on_commit=False))
                    shard_session = ShardSession(CONSTRUCTION_TOKEN, orm, self, session, shard_tables)
                    if shard_session.begin(begin_statements):
                        attempt_stack.enter_context(
                            self._nodes.watch_transaction(shard_session.connection, space_id)
                        )
                        attempt_stack.enter_context(_commit_at_end(orm))
                        end_stack.enter_context(attempt_stack.pop_all())
                        return shard_session
            except (*DATABASE_ERRORS, ConfigurationError) as error:
                if isinstance(error, ConfigurationError) and error.code == PRIVILEGED_LOGIN:
                    # Through the coordinator, the same role would read the same shards.
                    raise ConfigurationError(
                        f"On the worker {shard_tables.node.host}:{shard_tables.node.port}"
                        " the application's login may bypass row security: `citegraph doctor` names the"
                        " right to take from it.",
                        code=PRIVILEGED_LOGIN,
                    ) from error
                pools.suspend_node(shard_tables.node, error)
                return None
            # It has moved since.
            pools.forget_shard_tables(space_id)
        return None

    @contextmanager
    def open_tenant(
        self,
        tenant_id: TenantId,
        *,
        may_use_replica: bool = False,
        statement_timeout_seconds: float | None = None,
    ) -> Iterator[TenantSession]:
        """Open the tenant's own rows for one transaction; the options are those of `open_space`."""
        tenant_uuid = UUID(str(tenant_id))
        with self._open_transaction(None, owner=str(tenant_uuid), may_use_replica=may_use_replica) as (
            orm,
            end_stack,
        ):
            session = TenantSession(CONSTRUCTION_TOKEN, orm, self, TenantId(tenant_uuid))
            session.begin_transaction(
                (
                    *_list_timeout_commands(statement_timeout_seconds),
                    f"SET LOCAL app.tenant_id = '{tenant_uuid}'",
                )
            )
            if session.is_clustered:
                end_stack.enter_context(self._nodes.watch_transaction(session.connection, None))
            yield session
        session.notify_after_commit()

    @contextmanager
    def open_platform(self) -> Iterator[PlatformSession]:
        """Open the platform's rows across tenants for one transaction; content stays invisible."""
        with self._open_transaction(None) as (orm, _):
            session = PlatformSession(CONSTRUCTION_TOKEN, orm, self)
            session.begin_transaction(_PLATFORM_COMMANDS)
            yield session
        session.notify_after_commit()

    @contextmanager
    def _open_transaction(
        self, space_id: SpaceId | None, *, owner: str | None = None, may_use_replica: bool = False
    ) -> Iterator[OpenTransaction]:
        with ExitStack() as end_stack, ExitStack() as session_stack:
            orm = (
                self._open_orm_session_on_replica(session_stack, owner) if may_use_replica and owner else None
            )
            if orm is None:
                orm = session_stack.enter_context(ScopedSession(self.engine, expire_on_commit=False))
            orm.space_id, orm.platform = space_id, self.settings
            orm.tried_settings = self._tried_settings
            yield OpenTransaction(orm, end_stack)
            orm.commit()
        if self.replicas and (written_position := take_position_of_last_commit()) is not None:
            self.replicas.note_write_and_use_primary(owner, written_position)

    def _open_orm_session_on_replica(self, session_stack: ExitStack, owner: str) -> ScopedSession | None:
        """Return a session on a replica that has the owner's writes, closed with the stack; else None."""
        replica = self.replicas.start_checking_and_choose_replica(owner) if self.replicas else None
        if self.replicas is None or replica is None:
            return None
        with ExitStack() as attempt_stack:
            orm = attempt_stack.enter_context(ScopedSession(replica.engine, expire_on_commit=False))
            if not attempt_stack.enter_context(self.replicas.attempt_read(replica, orm, owner)):
                return None
            session_stack.enter_context(attempt_stack.pop_all())
        return orm

    @contextmanager
    def read_from_all_nodes(self, connection: psycopg.Connection[Row]) -> Iterator[frozenset[int]]:
        """As of the session with this connection."""
        with self._nodes.watch_transaction(connection, None):
            refused_groups = self._node_logins.list_groups_without_row_security(
                partial(list_groups_bypassing_row_security, connection)
            )
            yield self._nodes.list_silent_node_groups() | refused_groups

    def dispose(self) -> None:
        """Close the pool's idle connections."""
        self.engine.dispose()
        if self.node_pools:
            self.node_pools.dispose()
        if self.replicas:
            self.replicas.close()
