"""Trials: a sample of chunks extracted again with another model or other settings, stored beside the
graph.
"""

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Field

from app.answers.golden import promotion as promotions
from app.api.key_scopes import AdministeredSpaceId, Administrator, CitegraphDep
from app.api.protocol.route import ApiRoute
from app.api.sessions import AdministeredSpace, PrimarySpace
from app.api.shapes import Body
from app.http.input_text import Id, Name
from app.ids import JobId
from app.ingest.trials import service as trials
from app.ingest.trials.service import TRIABLE_SETTINGS
from app.limits import TRIAL_CHUNKS
from app.views.jobs import JobAnswer
from app.views.trials import PromotionAnswer, TrialAnswer, TrialReportAnswer, TrialsAnswer, build_trial_report

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


@router.post("", status_code=202)
def begin_trial(citegraph: CitegraphDep, space: AdministeredSpace, body: TrialBody) -> JobAnswer:
    """Extract a sample of chunks with another model or other settings, in a job; the graph is not changed.

    409 trial_running, 422 nothing_to_try, model_not_offered, not_triable.
    """
    job = trials.queue_extraction_trial(
        space, citegraph.settings, model=body.model, changes=body.settings, chunk_count=body.chunks
    )
    return JobAnswer.model_validate(job)


@router.get("")
def list_trials(space: PrimarySpace) -> TrialsAnswer:
    """List the space's trials, newest first, at most 50."""
    return TrialsAnswer(items=[TrialAnswer.model_validate(trial) for trial in trials.list_trials(space)])


@router.get("/{trial_id}")
def read_trial(space: PrimarySpace, trial_id: Id) -> TrialReportAnswer:
    """Compare the trial with the graph: claims that it adds, loses and types differently, cost and speed.
    404.
    """
    return build_trial_report(trials.build_trial_report(space, JobId(trial_id)))


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
