"""Golden questions, their runs and outcomes."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import Field

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
