"""Golden questions of a space: questions with the expected answers, asked in runs.

A run asks all questions, with the settings of the space or with others to try. Runs are stored and compared.
If the space has the setting `golden_gate`, a change of settings or the promotion of a trial is refused if it
makes an answer worse.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple, Unpack

from app.answers.golden import repository
from app.answers.golden.repository import list_questions
from app.answers.golden.scoring import GoldenComparison, GoldenQuestion, Outcome, compare_runs
from app.db.database import Database
from app.db.models import Job, KnowledgeSpace
from app.db.session import SpaceSession
from app.errors import Conflict, InvalidInput, NotFound
from app.graph import input_checks
from app.http.edit_versions.shapes import ExpectedVersions
from app.ids import GoldenQuestionId, JobId, SpaceId, TenantId, create_id
from app.ingest.extractor_choice import require_offered_models
from app.jobs import queue
from app.jobs.kinds import AskGolden
from app.jobs.states import FINAL_STATES, JobState
from app.limits import GOLDEN_EXPECTED, GOLDEN_EXPECTED_TEXT, GOLDEN_QUESTION, GOLDEN_QUESTIONS
from app.space_settings import effective_settings
from app.tenancy.audit import service as audit
from app.tenancy.spaces import service as spaces

__all__ = ["list_questions"]
MAX_RUNS = 100
TRIED_SETTINGS = frozenset(
    {
        "fan_out", "max_facts", "statement_weight", "context_tokens", "verify_sentences", "similar_anchors",
        "anchor_similarity", "hybrid_weights", "fact_source_weights", "fact_decay", "fact_grace_days",
        "fact_usage_boost", "fact_confirmed_weight", "promotion_threshold", "single_valued_relations",
    }
)  # fmt: skip
"""Settings that change how questions are answered from the same graph: runs can try them, the gate checks
them.
"""


class WorseAnswers(Conflict):
    """A change that the gate refuses: golden questions would be answered worse."""

    code = "worse_answers"

    @classmethod
    def from_question_ids(
        cls, questions: Sequence[GoldenQuestion], worse_question_ids: Collection[GoldenQuestionId]
    ) -> "WorseAnswers":
        """Return the error with the text of the questions in `worse_question_ids`."""
        question_texts = "; ".join(
            question.question for question in questions if question.id in worse_question_ids
        )
        return cls(
            f"{len(worse_question_ids)} of {len(questions)} golden questions would be answered worse:"
            f" {question_texts[:600]}."
            " Force the change to make it all the same."
        )


class NotEvaluated(Conflict):
    """A change that the gate cannot judge: a run to compare with is missing."""

    code = "not_evaluated"


@dataclass(frozen=True)
class GoldenRun:
    """A run: the changed settings, its state and progress, and the counts of its outcomes."""

    id: JobId
    settings: Mapping[str, Any]
    state: JobState
    progress: float
    error: str | None
    created_at: datetime
    counts: Mapping[str, int]


@dataclass(frozen=True)
class RunReport:
    """The outcomes of a run, and the comparison with another run; None without another run."""

    golden_run: GoldenRun
    questions: Sequence[GoldenQuestion]
    outcomes: Mapping[GoldenQuestionId, Outcome]
    baseline_run: GoldenRun | None
    comparison: GoldenComparison | None


class AddedQuestions(NamedTuple):
    """The numbers of new questions and of stored ones whose expectations were replaced."""

    new: int
    changed: int


def add_or_replace_questions(space: SpaceSession, entries: Iterable[Mapping[str, Any]]) -> AddedQuestions:
    """Add questions; return how many are new and changed. An entry has `question`, `answers`, `sources`.

    An entry with the words of a stored question replaces its expectations. Without answers and sources, a
    refusal is expected. Raises InvalidInput `bad_golden_question`, `invalid_characters` or
    `too_many_golden_questions`.
    """
    questions = {question.question: question for question in map(_parse_question, entries)}
    stored_questions = {question.question for question in list_questions(space)}
    if len(stored_questions | questions.keys()) > GOLDEN_QUESTIONS.maximum:
        raise InvalidInput(
            f"A space has at most {GOLDEN_QUESTIONS.maximum:,} golden questions.",
            code="too_many_golden_questions",
        )
    new_count = repository.add_or_replace_questions_and_count_new(space, list(questions.values()))
    audit.record(
        space, "golden.add", target=space.space_id, details={"questions": len(questions), "new": new_count}
    )
    schedule_next_run_if_configured(space)
    return AddedQuestions(new_count, len(questions) - new_count)


def _parse_question(entry: Mapping[str, Any]) -> GoldenQuestion:
    value = entry.get("question")
    text = " ".join(value.split()) if isinstance(value, str) else ""
    answers, sources = (_parse_texts(entry, name) for name in ("answers", "sources"))
    if input_checks.is_blank(text) or len(text) > GOLDEN_QUESTION.maximum:
        raise InvalidInput(
            f"A golden question has 1 to {GOLDEN_QUESTION.maximum:,} characters.", code="bad_golden_question"
        )
    input_checks.check_length_and_characters("question", text)
    return GoldenQuestion(GoldenQuestionId(create_id()), text, answers, sources, datetime.now(UTC))


def _parse_texts(entry: Mapping[str, Any], field_name: str) -> tuple[str, ...]:
    values = entry.get(field_name) or []
    values = [values] if isinstance(values, str) else values
    if not isinstance(values, list | tuple) or not all(isinstance(value, str) for value in values):
        raise InvalidInput(
            f"{field_name} of a golden question is a list of texts.", code="bad_golden_question"
        )
    texts = tuple(dict.fromkeys(filter(None, (" ".join(value.split()) for value in values))))
    if len(texts) > GOLDEN_EXPECTED.maximum or any(
        len(text) > GOLDEN_EXPECTED_TEXT.maximum for text in texts
    ):
        raise InvalidInput(
            f"A golden question has at most {GOLDEN_EXPECTED.maximum} {field_name} of"
            f" {GOLDEN_EXPECTED_TEXT.maximum:,} characters.",
            code="bad_golden_question",
        )
    for text in texts:
        input_checks.check_length_and_characters(field_name, text)
    return texts


def remove_question(space: SpaceSession, question_id: GoldenQuestionId) -> None:
    """Delete a question with its outcomes in all runs. Raises NotFound."""
    if not repository.delete_questions_and_count_deleted(space, [question_id]):
        raise NotFound("golden question")
    audit.record(space, "golden.remove", target=question_id)


def queue_golden_run(space: SpaceSession, setting_changes: Mapping[str, Any] | None = None) -> Job:
    """Queue a run with the space's settings, or with these changed; return its job.

    Raises InvalidInput `no_golden_question`, `not_tried_by_questions` or for an invalid value of a setting,
    and Conflict `run_under_way`.
    """
    setting_changes = dict(setting_changes or {})
    if not repository.count_questions(space):
        raise InvalidInput("The space has no golden question yet.", code="no_golden_question")
    if not setting_changes.keys() <= TRIED_SETTINGS:
        raise InvalidInput(
            f"A run tries these settings alone: {', '.join(sorted(TRIED_SETTINGS))}. Trials try"
            " what is read in documents.",
            code="not_tried_by_questions",
        )
    resolve_effective_values_of_changes(space, setting_changes)
    for job in queue.lock_enqueueing_and_list_jobs_of_kind(space, AskGolden.kind):
        if (
            job.state not in FINAL_STATES
            and not job.cancel_requested
            and job.arguments["settings"] == setting_changes
        ):
            if job.state == JobState.QUEUED:
                return queue.enqueue_or_run_earlier(space, AskGolden(setting_changes), delay=0.0)
            raise Conflict("Such a run is under way: wait for it.", code="run_under_way")
    job = queue.enqueue(space, AskGolden(setting_changes))
    audit.record(space, "golden.run", target=job.id, details={"settings": sorted(setting_changes)})
    return job


def resolve_effective_values_of_changes(space: SpaceSession, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the effective values of changed settings in the space. Raises InvalidInput."""
    merged_settings = spaces.merge_space_settings(space.opening_state.settings, changes)
    resolved_settings = effective_settings(space.orm.platform, merged_settings.model_dump())
    return {name: getattr(resolved_settings, name) for name in changes}


