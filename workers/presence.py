"""The presence of worker processes, recorded in Valkey for a minute, so that idle workers are counted too."""

import os
import socket
import threading

import structlog
from redis import Redis
from redis.exceptions import RedisError

log = structlog.get_logger(__name__)

SECONDS = 10.0
"""Seconds between two reports of a process."""
SEEN_SECONDS = 60.0
"""Seconds after its last report for which a process is counted."""
_WAIT_SECONDS = 0.5
_KEY = "citegraph:workers"
# All times are Valkey's, because clocks of hosts differ.
_BEAT = f"""
local now = tonumber(redis.call('TIME')[1])
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - {SEEN_SECONDS:.0f})
redis.call('EXPIRE', KEYS[1], {SEEN_SECONDS:.0f})
"""
_SEEN_WORKERS_SCRIPT = f"""
local now = tonumber(redis.call('TIME')[1])
return redis.call('ZCOUNT', KEYS[1], now - {SEEN_SECONDS:.0f}, '+inf')
"""


class WorkerPresence:
    """The worker processes of an installation that have reported within a minute."""

    def __init__(self, redis_url: str) -> None:
        self._client = Redis.from_url(
            redis_url, socket_timeout=_WAIT_SECONDS, socket_connect_timeout=_WAIT_SECONDS, retry=None
        )
        self._beat = self._client.register_script(_BEAT)
        self._seen_script = self._client.register_script(_SEEN_WORKERS_SCRIPT)

    def report_alive(self, name: str) -> None:
        """Record that this process is alive. Raises RedisError, OSError."""
        self._beat(keys=[_KEY], args=[name])

    def report_end(self, name: str) -> None:
        """Record that this process ends. Raises RedisError, OSError."""
        self._client.zrem(_KEY, name)

    def count_alive(self) -> int | None:
        """Return the number of processes that reported within a minute; None if Valkey does not respond."""
        try:
            return int(self._seen_script(keys=[_KEY]))
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
        self._thread = threading.Thread(target=self._run, daemon=True, name="presence")

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def close(self) -> None:
        """Stop the thread, and report the end."""
        self._closed_event.set()
        self._thread.join(timeout=2)

    def _run(self) -> None:
        while True:
            try:
                self._presence.report_alive(self._name)
            except (RedisError, OSError) as error:
                log.info("presence_not_noted", error=type(error).__name__)
            if self._closed_event.wait(SECONDS):
                break
        try:
            self._presence.report_end(self._name)
        except (RedisError, OSError):
            # The entry expires within a minute.
            return
