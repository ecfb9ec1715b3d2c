"""Summaries of nodes: refreshing them on demand, and the decisions of their gate for review (requirement
6.2).
"""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from app.api.paging import RequestedPage
from app.api.protocol.route import ApiRoute
from app.api.sessions import ReadableSpace, WritableSpace
from app.api.shapes import Listing
from app.derived.summaries import scheduling
from app.derived.summaries import service as summaries
from app.ids import NodeId
from app.limits import PAGE
from app.views.jobs import JobAnswer
from app.views.summaries import GateReportAnswer, NodeSummaryAnswer, WaitingSummaryAnswer

router = APIRouter(prefix="/v1/spaces/{space_id}/graph/summaries", tags=["summaries"], route_class=ApiRoute)


@router.get("")
def list_summaries(space: ReadableSpace, page: RequestedPage) -> Listing[NodeSummaryAnswer]:
    """List the summaries of the space, those of the most mentioned nodes first."""
    scope = ("summaries", space.space_id)
    position = page.decode_position(scope)
    rows = summaries.list_summaries(
        space,
        after=None if position is None else (int(position[0]), NodeId(UUID(position[1]))),
        limit=page.fetch_limit,
    )
    return page.build_page_with_next_cursor(
        rows, NodeSummaryAnswer.from_node_summary, lambda row: [row.mention_count, str(row.node_id)], scope
    )


@router.get("/waiting")
def list_waiting_summaries(
    space: ReadableSpace,
    limit: Annotated[int, Query(ge=1, le=PAGE.maximum, description="Summaries to show.")] = 50,
) -> list[WaitingSummaryAnswer]:
    """List the summaries that were postponed by a burst of changes, the next one due first."""
    deferred_summaries = summaries.list_deferred_summaries(space, limit=limit)
    return [WaitingSummaryAnswer.from_node_summary(waiting_summary) for waiting_summary in deferred_summaries]


@router.get("/gate")
def read_gate(
    space: ReadableSpace,
    skips: Annotated[int, Query(ge=0, le=PAGE.maximum, description="Skips to show, the newest first.")] = 50,
) -> GateReportAnswer:
    """Count the gate's decisions by reason, and show a sample of its skips."""
    return GateReportAnswer.model_validate(summaries.build_gate_report(space, max_skips=skips))


@router.post("/refresh", status_code=202)
def refresh_summaries(space: WritableSpace) -> JobAnswer:
    """Have the gate check every node now; return the job. As always, what did not change costs nothing."""
    return JobAnswer.model_validate(scheduling.enqueue_or_hasten_gate_evaluation_of_all_nodes(space))
