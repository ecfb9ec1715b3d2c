"""When a space evicts: soon after ingests, every day, and when it is asked to (requirement 12.2).

There is no clock besides the queue: each eviction leaves a job that waits for the next day, and
whatever comes before takes that one forward. A space without a policy has no such job.
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

PERIOD = timedelta(days=1)
"""Longest time between two evictions of a space with a policy."""


class NoPolicy(Conflict):
    """A space keeps everything until its settings say otherwise."""

    code = "no_eviction_policy"

    def __init__(self) -> None:
        super().__init__("This space has no eviction policy: its setting eviction is none.")


def has_policy(space: SpaceSession) -> bool:
    """Return whether the space ever gives up anything."""
    return space.settings.eviction is not Eviction.NONE


def schedule_eviction(space: SpaceSession, settings: Settings) -> None:
    """The space took something in, or got other settings: evict soon, if it has a policy.

    Once for all that comes within the delay, and not put off by what comes later.
    """
    if has_policy(space):
        queue.enqueue_or_run_earlier(space, EvictChunks(), delay=settings.eviction_delay)


def schedule_eviction_within_a_day(space: SpaceSession) -> None:
    """Have the space evict within a day from now."""
    queue.enqueue_or_run_earlier(space, EvictChunks(), delay=PERIOD.total_seconds())


def request_eviction(space: SpaceSession, *, including_last_evidence: bool | None = None) -> Job:
    """A job that evicts now; one that waits already is taken forward. Raises NoPolicy."""
    if not has_policy(space):
        raise NoPolicy
    job = queue.enqueue_or_run_earlier(space, EvictChunks(including_last_evidence), delay=0.0)
    audit.record(
        space, "memory.evict", target=job.id, details={"including_last_evidence": including_last_evidence}
    )
    return job
