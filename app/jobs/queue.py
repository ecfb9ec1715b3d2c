"""Rules of the job queue: a job is a row, written with what it is about; a message only wakes workers."""

import random
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any
from uuid import UUID

from app.db.models import Job, JobError
from app.db.session import Database, PlatformSession, SpaceSession
from app.errors import Conflict, NotFound
from app.ids import ChunkId, DocumentId, JobId, TenantId, new_id
from app.jobs import repository
from app.jobs.kinds import SCHEMA_VERSION, JobKind
from app.jobs.leases import Lease, LeaseLost
from app.jobs.states import CancelRequested, JobState, StopRequested

# Seconds before a failed attempt is tried again: doubling from the first to the second, with full jitter.
FIRST_DELAY, LONGEST_DELAY = 1.0, 300.0
_NOTE = "note of the step"


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


def list_jobs(space: SpaceSession, *, after: UUID | None = None, limit: int = 100) -> Sequence[Job]:
    """The space's jobs, newest first."""
    return repository.list_jobs(space, after=after, limit=limit)


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


def cancel(space: SpaceSession, job_id: JobId) -> Job:
    """A queued job is cancelled at once, a running one stops at its next step. Raises NotFound, Conflict."""
    job = get_job(space, job_id)
    if repository.cancel(space, job_id, force=False) == 0:
        raise Conflict("The job has ended already.", code="job_ended")
    repository.refresh(space, job)
    return job


def cancel_all(space: SpaceSession) -> int:
    """Cancel every job of the space and fence off the workers that hold one; returns how many."""
    return repository.cancel(space, None, force=True)


def retry(space: SpaceSession, job_id: JobId) -> Job:
    """A failed or cancelled job, queued again. Raises NotFound, Conflict."""
    job = get_job(space, job_id)
    if not repository.retry(space, job_id):
        raise Conflict("Only a failed or cancelled job can be tried again.", code="job_not_retryable")
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


def must_give_way(platform: PlatformSession, lease: Lease, *, kinds: Sequence[str]) -> bool:
    """Return True where others wait while the tenant has another job at work that was begun before this one.

    The one begun first keeps its worker, so that whatever it takes ends some day.
    """
    if not repository.others_wait(platform, lease.tenant_id, kinds):
        return False
    return not repository.is_first_running(platform, lease)


def count_ready(platform: PlatformSession, *, bound: int = 1000) -> int:
    """How many jobs wait, counted up to `bound`."""
    return repository.count_ready(platform, bound=bound)


def count_queued(platform: PlatformSession, tenant_id: TenantId, kind: str, *, bound: int) -> int:
    """How many jobs of that kind the tenant has waiting, counted up to `bound`."""
    return repository.count_queued(platform, tenant_id, kind, bound=bound)


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


def unpark(platform: PlatformSession, tenant_id: TenantId, *, code: str) -> int:
    """Let a tenant's jobs that were parked for that reason be claimed now; returns how many."""
    count = repository.unpark(platform, code, tenant_id)
    if count:
        platform.wake_workers()
    return count


def sweep(platform: PlatformSession) -> list[JobId]:
    """Take back jobs whose lease ran out; returns them, queued again with one crash more."""
    return repository.sweep(platform)


@dataclass
class _Note:
    """A step's note on its job, written just before the step is committed."""

    stage: str | None = None
    progress: float | None = None
    counts: dict[str, int] = field(default_factory=dict)
    progressed: bool = False


