"""Contradicting claims: which values conflict, and a person's decision to end or restore a claim."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Request
from pydantic import Field

from app.api import cursors
from app.api.key_scopes import Writer
from app.api.paging import Paging, RequestedPage
from app.api.protocol.route import ApiRoute
from app.api.sessions import ReadableSpace, WritableSpace
from app.api.shapes import Body, Listing
from app.graph import service as graph
from app.graph.invalidation import service as invalidation
from app.graph.invalidation.shapes import ConflictCursor, InvalidationScope
from app.http.input_text import Id, Moment, SearchText, TypeName
from app.ids import EdgeId, NodeId
from app.limits import PAGE
from app.views.edges import (
    ConflictSetAnswer,
    DecisionAnswer,
    EdgeDetailAnswer,
    EndedByDateAnswer,
    LedgerRowAnswer,
)

router = APIRouter(prefix="/v1/spaces/{space_id}/graph", tags=["contradictions"], route_class=ApiRoute)


class InvalidateBody(Body):
    """Why the claim does not hold, and since when; the default is now."""

    reason: SearchText = Field(description="Kept with the decision; at most 1,000 bytes.")
    at: Moment | None = Field(None, description="Since when it does not hold; the default is now.")
    scope: InvalidationScope = Field(
        InvalidationScope.CLAIM,
        strict=False,
        description="The claim with every row that states it, or this edge alone.",
    )


class UpholdBody(Body):
    """Why this value holds, and since when the others do not; the default is now."""

    reason: SearchText = Field(description="Kept with the decision; at most 1,000 bytes.")
    at: Moment | None = Field(None, description="Since when the others do not hold; the default is now.")


@router.get("/conflicts")
def list_conflicts(
    space: ReadableSpace,
    page: RequestedPage,
    relation_type: Annotated[TypeName | None, Query()] = None,
    contested: Annotated[bool, Query(description="Only nodes for which several values hold.")] = False,
) -> Listing[ConflictSetAnswer]:
    """List nodes with several values of a relation that the space declares single-valued, and the status of
    each value.
    """
    scope = ("conflicts", space.space_id, relation_type, contested)
    position = page.decode_position(scope)
    conflicts = invalidation.list_conflicts(
        space,
        relation_type=relation_type,
        only_contested=contested,
        after=None if position is None else ConflictCursor(str(position[0]), NodeId(UUID(position[1]))),
        limit=page.fetch_limit,
    )
    return page.build_page_with_next_cursor(
        conflicts,
        ConflictSetAnswer.model_validate,
        lambda conflict: [conflict.cursor.relation_type, str(conflict.cursor.from_node_id)],
        scope,
    )


@router.post("/conflicts/end-by-date")
def end_conflicts_by_date(
    request: Request,
    space: WritableSpace,
    limit: Annotated[int, Query(ge=1, le=PAGE.maximum, description="Conflict sets to process.")] = 50,
    after: Annotated[
        str | None, Query(max_length=512, description="`next_after` of the previous call.")
    ] = None,
) -> EndedByDateAnswer:
    """End the claims that a later source contradicts, in one page of conflict sets. 409 superseding_off.

    Use it for relations that were declared single-valued after their edges were written; otherwise ingest
    does it. Repeat the call with `next_after` until that is null.
    """
    page = Paging(request.app.state.cursor_secret, limit, after)
    scope = ("end by date", space.space_id)
    position = page.decode_position(scope)
    ended_count, next_position = invalidation.end_conflicts_by_date(
        space,
        after=None if position is None else ConflictCursor(str(position[0]), NodeId(UUID(position[1]))),
        limit=page.limit,
    )
    cursor = (
        None
        if next_position is None
        else cursors.encode_cursor(
            page.secret, scope, [next_position.relation_type, str(next_position.from_node_id)]
        )
    )
    return EndedByDateAnswer(ended=ended_count, next_after=cursor)


@router.get("/invalidations")
def list_invalidations(
    space: ReadableSpace,
    page: RequestedPage,
    only_in_force: Annotated[
        bool, Query(alias="in_force", description="Whether to leave out decisions that were undone.")
    ] = True,
) -> Listing[LedgerRowAnswer]:
    """List the ledger of ended claims: why, since when and by whom; newest first."""
    scope = ("invalidations", space.space_id, only_in_force)
    rows = invalidation.list_endings(
        space, only_in_force=only_in_force, after=page.decode_id(scope), limit=page.fetch_limit
    )
    return page.build_page_with_next_cursor(
        rows, LedgerRowAnswer.model_validate, lambda row: [str(row.id)], scope
    )


@router.get("/edges/{edge_id}")
def read_edge(space: ReadableSpace, edge_id: Id) -> EdgeDetailAnswer:
    """Return the edge, also if it has ended, with the decisions about it. 404."""
    edge, history = invalidation.get_edge_with_ledger(space, EdgeId(edge_id))
    extraction = graph.get_extractors_of_edges(space, [edge.id]).get(edge.id)
    return EdgeDetailAnswer.from_value(edge, extraction=extraction, history=history)


@router.post("/edges/{edge_id}/invalidate")
def invalidate_edge(
    space: WritableSpace, caller: Writer, edge_id: Id, body: InvalidateBody
) -> DecisionAnswer:
    """End the claim that this edge states; edges that had already ended are unchanged. 404, 409
    already_invalidated.
    """
    decisions = invalidation.end_claim_by_person(
        space, EdgeId(edge_id), reason=body.reason, actor=caller.actor, ended_at=body.at, scope=body.scope
    )
    return DecisionAnswer.model_validate({"items": decisions})


@router.post("/edges/{edge_id}/restore")
def restore_edge(space: WritableSpace, caller: Writer, edge_id: Id) -> DecisionAnswer:
    """Undo the decision that ended this edge, for all edges that it ended and no others. 404, 409
    not_invalidated.
    """
    undone_decisions = invalidation.undo_ending_decision(space, EdgeId(edge_id), actor=caller.actor)
    return DecisionAnswer.model_validate({"items": undone_decisions})


@router.post("/edges/{edge_id}/uphold")
def uphold_edge(space: WritableSpace, caller: Writer, edge_id: Id, body: UpholdBody) -> DecisionAnswer:
    """Decide that this value of a single-valued relation holds: one decision ends all other values.

    404, 409 not_single_valued, is_denial, nothing_to_decide.
    """
    decisions = invalidation.uphold_value_and_end_others(
        space, EdgeId(edge_id), reason=body.reason, actor=caller.actor, ended_at=body.at
    )
    return DecisionAnswer.model_validate({"items": decisions})
