"""The door: the only way to a database session, and the only code that says which space is open.

One `with` block is one transaction: it commits at its end and rolls back on an exception.
`open_space` reads the space's row under the tenant's policy before it sets `app.space_id`, so a
space of another tenant is not found (walls 1 and 3 of docs/isolation.md). Settings are made by
`SET LOCAL`: they end with the transaction, and a pooled connection carries nothing over.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from copy import copy
from dataclasses import replace
from datetime import datetime
from functools import cached_property, partial
from typing import Any
from uuid import UUID

import psycopg
from sqlalchemy import Engine
from sqlalchemy.orm import SessionTransaction

from app.db.changes import Change
from app.db.connection_checks import PRIVILEGED_LOGIN
from app.db.engine import (
    CLUSTERED_KEY,
    READ_BY_INDEX_COMMANDS,
    READ_SHARDS_BY_INDEX_COMMANDS,
    SettingsOfTransaction,
    begin_transaction_with,
    build_timeout_command,
    run_each_statement_with_literals,
    send_commands,
)
from app.db.errors import DATABASE_ERRORS
from app.db.filled_shards import FilledShards
from app.db.node_logins import (
    NodeLogins,
    list_groups_bypassing_row_security,
    list_groups_bypassing_row_security_in_own_connection,
)
from app.db.node_pools import NodePools
from app.db.node_watch import NodeWatch
from app.db.orm_space_filter import OpeningState, ScopedSession
from app.db.replicas.commit_position import take_position_of_last_commit
from app.db.replicas.servers import Replicas
from app.db.shard_tables import Node, ShardTables, reads_only_shards, replace_tables_by_shards
from app.db.sql import Pending, load_numbered_statements_of_file, load_statement
from app.db.vectors import tables
from app.errors import ConfigurationError, NotFound
from app.ids import SpaceId, TenantId
from app.observability.counters import Counters
from app.space_settings import EffectiveSettings, effective_settings
from app.tenant_quotas import PlatformDefaults

_CONSTRUCTION_TOKEN = object()
Row = tuple[Any, ...]


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


class OpenSession(SettingsOfTransaction):
    """Base of the three kinds of session: the ORM session, named SQL, after-commit calls."""

    def __init__(self, construction_token: object, orm: ScopedSession, database: "Database") -> None:
        if construction_token is not _CONSTRUCTION_TOKEN:
            raise TypeError("Sessions are made by Database.open_space, open_tenant and open_platform only.")
        self.orm = orm
        self._database = database
        self._must_wake_workers = False
        self._driver_connection: psycopg.Connection[tuple[Any, ...]] | None = None
        self._savepoint: SessionTransaction | None = None
        self._is_clustered = False

    @property
    def connection(self) -> psycopg.Connection[tuple[Any, ...]]:
        """The psycopg connection of this transaction, for COPY and cursors."""
        # Asking the ORM is needed only after a savepoint began, to send it; otherwise it would waste 0.1 ms.
        savepoint = self.orm.get_nested_transaction()
        # Outside a transaction neither the role nor the space is set.
        if (
            self._driver_connection is None
            or savepoint is not self._savepoint
            or not self.orm.in_transaction()
        ):
            orm_connection = self.orm.connection()
            driver_connection = orm_connection.connection.driver_connection
            assert isinstance(driver_connection, psycopg.Connection)
            self._driver_connection, self._savepoint, self._is_clustered = (
                driver_connection,
                savepoint,
                bool(orm_connection.info.get(CLUSTERED_KEY)),
            )
        return self._driver_connection

    @property
    def is_clustered(self) -> bool:
        """True where the database is a Citus cluster, whose rules are in docs/citus.md."""
        # Reading `connection` first determines `_clustered`.
        return self.connection is not None and self._is_clustered

    def begin_transaction(self, commands: Sequence[str]) -> list[list[Row]]:
        """Begin the transaction with these commands; return the rows of each command."""
        rows = begin_transaction_with(self.orm, commands)
        return send_commands(self.connection, commands, pipelined=self.is_clustered) if rows is None else rows

    def _get_scope_parameters(self) -> dict[str, Any]:
        return {}

    def run(
        self,
        statement_name: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        should_prepare: bool | None = None,
        binary: bool = False,
    ) -> list[Row]:
        """Run the named SQL `domain.query` and return its rows, empty if it returns none. See `send`."""
        return self.send(statement_name, parameters, should_prepare=should_prepare, binary=binary).result()

    def send(
        self,
        statement_name: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        should_prepare: bool | None = None,
        binary: bool = False,
    ) -> Pending[list[Row]]:
        """Send the named SQL `domain.query`; return its pending rows.

        Within `pipelined` the caller may do other work or send more before reading them; a statement that
        returns no rows is not sent there. A file of several statements, at most one of which returns rows, is
        sent in one round trip and awaited: each of them sees the effects of those before it. The scope's own
        parameters (space_id, tenant_id, vector_set) are supplied and cannot be overridden. If
        `should_prepare` is True, a plan is kept from the first call on; False never does, None follows
        `use_generic_plans`; parameters that are None then become NULL in the statement. With `binary` the
        rows are sent in Postgres' binary format, so that bytes are not encoded as text; a `real` is then not
        as written.
        """
        value_by_parameter = {**(parameters or {}), **self._get_scope_parameters()}
        keeps_plan = self._is_keeping_plans if should_prepare is None else should_prepare
        # A generic plan can skip what a NULL makes pointless only if the NULL is part of the statement.
        null_parameters = (
            frozenset(parameter for parameter, value in value_by_parameter.items() if value is None)
            if keeps_plan
            else frozenset()
        )
        parts = load_numbered_statements_of_file(statement_name, null_parameters)
        cursors = [psycopg.RawCursor(self.connection) for _ in parts]
        # Before the pipeline begins, since locating the rows may take statements of its own.
        bound_statements = [
            (
                self._substitute_tables(statement),
                [value_by_parameter[parameter] for parameter in parameter_names],
            )
            for statement, parameter_names in parts
        ]
        with self.pipelined() if len(parts) > 1 else nullcontext():
            for cursor, (statement, arguments) in zip(cursors, bound_statements, strict=True):
                cursor.execute(statement, arguments, prepare=keeps_plan or should_prepare, binary=binary)
        if len(parts) > 1:
            return Pending.completed(
                next((part_cursor.fetchall() for part_cursor in cursors if part_cursor.description), [])
            )
        (cursor,) = cursors
        if self.connection.pgconn.pipeline_status or (cursor.pgresult and cursor.pgresult.nfields):
            return Pending(cursor.fetchall)
        return Pending.completed([])

    def run_each_statement(
        self, statement_name: str, parameters: Mapping[str, Any]
    ) -> list[list[tuple[Any, ...]]]:
        """Send the statements of the named SQL in one round trip and return the rows of each.

        Not allowed within `pipelined`. The values are literals in them, quoted by psycopg, for indexes that
        the planner uses only with a literal. Each is planned after those before it have run, so that settings
        they make apply to it.
        """
        value_by_parameter = {**parameters, **self._get_scope_parameters()}
        text = self._substitute_tables(load_statement(statement_name).encode()).decode()
        return run_each_statement_with_literals(
            self.connection, text, value_by_parameter, pipelined=self.is_clustered
        )

    @contextmanager
    def pipelined(self) -> Iterator[None]:
        """Send statements without waiting for each result; an error is raised where a result is read."""
        with self.connection.pipeline():
            yield

    @contextmanager
    def read_from_all_nodes(self) -> Iterator[frozenset[int]]:
        """For statements on shards of any space: yield the groups of the Citus nodes whose spaces may not be
        read: they do not answer, or the application's login may bypass row security there.

        Raises ConfigurationError if it may on the coordinator, and ConnectionFailure if the block waited for
        a silent node.
        """
        with self._database.read_from_all_nodes(self.connection) as refused_groups:
            yield refused_groups

    def wake_workers(self) -> None:
        """Wake the workers after this transaction has committed; not if it rolls back."""
        self._must_wake_workers = True

    def _after_commit(self) -> None:
        if self._must_wake_workers:
            self._database.wake()


class SpaceSession(OpenSession):
    """One open space: everything that is read or written through it belongs to that space."""

    def __init__(
        self,
        construction_token: object,
        orm: ScopedSession,
        database: "Database",
        tenant_id: TenantId,
        space_id: SpaceId,
        begin_statements: Sequence[str] = (),
        may_be_closed: bool = False,
    ) -> None:
        super().__init__(construction_token, orm, database)
        self._changes: set[Change] = set()
        self.seconds_until_due: float | None = None
        self._recalled_objects: list[object] = []
        self._begin_shard_session: Callable[[], ShardSession | None] | None = None
        self.tenant_id = tenant_id
        self.space_id = space_id
        # The start of the transaction by the clock of the queue, which on a cluster is the coordinator's:
        # `now()` in a statement on content is that of a Citus node.
        self.transaction_time: datetime
        self.opening_state = self._begin_transaction_and_set_space(begin_statements, may_be_closed)

    @cached_property
    def settings(self) -> EffectiveSettings:
        """The effective settings of this space. Sends no statement: they were read when it was opened."""
        settings = effective_settings(self.orm.platform, self.opening_state.settings)
        return settings.model_copy(update=self.orm.tried_settings) if self.orm.tried_settings else settings

    def send(
        self,
        statement_name: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        should_prepare: bool | None = None,
        binary: bool = False,
    ) -> Pending[list[Row]]:
        """As in OpenSession; on a cluster, reads of content go to the Citus node that has it, if it is
        reachable.
        """
        if reads_only_shards(statement_name) and self._shard_session is not None:
            return self._shard_session.send(
                statement_name, parameters, should_prepare=should_prepare, binary=binary
            )
        return super().send(statement_name, parameters, should_prepare=should_prepare, binary=binary)

    @contextmanager
    def pipelined(self) -> Iterator[None]:
        """As in OpenSession, and for the connection to the Citus node that has the content."""
        with super().pipelined(), self._shard_session.pipelined() if self._shard_session else nullcontext():
            yield

    def use_generic_plans(self) -> None:
        """As in OpenSession, and for the connection to the Citus node that has the content."""
        super().use_generic_plans()
        if self._shard_session:
            self._shard_session.use_generic_plans()

    @contextmanager
    def use_generic_plans_in_block(self) -> Iterator[None]:
        """As in OpenSession, and for the connection to the Citus node that has the content."""
        with (
            super().use_generic_plans_in_block(),
            self._shard_session.use_generic_plans_in_block() if self._shard_session else nullcontext(),
        ):
            yield

    def force_index_scans(self) -> None:
        """As in OpenSession; on a cluster, the Citus nodes keep the plans of foreign key checks."""
        if not self.is_clustered:
            super().force_index_scans()
            return
        is_filled = self._database.filled_shards.is_filled(self.space_id, self._read_whether_shard_is_filled)
        send_commands(
            self.connection,
            READ_SHARDS_BY_INDEX_COMMANDS if is_filled else READ_BY_INDEX_COMMANDS[:1],
            pipelined=True,
        )

    def _read_whether_shard_is_filled(self) -> bool:
        return super().send("db.filled_shard").result() == [(True,)]

    def prefer_index_order(self) -> None:
        """As in OpenSession, and for the connection to the Citus node that has the content."""
        super().prefer_index_order()
        if self._shard_session:
            self._shard_session.prefer_index_order()

    def limit_statement_time(self, seconds: float) -> None:
        """As in OpenSession, and for the connection to the Citus node that has the content."""
        super().limit_statement_time(seconds)
        if self._shard_session:
            self._shard_session.limit_statement_time(seconds)

    @contextmanager
    def limit_statement_time_in_block(self, seconds: float) -> Iterator[None]:
        """As in OpenSession, and for the connection to the Citus node that has the content."""
        with (
            super().limit_statement_time_in_block(seconds),
            self._shard_session.limit_statement_time_in_block(seconds)
            if self._shard_session
            else nullcontext(),
        ):
            yield

    @cached_property
    def _shard_session(self) -> "ShardSession | None":
        """The session at the Citus node that has the content, begun on first use."""
        return self._begin_shard_session() if self._begin_shard_session else None

    def set_shard_session_opener(self, begin_shard_session: "Callable[[], ShardSession | None]") -> None:
        """Read content in the session that `begin_shard_session` opens."""
        self._begin_shard_session = begin_shard_session

    def list_node_groups(self) -> list[int]:
        """Return the groups of the Citus nodes that have the space's content."""
        return [group for (group,) in super().send("db.node_of_space").result()]

    def locate_shards(self) -> ShardTables | None:
        """Return the tables of the space's shards; None if they are not on one Citus node."""
        rows = super().send("db.shard_location").result()
        if len(rows) != 1:
            return None
        group, host, port, shard_id, table_names = rows[0]
        return ShardTables(Node(group, host, port), shard_id, tuple(sorted(table_names.items())))

    def mark_change(self, change: Change) -> None:
        """Mark a change; its followers run once, at the end of this transaction."""
        self._changes.add(change)

    def schedule_claim_change(self, seconds: float) -> None:
        """Mark that a claim begins or ends `seconds` after the transaction's time; of several calls the
        earliest moment counts.
        """
        self.seconds_until_due = (
            seconds if self.seconds_until_due is None else min(self.seconds_until_due, seconds)
        )
        self.mark_change(Change.DUE)

    def record_recall_after_commit(self, recalled_object: object) -> None:
        """Record, after this transaction has committed, that this result was returned to a caller."""
        self._recalled_objects.append(recalled_object)

    def _apply_consequences(self) -> None:
        """Run the followers of the marked changes."""
        if self._changes:
            self.orm.flush()
        for change in Change:
            if change in self._changes:
                self._database.consequences[change](self)

    def _after_commit(self) -> None:
        super()._after_commit()
        for recall_batch in self._recalled_objects:
            self._database.record_recall_after_commit(self.tenant_id, self.space_id, recall_batch)

    def _begin_transaction_and_set_space(
        self, begin_statements: Sequence[str], may_be_closed: bool
    ) -> OpeningState:
        """Begin the transaction, find the space under its tenant's policy, and set it: one round trip.

        Raises NotFound, also for a closed space.
        """
        # The two parsed uuids are literals, since several statements in one round trip take no parameters.
        # The same round trip sets the space: if its row is not found, nothing else is sent and the setting
        # is rolled back.
        *_, rows, _ = self.begin_transaction(
            (
                *begin_statements,
                f"SET LOCAL app.tenant_id = '{self.tenant_id}'",
                "SELECT graph_revision, embedding_model, embedding_dimensions, vector_set, dedicated_vectors,"  # noqa: S608
                " settings, erasures, now()"
                f" FROM knowledge_space WHERE tenant_id = '{self.tenant_id}' AND id = '{self.space_id}'"
                f"{'' if may_be_closed else ' AND closed_at IS NULL'}",
                f"SET LOCAL app.space_id = '{self.space_id}'",
            ),
        )
        row = rows[0] if rows else None
        if row is None:
            raise NotFound("space")
        *state_columns, self.transaction_time = row
        self._graph_revision = int(row[0])
        return OpeningState(*state_columns)

    def set_graph_revision(self, graph_revision: int) -> None:
        """Set the graph's revision for the rest of this transaction: rows written in it carry the number."""
        self._graph_revision = graph_revision
        if self.is_clustered:
            # For triggers, which run on the Citus nodes: the space's own row is on the coordinator.
            self.connection.execute(f"SET LOCAL app.graph_revision = '{graph_revision}'", prepare=False)

    def _substitute_tables(self, statement: bytes) -> bytes:
        if self.is_clustered:
            # On a cluster a space's vectors stay in its shard; there are no partitions to switch to.
            return statement
        if tables.classify_vector_table_use(statement) is tables.Use.WRITTEN:
            # A move of the space to other tables waits for this lock.
            has_dedicated_vectors = tables.lock_vector_tables_and_check_dedicated(
                self.connection, self.tenant_id, self.space_id
            )
            self.opening_state = replace(self.opening_state, dedicated_vectors=has_dedicated_vectors)
        return (
            tables.replace_tables_by_partitions(statement, self.space_id)
            if self.opening_state.dedicated_vectors
            else statement
        )

    def _get_scope_parameters(self) -> dict[str, Any]:
        # The vector set as read when the space was opened: one transaction compares with one set only, even
        # if the space switches meanwhile.
        return {
            "space_id": self.space_id,
            "tenant_id": self.tenant_id,
            "vector_set": self.opening_state.vector_set,
            "graph_revision": self._graph_revision,
        }


