"""Rules of the job queue: a job is a row, written with what it is about; a message only wakes workers."""

from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from typing import Any
from uuid import UUID

from app.db.models import Job, JobError
from app.db.session import OpenSession, PlatformSession, SpaceSession
from app.errors import Conflict, NotFound
from app.ids import JobId, TenantId, new_id
from app.jobs import repository
from app.jobs.kinds import SCHEMA_VERSION, JobKind
from app.jobs.leases import FailedJob, HeldLease, Lease, Outcomes, ParkedJobs, WaitingTenant
from app.jobs.states import FINAL_STATES, JobFilter, JobState, QueueState, WaitingJobs
from app.observability import tracing

EVERY_JOB = JobFilter()
RUNNING = JobFilter(states=(JobState.RUNNING,))
ENDED = JobFilter(states=FINAL_STATES)
NOT_RUNNING = JobFilter(states=(JobState.QUEUED, *FINAL_STATES))


def enqueue(space: SpaceSession, kind: JobKind, *, delay: float = 0.0) -> Job:
    """A queued job, written in the caller's transaction; workers are woken once that has committed.

    It is claimed after `delay` seconds at the earliest.
    """
    job = Job(
        id=new_id(),
        knowledge_space_id=space.space_id,
        tenant_id=space.tenant_id,
        kind=kind.kind,
        schema_version=SCHEMA_VERSION,
        arguments=kind.arguments(),
        trace_parent=tracing.trace_parent(),
    )
    repository.add_job(space, job, delay=delay)
    if delay <= 0:
        space.wake_workers()
    return job


def enqueue_once(space: SpaceSession, kind: JobKind, *, delay: float, at_most: float) -> Job:
    """The one queued job of that kind, to be run after `delay` seconds from now; made where there is none.

    Each further call puts it off again, never beyond `at_most` seconds after it was made.
    """
    repository.lock_kind(space, kind.kind)
    job_id = repository.reschedule_later(space, kind.kind, delay=delay, at_most=at_most)
    if job_id is None:
        job_id = JobId(enqueue(space, kind).id)
        repository.reschedule_later(space, kind.kind, delay=delay, at_most=at_most)
    elif delay <= 0:
        space.wake_workers()
    job = get_job(space, job_id)
    repository.refresh(space, job)
    return job


def enqueue_by(space: SpaceSession, kind: JobKind, *, delay: float) -> Job:
    """The one queued job of that kind and these arguments, to be run in `delay` seconds at the latest.

    Made where there is none. One that waits is taken forward and never put off, so a job may wait for its day
    in the queue and be run earlier all the same.
    """
    repository.lock_kind(space, kind.kind)
    job_id = repository.reschedule_earlier(space, kind, delay=delay)
    if job_id is None:
        job = enqueue(space, kind, delay=delay)
    else:
        job = get_job(space, job_id)
        if delay <= 0:
            space.wake_workers()
    repository.refresh(space, job)
    return job


def get_job(space: SpaceSession, job_id: JobId) -> Job:
    """The job as it stands. Raises NotFound."""
    job = repository.get_job(space, job_id)
    if job is None:
        raise NotFound("job")
    return job


def get_jobs(space: SpaceSession, job_ids: Collection[JobId]) -> Sequence[Job]:
    """Those of these jobs that the space has, in no order."""
    return repository.get_jobs(space, job_ids)


def list_jobs(
    space: SpaceSession,
    job_filter: JobFilter = EVERY_JOB,
    *,
    after: UUID | None = None,
    limit: int = 100,
) -> Sequence[Job]:
    """The space's jobs that the filter leaves, newest first."""
    return repository.list_jobs(space, job_filter, after=after, limit=limit)


def list_current(space: SpaceSession, *, limit: int) -> Sequence[Job]:
    """The space's jobs that run, then the newest of the others."""
    running = list_jobs(space, RUNNING, limit=limit)
    others = list_jobs(space, NOT_RUNNING, limit=limit - len(running)) if len(running) < limit else ()
    return [*running, *others]


def list_waiting(space: SpaceSession, *, limit: int = 50) -> list[WaitingJobs]:
    """The space's queued jobs, alike ones as one entry: those that a worker may take first."""
    return repository.list_waiting(space, limit=limit)


