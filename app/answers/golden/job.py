"""The jobs of golden questions.

`ask_golden_questions` is a run: it asks all questions and stores their outcomes. `reread_documents` extracts
the documents again with the model and settings of a promoted trial; if the space has the gate, only if the
golden questions are answered no worse.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from app.answers.golden import repository, service
from app.answers.golden.evaluator import GoldenAsker
from app.answers.golden.scoring import compare_runs, count_outcomes
from app.answers.golden.service import WorseAnswers
from app.ids import JobId
from app.ingest.extractor_choice import Extractors
from app.ingest.trials import service as trials
from app.ingest.trials.rereading import Rereading
from app.jobs.context import JobContext
from app.tenancy.spaces import service as spaces

GOLDEN_GATE_ACTOR = "golden questions"
"""The actor in the audit log of settings that the gate has let through."""


def ask_golden_questions(run: JobContext, asker: GoldenAsker) -> None:
    """Ask the questions that this run has not asked yet. A run with the space's own settings schedules the
    next.

    Raises LeaseLost, CancelRequested or StopRequested if the worker must release the job.
    """
    job_id = run.lease.job_id
    with run.open_space() as space:
        run.record_progress(space, stage="asking")
        changes = service.resolve_effective_values_of_changes(space, run.lease.arguments["settings"])
        questions = repository.list_questions(space)
        asked_question_ids = {outcome.question_id for outcome in repository.list_outcomes(space, job_id)}
    remaining_questions = [question for question in questions if question.id not in asked_question_ids]
    done_count = len(questions) - len(remaining_questions)
    for outcome in asker.ask_questions_with_changed_settings(
        run.lease.tenant_id, run.lease.space_id, remaining_questions, changes
    ):
        done_count += 1
        with run.open_space() as space:
            run.record_progress(
                space, progress=min(99.0, 100 * done_count / len(questions)), has_progressed=True
            )
            repository.store_outcome(space, job_id, outcome)
        run.raise_if_stop_requested()
        run.stop_if_others_wait()
    with run.open_space() as space:
        run.record_progress(space, stage="counting")
        if not run.lease.arguments["settings"]:
            service.schedule_next_run_if_configured(space)
        run.finish_done(space, counts=count_outcomes(repository.list_outcomes(space, job_id)))


def reread_documents(run: JobContext, extractors: Extractors, asker: GoldenAsker) -> None:
    """Extract the space's documents again; with a gate, first those that its golden questions rest on.

    Raises LeaseLost, CancelRequested or StopRequested if the worker must release the job. Raises WorseAnswers
    if the gate refuses the change; by then the documents are extracted again as before.
    """
    arguments = run.lease.arguments
    rereading = _fence_and_build_rereading(run, extractors, arguments["model"], arguments["settings"])
    if arguments["gate"] is not None:
        _reread_and_adopt_settings_if_gate_passes(run, extractors, asker, rereading, JobId(arguments["gate"]))
    rereading.stage = "reading again"
    rereading.reread_documents()
    with run.open_space() as space:
        run.check_lease(space)
        trials.delete_readings(space, run.lease.job_id)
        run.finish_done(space, counts=rereading.counts)


def _fence_and_build_rereading(
    run: JobContext,
    extractors: Extractors,
    model: str | None,
    changes: Mapping[str, Any],
    *,
    is_undoing: bool = False,
) -> Rereading:
    """Return a Rereading with this model, or the space's if it is None, and with these settings changed."""
    with run.open_space() as space:
        run.check_lease(space)
        settings_with_changes = trials.build_space_settings_with_changes(space, changes)
        counts = Counter(run.get_counts_of_earlier_attempts(space))
        opening_state = space.opening_state
    extraction = extractors.create_job_extraction(
        run.lease,
        run.stop_requested,
        model=model or settings_with_changes.extraction_model,
        embedding_model=opening_state.embedding_model,
        embedding_dimensions=opening_state.embedding_dimensions,
    )
    return Rereading(
        run,
        extraction,
        settings_with_changes,
        opening_state.vector_set,
        includes_all=bool(changes),
        stage="reading again",
        is_undoing=is_undoing,
        counts=counts,
    )


def _reread_and_adopt_settings_if_gate_passes(
    run: JobContext, extractors: Extractors, asker: GoldenAsker, rereading: Rereading, baseline_id: JobId
) -> None:
    """Apply the trial's model and settings to the space if its golden questions are answered no worse.

    The documents that the questions rest on are extracted again before the questions are asked. If an answer
    is worse, these documents are extracted as before. Raises WorseAnswers in that case.
    """
    lease = run.lease
    with run.open_space() as space:
        run.record_progress(space, stage="looking up golden questions")
        questions = service.list_questions(space)
        baseline_outcomes = repository.list_outcomes(space, baseline_id)
        asked_question_ids = {
            outcome.question_id for outcome in repository.list_outcomes(space, lease.job_id)
        }
    remaining_questions = [question for question in questions if question.id not in asked_question_ids]
    if remaining_questions:
        rereading.stage = "reading what golden questions rest on"
        rereading.reread_documents(
            asker.find_documents_retrieved_for_questions(lease.tenant_id, lease.space_id, questions)
        )
    for outcome in asker.ask_questions_with_changed_settings(
        lease.tenant_id, lease.space_id, remaining_questions, {}
    ):
        with run.open_space() as space:
            run.record_progress(space, stage="asking golden questions", has_progressed=True)
            repository.store_outcome(space, lease.job_id, outcome)
        run.raise_if_stop_requested()
        run.stop_if_others_wait()
    with run.open_space() as space:
        run.check_lease(space)
        worse_question_ids = set(
            compare_runs(baseline_outcomes, repository.list_outcomes(space, lease.job_id)).worse_question_ids
        )
    if worse_question_ids:
        undo_rereading = _fence_and_build_rereading(run, extractors, None, {}, is_undoing=True)
        undo_rereading.stage = "reading as before"
        undo_rereading.reread_documents()
        raise WorseAnswers.from_question_ids(questions, worse_question_ids)
    changes = dict(lease.arguments["settings"])
    if lease.arguments["model"] is not None:
        changes["extraction_model"] = lease.arguments["model"]
    spaces.update_space(
        run.database, lease.tenant_id, lease.space_id, actor=GOLDEN_GATE_ACTOR, setting_changes=changes
    )
