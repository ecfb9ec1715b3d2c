"""Retries of a job that failed: whether there is another attempt, and after how long."""

import random

from app.db.models import Job
from app.jobs.kinds import UNTIL_DONE

# Seconds before a failed attempt is tried again: doubling from the first to the second, with jitter.
FIRST_DELAY, LONGEST_DELAY = 1.0, 300.0


def is_last_attempt(job: Job, *, retryable: bool) -> bool:
    """Return whether the failure of the attempt that runs is the job's end."""
    if job.kind in UNTIL_DONE:
        return False
    return not retryable or job.failures + 1 >= job.max_attempts


def draw_delay(failures: int) -> float:
    """Return the seconds until the next attempt after so many earlier failures."""
    ceiling = min(LONGEST_DELAY, FIRST_DELAY * 2**failures)
    return random.uniform(ceiling / 2, ceiling)
