"""The tables of a space's vectors: the shared ones of small spaces, or a large space's own partitions.

Statements name the shared tables. The door replaces them with the names of a large space's partitions, so
that neither planning nor locking grows with the number of spaces (docs/decisions/0062).
"""

import enum
import re
from functools import lru_cache
from typing import Any
from uuid import UUID

import psycopg

from app.ids import SpaceId, TenantId

KEYS = {"chunk_vector": "chunk_id", "node_vector": "node_id", "fact_vector": "edge_id"}
"""The shared tables of vectors, each with the column that names the owner of a vector."""
SEARCHED_TABLES = ("chunk_vector", "node_vector")
"""The tables that are searched for nearest neighbours; vectors of facts are only looked up."""
_VECTOR_TABLE_NAME = re.compile(rb"\b(?:chunk|node|fact)_vector\b")
_WRITE_STATEMENT = re.compile(
    rb"\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM)\s+(?:public\.)?(?:chunk|node|fact)_vector\b"
)
# Two statements, so that the second one reads the state after the lock was taken.
_LOCK = """
SELECT pg_advisory_xact_lock_shared(hashtextextended('vectors{space}', 0));
SELECT dedicated_vectors FROM knowledge_space WHERE tenant_id = '{tenant}' AND id = '{space}'
"""


class Use(enum.Enum):
    """A statement's use of the tables of vectors."""

    NONE = enum.auto()
    READ = enum.auto()
    WRITTEN = enum.auto()


def build_partition_name(table: str, space_id: SpaceId | UUID) -> str:
    """Return the name of the space's own partition that replaces that shared table."""
    return f"{table}_{UUID(str(space_id)).hex}"


@lru_cache(maxsize=1_000)
def classify_vector_table_use(statement_bytes: bytes) -> Use:
    """Return the statement's use of the tables of vectors."""
    if _VECTOR_TABLE_NAME.search(statement_bytes) is None:
        return Use.NONE
    return Use.WRITTEN if _WRITE_STATEMENT.search(statement_bytes) else Use.READ


def replace_tables_by_partitions(statement_bytes: bytes, space_id: SpaceId) -> bytes:
    """Return the statement with the shared tables replaced by the space's own partitions."""
    if classify_vector_table_use(statement_bytes) is Use.NONE:
        return statement_bytes
    return _VECTOR_TABLE_NAME.sub(rb"\g<0>_" + UUID(str(space_id)).hex.encode(), statement_bytes)


def lock_vector_tables_and_check_dedicated(
    connection: psycopg.Connection[Any], tenant_id: TenantId, space_id: SpaceId
) -> bool:
    """Prevent a move of the space's vectors to other tables until the transaction ends.

    Returns whether it uses partitions of its own. Waits for a move that is just ending; raises psycopg's
    LockNotAvailable after the session's lock time-out.
    """
    lock_query = _LOCK.format(space=UUID(str(space_id)), tenant=UUID(str(tenant_id)))
    cursor = connection.execute(lock_query.encode(), prepare=False)
    cursor.nextset()
    row = cursor.fetchone()
    return row is not None and bool(row[0])