class ShardSession(OpenSession):
    """Reads an open space at the Citus node that has its content, in a read-only transaction there."""

    def __init__(
        self,
        construction_token: object,
        orm: ScopedSession,
        database: "Database",
        space: SpaceSession,
        shard_tables: ShardTables,
    ) -> None:
        super().__init__(construction_token, orm, database)
        self._space = space
        self._shard_tables = shard_tables

    def begin(self, begin_statements: Sequence[str]) -> bool:
        """Begin the transaction with these commands, for this space; return whether the node still has it.

        A move updates the metadata of every node in its own transaction.
        """
        *_, rows = self.begin_transaction(
            (
                *begin_statements,
                f"SET LOCAL app.tenant_id = '{self._space.tenant_id}'",
                f"SET LOCAL app.space_id = '{self._space.space_id}'",
                "SELECT count(*) FROM pg_dist_placement JOIN pg_dist_local_group USING (groupid)"  # noqa: S608
                f" WHERE shardid = {self._shard_tables.shard_id}",
            )
        )
        return rows == [(1,)]

    def _substitute_tables(self, statement: bytes) -> bytes:
        return replace_tables_by_shards(statement, self._shard_tables)

    def _get_scope_parameters(self) -> dict[str, Any]:
        return self._space._get_scope_parameters()


