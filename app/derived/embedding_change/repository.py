"""Queries of a change of the embedding model: rows to embed, rows without vectors, vectors to delete."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from app.db.session import SpaceSession

ROWS_PER_QUERY = 1_000
"""Number of rows examined by one query; the missing vectors are computed together."""
MAX_ROWS_PER_DELETE = 5_000
NOWHERE = UUID(int=0)
KINDS = ("chunk", "node", "fact")
"""Kinds of rows with vectors, in processing order: a fact contains the names of its nodes."""

_TO_EMBED = {
    "chunk": "derived.embedding_change.chunks_to_embed",
    "node": "derived.embedding_change.nodes_to_embed",
    "fact": "derived.embedding_change.facts_to_embed",
}
_DROP_VECTORS = {
    "chunk": "derived.embedding_change.drop_chunk_vectors",
    "node": "derived.embedding_change.drop_node_vectors",
    "fact": "derived.embedding_change.drop_fact_vectors",
}


@dataclass(frozen=True, slots=True)
class Part:
    """Some rows, by id: `last_id` is the last one examined, `texts` are those (id, text) without a vector in
    the set.
    """

    last_id: UUID
    texts: tuple[tuple[UUID, str], ...]


@dataclass(frozen=True, slots=True)
class Sizes:
    """The amount that a space has to embed: rows, tokens of its chunks, and claims with different texts."""

    chunks: int
    chunk_tokens: int
    nodes: int
    facts: int
    claims: int


def list_next_rows_to_embed(space: SpaceSession, kind: str, *, after: UUID, into_set: int) -> Part | None:
    """Return the next rows of that kind after the id `after`; None after the last."""
    rows = space.run(_TO_EMBED[kind], {"after": after, "into_set": into_set, "limit": ROWS_PER_QUERY})
    if not rows:
        return None
    return Part(rows[0][0], tuple((row[1], row[2]) for row in rows if row[1] is not None))


def count_rows_lost_by_change(
    space: SpaceSession, *, into_set: int, excluded_ids: Sequence[UUID], bound: int
) -> int:
    """Return the number of rows with a current vector but none in that set.

    Rows in `excluded_ids` do not count. At most `bound` rows of each kind are counted.
    """
    parameters = {"into_set": into_set, "without": list(excluded_ids), "bound": bound}
    return int(space.run("derived.embedding_change.count_rows_lost_by_change", parameters)[0][0])


def delete_vectors_batch(
    space: SpaceSession, kind: str, *, after: tuple[UUID, int], kept_sets: Sequence[int]
) -> tuple[tuple[UUID, int], int] | None:
    """Delete the next vectors of that kind that are in none of the sets `kept_sets`.

    Returns the last key examined and the number deleted; None after the last.
    """
    rows = space.run(
        _DROP_VECTORS[kind],
        {"after": after[0], "after_set": after[1], "keep": list(kept_sets), "limit": MAX_ROWS_PER_DELETE},
    )
    return ((rows[0][0], rows[0][1]), int(rows[0][2])) if rows else None


def measure_sizes_to_embed(space: SpaceSession) -> Sizes:
    """Return the amount that the space has to embed."""
    return Sizes(*map(int, space.run("derived.embedding_change.count_to_embed")[0]))


def sample_node_names(space: SpaceSession, *, limit: int) -> list[str]:
    """Return the names of some nodes."""
    return [row[0] for row in space.run("derived.embedding_change.names_to_embed", {"limit": limit})]
