"""Communities of a space, as a map and as a tree, with their reports, and the changes of each run."""

from collections.abc import Sequence
from typing import Annotated, NamedTuple
from uuid import UUID

from fastapi import APIRouter, Query
from fastapi.responses import Response

from app.dashboard.deps import PageSpaceDep, ReadableSpace, Renderer, WritableSpace
from app.dashboard.insight.community_map import Picture, draw_community_map
from app.dashboard.routing import PageRoute
from app.db.session import SpaceSession
from app.derived.communities import scheduling
from app.derived.communities import service as communities
from app.derived.communities.shapes import Block, CommunityId, Finding
from app.errors import NotFound
from app.graph import service as graph
from app.http.authentication import DASHBOARD_PATH
from app.ids import EdgeId, NodeId

router = APIRouter(
    prefix=DASHBOARD_PATH + "/spaces/{space_id}/communities", route_class=PageRoute, include_in_schema=False
)

MAX_BLOCKS, PARTS_PER_BLOCK = 32, 8
PAGE_SIZE = 30
MAX_EVENTS = 100
MAX_MEMBERS = 40
MAP_SIZE, PARTS_MAP_SIZE = (1080, 560), (640, 360)
"""Pixels of the map over the whole page, and of the one beside a list."""
MAX_LISTED_RUNS = 50


@router.get("")
def show_communities(
    page: Renderer,
    page_space: PageSpaceDep,
    space: ReadableSpace,
    level: Annotated[int, Query(ge=0, le=10)] = 0,
    after: Annotated[str | None, Query(max_length=80)] = None,
) -> Response:
    """Show the map of the coarsest level, and the communities of one level with their parts."""
    community_map = communities.build_community_map(
        space, max_blocks=MAX_BLOCKS, parts_per_block=PARTS_PER_BLOCK
    )
    position = _parse_page_cursor(after)
    level_communities = communities.list_communities(space, level=level, after=position, limit=PAGE_SIZE + 1)
    page_communities = level_communities[:PAGE_SIZE]
    last_community = page_communities[-1] if len(level_communities) > PAGE_SIZE else None
    return page.show(
        "insight/communities.html",
        page_space=page_space,
        active="communities",
        pictures=_draw_pictures(community_map.blocks),
        found=community_map,
        drawn=sum(block.community.member_count for block in community_map.blocks),
        tree=communities.build_blocks_with_largest_parts(
            space, page_communities, parts_per_block=PARTS_PER_BLOCK
        ),
        level=level,
        after=after,
        following=f"{last_community.level}.{last_community.member_count}.{last_community.id}"
        if last_community
        else None,
        run=communities.find_latest_run(space),
        space_levels=space.settings.community_levels,
        enabled=space.settings.communities,
    )


@router.get("/runs")
def show_runs(page: Renderer, page_space: PageSpaceDep, space: ReadableSpace) -> Response:
    """Show the newest runs of the detection with their changes."""
    return page.show(
        "insight/runs.html",
        page_space=page_space,
        active="communities",
        runs=communities.list_community_runs(space),
    )


@router.get("/runs/{run_id}")
def show_run(
    page: Renderer,
    page_space: PageSpaceDep,
    space: ReadableSpace,
    run_id: UUID,
    after: Annotated[UUID | None, Query()] = None,
) -> Response:
    """Show each community that is new, split, merged or gone since the run before."""
    runs = communities.list_community_runs(space, limit=MAX_LISTED_RUNS)
    run = next((listed_run for listed_run in runs if listed_run.id == run_id), None)
    if run is None:
        raise NotFound("run")
    events = communities.list_events_of_run(space, run_id, after=after, limit=MAX_EVENTS + 1)
    page_events = events[:MAX_EVENTS]
    other_communities = communities.get_communities(
        space, [community_id for event in page_events for community_id in event.other_ids]
    )
    return page.show(
        "insight/run.html",
        page_space=page_space,
        active="communities",
        run=run,
        first=run is runs[-1] and len(runs) < MAX_LISTED_RUNS,
        events=page_events,
        others=other_communities,
        after=after,
        following=page_events[-1].id if len(events) > MAX_EVENTS else None,
    )


@router.post("/detect")
def start_detection(page: Renderer, page_space: PageSpaceDep, space: WritableSpace) -> Response:
    """Enqueue community detection now, instead of after the next pause in changes of the graph."""
    job = scheduling.enqueue_detection_or_run_waiting_now(space)
    return page.redirect(f"{page_space.path}/jobs/{job.id}")


@router.get("/{community_id}")
def show_community(
    page: Renderer, page_space: PageSpaceDep, space: ReadableSpace, community_id: UUID
) -> Response:
    """Show one community with its report, its parts, its members and its history."""
    community_detail = communities.get_community(space, CommunityId(community_id))
    inner_map = communities.build_map_of_community(space, community_detail, parts_per_block=PARTS_PER_BLOCK)
    related_ids = [related_id for event in community_detail.history for related_id in event.other_ids]
    if community_detail.community.parent_id is not None:
        related_ids.append(community_detail.community.parent_id)
    return page.show(
        "insight/community.html",
        page_space=page_space,
        active="communities",
        found=community_detail,
        community=community_detail.community,
        pictures=_draw_pictures(inner_map.blocks, PARTS_MAP_SIZE) if len(inner_map.blocks) > 1 else [],
        members=community_detail.members[:MAX_MEMBERS],
        cited=_format_cited_claims(space, community_detail.community.findings),
        related=communities.get_communities(space, related_ids),
    )


def _draw_pictures(blocks: Sequence[Block], wide_map_size: tuple[int, int] = MAP_SIZE) -> list[Picture]:
    """Return the maps for wide and for narrow windows, so that labels are never scaled down."""
    if not blocks:
        return []
    wide_width, wide_height = wide_map_size
    return [
        draw_community_map("wide", blocks, width=wide_width, height=wide_height),
        draw_community_map("narrow", blocks, width=360, height=520),
    ]


def _format_cited_claims(space: SpaceSession, findings: Sequence[Finding]) -> dict[UUID, str]:
    """Return the claims that findings cite, as sentences by edge id, without those that no longer exist."""
    cited_edge_ids = {EdgeId(edge_id) for finding in findings for edge_id in finding.edge_ids}
    edges = graph.get_edges(space, sorted(cited_edge_ids)) if cited_edge_ids else []
    end_ids = {node_id for edge in edges for node_id in (edge.from_node_id, edge.to_node_id)}
    name_by_node = (
        {node.id: node.canonical_name for node in graph.get_nodes(space, sorted(end_ids))} if end_ids else {}
    )

    def get_name(node_id: NodeId) -> str:
        return name_by_node.get(node_id, "?")

    return {
        edge.id: (
            f"{get_name(edge.from_node_id)} {edge.relation_type.replace('_', ' ')}"
            f" {get_name(edge.to_node_id)}"
        )
        for edge in edges
    }


class _CommunityCursor(NamedTuple):
    """The last community of a page."""

    level: int
    member_count: int
    community_id: UUID


def _parse_page_cursor(after: str | None) -> _CommunityCursor | None:
    """Parse the cursor of a page. Raises NotFound if it is malformed."""
    if after is None:
        return None
    try:
        level, member_count, community_id = after.split(".")
        return _CommunityCursor(int(level), int(member_count), UUID(community_id))
    except ValueError:
        raise NotFound("page") from None
