"""Trials: a sample of chunks extracted again with another model or other settings, stored beside the
graph.
"""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import Field

from app.answers.golden import promotion as promotions
from app.api.jobs import JobAnswer
from app.api.permissions import AdministeredSpaceId, Administrator, CitegraphDep
from app.api.protocol.route import ApiRoute
from app.api.sessions import AdministeredSpace, PrimarySpace
from app.api.shapes import Answer, Body
from app.http.input_text import Id, Name
from app.ids import JobId
from app.ingest.trials import service as trials
from app.ingest.trials.service import TRIABLE_SETTINGS
from app.ingest.trials.views import report_view, trial_view
from app.limits import TRIAL_CHUNKS

router = APIRouter(prefix="/v1/spaces/{space_id}/trials", tags=["trials"], route_class=ApiRoute)


class TrialBody(Body):
    """How to extract a sample of the space's chunks again."""

    model: Name | None = Field(
        None, description="One of CITEGRAPH_LLM_MODELS, or `rules`; null: the space's own."
    )
    settings: dict[str, Any] = Field(
        default_factory=dict,
        max_length=len(TRIABLE_SETTINGS),
        description=f"Changed settings, of: {', '.join(TRIABLE_SETTINGS)}.",
    )
    chunks: int = Field(50, ge=1, le=TRIAL_CHUNKS.maximum, description="Chunks of the sample.")


class TrialAnswer(Answer):
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


class TrialsAnswer(Answer):
    """The space's trials, newest first."""

    items: list[TrialAnswer]


class TrialClaimAnswer(Answer):
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


class RetypedAnswer(Answer):
    """A claim of the graph, and the different claim of the trial about the same two nodes in that chunk."""

    graph_claim: TrialClaimAnswer = Field(description="The claim in the graph.")
    trial_claim: TrialClaimAnswer = Field(description="The claim in the trial.")


class RelationCountsAnswer(Answer):
    """The numbers of claims of one relation type on both sides."""

    relation_type: str
    in_graph: int = Field(description="In the graph.")
    in_trial: int = Field(description="In the trial.")
    same: int = Field(description="In both.")
    added: int = Field(description="Only in the trial.")
    lost: int = Field(description="Only in the graph.")
    retyped: int = Field(description="Claims of the graph to which the trial gives another type.")


class TrialReportAnswer(Answer):
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


class PromotionAnswer(Answer):
    """The changes that a promoted trial makes, and the job that reads the documents again."""

    settings: dict[str, Any] = Field(description="The settings of the space that it changes, by name.")
    job_id: UUID | None = Field(description="The job that reads the documents again; null without one.")
    gated: bool = Field(
        description=(
            "Whether that job changes the settings, when the golden questions are answered no worse with what"
            " it read; otherwise they are changed at once."
        )
    )


@router.post("", status_code=202)
def begin_trial(citegraph: CitegraphDep, space: AdministeredSpace, body: TrialBody) -> JobAnswer:
    """Extract a sample of chunks with another model or other settings, in a job; the graph is not changed.

    409 trial_running, 422 nothing_to_try, model_not_offered, not_triable.
    """
    job = trials.begin_trial(
        space, citegraph.settings, model=body.model, changes=body.settings, chunks=body.chunks
    )
    return JobAnswer.model_validate(job)


@router.get("")
def list_trials(space: PrimarySpace) -> TrialsAnswer:
    """List the space's trials, newest first, at most 50."""
    return TrialsAnswer(
        items=[TrialAnswer.model_validate(trial_view(trial)) for trial in trials.list_trials(space)]
    )


@router.get("/{trial_id}")
def read_trial(space: PrimarySpace, trial_id: Id) -> TrialReportAnswer:
    """Compare the trial with the graph: claims that it adds, loses and types differently, cost and speed.
    404.
    """
    return TrialReportAnswer.model_validate(report_view(trials.build_trial_report(space, JobId(trial_id))))


@router.post("/{trial_id}/promote")
def promote_trial(
    citegraph: CitegraphDep,
    caller: Administrator,
    space_id: AdministeredSpaceId,
    trial_id: Id,
    reread: Annotated[
        bool, Query(description="Whether to read documents again that another model or prompt has read.")
    ] = True,
    force: Annotated[
        bool, Query(description="Whether to skip the gate of the golden questions (`golden_gate`).")
    ] = False,
) -> PromotionAnswer:
    """Give the space the trial's model and settings, and read its documents again with them in a job. With
    the gate that job fails with `worse_answers` if a golden question is answered worse, and changes nothing.
    404, 409 trial_unfinished, reread_running, not_evaluated, 422 model_not_offered.
    """
    promotion = promotions.promote_trial(
        citegraph.database,
        caller.tenant_id,
        space_id,
        JobId(trial_id),
        settings=citegraph.settings,
        actor=caller.actor,
        reread=reread,
        is_forced=force,
    )
    return PromotionAnswer(
        settings=dict(promotion.settings), job_id=promotion.job_id, gated=promotion.is_gated
    )


@router.delete("/{trial_id}", status_code=204)
def drop_trial(space: AdministeredSpace, trial_id: Id) -> None:
    """Remove the trial's results; a running trial is cancelled. 404."""
    trials.delete_trial(space, JobId(trial_id))
