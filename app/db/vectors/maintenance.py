"""The maintenance of vectors: plan and apply the partitions and indexes of large spaces."""

import contextlib
from collections.abc import Callable
from uuid import UUID

import psycopg
from psycopg import sql

from app.db.connection_checks import refuse_pooled_connection
from app.db.database import Database
from app.db.engine import convert_to_conninfo, convert_to_psycopg_url
from app.db.roles import MIGRATOR
from app.db.vectors import moves, partitions
from app.db.vectors.indexes import build_vector_index, drop_index, read_vector_indexes
from app.db.vectors.partitions import Owner, read_partitions
from app.db.vectors.plan import Act, Partitions, SpaceVectors, Step, plan_steps
from app.db.vectors.tables import SEARCHED_TABLES
from app.errors import ConfigurationError, NotFound
from app.ids import SpaceId, TenantId

# Any constant that no other program uses for an advisory lock in the same database.
MAINTENANCE_LOCK_KEY = 7_205_519_002
MAX_ROUNDS = 3
"""Number of planning rounds: a move may leave work for the next one."""


def plan_vector_steps(database: Database, *, threshold: int) -> list[Step]:
    """Return the `plan` for the current state of this database; an empty one on a Citus cluster.

    Opens each space as the application does, so that it works on hosts where nobody may bypass row security.
    Of each space and table it counts at most `threshold` + 1 vectors.
    """
    spaces = []
    tables_by_space = read_partitions(database.engine)
    with database.open_platform() as platform:
        if platform.is_clustered:
            # There each space has its shard instead of partitions.
            return []
        tenant_ids = [row[0] for row in platform.connection.execute("SELECT id FROM tenant ORDER BY id")]
    for tenant_id in map(TenantId, tenant_ids):
        with database.open_tenant(tenant_id) as tenant:
            space_rows = tenant.connection.execute(
                "SELECT id, closed_at IS NOT NULL FROM knowledge_space WHERE tenant_id = %s ORDER BY id",
                [tenant_id],
            ).fetchall()
        for space_id, is_closed in space_rows:
            # A space that is deleted meanwhile is handled in the next round.
            with contextlib.suppress(NotFound):
                spaces.append(
                    _read_space_vectors(
                        database, tenant_id, SpaceId(space_id), is_closed, tables_by_space, threshold
                    )
                )
    # Read again, so that a new space with partitions is not taken for a deleted one.
    tables_by_space = {
        space: tables
        for space, tables in read_partitions(database.engine).items()
        if space in tables_by_space
    }
    return plan_steps(spaces, tables_by_space, read_vector_indexes(database.engine), threshold=threshold)


def _read_space_vectors(
    database: Database,
    tenant_id: TenantId,
    space_id: SpaceId,
    is_closed: bool,
    tables_by_space: Partitions,
    threshold: int,
) -> SpaceVectors:
    with database.open_space(tenant_id, space_id, may_be_closed=is_closed) as space:
        opening_state = space.opening_state
        dedicated_tables = tables_by_space.get(UUID(str(space_id)), frozenset())
        count_by_table = {
            table: moves.count_vectors(
                space, table, is_dedicated=opening_state.dedicated_vectors, bound=threshold + 1
            )
            for table in SEARCHED_TABLES
            if not is_closed and (table in dedicated_tables or not opening_state.dedicated_vectors)
        }
        return SpaceVectors(
            tenant_id,
            space_id,
            opening_state.vector_set,
            opening_state.embedding_dimensions,
            opening_state.dedicated_vectors,
            dict.fromkeys(SEARCHED_TABLES, 0) | count_by_table,
            is_partly_shared=opening_state.dedicated_vectors
            and not is_closed
            and moves.has_vectors_in_shared_tables(space),
            is_closed=is_closed,
        )


def maintain_vectors(
    database: Database,
    url: str,
    *,
    threshold: int,
    dry_run: bool = False,
    pooler: str = "auto",
    report_step: Callable[[Step], None] = lambda _step: None,
) -> list[Step]:
    """Take the steps of the plan, each concurrently with reads and writes; return them.

    `url` is the login of `citegraph migrate`; `report_step` is called before each step. With `dry_run` no
    step is taken. After a failure another run continues.

    Raises ConfigurationError if the login may not create tables and indexes, if one cannot be created
    (vectors of several lengths in one space), while another maintenance is running, or behind a pooler (see
    `refuse_pooled_connection`).
    """
    if dry_run:
        steps = plan_vector_steps(database, threshold=threshold)
        for step in steps:
            report_step(step)
        return steps
    finished_steps: list[Step] = []
    with psycopg.connect(convert_to_conninfo(convert_to_psycopg_url(url)), autocommit=True) as connection:
        refuse_pooled_connection(connection, pooler)
        # Do not wait: a waiter holds a snapshot, and building an index concurrently waits for snapshots.
        lock_row = connection.execute("SELECT pg_try_advisory_lock(%s)", [MAINTENANCE_LOCK_KEY]).fetchone()
        if lock_row != (True,):
            raise ConfigurationError("Another maintenance is at work on this database.")
        _set_owner_role(connection)
        for _ in range(MAX_ROUNDS):
            steps = plan_vector_steps(database, threshold=threshold)
            if not steps:
                break
            for step in steps:
                report_step(step)
                try:
                    _run_step(database, connection, step, threshold)
                except NotFound:
                    # Deleted meanwhile: its leftovers are handled in the next round.
                    continue
                except psycopg.DatabaseError as error:
                    reason = str(error).splitlines()[0]
                    raise ConfigurationError(f"Could not {step}. Postgres said: {reason}") from error
            finished_steps += steps
    return finished_steps


def _set_owner_role(connection: Owner) -> None:
    membership_row = connection.execute(
        "SELECT 1 FROM pg_roles WHERE rolname = %s AND pg_has_role(oid, 'MEMBER')", [MIGRATOR]
    ).fetchone()
    if membership_row:
        # A member of the owner; on a host without roles the login owns the tables itself.
        connection.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(MIGRATOR)))
    connection.execute("SET statement_timeout = 0")
    connection.execute("SET lock_timeout = 0")
    # Not in parallel: maintenance should leave cores to other work, and parallel builds need shared memory
    # that containers do not have by default.
    connection.execute("SET max_parallel_maintenance_workers = 0")


def _run_step(database: Database, connection: Owner, step: Step, threshold: int) -> None:
    space = step.space
    match step.act:
        case Act.DROP_INDEX:
            drop_index(connection, step.name)
        case Act.DROP_PARTITIONS if space is None:
            partitions.drop_partitions(connection, UUID(step.name))
        case _ if space is None:
            raise AssertionError(f"{step.act} without a space")
        case Act.DROP_PARTITIONS:
            moves.drop_partitions(database, connection, space)
        case Act.MAKE_INDEX:
            build_vector_index(
                connection,
                step.table,
                space.space_id,
                vector_set=space.vector_set,
                dimensions=space.dimensions,
            )
        case Act.MOVE:
            moves.move_vectors_to_partitions(database, connection, space, threshold=threshold)
        case Act.MOVE_BACK:
            moves.move_vectors_to_shared_tables(database, connection, space)
        case Act.CLEAR:
            moves.delete_vectors_in_shared_tables(database, connection, space)
