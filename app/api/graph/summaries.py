"""Summaries of nodes: a look at all of them on demand, and what their gate decided, for a person to review
(6.2).
"""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import Field

from app.api.deps import ReadableSpace, WritableSpace
from app.api.edge.body_limits import StrictRoute
from app.api.jobs import JobAnswer
from app.api.shapes import Answer
from app.summaries import scheduling
from app.summaries import service as summaries
from app.summaries.shapes import NodeSummary

router = APIRouter(
    prefix="/v1/spaces/{space_id}/graph/summaries", tags=["summaries"], route_class=StrictRoute
)


class SummaryCitationAnswer(Answer):
    """A range of the summary's characters, from 0, and the edges that it rests on."""

    char_start: int
    char_end: int
    edge_ids: list[UUID]


class SummaryAnswer(Answer):
    """The summary of a node, sentence by sentence cited."""

    text: str
    citations: list[SummaryCitationAnswer]
    written_by: str = Field(description="rules or the model's name.")
    at: datetime = Field(description="When it was written.")


class ReasonCountAnswer(Answer):
    """How often the gate decided for one reason, and whether that wrote the summary."""

    reason: str
    refreshed: bool
    decisions: int
    last_at: datetime


class SkipAnswer(Answer):
    """A refresh that the gate skipped: what was new, how far that is from the summary, which stayed."""

    node_id: UUID
    canonical_name: str
    node_type: str
    at: datetime
    reason: str
    drift: float = Field(description="Cosine distance of the facts from those of the summary, 0 to 2.")
    new_facts: list[str]
    summary: str


class GateReportAnswer(Answer):
    """The space's gate so far; of the skips one in fifty is kept, the newest 200."""

    counts: list[ReasonCountAnswer]
    skipped_share: float = Field(description="Share of decisions that cost nothing, 0 to 1.")
    skips: list[SkipAnswer]


@router.get("/gate")
def read_gate(
    space: ReadableSpace,
    skips: Annotated[int, Query(ge=0, le=200, description="Skips to show, the newest first.")] = 50,
) -> GateReportAnswer:
    """Count the gate's decisions, by reason, and show a sample of its skips."""
    return GateReportAnswer.model_validate(summaries.gate_report(space, skips=skips))


@router.post("/refresh", status_code=202)
def refresh_summaries(space: WritableSpace) -> JobAnswer:
    """Have the gate look at every node now; the job. What did not change costs nothing, as ever."""
    return JobAnswer.model_validate(scheduling.request_refresh(space))


def summary_answer(found: NodeSummary | None) -> SummaryAnswer | None:
    """A node's summary as the node's route shows it; None where it has none."""
    if found is None:
        return None
    return SummaryAnswer(
        text=found.summary.text,
        citations=[SummaryCitationAnswer.model_validate(each) for each in found.summary.citations],
        written_by=found.summary.written_by,
        at=found.at,
    )
