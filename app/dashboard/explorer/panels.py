"""Panels beside the graph, each also a page: a node, two nodes' claims, an explanation, a community."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query
from fastapi.responses import Response

from app.dashboard.deps import Page, Pages, Place, ReadableSpace
from app.dashboard.explorer.pages import moment_of
from app.dashboard.routing import PageRoute
from app.dashboard.space.marked_text import marked
from app.derived.communities import service as communities
from app.derived.communities.shapes import CommunityId
from app.derived.summaries import service as summaries
from app.documents import service as documents
from app.graph import service as graph
from app.graph.invalidation import service as invalidation
from app.graph.layout import service as graph_view
from app.graph.shapes import Edge, Explanation, GraphFilters, Path, StatedEdge
from app.graph.validity import Polarity
from app.http.admission import DASHBOARD
from app.ids import ChunkId, EdgeId, NodeId

router = APIRouter(
    prefix=DASHBOARD + "/spaces/{space_id}/graph", route_class=PageRoute, include_in_schema=False
)

_CLAIMS = 30
_STATEMENTS = 20


@dataclass(frozen=True)
class ShownEdge:
    """An edge as it stands at the moment that is shown: it holds, ended, is denied, or began only later."""

    edge: Edge
    standing: str

    @property
    def holds(self) -> bool:
        """Return whether it holds at that moment."""
        return self.standing == "holds"


def shown_edge(edge: Edge, moment: datetime | None) -> ShownEdge:
    """The edge as it stands at a moment, or now."""
    if edge.polarity is Polarity.DENIED:
        return ShownEdge(edge, "denied")
    if edge.holds(moment):
        return ShownEdge(edge, "holds")
    begins_later = moment is not None and edge.valid_from is not None and edge.valid_from > moment
    return ShownEdge(edge, "later" if begins_later else "ended")


@router.get("/nodes/{node_id}")
def node_panel(page: Page, place: Place, space: ReadableSpace, node_id: UUID) -> Response:
    """One node: its summary and the claims about it."""
    node = graph.get_node(space, NodeId(node_id))
    held_by = communities.communities_of_nodes(space, [node.id])[node.id]
    return _panel(
        page,
        "node",
        place=place,
        node=node,
        relations=graph.aggregated_relations(space, node_id=node.id)[:_CLAIMS],
        statements=graph.statements_of(space, node.id)[:_STATEMENTS],
        named_with=graph.named_with(space, node),
        summary=summaries.find_summary(space, node.id),
        held_by=held_by,
    )


@router.get("/communities/{community_id}")
def community_panel(page: Page, place: Place, space: ReadableSpace, community_id: UUID) -> Response:
    """One community: its report, its most central nodes and its parts."""
    community = communities.get_community(space, CommunityId(community_id))
    return _panel(
        page, "community", place=place, community=community.community, members=community.members[:20]
    )


@router.get("/between/{one_id}/{other_id}")
def pair_panel(
    page: Page,
    place: Place,
    space: ReadableSpace,
    one_id: UUID,
    other_id: UUID,
    relation: Annotated[str, Query(max_length=64)] = "",
    as_of: date | None = None,
) -> Response:
    """Everything that is said between two nodes, both ways, with the passage of the one that was clicked."""
    moment = moment_of(as_of)
    one, other = NodeId(one_id), NodeId(other_id)
    edges = [shown_edge(each, moment) for each in graph_view.between(space, one, other)]
    found = graph.explain_pending(
        space, from_=str(one_id), to=str(other_id), max_hops=1, filters=GraphFilters(as_of=moment)
    ).result()
    chosen = next((edge for edge in edges if edge.edge.relation_type == relation and edge.holds), None)
    chosen = chosen or next((edge for edge in edges if edge.edge.relation_type == relation), None)
    chosen = chosen or next(iter(edges), None)
    return _panel(
        page,
        "pair",
        place=place,
        edges=edges,
        chosen=chosen,
        names=_names(space, [edge.edge for edge in edges], found, [one, other]),
        extractions=graph.extractions_of_edges(space, [edge.edge.id for edge in edges]),
        one=one,
        other=other,
        as_of=as_of,
        conflicts=_conflicts(found),
        denials=found.denials,
        **_passage(space, chosen.edge if chosen else None),
    )


@router.get("/explain")
def explanation(
    page: Page,
    place: Place,
    space: ReadableSpace,
    start: Annotated[UUID, Query(alias="from")],
    end: Annotated[UUID, Query(alias="to")],
    as_of: date | None = None,
    confidence: Annotated[float | None, Query(ge=0, le=1)] = None,
) -> Response:
    """The shortest explanation of how one node leads to another, or why there is none."""
    moment = moment_of(as_of)
    one, other = (graph.get_node(space, NodeId(each)) for each in (start, end))
    found = graph.explain(
        space,
        from_=str(start),
        to=str(end),
        filters=GraphFilters(as_of=moment, min_confidence=confidence or None),
    )
    path = shortest(found.paths)
    on_path = path.nodes if path else (one, other)
    edges = path.edges if path else ()
    said = [shown_edge(each, moment) for each in graph_view.between(space, one.id, other.id)]
    return _panel(
        page,
        "explanation",
        place=place,
        one=one,
        other=other,
        path=path,
        found=found,
        others=len(found.paths) - 1,
        names=_names(space, [*edges, *(each.edge for each in said)], found, [one.id, other.id]),
        extractions=graph.extractions_of_edges(space, [edge.id for edge in edges]),
        sources={edge_id: citation.number for citation in found.citations for edge_id in citation.edge_ids},
        ended=[each for each in said if not each.holds],
        as_of=as_of,
        nodes=[each.id.hex for each in on_path],
        claims=[(edge.from_node_id.hex, edge.to_node_id.hex, edge.relation_type) for edge in edges],
    )


@router.get("/edges/{edge_id}")
def edge_panel(page: Page, place: Place, space: ReadableSpace, edge_id: UUID) -> Response:
    """An edge with the passage that states it, and what decided about it."""
    edge, decisions = invalidation.get_edge(space, EdgeId(edge_id))
    return _panel(
        page,
        "edge",
        place=place,
        shown=shown_edge(edge, None),
        edge=edge,
        decisions=decisions,
        names=_names(space, [edge], None, []),
        extractions=graph.extractions_of_edges(space, [edge.id]),
        **_passage(space, edge),
    )


def shortest(paths: Sequence[Path]) -> Path | None:
    """The path of fewest hops, of several the strongest."""
    return min(paths, key=lambda path: (path.hops, -path.score), default=None)


def _panel(page: Pages, name: str, **values: Any) -> Response:
    """A fragment for the graph's script, and a page for everybody else."""
    if page.is_fragment:
        return page.show(f"explorer/{name}_panel.html", heading="h2", **values)
    body = f"explorer/{name}_panel.html"
    return page.show("explorer/panel.html", active="graph", body=body, heading="h1", **values)


