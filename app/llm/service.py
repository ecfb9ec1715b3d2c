"""Rules of the answer cache and the ledger: per space and never shared, validated before it is kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from app.db.session import SpaceSession
from app.ids import JobId
from app.llm import repository
from app.llm.answers import Answer, CallRecord


@dataclass(frozen=True, slots=True)
class Spent:
    """The sum of a job's calls; look-ups answered from the cache are not counted."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: Decimal


def find_answers(space: SpaceSession, keys: Sequence[str]) -> dict[str, Answer]:
    """The answers that this space has already."""
    return repository.find_answers(space, keys) if keys else {}


def keep(
    space: SpaceSession,
    answers: Mapping[str, Answer],
    calls: Sequence[CallRecord],
    *,
    job_id: JobId | None = None,
) -> None:
    """Store validated answers and what they cost, in the caller's transaction."""
    if answers:
        repository.keep_answers(space, answers)
    if calls:
        repository.add_calls(space, calls, job_id)


def last_model(space: SpaceSession) -> str | None:
    """The model that read this space's chunks last; None where rules read them, or nobody did."""
    return repository.last_model(space)


def spent_by_job(space: SpaceSession, job_id: JobId) -> Spent:
    """Return the cost of the job so far, all its attempts together."""
    return Spent(*repository.spent_by_job(space, job_id))
