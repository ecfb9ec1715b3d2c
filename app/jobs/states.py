"""The states of a job, and the requests to its worker to stop."""

from dataclasses import dataclass
from enum import StrEnum


class JobState(StrEnum):
    """queued → running → done, failed or cancelled; a retry goes back to queued."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


FINAL_STATES = frozenset({JobState.DONE, JobState.FAILED, JobState.CANCELLED})


@dataclass(frozen=True)
class QueueState:
    """One space's part of the queue: jobs that wait for a worker, that are put off and that run.

    `oldest_seconds` is how long the first has waited, None without one; `workers` hold the leases.
    """

    waiting: int
    put_off: int
    running: int
    oldest_seconds: float | None
    workers: tuple[str, ...]


class CancelRequested(Exception):
    """Somebody asked for the job to stop: finalise it as cancelled."""


class StopRequested(Exception):
    """This worker is being shut down, or others wait: give the job back, its attempt uncounted."""
