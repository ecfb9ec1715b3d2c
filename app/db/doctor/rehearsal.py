"""Sessions in one transaction that is never committed: nobody else sees what is written in it."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from uuid import UUID

from sqlalchemy import Connection, text

from app.db.database import Database, OpenTransaction
from app.db.engine import CLUSTERED_KEY, send_commands
from app.db.orm_space_filter import ScopedSession
from app.db.roles import begin_and_get_raw_connection
from app.ids import SpaceId
from app.tenant_quotas import PlatformDefaults

_NO_SCOPE = tuple(f"SET LOCAL app.{setting} = ''" for setting in ("space_id", "tenant_id", "platform"))


class Rehearsal(Database):
    """A Database whose transactions are savepoints of `connection`'s transaction.

    No worker, sweep or other client can change what is written in it, and nothing remains if the process is
    killed.
    """

    def __init__(self, connection: Connection, settings: PlatformDefaults) -> None:
        super().__init__(connection.engine, settings)
        self.connection = connection
        self.is_clustered = bool(connection.info.get(CLUSTERED_KEY))

    @contextmanager
    def _open_transaction(
        self,
        space_id: SpaceId | None,
        *,
        owner: str | None = None,  # noqa: ARG002 (unused: replicas see only committed rows)
        may_use_replica: bool = False,  # noqa: ARG002
    ) -> Iterator[OpenTransaction]:
        try:
            with (
                ScopedSession(
                    self.connection, join_transaction_mode="create_savepoint", expire_on_commit=False
                ) as orm,
                orm.begin(),
                ExitStack() as stack,
            ):
                orm.space_id, orm.platform = space_id, self.settings
                yield OpenTransaction(orm, stack)
        finally:
            # A released savepoint keeps its settings; reset them as at the end of a transaction. If the
            # connection was lost, there are none, and the caller gets the original error.
            if not self.connection.invalidated:
                send_commands(
                    begin_and_get_raw_connection(self.connection), _NO_SCOPE, pipelined=self.is_clustered
                )

    @contextmanager
    def open_scope_and_roll_back(
        self, tenant: UUID | None = None, space: UUID | None = None, *, platform: bool = False
    ) -> Iterator[None]:
        """Open a savepoint with these settings, which is always rolled back."""
        savepoint = self.connection.begin_nested()
        try:
            for name, value in (
                ("tenant_id", tenant),
                ("space_id", space),
                ("platform", "on" if platform else None),
            ):
                if value is not None:
                    self.connection.execute(text(f"SET LOCAL app.{name} = '{value}'"))
            yield
        finally:
            savepoint.rollback()


@contextmanager
def open_rehearsal(database: Database) -> Iterator[Rehearsal]:
    """Yield a rehearsal on a connection of its own, rolled back at the end."""
    with database.engine.connect() as connection:
        try:
            rehearsal = Rehearsal(connection, database.settings)
            if rehearsal.is_clustered:
                # Queries over all shards: every further connection would have to repeat each savepoint.
                connection.execute(text("SET LOCAL citus.max_adaptive_executor_pool_size = 1"))
            yield rehearsal
        finally:
            connection.rollback()
