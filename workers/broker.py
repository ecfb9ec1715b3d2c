"""The sending side of the broker: wakes workers by a message; losing one, or all of them, loses nothing."""

import threading
import time

import structlog
from kombu.exceptions import OperationalError

from workers.celery_app import WAKE, make_celery
from workers.presence import WorkerPresence

log = structlog.get_logger(__name__)

# Seconds without wake-ups after the broker did not answer: sweepers find the work meanwhile.
PAUSE = 5.0


class Broker:
    """Wakes workers, and never fails its caller, also while Valkey is down."""

    def __init__(self, redis_url: str) -> None:
        self._celery = make_celery(redis_url)
        self.workers = WorkerPresence(redis_url)
        # Without this a refused connection is tried again for six seconds, inside somebody's request.
        self._celery.conf.broker_transport_options["max_retries"] = 0
        self._silent_until = 0.0
        self._lock = threading.Lock()

    def wake(self) -> None:
        """Ask some worker to look for work. A broker that does not answer is left alone for a while."""
        with self._lock:
            if time.monotonic() < self._silent_until:
                return
        try:
            self._celery.send_task(WAKE, ignore_result=True)
        except (OperationalError, OSError) as error:
            with self._lock:
                self._silent_until = time.monotonic() + PAUSE
            log.warning("broker_silent", error=type(error).__name__)

    def answers(self) -> bool:
        """Return whether the broker can be reached, asked for a second at most."""
        try:
            with self._celery.connection_for_write() as connection:
                connection.ensure_connection(max_retries=1, timeout=1, interval_start=0)
        except (OperationalError, OSError):
            return False
        return True

    def close(self) -> None:
        """Give back the connections."""
        self.workers.close()
        self._celery.close()
