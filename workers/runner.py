"""Claims jobs and runs them for one process. Independent of Celery, so that tests can call it."""

import logging
import os
import random
import resource
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import structlog
from structlog.contextvars import bound_contextvars

from app.db.database import Database
from app.db.errors import (
    DATABASE_ERRORS,
    describe_error,
    is_busy,
    is_cluster_node_unreachable,
    is_foreign_key_violation,
    is_unreachable,
)
from app.db.session import SpaceSession
from app.errors import CitegraphError, NotFound
from app.ingest import service as ingest
from app.jobs import queue
from app.jobs.context import Clock, Handler, JobContext, Signals, ignore_step, never_stop
from app.jobs.kinds import UNTIL_DONE
from app.jobs.shapes import Lease, LeaseLost
from app.jobs.states import CancelRequested, JobState, StopRequested
from app.llm.errors import Parked
from app.observability import tracing
from app.observability.counters import JOB_SECONDS, JOBS_ENDED
from app.settings import Settings
from app.tenancy.audit.origin import record_with_origin
from app.tenancy.audit.shapes import ActorKind, Door, Origin
from workers.lease_keeper import LeaseKeeper
from workers.sweeper import sweep_forever

log = structlog.get_logger(__name__)


# Seconds that a process waits at shutdown for the running step to return its job to the queue.
CLOSING_SECONDS = 30.0
# Seconds between two checks whether a job of another tenant waits that could run within this one.
OTHER_JOB_CHECK_SECONDS = 1.0
NESTED_JOB_SLICES = 4
# Seconds after which a job is retried whose space is on a node that cannot be reached.
NODE_PAUSE_SECONDS = 10.0
MEGABYTE = 1 << 20


def measure_peak_memory_bytes() -> int:
    """Return the peak memory of this process in bytes."""
    peak_size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak_size if sys.platform == "darwin" else peak_size * 1024


@dataclass(frozen=True)
class Failure:
    """The failure of an attempt, as the job stores it."""

    code: str
    message: str
    is_retryable: bool


# Failures caused by a bug or by the configuration: their traceback is logged.
UNEXPECTED_CODES = ("database_error", "internal_error")


def build_failure_from_exception(error: Exception) -> Failure:
    """Return the failure for an exception of a handler."""
    if isinstance(error, CitegraphError):
        return Failure(error.code, error.message, error.status >= 500)
    if isinstance(error, DATABASE_ERRORS):
        # Retryable in any case: all steps can be repeated, and the number of attempts is limited.
        if is_foreign_key_violation(error):
            # A document was deleted while it was read: the next attempt does not find it.
            return Failure("overtaken", "Something was deleted while it was being read.", True)
        if is_busy(error) or is_unreachable(error):
            return Failure("database_unavailable", "The database did not answer.", True)
        return Failure("database_error", "The database refused a statement; the log has it.", True)
    if isinstance(error, MemoryError):
        return Failure("out_of_memory", "It needs more memory than a worker may take.", False)
    return Failure("internal_error", "An unexpected error; the log has it.", False)


def _park_job_until_node_answers(run: JobContext, space: SpaceSession) -> None:
    """Park the job while the node with its space cannot be reached.

    The next attempt sets the state of its documents.
    """
    run.park(
        space,
        seconds=NODE_PAUSE_SECONDS * random.uniform(0.7, 1.3),
        code="database_unavailable",
        message="The part of the database that holds this space does not answer.",
    )


class _PeriodicCheck:
    """Returns whether a job must yield: true after `seconds` if others wait, checked once a second."""

    def __init__(self, seconds: float, others_wait: Callable[[], bool]) -> None:
        self._next_check_at = time.monotonic() + seconds
        self._others_wait = others_wait

    def __call__(self) -> bool:
        if time.monotonic() < self._next_check_at:
            return False
        self._next_check_at = time.monotonic() + 1.0
        return self._others_wait()


