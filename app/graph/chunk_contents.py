"""The graph data of chunks: the nodes that they mention, and the claims that rest only on them."""

from collections.abc import Sequence

from app.db.session import SpaceSession
from app.graph import input_checks, repository
from app.graph.shapes import MentionedNode, RestingClaim
from app.ids import ChunkId
from app.limits import PAGE


def list_nodes_mentioned_in_chunks(
    space: SpaceSession, chunk_ids: Sequence[ChunkId], *, limit: int = 2_000
) -> list[MentionedNode]:
    """Return the nodes that these chunks mention, each at its first position in a chunk, in text order."""
    input_checks.check_range("chunk_ids", len(chunk_ids), 0, PAGE.maximum)
    return repository.list_nodes_mentioned_in_chunks(space, chunk_ids, limit=limit) if chunk_ids else []


def list_claims_only_in_chunks(
    space: SpaceSession, chunk_ids: Sequence[ChunkId], *, limit: int = 200
) -> list[RestingClaim]:
    """Return the current claims that rest only on these chunks, highest confidence first."""
    return repository.list_claims_only_in_chunks(space, chunk_ids, limit=limit) if chunk_ids else []