def _names(
    space: ReadableSpace, edges: Sequence[Edge], found: Explanation | None, ids: Sequence[NodeId]
) -> dict[NodeId, str]:
    """The names of all nodes that a panel speaks of."""
    wanted = {each for edge in edges for each in (edge.from_node_id, edge.to_node_id)} | set(ids)
    known = {node.id: node.canonical_name for node in found.nodes} if found else {}
    missing = sorted(wanted - known.keys())
    return known | {node.id: node.canonical_name for node in graph.get_nodes(space, missing)}


def _conflicts(found: Explanation) -> list[tuple[str, list[Edge]]]:
    """The reason of each contradiction, and the edges that cannot all hold."""
    edges = {edge.id: edge for edge in found.edges}
    for denial in found.denials:
        edges.update({edge.id: edge for edge in (denial.edge, denial.asserted) if edge is not None})
    return [
        (each.reason, [edges[edge_id] for edge_id in each.edge_ids if edge_id in edges])
        for each in found.contested
    ]


def _passage(space: ReadableSpace, edge: Edge | None) -> dict[str, Any]:
    """The passage that an edge rests on, cut where its quote begins and ends."""
    if edge is None or edge.evidence is None:
        return {"passage": None, "stretches": []}
    passage = documents.get_chunk(space, edge.evidence.chunk_id)
    chunk_id = ChunkId(passage.id)
    stated = StatedEdge(
        edge.id,
        chunk_id,
        edge.evidence.char_start - passage.char_start,
        edge.evidence.char_end - passage.char_start,
        edge.relation_type,
        edge.confidence,
        "",
        "",
    )
    return {"passage": passage, "stretches": marked(passage.text, [stated], chunk_id)}
