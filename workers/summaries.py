"""The summaries family of jobs: which handler runs which kind."""

from collections.abc import Callable
from datetime import UTC, datetime

from app.jobs.kinds import RefreshSummaries
from app.jobs.queue import JobRun
from app.settings import Settings
from app.summaries.refreshing import SummaryTools, refresh_summaries
from app.summaries.writers import Writers


def handlers(
    settings: Settings,
    writers: Writers,
    *,
    stop_requested: Callable[[], bool],
    checkpoint: Callable[[str], None] = lambda _step: None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> dict[str, Callable[[JobRun], None]]:
    """Kind → handler, for a Runner."""
    tools = SummaryTools(settings, writers, stop_requested, checkpoint, now)
    return {RefreshSummaries.kind: lambda run: refresh_summaries(run, tools)}
