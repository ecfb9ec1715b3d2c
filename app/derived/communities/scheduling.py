"""When communities are detected: soon after ingests have ended, once for many of them (requirement 7.2)."""

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

LONGEST_WAIT = 10
"""A space that never rests is detected after at most so many delays."""


def detection_options_of_space(space: SpaceSession) -> DetectionOptions:
    """How the open space wants its communities, the platform's defaults where it sets nothing."""
    settings = space.settings
    return DetectionOptions(
        settings.community_min_weight,
        settings.community_levels,
        settings.community_seed,
    )


def schedule_detection(space: SpaceSession, settings: Settings) -> None:
    """The graph changed: detect once it has rested a while, unless the space or the platform wants none.

    Where none is wanted the notes of what changed go, and the next run, on demand, is a whole one.
    """
    if space.settings.communities:
        delay = settings.community_delay
        queue.enqueue_or_postpone(space, DetectCommunities(), delay=delay, at_most=LONGEST_WAIT * delay)
    else:
        # Nobody would ever take them in.
        report_repository.delete_all_change_notes(space)


def delete_reports_of_nodes(space: SpaceSession, node_ids: Sequence[NodeId]) -> None:
    """Delete what was written about communities of these nodes: its words may have been deleted."""
    if node_ids:
        report_repository.delete_reports_of_nodes(space, node_ids)


def request_detection(space: SpaceSession) -> Job:
    """A job that detects now; one that waits already is taken forward."""
    job = queue.enqueue_or_postpone(space, DetectCommunities(), delay=0.0, at_most=0.0)
    audit.record(space, "communities.detect", target=job.id)
    return job
