"""Retries of a failed job: whether there is another attempt, and its delay."""

import random

from app.db.models import Job
from app.jobs.kinds import UNTIL_DONE

# The delay before a retry doubles from the first to the second value, with jitter.
FIRST_DELAY_SECONDS, MAX_DELAY_SECONDS = 1.0, 300.0


def is_last_attempt(job: Job, *, retryable: bool) -> bool:
    """Return whether the job ends if the current attempt fails."""
    if job.kind in UNTIL_DONE:
        return False
    return not retryable or job.failures + 1 >= job.max_attempts


def compute_jittered_retry_seconds(failures: int) -> float:
    """Return the seconds until the next attempt after `failures` earlier failures."""
    delay_without_jitter = min(MAX_DELAY_SECONDS, FIRST_DELAY_SECONDS * 2**failures)
    return random.uniform(delay_without_jitter / 2, delay_without_jitter)
