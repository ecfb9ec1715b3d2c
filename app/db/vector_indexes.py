"""Vector indexes of large spaces, each of its own (design.md section 5): which are wanted, and making it so.

Under row security a shared index answers before it filters: a small space would get almost nothing (fact
23). So small spaces are read whole, and a large one has indexes of its own, partial on its id.
"""

import contextlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import UUID

import psycopg
from psycopg import sql
from sqlalchemy import text

from app.db.engine import as_conninfo, as_psycopg, require_session
from app.db.roles import MIGRATOR
from app.db.session import Database, SpaceSession
from app.errors import ConfigurationError, NotFound
from app.ids import SpaceId, TenantId

PREFIXES = {"chunk_vector": "ix_chunk_vector_", "node_vector": "ix_node_vector_"}
"""What the index of one space is called, before its id in hexadecimal and its set, by the table it is on."""
# Any constant that no other program uses for an advisory lock in the same database.
MAINTENANCE_LOCK = 7_205_519_002
LEAST_MEMORY, MOST_MEMORY = 64, 2_048
"""Megabytes for one build. What does not fit is built on disk, many times slower."""
CARE = 200
"""Candidates that are weighed for the links of each row (pgvector: ef_construction, 64 by default). A build
takes two to three times as long, once; each search then needs less than half the candidates
(docs/benchmarks.md).
"""
LINKS = 24
"""Links of each row to its neighbours (pgvector: m, 16 by default). With more of them fewer candidates find
as much, in less time all in all, and no row is out of reach among 200,000; a build takes a third longer
(docs/benchmarks.md).
"""
DEFAULT_CARE, DEFAULT_LINKS = 64, 16
"""What pgvector takes where an index says nothing."""
LINK_BYTES, ROW_BYTES = 16, 200
"""What a link and a row take beside the vector while an index is made; each row has twice as many as
LINKS.
"""

_FOUND = """
SELECT t.relname::text, c.relname::text, i.indisvalid AND i.indisready, pg_get_indexdef(i.indexrelid)
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
WHERE t.relnamespace = 'public'::regnamespace AND t.relname = ANY(:tables) ORDER BY c.relname
"""


@dataclass(frozen=True, slots=True)
class Vectors:
    """The vectors of one space in one table that it compares with; `rows` are counted up to one past the
    threshold.
    """

    table: str
    space_id: UUID
    vector_set: int
    dimensions: int
    rows: int

    @property
    def index(self) -> str:
        """The name of the index that they have, or would have."""
        return index_name(self.table, self.space_id, self.vector_set)


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """A vector index as the catalogue has it; `dimensions` is None where it is not one of ours.

    `care` and `links` are what it was built with (`CARE`, `LINKS`).
    """

    name: str
    usable: bool
    dimensions: int | None
    care: int = CARE
    links: int = LINKS


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to do: make the index of that name over `vectors`, or drop it; `why` is a clause for
    people.
    """

    name: str
    vectors: Vectors | None
    why: str

    def __str__(self) -> str:
        return f"{'drop' if self.vectors is None else 'make'} {self.name}: {self.why}"


def index_name(table: str, space_id: SpaceId | UUID, vector_set: int) -> str:
    """The name of the vector index on that table that belongs to this set of this space alone."""
    return f"{PREFIXES[table]}{UUID(str(space_id)).hex}_{vector_set}"


def is_own_index(name: str) -> bool:
    """Return whether an index of that name is one that this module makes."""
    return name.startswith(tuple(PREFIXES.values()))


def plan(large: Sequence[Vectors], found: Sequence[VectorIndex], *, threshold: int) -> list[Step]:
    """Plan the changes after which vectors of over `threshold` rows have a usable index, and no others.

    An index is kept until its rows are fewer than half of the threshold, so that none comes and goes.
    """
    named = {vectors.index: vectors for vectors in large}
    standing = set()
    steps = []
    for index in found:
        vectors = named.get(index.name)
        if vectors is None or vectors.rows * 2 < threshold:
            steps.append(
                Step(
                    index.name, None, "its space is gone, has become small or has changed its embedding model"
                )
            )
        elif not index.usable:
            steps.append(Step(index.name, None, "its build was broken off"))
        elif index.dimensions != vectors.dimensions:
            steps.append(Step(index.name, None, "its space has vectors of another length"))
        elif (index.care, index.links) != (CARE, LINKS):
            steps.append(Step(index.name, None, "it was built with other care than searches count on"))
        else:
            standing.add(index.name)
    for name, vectors in named.items():
        if vectors.rows > threshold and name not in standing:
            steps.append(Step(name, vectors, f"its space has more than {threshold:,} rows there"))
    return steps


def steps_wanted(database: Database, *, threshold: int) -> list[Step]:
    """`plan` for this database as it stands.

    Goes from space to space by the door, as the application may: also on hosts that let nobody bypass
    row security. Of each at most `threshold` entries of two keys are read.
    """
    large = []
    with database.open_platform() as platform:
        tenants = [row[0] for row in platform.connection.execute("SELECT id FROM tenant ORDER BY id")]
    for tenant_id in map(TenantId, tenants):
        with database.open_tenant(tenant_id) as tenant:
            spaces = tenant.connection.execute(
                "SELECT id, vector_set, embedding_dimensions FROM knowledge_space WHERE tenant_id = %s ORDER"
                " BY id",
                [tenant_id],
            ).fetchall()
        for space_id, vector_set, dimensions in spaces:
            # One that is deleted meanwhile has nothing to index.
            with contextlib.suppress(NotFound), database.open_space(tenant_id, SpaceId(space_id)) as space:
                large += [
                    Vectors(table, space_id, vector_set, dimensions, rows)
                    for table in PREFIXES
                    if (rows := _count(space, table, vector_set, threshold + 1)) * 2 >= threshold
                ]
    return plan(large, read_indexes(database), threshold=threshold)


def _count(space: SpaceSession, table: str, vector_set: int, bound: int) -> int:
    counted = space.connection.execute(
        sql.SQL(
            "SELECT count(*) FROM (SELECT 1 FROM {} WHERE knowledge_space_id = %s AND vector_set = %s LIMIT"
            " %s) AS bounded"
        ).format(sql.Identifier(table)),
        [space.space_id, vector_set, bound],
    ).fetchone()
    return int(counted[0]) if counted else 0


def read_indexes(database: Database) -> list[VectorIndex]:
    """The spaces' own vector indexes as the catalogue shows them to everybody, by name."""
    with database.engine.connect() as connection:
        rows = connection.execute(text(_FOUND), {"tables": list(PREFIXES)}).all()
    found = []
    for table, name, usable, definition in rows:
        if name.startswith(PREFIXES[table]):
            length = re.search(r"halfvec\((\d+)\)", definition)
            care = re.search(r"ef_construction='?(\d+)", definition)
            links = re.search(r"\bm='?(\d+)", definition)
            found.append(
                VectorIndex(
                    name,
                    usable,
                    int(length[1]) if length else None,
                    int(care[1]) if care else DEFAULT_CARE,
                    int(links[1]) if links else DEFAULT_LINKS,
                )
            )
    return found


