"""The context of a running job: its lease, settings, clock, and the signals of its worker."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from operator import attrgetter

from app.db.database import Database
from app.db.session import SpaceSession
from app.ids import ChunkId, DocumentId
from app.jobs import claim_repository, fairness_repository, repository
from app.jobs.kinds import DeleteSpace
from app.jobs.queue import get_job
from app.jobs.retries import compute_jittered_retry_seconds, is_last_attempt
from app.jobs.shapes import Lease, LeaseLost
from app.jobs.states import CancelRequested, JobState, StopRequested
from app.settings import Settings

_NOTE_KEY = "note of the step"
Clock = Callable[[SpaceSession], datetime]


@dataclass
class _StepNote:
    """The progress that a step records for its job, written just before the step commits."""

    stage: str | None = None
    progress: float | None = None
    counts: dict[str, int] = field(default_factory=dict)
    has_progressed: bool = False


def never_stop() -> bool:
    """Return False: nobody asks the job to stop."""
    return False


def ignore_step(_step: str) -> None:
    """Ignore the step: nobody observes the job."""


def do_nothing() -> None:
    """Do nothing: no other job is served."""


@dataclass(frozen=True)
class Signals:
    """The signals between a job and the process that runs it.

    `stop_requested` tells whether the process is shutting down. `should_yield` tells whether other jobs wait;
    it is called at the start of a step after something was finished. `must_release` tells whether the job
    must stop though it finished nothing, to be started again later. `run_waiting_job_of_other_tenant` runs a
    waiting job of another tenant within this one. `checkpoint` is called with the name of each step reached.
    """

    stop_requested: Callable[[], bool] = never_stop
    should_yield: Callable[[], bool] = never_stop
    must_release: Callable[[], bool] = never_stop
    run_waiting_job_of_other_tenant: Callable[[], None] = do_nothing
    checkpoint: Callable[[str], None] = ignore_step


class JobContext:
    """A leased job while a worker runs it: every step's transaction begins with `check_lease`.

    Steps are dated by `now`, the database's clock unless a test passes another.
    """

    def __init__(
        self,
        database: Database,
        lease: Lease,
        settings: Settings,
        signals: Signals | None = None,
        *,
        now: Clock | None = None,
    ) -> None:
        signals = signals or Signals()
        self.database = database
        self.lease = lease
        self.settings = settings
        self.stop_requested = signals.stop_requested
        self._must_release = signals.must_release
        self._run_other_job = signals.run_waiting_job_of_other_tenant
        # The thread in which the worker runs the job; the job may have other threads.
        self._thread_id = threading.get_ident()
        self.checkpoint = signals.checkpoint
        self.now = now or attrgetter("transaction_time")
        self._should_yield = signals.should_yield
        # The thread that last finished something and has begun nothing since.
        self._finisher_thread_id: int | None = None
        self._stage: str | None = None
        # The counts that were last recorded, for the log.
        self.recorded_counts: dict[str, int] = {}

    def open_space(
        self, *, by_index: bool = False, snapshot: bool = False
    ) -> AbstractContextManager[SpaceSession]:
        """Open the job's space for one transaction: see `Database.open_space`."""
        lease = self.lease
        return self.database.open_space(
            lease.tenant_id,
            lease.space_id,
            by_index=by_index,
            snapshot=snapshot,
            may_be_closed=lease.kind == DeleteSpace.kind,
        )

    @contextmanager
    def open_fenced_step(self, *, stage: str | None = None, by_index: bool = False) -> Iterator[SpaceSession]:
        """Open the job's space for the transaction of one step, check the lease, and record the stage."""
        with self.open_space(by_index=by_index) as space:
            self.record_progress(space, stage=stage)
            yield space

    def raise_if_stop_requested(self) -> None:
        """Raise StopRequested if this process is shutting down."""
        if self.stop_requested():
            raise StopRequested

    def run_waiting_job_of_other_tenant(self) -> None:
        """Run a job of another tenant that has waited for a second. Call it without an open transaction:
        between two steps, and repeatedly during a long wait.

        So nobody waits for work that cannot be interrupted, such as one long document or a model's answer.
        Raises StopRequested if this process is shutting down, or if this job itself runs within another one
        and has used its time slice.
        """
        if self.stop_requested() or self._must_release():
            raise StopRequested
        if threading.get_ident() == self._thread_id:
            self._run_other_job()

    def check_lease(self, space: SpaceSession) -> None:
        """Check in this transaction that the lease is valid, and lock it until the transaction ends.

        Until then nobody can take the job over, while heartbeats continue (docs/decisions/0028). Raises
        LeaseLost or CancelRequested, and at the start of a step StopRequested.
        """
        if _NOTE_KEY in space.orm.info:
            return
        self.stop_if_others_wait()
        lease_state = claim_repository.lock_lease_and_get_state(space, self.lease)
        if lease_state is claim_repository.LeaseState.LOST:
            raise LeaseLost
        if lease_state is claim_repository.LeaseState.CANCEL_REQUESTED:
            raise CancelRequested
        space.orm.info[_NOTE_KEY] = _StepNote()
        repository.run_as_last_action_before_commit(space, lambda: self._write_noted_step(space))

    def record_progress(
        self,
        space: SpaceSession,
        *,
        stage: str | None = None,
        progress: float | None = None,
        counts: Mapping[str, int] | None = None,
        has_progressed: bool = False,
    ) -> None:
        """Check the lease, and record the job's progress just before this transaction commits.

        `has_progressed` means that something was finished: earlier crashes no longer count, and the next step
        may yield to other jobs. Raises what `check_lease` raises.
        """
        self.check_lease(space)
        note: _StepNote = space.orm.info[_NOTE_KEY]
        note.stage = stage or note.stage
        note.progress = note.progress if progress is None else progress
        note.counts.update(counts or {})
        note.has_progressed |= has_progressed

    def stop_if_others_wait(self) -> None:
        """Raise StopRequested if something was finished since the last step and others wait.

        Each step begins with it. Call it also before paid work that only the next step stores.
        """
        has_finished, self._finisher_thread_id = self._finisher_thread_id == threading.get_ident(), None
        if has_finished and self._should_yield():
            raise StopRequested

    def _write_noted_step(self, space: SpaceSession) -> None:
        note: _StepNote = space.orm.info[_NOTE_KEY]
        if note == _StepNote(note.stage) and note.stage in (None, self._stage):
            return
        self._stage = note.stage or self._stage
        self.recorded_counts.update(note.counts)
        claim_repository.record_progress_and_extend_lease(
            space,
            self.lease,
            lease_seconds=self.settings.job_lease,
            stage=note.stage,
            progress=note.progress,
            counts=note.counts,
            has_progressed=note.has_progressed,
        )
        if note.has_progressed:
            self._finisher_thread_id = threading.get_ident()

    def get_counts_of_earlier_attempts(self, space: SpaceSession) -> dict[str, int]:
        """Return the counts of earlier attempts at this job."""
        return dict(get_job(space, self.lease.job_id).counts)

    def list_unreadable_chunk_ids(self, space: SpaceSession) -> set[ChunkId]:
        """Return the chunks that this job could not read; it does not try them again when it continues."""
        return repository.list_unreadable_chunk_ids(space, self.lease.job_id)

    def record_item_error(
        self,
        space: SpaceSession,
        *,
        code: str,
        message: str,
        document_id: DocumentId | None = None,
        chunk_id: ChunkId | None = None,
        chunk_ordinal: int | None = None,
    ) -> None:
        """Add one document or chunk to the job's list of errors; the rest of the job continues."""
        repository.add_error(
            space,
            self.lease.job_id,
            code=code,
            message=message,
            document_id=document_id,
            chunk_id=chunk_id,
            chunk_ordinal=chunk_ordinal,
        )

    def finish_done(self, space: SpaceSession, *, counts: Mapping[str, int]) -> None:
        """Mark the job as done, in the transaction of the last step. Raises LeaseLost."""
        if not repository.end_lease_and_set_state(
            space, self.lease, state=JobState.DONE, stage="done", counts=counts
        ):
            raise LeaseLost
        self.recorded_counts = dict(counts)

    def finish_cancelled(self, space: SpaceSession) -> None:
        """Mark the job as cancelled."""
        repository.end_lease_and_set_state(space, self.lease, state=JobState.CANCELLED, stage="cancelled")

    def release(self, space: SpaceSession) -> None:
        """Return the job to the queue without counting the attempt (rule J9 of docs/reliability.md), and wake
        another worker.

        Other waiting tenants come before this tenant, which was served until now.
        """
        fairness_repository.move_tenant_behind_waiting(space)
        repository.end_lease_and_set_state(
            space, self.lease, state=JobState.QUEUED, stage="waiting", uncounts_attempt=True
        )
        space.wake_workers()

    def park(self, space: SpaceSession, *, seconds: float, code: str, message: str) -> None:
        """Put the job aside for some time without counting the attempt: what it waits for is not its
        fault.
        """
        repository.end_lease_and_set_state(
            space,
            self.lease,
            state=JobState.QUEUED,
            stage="parked",
            error_code=code,
            error_message=message,
            delay=seconds,
            uncounts_attempt=True,
        )

    def retry_later_or_fail(
        self, space: SpaceSession, *, code: str, message: str, retryable: bool
    ) -> JobState:
        """Put the job back with a growing delay, or mark it as failed; return its new state."""
        job = get_job(space, self.lease.job_id)
        is_final = is_last_attempt(job, retryable=retryable)
        new_state = JobState.FAILED if is_final else JobState.QUEUED
        repository.end_lease_and_set_state(
            space,
            self.lease,
            state=new_state,
            stage="failed" if is_final else "waiting to try again",
            error_code=code,
            error_message=message,
            delay=0.0 if is_final else compute_jittered_retry_seconds(job.failures),
            counts_failure=True,
        )
        return new_state


Handler = Callable[[JobContext], None]