def schedule_next_run_if_configured(space: SpaceSession) -> None:
    """Schedule the next run `golden_every_hours` from now, if the space has that setting and questions."""
    interval_hours = space.settings.golden_every_hours
    if interval_hours is not None and repository.count_questions(space):
        queue.enqueue_or_run_earlier(space, AskGolden({}), delay=interval_hours * 3_600)


def list_newest_golden_runs(space: SpaceSession) -> list[GoldenRun]:
    """Return the space's runs, newest first, at most 100."""
    return [_build_run(job) for job in queue.list_jobs_of_kind(space, AskGolden.kind)][:MAX_RUNS]


def _build_run(job: Job) -> GoldenRun:
    return GoldenRun(
        JobId(job.id),
        job.arguments["settings"],
        JobState(job.state),
        job.progress,
        job.error_message,
        job.created_at,
        dict(job.counts),
    )


def build_run_report(space: SpaceSession, run_id: JobId, against_id: JobId | None = None) -> RunReport:
    """Return a run compared with another: `against_id`, or the last run before it with the space's own
    settings.

    Raises NotFound.
    """
    runs = list_newest_golden_runs(space)
    run_by_id = {run.id: run for run in runs}
    run = run_by_id.get(run_id)
    if run is None or (against_id is not None and against_id not in run_by_id):
        raise NotFound("golden run")
    baseline_run = (
        run_by_id[against_id]
        if against_id is not None
        else _find_newest_finished_baseline_run(runs, run_before=run)
    )
    outcomes = repository.list_outcomes(space, run.id)
    comparison = (
        None
        if baseline_run is None
        else compare_runs(repository.list_outcomes(space, baseline_run.id), outcomes)
    )
    return RunReport(
        run,
        list_questions(space),
        {outcome.question_id: outcome for outcome in outcomes},
        baseline_run,
        comparison,
    )


