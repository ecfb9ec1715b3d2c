"""Retries of a failed job: whether there is another attempt, and its delay."""

import random

from app.db.models import Job
from app.jobs.kinds import UNTIL_DONE

# Delay in seconds before a retry: doubles from the first to the second value, with jitter.
FIRST_DELAY, MAX_DELAY = 1.0, 300.0


def is_last_attempt(job: Job, *, retryable: bool) -> bool:
    """Return whether the job ends if the current attempt fails."""
    if job.kind in UNTIL_DONE:
        return False
    return not retryable or job.failures + 1 >= job.max_attempts


def compute_retry_delay(failures: int) -> float:
    """Return the seconds until the next attempt after `failures` earlier failures."""
    max_delay = min(MAX_DELAY, FIRST_DELAY * 2**failures)
    return random.uniform(max_delay / 2, max_delay)
