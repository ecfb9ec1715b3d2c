"""A Celery worker: each pool process has its own connections, runner, sweeper and lease keeper.

A child uses nothing that the parent opened (reliability.md, fact 24): the parent opens nothing.
"""

import multiprocessing
import resource
import socket
import sys
from collections.abc import Callable
from typing import Any

import structlog
from celery import Celery, signals
from celery.worker.request import Request

from app.db.errors import DATABASE_ERRORS, describe_error
from app.documents import language
from app.jobs.context import ignore_step
from app.observability import tracing
from app.observability.logs import configure_logging
from app.sandbox.process_sandbox import ForkServer
from app.settings import Settings, read_settings
from app.wiring import SANDBOX_MODULES, Citegraph, build_citegraph, make_sandbox, preload_modules
from workers.celery_app import WAKE_TASK_NAME, make_celery
from workers.handlers import build_handlers_by_kind
from workers.metrics import MetricsReporter, start_metrics_process
from workers.parked_jobs import ParkedJobResumer
from workers.presence import PresenceReporter
from workers.runner import Runner
from workers.webhooks import WebhookDeliverer

log = structlog.get_logger(__name__)

AssembleCitegraph = Callable[[Settings], Citegraph]
Checkpoint = Callable[[str], None]


class WakeUpRequest(Request):  # type: ignore[misc]  # Celery has no types
    """A wake-up whose failed acknowledgement makes the worker reconnect.

    Celery would log the failure and continue; the message would then count as unacknowledged for ever, and
    with a prefetch of one this worker would take no further message.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{**options, "connection_errors": ()})


class WorkerProcess:
    """The components of one pool process; created after the fork."""

    def __init__(
        self,
        settings: Settings,
        stop_event: Any,
        assemble: AssembleCitegraph,
        checkpoint: Checkpoint,
        report_socket: socket.socket | None,
        fork_server: ForkServer | None,
    ) -> None:
        tracing.start_tracing(settings.otlp_endpoint, "citegraph-worker")
        self.citegraph = assemble(settings)
        self.citegraph.sandbox = make_sandbox(settings, fork_server)
        self.runner = Runner(
            self.citegraph.database,
            settings,
            build_handlers_by_kind(self.citegraph),
            stop_requested=stop_event.is_set,
            checkpoint=checkpoint,
        )
        self.runner.start()
        self.deliverer = WebhookDeliverer(self.citegraph.database, settings)
        self.deliverer.start()
        self.reporter = MetricsReporter(self.citegraph.database, report_socket) if report_socket else None
        if self.reporter:
            self.reporter.start()
        self.presence = PresenceReporter(self.citegraph.broker.workers)
        self.presence.start()
        clients = {self.citegraph.client, self.citegraph.embedding_client}
        self.recovery = ParkedJobResumer(
            self.citegraph.database, [client for client in clients if client is not None]
        )
        self.recovery.start()

    def close(self) -> None:
        """Stop threads and close connections."""
        self.recovery.close()
        self.presence.close()
        self.deliverer.close()
        self.runner.close()
        if self.reporter:
            self.reporter.close()
        self.citegraph.close()
        tracing.stop_tracing()


def build_worker_celery_app(
    settings: Settings,
    *,
    assemble: AssembleCitegraph = build_citegraph,
    checkpoint: Checkpoint = ignore_step,
    report_socket: socket.socket | None = None,
    fork_server: ForkServer | None = None,
) -> Celery:
    """Return the Celery application with its one task and the hooks that create each process's components.

    `assemble` creates a pool process's components; `checkpoint` is called with each step that a job reaches;
    each process sends its counts to `report_socket`; all read texts in children of one `fork_server`.
    """
    assert settings.redis_url is not None
    # Once, in the parent: its children share the imported modules.
    preload_modules()
    app = make_celery(settings.redis_url)
    # Celery checks after each message, in kibibytes, the same peak as the runner, which ends its message for
    # this check.
    app.conf.worker_max_memory_per_child = settings.worker_memory_bytes // 1024
    # Set in the parent on a shutdown signal and read by the children, which share it since the fork.
    stop_event = multiprocessing.get_context("fork").Event()
    processes: dict[str, WorkerProcess] = {}

    def run_waiting_jobs() -> None:
        try:
            processes["process"].runner.drain(stops_above_memory_limit=True)
        except DATABASE_ERRORS as error:
            # Sweeps find the work again when the database responds.
            log.warning("no_work_without_database", **describe_error(error))

    def open_process(**_: object) -> None:
        if sys.platform != "darwin" and settings.worker_memory_limit_bytes:
            # A job that uses too much memory gets MemoryError and fails, instead of other processes being
            # killed.
            memory_limit = settings.worker_memory_limit_bytes
            resource.setrlimit(resource.RLIMIT_DATA, (memory_limit, memory_limit))
        processes["process"] = WorkerProcess(
            settings, stop_event, assemble, checkpoint, report_socket, fork_server
        )
        # Work that waited before this worker started needs no message to be found.
        processes["process"].citegraph.broker.wake()

    def close_process(**_: object) -> None:
        if "process" in processes:
            processes.pop("process").close()

    def request_stop(**_: object) -> None:
        # Within a signal handler: nothing is logged here, because a line may be half written.
        stop_event.set()

    def log_ready(**_: object) -> None:
        log.info("worker_ready", processes=settings.worker_concurrency)

    def set_up_logging(**_: object) -> None:
        configure_logging(settings)

    app.task(run_waiting_jobs, name=WAKE_TASK_NAME, ignore_result=True, Request=WakeUpRequest)
    # Connecting to this signal replaces Celery's own logging configuration.
    signals.setup_logging.connect(set_up_logging, weak=False)
    signals.worker_ready.connect(log_ready, weak=False)
    signals.worker_process_init.connect(open_process, weak=False)
    signals.worker_process_shutdown.connect(close_process, weak=False)
    signals.worker_shutting_down.connect(request_stop, weak=False)
    return app


def run_workers(
    settings: Settings, *, assemble: AssembleCitegraph = build_citegraph, checkpoint: Checkpoint = ignore_step
) -> None:
    """Run jobs until a signal arrives. SIGTERM ends the running step and returns its job to the queue."""
    language.preload_language_model()
    report_socket = start_metrics_process(settings)
    fork_server = ForkServer(SANDBOX_MODULES)
    app = build_worker_celery_app(
        settings,
        assemble=assemble,
        checkpoint=checkpoint,
        report_socket=report_socket,
        fork_server=fork_server,
    )
    try:
        app.worker_main(
            [
                "--quiet",  # before the command: there it silences the banner
                "worker",
                "--pool=prefork",
                f"--concurrency={settings.worker_concurrency}",
                f"--loglevel={settings.log_level}",
                "--without-gossip",
                "--without-mingle",
                "--without-heartbeat",
            ]
        )
    finally:
        fork_server.close()


if __name__ == "__main__":
    run_workers(read_settings())