def find_newest_finished_run_with_own_settings(space: SpaceSession) -> GoldenRun | None:
    """Return the newest finished run with the space's own settings."""
    return _find_newest_finished_baseline_run(list_newest_golden_runs(space))


def list_outcomes_of_newest_finished_run(space: SpaceSession) -> list[Outcome]:
    """Return the outcomes of the newest finished run with the space's own settings; [] if there is none."""
    run = find_newest_finished_run_with_own_settings(space)
    return [] if run is None else repository.list_outcomes(space, run.id)


def _find_newest_finished_baseline_run(
    runs: Sequence[GoldenRun], run_before: GoldenRun | None = None
) -> GoldenRun | None:
    """Return the newest finished run with the space's own settings, of those before `run_before` if that is
    given.
    """
    return next(
        (
            run
            for run in runs
            if run.state is JobState.DONE
            and not run.settings
            and (run_before is None or (run.id != run_before.id and run.created_at < run_before.created_at))
        ),
        None,
    )


def update_space_if_gate_passes(
    database: Database,
    tenant_id: TenantId,
    space_id: SpaceId,
    *,
    actor: str,
    reading_models: Collection[str],
    expected_versions: ExpectedVersions | None = None,
    is_forced: bool = False,
    **changes: Unpack[spaces.SpaceChanges],
) -> KnowledgeSpace:
    """Call `spaces.update_space` after the space's gate has let the changes pass; `is_forced` skips the gate.

    `reading_models` are those that a space may choose. Raises the errors of `update_space`, ModelNotOffered,
    NotEvaluated and WorseAnswers.
    """
    setting_changes = changes.get("setting_changes")
    if setting_changes:
        require_offered_models(setting_changes, reading_models)
        with database.open_space(tenant_id, space_id) as space:
            if space.settings.golden_gate:
                if is_forced:
                    audit.record(
                        space,
                        "golden.override",
                        actor=actor,
                        target=space_id,
                        details={"settings": sorted(setting_changes)},
                    )
                else:
                    require_gate_passes(space, setting_changes)
    updated_space = spaces.update_space(
        database, tenant_id, space_id, actor=actor, expected_versions=expected_versions, **changes
    )
    if setting_changes and "golden_every_hours" in setting_changes:
        with database.open_space(tenant_id, space_id) as space:
            schedule_next_run_if_configured(space)
    return updated_space


def require_gate_passes(space: SpaceSession, setting_changes: Mapping[str, Any]) -> None:
    """Raise an error if golden questions would be answered worse with changed settings, or if that is
    unknown.

    Settings that have no effect on answers are not checked. Raises NotEvaluated if there is no run with the
    space's own settings, none with exactly this change, or one of them did not ask all questions. Raises
    WorseAnswers with the questions that are answered worse.
    """
    changes = _select_changes_with_effect_on_answers(space, setting_changes)
    questions = list_questions(space)
    if not changes or not questions:
        return
    runs = [run for run in list_newest_golden_runs(space) if run.state is JobState.DONE]
    run_with_change = next(
        (run for run in runs if _select_changes_with_effect_on_answers(space, run.settings) == changes), None
    )
    baseline_run = _find_newest_finished_baseline_run(runs)
    if run_with_change is None or baseline_run is None:
        missing_run = "run with this change" if run_with_change is None else "run as the space is set now"
        raise NotEvaluated(
            "Before this change its effect on the golden questions is to be known:"
            f" there is no {missing_run}."
            " Run it, or force the change."
        )
    outcomes_by_run_id = {
        run.id: repository.list_outcomes(space, run.id) for run in (baseline_run, run_with_change)
    }
    asked_ids_by_run = [
        {outcome.question_id for outcome in run_outcomes} for run_outcomes in outcomes_by_run_id.values()
    ]
    if not all({question.id for question in questions} <= asked_ids for asked_ids in asked_ids_by_run):
        raise NotEvaluated("Golden questions came after the runs: run both again, or force the change.")
    worse_question_ids = set(
        compare_runs(
            outcomes_by_run_id[baseline_run.id], outcomes_by_run_id[run_with_change.id]
        ).worse_question_ids
    )
    if worse_question_ids:
        raise WorseAnswers.from_question_ids(questions, worse_question_ids)


def _select_changes_with_effect_on_answers(
    space: SpaceSession, setting_changes: Mapping[str, Any]
) -> dict[str, str]:
    """Return the effective values of the changed settings that have an effect on answers, without unchanged
    ones.

    Values are compared as they take effect: a default that is written out, or 1 and 1.0, are not a change.
    """
    changes = {name: value for name, value in setting_changes.items() if name in TRIED_SETTINGS}
    effective_values = resolve_effective_values_of_changes(space, changes)
    return {
        name: _format_setting_value(value)
        for name, value in effective_values.items()
        if _format_setting_value(value) != _format_setting_value(getattr(space.settings, name))
    }


def _format_setting_value(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)
