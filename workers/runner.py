"""Leases jobs and runs them: one process's part in the queue. Knows no Celery, so that tests can call it."""

import os
import random
import resource
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping

import structlog

from app.db.errors import DATABASE_ERRORS, is_busy, is_gone, is_overtaken, sqlstate
from app.db.session import Database, SpaceSession
from app.errors import CitegraphError, NotFound
from app.ingest import service as ingest
from app.jobs import queue
from app.jobs.context import Clock, Handler, JobContext, Signals, ignore, never
from app.jobs.leases import Lease, LeaseLost
from app.jobs.states import CancelRequested, StopRequested
from app.llm.errors import Parked
from app.settings import Settings

log = structlog.get_logger(__name__)


# Seconds that a process which is told to end waits for the running step to give its job back.
CLOSING = 30.0
MEGABYTE = 1 << 20


def peak_memory() -> int:
    """The most bytes of memory that this process has held at once."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


class _Patience:
    """The patience with a job: it ends with its slice of time if others wait, asked once a second."""

    def __init__(self, seconds: float, others_wait: Callable[[], bool]) -> None:
        self._next = time.monotonic() + seconds
        self._others_wait = others_wait

    def __call__(self) -> bool:
        if time.monotonic() < self._next:
            return False
        self._next = time.monotonic() + 1.0
        return self._others_wait()


class Runner:
    """Takes jobs while there are any, keeps their leases alive, and sweeps up after dead workers."""

    def __init__(
        self,
        database: Database,
        settings: Settings,
        handlers: Mapping[str, Handler],
        *,
        stop_requested: Callable[[], bool] = never,
        checkpoint: Callable[[str], None] = ignore,
        now: Clock | None = None,
    ) -> None:
        """`checkpoint` is told each step that a job reaches; `now` stands in for the database's clock."""
        self._database = database
        self._settings = settings
        self._handlers = handlers
        self._stop_requested = stop_requested
        self._checkpoint = checkpoint
        self._now = now
        self._name = f"{socket.gethostname()}:{os.getpid()}"
        self._held: dict[int, Lease] = {}
        self._lock = threading.Lock()
        # One job at a time in this process, whoever asks for it.
        self._working = threading.Lock()
        self._overdue = threading.Event()
        self._closed = threading.Event()
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Begin the heartbeat of leases, sweeping and attending to overdue work, in threads that end with the
        process.
        """
        for target in (self._heartbeat_forever, self._sweep_forever, self._attend_forever):
            thread = threading.Thread(target=target, daemon=True, name=target.__name__)
            thread.start()
            self._threads.append(thread)

    def close(self) -> None:
        """End the threads."""
        self._closed.set()
        self._overdue.set()
        for thread in self._threads:
            thread.join(timeout=CLOSING)

    def drain(self, *, may_end: bool = False) -> int:
        """Run jobs until none can be claimed or a stop is requested; returns how many were run.

        None where this process is at work already: what runs there goes on until nothing is left. With
        `may_end` no job is begun in a process that has grown past its bound: its caller ends it, and somebody
        else is woken.
        """
        if not self._working.acquire(blocking=False):
            return 0
        try:
            done = 0
            while not self._stop_requested():
                if may_end and peak_memory() > self._settings.worker_memory_bytes:
                    log.info("worker_recycled", peak_mb=peak_memory() // MEGABYTE)
                    self._database.wake()
                    break
                if not self.run_one():
                    break
                done += 1
            return done
        finally:
            self._working.release()

    def run_one(self) -> bool:
        """Claim and run one job; False where there was none to claim."""
        with self._database.open_platform() as platform:
            lease = queue.claim(
                platform,
                kinds=list(self._handlers),
                worker=self._name,
                seconds=self._settings.job_lease,
            )
            ready = queue.count_ready(platform, bound=1) if lease else 0
        if lease is None:
            return False
        if ready:
            # Somebody idle may take the next one while this worker is busy.
            self._database.wake()
        with self._lock:
            self._held[id(lease)] = lease
        try:
            self._run(lease)
        finally:
            with self._lock:
                del self._held[id(lease)]
        return True

    def _run(self, lease: Lease) -> None:
        signals = Signals(
            self._stop_requested,
            should_yield=_Patience(self._settings.job_slice, lambda: self._others_wait(lease)),
            must_give_way=_Patience(self._settings.job_slice, lambda: self._must_give_way(lease)),
            checkpoint=self._checkpoint,
        )
        run = JobContext(self._database, lease, self._settings, signals, now=self._now)
        try:
            if lease.crash_count < self._settings.job_max_crashes:
                self._handlers[lease.kind](run)
                log.info(
                    "job_done", job=str(lease.job_id), kind=lease.kind, peak_mb=peak_memory() // MEGABYTE
                )
            else:
                self._quarantine(run)
        except (LeaseLost, NotFound):
            # Another worker has it, or its space is gone: nothing of ours to write.
            log.info("lease_lost", job=str(lease.job_id))
        except CancelRequested:

            def cancel(space: SpaceSession) -> None:
                run.cancelled(space)
                ingest.end_cancelled(space, lease.job_id, lease.kind)

            self._conclude(run, cancel)
        except StopRequested:

            def release(space: SpaceSession) -> None:
                ingest.release_documents(space, lease.job_id)
                run.release(space)

            self._conclude(run, release)
        except Parked as error:
            seconds, code, message = error.retry_after, error.code, error.message

            def park(space: SpaceSession) -> None:
                ingest.release_documents(space, lease.job_id)
                run.park(space, seconds=seconds, code=code, message=message)

            self._conclude(run, park)
        except CitegraphError as error:
            self._failed(run, code=error.code, message=error.message, retryable=error.status >= 500)
        except DATABASE_ERRORS as error:
            if is_overtaken(error):
                # A document went while it was read: the next attempt does not find it.
                code, message = "overtaken", "Something was deleted while it was being read."
            elif is_busy(error) or is_gone(error):
                code, message = "database_unavailable", "The database did not answer."
            else:
                code, message = "database_error", "The database refused a statement; the log has it."
            log.warning(
                "database_trouble",
                job=str(lease.job_id),
                sqlstate=sqlstate(error),
                exc_info=code == "database_error",
            )
            # Whatever it was: all steps can be repeated, and attempts are bounded.
            self._failed(run, code=code, message=message, retryable=True)
        except MemoryError:
            log.warning("job_out_of_memory", job=str(lease.job_id), peak_mb=peak_memory() // MEGABYTE)
            self._failed(
                run,
                code="out_of_memory",
                message="It needs more memory than a worker may take.",
                retryable=False,
            )
        except Exception:
            log.exception("job_error", job=str(lease.job_id))
            self._failed(
                run, code="internal_error", message="An unexpected error; the log has it.", retryable=False
            )

    def _others_wait(self, lease: Lease) -> bool:
        try:
            with self._database.open_platform() as platform:
                return queue.others_wait(platform, lease.tenant_id, kinds=list(self._handlers))
        except DATABASE_ERRORS:
            # The step that comes next meets the same trouble and says so.
            return False

    def _must_give_way(self, lease: Lease) -> bool:
        try:
            with self._database.open_platform() as platform:
                return queue.must_give_way(platform, lease, kinds=list(self._handlers))
        except DATABASE_ERRORS:
            return False

    def _quarantine(self, run: JobContext) -> None:
        """End a job on which workers kept dying (rule J8): it and its documents in one transaction."""
        reason = "Workers died on it repeatedly; it was set aside."
        with self._database.open_space(run.lease.tenant_id, run.lease.space_id) as space:
            run.fence(space)
            ingest.quarantine_documents(space, run.lease.job_id, code="poison", reason=reason)
            run.failed(space, code="poison", message=reason, retryable=False)

    def _failed(self, run: JobContext, *, code: str, message: str, retryable: bool) -> None:
        def write(space: SpaceSession) -> None:
            ingest.release_documents(space, run.lease.job_id)
            if run.failed(space, code=code, message=message, retryable=retryable):
                ingest.fail_pending_documents(space, run.lease.job_id, cancelled=False)

        self._conclude(run, write)

    def _conclude(self, run: JobContext, write: Callable[[SpaceSession], None]) -> None:
        """Note how the lease ended; where even that is impossible the lease runs out and a sweep takes
        over.
        """
        try:
            with self._database.open_space(run.lease.tenant_id, run.lease.space_id) as space:
                write(space)
        except (*DATABASE_ERRORS, NotFound):
            log.warning("end_not_noted", job=str(run.lease.job_id))

    def sweep(self) -> bool:
        """Take jobs back from dead workers, and wake workers for what waits; returns whether anything
        does.
        """
        with self._database.open_platform() as platform:
            queue.sweep(platform)
            ready = queue.count_ready(platform, bound=1)
        if ready:
            self._database.wake()
        return bool(ready)

    def _sweep_forever(self) -> None:
        woken = False
        # Jittered, so that many workers do not sweep in step; the rows themselves are the lock.
        while not self._closed.wait(self._settings.job_sweep * random.uniform(0.7, 1.3)):
            try:
                waiting = self.sweep()
            except DATABASE_ERRORS as error:
                log.warning("sweep_failed", sqlstate=sqlstate(error))
                continue
            if waiting and woken and not self._working.locked():
                # A whole sweep after all were woken it still waits, and this process idles: no message
                # arrives. The broker is gone, or Celery's consumer hangs.
                self._overdue.set()
            woken = waiting

    def _attend_forever(self) -> None:
        # Not in the sweeper: while a job runs here, the leases of dead workers must still be swept.
        while not self._closed.is_set():
            self._overdue.wait()
            self._overdue.clear()
            if self._closed.is_set():
                return
            try:
                if done := self.drain():
                    log.warning("worked_unasked", jobs=done)
            except DATABASE_ERRORS as error:
                log.warning("no_work_without_database", sqlstate=sqlstate(error))

    def _heartbeat_forever(self) -> None:
        while not self._closed.wait(self._settings.job_lease / 4):
            with self._lock:
                held = list(self._held.values())
            if not held:
                continue
            try:
                with self._database.open_platform() as platform:
                    queue.heartbeat(platform, held, seconds=self._settings.job_lease)
            except DATABASE_ERRORS as error:
                log.warning("heartbeat_failed", sqlstate=sqlstate(error))
