"""The context of a job while it runs: its lease, the settings, the clock, and whoever may ask it to stop."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import datetime

from app.db.session import Database, SpaceSession
from app.ids import ChunkId, DocumentId
from app.jobs import repository
from app.jobs.kinds import DeleteSpace
from app.jobs.queue import get_job
from app.jobs.retries import draw_delay, is_last_attempt
from app.jobs.shapes import Lease, LeaseLost
from app.jobs.states import CancelRequested, JobState, StopRequested
from app.settings import Settings

_NOTE = "note of the step"
Clock = Callable[[SpaceSession], datetime]


@dataclass
class _Note:
    """A step's note on its job, written just before the step is committed."""

    stage: str | None = None
    progress: float | None = None
    counts: dict[str, int] = field(default_factory=dict)
    progressed: bool = False


def never_stop() -> bool:
    """Nobody asks."""
    return False


def ignore_step(_step: str) -> None:
    """Nobody listens."""


def do_nothing() -> None:
    """Nobody else is served."""


@dataclass(frozen=True)
class Signals:
    """The questions and notes between a job and the process that runs it.

    `stop_requested` says that the process is to end. `should_yield` says whether others wait; it is asked
    where a step begins after something was finished. `must_give_way` says that the job is to be let go though
    it finished nothing, and is begun anew later. `serve_others` runs a job of somebody who waits, in the
    midst of this one. `checkpoint` is told the name of each step reached.
    """

    stop_requested: Callable[[], bool] = never_stop
    should_yield: Callable[[], bool] = never_stop
    must_give_way: Callable[[], bool] = never_stop
    serve_others: Callable[[], None] = do_nothing
    checkpoint: Callable[[str], None] = ignore_step


class JobContext:
    """A leased job while a worker runs it: every step's transaction begins with `fence`.

    Steps are dated by `now`, the clock of the database unless a test brings another.
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
        self._must_give_way = signals.must_give_way
        self._serve_others = signals.serve_others
        # The thread in which the worker runs the job; the job may have others.
        self._thread = threading.get_ident()
        self.checkpoint = signals.checkpoint
        self.now = now or repository.transaction_time
        self._should_yield = signals.should_yield
        # The thread that finished something last and has begun nothing since.
        self._finisher: int | None = None
        self._stage: str | None = None
        # The counts that were noted last, for the log.
        self.counted: dict[str, int] = {}

    def open_space(
        self, *, by_index: bool = False, snapshot: bool = False
    ) -> AbstractContextManager[SpaceSession]:
        """The job's space, open for one transaction: see `Database.open_space`."""
        lease = self.lease
        return self.database.open_space(
            lease.tenant_id,
            lease.space_id,
            by_index=by_index,
            snapshot=snapshot,
            closed=lease.kind == DeleteSpace.kind,
        )

    @contextmanager
    def open_fenced_step(self, *, stage: str | None = None, by_index: bool = False) -> Iterator[SpaceSession]:
        """One step: the job's space, open for one transaction that has proved the lease."""
        with self.open_space(by_index=by_index) as space:
            self.fence(space, stage=stage)
            yield space

    def check_stop(self) -> None:
        """Raise StopRequested where this process is to end."""
        if self.stop_requested():
            raise StopRequested

    def serve_others(self) -> None:
        """Run a job of another tenant that has waited for a second, here and now; for moments without a
        transaction: between two steps, and again and again while something long is waited for.

        So nobody waits for the end of what cannot be cut: of one long document, or of a model's answer.
        Raises StopRequested where this process is to end, or where this job itself runs in the midst of
        another and has had its slice.
        """
        if self.stop_requested() or self._must_give_way():
            raise StopRequested
        if threading.get_ident() == self._thread:
            self._serve_others()

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
            self.stop_if_others_wait()
            cancel_requested = repository.fence(space, self.lease)
            if cancel_requested is None:
                raise LeaseLost
            if cancel_requested:
                raise CancelRequested
            note = space.orm.info[_NOTE] = _Note()
            repository.run_before_commit(space, lambda: self._write_noted_step(space))
        note.stage = stage or note.stage
        note.progress = note.progress if progress is None else progress
        note.counts.update(counts or {})
        note.progressed |= progressed

    def stop_if_others_wait(self) -> None:
        """Raise StopRequested where something was finished since the last step and others wait.

        Each step begins with it; call it before work that is paid for and written by the next step only.
        """
        finished, self._finisher = self._finisher == threading.get_ident(), None
        if finished and self._should_yield():
            raise StopRequested

    def _write_noted_step(self, space: SpaceSession) -> None:
        note: _Note = space.orm.info[_NOTE]
        if note == _Note(note.stage) and note.stage in (None, self._stage):
            return
        self._stage = note.stage or self._stage
        self.counted.update(note.counts)
        repository.record_step(
            space,
            self.lease,
            seconds=self.settings.job_lease,
            stage=note.stage,
            progress=note.progress,
            counts=note.counts,
            progressed=note.progressed,
        )
        if note.progressed:
            self._finisher = threading.get_ident()

    def counts_of_earlier_attempts(self, space: SpaceSession) -> dict[str, int]:
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
        chunk_ordinal: int | None = None,
    ) -> None:
        """Put one document or chunk on the job's list of errors; the rest goes on."""
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
        """Finalise as done, in the transaction of the last step. Raises LeaseLost."""
        if repository.finish_job(space, self.lease, state=JobState.DONE, stage="done", counts=counts) is None:
            raise LeaseLost
        self.counted = dict(counts)

    def finish_cancelled(self, space: SpaceSession) -> None:
        """Finalise as cancelled."""
        repository.finish_job(space, self.lease, state=JobState.CANCELLED, stage="cancelled")

    def release(self, space: SpaceSession) -> None:
        """Give the job back unharmed, its attempt uncounted (rule J9), and wake somebody else.

        Others that wait come before the tenant, which was served until now.
        """
        repository.move_tenant_behind_waiting(space)
        repository.finish_job(space, self.lease, state=JobState.QUEUED, stage="waiting", uncount=True)
        space.wake_workers()

    def park(self, space: SpaceSession, *, seconds: float, code: str, message: str) -> None:
        """Put the job aside for a while, its attempt uncounted: what it waits for is not its fault."""
        repository.finish_job(
            space,
            self.lease,
            state=JobState.QUEUED,
            stage="parked",
            error_code=code,
            error_message=message,
            delay=seconds,
            uncount=True,
        )

    def retry_later_or_fail(self, space: SpaceSession, *, code: str, message: str, retryable: bool) -> bool:
        """Put the job back with a growing delay, or finalise it as failed; returns whether it is final."""
        job = get_job(space, self.lease.job_id)
        final = is_last_attempt(job, retryable=retryable)
        repository.finish_job(
            space,
            self.lease,
            state=JobState.FAILED if final else JobState.QUEUED,
            stage="failed" if final else "waiting to try again",
            error_code=code,
            error_message=message,
            delay=0.0 if final else draw_delay(job.failures),
            failed=True,
        )
        return final


Handler = Callable[[JobContext], None]
