"""The position in the write-ahead log of each tenant's last write, kept in Valkey for all processes.

A note lives longer than a replica may be behind, so a tenant without a note has written nothing that a
replica in use lacks. That conclusion requires that Valkey has kept all notes for that time: it stores when it
was first asked, under the id of its own process, which changes with a restart or failover.
"""

import threading
import time
from collections.abc import Callable
from typing import NamedTuple

import structlog
from redis import Redis
from redis.exceptions import RedisError

log = structlog.get_logger(__name__)

WAIT_SECONDS = 0.04
"""Seconds that a read or a write waits for Valkey at most, and again for a connection."""
PAUSE_SECONDS = 5.0
"""Seconds for which a Valkey that did not answer is not used."""
MAX_REMEMBERED_OWNERS = 10_000
"""Most owners whose writes this process remembers itself because Valkey did not store them.

Beyond that number one note stands for all owners.
"""
_PREFIX = "citegraph:written:"
_ALL_OWNERS_KEY = "*"
_AGE_SCRIPT = """
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local process = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
local first = 'citegraph:written_since:' .. process
local since = redis.call('GET', first)
if not since then
  since = string.format('%.0f', now)
  redis.call('SET', first, since)
end
redis.call('PEXPIRE', first, 86400000)
"""
# Positions have a fixed number of digits, so that they compare as strings.
_NOTE_SCRIPT = f"""
{_AGE_SCRIPT}
local known = redis.call('GET', KEYS[1])
if known and known > ARGV[1] then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
else
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
end
"""
_NEEDED_POSITION_SCRIPT = f"""
{_AGE_SCRIPT}
local needed = ''
for _, key in ipairs(KEYS) do
  local known = redis.call('GET', key)
  if known and known > needed then needed = known end
end
return {{string.format('%.0f', now - tonumber(since)), needed}}
"""


class _LocalWrite(NamedTuple):
    """An owner's last write that Valkey did not store, and the time until which this process keeps it."""

    position: int
    kept_until: float


_NO_WRITE = _LocalWrite(0, 0.0)


class WritePositions:
    """One process's access to the notes of the installation. Reading and writing never raise."""

    def __init__(
        self,
        url: str,
        *,
        kept_seconds: float,
        wait_seconds: float = WAIT_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """A note is kept for `kept_seconds`."""
        client = Redis.from_url(
            url, socket_timeout=wait_seconds, socket_connect_timeout=wait_seconds, retry=None
        )
        self._client = client
        self._note_script = client.register_script(_NOTE_SCRIPT)
        self._needed_position_script = client.register_script(_NEEDED_POSITION_SCRIPT)
        self._kept_seconds = kept_seconds
        self._clock = clock
        self._silent_until = 0.0
        self._lock = threading.Lock()
        self._local_writes: dict[str, _LocalWrite] = {}

    def record_position_of_write(self, owner: str, position: int) -> None:
        """Record that the owner has written, and the position of the log afterwards."""
        if not self._is_silent():
            try:
                self._note_script(
                    keys=[_PREFIX + owner],
                    args=[_format_position(position), max(round(self._kept_seconds * 1000), 1)],
                )
            except (RedisError, OSError) as error:
                self._pause_after_error(error)
            else:
                return
        with self._lock:
            now = self._clock()
            if len(self._local_writes) >= MAX_REMEMBERED_OWNERS:
                self._local_writes = {
                    name: local_write
                    for name, local_write in self._local_writes.items()
                    if local_write.kept_until > now
                }
            stored_owner = owner if len(self._local_writes) < MAX_REMEMBERED_OWNERS else _ALL_OWNERS_KEY
            earlier_write = self._local_writes.get(stored_owner, _NO_WRITE)
            self._local_writes[stored_owner] = _LocalWrite(
                max(position, earlier_write.position), now + self._kept_seconds
            )

    def get_position_with_writes_of(self, *owners: str) -> int | None:
        """Return the position that includes all writes of these owners; None if it is unknown."""
        if self._is_silent():
            return None
        try:
            age_ms, noted_position = self._needed_position_script(keys=[_PREFIX + owner for owner in owners])
        except (RedisError, OSError) as error:
            self._pause_after_error(error)
            return None
        if int(age_ms) < self._kept_seconds * 1000:
            # Valkey's notes do not go back far enough: a newer one may have been lost.
            return None
        with self._lock:
            now = self._clock()
            own_positions = [
                local_write.position
                for owner in (*owners, _ALL_OWNERS_KEY)
                if (local_write := self._local_writes.get(owner, _NO_WRITE)).kept_until > now
            ]
        return max([int(noted_position or 0), *own_positions])

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _is_silent(self) -> bool:
        return self._clock() < self._silent_until

    def _pause_after_error(self, error: Exception) -> None:
        self._silent_until = self._clock() + PAUSE_SECONDS
        log.warning("write_positions_silent", error=type(error).__name__)


def _format_position(position: int) -> str:
    return f"{position:020d}"
