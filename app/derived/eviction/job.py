"""The eviction job: selects chunks by the space's policy, then deletes them in batches under the lease.

A batch is one transaction: its chunks, their mentions and the counters change together. After a crash the
next run selects from the remaining chunks, so no state is stored.
"""

from collections import Counter

from app.db.session import SpaceSession
from app.derived.eviction import policies, repository, scheduling
from app.derived.eviction.shapes import Plan
from app.ids import ChunkId, JobId
from app.ingest import service as ingest
from app.jobs.context import JobContext
from app.tenancy.audit import service as audit

BATCH_CHUNKS = 250
"""Number of chunks deleted in one transaction, which blocks writers of the space's graph."""
MAX_SELECTED_CHUNKS = 10_000
"""Number of chunks selected at once, from as many examined, or from more if all of these are spared."""


def evict_chunks_by_policy_and_schedule_next(run: JobContext) -> None:
    """Delete all chunks that the policy selects now; nothing if the space has no policy any more.

    Raises LeaseLost, CancelRequested or StopRequested if the worker must release the job.
    """
    including_last_evidence = run.lease.arguments.get("including_last_evidence")
    with run.open_space() as space:
        if scheduling.has_eviction_policy(space):
            # Scheduled first, so that the space evicts tomorrow whatever happens to this run; and not under a
            # lock on this job's row, because a concurrent scheduler may be waiting for the row queued here.
            scheduling.schedule_eviction_within_a_day(space)
    with run.open_space() as space:
        run.record_progress(space, stage="choosing")
        counts = Counter({"evicted": 0, **run.get_counts_of_earlier_attempts(space)})
    while plan := _fence_and_plan_next_batch(run, including_last_evidence, counts):
        count_before = counts["evicted"]
        for begin in range(0, len(plan.listed), BATCH_CHUNKS):
            run.raise_if_stop_requested()
            batch = [chunk.chunk_id for chunk in plan.listed[begin : begin + BATCH_CHUNKS]]
            with run.open_space(by_index=True) as space:
                run.record_progress(space, stage="evicting")
                _evict_batch(space, run.lease.job_id, batch, plan, counts)
                done_percent = 100.0 * (begin + len(batch)) / plan.evictable
                run.record_progress(
                    space, progress=min(done_percent, 99.0), counts=counts, has_progressed=True
                )
                run.checkpoint("evicting")
            run.checkpoint("evicted")
        if counts["evicted"] == count_before:
            # All selected chunks came into use meanwhile: the next run selects again.
            break
    with run.open_space() as space:
        run.check_lease(space)
        run.finish_done(space, counts=counts)


def _fence_and_plan_next_batch(
    run: JobContext, including_last_evidence: bool | None, counts: Counter[str]
) -> Plan | None:
    examine_limit = MAX_SELECTED_CHUNKS
    while True:
        with run.open_space() as space:
            run.record_progress(space, stage="choosing")
            plan = policies.list_evictable_chunks(
                space,
                including_last_evidence=including_last_evidence,
                max_examined_chunks=examine_limit,
                limit=MAX_SELECTED_CHUNKS,
            )
        if plan.listed or not plan.more:
            break
        # All of these are spared: examine more.
        examine_limit *= 4
    counts["protected"] = plan.protected
    run.checkpoint("chosen")
    return plan if plan.listed else None


def _evict_batch(
    space: SpaceSession, job_id: JobId, batch: list[ChunkId], plan: Plan, counts: Counter[str]
) -> None:
    ingest.lock_chunks_and_graph(space)
    # A chunk may have become the last evidence of an edge since it was selected.
    includes_last_evidence = plan.policy.including_last_evidence
    evictable_ids = repository.select_still_evictable_chunks(
        space, batch, including_last_evidence=includes_last_evidence
    )
    if evictable_ids:
        removal_report = ingest.evict_chunks(space, evictable_ids)
        audit.record(
            space,
            "chunk.evict",
            target=job_id,
            other_targets=evictable_ids,
            details={
                "policy": plan.policy.eviction.value,
                "chunks": removal_report.chunks,
                "documents": removal_report.documents,
                "unlinked_edges": removal_report.unlinked_edges,
            },
        )
        counts.update(
            {
                "evicted": removal_report.chunks,
                "documents": removal_report.documents,
                "unlinked_edges": removal_report.unlinked_edges,
            }
        )
