"""A leased job as its handler sees it, for tests that take the handler's part."""

from typing import Any

from app.db.database import Database
from app.jobs.context import JobContext, Signals
from app.jobs.shapes import Lease
from app.settings import Settings


def context(database: Database, lease: Lease, *, seconds: float = 30.0, **signals: Any) -> JobContext:
    """The job's context; each step prolongs its lease by so many seconds, also by fewer than none."""
    settings = Settings().model_copy(update={"job_lease": seconds})
    return JobContext(database, lease, settings, Signals(**signals))