def list_of_kind(space: SpaceSession, kind: str, *, hold: bool = False) -> Sequence[Job]:
    """The space's jobs of one kind, newest first; with `hold` nobody else holds them until the transaction
    ends.
    """
    if hold:
        repository.lock_kind(space, kind)
    return repository.list_of_kind(space, kind)


def list_errors(space: SpaceSession, job_id: JobId, *, limit: int = 100) -> Sequence[JobError]:
    """The documents and chunks that the job set aside, each with its reason."""
    return repository.list_errors(space, job_id, limit=limit)


def errors_of_jobs(
    space: SpaceSession, job_ids: Collection[JobId], *, limit: int
) -> Mapping[JobId, Sequence[JobError]]:
    """The same for several jobs by one statement, at most so many of each; jobs without any are left out."""
    errors_by_job: dict[JobId, list[JobError]] = {}
    for error in repository.errors_of_jobs(space, job_ids, limit=limit):
        errors_by_job.setdefault(JobId(error.job_id), []).append(error)
    return errors_by_job


def cancel(space: SpaceSession, job_id: JobId) -> Job:
    """A queued job is cancelled at once, a running one stops at its next step. Raises NotFound, Conflict."""
    job = get_job(space, job_id)
    if repository.cancel(space, job_id, force=False) == 0:
        raise Conflict("The job has ended already.", code="job_ended")
    repository.refresh(space, job)
    return job


def forget(space: SpaceSession, job_id: JobId) -> None:
    """Remove a job that has ended, with all that belongs to it; its cost stays in the ledger of calls."""
    repository.forget(space, job_id)


def cancel_all(space: SpaceSession) -> int:
    """Cancel every job of the space and fence off the workers that hold one; returns how many."""
    return repository.cancel(space, None, force=True)


def retry(space: SpaceSession, job_id: JobId, *, unread: int = 0, read: int = 0) -> Job:
    """A job that ended, queued again, or one that was parked or put off, to run now.

    A job that is done is tried again for the `unread` documents that were queued for it, beside those that
    it has `read`. Raises NotFound, and Conflict for a job that runs, left nothing unread, or waits only for
    a worker.
    """
    job = get_job(space, job_id)
    has_ended = job.state in FINAL_STATES
    if not repository.retry(space, job_id, unread=unread, read=read):
        raise Conflict(
            "Only a job that failed, was cancelled, was put off or left something unread can be tried again.",
            code="job_not_retryable",
        )
    if has_ended:
        repository.forget_failures(space, job_id)
    repository.refresh(space, job)
    space.wake_workers()
    return job


def claim(platform: PlatformSession, *, kinds: Sequence[str], worker: str, seconds: float) -> Lease | None:
    """A lease of the next job to run, fair between tenants (requirement 5.5), or None."""
    return repository.claim(platform, kinds=kinds, worker=worker, seconds=seconds)


def heartbeat(platform: PlatformSession, leases: Sequence[Lease], *, seconds: float) -> None:
    """Prolong these leases by so many seconds from now: their worker lives."""
    repository.heartbeat(platform, leases, seconds=seconds)


def others_wait(platform: PlatformSession, tenant_id: TenantId, *, kinds: Sequence[str]) -> bool:
    """Return whether another tenant's job has waited for a second because no worker is free."""
    return repository.others_wait(platform, tenant_id, kinds)


def count_ready(platform: PlatformSession, *, bound: int = 1000) -> int:
    """How many jobs wait, counted up to `bound`."""
    return repository.count_ready(platform, bound=bound)


def queue_of_space(space: SpaceSession) -> QueueState:
    """The space's part of the queue: what waits and for how long, what runs, and who works on it."""
    return repository.queue_of_space(space)


def count_queued(platform: PlatformSession, tenant_id: TenantId, kind: str, *, bound: int) -> int:
    """How many jobs of that kind the tenant has waiting, counted up to `bound`."""
    return repository.count_queued(platform, tenant_id, kind, bound=bound)


def queue_by_tenant(platform: PlatformSession, *, limit: int = 100) -> list[WaitingTenant]:
    """Tenants with jobs that wait or run, who waits longest first."""
    return repository.queue_by_tenant(platform, limit=limit)


