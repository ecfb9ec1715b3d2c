"""SQL of the golden questions of a space and of their outcomes in runs."""

from collections.abc import Collection, Sequence

from app.answers.golden.scoring import GoldenQuestion, Outcome, Reply
from app.db.session import SpaceSession
from app.ids import DocumentId, GoldenQuestionId, JobId


def add_or_replace_questions_and_count_new(space: SpaceSession, questions: Sequence[GoldenQuestion]) -> int:
    """Add questions, or replace the expectations of questions with the same words; return the number of new
    ones.
    """
    rows = space.run(
        "answers.golden.add_questions",
        {
            "ids": [question.id for question in questions],
            "questions": [question.question for question in questions],
            "answers": ["\n".join(question.answers) for question in questions],
            "sources": ["\n".join(question.sources) for question in questions],
        },
    )
    return sum(row[0] for row in rows)


def list_questions(space: SpaceSession) -> list[GoldenQuestion]:
    """Return the space's golden questions, oldest first."""
    return [
        GoldenQuestion(GoldenQuestionId(row[0]), row[1], _split_lines(row[2]), _split_lines(row[3]), row[4])
        for row in space.run("answers.golden.list_questions", {})
    ]


def _split_lines(text: str) -> tuple[str, ...]:
    return tuple(text.split("\n")) if text else ()


def count_questions(space: SpaceSession) -> int:
    """Return the number of the space's golden questions."""
    return len(space.run("answers.golden.list_questions", {}))


def delete_questions_and_count_deleted(space: SpaceSession, ids: Collection[GoldenQuestionId]) -> int:
    """Delete questions with their outcomes in all runs; return the number of deleted questions."""
    return len(space.run("answers.golden.remove_questions", {"ids": list(ids)}))


def store_outcome(space: SpaceSession, run_id: JobId, outcome: Outcome) -> None:
    """Store the outcome of a question, unless it was deleted meanwhile."""
    space.run(
        "answers.golden.store_outcome",
        {
            "run": run_id,
            "question": outcome.question_id,
            "reply": outcome.reply.value,
            "answer_matched": outcome.answer_matched,
            "source_cited": outcome.source_cited,
            "seconds": outcome.seconds,
            "cost_usd": outcome.cost_usd,
        },
    )


def list_outcomes(space: SpaceSession, run_id: JobId) -> list[Outcome]:
    """Return the outcomes of a run, in the order of its questions."""
    return [
        Outcome(GoldenQuestionId(row[0]), Reply(row[1]), row[2], row[3], row[4], float(row[5]))
        for row in space.run("answers.golden.list_outcomes", {"run": run_id})
    ]


def get_addresses_of_documents(space: SpaceSession, document_ids: Collection[DocumentId]) -> dict[str, str]:
    """Return the addresses of these documents by id, without those that have none."""
    rows = space.run("answers.golden.get_addresses_of_documents", {"ids": list(document_ids)})
    return {str(row[0]): row[1] for row in rows}
