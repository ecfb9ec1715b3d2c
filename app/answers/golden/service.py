"""Golden questions of a space: its own questions with what is expected of their answers, asked in runs.

A run asks all of them by the settings of the space, or by others that are to be tried. Runs are kept and
compared; where the space wants it (`golden_gate`), a change of settings that makes answers worse is refused,
and so is the promotion of a trial: its job reads the documents that the questions rest on first, and asks.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from app.answers.golden import repository
from app.answers.golden.repository import list_questions
from app.answers.golden.scoring import GoldenComparison, GoldenQuestion, Outcome, compare_runs
from app.db.models import Job, KnowledgeSpace
from app.db.session import Database, SpaceSession
from app.errors import Conflict, InvalidInput, NotFound
from app.graph import checks
from app.ids import GoldenQuestionId, JobId, SpaceId, TenantId, new_id
from app.jobs import queue
from app.jobs.kinds import AskGolden
from app.jobs.states import FINAL_STATES, JobState
from app.limits import GOLDEN_EXPECTED, GOLDEN_EXPECTED_TEXT, GOLDEN_QUESTION, GOLDEN_QUESTIONS
from app.space_settings import effective_settings
from app.tenancy.audit import service as audit
from app.tenancy.spaces import service as spaces

__all__ = ["list_questions"]
MOST_RUNS = 100
TRIED_SETTINGS = frozenset(
    {
        "fan_out", "max_facts", "statement_weight", "context_tokens", "verify_sentences", "similar_anchors",
        "anchor_similarity", "hybrid_weights", "fact_source_weights", "fact_decay", "fact_grace_days",
        "fact_usage_boost", "fact_confirmed_weight", "promotion_threshold", "single_valued_relations",
    }
)  # fmt: skip
"""Settings that decide how a question is answered from what was read: runs try them, the gate holds them."""


class WorseAnswers(Conflict):
    """The gate refuses a change."""

    code = "worse_answers"

    @classmethod
    def of(cls, questions: Sequence[GoldenQuestion], worse: Collection[GoldenQuestionId]) -> "WorseAnswers":
        """The refusal that names the questions which get worse."""
        named = "; ".join(question.question for question in questions if question.id in worse)
        return cls(
            f"{len(worse)} of {len(questions)} golden questions would be answered worse: {named[:600]}."
            " Force the change to make it all the same."
        )


class NotEvaluated(Conflict):
    """The gate has nothing to compare."""

    code = "not_evaluated"


@dataclass(frozen=True)
class GoldenRun:
    """A run: by which settings its questions were asked, how far it is and what became of them."""

    id: JobId
    settings: Mapping[str, Any]
    state: JobState
    progress: float
    error: str | None
    created_at: datetime
    counts: Mapping[str, int]


@dataclass(frozen=True)
class RunReport:
    """A run question by question, beside an earlier one; None where there is none."""

    golden_run: GoldenRun
    questions: Sequence[GoldenQuestion]
    outcomes: Mapping[GoldenQuestionId, Outcome]
    against: GoldenRun | None
    comparison: GoldenComparison | None


def add_questions(space: SpaceSession, entries: Iterable[Mapping[str, Any]]) -> tuple[int, int]:
    """Add questions: `question`, and `answers` and `sources` as lists; how many are new, and were changed.

    A question that stands in the same words is expected to be answered as the entry says from now on. Without
    answers and sources it is to be refused. Raises InvalidInput `bad_golden_question`, `invalid_characters`
    or `too_many_golden_questions`.
    """
    questions = {question.question: question for question in map(_parse_question, entries)}
    standing = {question.question for question in list_questions(space)}
    if len(standing | questions.keys()) > GOLDEN_QUESTIONS.most:
        raise InvalidInput(
            f"A space has at most {GOLDEN_QUESTIONS.most:,} golden questions.",
            code="too_many_golden_questions",
        )
    new = repository.add_questions(space, list(questions.values()))
    audit.record(
        space, "golden.add", target=space.space_id, details={"questions": len(questions), "new": new}
    )
    schedule_next_run(space)
    return new, len(questions) - new


def _parse_question(entry: Mapping[str, Any]) -> GoldenQuestion:
    value = entry.get("question")
    text = " ".join(value.split()) if isinstance(value, str) else ""
    answers, sources = (_parse_texts(entry, name) for name in ("answers", "sources"))
    if checks.is_blank(text) or len(text) > GOLDEN_QUESTION.most:
        raise InvalidInput(
            f"A golden question has 1 to {GOLDEN_QUESTION.most:,} characters.", code="bad_golden_question"
        )
    checks.check_text("question", text)
    return GoldenQuestion(GoldenQuestionId(new_id()), text, answers, sources, datetime.now(UTC))


def _parse_texts(entry: Mapping[str, Any], name: str) -> tuple[str, ...]:
    values = entry.get(name) or []
    values = [values] if isinstance(values, str) else values
    if not isinstance(values, list | tuple) or not all(isinstance(value, str) for value in values):
        raise InvalidInput(f"{name} of a golden question is a list of texts.", code="bad_golden_question")
    texts = tuple(dict.fromkeys(filter(None, (" ".join(value.split()) for value in values))))
    if len(texts) > GOLDEN_EXPECTED.most or any(len(text) > GOLDEN_EXPECTED_TEXT.most for text in texts):
        raise InvalidInput(
            f"A golden question has at most {GOLDEN_EXPECTED.most} {name} of"
            f" {GOLDEN_EXPECTED_TEXT.most:,} characters.",
            code="bad_golden_question",
        )
    for text in texts:
        checks.check_text(name, text)
    return texts


def remove_question(space: SpaceSession, question_id: GoldenQuestionId) -> None:
    """Remove a question, with what became of it in all runs. Raises NotFound."""
    if not repository.remove_questions(space, [question_id]):
        raise NotFound("golden question")
    audit.record(space, "golden.remove", target=question_id)


def begin_run(space: SpaceSession, changes: Mapping[str, Any] | None = None) -> Job:
    """Queue a run by the space's settings, or with these changed.

    Raises InvalidInput `no_golden_question`, `not_tried_by_questions` or for a value of a setting, and
    Conflict `run_under_way`.
    """
    changes = dict(changes or {})
    if not repository.count_questions(space):
        raise InvalidInput("The space has no golden question yet.", code="no_golden_question")
    if not changes.keys() <= TRIED_SETTINGS:
        raise InvalidInput(
            f"A run tries these settings alone: {', '.join(sorted(TRIED_SETTINGS))}. Trials try"
            " what is read in documents.",
            code="not_tried_by_questions",
        )
    resolve_tried_settings(space, changes)
    for job in queue.list_jobs_of_kind(space, AskGolden.kind, hold=True):
        if (
            job.state not in FINAL_STATES
            and not job.cancel_requested
            and job.arguments["settings"] == changes
        ):
            if job.state == JobState.QUEUED:
                return queue.enqueue_or_run_earlier(space, AskGolden(changes), delay=0.0)
            raise Conflict("Such a run is under way: wait for it.", code="run_under_way")
    job = queue.enqueue(space, AskGolden(changes))
    audit.record(space, "golden.run", target=job.id, details={"settings": sorted(changes)})
    return job


def resolve_tried_settings(space: SpaceSession, changes: Mapping[str, Any]) -> dict[str, Any]:
    """These settings as they would hold in the space. Raises InvalidInput."""
    merged = spaces.merge_space_settings(space.opened.settings, changes)
    effective = effective_settings(space.orm.platform, merged.model_dump())
    return {name: getattr(effective, name) for name in changes}


def schedule_next_run(space: SpaceSession) -> None:
    """Have the questions asked again by the schedule of the space (`golden_every_hours`), if it has one."""
    hours = space.settings.golden_every_hours
    if hours is not None and repository.count_questions(space):
        queue.enqueue_or_run_earlier(space, AskGolden({}), delay=hours * 3_600)


def list_runs(space: SpaceSession) -> list[GoldenRun]:
    """The space's runs, newest first, at most 100."""
    return [_build_run(job) for job in queue.list_jobs_of_kind(space, AskGolden.kind)][:MOST_RUNS]


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


