"""The presence of worker processes, noted in Valkey for a minute: it tells of idle workers, too."""

import os
import socket
import threading

import structlog
from redis import Redis
from redis.exceptions import RedisError

log = structlog.get_logger(__name__)

SECONDS = 10.0
"""Between two notes of a process that it lives."""
SEEN_SECONDS = 60.0
"""How long after its last note a process still counts."""
_WAIT_SECONDS = 0.5
_KEY = "citegraph:workers"
# All times are Valkey's own: clocks of hosts differ.
_BEAT = f"""
local now = tonumber(redis.call('TIME')[1])
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - {SEEN_SECONDS:.0f})
redis.call('EXPIRE', KEYS[1], {SEEN_SECONDS:.0f})
"""
_SEEN = f"""
local now = tonumber(redis.call('TIME')[1])
return redis.call('ZCOUNT', KEYS[1], now - {SEEN_SECONDS:.0f}, '+inf')
"""


class WorkerPresence:
    """The worker processes of an installation that have been seen within a minute."""

    def __init__(self, redis_url: str) -> None:
        self._client = Redis.from_url(
            redis_url, socket_timeout=_WAIT_SECONDS, socket_connect_timeout=_WAIT_SECONDS, retry=None
        )
        self._beat = self._client.register_script(_BEAT)
        self._seen = self._client.register_script(_SEEN)

    def report_alive(self, name: str) -> None:
        """Note that this process lives. Raises RedisError, OSError."""
        self._beat(keys=[_KEY], args=[name])

    def report_end(self, name: str) -> None:
        """Note that this process ends. Raises RedisError, OSError."""
        self._client.zrem(_KEY, name)

    def count_alive(self) -> int | None:
        """Return the processes that have been seen within a minute; None where Valkey does not say."""
        try:
            return int(self._seen(keys=[_KEY]))
        except (RedisError, OSError):
            return None

    def close(self) -> None:
        """Give back the connections."""
        self._client.close()


class PresenceReporter:
    """Notes again and again that one process of a pool lives, in a thread that ends with it."""

    def __init__(self, presence: WorkerPresence) -> None:
        self._presence = presence
        self._name = f"{socket.gethostname()}:{os.getpid()}"
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="presence")

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def close(self) -> None:
        """End, and say so."""
        self._closed.set()
        self._thread.join(timeout=2)

    def _run(self) -> None:
        while True:
            try:
                self._presence.report_alive(self._name)
            except (RedisError, OSError) as error:
                log.info("presence_not_noted", error=type(error).__name__)
            if self._closed.wait(SECONDS):
                break
        try:
            self._presence.report_end(self._name)
        except (RedisError, OSError):
            # It is forgotten within a minute.
            return
