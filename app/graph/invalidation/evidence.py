"""Claims whose evidence went or came back; every call runs under the graph's lock (requirement 2.3)."""

from collections.abc import Collection, Mapping, Sequence

from app.db.session import SpaceSession
from app.graph.invalidation import repository as invalidation_repository
from app.graph.invalidation import superseding
from app.graph.invalidation.shapes import EndedBy, Ending
from app.ids import ChunkId, DocumentId, EdgeId

REASON = "source_replaced"
"""Why a claim ended whose document says something else by now."""


def evidence_gone(space: SpaceSession, edge_ids: Collection[EdgeId]) -> None:
    """Take back what these edges ended, which were deleted or state nothing any more; another may end it."""
    claims = superseding.lift_of(space, edge_ids)
    if claims:
        superseding.end_contradicted(space, claims, ending=claims)
    # What they denied is denied no more.
    superseding.end_without(space, edge_ids)


def trust_changed(space: SpaceSession, chunk_ids: Sequence[ChunkId], *, factor: float) -> None:
    """Weigh the edges of these chunks by so much more or less trust, and work out anew what they end and what
    ends them.
    """
    invalidation_repository.reweigh_edges(space, chunk_ids, factor=factor)
    claims = invalidation_repository.claims_of_passages(space, chunk_ids)
    superseding.end_contradicted(space, claims, ending={claim for claim, ends in claims.items() if ends})


def source_replaced(space: SpaceSession, edges: Mapping[EdgeId, DocumentId]) -> None:
    """End these edges, which only the former text of their documents stated, and take back what they ended.

    A person's decision stands; a later source's gives way, as it may be taken back while the text is gone.
    """
    if not edges:
        return
    ids = sorted(edges)
    by_source = invalidation_repository.standing_endings(space, ids, EndedBy.SOURCE)
    if by_source:
        invalidation_repository.lift_endings(
            space, by_source, undone_by=superseding.RULES, undone_kind=EndedBy.REPLACED
        )
    now = invalidation_repository.time_now(space)
    invalidation_repository.end_edges(
        space,
        [Ending(edge_id, now, document_id=edges[edge_id]) for edge_id in ids],
        kind=EndedBy.REPLACED,
        decided_by=superseding.RULES,
        reason=REASON,
    )
    invalidation_repository.note_replaced(space, edges)
    evidence_gone(space, ids)


def evidence_returned(space: SpaceSession, edge_ids: Sequence[EdgeId]) -> None:
    """Let edges hold again whose text came back, as far as nothing but its absence ended them."""
    entries = invalidation_repository.standing_endings(space, edge_ids, EndedBy.REPLACED)
    if entries:
        lifted = invalidation_repository.lift_endings(
            space, entries, undone_by=superseding.RULES, undone_kind=EndedBy.REPLACED
        )
        claims = {claim for _, claim in lifted}
        superseding.end_contradicted(space, claims, ending=claims)
