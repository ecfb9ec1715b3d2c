"""The page that explains how two nodes are connected: paths, drawn and in words, each step with its quote."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal, NamedTuple

from fastapi import APIRouter, Query
from fastapi.responses import Response

from app.dashboard.answers.ask import parse_day
from app.dashboard.answers.drawing import Drawing, draw_graph_for_wide_and_narrow_windows
from app.dashboard.answers.progress import collect_contested_edges
from app.dashboard.deps import PageSpaceDep, ReadableSpace, Renderer
from app.dashboard.routing import PageRoute
from app.domain.layers import Layer
from app.errors import InvalidInput
from app.graph import service as graph
from app.graph.contested import format_denial_or_report
from app.graph.narrative import format_attribute, format_cooccurrence
from app.graph.shapes import Edge, Evidence, Explanation, GraphFilters, Node, NodeStatement, Path
from app.http.authentication import DASHBOARD_PATH
from app.limits import QUESTION

router = APIRouter(
    prefix=DASHBOARD_PATH + "/spaces/{space_id}/explain", route_class=PageRoute, include_in_schema=False
)

MAX_SUGGESTED_NAMES = 8
"""Number of names suggested while one is typed."""


@dataclass(frozen=True)
class Step:
    """One edge of a path in walking direction, which may be against the direction of the edge."""

    edge: Edge
    before: Node
    after: Node
    forward: bool
    contested: bool


def list_path_steps(path: Path, explanation: Explanation) -> list[Step]:
    """Return the steps of a path in walking order."""
    contested_edge_ids = collect_contested_edges(explanation.contested)
    return [
        Step(edge, from_node, to_node, edge.from_node_id == from_node.id, edge.id in contested_edge_ids)
        for edge, from_node, to_node in zip(path.edges, path.nodes, path.nodes[1:], strict=False)
    ]


@router.get("")
def show_explanation(
    page: Renderer,
    page_space: PageSpaceDep,
    space: ReadableSpace,
    source: Annotated[str, Query(alias="from", max_length=QUESTION.maximum)] = "",
    target: Annotated[str, Query(alias="to", max_length=QUESTION.maximum)] = "",
    as_of: Annotated[str, Query(max_length=10)] = "",
    layer: Literal["", "claim", "statement"] = "",
) -> Response:
    """Show the paths between two nodes, or the reasons why there is none."""
    source, target = " ".join(source.split()), " ".join(target.split())
    moment = parse_day(as_of)
    explanation: Explanation | None = None
    refusal = None
    if source and target:
        try:
            layers = (Layer(layer), Layer.NAMED_TOGETHER) if layer else ()
            filters = GraphFilters(as_of=moment, with_evidence=True, layers=layers)
            explanation = graph.explain_and_record_recall(space, from_=source, to=target, filters=filters)
        except InvalidInput as error:
            refusal = error.message
    return page.show(
        "answers/explain.html",
        page_space=page_space,
        active="explain",
        source=source,
        target=target,
        day=moment.date().isoformat() if moment else "",
        moment=moment,
        layer=layer,
        found=explanation,
        refused=refusal,
        paths=[(path, list_path_steps(path, explanation)) for path in explanation.paths]
        if explanation
        else [],
        drawings=_draw_paths(explanation, moment) if explanation else [],
        values=_list_stated_values(explanation) if explanation else [],
        denials=[(format_denial_or_report(denial), denial.edge) for denial in explanation.denials]
        if explanation
        else [],
        reported=[(format_denial_or_report(report), report.edge) for report in explanation.reported]
        if explanation
        else [],
        statements=_list_statements(explanation) if explanation else [],
        named_together=_list_cooccurrences(explanation) if explanation else [],
        suggested=_list_suggested_nodes(space) if explanation is None else [],
    )


class _SentenceWithEvidence(NamedTuple):
    """A sentence about a passage, and the passage."""

    sentence: str
    evidence: Evidence


def _list_cooccurrences(explanation: Explanation) -> list[_SentenceWithEvidence]:
    """Return the passages that name both nodes, each as a sentence with its evidence."""
    anchor_names = {anchor.node.id: anchor.node.canonical_name for anchor in explanation.anchors}
    return [
        _SentenceWithEvidence(format_cooccurrence(cooccurrence, anchor_names), cooccurrence.evidence)
        for cooccurrence in explanation.named_together
    ]


class _NamedStatement(NamedTuple):
    """A statement, and the name of the node that it is about."""

    node_name: str
    statement: NodeStatement


def _list_statements(explanation: Explanation) -> list[_NamedStatement]:
    """Return the statements about one of the nodes that name the other, with the name of the former."""
    anchor_names = {anchor.node.id: anchor.node.canonical_name for anchor in explanation.anchors}
    return [
        _NamedStatement(anchor_names[statement.node_id], statement) for statement in explanation.statements
    ]


@router.get("/names")
def suggest_names(
    page: Renderer,
    page_space: PageSpaceDep,
    space: ReadableSpace,
    q: Annotated[str, Query(max_length=QUESTION.maximum)] = "",
) -> Response:
    """Answer with the names that contain the typed text, the most mentioned first, as options of a list."""
    nodes = graph.list_nodes(space, search_text=q, limit=MAX_SUGGESTED_NAMES) if q.strip() else []
    return page.show("answers/names.html", page_space=page_space, nodes=nodes)


def _draw_paths(explanation: Explanation, moment: datetime | None) -> list[Drawing]:
    """Draw the edges of the paths; contradicting edges only if they are part of a path."""
    path_edges: Sequence[Edge] = list(
        {edge.id: edge for path in explanation.paths for edge in path.edges}.values()
    )
    start_ids = list(dict.fromkeys(path.nodes[0].id for path in explanation.paths))
    end_ids = {path.nodes[-1].id for path in explanation.paths}
    return draw_graph_for_wide_and_narrow_windows(
        explanation.nodes,
        path_edges,
        start_ids,
        end_ids=end_ids,
        contested_ids=collect_contested_edges(explanation.contested),
        moment=moment,
    )


class _StatedValue(NamedTuple):
    """The name of a node, its attribute with the value in words, and the evidence of it."""

    node_name: str
    words: str
    evidence: Evidence


def _list_stated_values(explanation: Explanation) -> list[_StatedValue]:
    """Return the attribute values that chunks state of the nodes."""
    node_names = {node.id: node.canonical_name for node in explanation.nodes}
    return [
        _StatedValue(node_names[attribute.node_id], format_attribute(attribute), attribute.evidence)
        for attribute in explanation.attributes
    ]


def _list_suggested_nodes(space: ReadableSpace) -> Sequence[Node]:
    """Return a few of the most mentioned nodes as suggestions."""
    return graph.list_nodes(space, limit=MAX_SUGGESTED_NAMES)
