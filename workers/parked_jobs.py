"""Resumes jobs that were parked for a model: probes the server that failed, instead of trying each job."""

import threading
from collections.abc import Iterable

import structlog

from app.db.database import Database
from app.db.errors import DATABASE_ERRORS, describe_error
from app.jobs import queue
from app.llm.client import ModelClient
from app.llm.errors import Parked

log = structlog.get_logger(__name__)

PROBE_SECONDS = 3.0
"""Seconds between two probes of a model that failed; no model is probed while all respond."""


class ParkedJobResumer:
    """Probes whether the models of one process respond again, in a thread that ends with the process."""

    def __init__(self, database: Database, clients: Iterable[ModelClient]) -> None:
        self._database = database
        self._clients = tuple(clients)
        self._closed_event = threading.Event()
        self._thread = threading.Thread(target=self._resume_forever, daemon=True, name="recovery")

    def start(self) -> None:
        """Start the thread. Jobs that were parked before this process started are resumed by it."""
        self._thread.start()

    def close(self) -> None:
        """Stop the thread."""
        self._closed_event.set()
        self._thread.join(timeout=2)

    def _resume_forever(self) -> None:
        must_resume = True
        while True:
            recovery_flags = [client.probe_and_close_recovered_breakers() for client in self._clients]
            must_resume = must_resume or any(recovery_flags)
            if must_resume:
                must_resume = not self._resume_parked_jobs()
            if self._closed_event.wait(PROBE_SECONDS):
                return

    def _resume_parked_jobs(self) -> bool:
        try:
            with self._database.open_platform() as platform:
                if job_count := queue.unpark_all_jobs_and_count(platform, code=Parked.code):
                    log.info("jobs_resumed", code=Parked.code, jobs=job_count)
        except DATABASE_ERRORS as error:
            log.warning("jobs_not_resumed", **describe_error(error))
            return False
        return True
