"""Panels beside the graph, each also a page: a node, two nodes' claims, an explanation, a community."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Any, NamedTuple
from uuid import UUID

from fastapi import APIRouter, Query
from fastapi.responses import Response

from app.dashboard.deps import PageRenderer, PageSpaceDep, ReadableSpace, Renderer
from app.dashboard.explorer.pages import get_start_of_day
from app.dashboard.routing import PageRoute
from app.dashboard.space.marked_text import split_text_at_marks
from app.derived.communities import service as communities
from app.derived.communities.shapes import CommunityId
from app.derived.summaries import service as summaries
from app.documents import service as documents
from app.graph import service as graph
from app.graph.invalidation import service as invalidation
from app.graph.layout import service as graph_view
from app.graph.shapes import Edge, Explanation, GraphFilters, Path, StatedEdge
from app.graph.validity import Polarity
from app.http.authentication import DASHBOARD_PATH
from app.ids import ChunkId, EdgeId, NodeId

router = APIRouter(
    prefix=DASHBOARD_PATH + "/spaces/{space_id}/graph", route_class=PageRoute, include_in_schema=False
)

_MAX_CLAIMS = 30
_MAX_STATEMENTS = 20


@dataclass(frozen=True)
class ShownEdge:
    """An edge with its state at the shown moment: it holds, has ended, is denied or only reported, or begins
    later. `moment` is None for now.
    """

    edge: Edge
    state: str
    moment: datetime | None

    @property
    def holds(self) -> bool:
        """Return whether it holds at that moment."""
        return self.state == "holds"


def build_shown_edge(edge: Edge, moment: datetime | None) -> ShownEdge:
    """Return the edge with its state at a moment, by default now."""
    if edge.polarity is Polarity.DENIED:
        return ShownEdge(edge, "denied", moment)
    if edge.polarity is Polarity.REPORTED:
        return ShownEdge(edge, "reported", moment)
    if edge.holds(moment):
        return ShownEdge(edge, "holds", moment)
    return ShownEdge(edge, "later" if edge.begins_after(moment) else "ended", moment)


@router.get("/nodes/{node_id}")
def show_node_panel(
    page: Renderer, page_space: PageSpaceDep, space: ReadableSpace, node_id: UUID
) -> Response:
    """Show one node: its summary and the claims about it."""
    node = graph.get_node(space, NodeId(node_id))
    communities_of_node = communities.list_communities_of_nodes(space, [node.id])[node.id]
    return _show_panel(
        page,
        "node",
        page_space=page_space,
        node=node,
        relations=graph.aggregate_edges_by_claim(space, node_id=node.id)[:_MAX_CLAIMS],
        statements=graph.list_statements_of_node(space, node.id)[:_MAX_STATEMENTS],
        named_with=graph.find_cooccurring_nodes(space, node),
        summary=summaries.find_summary(space, node.id),
        held_by=communities_of_node,
    )


@router.get("/communities/{community_id}")
def show_community_panel(
    page: Renderer, page_space: PageSpaceDep, space: ReadableSpace, community_id: UUID
) -> Response:
    """Show one community: its report, its most central nodes and its parts."""
    community_detail = communities.get_community(space, CommunityId(community_id))
    return _show_panel(
        page,
        "community",
        page_space=page_space,
        community=community_detail.community,
        members=community_detail.members[:20],
    )


@router.get("/between/{one_id}/{other_id}")
def show_pair_panel(
    page: Renderer,
    page_space: PageSpaceDep,
    space: ReadableSpace,
    one_id: UUID,
    other_id: UUID,
    relation: Annotated[str, Query(max_length=64)] = "",
    as_of: date | None = None,
) -> Response:
    """Show all claims between two nodes, in both directions, with the passage of the one that was clicked."""
    moment = get_start_of_day(as_of)
    first_node_id, second_node_id = NodeId(one_id), NodeId(other_id)
    edges = [
        build_shown_edge(edge, moment)
        for edge in graph_view.list_edges_between(space, first_node_id, second_node_id)
    ]
    node_explanation = graph.start_explanation(
        space, from_=str(one_id), to=str(other_id), max_hops=1, filters=GraphFilters(as_of=moment)
    ).result()
    chosen_edge = next((edge for edge in edges if edge.edge.relation_type == relation and edge.holds), None)
    chosen_edge = chosen_edge or next((edge for edge in edges if edge.edge.relation_type == relation), None)
    chosen_edge = chosen_edge or next(iter(edges), None)
    return _show_panel(
        page,
        "pair",
        page_space=page_space,
        edges=edges,
        chosen=chosen_edge,
        names=_map_node_names(
            space, [edge.edge for edge in edges], node_explanation, [first_node_id, second_node_id]
        ),
        extractions=graph.get_extractors_of_edges(space, [edge.edge.id for edge in edges]),
        one=first_node_id,
        other=second_node_id,
        as_of=as_of,
        conflicts=_list_conflicts(node_explanation),
        denials=node_explanation.denials,
        reported=node_explanation.reported,
        **_get_cited_passage(space, chosen_edge.edge if chosen_edge else None),
    )


@router.get("/explain")
def show_explanation_panel(
    page: Renderer,
    page_space: PageSpaceDep,
    space: ReadableSpace,
    start: Annotated[UUID, Query(alias="from")],
    end: Annotated[UUID, Query(alias="to")],
    as_of: date | None = None,
    confidence: Annotated[float | None, Query(ge=0, le=1)] = None,
) -> Response:
    """Show the shortest path from one node to another, or the reason why there is none."""
    moment = get_start_of_day(as_of)
    start_node, end_node = (graph.get_node(space, NodeId(node_id)) for node_id in (start, end))
    node_explanation = graph.explain_and_record_recall(
        space,
        from_=str(start),
        to=str(end),
        filters=GraphFilters(as_of=moment, min_confidence=confidence or None),
    )
    path = choose_shortest_then_strongest_path(node_explanation.paths)
    path_nodes = path.nodes if path else (start_node, end_node)
    edges = path.edges if path else ()
    direct_edges = [
        build_shown_edge(edge, moment)
        for edge in graph_view.list_edges_between(space, start_node.id, end_node.id)
    ]
    return _show_panel(
        page,
        "explanation",
        page_space=page_space,
        one=start_node,
        other=end_node,
        path=path,
        found=node_explanation,
        others=len(node_explanation.paths) - 1,
        names=_map_node_names(
            space,
            [*edges, *(direct_edge.edge for direct_edge in direct_edges)],
            node_explanation,
            [start_node.id, end_node.id],
        ),
        extractions=graph.get_extractors_of_edges(space, [edge.id for edge in edges]),
        sources={
            edge_id: citation.number
            for citation in node_explanation.citations
            for edge_id in citation.edge_ids
        },
        ended=[direct_edge for direct_edge in direct_edges if not direct_edge.holds],
        as_of=as_of,
        moment=moment,
        nodes=[node.id.hex for node in path_nodes],
        claims=[(edge.from_node_id.hex, edge.to_node_id.hex, edge.relation_type) for edge in edges],
    )


@router.get("/edges/{edge_id}")
def show_edge_panel(
    page: Renderer, page_space: PageSpaceDep, space: ReadableSpace, edge_id: UUID
) -> Response:
    """Show an edge with the passage that states it, and the decision about it."""
    edge, decisions = invalidation.get_edge_with_ledger(space, EdgeId(edge_id))
    return _show_panel(
        page,
        "edge",
        page_space=page_space,
        shown=build_shown_edge(edge, None),
        edge=edge,
        decisions=decisions,
        names=_map_node_names(space, [edge], None, []),
        extractions=graph.get_extractors_of_edges(space, [edge.id]),
        **_get_cited_passage(space, edge),
    )


def choose_shortest_then_strongest_path(paths: Sequence[Path]) -> Path | None:
    """Return the path with the fewest hops; of several, the strongest."""
    return min(paths, key=lambda path: (path.hops, -path.score), default=None)


def _show_panel(page: PageRenderer, name: str, **values: Any) -> Response:
    """Answer the graph's script with a fragment, and other requests with a page."""
    if page.is_fragment:
        return page.show(f"explorer/{name}_panel.html", heading="h2", **values)
    template = f"explorer/{name}_panel.html"
    return page.show("explorer/panel.html", active="graph", body=template, heading="h1", **values)


