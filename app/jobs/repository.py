"""Reads and writes of jobs. The SQL that decides who works on what is in sql/, one decision per file."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from uuid import UUID

from sqlalchemy import event, func, select, true
from sqlalchemy.orm import aliased

from app.db.models import Job, JobError
from app.db.session import OpenSession, PlatformSession, SpaceSession
from app.ids import ChunkId, DocumentId, JobId, TenantId, create_id
from app.jobs.kinds import JobKind
from app.jobs.shapes import FailedJob, JobCount, Lease, Outcomes, ParkedJobs, WaitingTenant
from app.jobs.states import EVERY_JOB, JobFilter, JobState, QueueState, WaitingJobs


def add_job(space: SpaceSession, job: Job, *, delay: float) -> None:
    """Store a new job that can be claimed after `delay` seconds by the database's clock."""
    if delay > 0:
        job.run_after = func.now() + timedelta(seconds=delay)
    space.orm.add(job)
    space.orm.flush()


def reload_job(space: SpaceSession, job: Job) -> None:
    """Read the job's row again, after statements that the ORM does not know about."""
    space.orm.refresh(job)


def lock_enqueueing_of_kind(space: SpaceSession, kind: str) -> None:
    """Lock the queueing of jobs of that kind in this space until the transaction ends."""
    space.run("jobs.lock_enqueueing_of_kind", {"kind": kind})


def reschedule_queued_job_later(
    space: SpaceSession, kind: str, *, delay: float, max_delay: float
) -> JobId | None:
    """Postpone the space's queued job of that kind; return its id, or None if there is none."""
    rows = space.run(
        "jobs.reschedule_queued_job_later", {"kind": kind, "delay": delay, "max_delay": max_delay}
    )
    return JobId(rows[0][0]) if rows else None


def advance_queued_job(space: SpaceSession, kind: JobKind, *, delay: float) -> JobId | None:
    """Make the space's queued job of that kind and these arguments due in `delay` seconds; return its id, or
    None.
    """
    rows = space.run(
        "jobs.reschedule_earlier",
        {"kind": kind.kind, "arguments": json.dumps(kind.arguments()), "delay": delay},
    )
    return JobId(rows[0][0]) if rows else None


def get_job(space: SpaceSession, job_id: JobId) -> Job | None:
    """Return the space's job with that id, or None."""
    return space.orm.scalar(select(Job).where(Job.knowledge_space_id == space.space_id, Job.id == job_id))


def get_jobs(space: SpaceSession, job_ids: Collection[JobId]) -> Sequence[Job]:
    """Return those of the jobs that belong to the space, in no order."""
    query = select(Job).where(Job.knowledge_space_id == space.space_id, Job.id.in_(job_ids))
    return space.orm.scalars(query).all()


def list_jobs(
    space: SpaceSession,
    job_filter: JobFilter = EVERY_JOB,
    *,
    after: UUID | None = None,
    limit: int = 100,
) -> Sequence[Job]:
    """Return the space's jobs that match the filter, newest first, older than `after`."""
    query = select(Job).where(Job.knowledge_space_id == space.space_id)
    if job_filter.states:
        query = query.where(Job.state.in_([state.value for state in job_filter.states]))
    if job_filter.kind:
        query = query.where(Job.kind == job_filter.kind)
    if after is not None:
        query = query.where(Job.id < after)
    return space.orm.scalars(query.order_by(Job.id.desc()).limit(limit)).all()


def list_waiting_jobs(space: SpaceSession, *, limit: int = 50) -> list[WaitingJobs]:
    """Return the space's queued jobs, similar ones as one entry, in the order in which they can be
    claimed.
    """
    rows = space.run("jobs.list_waiting", {"limit": limit})
    return [
        WaitingJobs(kind, is_delayed, code, message, count, waiting_since, run_after, JobId(first_id))
        for kind, is_delayed, code, message, count, waiting_since, run_after, first_id in rows
    ]


def list_jobs_of_kind(space: SpaceSession, kind: str) -> Sequence[Job]:
    """Return the space's jobs of one kind, newest first."""
    query = select(Job).where(Job.knowledge_space_id == space.space_id, Job.kind == kind)
    return space.orm.scalars(query.order_by(Job.id.desc())).all()


def list_job_errors(space: SpaceSession, job_id: JobId, *, limit: int = 100) -> Sequence[JobError]:
    """Return the documents and chunks that the job skipped because they failed, each with its reason."""
    query = select(JobError).where(JobError.knowledge_space_id == space.space_id, JobError.job_id == job_id)
    return space.orm.scalars(query.order_by(JobError.id).limit(limit)).all()


