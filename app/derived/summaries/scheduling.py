"""Scheduling of the summary gate: soon after ingests, once for several of them."""

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

MAX_DELAYS = 10
"""Maximum number of delays before an evaluation in a space that is never idle."""


def get_gate_settings_of_space(space: SpaceSession) -> GateSettings:
    """Return the gate settings of the open space, with the platform's defaults."""
    settings = space.settings
    return GateSettings(
        drift_threshold=settings.summary_drift_threshold,
        burst_window=timedelta(seconds=settings.summary_burst_window),
        burst_episodes=settings.summary_burst_episodes,
        burst_cap=settings.summary_burst_cap,
        staleness_limit=timedelta(days=settings.summary_staleness_limit),
    )


def schedule_refresh_or_merge_notes(space: SpaceSession, settings: Settings) -> None:
    """Schedule an evaluation after a change of the graph, once it has been idle for a while.

    If the space or the platform disables summaries, the notes are only merged, so that there is at most one
    per node.
    """
    if space.settings.summaries:
        delay = settings.summary_delay
        queue.enqueue_or_postpone(space, RefreshSummaries(), delay=delay, max_delay=MAX_DELAYS * delay)
    else:
        spaces.lock_graph_and_read_erasure_count(space)
        note_repository.merge_batch_of_change_notes_if_any(space)


def enqueue_or_hasten_gate_evaluation_of_all_nodes(space: SpaceSession) -> Job:
    """Return a job that evaluates every node with enough facts now; a waiting one is moved forward.

    The gate decides as usual: an unchanged node costs nothing.
    """
    job = _enqueue_or_run_refresh_earlier(space)
    audit.record(space, "summaries.refresh", target=job.id)
    return job


def _enqueue_or_run_refresh_earlier(space: SpaceSession) -> Job:
    note_repository.mark_all_nodes_as_changed(space)
    return queue.enqueue_or_run_earlier(space, RefreshSummaries(), delay=0.0)


def schedule_refresh_after_vector_change(space: SpaceSession) -> None:
    """Schedule an evaluation of all nodes after a change of the embedding model, if the space has summaries.

    A summary with unchanged facts costs nothing: only its vector is replaced, for comparison with later ones.
    """
    if space.settings.summaries:
        _enqueue_or_run_refresh_earlier(space)


def delete_summaries_of_nodes(space: SpaceSession, node_ids: Sequence[NodeId]) -> None:
    """Delete the texts about these nodes, since they may contain deleted words. The caller holds the graph
    lock.
    """
    if node_ids:
        note_repository.delete_summaries_of_nodes(space, node_ids)


def schedule_deferred_evaluation(space: SpaceSession, *, now: datetime) -> None:
    """Schedule a job for the next deferred evaluation, if there is one."""
    next_due_at = note_repository.get_time_of_next_deferred_evaluation(space)
    if next_due_at is not None:
        queue.enqueue_or_run_earlier(
            space, RefreshSummaries(), delay=max(0.0, (next_due_at - now).total_seconds())
        )