def _map_node_names(
    space: ReadableSpace,
    edges: Sequence[Edge],
    node_explanation: Explanation | None,
    further_node_ids: Sequence[NodeId],
) -> dict[NodeId, str]:
    """Return the names of all nodes that a panel mentions, by id."""
    node_ids = {end for edge in edges for end in (edge.from_node_id, edge.to_node_id)} | set(further_node_ids)
    name_by_node = (
        {node.id: node.canonical_name for node in node_explanation.nodes} if node_explanation else {}
    )
    missing_ids = sorted(node_ids - name_by_node.keys())
    return name_by_node | {node.id: node.canonical_name for node in graph.get_nodes(space, missing_ids)}


class _ShownConflict(NamedTuple):
    """The reason of a contradiction, and the edges that cannot all hold."""

    reason: str
    edges: list[Edge]


def _list_conflicts(node_explanation: Explanation) -> list[_ShownConflict]:
    edges_by_id = {edge.id: edge for edge in node_explanation.edges}
    for denial in node_explanation.denials:
        edges_by_id.update({edge.id: edge for edge in (denial.edge, denial.asserted) if edge is not None})
    return [
        _ShownConflict(
            contradiction.reason,
            [edges_by_id[edge_id] for edge_id in contradiction.edge_ids if edge_id in edges_by_id],
        )
        for contradiction in node_explanation.contested
    ]


def _get_cited_passage(space: ReadableSpace, edge: Edge | None) -> dict[str, Any]:
    """Return template values with the passage that supports an edge, split before and after its quote."""
    if edge is None or edge.evidence is None:
        return {"passage": None, "stretches": []}
    passage = documents.get_chunk(space, edge.evidence.chunk_id)
    chunk_id = ChunkId(passage.id)
    stated_edge = StatedEdge(
        edge.id,
        chunk_id,
        edge.evidence.char_start - passage.char_start,
        edge.evidence.char_end - passage.char_start,
        edge.relation_type,
        edge.confidence,
        "",
        "",
    )
    return {"passage": passage, "stretches": split_text_at_marks(passage.text, [stated_edge], chunk_id)}
