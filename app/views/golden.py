"""Golden questions, their runs and outcomes."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import Field

from app.answers.golden.service import RunReport
from app.views.view import View


class GoldenAddedAnswer(View):
    """The numbers of questions that were added, and of those whose expected result was changed."""

    added: int
    changed: int


class GoldenQuestionAnswer(View):
    """A golden question."""

    id: UUID
    question: str
    answers: list[str]
    sources: list[str]
    expects_refusal: bool
    created_at: datetime


class GoldenQuestionsAnswer(View):
    """The space's golden questions, oldest first."""

    items: list[GoldenQuestionAnswer]


class GoldenRunAnswer(View):
    """A run."""

    id: UUID = Field(description="The id of its job.")
    settings: dict[str, Any] = Field(description="The changed settings; if empty, the space's own.")
    state: Literal["queued", "running", "done", "failed", "cancelled", "parked"]
    progress: float
    error: str | None
    created_at: datetime
    counts: dict[str, int] = Field(description="When it is done: questions, passed, refused, failed.")


class GoldenRunsAnswer(View):
    """The space's runs, newest first."""

    items: list[GoldenRunAnswer]


class GoldenOutcomeAnswer(View):
    """The outcome of one question in a run; the text of the answer is not kept."""

    question_id: UUID
    question: str
    passed: bool
    reply: Literal["answered", "refused", "failed"]
    answer_matched: bool | None = Field(
        description="Whether the answer contains an expected text; null if none is expected."
    )
    source_cited: bool | None = Field(description="null if no source is expected.")
    seconds: float
    cost_usd: float
    change: Literal["worse", "better", "same"] = Field(description="Compared with the other run.")


class GoldenReportAnswer(View):
    """The outcomes of a run by question, compared with an earlier run."""

    run: GoldenRunAnswer
    against: GoldenRunAnswer | None
    questions: int
    passed: int
    worse: int
    better: int
    seconds: float
    cost_usd: float
    outcomes: list[GoldenOutcomeAnswer]


def build_golden_report(report: RunReport) -> GoldenReportAnswer:
    """Return a run question by question, and which answers are worse or better than in the other run."""
    comparison = report.comparison
    worse_question_ids = set(comparison.worse_question_ids) if comparison else set()
    better_question_ids = set(comparison.better_question_ids) if comparison else set()
    outcomes = report.outcomes

    def find_change(question_id: UUID) -> Literal["worse", "better", "same"]:
        if question_id in worse_question_ids:
            return "worse"
        return "better" if question_id in better_question_ids else "same"

    question_outcomes = [
        GoldenOutcomeAnswer.from_value(
            outcomes[question.id],
            question_id=question.id,
            question=question.question,
            seconds=round(outcomes[question.id].seconds, 3),
            change=find_change(question.id),
        )
        for question in report.questions
        if question.id in outcomes
    ]
    return GoldenReportAnswer(
        run=GoldenRunAnswer.model_validate(report.golden_run),
        against=None if report.baseline_run is None else GoldenRunAnswer.model_validate(report.baseline_run),
        questions=len(question_outcomes),
        passed=sum(outcome.passed for outcome in outcomes.values()),
        worse=len(worse_question_ids),
        better=len(better_question_ids),
        seconds=round(sum(outcome.seconds for outcome in outcomes.values()), 3),
        cost_usd=sum(outcome.cost_usd for outcome in outcomes.values()),
        outcomes=question_outcomes,
    )
