"""Golden questions of a space: their expected results, runs that ask them, and comparisons of runs."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import Field

from app.answers.golden import service as golden
from app.answers.golden.service import TRIED_SETTINGS
from app.api.protocol.route import ApiRoute
from app.api.sessions import AdministeredSpace, PrimarySpace, ReadableSpace
from app.api.shapes import Body
from app.http.input_text import Id, SearchText
from app.ids import GoldenQuestionId, JobId
from app.limits import GOLDEN_EXPECTED, GOLDEN_QUESTIONS
from app.views.golden import (
    GoldenAddedAnswer,
    GoldenQuestionAnswer,
    GoldenQuestionsAnswer,
    GoldenReportAnswer,
    GoldenRunAnswer,
    GoldenRunsAnswer,
    build_golden_report,
)
from app.views.jobs import JobAnswer

router = APIRouter(prefix="/v1/spaces/{space_id}/golden", tags=["golden"], route_class=ApiRoute)


class GoldenQuestionBody(Body):
    """A question with its expected result; without answers and sources, a refusal is expected."""

    question: SearchText = Field(
        description="The question; for an existing question the expected result is replaced."
    )
    answers: list[SearchText] = Field(
        default_factory=list,
        max_length=GOLDEN_EXPECTED.maximum,
        description="Texts, one of which the answer must contain.",
    )
    sources: list[SearchText] = Field(
        default_factory=list,
        max_length=GOLDEN_EXPECTED.maximum,
        description="Ids, addresses or titles of documents, one of which the answer must cite.",
    )


class GoldenQuestionsBody(Body):
    """Golden questions to add."""

    questions: list[GoldenQuestionBody] = Field(min_length=1, max_length=GOLDEN_QUESTIONS.maximum)


class GoldenRunBody(Body):
    """The settings with which the questions are asked."""

    settings: dict[str, Any] = Field(
        default_factory=dict,
        max_length=len(TRIED_SETTINGS),
        description=f"Changed settings, of: {', '.join(sorted(TRIED_SETTINGS))}.",
    )


@router.post("/questions", status_code=201)
def add_golden_questions(space: AdministeredSpace, body: GoldenQuestionsBody) -> GoldenAddedAnswer:
    """Add golden questions, or change the expected results of those with the same words. 422
    bad_golden_question, too_many_golden_questions.
    """
    added_count, changed_count = golden.add_or_replace_questions(
        space, [question.model_dump() for question in body.questions]
    )
    return GoldenAddedAnswer(added=added_count, changed=changed_count)


@router.get("/questions")
def list_golden_questions(space: ReadableSpace) -> GoldenQuestionsAnswer:
    """List the space's golden questions, oldest first, at most 1,000."""
    questions = golden.list_questions(space)
    return GoldenQuestionsAnswer(
        items=[GoldenQuestionAnswer.model_validate(question) for question in questions]
    )


@router.delete("/questions/{question_id}", status_code=204)
def remove_golden_question(space: AdministeredSpace, question_id: Id) -> None:
    """Remove a golden question and its outcomes in all runs. 404."""
    golden.remove_question(space, GoldenQuestionId(question_id))


@router.post("/runs", status_code=202)
def begin_golden_run(space: AdministeredSpace, body: GoldenRunBody) -> JobAnswer:
    """Ask all golden questions in a job, with the settings of the space or with others for this run alone.

    409 run_under_way, 422 no_golden_question, not_tried_by_questions.
    """
    return JobAnswer.model_validate(golden.queue_golden_run(space, body.settings))


@router.get("/runs")
def list_golden_runs(space: PrimarySpace) -> GoldenRunsAnswer:
    """List the space's runs, newest first, at most 100."""
    runs = golden.list_newest_golden_runs(space)
    return GoldenRunsAnswer(items=[GoldenRunAnswer.model_validate(run) for run in runs])


@router.get("/runs/{golden_run_id}")
def read_golden_run(
    space: PrimarySpace,
    golden_run_id: Id,
    against: Annotated[
        UUID | None,
        Query(
            description="The run to compare with; by default the previous one with the space's own settings."
        ),
    ] = None,
) -> GoldenReportAnswer:
    """Return the outcomes of a run by question, and which answers are worse or better. 404."""
    report = golden.build_run_report(space, JobId(golden_run_id), None if against is None else JobId(against))
    return build_golden_report(report)