class JobRun:
    """A leased job while a worker runs it: every step's transaction begins with `fence`."""

    def __init__(
        self,
        database: Database,
        lease: Lease,
        *,
        seconds: float,
        should_yield: Callable[[], bool] = lambda: False,
        must_give_way: Callable[[], bool] = lambda: False,
    ) -> None:
        """`should_yield` says whether others wait; it is asked where a step begins after something was
        finished.

        `must_give_way` says the same of a job that is to be let go though it finished nothing, which is begun
        anew later.
        """
        self.database = database
        self.lease = lease
        self._seconds = seconds
        self._should_yield = should_yield
        self.must_give_way = must_give_way
        # The thread that finished something last and has begun nothing since.
        self._finisher: int | None = None
        self._stage: str | None = None

    def fence(
        self,
        space: SpaceSession,
        *,
        stage: str | None = None,
        progress: float | None = None,
        counts: Mapping[str, int] | None = None,
        progressed: bool = False,
    ) -> None:
        """Prove, in this transaction, that the lease holds, and note where the job stands.

        Until the transaction ends nobody takes the job over, while heartbeats go on (ADR 0028). `progressed`
        says that something was finished: crashes before it no longer count, and the next step may find that
        others wait. Raises LeaseLost or CancelRequested, and where a step begins StopRequested.
        """
        note = space.orm.info.get(_NOTE)
        if note is None:
            self.pause()
            cancel_requested = repository.fence(space, self.lease)
            if cancel_requested is None:
                raise LeaseLost
            if cancel_requested:
                raise CancelRequested
            note = space.orm.info[_NOTE] = _Note()
            repository.before_commit(space, lambda: self._write(space))
        note.stage = stage or note.stage
        note.progress = note.progress if progress is None else progress
        note.counts.update(counts or {})
        note.progressed |= progressed

    def pause(self) -> None:
        """Raise StopRequested where something was finished since the last step and others wait.

        Each step begins with it; call it before work that is paid for and written by the next step only.
        """
        finished, self._finisher = self._finisher == threading.get_ident(), None
        if finished and self._should_yield():
            raise StopRequested

    def _write(self, space: SpaceSession) -> None:
        note: _Note = space.orm.info[_NOTE]
        if note == _Note(note.stage) and note.stage in (None, self._stage):
            return
        self._stage = note.stage or self._stage
        repository.note_step(
            space,
            self.lease,
            seconds=self._seconds,
            stage=note.stage,
            progress=note.progress,
            counts=note.counts,
            progressed=note.progressed,
        )
        if note.progressed:
            self._finisher = threading.get_ident()

    def counts(self, space: SpaceSession) -> dict[str, int]:
        """Return the counts of earlier attempts at this job."""
        return dict(get_job(space, self.lease.job_id).counts)

    def failed_chunks(self, space: SpaceSession) -> set[ChunkId]:
        """The chunks that this job could not read: it does not try them again when it goes on."""
        return repository.list_failed_chunks(space, self.lease.job_id)

    def quarantine(
        self,
        space: SpaceSession,
        *,
        code: str,
        message: str,
        document_id: DocumentId | None = None,
        chunk_id: ChunkId | None = None,
    ) -> None:
        """Put one document or chunk on the job's list of errors; the rest goes on."""
        repository.add_error(
            space, self.lease.job_id, code=code, message=message, document_id=document_id, chunk_id=chunk_id
        )

    def done(self, space: SpaceSession, *, counts: Mapping[str, int]) -> None:
        """Finalise as done, in the transaction of the last step. Raises LeaseLost."""
        if repository.finish(space, self.lease, state=JobState.DONE, stage="done", counts=counts) is None:
            raise LeaseLost

    def cancelled(self, space: SpaceSession) -> None:
        """Finalise as cancelled."""
        repository.finish(space, self.lease, state=JobState.CANCELLED, stage="cancelled")

    def release(self, space: SpaceSession) -> None:
        """Give the job back unharmed, its attempt uncounted (rule J9), and wake somebody else.

        Others that wait come before the tenant, which was served until now.
        """
        repository.note_served(space)
        repository.finish(space, self.lease, state=JobState.QUEUED, stage="waiting", uncount=True)
        space.wake_workers()

    def park(self, space: SpaceSession, *, seconds: float, code: str, message: str) -> None:
        """Put the job aside for a while, its attempt uncounted: what it waits for is not its fault."""
        repository.finish(
            space,
            self.lease,
            state=JobState.QUEUED,
            stage="parked",
            error_code=code,
            error_message=message,
            delay=seconds,
            uncount=True,
        )

    def failed(self, space: SpaceSession, *, code: str, message: str, retryable: bool) -> bool:
        """Put the job back with a growing delay, or finalise it as failed; returns whether it is final."""
        job = get_job(space, self.lease.job_id)
        final = not retryable or job.failures + 1 >= job.max_attempts
        ceiling = min(LONGEST_DELAY, FIRST_DELAY * 2**job.failures)
        repository.finish(
            space,
            self.lease,
            state=JobState.FAILED if final else JobState.QUEUED,
            stage="failed" if final else "waiting to try again",
            error_code=code,
            error_message=message,
            delay=0.0 if final else random.uniform(ceiling / 2, ceiling),
            failed=True,
        )
        return final


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