def outcomes(platform: PlatformSession, *, minutes: int) -> Outcomes:
    """Jobs of all tenants that ended within the last minutes, by how they ended."""
    return repository.outcomes(platform, minutes=minutes)


def recent_failures(platform: PlatformSession, *, hours: int = 24, limit: int = 10) -> list[FailedJob]:
    """Jobs of all tenants that failed within the last hours, newest first; their codes, not their words."""
    return repository.recent_failures(platform, hours=hours, limit=limit)


def parked_jobs(platform: PlatformSession) -> list[ParkedJobs]:
    """Jobs of all tenants that wait for the end of something, by its code."""
    return repository.parked_jobs(platform)


def queue_sizes(platform: PlatformSession) -> list[tuple[str, str, int]]:
    """(kind, state, jobs) of what waits, is put off and runs: at most 10,000 of each state are counted."""
    return repository.queue_sizes(platform)


def queue_ages(platform: PlatformSession, *, buckets: int) -> dict[int, float]:
    """Bucket of tenants → seconds that its oldest ready job has waited; none where nothing waits."""
    return repository.queue_ages(platform, buckets=buckets)


def leases_held(platform: PlatformSession, *, limit: int = 200) -> list[HeldLease]:
    """The jobs that workers have at the moment, the lease that ends first first."""
    return repository.leases_held(platform, limit=limit)


def add_cost(
    space: SpaceSession, job_id: JobId, *, prompt_tokens: int, completion_tokens: int, cost_usd: Decimal
) -> bool:
    """Add what model calls took to the counters of their job; False, and nothing, while a step of it is
    written.

    Else every call that ends during a step would wait for its end, and hold up those behind it.
    """
    return repository.add_cost(space, job_id, prompt_tokens, completion_tokens, cost_usd)


def lock_cost(space: SpaceSession, job_id: JobId) -> None:
    """Keep the job's counters from changing until the transaction ends, to read the ledger for `set_cost`."""
    repository.lock_job(space, job_id)


def set_cost(
    space: SpaceSession, job_id: JobId, *, prompt_tokens: int, completion_tokens: int, cost_usd: Decimal
) -> None:
    """Give the counters of a job the sums of the ledger."""
    repository.set_cost(space, job_id, prompt_tokens, completion_tokens, cost_usd)


def unpark(session: OpenSession, tenant_id: TenantId, *, code: str) -> int:
    """Let a tenant's jobs that were parked for that reason be claimed now; returns how many.

    Those of its open space alone where the session is a space's.
    """
    count = repository.unpark(session, code, tenant_id)
    if count:
        session.wake_workers()
    return count


def unpark_all(platform: PlatformSession, *, code: str) -> int:
    """The same for all tenants, where the reason was everybody's."""
    count = repository.unpark_all(platform, code)
    if count:
        platform.wake_workers()
    return count


def sweep(platform: PlatformSession) -> list[JobId]:
    """Take back jobs whose lease ran out; returns them, queued again with one crash more."""
    return repository.sweep(platform)


def error_as_dict(error: JobError) -> dict[str, Any]:
    """A document or chunk that a job set aside, as doors show it."""
    return {
        "document_id": error.document_id,
        "chunk_id": error.chunk_id,
        "chunk_ordinal": error.chunk_ordinal,
        "code": error.code,
        "message": error.message,
    }


def as_dict(job: Job) -> dict[str, Any]:
    """The job as doors show it."""
    return {
        "id": str(job.id),
        "kind": job.kind,
        "state": job.state,
        "stage": job.stage,
        "progress": round(job.progress, 1),
        "elapsed_seconds": job.elapsed_seconds,
        "seconds_left": job.seconds_left,
        "counts": job.counts,
        "attempt": job.attempt,
        "crash_count": job.crash_count,
        "cancel_requested": job.cancel_requested,
        "prompt_tokens": job.prompt_tokens,
        "completion_tokens": job.completion_tokens,
        "cost_usd": float(job.cost_usd),
        "error_code": job.error_code,
        "error_message": job.error_message,
        "created_at": job.created_at,
        "started_at": job.started_at,
        "finalized_at": job.finalized_at,
    }
