"""Open sessions: what may be sent in the transaction of a space, a tenant or the platform.

They are made by `app.db.database` only. A space's row is read under the tenant's policy before `app.space_id`
is set, so a space of another tenant is not found (walls 1 and 3 of docs/isolation.md). Settings are made by
`SET LOCAL`: they end with the transaction, and a pooled connection carries nothing over.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import Any, Protocol

import psycopg
from sqlalchemy.orm import SessionTransaction

from app.db.changes import Change
from app.db.engine import (
    CLUSTERED_KEY,
    READ_BY_INDEX_COMMANDS,
    READ_SHARDS_BY_INDEX_COMMANDS,
    SettingsOfTransaction,
    begin_transaction_with,
    run_each_statement_with_literals,
    send_commands,
)
from app.db.large_shards import LargeShards
from app.db.orm_space_filter import OpeningState, ScopedSession
from app.db.shard_tables import Node, ShardTables, reads_only_shards, replace_tables_by_shards
from app.db.sql import Pending, load_numbered_statements_of_file, load_statement
from app.db.vectors import tables
from app.errors import NotFound
from app.ids import SpaceId, TenantId
from app.space_settings import EffectiveSettings, effective_settings

CONSTRUCTION_TOKEN = object()
"""Proof that a session is made by `app.db.database`, the only door to one."""
Row = tuple[Any, ...]


class OpeningDatabase(Protocol):
    """The part of the database that a session uses."""

    @property
    def large_shards(self) -> LargeShards:
        """Known sizes of the spaces' tables on Citus nodes."""

    @property
    def consequences(self) -> "Consequences":
        """The function that follows each change, in the transaction that marks it."""

    @property
    def wake(self) -> Callable[[], None]:
        """The function that tells the workers that there may be work; never raises."""

    @property
    def record_recall_after_commit(self) -> Callable[[TenantId, SpaceId, object], None]:
        """The function that records a result that was returned to a caller; never raises."""

    def read_from_all_nodes(
        self, connection: psycopg.Connection[Row]
    ) -> AbstractContextManager[frozenset[int]]:
        """Let the session with this connection read shards of any space: see `OpenSession`."""


class OpenSession(SettingsOfTransaction):
    """Base of the three kinds of session: the ORM session, named SQL, after-commit calls."""

    def __init__(self, construction_token: object, orm: ScopedSession, database: "OpeningDatabase") -> None:
        if construction_token is not CONSTRUCTION_TOKEN:
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

    def notify_after_commit(self) -> None:
        if self._must_wake_workers:
            self._database.wake()


class SpaceSession(OpenSession):
    """One open space: everything that is read or written through it belongs to that space."""

    def __init__(
        self,
        construction_token: object,
        orm: ScopedSession,
        database: "OpeningDatabase",
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
        are_large = self._database.large_shards.are_tables_large(
            self.space_id, self._read_whether_shard_tables_are_large
        )
        send_commands(
            self.connection,
            READ_SHARDS_BY_INDEX_COMMANDS if are_large else READ_BY_INDEX_COMMANDS[:1],
            pipelined=True,
        )

    def _read_whether_shard_tables_are_large(self) -> bool:
        return super().send("db.are_shard_tables_large").result() == [(True,)]

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

    def mark_earliest_claim_change(self, seconds_ahead: float) -> None:
        """Mark that a claim begins or ends `seconds_ahead` after the transaction's time; of several calls the
        earliest moment counts.
        """
        self.seconds_until_due = (
            seconds_ahead if self.seconds_until_due is None else min(self.seconds_until_due, seconds_ahead)
        )
        self.mark_change(Change.DUE)

    def record_recall_after_commit(self, recalled_object: object) -> None:
        """Record, after this transaction has committed, that this result was returned to a caller."""
        self._recalled_objects.append(recalled_object)

    def run_followers_of_marked_changes(self) -> None:
        """Run the followers of the marked changes."""
        if self._changes:
            self.orm.flush()
        for change in Change:
            if change in self._changes:
                self._database.consequences[change](self)

    def notify_after_commit(self) -> None:
        super().notify_after_commit()
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
        database: "OpeningDatabase",
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
        self, construction_token: object, orm: ScopedSession, database: "OpeningDatabase", tenant_id: TenantId
    ) -> None:
        super().__init__(construction_token, orm, database)
        self.tenant_id = tenant_id

    def _get_scope_parameters(self) -> dict[str, Any]:
        return {"tenant_id": self.tenant_id}


class PlatformSession(OpenSession):
    """The platform's own work across tenants: tenants, keys, jobs, usage. No content of any space."""


Consequences = Mapping[Change, Callable[[SpaceSession], None]]
