"""A Celery worker: each pool process has its own connections, runner, sweeper and lease keeper.

Nothing that the parent opened is used by a child (reliability.md, fact 24): the parent opens nothing.
"""

import multiprocessing
import os
import signal
from typing import Any

import structlog
from celery import Celery, signals

from app.settings import Settings
from app.wiring import Citegraph, connect
from workers import ingest
from workers.celery_app import WAKE, make_celery
from workers.runner import Runner

log = structlog.get_logger(__name__)


class WorkerProcess:
    """What one pool process has; made after the fork."""

    def __init__(self, settings: Settings, stopping: Any) -> None:
        self.citegraph: Citegraph = connect(settings)
        self.runner = Runner(
            self.citegraph.database,
            settings,
            ingest.handlers(
                settings,
                self.citegraph.extractor,
                self.citegraph.embedder,
                stop_requested=stopping.is_set,
                checkpoint=_failpoint(settings),
            ),
            stop_requested=stopping.is_set,
        )
        self.runner.start()

    def close(self) -> None:
        """End threads and connections."""
        self.runner.close()
        self.citegraph.close()


def _failpoint(settings: Settings) -> Any:
    """For fault tests: die as if killed on reaching a named step, as often as the setting says."""

    def checkpoint(step: str) -> None:
        if settings.fail_at and settings.fail_file and step == settings.fail_at:
            try:
                # Whoever removes the file dies; the worker that takes over finds none and goes on.
                os.unlink(settings.fail_file)
            except FileNotFoundError:
                return
            os.kill(os.getpid(), signal.SIGKILL)

    return checkpoint


def build(settings: Settings) -> Celery:
    """The Celery application with its one task and the hooks that give each process its own parts."""
    assert settings.redis_url is not None
    app = make_celery(settings.redis_url)
    # Set in the parent on a shut-down signal, seen by the children, which shared it before the fork.
    stopping = multiprocessing.get_context("fork").Event()
    own: dict[str, WorkerProcess] = {}

    def wake() -> None:
        own["process"].runner.drain()

    def open_process(**_: object) -> None:
        own["process"] = WorkerProcess(settings, stopping)
        # Work that was waiting before this worker came needs no message to be found.
        own["process"].citegraph.broker.wake()

    def close_process(**_: object) -> None:
        if "process" in own:
            own.pop("process").close()

    def stop(**_: object) -> None:
        stopping.set()

    app.task(wake, name=WAKE, ignore_result=True)
    signals.worker_process_init.connect(open_process, weak=False)
    signals.worker_process_shutdown.connect(close_process, weak=False)
    signals.worker_shutting_down.connect(stop, weak=False)
    return app


def run(settings: Settings) -> None:
    """Serve jobs until a signal. SIGTERM ends the running step and gives its job back."""
    app = build(settings)
    app.worker_main(
        [
            "worker",
            "--pool=prefork",
            f"--concurrency={settings.worker_concurrency}",
            f"--loglevel={settings.log_level}",
            "--without-gossip",
            "--without-mingle",
            "--without-heartbeat",
            "--events" if settings.log_level == "DEBUG" else "--quiet",
        ]
    )
