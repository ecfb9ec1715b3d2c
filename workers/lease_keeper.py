"""Renews the leases of the jobs that a process runs, so that no other worker takes them over."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import structlog

from app.db.errors import DATABASE_ERRORS, describe_error
from app.db.session import Database
from app.jobs import queue
from app.jobs.shapes import Lease

log = structlog.get_logger(__name__)


class LeaseKeeper:
    """Renews its leases, of `seconds` each, four times before they expire."""

    def __init__(self, database: Database, seconds: float) -> None:
        self._database = database
        self._seconds = seconds
        self._leases: dict[int, Lease] = {}
        self._lock = threading.Lock()

    @contextmanager
    def keep(self, lease: Lease) -> Iterator[None]:
        """Renew this lease too, while the block runs."""
        with self._lock:
            self._leases[id(lease)] = lease
        try:
            yield
        finally:
            with self._lock:
                del self._leases[id(lease)]

    def renew_forever(self, closed_event: threading.Event) -> None:
        """Renew the leases until `closed_event` is set; if the database does not respond, try again later."""
        while not closed_event.wait(self._seconds / 4):
            with self._lock:
                leases = list(self._leases.values())
            if not leases:
                continue
            try:
                with self._database.open_platform() as platform:
                    queue.heartbeat_leases(platform, leases, seconds=self._seconds)
            except DATABASE_ERRORS as error:
                log.warning("heartbeat_failed", **describe_error(error))
