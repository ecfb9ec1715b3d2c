"""Vector indexes of large spaces, one for each space (docs/scaling.md): their names, creating and dropping.

The parameters of a search are in `app/retrieval/sql/nearest_*_indexed.sql`.

Under row security a shared index returns candidates before they are filtered: a small space would get almost
none (fact 23). So small spaces are scanned, and a large one has indexes on partitions of its own.
"""

from dataclasses import dataclass
from uuid import UUID

import psycopg
from psycopg import sql
from sqlalchemy import Engine, text

from app.db.vectors.partitions import Owner
from app.db.vectors.tables import SEARCHED_TABLES, build_partition_name
from app.ids import SpaceId

PREFIXES = {table: f"ix_{table}_" for table in SEARCHED_TABLES}
"""By table, the prefix of an index's name, which is followed by the space's id in hexadecimal and its set."""
MIN_MEMORY, MAX_MEMORY = 64, 2_048
"""Megabytes of memory for one build. A larger index is built on disk, many times slower."""
EF_CONSTRUCTION = 200
"""Candidates considered for the links of each row (pgvector: ef_construction, 64 by default). A build
takes two to three times as long, once; each search then needs less than half the candidates
(docs/benchmarks.md).
"""
MAX_LINKS = 24
"""Links of each row to its neighbours (pgvector: m, 16 by default). With more of them fewer candidates find
as much, in less time all in all, and no row is out of reach among 200,000; a build takes a third longer
(docs/benchmarks.md).
"""
DEFAULT_EF_CONSTRUCTION, DEFAULT_MAX_LINKS = 64, 16
"""pgvector's defaults."""
LINK_BYTES, ROW_BYTES = 16, 200
"""Bytes of a link and of a row besides its vector during a build; a row has up to twice MAX_LINKS links."""
# Columns alone: pg_get_indexdef fails where another session drops the table between snapshot and call.
_INDEX_QUERY = """
SELECT c.relname::text, i.indisvalid AND i.indisready, t.typname = 'halfvec' AND k.atttypmod > 0, k.atttypmod,
       c.reloptions
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam
JOIN pg_attribute k ON k.attrelid = c.oid AND k.attnum = 1 JOIN pg_type t ON t.oid = k.atttypid
WHERE c.relnamespace = 'public'::regnamespace AND a.amname = 'hnsw' ORDER BY c.relname
"""


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """A vector index as the catalogue describes it; `dimensions` is None if it is not one of ours.

    `ef_construction` and `links` are its build parameters (`EF_CONSTRUCTION`, `MAX_LINKS`).
    """

    name: str
    is_usable: bool
    dimensions: int | None
    ef_construction: int = EF_CONSTRUCTION
    links: int = MAX_LINKS

    def can_search_dimensions(self, dimensions: int) -> bool:
        """Return whether searches of vectors of that length can use it."""
        is_built_as_planned = (self.ef_construction, self.links) == (EF_CONSTRUCTION, MAX_LINKS)
        return self.is_usable and is_built_as_planned and self.dimensions == dimensions


def build_index_name(table: str, space_id: SpaceId | UUID, vector_set: int, *, is_dedicated: bool) -> str:
    """Return the name of the vector index of this set of this space.

    Its name on the shared table (of versions before partitions) differs from that on a partition.
    """
    return f"{PREFIXES[table]}{UUID(str(space_id)).hex}_{'hnsw_' if is_dedicated else ''}{vector_set}"


def is_vector_index_name(name: str) -> bool:
    """Return whether this module creates indexes of that name."""
    return name.startswith(tuple(PREFIXES.values()))


def read_vector_indexes(engine: Engine) -> list[VectorIndex]:
    """Return the spaces' own vector indexes by name; any role may read them in the catalogue."""
    with engine.connect() as connection:
        rows = connection.execute(text(_INDEX_QUERY)).all()
    indexes = []
    for name, is_usable, is_ours, dimensions, options in rows:
        if is_vector_index_name(name):
            parameters = dict(option.split("=", 1) for option in options or ())
            indexes.append(
                VectorIndex(
                    name,
                    is_usable,
                    dimensions if is_ours else None,
                    int(parameters.get("ef_construction", DEFAULT_EF_CONSTRUCTION)),
                    int(parameters.get("m", DEFAULT_MAX_LINKS)),
                )
            )
    return indexes


def drop_index(connection: Owner, name: str) -> None:
    """Drop the index concurrently with reads and writes."""
    connection.execute(sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS public.{}").format(sql.Identifier(name)))


def build_vector_index(
    connection: psycopg.Connection[tuple[object, ...]],
    table: str,
    space_id: UUID,
    *,
    vector_set: int,
    dimensions: int,
) -> None:
    """Build the index of one vector set in the space's own partition, concurrently with reads and writes."""
    name, partition = (
        build_index_name(table, space_id, vector_set, is_dedicated=True),
        build_partition_name(table, space_id),
    )
    count_row = connection.execute(
        "SELECT reltuples::bigint FROM pg_class WHERE oid = %s::regclass", [f"public.{partition}"]
    ).fetchone()
    rows = int(str(count_row[0])) if count_row else 0
    megabytes = rows * (2 * dimensions + 2 * MAX_LINKS * LINK_BYTES + ROW_BYTES) // 1_000_000
    memory = min(max(megabytes, MIN_MEMORY), MAX_MEMORY)
    connection.execute(f"SET maintenance_work_mem = '{memory}MB'".encode())
    connection.execute(
        sql.SQL(
            "CREATE INDEX CONCURRENTLY {} ON public.{}"
            " USING hnsw ((embedding::halfvec({})) halfvec_cosine_ops) WITH (m = {}, ef_construction = {})"
            " WHERE vector_set = {}"
        ).format(
            sql.Identifier(name),
            sql.Identifier(partition),
            sql.Literal(dimensions),
            sql.Literal(MAX_LINKS),
            sql.Literal(EF_CONSTRUCTION),
            sql.Literal(vector_set),
        )
    )
