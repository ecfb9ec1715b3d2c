"""The statements of the answer cache and of the ledger of calls."""

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal

from app.db.session import SpaceSession
from app.ids import JobId, new_id
from app.llm.answers import Answer, CallRecord


def find_answers(space: SpaceSession, keys: Sequence[str]) -> dict[str, Answer]:
    """Key → answer, of those that are there."""
    return dict(space.run("llm.find_answers", {"keys": list(keys)}))


def keep_answers(space: SpaceSession, answers: Mapping[str, Answer]) -> None:
    """Store answers by key."""
    space.run(
        "llm.keep_answers",
        {
            "keys": list(answers),
            "answers": [
                json.dumps(answer, ensure_ascii=False, allow_nan=False) for answer in answers.values()
            ],
        },
    )


def add_calls(space: SpaceSession, calls: Sequence[CallRecord], job_id: JobId | None) -> None:
    """Store rows of the ledger."""
    space.run(
        "llm.add_calls",
        {
            "job": job_id,
            "ids": [new_id() for _ in calls],
            "purposes": [call.purpose for call in calls],
            "models": [call.model for call in calls],
            "sent": [call.prompt_tokens for call in calls],
            "received": [call.completion_tokens for call in calls],
            "costs": [call.cost_usd for call in calls],
            "latencies": [call.latency_ms for call in calls],
            "cached": [call.cached for call in calls],
            "outcomes": [call.outcome for call in calls],
        },
    )


def last_model(space: SpaceSession) -> str | None:
    """The model of the newest call that looked for entities."""
    rows = space.run("llm.last_model", {})
    return str(rows[0][0]) if rows else None


def spent_by_job(space: SpaceSession, job_id: JobId) -> tuple[int, int, int, Decimal]:
    """(calls, tokens sent, tokens received, US dollars) of a job."""
    calls, sent, received, cost = space.run("llm.spent_by_job", {"job": job_id})[0]
    return int(calls), int(sent), int(received), Decimal(cost)
