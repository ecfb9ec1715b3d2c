"""Promote a trial: the space takes over its model and settings, and its documents are extracted again.

It is separate from `service.py`, whose commands must start without importing the extractors.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.answers.golden import repository, service
from app.answers.golden.service import NotEvaluated
from app.db.database import Database
from app.db.session import SpaceSession
from app.errors import Conflict
from app.ids import JobId, SpaceId, TenantId
from app.ingest.extractor_choice import require_offered_models
from app.ingest.trials import service as trials
from app.jobs import queue
from app.jobs.kinds import RereadDocuments
from app.jobs.states import FINAL_STATES, JobState
from app.llm.servers import list_extractors_that_spaces_may_choose
from app.settings import Settings
from app.tenancy.audit import service as audit
from app.tenancy.spaces import service as spaces


@dataclass(frozen=True)
class Promotion:
    """The settings that the trial changes, and the job that extracts the documents again, or None.

    If it `is_gated`, the job changes the settings after it has found that the golden questions are answered
    no worse.
    """

    settings: Mapping[str, Any]
    job_id: JobId | None
    is_gated: bool


def promote_trial(
    database: Database,
    tenant_id: TenantId,
    space_id: SpaceId,
    trial_id: JobId,
    *,
    settings: Settings,
    actor: str,
    reread: bool = True,
    is_forced: bool = False,
) -> Promotion:
    """Apply the trial's model and settings to the space, and queue a job that extracts its documents again.

    The job extracts the chunks that another model or prompt has extracted, or all if the trial changed
    settings. Without `reread` the graph stays as it is until a document is submitted with another text.
    `is_forced` skips the gate. Raises NotFound, ModelNotOffered, Conflict `trial_unfinished` or
    `reread_running`, and NotEvaluated.
    """
    with database.open_space(tenant_id, space_id) as space:
        trial = trials.get_trial(space, trial_id)
        if trial.state is not JobState.DONE:
            raise Conflict("The trial has not been read to its end.", code="trial_unfinished")
        changes = dict(trial.settings)
        if trial.model is not None:
            changes["extraction_model"] = trial.model
        require_offered_models(changes, list_extractors_that_spaces_may_choose(settings))
        baseline_run_id = None if is_forced else _find_gate_baseline_or_raise(space, reread=reread)
        job_id = None
        if reread:
            for job in queue.lock_enqueueing_and_list_jobs_of_kind(space, RereadDocuments.kind):
                if job.state not in FINAL_STATES and not job.cancel_requested:
                    raise Conflict("Documents are being read again: wait for it.", code="reread_running")
            reread_job = RereadDocuments(
                trial.model, trial.settings, None if baseline_run_id is None else str(baseline_run_id)
            )
            job_id = JobId(queue.enqueue(space, reread_job).id)
        audit.record(
            space,
            "trial.promote",
            actor=actor,
            target=trial_id,
            details={
                "settings": sorted(changes),
                "reread": reread,
                "gated": baseline_run_id is not None,
                "forced": is_forced,
            },
        )
    if baseline_run_id is None:
        spaces.update_space(database, tenant_id, space_id, actor=actor, setting_changes=changes)
    return Promotion(changes, job_id, baseline_run_id is not None)


def _find_gate_baseline_or_raise(space: SpaceSession, *, reread: bool) -> JobId | None:
    """Return the run that a promotion is compared with; None if there is no gate. Raises NotEvaluated."""
    questions = service.list_questions(space)
    if not space.settings.golden_gate or not questions:
        return None
    if not reread:
        raise NotEvaluated(
            "What a trial's reading does to the golden questions is known once documents are read by it:"
            " have them read again, or force the change."
        )
    baseline_run = service.find_newest_finished_run_with_own_settings(space)
    asked_question_ids = (
        set()
        if baseline_run is None
        else {row.question_id for row in repository.list_outcomes(space, baseline_run.id)}
    )
    if baseline_run is None or not {question.id for question in questions} <= asked_question_ids:
        raise NotEvaluated(
            "Before this change it is to be known how all golden questions are answered now: run them, or"
            " force the change."
        )
    return baseline_run.id
