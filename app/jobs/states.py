"""The states of a job, and the requests to its worker to stop."""

from enum import StrEnum


class JobState(StrEnum):
    """queued → running → done, failed or cancelled; a retry goes back to queued."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


FINAL_STATES = frozenset({JobState.DONE, JobState.FAILED, JobState.CANCELLED})


class CancelRequested(Exception):
    """Somebody asked for the job to stop: finalise it as cancelled."""


class StopRequested(Exception):
    """This worker is being shut down, or others wait: give the job back, its attempt uncounted."""