class TenantSession(OpenSession):
    """One tenant's own rows: spaces, keys, usage, audit. No content of any space."""

    def __init__(
        self, construction_token: object, orm: ScopedSession, database: "Database", tenant_id: TenantId
    ) -> None:
        super().__init__(construction_token, orm, database)
        self.tenant_id = tenant_id

    def _get_scope_parameters(self) -> dict[str, Any]:
        return {"tenant_id": self.tenant_id}


class PlatformSession(OpenSession):
    """The platform's own work across tenants: tenants, keys, jobs, usage. No content of any space."""


Consequences = Mapping[Change, Callable[[SpaceSession], None]]


class _Unwired(dict[Change, Callable[[SpaceSession], None]]):
    def __missing__(self, change: Change) -> Callable[[SpaceSession], None]:
        raise RuntimeError(f"Nobody said what follows from a change of {change.value}: see app.wiring.")


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
        self.filled_shards = FilledShards()
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
                _CONSTRUCTION_TOKEN,
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
            session._apply_consequences()
        session._after_commit()

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
                    shard_session = ShardSession(_CONSTRUCTION_TOKEN, orm, self, session, shard_tables)
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
            session = TenantSession(_CONSTRUCTION_TOKEN, orm, self, TenantId(tenant_uuid))
            session.begin_transaction(
                (
                    *_list_timeout_commands(statement_timeout_seconds),
                    f"SET LOCAL app.tenant_id = '{tenant_uuid}'",
                )
            )
            if session.is_clustered:
                end_stack.enter_context(self._nodes.watch_transaction(session.connection, None))
            yield session
        session._after_commit()

    @contextmanager
    def open_platform(self) -> Iterator[PlatformSession]:
        """Open the platform's rows across tenants for one transaction; content stays invisible."""
        with self._open_transaction(None) as (orm, _):
            session = PlatformSession(_CONSTRUCTION_TOKEN, orm, self)
            session.begin_transaction(_PLATFORM_COMMANDS)
            yield session
        session._after_commit()

    @contextmanager
    def _open_transaction(
        self, space_id: SpaceId | None, *, owner: str | None = None, may_use_replica: bool = False
    ) -> Iterator[tuple[ScopedSession, ExitStack]]:
        with ExitStack() as end_stack, ExitStack() as session_stack:
            orm = (
                self._open_orm_session_on_replica(session_stack, owner) if may_use_replica and owner else None
            )
            if orm is None:
                orm = session_stack.enter_context(ScopedSession(self.engine, expire_on_commit=False))
            orm.space_id, orm.platform = space_id, self.settings
            orm.tried_settings = self._tried_settings
            yield orm, end_stack
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
