"""The memory family of jobs: which handler runs which kind."""

from collections.abc import Callable

from app.jobs.kinds import EvictChunks
from app.jobs.queue import JobRun
from app.memory.eviction import EvictionTools, evict_chunks
from app.settings import Settings


def handlers(
    settings: Settings,
    *,
    stop_requested: Callable[[], bool],
    checkpoint: Callable[[str], None] = lambda _step: None,
) -> dict[str, Callable[[JobRun], None]]:
    """Kind → handler, for a Runner."""
    tools = EvictionTools(settings, stop_requested, checkpoint)
    return {EvictChunks.kind: lambda run: evict_chunks(run, tools)}
