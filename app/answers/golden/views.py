"""Golden questions and runs as dictionaries: the same for the API, the command line and the pages."""

from dataclasses import asdict
from typing import Any

from app.answers.golden.scoring import GoldenQuestion, Outcome
from app.answers.golden.service import GoldenRun, RunReport


def render_question(question: GoldenQuestion) -> dict[str, Any]:
    """Return a question with what is expected of its answer."""
    return {
        **asdict(question),
        "answers": list(question.answers),
        "sources": list(question.sources),
        "expects_refusal": not (question.answers or question.sources),
    }


def render_run(run: GoldenRun) -> dict[str, Any]:
    """Return the settings, state and progress of a run."""
    return {**asdict(run), "state": run.state.value}


def report_view(report: RunReport) -> dict[str, Any]:
    """Return a run question by question, and which answers are worse or better than in the other run."""
    comparison = report.comparison
    worse_question_ids = set(comparison.worse_question_ids) if comparison else set()
    better_question_ids = set(comparison.better_question_ids) if comparison else set()
    asked_questions = [question for question in report.questions if question.id in report.outcomes]
    outcomes = report.outcomes
    return {
        "run": render_run(report.golden_run),
        "against": None if report.baseline_run is None else render_run(report.baseline_run),
        "questions": len(asked_questions),
        "passed": sum(outcome.passed for outcome in outcomes.values()),
        "worse": len(worse_question_ids),
        "better": len(better_question_ids),
        "seconds": round(sum(outcome.seconds for outcome in outcomes.values()), 3),
        "cost_usd": sum(outcome.cost_usd for outcome in outcomes.values()),
        "outcomes": [
            {
                "question_id": question.id,
                "question": question.question,
                **_render_outcome(outcomes[question.id]),
                "change": "worse"
                if question.id in worse_question_ids
                else "better"
                if question.id in better_question_ids
                else "same",
            }
            for question in asked_questions
        ],
    }


def _render_outcome(outcome: Outcome) -> dict[str, Any]:
    return {
        "passed": outcome.passed,
        "reply": outcome.reply.value,
        "answer_matched": outcome.answer_matched,
        "source_cited": outcome.source_cited,
        "seconds": round(outcome.seconds, 3),
        "cost_usd": outcome.cost_usd,
    }
