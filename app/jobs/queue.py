"""Rules of the job queue: a job is a row, written with what it is about; a message only wakes workers."""

from collections.abc import Collection, Mapping, Sequence

from app.db.models import Job, JobError
from app.db.session import OpenSession, PlatformSession, SpaceSession
from app.errors import Conflict, NotFound
from app.ids import JobId, TenantId, create_id
from app.jobs import repository
from app.jobs.claim_repository import (
    claim_next_job,
    heartbeat_leases,
    list_held_leases,
    requeue_jobs_with_expired_leases,
)
from app.jobs.fairness_repository import do_other_tenants_wait
from app.jobs.kinds import SCHEMA_VERSION, JobKind
from app.jobs.repository import (
    count_jobs_by_kind,
    count_queued_jobs,
    count_ready_jobs,
    count_recent_job_outcomes,
    delete_ended_job,
    get_jobs,
    list_document_errors,
    list_job_errors,
    list_jobs,
    list_jobs_of_kind,
    list_parked_jobs,
    list_recent_failures,
    list_tenants_in_queue,
    list_waiting_jobs,
    lock_job_row,
    read_longest_wait_seconds_by_tenant_bucket,
    read_queue_state,
    set_cost_of_job,
    try_to_add_cost_to_job,
)
from app.jobs.states import FINAL_STATES, JobFilter, JobState
from app.observability import tracing

__all__ = [
    "claim_next_job",
    "count_jobs_by_kind",
    "count_queued_jobs",
    "count_ready_jobs",
    "count_recent_job_outcomes",
    "delete_ended_job",
    "do_other_tenants_wait",
    "get_jobs",
    "heartbeat_leases",
    "list_document_errors",
    "list_held_leases",
    "list_job_errors",
    "list_jobs",
    "list_jobs_of_kind",
    "list_parked_jobs",
    "list_recent_failures",
    "list_tenants_in_queue",
    "list_waiting_jobs",
    "lock_job_row",
    "read_longest_wait_seconds_by_tenant_bucket",
    "read_queue_state",
    "requeue_jobs_with_expired_leases",
    "set_cost_of_job",
    "try_to_add_cost_to_job",
]

RUNNING_JOBS = JobFilter(states=(JobState.RUNNING,))
ENDED_JOBS = JobFilter(states=FINAL_STATES)
JOBS_NOT_RUNNING = JobFilter(states=(JobState.QUEUED, *FINAL_STATES))


def enqueue(space: SpaceSession, kind: JobKind, *, delay: float = 0.0) -> Job:
    """Queue a job in the caller's transaction; workers are woken after the commit.

    It can be claimed after `delay` seconds at the earliest.
    """
    job = Job(
        id=create_id(),
        knowledge_space_id=space.space_id,
        tenant_id=space.tenant_id,
        kind=kind.kind,
        schema_version=SCHEMA_VERSION,
        arguments=kind.arguments(),
        trace_parent=tracing.get_trace_parent(),
    )
    repository.add_job(space, job, delay=delay)
    if delay <= 0:
        space.wake_workers()
    return job


def enqueue_or_postpone(space: SpaceSession, kind: JobKind, *, delay: float, max_delay: float) -> Job:
    """Return the one queued job of that kind, due in `delay` seconds; create it if there is none.

    Each further call postpones it again, but never beyond `max_delay` seconds after it was created.
    """
    repository.lock_enqueueing_of_kind(space, kind.kind)
    job_id = repository.reschedule_queued_job_later(space, kind.kind, delay=delay, max_delay=max_delay)
    if job_id is None:
        job_id = JobId(enqueue(space, kind).id)
        repository.reschedule_queued_job_later(space, kind.kind, delay=delay, max_delay=max_delay)
    elif delay <= 0:
        space.wake_workers()
    job = get_job(space, job_id)
    repository.reload_job(space, job)
    return job


def enqueue_or_run_earlier(space: SpaceSession, kind: JobKind, *, delay: float) -> Job:
    """Return the one queued job of that kind with these arguments, due in `delay` seconds at the latest.

    It is created if there is none. A waiting job is moved forward and never postponed, so a job may wait for
    a distant date in the queue and still be run earlier.
    """
    repository.lock_enqueueing_of_kind(space, kind.kind)
    job_id = repository.advance_queued_job(space, kind, delay=delay)
    if job_id is None:
        job = enqueue(space, kind, delay=delay)
    else:
        job = get_job(space, job_id)
        if delay <= 0:
            space.wake_workers()
    repository.reload_job(space, job)
    return job


