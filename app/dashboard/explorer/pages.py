"""The graph of a space: the nodes that are drawn, with their places, and the panels of nodes and edges."""

from typing import Annotated, Any
from uuid import UUID

import orjson
from fastapi import APIRouter, Query
from fastapi.responses import Response

from app.communities import service as communities
from app.dashboard import rendering
from app.dashboard.deps import Page, Place, ReadableSpace
from app.dashboard.explorer.layout import layout
from app.dashboard.routing import PageRoute
from app.dashboard.space.marked_text import marked
from app.documents import service as documents
from app.edge.admission import DASHBOARD
from app.graph import service as graph
from app.graph.invalidation import service as invalidation
from app.graph.shapes import Node, StatedEdge
from app.ids import ChunkId, EdgeId, NodeId
from app.summaries import service as summaries

router = APIRouter(
    prefix=DASHBOARD + "/spaces/{space_id}/graph", route_class=PageRoute, include_in_schema=False
)

MOST_NODES = 1_000
_PAGE = 200


@router.get("")
def show_graph(page: Page, place: Place) -> Response:
    """The page; its script asks for what is drawn."""
    return page.show("explorer/graph.html", place=place, active="graph")


@router.get("/data")
def data(space: ReadableSpace, limit: Annotated[int, Query(ge=10, le=MOST_NODES)] = 300) -> Response:
    """The most mentioned nodes and the claims between them, each node with its place."""
    nodes: list[Node] = []
    while len(nodes) < limit:
        after = nodes[-1].cursor if nodes else None
        rows = graph.list_nodes(space, after=after, limit=min(_PAGE, limit - len(nodes)))
        nodes += rows
        if len(rows) < _PAGE:
            break
    return _drawn(space, nodes)


@router.get("/around/{node_id}")
def around(space: ReadableSpace, node_id: UUID) -> Response:
    """The node, its neighbours and the claims among them."""
    found = graph.neighborhood(space, NodeId(node_id))
    nodes = [each.node for each in found.nodes]
    if found.center is not None and found.center.id not in {each.id for each in nodes}:
        nodes.insert(0, found.center)
    return _drawn(space, nodes)


def _drawn(space: ReadableSpace, nodes: list[Node]) -> Response:
    claims = graph.claims_among(space, [each.id for each in nodes])
    number = {each.id: index for index, each in enumerate(nodes)}
    places = layout(
        len(nodes),
        [(number[each.from_node_id], number[each.to_node_id]) for each in claims],
        [max(each.weight, 0.01) for each in claims],
    )
    groups = communities.communities_of_nodes(space, [each.id for each in nodes])
    body: dict[str, Any] = {
        "nodes": [
            {
                "id": str(node.id),
                "name": node.canonical_name,
                "type": node.node_type,
                "mentions": node.mention_count,
                "confidence": round(node.confidence, 3),
                "community": _group(groups.get(node.id)),
                "x": x,
                "y": y,
            }
            for node, (x, y) in zip(nodes, places, strict=True)
        ],
        "edges": [
            {
                "id": str(each.edge_id),
                "from": str(each.from_node_id),
                "to": str(each.to_node_id),
                "relation": each.relation_type,
                "weight": round(each.weight, 3),
                "confidence": round(each.confidence, 3),
                "sources": each.sources,
                "supported": each.is_supported,
            }
            for each in claims
        ],
    }
    return Response(orjson.dumps(body), media_type="application/json", headers=rendering.HEADERS)


def _group(found: list[tuple[Any, int, str]] | None) -> str | None:
    return str(found[0][0]) if found else None


@router.get("/nodes/{node_id}")
def node_panel(page: Page, place: Place, space: ReadableSpace, node_id: UUID) -> Response:
    """Show one node: its summary and the claims about it."""
    node = graph.get_node(space, NodeId(node_id))
    return page.show(
        "explorer/node_panel.html",
        place=place,
        node=node,
        relations=graph.aggregated_relations(space, node_id=NodeId(node_id))[:30],
        summary=summaries.find_summary(space, NodeId(node_id)),
    )


@router.get("/edges/{edge_id}")
def edge_panel(page: Page, place: Place, space: ReadableSpace, edge_id: UUID) -> Response:
    """An edge with the passage that states it, and what decided about it."""
    edge, decisions = invalidation.get_edge(space, EdgeId(edge_id))
    ends = {each.id: each for each in graph.get_nodes(space, [edge.from_node_id, edge.to_node_id])}
    passage, stretches = None, []
    if edge.evidence is not None:
        passage = documents.get_chunk(space, edge.evidence.chunk_id)
        stated = StatedEdge(
            edge.id,
            ChunkId(passage.id),
            edge.evidence.char_start - passage.char_start,
            edge.evidence.char_end - passage.char_start,
            edge.relation_type,
            edge.confidence,
            "",
            "",
        )
        stretches = marked(passage.text, [stated], ChunkId(passage.id))
    return page.show(
        "explorer/edge_body.html" if page.is_fragment else "explorer/edge.html",
        place=place,
        active="graph",
        edge=edge,
        decisions=decisions,
        source=ends[edge.from_node_id],
        target=ends[edge.to_node_id],
        passage=passage,
        stretches=stretches,
    )
