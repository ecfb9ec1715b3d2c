"""The answer cache and the ledger: per space, never shared between spaces, validated before stored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from app.db.session import SpaceSession
from app.ids import JobId
from app.llm.call_records import NO_CHUNKS_BY_ANSWER_KEY, Answer, AnswerLease, CallRecord, ChunksByAnswerKey
from app.llm.model_calls import repository
from app.llm.model_calls.repository import (
    JobCost,
    delete_answers_only_about_chunks,
    delete_unlinked_answers,
    find_last_reading_model,
    release_own_and_expired_leases,
    renew_leases,
    share_unstored_answers,
    sum_job_cost,
)

__all__ = [
    "JobCost",
    "delete_answers_only_about_chunks",
    "delete_unlinked_answers",
    "find_last_reading_model",
    "release_own_and_expired_leases",
    "renew_leases",
    "share_unstored_answers",
    "sum_job_cost",
]

MAX_CALLS = 20_000
"""Maximum number of ledger rows that one report by purpose reads."""


MIN_MEASURED_CALLS = 20
"""Minimum number of calls whose answers say how long further ones will be: two on each side of the range."""
NEWEST_CALLS = 5_000
"""Number of the newest rows of a space's ledger in which these calls are looked for."""


@dataclass(frozen=True, slots=True)
class AnswerRatio:
    """Tokens received for each token of passages, as measured in `calls` calls.

    A tenth of the passages, by their tokens, had shorter answers than `min_ratio`, a tenth longer ones than
    `max_ratio`.
    """

    calls: int
    min_ratio: float
    max_ratio: float


@dataclass(frozen=True, slots=True)
class CallsForPurpose:
    """Calls to one model for one purpose: `calls` requests and `cached` lookups answered without one.

    `seconds` is the average duration of a call, `since` the time of the oldest call counted.
    """

    model: str
    purpose: str
    calls: int
    cached: int
    failed: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: Decimal
    seconds: float
    since: datetime


def list_calls_by_purpose(space: SpaceSession, *, days: int, limit: int = MAX_CALLS) -> list[CallsForPurpose]:
    """Return the newest calls of the last `days` by model and purpose, the most expensive first.

    At most `limit` rows are read, so that the dashboard stays fast with millions of calls.
    """
    rows = repository.list_calls_by_purpose(space, days=days, limit=limit)
    return [CallsForPurpose(*row) for row in rows]


def find_answer_length_ratios(
    space: SpaceSession, *, model: str, purposes: Sequence[str]
) -> dict[str, AnswerRatio]:
    """Return by purpose how long this model's answers were; none with under MIN_MEASURED_CALLS calls."""
    rows = repository.find_answer_length_ratios(
        space, model=model, purposes=purposes, newest_calls=NEWEST_CALLS
    )
    return {
        purpose: AnswerRatio(calls, low_ratio, high_ratio)
        for purpose, calls, low_ratio, high_ratio in rows
        if calls >= MIN_MEASURED_CALLS
    }


def find_answers(space: SpaceSession, keys: Sequence[str]) -> dict[str, Answer]:
    """Return the stored answers of the space with these keys."""
    return repository.find_answers(space, keys, has_waited=False)


def find_or_lease_answers(
    space: SpaceSession, keys: Sequence[str], *, holder: UUID, lease_seconds: float, has_waited: bool = False
) -> AnswerLease:
    """Return the stored answers of these keys, and the keys of missing ones whose lease the holder has now.

    Keys in neither are being asked about by another holder. Who `has_waited` for one also gets what that one
    passed on.
    """
    answers = repository.find_answers(space, keys, has_waited=has_waited)
    missing_keys = [key for key in keys if key not in answers]
    if not missing_keys:
        return AnswerLease(answers, [])
    leased_keys = set(
        repository.lease_free_answer_keys(
            space, missing_keys, holder=holder, lease_seconds=lease_seconds, has_waited=has_waited
        )
    )
    if leased_keys:
        # Their last holder may have stored answers since they were looked up.
        answers |= repository.find_answers(space, sorted(leased_keys), has_waited=False)
    return AnswerLease(answers, [key for key in missing_keys if key in leased_keys and key not in answers])


def store_answers_and_call_records(
    space: SpaceSession,
    answers: Mapping[str, Answer],
    calls: Sequence[CallRecord],
    *,
    job_id: JobId | None = None,
    sources: ChunksByAnswerKey = NO_CHUNKS_BY_ANSWER_KEY,
) -> None:
    """Store validated answers and ledger rows, in the caller's transaction.

    An answer whose chunks are all gone is not stored.
    """
    if answers:
        sources_of_answers = {key: sources[key] for key in answers if key in sources}
        stored_chunks = repository.lock_existing_chunks(
            space, {chunk for chunks in sources_of_answers.values() for chunk in chunks}
        )
        remaining_sources = {
            key: stored_chunks.intersection(chunks) for key, chunks in sources_of_answers.items()
        }
        answers_with_chunks = {
            key: answer for key, answer in answers.items() if remaining_sources.get(key, True)
        }
        repository.insert_answers(space, answers_with_chunks, sources=remaining_sources)
    if calls:
        repository.add_call_records(space, calls, job_id)


def link_answers_to_chunks(space: SpaceSession, sources: ChunksByAnswerKey) -> None:
    """Link stored answers to further chunks."""
    if sources:
        stored_chunks = repository.lock_existing_chunks(
            space, {chunk for source in sources.values() for chunk in source}
        )
        repository.link_answers_to_chunks(
            space, {key: stored_chunks.intersection(chunks) for key, chunks in sources.items()}
        )
