"""Summaries of nodes, and the decisions to refresh them."""

from datetime import datetime
from typing import Self
from uuid import UUID

from pydantic import Field

from app.derived.summaries.history import WeighedEpisode
from app.derived.summaries.shapes import NodeSummary
from app.views.view import View


class SummaryCitationAnswer(View):
    """A range of the summary's characters, from 0, and the edges that support it."""

    char_start: int
    char_end: int
    edge_ids: list[UUID]


class SummaryAnswer(View):
    """The summary of a node, with citations for each sentence."""

    text: str
    citations: list[SummaryCitationAnswer]
    written_by: str = Field(description="rules or the model's name.")
    at: datetime = Field(description="When it was written.")

    @classmethod
    def from_node_summary(cls, node_summary: NodeSummary) -> Self:
        """Build the model from a node's summary."""
        summary = node_summary.summary
        return cls.from_value(
            node_summary, text=summary.text, citations=summary.citations, written_by=summary.written_by
        )


class NodeSummaryAnswer(SummaryAnswer):
    """The summary of a node, with the history of its gate."""

    node_id: UUID
    canonical_name: str
    node_type: str
    last_reason: str = Field(description="The reason of the gate's last decision.")
    checked_at: datetime
    refreshed: int = Field(description="How many times it was written.")
    skipped: int = Field(description="How many times a check left the summary unchanged.")


class WaitingSummaryAnswer(NodeSummaryAnswer):
    """A summary whose facts changed, and when its gate next checks it."""

    due_at: datetime | None


class GateDecisionAnswer(View):
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


class ReasonCountAnswer(View):
    """How often the gate decided for one reason, and whether that wrote the summary."""

    reason: str
    refreshed: bool
    decisions: int
    last_at: datetime


class SkipAnswer(View):
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


class GateReportAnswer(View):
    """The space's gate so far; one in fifty skips is kept, the newest 200."""

    counts: list[ReasonCountAnswer]
    skipped_share: float = Field(description="Share of decisions that left the summary unchanged, 0 to 1.")
    skips: list[SkipAnswer]


def build_gate_decision_answer(weighed_episode: WeighedEpisode) -> GateDecisionAnswer:
    """Return a decision as the node's route shows it."""
    return GateDecisionAnswer.from_value(
        weighed_episode.episode, drift=weighed_episode.drift, threshold=weighed_episode.threshold
    )
