"""The graph of a space as a page: drawing, neighbours of a node, search, and the table of all nodes."""

from datetime import UTC, date, datetime
from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response

from app.dashboard.deps import PageSpaceDep, ReadableSpace, Renderer
from app.dashboard.explorer import encoding
from app.dashboard.routing import PageRoute
from app.domain.layers import Layer
from app.graph import service as graph
from app.graph.layout import service as graph_view
from app.graph.layout.shapes import ViewFilters
from app.graph.shapes import NodeCursor, NodeFilters
from app.http.authentication import DASHBOARD_PATH
from app.ids import NodeId
from app.limits import PICTURE_OPENED, PICTURE_SHOWN

router = APIRouter(
    prefix=DASHBOARD_PATH + "/spaces/{space_id}/graph", route_class=PageRoute, include_in_schema=False
)

MAX_FOUND_NODES = 12
_PAGE_SIZE = 100

SearchWords = Annotated[str, Query(max_length=200)]


def get_start_of_day(day: date | None) -> datetime | None:
    """Return the beginning of a day in UTC; the drawing shows what held at that moment."""
    return None if day is None else datetime(day.year, day.month, day.day, tzinfo=UTC)


@router.get("")
def show_graph(page: Renderer, page_space: PageSpaceDep, request: Request) -> Response:
    """Show the page; its script requests the drawing.

    Without filters in the address the browser preloads the drawing while the scripts are loading.
    """
    return page.show(
        "explorer/graph.html", page_space=page_space, active="graph", begins=not request.query_params
    )


def _parse_view_filters(
    as_of: date | None = None,
    relation: Annotated[str | None, Query(max_length=64)] = None,
    layer: Literal["", "claim", "statement"] = "",
    confidence: Annotated[float | None, Query(ge=0, le=1)] = None,
) -> ViewFilters:
    return ViewFilters(
        get_start_of_day(as_of), relation or None, Layer(layer) if layer else None, confidence or None
    )


@router.get("/data")
def read_graph_view(
    request: Request,
    space: ReadableSpace,
    filters: Annotated[ViewFilters, Depends(_parse_view_filters)],
    open: Annotated[list[UUID] | None, Query(max_length=PICTURE_OPENED.maximum)] = None,
    show: Annotated[list[UUID] | None, Query(max_length=PICTURE_SHOWN.maximum)] = None,
) -> Response:
    """Answer with the drawing: each node and community with its position, and the claims between them."""
    view = graph_view.build_graph_view(
        space,
        opened_community_ids=open or [],
        shown_node_ids=[NodeId(node_id) for node_id in show or []],
        filters=filters,
    )
    return encoding.build_json_response(request, encoding.encode_view(view))


@router.get("/around/{node_id}")
def read_node_surroundings(
    request: Request, space: ReadableSpace, node_id: UUID, as_of: date | None = None
) -> Response:
    """Answer with the ids of the node and its neighbours, which the page then shows."""
    neighbor_ids = graph_view.list_node_and_neighbor_ids_and_record_recall(
        space, NodeId(node_id), as_of=get_start_of_day(as_of)
    )
    return encoding.build_json_response(request, {"nodes": [neighbor_id.hex for neighbor_id in neighbor_ids]})


@router.get("/find")
def find_nodes(request: Request, space: ReadableSpace, q: SearchWords = "") -> Response:
    """Answer with the best known nodes whose names contain these words, each with the communities to open."""
    nodes = graph.list_nodes(space, search_text=q, limit=MAX_FOUND_NODES) if q.strip() else []
    communities_by_node_id = (
        graph_view.list_communities_to_open(space, [node.id for node in nodes]) if nodes else {}
    )
    return encoding.build_json_response(
        request,
        {
            "nodes": [
                {
                    "id": node.id.hex,
                    "name": node.canonical_name,
                    "type": node.node_type,
                    "mentions": node.mention_count,
                    "chain": [community_id.hex for community_id in communities_by_node_id[node.id]],
                }
                for node in nodes
            ]
        },
    )


@router.get("/table")
def show_node_table(
    page: Renderer,
    page_space: PageSpaceDep,
    space: ReadableSpace,
    q: SearchWords = "",
    type: Annotated[str, Query(max_length=100)] = "",
    after: UUID | None = None,
    after_mentions: Annotated[int, Query(ge=0, lt=2**31)] = 0,
) -> Response:
    """Show every node of the space in a paginated table; needs no script."""
    cursor = None if after is None else NodeCursor(after_mentions, NodeId(after))
    nodes = graph.list_nodes(
        space,
        search_text=q or None,
        filters=NodeFilters(node_type=type or None),
        after=cursor,
        limit=_PAGE_SIZE,
    )
    return page.show(
        "explorer/table.html",
        page_space=page_space,
        active="graph",
        nodes=nodes,
        q=q,
        type=type,
        is_first=after is None,
        last=nodes[-1] if len(nodes) == _PAGE_SIZE else None,
    )