def maintain(
    database: Database,
    url: str,
    *,
    threshold: int,
    dry_run: bool = False,
    pooler: str = "auto",
    tell: Callable[[Step], None] = lambda _step: None,
) -> list[Step]:
    """Make and drop indexes as `plan` says, each while others read and write; returns the steps.

    `url` is the login of `citegraph migrate`; `tell` hears of each step before it is taken. With
    `dry_run` none is taken. Run again after a failure it goes on where it stood.

    Raises ConfigurationError where the login may not make indexes, where one cannot be made (vectors
    of several lengths in one space), while another maintenance is at work, or behind a pooler (see
    `require_session`).
    """
    if dry_run:
        steps = steps_wanted(database, threshold=threshold)
        for step in steps:
            tell(step)
        return steps
    with psycopg.connect(as_conninfo(as_psycopg(url)), autocommit=True) as connection:
        require_session(connection, pooler)
        # Not waited for: who waits holds a snapshot, and an index made concurrently waits for snapshots.
        locked = connection.execute("SELECT pg_try_advisory_lock(%s)", [MAINTENANCE_LOCK]).fetchone()
        if locked != (True,):
            raise ConfigurationError("Another maintenance is at work on this database.")
        _act_as_owner(connection)
        steps = steps_wanted(database, threshold=threshold)
        for step in steps:
            tell(step)
            try:
                _take(connection, step)
            except psycopg.DatabaseError as error:
                reason = str(error).splitlines()[0]
                raise ConfigurationError(f"Could not {step}. Postgres said: {reason}") from error
    return steps


def _act_as_owner(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    member = connection.execute(
        "SELECT 1 FROM pg_roles WHERE rolname = %s AND pg_has_role(oid, 'MEMBER')", [MIGRATOR]
    ).fetchone()
    if member:
        # A member of the owner; on a host without roles the login owns the tables itself.
        connection.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(MIGRATOR)))
    connection.execute("SET statement_timeout = 0")
    connection.execute("SET lock_timeout = 0")
    # Not in parallel: maintenance shall leave cores to others, and parallel builds need shared memory that
    # containers do not have by default.
    connection.execute("SET max_parallel_maintenance_workers = 0")


def _take(connection: psycopg.Connection[tuple[object, ...]], step: Step) -> None:
    name = sql.Identifier(step.name)
    if step.vectors is None:
        connection.execute(sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS public.{}").format(name))
        return
    table = step.vectors.table
    counted = connection.execute(
        "SELECT reltuples::bigint FROM pg_class WHERE oid = %s::regclass", [f"public.{table}"]
    ).fetchone()
    # The table's own estimate, which other spaces are part of: a bound, and not taken unless needed.
    rows = max(int(str(counted[0])) if counted else 0, step.vectors.rows)
    megabytes = rows * (2 * step.vectors.dimensions + 2 * LINKS * LINK_BYTES + ROW_BYTES) // 1_000_000
    memory = min(max(megabytes, LEAST_MEMORY), MOST_MEMORY)
    connection.execute(f"SET maintenance_work_mem = '{memory}MB'".encode())
    connection.execute(
        sql.SQL(
            "CREATE INDEX CONCURRENTLY {} ON public.{}"
            " USING hnsw ((embedding::halfvec({})) halfvec_cosine_ops) WITH (m = {}, ef_construction = {})"
            " WHERE knowledge_space_id = {} AND vector_set = {}"
        ).format(
            name,
            sql.Identifier(table),
            sql.Literal(step.vectors.dimensions),
            sql.Literal(LINKS),
            sql.Literal(CARE),
            sql.Literal(str(step.vectors.space_id)),
            sql.Literal(step.vectors.vector_set),
        )
    )