def report(space: SpaceSession, run_id: JobId, against_id: JobId | None = None) -> RunReport:
    """A run beside another, else beside the one before it by the space's own settings. Raises NotFound."""
    runs = list_runs(space)
    by_id = {run.id: run for run in runs}
    run = by_id.get(run_id)
    if run is None or (against_id is not None and against_id not in by_id):
        raise NotFound("golden run")
    against = by_id[against_id] if against_id is not None else _find_baseline(runs, before=run)
    outcomes = repository.list_outcomes(space, run.id)
    comparison = (
        None if against is None else compare_runs(repository.list_outcomes(space, against.id), outcomes)
    )
    return RunReport(
        run,
        list_questions(space),
        {outcome.question_id: outcome for outcome in outcomes},
        against,
        comparison,
    )


def find_newest_run(space: SpaceSession) -> GoldenRun | None:
    """The newest run that is done as the space is set."""
    return _find_baseline(list_runs(space))


def list_newest_outcomes(space: SpaceSession) -> list[Outcome]:
    """The outcomes of the newest run that is done as the space is set; [] where there is none."""
    run = find_newest_run(space)
    return [] if run is None else repository.list_outcomes(space, run.id)


def _find_baseline(runs: Sequence[GoldenRun], before: GoldenRun | None = None) -> GoldenRun | None:
    """The newest run that is done by the space's own settings, or the newest before that one."""
    return next(
        (
            run
            for run in runs
            if run.state is JobState.DONE
            and not run.settings
            and (before is None or (run.id != before.id and run.created_at < before.created_at))
        ),
        None,
    )