class Runner:
    """Runs jobs while there are any, renews their leases, and takes back jobs of dead workers."""

    def __init__(
        self,
        database: Database,
        settings: Settings,
        handlers: Mapping[str, Handler],
        *,
        stop_requested: Callable[[], bool] = never_stop,
        checkpoint: Callable[[str], None] = ignore_step,
        now: Clock | None = None,
    ) -> None:
        """`checkpoint` is called with each step that a job reaches; `now` replaces the database's clock."""
        self._database = database
        self._settings = settings
        self._handlers = handlers
        self._stop_requested = stop_requested
        self._checkpoint = checkpoint
        self._now = now
        self._worker_name = f"{socket.gethostname()}:{os.getpid()}"
        self._lease_keeper = LeaseKeeper(database, settings.job_lease)
        # One job at a time in this process, whichever thread runs it.
        self._work_lock = threading.Lock()
        self._overdue_event = threading.Event()
        self._closed_event = threading.Event()
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Start the threads that renew leases, sweep, and run overdue work; they end with the process."""
        loops: dict[str, Callable[[], None]] = {
            "renew_leases": partial(self._lease_keeper.renew_forever, self._closed_event),
            "sweep": partial(
                sweep_forever,
                self._database,
                self._settings.job_sweep,
                self._closed_event,
                self._report_overdue_jobs_if_idle,
            ),
            "work_when_unwoken": self._run_overdue_jobs_forever,
        }
        for name, target in loops.items():
            thread = threading.Thread(target=target, daemon=True, name=name)
            thread.start()
            self._threads.append(thread)

    def close(self) -> None:
        """Stop the threads."""
        self._closed_event.set()
        self._overdue_event.set()
        for thread in self._threads:
            thread.join(timeout=CLOSING_SECONDS)

    def drain(self, *, stops_above_memory_limit: bool = False) -> int:
        """Run jobs until none can be claimed or a stop is requested; return their number.

        Return 0 if this process is already running jobs. With `stops_above_memory_limit`, no job is started
        in a process that has grown beyond its limit: the caller ends the process, and another worker is
        woken.
        """
        if not self._work_lock.acquire(blocking=False):
            return 0
        try:
            job_count = 0
            while not self._stop_requested():
                if (
                    stops_above_memory_limit
                    and measure_peak_memory_bytes() > self._settings.worker_memory_bytes
                ):
                    log.info("worker_recycled", peak_mb=measure_peak_memory_bytes() // MEGABYTE)
                    self._database.wake()
                    break
                if not self.run_next_job():
                    break
                job_count += 1
            return job_count
        finally:
            self._work_lock.release()

    def run_next_job(self, *, is_nested: bool = False) -> bool:
        """Claim and run one job; return False if there was none. A nested job runs within another one."""
        with self._database.open_platform() as platform:
            lease = queue.claim_next_job(
                platform,
                kinds=list(self._handlers),
                worker=self._worker_name,
                lease_seconds=self._settings.job_lease,
            )
            ready_count = queue.count_ready_jobs(platform, bound=1) if lease else 0
        if lease is None:
            return False
        if ready_count:
            # An idle worker may take the next job while this one is busy.
            self._database.wake()
        with self._lease_keeper.renew_during_block(lease):
            self._run_leased_job(lease, is_nested)
        return True

    def _run_leased_job(self, lease: Lease, is_nested: bool) -> None:
        with record_with_origin(Origin("worker", ActorKind.JOB, Door.WORKER)):
            self._run_with_logging(
                lease,
                self._build_signals_for_nested_job() if is_nested else self._connect_job_to_runner(lease),
            )

    def _connect_job_to_runner(self, lease: Lease) -> Signals:
        others_wait = _PeriodicCheck(OTHER_JOB_CHECK_SECONDS, lambda: self._do_other_tenants_wait(lease))

        def run_waiting_job_of_other_tenant() -> None:
            if others_wait():
                self.run_next_job(is_nested=True)

        return Signals(
            self._stop_requested,
            should_yield=_PeriodicCheck(self._settings.job_slice, lambda: self._do_other_tenants_wait(lease)),
            run_waiting_job_of_other_tenant=run_waiting_job_of_other_tenant,
            checkpoint=self._checkpoint,
        )

    def _build_signals_for_nested_job(self) -> Signals:
        """Return the signals of a nested job. It has one time slice; then the outer job continues, and the
        rest of the nested one waits for its turn. A nested job that finishes nothing in several slices is
        started again when a worker is free.
        """
        slice_seconds = self._settings.job_slice
        return Signals(
            self._stop_requested,
            should_yield=_PeriodicCheck(slice_seconds, lambda: True),
            must_release=_PeriodicCheck(NESTED_JOB_SLICES * slice_seconds, lambda: True),
            checkpoint=self._checkpoint,
        )

    def _run_with_logging(self, lease: Lease, signals: Signals) -> None:
        run = JobContext(self._database, lease, self._settings, signals, now=self._now)
        # Every log line of the job has its ids.
        log_ids = {
            "tenant": str(lease.tenant_id),
            "space": str(lease.space_id),
            "job": str(lease.job_id),
        }
        with (
            bound_contextvars(kind=lease.kind, **log_ids),
            tracing.start_span(
                f"job {lease.kind}", parent=lease.trace_parent, kind=lease.kind, **log_ids
            ) as span,
        ):
            self._run_handler_and_record_outcome(run, span)

    def _run_handler_and_record_outcome(self, run: JobContext, span: tracing.Span) -> None:
        """Run the job's handler, and record and log the outcome: one line for each attempt."""
        lease, counters = run.lease, self._database.counters
        started_at = time.monotonic()

        def record_outcome(level: int, event: str, **attributes: Any) -> None:
            peak_megabytes = measure_peak_memory_bytes() // MEGABYTE
            seconds = time.monotonic() - started_at
            outcome = event.removeprefix("job_")
            span.set_attributes(outcome=outcome)
            counters.add(JOBS_ENDED, lease.kind, outcome)
            counters.add(JOB_SECONDS, lease.kind, amount=seconds)
            log.log(level, event, seconds=round(seconds, 3), peak_mb=peak_megabytes, **attributes)

        try:
            if lease.crash_count < self._settings.job_max_crashes or lease.kind in UNTIL_DONE:
                self._handlers[lease.kind](run)
                record_outcome(logging.INFO, "job_done", counts=run.recorded_counts)
            else:
                self._quarantine_crashing_job(run)
                record_outcome(
                    logging.WARNING, "job_failed", code="poison", crashes=lease.crash_count, final=True
                )
        except (LeaseLost, NotFound):
            # Another worker has the job, or its space was deleted: there is nothing to write.
            record_outcome(logging.INFO, "lease_lost")
        except CancelRequested:

            def cancel(space: SpaceSession) -> None:
                run.finish_cancelled(space)
                ingest.clean_up_cancelled_job(space, lease.job_id, lease.kind)

            self._record_end_of_lease_or_park(run, cancel)
            record_outcome(logging.INFO, "job_cancelled", counts=run.recorded_counts)
        except StopRequested:

            def release(space: SpaceSession) -> None:
                ingest.requeue_documents_being_read(space, lease.job_id)
                run.release(space)

            self._record_end_of_lease_or_park(run, release)
            record_outcome(logging.INFO, "job_released", counts=run.recorded_counts)
        except Parked as error:
            delay, code, message = error.retry_after, error.code, error.message

            def park(space: SpaceSession) -> None:
                ingest.requeue_documents_being_read(space, lease.job_id)
                run.park(space, seconds=delay, code=code, message=message)

            self._record_end_of_lease_or_park(run, park)
            record_outcome(logging.WARNING, "job_parked", code=code, reason=message, delay=delay)
        except Exception as error:
            failure = build_failure_from_exception(error)
            if isinstance(error, DATABASE_ERRORS) and is_cluster_node_unreachable(error):
                self._record_end_of_lease_or_park(run, partial(_park_job_until_node_answers, run))
                record_outcome(
                    logging.WARNING,
                    "job_parked",
                    reason=failure.message,
                    delay=NODE_PAUSE_SECONDS,
                    **describe_error(error),
                )
                return
            new_state = self._record_failure_and_requeue_documents(run, failure)
            is_unexpected = failure.code in UNEXPECTED_CODES
            error_details = describe_error(error) if isinstance(error, DATABASE_ERRORS) else {}
            record_outcome(
                logging.ERROR if is_unexpected else logging.WARNING,
                "job_error" if is_unexpected else "job_failed",
                code=failure.code,
                reason=failure.message,
                final=new_state is JobState.FAILED,
                # No traceback if the database does not respond: no line of our code is to blame.
                exc_info=failure.code != "database_unavailable",
                **error_details,
            )

    def _do_other_tenants_wait(self, lease: Lease) -> bool:
        try:
            with self._database.open_platform() as platform:
                return queue.do_other_tenants_wait(platform, lease.tenant_id, kinds=list(self._handlers))
        except DATABASE_ERRORS:
            # The next step gets the same error and reports it.
            return False

    def _quarantine_crashing_job(self, run: JobContext) -> None:
        """End a job on which workers kept dying (rule J8 of docs/reliability.md): the job and its documents
        in one transaction.
        """
        reason = "Workers crashed on it repeatedly; it was quarantined."
        with run.open_fenced_step() as space:
            ingest.fail_unfinished_documents(space, run.lease.job_id, code="poison", reason=reason)
            run.retry_later_or_fail(space, code="poison", message=reason, retryable=False)

    def _record_failure_and_requeue_documents(self, run: JobContext, failure: Failure) -> JobState:
        """Record a failure; return the job's new state: queued again, or failed."""
        new_state = JobState.QUEUED if failure.is_retryable else JobState.FAILED

        def write(space: SpaceSession) -> None:
            nonlocal new_state
            ingest.requeue_documents_being_read(space, run.lease.job_id)
            new_state = run.retry_later_or_fail(
                space, code=failure.code, message=failure.message, retryable=failure.is_retryable
            )
            if new_state is JobState.FAILED:
                ingest.fail_pending_documents(space, run.lease.job_id, is_cancelled=False)

        self._record_end_of_lease_or_park(run, write)
        return new_state

    def _record_end_of_lease_or_park(self, run: JobContext, write: Callable[[SpaceSession], None]) -> None:
        """Record how the lease ended. If even that fails, the lease expires and a sweep takes the job back.
        If the space's node cannot be reached, the job is parked.
        """
        try:
            with run.open_space() as space:
                write(space)
        except NotFound:
            log.warning("end_not_noted")
        except DATABASE_ERRORS as error:
            log.warning("end_not_noted", **describe_error(error))
            if is_cluster_node_unreachable(error):
                with suppress(NotFound, *DATABASE_ERRORS), run.open_space() as space:
                    _park_job_until_node_answers(run, space)

    def _report_overdue_jobs_if_idle(self) -> None:
        """Note that jobs wait although all workers were woken, and this process is idle: no message arrives.
        The broker is down, or Celery's consumer hangs.
        """
        if not self._work_lock.locked():
            self._overdue_event.set()

    def _run_overdue_jobs_forever(self) -> None:
        # Not in the sweeper: while a job runs here, the leases of dead workers must still be swept.
        while not self._closed_event.is_set():
            self._overdue_event.wait()
            self._overdue_event.clear()
            if self._closed_event.is_set():
                return
            try:
                if job_count := self.drain():
                    log.warning("worked_unasked", jobs=job_count)
            except DATABASE_ERRORS as error:
                log.warning("no_work_without_database", **describe_error(error))
