"""The graph's share in chunks: the nodes that they name, and the claims that rest on them alone."""

from collections.abc import Sequence

from app.db.session import SpaceSession
from app.graph import checks, repository
from app.graph.shapes import MentionedNode, RestingClaim
from app.ids import ChunkId
from app.limits import PAGE


def mentions_in_chunks(
    space: SpaceSession, chunk_ids: Sequence[ChunkId], *, limit: int = 2_000
) -> list[MentionedNode]:
    """The nodes that these chunks name, each at the first place in its chunk, in the order of the text."""
    checks.check_range("chunk_ids", len(chunk_ids), 0, PAGE.most)
    return repository.mentions_in_chunks(space, chunk_ids, limit=limit) if chunk_ids else []


def claims_only_in_chunks(
    space: SpaceSession, chunk_ids: Sequence[ChunkId], *, limit: int = 200
) -> list[RestingClaim]:
    """The claims that hold now and rest on these chunks and on no other, the surest first."""
    return repository.claims_only_in_chunks(space, chunk_ids, limit=limit) if chunk_ids else []
