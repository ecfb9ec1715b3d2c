"""Scheduling of eviction: soon after ingests, every day, and on request (requirement 12.2).

The queue is the only clock: each eviction queues a job for the next day, which earlier causes move forward. A
space without a policy has no such job.
"""

from datetime import timedelta

from app.db.models import Job
from app.db.session import SpaceSession
from app.errors import Conflict
from app.jobs import queue
from app.jobs.kinds import EvictChunks
from app.settings import Settings
from app.space_settings import Eviction
from app.tenancy.audit import service as audit

MAX_EVICTION_INTERVAL = timedelta(days=1)
"""Maximum time between two evictions of a space with a policy."""


class NoPolicy(Conflict):
    """The space has no eviction policy."""

    code = "no_eviction_policy"

    def __init__(self) -> None:
        super().__init__("This space has no eviction policy: its setting eviction is none.")


def has_eviction_policy(space: SpaceSession) -> bool:
    """Return whether the space has an eviction policy."""
    return space.settings.eviction is not Eviction.NONE


def schedule_eviction_if_space_has_policy(space: SpaceSession, settings: Settings) -> None:
    """Schedule an eviction soon after an ingest or a change of settings, if the space has a policy.

    One eviction covers everything within the delay; later causes do not postpone it.
    """
    if has_eviction_policy(space):
        queue.enqueue_or_run_earlier(space, EvictChunks(), delay=settings.eviction_delay)


def schedule_eviction_within_a_day(space: SpaceSession) -> None:
    """Schedule the space's eviction within a day from now."""
    queue.enqueue_or_run_earlier(space, EvictChunks(), delay=MAX_EVICTION_INTERVAL.total_seconds())


def enqueue_eviction_or_run_waiting_now(
    space: SpaceSession, *, including_last_evidence: bool | None = None
) -> Job:
    """Return a job that evicts now; a waiting one is moved forward. Raises NoPolicy."""
    if not has_eviction_policy(space):
        raise NoPolicy
    job = queue.enqueue_or_run_earlier(space, EvictChunks(including_last_evidence), delay=0.0)
    audit.record(
        space, "memory.evict", target=job.id, details={"including_last_evidence": including_last_evidence}
    )
    return job