def list_document_errors(
    space: SpaceSession, job_id: JobId, document_id: DocumentId, *, limit: int
) -> Sequence[JobError]:
    """Return what the job recorded about the document as a whole, not about one of its chunks."""
    query = select(JobError).where(
        JobError.knowledge_space_id == space.space_id,
        JobError.job_id == job_id,
        JobError.document_id == document_id,
        JobError.chunk_id.is_(None),
    )
    return space.orm.scalars(query.order_by(JobError.id).limit(limit)).all()


def list_errors_of_jobs(space: SpaceSession, job_ids: Collection[JobId], *, limit: int) -> Sequence[JobError]:
    """Return the first errors of each of these jobs, in order."""
    errors_of_job = (
        select(JobError)
        .where(JobError.knowledge_space_id == space.space_id, JobError.job_id == Job.id)
        .order_by(JobError.id)
        .limit(limit)
        .lateral()
    )
    error = aliased(JobError, errors_of_job)
    query = (
        select(error)
        .select_from(Job)
        .join(errors_of_job, true())
        .where(Job.knowledge_space_id == space.space_id, Job.id.in_(job_ids))
    )
    return space.orm.scalars(query.order_by(error.id)).all()


def list_unreadable_chunk_ids(space: SpaceSession, job_id: JobId) -> set[ChunkId]:
    """Return the chunks on the job's list of errors, except those whose vector failed."""
    query = select(JobError.chunk_id).where(
        JobError.knowledge_space_id == space.space_id,
        JobError.job_id == job_id,
        JobError.chunk_id.is_not(None),
        JobError.code != "bad_vector",
    )
    return {ChunkId(chunk_id) for chunk_id in space.orm.scalars(query) if chunk_id is not None}


def add_error(
    space: SpaceSession,
    job_id: JobId,
    *,
    code: str,
    message: str,
    document_id: DocumentId | None = None,
    chunk_id: ChunkId | None = None,
    chunk_ordinal: int | None = None,
) -> None:
    """Record one document or chunk that the job skips because it failed."""
    space.orm.add(
        JobError(
            id=create_id(),
            knowledge_space_id=space.space_id,
            job_id=job_id,
            document_id=document_id,
            chunk_id=chunk_id,
            chunk_ordinal=chunk_ordinal,
            code=code,
            message=message,
        )
    )
    space.orm.flush()


def run_as_last_action_before_commit(space: SpaceSession, write: Callable[[], None]) -> None:
    """Call `write` as the last action of the transaction, but not if it is rolled back."""
    event.listen(space.orm, "before_commit", lambda _session: write(), once=True)


def end_lease_and_set_state(
    space: SpaceSession,
    lease: Lease,
    *,
    state: JobState,
    stage: str,
    counts: Mapping[str, int] | None = None,
    error_code: str | None = None,
    error_message: str | None = None,
    delay: float = 0.0,
    counts_failure: bool = False,
    uncounts_attempt: bool = False,
) -> bool:
    """End the lease and set the job's state; return False if the lease is no longer valid."""
    rows = space.run(
        "jobs.finish_job",
        {
            "job": lease.job_id,
            "fence": lease.fence,
            "state": state.value,
            "stage": stage,
            "counts": json.dumps(dict(counts or {})),
            "error_code": error_code,
            "error_message": error_message,
            "delay": delay,
            "failed": int(counts_failure),
            "uncount": int(uncounts_attempt),
        },
    )
    return bool(rows)


def count_ready_jobs(platform: PlatformSession, *, bound: int = 1000) -> int:
    """Return the number of jobs that wait to be claimed, at most `bound`."""
    return int(platform.run("jobs.count_ready_jobs", {"bound": bound})[0][0])


def read_queue_state(space: SpaceSession) -> QueueState:
    """Return the space's part of the queue: waiting, postponed and running jobs, the longest wait, and the
    workers.
    """
    queued_count, postponed_count, running_count, oldest_wait, workers = space.run("jobs.read_queue_state")[0]
    return QueueState(queued_count, postponed_count, running_count, oldest_wait, tuple(workers))


def count_queued_jobs(platform: PlatformSession, tenant_id: TenantId, kind: str, *, bound: int) -> int:
    """Return the number of the tenant's queued jobs of that kind, counted up to `bound`."""
    return int(
        platform.run("jobs.count_queued_jobs", {"tenant": tenant_id, "kind": kind, "bound": bound})[0][0]
    )


def cancel_job_or_all_and_count(
    space: SpaceSession, job_id: JobId | None, *, fences_off_running: bool
) -> int:
    """Cancel one job, or all jobs of the space if `job_id` is None; return how many were queued or running.

    With `fences_off_running` running jobs are fenced off, each after the step that it is writing.
    """
    if fences_off_running:
        space.run("jobs.lock_running")
    return len(space.run("jobs.cancel_job_or_all_and_count", {"job": job_id, "force": fences_off_running}))


