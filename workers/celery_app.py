"""Celery as wake-up calls: a message says "look for work", nothing more; losing all of them loses nothing.

Early acknowledgement, no results, no retries, no ETA: the job row holds the truth (docs/architecture.md).
"""

import threading
import time

import structlog
from celery import Celery
from kombu.exceptions import OperationalError

from workers.heartbeats import Heartbeats

log = structlog.get_logger(__name__)

WAKE = "citegraph.wake"
# Seconds without wake-ups after the broker did not answer: sweepers find the work meanwhile.
PAUSE = 5.0


def celery_broker_url(url: str) -> str:
    """The address as kombu writes it: it knows a Unix socket as redis+socket."""
    return url.replace("unix://", "redis+socket://", 1)


def make_celery(redis_url: str) -> Celery:
    """The Celery application for this broker; it connects at first use."""
    app = Celery("citegraph", broker=celery_broker_url(redis_url))
    app.conf.update(
        task_ignore_result=True,
        task_store_errors_even_if_ignored=False,
        task_acks_late=False,
        task_publish_retry=False,
        task_serializer="json",
        accept_content=["json"],
        task_default_queue="citegraph",
        worker_prefetch_multiplier=1,
        worker_max_tasks_per_child=1000,
        worker_soft_shutdown_timeout=30.0,
        worker_hijack_root_logger=False,
        # Redirected, lines that are written to stderr come back as lines to log, and are dropped there.
        worker_redirect_stdouts=False,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_transport_options={
            # A hung broker must not hold up a request (fault 7).
            "socket_timeout": 1.0,
            "socket_connect_timeout": 1.0,
            "retry_on_timeout": False,
            "visibility_timeout": 3600,
        },
    )
    return app


class Broker:
    """The sending side: wakes workers, and never fails its caller."""

    def __init__(self, redis_url: str) -> None:
        self._celery = make_celery(redis_url)
        self.workers = Heartbeats(redis_url)
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
