"""Renews the leases of the jobs that a process runs, so that no other worker takes them over."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import structlog

from app.db.database import Database
from app.db.errors import DATABASE_ERRORS, describe_error
from app.jobs import queue
from app.jobs.shapes import Lease

log = structlog.get_logger(__name__)


class LeaseKeeper:
    """Renews its leases, of `lease_seconds` each, four times before they expire."""

    def __init__(self, database: Database, lease_seconds: float) -> None:
        self._database = database
        self._lease_seconds = lease_seconds
        self._lease_by_object_id: dict[int, Lease] = {}
        self._lock = threading.Lock()

    @contextmanager
    def renew_during_block(self, lease: Lease) -> Iterator[None]:
        """Renew this lease too, while the block runs."""
        with self._lock:
            self._lease_by_object_id[id(lease)] = lease
        try:
            yield
        finally:
            with self._lock:
                del self._lease_by_object_id[id(lease)]

    def renew_forever(self, closed_event: threading.Event) -> None:
        """Renew the leases until `closed_event` is set; if the database does not respond, try again later."""
        while not closed_event.wait(self._lease_seconds / 4):
            with self._lock:
                leases = list(self._lease_by_object_id.values())
            if not leases:
                continue
            try:
                with self._database.open_platform() as platform:
                    queue.heartbeat_leases(platform, leases, lease_seconds=self._lease_seconds)
            except DATABASE_ERRORS as error:
                log.warning("heartbeat_failed", **describe_error(error))