def requeue_job_if_ended_or_postponed(
    space: SpaceSession, job_id: JobId, *, unread_count: int, read_count: int
) -> bool:
    """Queue a job again that failed, was cancelled or left documents unread, or make a postponed one run now;
    return False for any other.
    """
    parameters = {
        "job": job_id,
        "unread": unread_count,
        "read": read_count,
        "documents": unread_count + read_count,
    }
    return bool(space.run("jobs.requeue_job", parameters))


def delete_retryable_errors(space: SpaceSession, job_id: JobId) -> None:
    """Remove the errors that a retry is to resolve from the job's list."""
    space.run("jobs.delete_retryable_errors", {"job": job_id})


def delete_ended_job(space: SpaceSession, job_id: JobId) -> bool:
    """Remove an ended job with all that belongs to it; return False if there is none.

    Its cost stays in the ledger of model calls.
    """
    return bool(space.run("jobs.delete_ended_job", {"job": job_id}))


def try_to_add_cost_to_job(
    space: SpaceSession, job_id: JobId, *, prompt_tokens: int, completion_tokens: int, cost_usd: Decimal
) -> bool:
    """Add the cost of model calls to the counters of their job; return False, adding nothing, while a step of
    it is being written.

    Otherwise each call that ends during a step would wait for the end of the step and block the calls behind
    it.
    """
    return bool(
        space.run(
            "jobs.add_cost_to_job",
            {
                "job": job_id,
                "prompt_tokens": prompt_tokens,
                "completion_tokens": completion_tokens,
                "cost_usd": cost_usd,
            },
        )
    )


def lock_job_row(space: SpaceSession, job_id: JobId) -> None:
    """Lock the job's counters until the transaction ends, while their sums are read from the ledger."""
    space.run("jobs.lock_job_row", {"job": job_id})


def set_cost_of_job(
    space: SpaceSession, job_id: JobId, *, prompt_tokens: int, completion_tokens: int, cost_usd: Decimal
) -> None:
    """Set the counters of a job to the sums of the ledger."""
    space.run(
        "jobs.set_cost_of_job",
        {
            "job": job_id,
            "prompt_tokens": prompt_tokens,
            "completion_tokens": completion_tokens,
            "cost_usd": cost_usd,
        },
    )


def unpark_all_jobs_and_count(platform: PlatformSession, code: str) -> int:
    """Make all tenants' jobs that were parked for this reason claimable now; return their number."""
    return len(platform.run("jobs.unpark_all_jobs_and_count", {"code": code}))


def unpark_jobs_of_tenant_and_count(session: OpenSession, code: str, tenant_id: TenantId) -> int:
    """Make the tenant's jobs that were parked for this reason claimable now; return their number."""
    return len(session.run("jobs.unpark_jobs_of_tenant_and_count", {"code": code, "tenant_id": tenant_id}))


def list_tenants_in_queue(platform: PlatformSession, *, limit: int = 100) -> list[WaitingTenant]:
    """Return tenants with waiting or running jobs, the longest wait first."""
    rows = platform.run("jobs.list_tenants_in_queue", {"limit": limit}, should_prepare=False)
    return [WaitingTenant(*row) for row in rows]


def count_recent_job_outcomes(platform: PlatformSession, *, minutes: int) -> Outcomes:
    """Count the jobs of all tenants that ended within the last minutes, by outcome."""
    return Outcomes(
        *platform.run("jobs.count_recent_job_outcomes", {"minutes": minutes}, should_prepare=False)[0]
    )


def list_recent_failures(platform: PlatformSession, *, hours: int = 24, limit: int = 10) -> list[FailedJob]:
    """Return jobs of all tenants that failed within the last hours, newest first; with their codes, not their
    messages.
    """
    rows = platform.run("jobs.list_recent_failures", {"hours": hours, "limit": limit}, should_prepare=False)
    return [FailedJob(*row) for row in rows]


def list_parked_jobs(platform: PlatformSession) -> list[ParkedJobs]:
    """Return the parked jobs of all tenants, grouped by the code of what they wait for."""
    return [ParkedJobs(*row) for row in platform.run("jobs.list_parked_jobs", should_prepare=False)]


def count_jobs_by_kind(platform: PlatformSession) -> list[JobCount]:
    """Return the numbers of waiting, postponed and running jobs; at most 10,000 of each state are counted."""
    rows = platform.run("jobs.count_jobs_by_kind", should_prepare=False)
    return [JobCount(kind, state, int(job_count)) for kind, state, job_count in rows]


def read_longest_wait_seconds_by_tenant_bucket(
    platform: PlatformSession, *, buckets: int
) -> dict[int, float]:
    """Map each bucket of tenants to the seconds that its oldest ready job has waited; without empty
    buckets.
    """
    rows = platform.run("jobs.read_longest_wait_by_bucket", {"buckets": buckets}, should_prepare=False)
    return {int(bucket): float(seconds) for bucket, seconds in rows}
