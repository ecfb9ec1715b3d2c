"""Communities of a space's graph, level by level, with cited reports: what the space says as a whole."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, HTTPException, Query

from app.api.paging import RequestedPage
from app.api.protocol.route import ApiRoute
from app.api.sessions import ReadableSpace, WritableSpace
from app.api.shapes import Listing
from app.derived.communities import scheduling
from app.derived.communities import service as communities
from app.derived.communities.shapes import CommunityId
from app.http.input_text import Id
from app.views.communities import CommunityAnswer, CommunityDetailAnswer, CommunityRunAnswer, RunEventAnswer
from app.views.jobs import JobAnswer

router = APIRouter(
    prefix="/v1/spaces/{space_id}/graph/communities", tags=["communities"], route_class=ApiRoute
)


@router.get("")
def list_communities(
    space: ReadableSpace, page: RequestedPage, level: Annotated[int | None, Query(ge=0, le=10)] = None
) -> Listing[CommunityAnswer]:
    """List the communities of one level, or of all levels, coarsest and largest first."""
    scope = ("communities", space.space_id, level)
    position = page.decode_position(scope)
    last_key = None if position is None else (int(position[0]), int(position[1]), UUID(position[2]))
    rows = communities.list_communities(space, level=level, after=last_key, limit=page.fetch_limit)
    return page.build_page_with_next_cursor(
        rows,
        CommunityAnswer.model_validate,
        lambda row: [row.level, row.member_count, str(row.id)],
        scope,
    )


@router.get("/runs")
def list_runs(
    space: ReadableSpace,
    limit: Annotated[int, Query(ge=1, le=50, description="Runs to show; fifty are kept.")] = 20,
) -> list[CommunityRunAnswer]:
    """List the runs of the detection, the current one first, each with its changes."""
    return [
        CommunityRunAnswer.model_validate(run) for run in communities.list_community_runs(space, limit=limit)
    ]


@router.get("/runs/{run_id}/events")
def list_run_events(space: ReadableSpace, page: RequestedPage, run_id: Id) -> Listing[RunEventAnswer]:
    """List the communities that one run found new, split, merged or gone. 404."""
    scope = ("run events", space.space_id, run_id)
    rows = communities.list_events_of_run(space, run_id, after=page.decode_id(scope), limit=page.fetch_limit)
    return page.build_page_with_next_cursor(
        rows, RunEventAnswer.model_validate, lambda row: [str(row.id)], scope
    )


@router.get("/detect", include_in_schema=False)
def refuse_to_read_detect() -> None:
    """Answer 405; without this route "detect" would be parsed as a community's id and answered 404."""
    raise HTTPException(405, headers={"Allow": "POST"})


@router.get("/{community_id}")
def read_community(space: ReadableSpace, community_id: Id) -> CommunityDetailAnswer:
    """Return the community with members, parts and history. 404."""
    detail = communities.get_community(space, CommunityId(community_id))
    return CommunityDetailAnswer.from_value(
        detail.community, members=detail.members, parts=detail.parts, history=detail.history
    )


@router.post("/detect", status_code=202)
def detect_communities(space: WritableSpace) -> JobAnswer:
    """Detect communities now, without waiting for the graph to rest; return the job, which does nothing if
    nothing changed.
    """
    return JobAnswer.model_validate(scheduling.enqueue_detection_or_run_waiting_now(space))
