"""Claims whose evidence was removed or returned; every call runs under the graph's lock (requirement 2.3)."""

from collections.abc import Collection, Mapping, Sequence

from app.db.session import SpaceSession
from app.graph.invalidation import repository as invalidation_repository
from app.graph.invalidation import superseding
from app.graph.invalidation.shapes import EndedBy, Ending, PersonDecision
from app.ids import ChunkId, DocumentId, EdgeId

REPLACED_REASON = "source_replaced"
"""The reason of an ending because the document's new text no longer states the claim."""
READ_OTHERWISE_REASON = "read_otherwise"
"""The reason of an ending because another reader, or other settings, did not extract the claim again."""


def undo_and_recompute_endings_caused_by_edges(space: SpaceSession, edge_ids: Collection[EdgeId]) -> None:
    """Undo the endings caused by these edges, which were deleted or state nothing any more.

    Another edge may then end the claims.
    """
    claims = superseding.undo_endings_and_list_claims_to_recompute(space, edge_ids)
    if claims:
        superseding.recompute_endings_after_writes_and_count_ended(space, claims, denied_or_ended=claims)
    # They no longer deny anything.
    superseding.recompute_endings_after_lost_evidence(space, edge_ids)


def multiply_edge_weights_and_recompute_endings(
    space: SpaceSession, chunk_ids: Sequence[ChunkId], *, weight_factor: float
) -> None:
    """Multiply the weights of these chunks' edges after a change of trust.

    Recomputes the endings that these edges cause, and the endings of their own claims.
    """
    invalidation_repository.multiply_edge_weights(space, chunk_ids, factor=weight_factor)
    claims = invalidation_repository.list_claims_of_chunks(space, chunk_ids)
    superseding.recompute_endings_after_writes_and_count_ended(
        space, claims.claim_keys, denied_or_ended=claims.denied_or_ended
    )


def end_edges_of_replaced_text(
    space: SpaceSession, document_by_edge_id: Mapping[EdgeId, DocumentId], *, reason: str = REPLACED_REASON
) -> None:
    """End these edges, which only a former text or reader of their documents stated; undo what they ended.

    A person's decision stays. An ending by a later source is replaced, because that source may be withdrawn
    while the text is gone.
    """
    if not document_by_edge_id:
        return
    edge_ids = sorted(document_by_edge_id)
    source_ending_ids = invalidation_repository.list_ids_of_active_endings(space, edge_ids, EndedBy.SOURCE)
    if source_ending_ids:
        invalidation_repository.undo_endings_and_list_restored_edges(
            space, source_ending_ids, undone_by=superseding.RULES_ACTOR, undone_kind=EndedBy.REPLACED
        )
    invalidation_repository.end_edges_and_list_newly_ended(
        space,
        [
            Ending(edge_id, space.transaction_time, document_id=document_by_edge_id[edge_id])
            for edge_id in edge_ids
        ],
        kind=EndedBy.REPLACED,
        decided_by=superseding.RULES_ACTOR,
        reason=reason,
    )
    invalidation_repository.record_replaced_documents(space, document_by_edge_id)
    undo_and_recompute_endings_caused_by_edges(space, edge_ids)


def restore_edges_of_returned_text(space: SpaceSession, edge_ids: Sequence[EdgeId]) -> None:
    """Restore edges whose text returned, if only its absence had ended them."""
    ending_ids = invalidation_repository.list_ids_of_active_endings(space, edge_ids, EndedBy.REPLACED)
    if ending_ids:
        restored_edges = invalidation_repository.undo_endings_and_list_restored_edges(
            space, ending_ids, undone_by=superseding.RULES_ACTOR, undone_kind=EndedBy.REPLACED
        )
        claims = {restored_edge.claim_key for restored_edge in restored_edges}
        superseding.recompute_endings_after_writes_and_count_ended(space, claims, denied_or_ended=claims)


def end_edges_by_decision(space: SpaceSession, edge_ids: Sequence[EdgeId], decision: PersonDecision) -> None:
    """End these edges by a person's decision about other rows of their claims.

    Restoring one of the rows undoes the decision for all.
    """
    invalidation_repository.end_edges_and_list_newly_ended(
        space,
        [Ending(edge_id, decision.until) for edge_id in edge_ids],
        kind=EndedBy.PERSON,
        decided_by=decision.decided_by,
        reason=decision.reason,
        decision_id=decision.id,
    )
