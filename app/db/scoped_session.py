"""Wall 2: the ORM session that knows its space, and refuses what does not name it (docs/isolation.md); and
the settings of its transaction.
"""

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import psycopg
from sqlalchemy import event, inspect
from sqlalchemy.orm import ORMExecuteState, Session, UOWTransaction, with_loader_criteria

from app.db.base import Operational, SpaceOwned
from app.db.engine import send_all
from app.ids import SpaceId
from app.tenant_quotas import PlatformDefaults

# A plan for a table of a few pages takes any index for as good as its key; kept, it would read whole spaces
# by the wrong one until the next ANALYZE (measured: 7.9 ms of Postgres a passage instead of 2.2). So plans
# are kept from 20 pages on.
BY_INDEX = (
    "SET LOCAL enable_seqscan = off",
    """SELECT set_config('plan_cache_mode', 'force_generic_plan', true) WHERE 163840 <= ALL (
    SELECT pg_relation_size(each)
    FROM unnest('{public.knowledge_chunk,public.graph_node,public.graph_edge}'::regclass[]) AS each
)""",
)
GENERIC = "SET LOCAL plan_cache_mode = force_generic_plan"
FILLED = """
    SELECT count(*) = 8 AND min(reltuples) >= 1000 FROM pg_class WHERE oid = ANY (ARRAY[
        to_regclass('knowledge_chunk'), to_regclass('graph_node'), to_regclass('node_name'), to_regclass('node_mention'),
        to_regclass('graph_edge'), to_regclass('chunk_vector'), to_regclass('fact_vector'), to_regclass('node_vector')])
"""  # noqa: E501
"""Whether the planner knows of so many rows in each table that it reads them by their indexes, for any
values.
"""


@dataclass(frozen=True, slots=True)
class AsOpened:
    """The space's row as the door read it when it opened the space; `settings` as they are stored."""

    graph_revision: int
    embedding_model: str
    embedding_dimensions: int
    vector_set: int
    dedicated_vectors: bool
    settings: dict[str, Any]
    erasures: int


class ScopedSession(Session):
    """An ORM session that knows its space; None means that it may touch no space-owned content."""

    space_id: SpaceId | None = None
    platform: PlatformDefaults


@event.listens_for(ScopedSession, "do_orm_execute")
def _filter_by_space(state: ORMExecuteState) -> None:
    """Wall 2, reads: every ORM statement on a space-owned class names the open space."""
    session = state.session
    assert isinstance(session, ScopedSession)
    space_id = session.space_id
    if space_id is None:
        for mapper in state.all_mappers:
            if issubclass(mapper.class_, SpaceOwned) and not issubclass(mapper.class_, Operational):
                raise TypeError(f"{mapper.class_.__name__} belongs to a space: use open_space.")
        return
    if state.is_select or state.is_update or state.is_delete:
        state.statement = state.statement.options(
            with_loader_criteria(
                SpaceOwned, lambda cls: cls.knowledge_space_id == space_id, include_aliases=True
            )
        )


@event.listens_for(ScopedSession, "before_flush")
def _stamp_or_refuse(session: Session, _context: UOWTransaction, _instances: object) -> None:
    """Wall 2, writes: a new row gets the open space; a row of another space is refused."""
    assert isinstance(session, ScopedSession)
    for row in (*session.new, *session.dirty, *session.deleted):
        if not isinstance(row, SpaceOwned):
            continue
        if session.space_id is None:
            raise TypeError(f"{type(row).__name__} belongs to a space: use open_space.")
        if row in session.new and row.knowledge_space_id is None:
            row.knowledge_space_id = session.space_id
        changed = inspect(row).attrs.knowledge_space_id.history.deleted
        if row.knowledge_space_id != session.space_id or changed:
            raise TypeError(f"A {type(row).__name__} of another space cannot be written here.")


class SettingsOfTransaction:
    """The settings of one transaction, each by SET LOCAL: they end with it."""

    orm: ScopedSession
    _keeping = False
    _filled: bool | None = None

    @property
    @abstractmethod
    def connection(self) -> psycopg.Connection[tuple[Any, ...]]:
        """The connection of the transaction."""

    @property
    @abstractmethod
    def clustered(self) -> bool:
        """True on a Citus cluster."""

    def _located(self, sent: bytes) -> bytes:
        """The statement with the names of the tables that hold the space's rows."""
        return sent

    def keep_plans(self) -> None:
        """Plan what is prepared once for all values, and what is not without its values, to the transaction's
        end.

        Not while `may_keep_plans` says no.
        """
        if self.may_keep_plans and not self._keeping:
            self.connection.execute(GENERIC, prepare=False)
            self._keeping = True

    @contextmanager
    def keeping_plans(self) -> Iterator[None]:
        """The same for what is inside alone, whatever the tables hold; nothing on a Citus cluster."""
        if self._keeping or self.clustered:
            yield
            return
        self.connection.execute(GENERIC, prepare=False)
        self._keeping = True
        try:
            yield
        finally:
            self._keeping = False
        self.connection.execute("SET LOCAL plan_cache_mode = DEFAULT", prepare=False)

    @property
    def may_keep_plans(self) -> bool:
        """Return whether a plan made now still fits with more rows: not while a table is all but empty.

        A kept plan stays until the next ANALYZE. The catalogue is asked until it says so, once a connection.
        Never on a Citus cluster: without the value of the space nobody knows its shard, and Citus refuses.
        """
        if self.clustered:
            return False
        if self._filled is None:
            known, where = self.orm.connection().info, self._located(b"chunk_vector")
            if not known.get(where):
                asked = self._located(FILLED.encode())
                known[where] = self.connection.execute(asked, prepare=False).fetchone() == (True,)
            self._filled = bool(known[where])
        return self._filled

    def read_by_index(self) -> None:
        """Read every table through an index, and keep plans of foreign key checks where tables are filled."""
        # The tables of a cluster's coordinator are empty shells, and say nothing of what the shards hold.
        self.connection.execute(BY_INDEX[0] if self.clustered else "; ".join(BY_INDEX), prepare=False)

    def prefer_indexes(self) -> None:
        """To the transaction's end, read the beginning of a large space in an index's order, not all of it to
        sort it.
        """
        for each in ("seqscan", "bitmapscan", "hashjoin", "mergejoin"):
            self.connection.execute(f"SET LOCAL enable_{each} = off", prepare=False)

    def limit_statements(self, seconds: float | None) -> None:
        """Let no statement take longer, to the transaction's end; None leaves the limit as it is."""
        if seconds is None:
            return
        self.connection.execute(f"SET LOCAL statement_timeout = {round(seconds * 1000)}", prepare=False)

    @contextmanager
    def bounded(self, seconds: float) -> Iterator[None]:
        """Let no statement take longer from here on; what fails inside is undone, and the transaction stays
        usable.

        Not for what the ORM writes: it does not know of this savepoint.
        """
        limit = f"SET LOCAL statement_timeout = {round(seconds * 1000)}"
        send_all(self.connection, ("SAVEPOINT bounded", limit), apart=self.clustered)
        try:
            yield
        except BaseException:
            # Where the connection itself is gone the caller is told of what ended it.
            with suppress(psycopg.OperationalError):
                self.connection.execute("ROLLBACK TO SAVEPOINT bounded", prepare=False)
            raise
