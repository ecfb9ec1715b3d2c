"""The tables that hold a space's vectors: those that small spaces share, or partitions of a large one's own.

Statements name the shared tables. The door puts the names of a large space's partitions in their place, so
that neither planning nor a lock of anybody's goes by the number of spaces (docs/decisions/0062).
"""

import enum
import re
from functools import lru_cache
from typing import Any
from uuid import UUID

import psycopg

from app.ids import SpaceId, TenantId

KEYS = {"chunk_vector": "chunk_id", "node_vector": "node_id", "fact_vector": "edge_id"}
"""The shared tables of vectors, each with the column that says whose vector a row is."""
SEARCHED = ("chunk_vector", "node_vector")
"""Those that are searched for what is near; facts are only looked up."""
_NAMED = re.compile(rb"\b(?:chunk|node|fact)_vector\b")
_WRITTEN = re.compile(
    rb"\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM)\s+(?:public\.)?(?:chunk|node|fact)_vector\b"
)
# Two statements: what is read must be as the lock found it.
_LOCK = """
SELECT pg_advisory_xact_lock_shared(hashtextextended('vectors{space}', 0));
SELECT dedicated_vectors FROM knowledge_space WHERE tenant_id = '{tenant}' AND id = '{space}'
"""


class Use(enum.Enum):
    """How a statement uses the tables of vectors."""

    NONE = enum.auto()
    READ = enum.auto()
    WRITTEN = enum.auto()


def partition_name(table: str, space_id: SpaceId | UUID) -> str:
    """The name of the space's own partition for the vectors that small spaces have in that table."""
    return f"{table}_{UUID(str(space_id)).hex}"


@lru_cache(maxsize=1_000)
def classify_use(sent: bytes) -> Use:
    """How the statement uses the tables of vectors."""
    if _NAMED.search(sent) is None:
        return Use.NONE
    return Use.WRITTEN if _WRITTEN.search(sent) else Use.READ


def use_partitions(sent: bytes, space_id: SpaceId) -> bytes:
    """The statement with the space's own partitions in the place of the shared tables."""
    if classify_use(sent) is Use.NONE:
        return sent
    return _NAMED.sub(rb"\g<0>_" + UUID(str(space_id)).hex.encode(), sent)


def lock_tables(connection: psycopg.Connection[Any], tenant_id: TenantId, space_id: SpaceId) -> bool:
    """Keep the space's vectors in the tables where they are until the transaction ends.

    Returns whether those are partitions of its own. Waits for a move of the space that is at its end; raises
    psycopg's LockNotAvailable after the time that the session waits for a lock.
    """
    sent = _LOCK.format(space=UUID(str(space_id)), tenant=UUID(str(tenant_id)))
    cursor = connection.execute(sent.encode(), prepare=False)
    cursor.nextset()
    row = cursor.fetchone()
    return row is not None and bool(row[0])
