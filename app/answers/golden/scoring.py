"""Judge answers to the golden questions of a space, and compare two runs of them; pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from app.answers.evaluation import contains_any_answer
from app.answers.shapes import FinalAnswer, Mode
from app.ids import GoldenQuestionId


@dataclass(frozen=True, slots=True)
class GoldenQuestion:
    """A question and what is expected of its answer.

    The answer must contain one of `answers`, and cite one of `sources` (the id, address or title of a
    document). If both are empty, nothing in the space answers the question, and a refusal is expected.
    """

    id: GoldenQuestionId
    question: str
    answers: tuple[str, ...]
    sources: tuple[str, ...]
    created_at: datetime

    @property
    def expects_refusal(self) -> bool:
        """Return whether nothing in the space answers the question."""
        return not (self.answers or self.sources)


class Reply(StrEnum):
    """The kind of reply to a question: an answer, a refusal or an error."""

    ANSWERED = "answered"
    REFUSED = "refused"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one question in one run.

    `answer_matched` or `source_cited` is None if it was not expected.

    The answer itself is not stored, so that deleting a document leaves none of its words here.
    """

    question_id: GoldenQuestionId
    reply: Reply
    answer_matched: bool | None
    source_cited: bool | None
    seconds: float
    cost_usd: float

    @property
    def passed(self) -> bool:
        """Return whether the reply meets all expectations."""
        if self.answer_matched is None and self.source_cited is None:
            return self.reply is Reply.REFUSED
        return (
            self.reply is Reply.ANSWERED
            and self.answer_matched is not False
            and self.source_cited is not False
        )


def judge_answer(
    question: GoldenQuestion,
    final_answer: FinalAnswer,
    address_by_document_id: Mapping[str, str],
    seconds: float,
) -> Outcome:
    """Judge an answer; `address_by_document_id` has the addresses of the cited documents by id."""
    cited_document_names = {
        document_name
        for citation in final_answer.citations
        for document_name in (
            str(citation.document_id),
            citation.document_title,
            address_by_document_id.get(str(citation.document_id)),
        )
    }
    answer_text = " ".join(sentence.text for sentence in final_answer.sentences)
    return Outcome(
        question.id,
        Reply.REFUSED if final_answer.mode is Mode.NOTHING else Reply.ANSWERED,
        contains_any_answer(answer_text, question.answers) if question.answers else None,
        not cited_document_names.isdisjoint(question.sources) if question.sources else None,
        seconds,
        float(final_answer.usage.cost_usd),
    )


@dataclass(frozen=True, slots=True)
class GoldenComparison:
    """The questions of two runs by the difference: passed only before, passed only after, and the number of
    others.
    """

    worse_question_ids: tuple[GoldenQuestionId, ...]
    better_question_ids: tuple[GoldenQuestionId, ...]
    same: int


def compare_runs(outcomes_before: Iterable[Outcome], outcomes_after: Iterable[Outcome]) -> GoldenComparison:
    """Compare the outcomes of the questions that were asked in both runs."""
    has_passed_by_question = {outcome.question_id: outcome.passed for outcome in outcomes_before}
    common_outcomes = [outcome for outcome in outcomes_after if outcome.question_id in has_passed_by_question]
    worse_question_ids = tuple(
        outcome.question_id
        for outcome in common_outcomes
        if has_passed_by_question[outcome.question_id] and not outcome.passed
    )
    better_question_ids = tuple(
        outcome.question_id
        for outcome in common_outcomes
        if outcome.passed and not has_passed_by_question[outcome.question_id]
    )
    return GoldenComparison(
        worse_question_ids,
        better_question_ids,
        len(common_outcomes) - len(worse_question_ids) - len(better_question_ids),
    )


def count_outcomes(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """Return the counts of a run: questions, and those that passed, were refused or failed."""
    return {
        "questions": len(outcomes),
        "passed": sum(outcome.passed for outcome in outcomes),
        "refused": sum(outcome.reply is Reply.REFUSED for outcome in outcomes),
        "failed": sum(outcome.reply is Reply.FAILED for outcome in outcomes),
    }
