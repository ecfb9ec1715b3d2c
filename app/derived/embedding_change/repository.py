"""Queries of a change of the embedding model: rows to embed, rows without vectors, vectors to delete."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from app.db.session import SpaceSession
from app.ids import LOWEST_ID

ROWS_PER_QUERY = 1_000
"""Number of rows examined by one query; the missing vectors are computed together."""
MAX_ROWS_PER_DELETE = 5_000
ROW_KINDS = ("chunk", "node", "fact")
"""Kinds of rows with vectors, in processing order: a fact contains the names of its nodes."""

_ROWS_TO_EMBED_STATEMENTS = {
    "chunk": "derived.embedding_change.chunks_to_embed",
    "node": "derived.embedding_change.nodes_to_embed",
    "fact": "derived.embedding_change.facts_to_embed",
}
_DROP_VECTORS_STATEMENTS = {
    "chunk": "derived.embedding_change.drop_chunk_vectors",
    "node": "derived.embedding_change.drop_node_vectors",
    "fact": "derived.embedding_change.drop_fact_vectors",
}


@dataclass(frozen=True, slots=True)
class RowBatch:
    """Some rows, by id: `last_id` is the last one examined, `ids_and_texts` are those (id, text) without a
    vector in the set.
    """

    last_id: UUID
    ids_and_texts: tuple[tuple[UUID, str], ...]


@dataclass(frozen=True, slots=True)
class SizesToEmbed:
    """The amount that a space has to embed: rows, tokens of its chunks, and claims with different texts."""

    chunks: int
    chunk_tokens: int
    nodes: int
    facts: int
    claims: int


def list_next_rows_to_embed(
    space: SpaceSession, kind: str, *, after: UUID, vector_set: int
) -> RowBatch | None:
    """Return the next rows of that kind after the id `after`; None after the last."""
    rows = space.run(
        _ROWS_TO_EMBED_STATEMENTS[kind], {"after": after, "into_set": vector_set, "limit": ROWS_PER_QUERY}
    )
    if not rows:
        return None
    return RowBatch(rows[0][0], tuple((row[1], row[2]) for row in rows if row[1] is not None))


def count_rows_lost_by_change(
    space: SpaceSession, *, vector_set: int, excluded_ids: Sequence[UUID], bound: int
) -> int:
    """Return the number of rows with a current vector but none in that set.

    Rows in `excluded_ids` do not count. At most `bound` rows of each kind are counted.
    """
    parameters = {"into_set": vector_set, "without": list(excluded_ids), "bound": bound}
    return int(space.run("derived.embedding_change.count_rows_lost_by_change", parameters)[0][0])


class VectorKey(NamedTuple):
    """The row and the set of a vector."""

    row_id: UUID
    vector_set: int


FIRST_VECTOR_KEY = VectorKey(LOWEST_ID, -1)
"""A key before those of all vectors."""


class DeletedVectors(NamedTuple):
    """The last vector that a deletion examined, and the number of vectors that it deleted."""

    last_key: VectorKey
    deleted_count: int


def delete_vectors_batch(
    space: SpaceSession, kind: str, *, after: VectorKey, kept_sets: Sequence[int]
) -> DeletedVectors | None:
    """Delete the next vectors of that kind that are in none of the sets `kept_sets`; None after the last."""
    rows = space.run(
        _DROP_VECTORS_STATEMENTS[kind],
        {
            "after": after.row_id,
            "after_set": after.vector_set,
            "keep": list(kept_sets),
            "limit": MAX_ROWS_PER_DELETE,
        },
    )
    if not rows:
        return None
    row_id, vector_set, deleted_count = rows[0]
    return DeletedVectors(VectorKey(row_id, vector_set), int(deleted_count))


def measure_sizes_to_embed(space: SpaceSession) -> SizesToEmbed:
    """Return the amount that the space has to embed."""
    return SizesToEmbed(*map(int, space.run("derived.embedding_change.count_to_embed")[0]))


def sample_node_names(space: SpaceSession, *, limit: int) -> list[str]:
    """Return the names of some nodes."""
    return [row[0] for row in space.run("derived.embedding_change.sample_node_names", {"limit": limit})]
