"""The job that evicts: chooses by the space's policy, then lets go in batches, each whole and fenced.

A batch is one transaction: its chunks, their mentions and what counted them go together. A run that
dies has done some batches; the next one chooses anew among what is left, so nothing needs to be remembered.
"""

from collections import Counter

from app.db.session import SpaceSession
from app.derived.eviction import repository, scheduling, service
from app.derived.eviction.shapes import Plan
from app.ids import ChunkId, JobId
from app.ingest import service as ingest
from app.jobs.context import JobContext
from app.tenancy.audit import service as audit

BATCH = 250
"""Chunks of one transaction, which holds up whoever writes the space's graph."""
CHOSEN = 10_000
"""Chunks that are chosen at once, of as many that are examined, or of more where all of these are spared."""


def evict_chunks(run: JobContext) -> None:
    """Give up all that the policy gives up now; nothing where the space has none by now.

    Raises LeaseLost, CancelRequested or StopRequested where the worker must let go of the job.
    """
    including_last_evidence = run.lease.arguments.get("including_last_evidence")
    with run.open_space() as space:
        if scheduling.has_policy(space):
            # First of all, so that the space evicts tomorrow whatever becomes of this run. And not while its
            # row is held: who takes the next day's job forward may be waiting for that row, which was queued
            # just now.
            scheduling.schedule_eviction_within_a_day(space)
    with run.open_space() as space:
        run.fence(space, stage="choosing")
        counts = Counter({"evicted": 0, **run.counts_of_earlier_attempts(space)})
    while plan := _plan_next_batch(run, including_last_evidence, counts):
        before = counts["evicted"]
        for begin in range(0, len(plan.listed), BATCH):
            run.check_stop()
            batch = [chunk.chunk_id for chunk in plan.listed[begin : begin + BATCH]]
            with run.open_space(by_index=True) as space:
                run.fence(space, stage="evicting")
                _evict_batch(space, run.lease.job_id, batch, plan, counts)
                done = 100.0 * (begin + len(batch)) / plan.evictable
                run.fence(space, progress=min(done, 99.0), counts=counts, progressed=True)
                run.checkpoint("evicting")
            run.checkpoint("evicted")
        if counts["evicted"] == before:
            # All that was chosen came into use meanwhile: the next run looks again.
            break
    with run.open_space() as space:
        run.fence(space)
        run.finish_done(space, counts=counts)


def _plan_next_batch(
    run: JobContext, including_last_evidence: bool | None, counts: Counter[str]
) -> Plan | None:
    examine = CHOSEN
    while True:
        with run.open_space() as space:
            run.fence(space, stage="choosing")
            plan = service.plan_eviction(
                space, including_last_evidence=including_last_evidence, examine=examine, limit=CHOSEN
            )
        if plan.listed or not plan.more:
            break
        # All of these are spared: look further behind them.
        examine *= 4
    counts["spared"] = plan.spared
    run.checkpoint("chosen")
    return plan if plan.listed else None


def _evict_batch(
    space: SpaceSession, job_id: JobId, batch: list[ChunkId], plan: Plan, counts: Counter[str]
) -> None:
    ingest.lock_chunks(space)
    # What was free when it was chosen may have become the last evidence of an edge since.
    including = plan.policy.including_last_evidence
    free = repository.still_evictable(space, batch, including_last_evidence=including)
    if free:
        removal = ingest.evict_chunks(space, free)
        audit.record(
            space,
            "chunk.evict",
            target=job_id,
            others=free,
            details={
                "policy": plan.policy.eviction.value,
                "chunks": removal.chunks,
                "documents": removal.documents,
                "unlinked_edges": removal.unlinked_edges,
            },
        )
        counts.update(
            {
                "evicted": removal.chunks,
                "documents": removal.documents,
                "unlinked_edges": removal.unlinked_edges,
            }
        )
