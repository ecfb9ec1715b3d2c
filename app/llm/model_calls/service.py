"""Rules of the answer cache and the ledger: per space and never shared, validated before it is kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from app.db.session import SpaceSession
from app.ids import JobId
from app.llm.call_records import NO_SOURCES, Answer, CallRecord, Sources
from app.llm.model_calls import repository
from app.llm.model_calls.repository import drop_answers, drop_untied, last_model

__all__ = ["drop_answers", "drop_untied", "last_model"]

MOST_CALLS = 20_000
"""Calls of the ledger that one look at it by kind reads."""


@dataclass(frozen=True, slots=True)
class Spent:
    """The sum of a job's calls; look-ups answered from the cache are not counted."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: Decimal


@dataclass(frozen=True, slots=True)
class CallsForPurpose:
    """Calls of one model for one purpose; `calls` went to the model, `cached` were answered without one.

    `seconds` is how long a call took on average, `since` the time of the oldest that is counted.
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


def calls_by_purpose(space: SpaceSession, *, days: int, limit: int = MOST_CALLS) -> list[CallsForPurpose]:
    """The ledger's newest calls of the last days by model and purpose, the dearest first.

    At most `limit` of them are read, so that a page stays quick with millions.
    """
    return [
        CallsForPurpose(
            model, purpose, calls, cached, failed, sent, received, cost, milliseconds / 1000, since
        )
        for model, purpose, calls, cached, failed, sent, received, cost, milliseconds, since in (
            repository.calls_by_purpose(space, days=days, limit=limit)
        )
    ]


def find_answers(space: SpaceSession, keys: Sequence[str]) -> dict[str, Answer]:
    """The answers that this space has already."""
    return repository.find_answers(space, keys) if keys else {}


def keep(
    space: SpaceSession,
    answers: Mapping[str, Answer],
    calls: Sequence[CallRecord],
    *,
    job_id: JobId | None = None,
    sources: Sources = NO_SOURCES,
) -> None:
    """Store validated answers and what they cost, in the caller's transaction; no answer about chunks of
    which none stands.
    """
    if answers:
        tied = {key: sources[key] for key in answers if key in sources}
        stored_chunks = repository.standing_chunks(
            space, {chunk for chunks in tied.values() for chunk in chunks}
        )
        remaining_sources = {key: stored_chunks.intersection(chunks) for key, chunks in tied.items()}
        kept_answers = {key: answer for key, answer in answers.items() if remaining_sources.get(key, True)}
        repository.keep_answers(space, kept_answers, tied=remaining_sources)
    if calls:
        repository.add_calls(space, calls, job_id)


def tie(space: SpaceSession, sources: Sources) -> None:
    """Let answers that are kept already be those of these chunks too."""
    if sources:
        stored_chunks = repository.standing_chunks(
            space, {chunk for source in sources.values() for chunk in source}
        )
        repository.tie(space, {key: stored_chunks.intersection(chunks) for key, chunks in sources.items()})


def spent_by_job(space: SpaceSession, job_id: JobId) -> Spent:
    """Return the cost of the job so far, all its attempts together."""
    return Spent(*repository.spent_by_job(space, job_id))
