"""The communities family of jobs: which handler runs which kind."""

from collections.abc import Callable

from app.communities.job import CommunityTools, detect_communities
from app.communities.reporters import Reporters
from app.jobs.kinds import DetectCommunities
from app.jobs.queue import JobRun
from app.settings import Settings


def handlers(
    settings: Settings,
    reporters: Reporters,
    *,
    stop_requested: Callable[[], bool],
    checkpoint: Callable[[str], None] = lambda _step: None,
) -> dict[str, Callable[[JobRun], None]]:
    """Kind → handler, for a Runner."""
    tools = CommunityTools(settings, reporters, stop_requested, checkpoint)
    return {DetectCommunities.kind: lambda run: detect_communities(run, tools)}
