"""Trials of another model and their comparison with the graph."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import Field

from app.ingest.trials.comparison import ReadClaim
from app.ingest.trials.service import MAX_CLAIMS, TrialReport
from app.views.view import View


class TrialAnswer(View):
    """A trial: its model and settings, progress and cost."""

    id: UUID = Field(description="The id of its job.")
    model: str | None = Field(description="Null: the space's own.")
    settings: dict[str, Any]
    state: Literal["queued", "running", "done", "failed"]
    progress: float
    error: str | None
    created_at: datetime
    counts: dict[str, int] = Field(description="When it is done: chunks, same, added, lost, retyped.")
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float


class TrialsAnswer(View):
    """The space's trials, newest first."""

    items: list[TrialAnswer]


class TrialClaimAnswer(View):
    """A claim with the sentence that states it."""

    chunk_id: UUID
    document_id: UUID
    document_title: str
    from_name: str
    relation_type: str
    to_name: str
    polarity: str
    confidence: float
    quote: str


class RetypedAnswer(View):
    """A claim of the graph, and the different claim of the trial about the same two nodes in that chunk."""

    graph_claim: TrialClaimAnswer = Field(description="The claim in the graph.")
    trial_claim: TrialClaimAnswer = Field(description="The claim in the trial.")


class RelationCountsAnswer(View):
    """The numbers of claims of one relation type on both sides."""

    relation_type: str
    in_graph: int = Field(description="In the graph.")
    in_trial: int = Field(description="In the trial.")
    same: int = Field(description="In both.")
    added: int = Field(description="Only in the trial.")
    lost: int = Field(description="Only in the graph.")
    retyped: int = Field(description="Claims of the graph to which the trial gives another type.")


class TrialReportAnswer(View):
    """A trial compared with what the graph has from the same chunks."""

    trial: TrialAnswer
    chunks: int = Field(description="Chunks read so far.")
    failures: dict[str, int] = Field(description="Chunks that could not be read, by code; not compared.")
    read_by: dict[str, int] = Field(description="Chunks by what extracted them for the graph: model/prompt.")
    seconds: float = Field(description="Time for its documents; cached answers take none.")
    seconds_per_chunk: float
    cost_usd_per_chunk: float
    same: int
    added: int
    lost: int
    retyped: int
    by_relation: list[RelationCountsAnswer]
    added_claims: list[TrialClaimAnswer] = Field(description="At most 200, as for the next two.")
    lost_claims: list[TrialClaimAnswer]
    retyped_claims: list[RetypedAnswer]


class PromotionAnswer(View):
    """The changes that a promoted trial makes, and the job that reads the documents again."""

    settings: dict[str, Any] = Field(description="The settings of the space that it changes, by name.")
    job_id: UUID | None = Field(description="The job that reads the documents again; null without one.")
    gated: bool = Field(
        description=(
            "Whether that job changes the settings, when the golden questions are answered no worse with what"
            " it read; otherwise they are changed at once."
        )
    )


def build_trial_report(report: TrialReport, *, limit: int = MAX_CLAIMS) -> TrialReportAnswer:
    """Return the trial compared with the graph, with at most `limit` claims of each kind."""

    def show_claim(claim: ReadClaim) -> TrialClaimAnswer:
        document_id, title = report.documents[claim.chunk_id]
        return TrialClaimAnswer.from_value(claim, document_id=document_id, document_title=title)

    comparison = report.comparison
    chunk_count = max(report.chunks, 1)
    return TrialReportAnswer.from_value(
        report,
        seconds=round(report.seconds, 3),
        seconds_per_chunk=round(report.seconds / chunk_count, 4),
        cost_usd_per_chunk=report.trial.cost_usd / chunk_count,
        same=comparison.same,
        added=len(comparison.added),
        lost=len(comparison.lost),
        retyped=len(comparison.retyped),
        by_relation=[
            RelationCountsAnswer.from_value(counts, relation_type=relation_type)
            for relation_type, counts in comparison.by_relation.items()
        ],
        added_claims=[show_claim(claim) for claim in comparison.added[:limit]],
        lost_claims=[show_claim(claim) for claim in comparison.lost[:limit]],
        retyped_claims=[
            RetypedAnswer(
                graph_claim=show_claim(retyped_claim.graph_claim),
                trial_claim=show_claim(retyped_claim.trial_claim),
            )
            for retyped_claim in comparison.retyped[:limit]
        ],
    )