def get_job(space: SpaceSession, job_id: JobId) -> Job:
    """Return the job. Raises NotFound."""
    job = repository.get_job(space, job_id)
    if job is None:
        raise NotFound("job")
    return job


def list_running_then_newest(space: SpaceSession, *, limit: int) -> Sequence[Job]:
    """Return the space's running jobs, then the newest other jobs."""
    running_jobs = list_jobs(space, RUNNING_JOBS, limit=limit)
    other_jobs = (
        list_jobs(space, JOBS_NOT_RUNNING, limit=limit - len(running_jobs))
        if len(running_jobs) < limit
        else ()
    )
    return [*running_jobs, *exclude_listed_jobs(other_jobs, running_jobs)]


def exclude_listed_jobs(jobs: Sequence[Job], listed_jobs: Sequence[Job]) -> list[Job]:
    """Return the jobs that are not listed yet: one that ended between two queries is found by both."""
    listed_ids = {job.id for job in listed_jobs}
    return [job for job in jobs if job.id not in listed_ids]


def lock_enqueueing_and_list_jobs_of_kind(space: SpaceSession, kind: str) -> Sequence[Job]:
    """Return the space's jobs of one kind, newest first; nobody else can queue that kind until the
    transaction ends.
    """
    repository.lock_enqueueing_of_kind(space, kind)
    return list_jobs_of_kind(space, kind)


def list_errors_of_jobs(
    space: SpaceSession, job_ids: Collection[JobId], *, limit: int
) -> Mapping[JobId, Sequence[JobError]]:
    """Return the errors of several jobs with one query, at most `limit` of each; jobs without errors are left
    out.
    """
    errors_by_job: dict[JobId, list[JobError]] = {}
    for error in repository.list_errors_of_jobs(space, job_ids, limit=limit):
        errors_by_job.setdefault(JobId(error.job_id), []).append(error)
    return errors_by_job


def cancel_job(space: SpaceSession, job_id: JobId) -> Job:
    """Cancel a queued job at once, or a running one at its next step. Raises NotFound, Conflict."""
    job = get_job(space, job_id)
    if repository.cancel_job_or_all_and_count(space, job_id, fences_off_running=False) == 0:
        raise Conflict("The job has ended already.", code="job_ended")
    repository.reload_job(space, job)
    return job


def cancel_all_jobs_and_count(space: SpaceSession) -> int:
    """Cancel every job of the space, and fence off the workers that have one; return their number."""
    return repository.cancel_job_or_all_and_count(space, None, fences_off_running=True)


def retry_job(space: SpaceSession, job_id: JobId, *, unread_count: int = 0, read_count: int = 0) -> Job:
    """Queue a job again that has ended, or make one that was parked or postponed run now.

    A job that is done is retried for `unread_count` documents that were queued for it, in addition to the
    `read_count` documents that it has read. Raises NotFound, and Conflict for a job that runs, left nothing
    unread, or waits only for a worker.
    """
    job = get_job(space, job_id)
    has_ended = job.state in FINAL_STATES
    if not repository.requeue_job_if_ended_or_postponed(
        space, job_id, unread_count=unread_count, read_count=read_count
    ):
        raise Conflict(
            "Only a job that failed, was cancelled or postponed, or left something unread can be retried.",
            code="job_not_retryable",
        )
    if has_ended:
        repository.delete_retryable_errors(space, job_id)
    repository.reload_job(space, job)
    space.wake_workers()
    return job


def unpark_jobs_of_tenant_and_count(session: OpenSession, tenant_id: TenantId, *, code: str) -> int:
    """Make the tenant's jobs that were parked for this reason claimable now; return their number.

    If the session is that of a space, only the jobs of that space.
    """
    unparked_count = repository.unpark_jobs_of_tenant_and_count(session, code, tenant_id)
    if unparked_count:
        session.wake_workers()
    return unparked_count


def unpark_all_jobs_and_count(platform: PlatformSession, *, code: str) -> int:
    """Make all tenants' jobs that were parked for this reason claimable now; return their number."""
    unparked_count = repository.unpark_all_jobs_and_count(platform, code)
    if unparked_count:
        platform.wake_workers()
    return unparked_count