def update_space_behind_gate(
    database: Database,
    tenant_id: TenantId,
    space_id: SpaceId,
    *,
    forced: bool = False,
    **changes: Any,
) -> KnowledgeSpace:
    """`spaces.update_space` behind the gate of the space, which `forced` passes.

    Raises as that does, and NotEvaluated or WorseAnswers.
    """
    setting_changes = changes.get("setting_changes")
    if setting_changes:
        with database.open_space(tenant_id, space_id) as space:
            if space.settings.golden_gate:
                if forced:
                    audit.record(
                        space,
                        "golden.override",
                        actor=changes["actor"],
                        target=space_id,
                        details={"settings": sorted(setting_changes)},
                    )
                else:
                    check_gate(space, setting_changes)
    changed = spaces.update_space(database, tenant_id, space_id, **changes)
    if setting_changes and "golden_every_hours" in setting_changes:
        with database.open_space(tenant_id, space_id) as space:
            schedule_next_run(space)
    return changed


def check_gate(space: SpaceSession, setting_changes: Mapping[str, Any]) -> None:
    """Let a change of settings through that no golden question is answered worse by.

    What decides nothing about answers passes. Raises NotEvaluated where the newest run by the space's own
    settings, or one with just this change, is missing or is not of all questions; and WorseAnswers with the
    questions that get worse.
    """
    changes = _select_changes_of_answers(space, setting_changes)
    questions = list_questions(space)
    if not changes or not questions:
        return
    runs = [run for run in list_runs(space) if run.state is JobState.DONE]
    tried = next((run for run in runs if _select_changes_of_answers(space, run.settings) == changes), None)
    baseline = _find_baseline(runs)
    if tried is None or baseline is None:
        missing = "run with this change" if tried is None else "run as the space is set now"
        raise NotEvaluated(
            f"Before this change its effect on the golden questions is to be known: there is no {missing}."
            " Run it, or force the change."
        )
    outcomes = {run.id: repository.list_outcomes(space, run.id) for run in (baseline, tried)}
    asked = [{outcome.question_id for outcome in found} for found in outcomes.values()]
    if not all({question.id for question in questions} <= ids for ids in asked):
        raise NotEvaluated("Golden questions came after the runs: run both again, or force the change.")
    worse = set(compare_runs(outcomes[baseline.id], outcomes[tried.id]).worse)
    if worse:
        raise WorseAnswers.of(questions, worse)


def _select_changes_of_answers(space: SpaceSession, setting_changes: Mapping[str, Any]) -> dict[str, str]:
    """The values that would hold, of the changes that decide about answers and that change anything.

    However they are written: a default written out or taken back to, a whole number with or without a point.
    """
    changes = {name: value for name, value in setting_changes.items() if name in TRIED_SETTINGS}
    tried = resolve_tried_settings(space, changes)
    return {
        name: _format_setting_value(value)
        for name, value in tried.items()
        if _format_setting_value(value) != _format_setting_value(getattr(space.settings, name))
    }


def _format_setting_value(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)
