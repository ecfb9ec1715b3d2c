"""The summaries family of jobs: which handler runs which kind."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from app.db.session import SpaceSession
from app.jobs.kinds import RefreshSummaries
from app.jobs.queue import JobRun
from app.settings import Settings
from app.summaries.job import SummaryTools, refresh_summaries
from app.summaries.writers import Writers


def handlers(
    settings: Settings,
    writers: Writers,
    *,
    stop_requested: Callable[[], bool],
    checkpoint: Callable[[str], None] = lambda _step: None,
    now: Callable[[SpaceSession], datetime] | None = None,
) -> dict[str, Callable[[JobRun], None]]:
    """Kind → handler, for a Runner. `now` stands in for the database's clock."""
    tools = SummaryTools(settings, writers, stop_requested, checkpoint)
    if now is not None:
        tools = replace(tools, now=now)
    return {RefreshSummaries.kind: lambda run: refresh_summaries(run, tools)}
