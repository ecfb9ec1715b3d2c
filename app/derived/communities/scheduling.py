"""Scheduling of community detection: soon after ingests, once for several of them (requirement 7.2)."""

from collections.abc import Sequence

from app.db.models import Job
from app.db.session import SpaceSession
from app.derived.communities import report_repository
from app.derived.communities.shapes import DetectionOptions
from app.ids import NodeId
from app.jobs import queue
from app.jobs.kinds import DetectCommunities
from app.settings import Settings
from app.tenancy.audit import service as audit

MAX_DELAYS = 10
"""Maximum number of delays before detection in a space that is never idle."""


def get_detection_options_of_space(space: SpaceSession) -> DetectionOptions:
    """Return the open space's detection options, with the platform's defaults."""
    settings = space.settings
    return DetectionOptions(
        settings.community_min_weight,
        settings.community_levels,
        settings.community_seed,
    )


def schedule_detection_or_delete_notes(space: SpaceSession, settings: Settings) -> None:
    """Schedule detection after a change of the graph, once it has been idle for a while.

    If the space or the platform disables it, the change notes are deleted, and the next run, on demand, is a
    whole one.
    """
    if space.settings.communities:
        delay = settings.community_delay
        queue.enqueue_or_postpone(space, DetectCommunities(), delay=delay, max_delay=MAX_DELAYS * delay)
    else:
        # No run would process them.
        report_repository.delete_all_change_notes(space)


def delete_reports_of_communities_with_nodes(space: SpaceSession, node_ids: Sequence[NodeId]) -> None:
    """Delete the texts about communities of these nodes, since they may contain deleted words."""
    if node_ids:
        report_repository.delete_reports_of_communities_with_nodes(space, node_ids)


def enqueue_detection_or_run_waiting_now(space: SpaceSession) -> Job:
    """Return a job that detects now; a waiting one is moved forward."""
    job = queue.enqueue_or_postpone(space, DetectCommunities(), delay=0.0, max_delay=0.0)
    audit.record(space, "communities.detect", target=job.id)
    return job
