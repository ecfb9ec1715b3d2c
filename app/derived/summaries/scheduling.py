"""When the summary gate looks at what changed: soon after ingests have ended, once for many of them."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from app.db.models import Job
from app.db.session import SpaceSession
from app.derived.summaries import note_repository
from app.derived.summaries.gate_settings import GateSettings
from app.ids import NodeId
from app.jobs import queue
from app.jobs.kinds import RefreshSummaries
from app.settings import Settings
from app.tenancy.audit import service as audit
from app.tenancy.spaces import service as spaces

LONGEST_WAIT = 10
"""A space that never rests is looked at after at most so many delays."""


def gate_settings_of_space(space: SpaceSession) -> GateSettings:
    """How patient the open space's gate is, the platform's defaults where it sets nothing."""
    settings = space.settings
    return GateSettings(
        drift_threshold=settings.summary_drift_threshold,
        burst_window=timedelta(seconds=settings.summary_burst_window),
        burst_episodes=settings.summary_burst_episodes,
        burst_cap=settings.summary_burst_cap,
        staleness_limit=timedelta(days=settings.summary_staleness_limit),
    )


def schedule_summary_refresh(space: SpaceSession, settings: Settings) -> None:
    """The graph changed: look at it once it has rested a while.

    Where the space or the platform wants no summaries the notes are gathered alone, so that they stay as few
    as the nodes.
    """
    if space.settings.summaries:
        delay = settings.summary_delay
        queue.enqueue_or_postpone(space, RefreshSummaries(), delay=delay, at_most=LONGEST_WAIT * delay)
    else:
        spaces.lock_graph_unchanged(space)
        note_repository.merge_change_notes_by_node(space)


def request_refresh(space: SpaceSession) -> Job:
    """A job that looks at every node worth a summary now; one that waits already is taken forward.

    The gate decides about each as ever: what did not change costs nothing.
    """
    job = _refresh_all(space)
    audit.record(space, "summaries.refresh", target=job.id)
    return job


def _refresh_all(space: SpaceSession) -> Job:
    note_repository.note_all_nodes_changed(space)
    return queue.enqueue_or_run_earlier(space, RefreshSummaries(), delay=0.0)


def refresh_all_after_vector_change(space: SpaceSession) -> None:
    """The vectors of the space's facts are another model's: have all nodes looked at, if the space has
    summaries.

    Where the facts are those of the summary nothing is paid: its vector is made anew, to compare what comes
    with.
    """
    if space.settings.summaries:
        _refresh_all(space)


def delete_summaries(space: SpaceSession, node_ids: Sequence[NodeId]) -> None:
    """Delete what was written about these nodes: its words may have been deleted. Under the graph's lock."""
    if node_ids:
        note_repository.delete_summaries(space, node_ids)


def schedule_deferred_look(space: SpaceSession, *, now: datetime) -> None:
    """Where a burst holds something off, a job that looks at it when it is due."""
    next_due = note_repository.next_deferred_look(space)
    if next_due is not None:
        queue.enqueue_or_run_earlier(
            space, RefreshSummaries(), delay=max(0.0, (next_due - now).total_seconds())
        )
