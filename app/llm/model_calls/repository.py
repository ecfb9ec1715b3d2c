"""The SQL statements of the answer cache and of the ledger of calls."""

import json
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

from app.db.session import SpaceSession
from app.ids import ChunkId, JobId, create_id
from app.llm.call_records import Answer, CallRecord, ChunksByAnswerKey


def find_answers(space: SpaceSession, keys: Sequence[str], *, has_waited: bool) -> dict[str, Answer]:
    """Return the stored answers by key, and for who has waited also those that were passed on."""
    return dict(space.run("llm.model_calls.find_answers", {"keys": list(keys), "has_waited": has_waited}))


def lease_free_answer_keys(
    space: SpaceSession, keys: Sequence[str], *, holder: UUID, lease_seconds: float, has_waited: bool
) -> list[str]:
    """Take the leases of these answers that nobody else has; return their keys."""
    rows = space.run(
        "llm.model_calls.lease_answers",
        {"keys": list(keys), "holder": holder, "seconds": lease_seconds, "has_waited": has_waited},
    )
    return [row[0] for row in rows]


def renew_leases(space: SpaceSession, *, holder: UUID, lease_seconds: float) -> None:
    """Prolong the holder's leases to so many seconds from now."""
    space.run("llm.model_calls.renew_leases", {"holder": holder, "seconds": lease_seconds})


def release_own_and_expired_leases(space: SpaceSession, *, holder: UUID) -> None:
    """Delete the holder's leases, and those that expired."""
    space.run("llm.model_calls.release_leases", {"holder": holder})


def share_unstored_answers(
    space: SpaceSession, answers: Mapping[str, Answer], *, holder: UUID, lease_seconds: float
) -> None:
    """Leave answers with the holder's leases for so many seconds, without storing them."""
    space.run(
        "llm.model_calls.pass_on_answers",
        {
            "keys": list(answers),
            "answers": [_format_answer_as_json(answer) for answer in answers.values()],
            "holder": holder,
            "nobody": create_id(),
            "seconds": lease_seconds,
        },
    )


def _format_answer_as_json(answer: Answer) -> str:
    return json.dumps(answer, ensure_ascii=False, allow_nan=False)


def lock_existing_chunks(space: SpaceSession, chunk_ids: Collection[ChunkId]) -> set[ChunkId]:
    """Return those of the chunks that exist, locked against deletion until the transaction ends."""
    if not chunk_ids:
        return set()
    rows = space.run("llm.model_calls.lock_existing_chunks", {"chunks": sorted(chunk_ids)})
    return {ChunkId(row[0]) for row in rows}


def link_answers_to_chunks(space: SpaceSession, sources: ChunksByAnswerKey) -> None:
    """Store which chunks answers are about."""
    keys_and_chunks = sorted((key, chunk) for key, chunks in sources.items() for chunk in chunks)
    if keys_and_chunks:
        space.run(
            "llm.model_calls.link_answers_to_chunks",
            {
                "keys": [key for key, _ in keys_and_chunks],
                "chunks": [chunk_id for _, chunk_id in keys_and_chunks],
            },
        )


def delete_answers_only_about_chunks(space: SpaceSession, chunk_ids: Sequence[ChunkId]) -> None:
    """Delete the answers that are about these locked chunks only, before the chunks are deleted."""
    space.run("llm.model_calls.drop_answers", {"chunks": list(chunk_ids)})


def delete_unlinked_answers(space: SpaceSession) -> None:
    """Delete the answers that are linked to no chunk or were passed on: they may contain any text of the
    space.
    """
    space.run("llm.model_calls.delete_answers_without_chunks")
    space.run("llm.model_calls.delete_passed_on_answers")


def insert_answers(space: SpaceSession, answers: Mapping[str, Answer], *, sources: ChunksByAnswerKey) -> None:
    """Store answers by key, and link those in `sources` to their chunks."""
    space.run(
        "llm.model_calls.insert_answers",
        {
            "keys": list(answers),
            "of_chunks": [key in sources for key in answers],
            "answers": [_format_answer_as_json(answer) for answer in answers.values()],
        },
    )
    link_answers_to_chunks(space, {key: sources[key] for key in answers if key in sources})


def add_call_records(space: SpaceSession, calls: Sequence[CallRecord], job_id: JobId | None) -> None:
    """Add rows to the ledger."""
    space.run(
        "llm.model_calls.add_calls",
        {
            "job": job_id,
            "ids": [create_id() for _ in calls],
            "purposes": [call.purpose for call in calls],
            "models": [call.model for call in calls],
            "sent": [call.prompt_tokens for call in calls],
            "received": [call.completion_tokens for call in calls],
            "passages": [call.passage_tokens for call in calls],
            "costs": [call.cost_usd for call in calls],
            "latencies": [call.latency_ms for call in calls],
            "cached": [call.cached for call in calls],
            "outcomes": [call.outcome for call in calls],
        },
    )


def find_last_reading_model(space: SpaceSession) -> str | None:
    """Return the model that last read chunks of this space; None if rules or nobody did."""
    rows = space.run("llm.model_calls.find_last_model", {})
    return str(rows[0][0]) if rows else None


def list_calls_by_purpose(space: SpaceSession, *, days: int, limit: int) -> list[tuple[Any, ...]]:
    """Return sums over the newest `limit` calls of the last `days`, by model and purpose."""
    return space.run(
        "llm.model_calls.list_calls_by_purpose", {"days": days, "most": limit}, should_prepare=False
    )


class MeasuredRatio(NamedTuple):
    """The tokens received for each token of passages, from low to high, over some calls."""

    purpose: str
    call_count: int
    low: float
    high: float


def find_answer_length_ratios(
    space: SpaceSession, *, model: str, purposes: Sequence[str], newest_calls: int
) -> list[MeasuredRatio]:
    """Return the tokens received for each token of passages, by purpose."""
    rows = space.run(
        "llm.model_calls.find_answer_ratios",
        {"model": model, "purposes": list(purposes), "newest": newest_calls},
        should_prepare=False,
    )
    return [MeasuredRatio(*row) for row in rows]


class JobCost(NamedTuple):
    """The sum of a job's calls; cached lookups are not counted."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: Decimal


def sum_job_cost(space: SpaceSession, job_id: JobId) -> JobCost:
    """Return the cost of the job so far, over all its attempts."""
    calls, prompt_tokens, completion_tokens, cost = space.run(
        "llm.model_calls.sum_job_cost", {"job": job_id}
    )[0]
    return JobCost(int(calls), int(prompt_tokens), int(completion_tokens), Decimal(cost))
