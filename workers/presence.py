"""The presence of worker processes, recorded in Valkey for a minute, so that idle workers are counted too."""

import os
import socket
import threading

import structlog
from redis import Redis
from redis.exceptions import RedisError

log = structlog.get_logger(__name__)

REPORT_SECONDS = 10.0
"""Seconds between two reports of a process."""
SEEN_SECONDS = 60.0
"""Seconds after its last report for which a process is counted."""
_TIMEOUT_SECONDS = 0.5
_WORKERS_KEY = "citegraph:workers"
# All times are Valkey's, because clocks of hosts differ.
_REPORT_SCRIPT = f"""
local now = tonumber(redis.call('TIME')[1])
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - {SEEN_SECONDS:.0f})
redis.call('EXPIRE', KEYS[1], {SEEN_SECONDS:.0f})
"""
_COUNT_SCRIPT = f"""
local now = tonumber(redis.call('TIME')[1])
return redis.call('ZCOUNT', KEYS[1], now - {SEEN_SECONDS:.0f}, '+inf')
"""


class WorkerPresence:
    """The worker processes of an installation that have reported within a minute."""

    def __init__(self, redis_url: str) -> None:
        self._client = Redis.from_url(
            redis_url, socket_timeout=_TIMEOUT_SECONDS, socket_connect_timeout=_TIMEOUT_SECONDS, retry=None
        )
        self._report_script = self._client.register_script(_REPORT_SCRIPT)
        self._count_script = self._client.register_script(_COUNT_SCRIPT)

    def report_alive(self, name: str) -> None:
        """Record that this process is alive. Raises RedisError, OSError."""
        self._report_script(keys=[_WORKERS_KEY], args=[name])

    def report_end(self, name: str) -> None:
        """Record that this process ends. Raises RedisError, OSError."""
        self._client.zrem(_WORKERS_KEY, name)

    def count_alive(self) -> int | None:
        """Return the number of processes that reported within a minute; None if Valkey does not respond."""
        try:
            return int(self._count_script(keys=[_WORKERS_KEY]))
        except (RedisError, OSError):
            return None

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


class PresenceReporter:
    """Reports regularly that one pool process is alive, in a thread that ends with it."""

    def __init__(self, presence: WorkerPresence) -> None:
        self._presence = presence
        self._name = f"{socket.gethostname()}:{os.getpid()}"
        self._closed_event = threading.Event()
        self._thread = threading.Thread(target=self._report_forever, daemon=True, name="presence")

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def close(self) -> None:
        """Stop the thread, and report the end."""
        self._closed_event.set()
        self._thread.join(timeout=2)

    def _report_forever(self) -> None:
        while True:
            try:
                self._presence.report_alive(self._name)
            except (RedisError, OSError) as error:
                log.info("presence_not_noted", error=type(error).__name__)
            if self._closed_event.wait(REPORT_SECONDS):
                break
        try:
            self._presence.report_end(self._name)
        except (RedisError, OSError):
            # The entry expires within a minute.
            return
