"""Summaries of nodes: refreshing them on demand, and the decisions of their gate for review (requirement
6.2).
"""

from datetime import datetime
from typing import Annotated, TypeVar
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import Field

from app.api.jobs import JobAnswer
from app.api.paging import RequestedPage
from app.api.protocol.route import ApiRoute
from app.api.sessions import ReadableSpace, WritableSpace
from app.api.shapes import Answer, Listing
from app.derived.summaries import scheduling
from app.derived.summaries import service as summaries
from app.derived.summaries.history import WeighedEpisode
from app.derived.summaries.shapes import NodeSummary
from app.ids import NodeId
from app.limits import PAGE

router = APIRouter(prefix="/v1/spaces/{space_id}/graph/summaries", tags=["summaries"], route_class=ApiRoute)


class SummaryCitationAnswer(Answer):
    """A range of the summary's characters, from 0, and the edges that support it."""

    char_start: int
    char_end: int
    edge_ids: list[UUID]


class SummaryAnswer(Answer):
    """The summary of a node, with citations for each sentence."""

    text: str
    citations: list[SummaryCitationAnswer]
    written_by: str = Field(description="rules or the model's name.")
    at: datetime = Field(description="When it was written.")


class NodeSummaryAnswer(SummaryAnswer):
    """The summary of a node, with the history of its gate."""

    node_id: UUID
    canonical_name: str
    node_type: str
    last_reason: str = Field(description="The reason of the gate's last decision.")
    checked_at: datetime
    refreshed: int = Field(description="How many times it was written.")
    skipped: int = Field(description="How many times a check left the summary unchanged.")


Shape = TypeVar("Shape", bound=SummaryAnswer)


class WaitingSummaryAnswer(NodeSummaryAnswer):
    """A summary whose facts changed, and when its gate next checks it."""

    due_at: datetime | None


class GateDecisionAnswer(Answer):
    """A decision of the gate about one node, with its criteria."""

    number: int
    at: datetime
    refreshed: bool
    reason: str
    fact_added: bool = Field(description="Whether facts were added.")
    fact_removed: bool = Field(description="Whether facts were removed.")
    denial_added: bool = Field(description="Whether an added fact is a denial.")
    drift: float | None = Field(
        description="Cosine distance of the facts from those of the summary; null if one had no vector."
    )
    threshold: float = Field(description="The limit for drift, by the current settings.")


class ReasonCountAnswer(Answer):
    """How often the gate decided for one reason, and whether that wrote the summary."""

    reason: str
    refreshed: bool
    decisions: int
    last_at: datetime


class SkipAnswer(Answer):
    """A refresh that the gate skipped: the new facts, their distance from the summary, and the unchanged
    summary.
    """

    node_id: UUID
    canonical_name: str
    node_type: str
    at: datetime
    reason: str
    drift: float = Field(description="Cosine distance of the facts from those of the summary, 0 to 2.")
    new_facts: list[str]
    summary: str


class GateReportAnswer(Answer):
    """The space's gate so far; one in fifty skips is kept, the newest 200."""

    counts: list[ReasonCountAnswer]
    skipped_share: float = Field(description="Share of decisions that left the summary unchanged, 0 to 1.")
    skips: list[SkipAnswer]


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
    return page.build_listing(
        rows, _build_listed_summary, lambda row: [row.mention_count, str(row.node_id)], scope
    )


@router.get("/waiting")
def list_waiting_summaries(
    space: ReadableSpace,
    limit: Annotated[int, Query(ge=1, le=PAGE.maximum, description="Summaries to show.")] = 50,
) -> list[WaitingSummaryAnswer]:
    """List the summaries that were postponed by a burst of changes, the next one due first."""
    deferred_summaries = summaries.list_deferred_summaries(space, limit=limit)
    return [_build_summary(waiting_summary, WaitingSummaryAnswer) for waiting_summary in deferred_summaries]


@router.get("/gate")
def read_gate(
    space: ReadableSpace,
    skips: Annotated[int, Query(ge=0, le=PAGE.maximum, description="Skips to show, the newest first.")] = 50,
) -> GateReportAnswer:
    """Count the gate's decisions by reason, and show a sample of its skips."""
    return GateReportAnswer.model_validate(summaries.gate_report(space, skips=skips))


@router.post("/refresh", status_code=202)
def refresh_summaries(space: WritableSpace) -> JobAnswer:
    """Have the gate check every node now; return the job. As always, what did not change costs nothing."""
    return JobAnswer.model_validate(scheduling.request_refresh(space))


def _build_listed_summary(node_summary: NodeSummary) -> NodeSummaryAnswer:
    return _build_summary(node_summary, NodeSummaryAnswer)


def build_summary_answer(node_summary: NodeSummary | None) -> SummaryAnswer | None:
    """Return a node's summary as its route shows it; None if it has none."""
    return None if node_summary is None else _build_summary(node_summary, SummaryAnswer)


def _build_summary(node_summary: NodeSummary, shape: type[Shape]) -> Shape:
    summary = node_summary.summary
    return shape.from_value(
        node_summary, text=summary.text, citations=summary.citations, written_by=summary.written_by
    )


def build_decision_answer(weighed_episode: WeighedEpisode) -> GateDecisionAnswer:
    """Return a decision as the node's route shows it."""
    return GateDecisionAnswer.from_value(
        weighed_episode.episode, drift=weighed_episode.drift, threshold=weighed_episode.threshold
    )
