"""The sending side of the broker: wakes workers by a message. Losing messages, even all of them, loses no
work.
"""

import threading
import time

import structlog
from kombu.exceptions import OperationalError

from workers.celery_app import WAKE_TASK_NAME, make_celery
from workers.presence import WorkerPresence

log = structlog.get_logger(__name__)

# Seconds without wake-ups after the broker did not respond; sweeps find the work meanwhile.
PAUSE_SECONDS = 5.0


class Broker:
    """Wakes workers; never fails its caller, even while Valkey is down."""

    def __init__(self, redis_url: str) -> None:
        self._celery = make_celery(redis_url)
        self.workers = WorkerPresence(redis_url)
        # Otherwise a refused connection is retried for six seconds, within a request.
        self._celery.conf.broker_transport_options["max_retries"] = 0
        self._silent_until = 0.0
        self._lock = threading.Lock()

    def wake(self) -> None:
        """Wake some worker. A broker that did not respond is not contacted again for PAUSE_SECONDS."""
        with self._lock:
            if time.monotonic() < self._silent_until:
                return
        try:
            self._celery.send_task(WAKE_TASK_NAME, ignore_result=True)
        except (OperationalError, OSError) as error:
            with self._lock:
                self._silent_until = time.monotonic() + PAUSE_SECONDS
            log.warning("broker_silent", error=type(error).__name__)

    def responds(self) -> bool:
        """Return whether the broker can be reached, waiting at most one second."""
        try:
            with self._celery.connection_for_write() as connection:
                connection.ensure_connection(max_retries=1, timeout=1, interval_start=0)
        except (OperationalError, OSError):
            return False
        return True

    def close(self) -> None:
        """Close the connections."""
        self.workers.close()
        self._celery.close()
