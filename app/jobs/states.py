"""The states of a job, filters and groups of jobs, and exceptions that stop a running job."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from app.ids import JobId


class JobState(StrEnum):
    """queued → running → done, failed or cancelled; a retry returns to queued."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


FINAL_STATES = frozenset({JobState.DONE, JobState.FAILED, JobState.CANCELLED})


@dataclass(frozen=True)
class JobFilter:
    """Jobs in one of these states and of that kind; an empty value does not filter."""

    states: Collection[JobState] = ()
    kind: str = ""


EVERY_JOB = JobFilter()


@dataclass(frozen=True)
class WaitingJobs:
    """Queued jobs of one kind that wait for the same: a worker, a later time, or the end of what parked them.

    `since` is when the first of them was queued, `run_after` when it may be claimed, `first` its id.
    """

    kind: str
    is_delayed: bool
    error_code: str | None
    error_message: str | None
    count: int
    since: datetime
    run_after: datetime
    first: JobId


@dataclass(frozen=True)
class QueueState:
    """One space's part of the queue: jobs that wait for a worker, are postponed, and run.

    `oldest_seconds` is how long the first has waited, or None; `workers` are those that have the leases.
    """

    waiting: int
    delayed: int
    running: int
    oldest_seconds: float | None
    workers: tuple[str, ...]


class CancelRequested(Exception):
    """Somebody asked the job to stop: mark it as cancelled."""


class StopRequested(Exception):
    """This worker is shutting down, or others wait: return the job to the queue, its attempt uncounted."""
