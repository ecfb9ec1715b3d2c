"""Summaries of nodes, and the decisions of their gate to refresh or to skip them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple
from uuid import UUID

from fastapi import APIRouter, Query
from fastapi.responses import Response

from app.dashboard.deps import PageSpaceDep, ReadableSpace, Renderer, WritableSpace
from app.dashboard.routing import PageRoute
from app.derived.summaries import scheduling
from app.derived.summaries import service as summaries
from app.derived.summaries.gate import Reason
from app.derived.summaries.shapes import Summary
from app.errors import NotFound
from app.graph import service as graph
from app.http.authentication import DASHBOARD_PATH
from app.ids import EdgeId, NodeId

router = APIRouter(
    prefix=DASHBOARD_PATH + "/spaces/{space_id}/summaries", route_class=PageRoute, include_in_schema=False
)

PAGE_SIZE = 25
MAX_WAITING = 8
MAX_SKIPS = 10

SENTENCE_BY_REASON = {
    Reason.FIRST: "The node had no summary yet.",
    Reason.NEGATION: "A new fact denies something.",
    Reason.INVALIDATED: "A fact has ended or was withdrawn.",
    Reason.STALE: "The summary was older than the space allows.",
    Reason.DRIFTED: "The facts had moved further than the threshold.",
    Reason.BURST_ENDED: "Many changes in a short time had ended.",
    Reason.BURST_CAP: "Many changes in a short time had been deferred often enough.",
    Reason.UNCHANGED: "The facts were those of the summary.",
    Reason.WITHIN_DRIFT: "The facts had moved less than the threshold.",
    Reason.BURST: "Many changes in a short time: deferred until they end.",
}
"""The reasons of the gate as sentences, by name."""
TITLE_BY_REASON = {
    Reason.FIRST: "first summary",
    Reason.NEGATION: "a denial",
    Reason.INVALIDATED: "a fact ended",
    Reason.STALE: "too old",
    Reason.DRIFTED: "facts changed",
    Reason.BURST_ENDED: "many changes are over",
    Reason.BURST_CAP: "put off often enough",
    Reason.UNCHANGED: "nothing new",
    Reason.WITHIN_DRIFT: "little changed",
    Reason.BURST: "many changes at once",
}
"""The reasons of the gate in a few words."""


@dataclass(frozen=True, slots=True)
class CitedSpan:
    """A span of a summary and the edges that it cites, if any, in the order of their numbers."""

    text: str
    edge_ids: tuple[EdgeId, ...]


def split_at_citations(summary: Summary) -> list[CitedSpan]:
    """Split the summary at the bounds of its citations; the spans together are the whole text."""
    spans: list[CitedSpan] = []
    offset = 0
    for citation in sorted(summary.citations, key=lambda reference: reference.char_start):
        begin, end = max(offset, citation.char_start), min(citation.char_end, len(summary.text))
        if end <= begin:
            continue
        if begin > offset:
            spans.append(CitedSpan(summary.text[offset:begin], ()))
        spans.append(CitedSpan(summary.text[begin:end], citation.edge_ids))
        offset = end
    if offset < len(summary.text):
        spans.append(CitedSpan(summary.text[offset:], ()))
    return spans


@router.get("")
def show_summaries(
    page: Renderer,
    page_space: PageSpaceDep,
    space: ReadableSpace,
    after: Annotated[str | None, Query(max_length=60)] = None,
) -> Response:
    """Show the summaries of the most mentioned nodes, the gate's decisions by reason, and skips to review."""
    node_summaries = summaries.list_summaries(space, after=_parse_page_cursor(after), limit=PAGE_SIZE + 1)
    last_summary = node_summaries[PAGE_SIZE - 1] if len(node_summaries) > PAGE_SIZE else None
    return page.show(
        "insight/summaries.html",
        page_space=page_space,
        active="summaries",
        listed=node_summaries[:PAGE_SIZE],
        report=summaries.build_gate_report(space, max_skips=MAX_SKIPS),
        waiting=summaries.list_deferred_summaries(space, limit=MAX_WAITING),
        meanings=SENTENCE_BY_REASON,
        titles=TITLE_BY_REASON,
        enabled=space.settings.summaries,
        after=after,
        following=f"{last_summary.mention_count}.{last_summary.node_id}" if last_summary else None,
    )


@router.post("/refresh")
def start_summary_refresh(page: Renderer, page_space: PageSpaceDep, space: WritableSpace) -> Response:
    """Run the gate on every node now; unchanged nodes cost nothing."""
    job = scheduling.enqueue_or_hasten_gate_evaluation_of_all_nodes(space)
    return page.redirect(f"{page_space.path}/jobs/{job.id}")


@router.get("/{node_id}")
def show_summary(page: Renderer, page_space: PageSpaceDep, space: ReadableSpace, node_id: UUID) -> Response:
    """Show one summary, each sentence with its edges, and the stored decisions about it, newest first."""
    node_summary = summaries.get_summary(space, NodeId(node_id))
    spans = split_at_citations(node_summary.summary)
    edge_ids = [edge_id for span in spans for edge_id in span.edge_ids]
    return page.show(
        "insight/summary.html",
        page_space=page_space,
        active="summaries",
        found=node_summary,
        spans=spans,
        edge_holds=_get_holding_state_by_edge(space, edge_ids),
        decisions=list(reversed(summaries.list_gate_decisions_about_node(space, NodeId(node_id)))),
        meanings=SENTENCE_BY_REASON,
        titles=TITLE_BY_REASON,
    )


def _get_holding_state_by_edge(space: ReadableSpace, edge_ids: Sequence[EdgeId]) -> dict[EdgeId, bool]:
    """Return whether each of these edges holds now, without those that no longer exist."""
    return {edge.id: edge.holds() for edge in graph.get_edges(space, sorted(set(edge_ids)))}


class _SummaryCursor(NamedTuple):
    """The last node of a page."""

    mention_count: int
    node_id: NodeId


def _parse_page_cursor(after: str | None) -> _SummaryCursor | None:
    """Parse the cursor of a page. Raises NotFound if it is malformed."""
    if after is None:
        return None
    try:
        mention_count, node_id = after.split(".")
        return _SummaryCursor(int(mention_count), NodeId(UUID(node_id)))
    except ValueError:
        raise NotFound("page") from None
