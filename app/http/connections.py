"""The open connections by client address, and which of them is closed at a limit."""

import asyncio
import collections
import resource
import time
from collections import OrderedDict
from typing import Protocol

import structlog
from prometheus_client import CollectorRegistry, Counter, Gauge

from app.settings import Settings

log = structlog.get_logger(__name__)

SWEEP_SECONDS = 0.5
_LOG_SECONDS = 10.0
# Pools, model calls, files and descriptors that libraries open themselves.
_OTHER_DESCRIPTORS = 512


class Connection(Protocol):
    """One open connection, as `Connections` uses it."""

    def abort(self) -> None:
        """Close at once."""

    def close_if_slow(self, now: float) -> None:
        """Close if the client was too slow."""


class Connections:
    """The open connections of one server, used in its event loop.

    At a limit the connection that has waited longest for a request is closed; a new one is refused only if
    all are busy. So idle connections, however many, keep nobody out.
    """

    def __init__(self, settings: Settings, registry: CollectorRegistry, *, reserved_descriptors: int) -> None:
        self.settings = settings
        self._max_connections = _raise_descriptor_limit_and_compute_max_connections(
            settings.max_connections, reserved_descriptors + _OTHER_DESCRIPTORS
        )
        self._address_by_connection: dict[Connection, str] = {}
        self._count_by_address: collections.Counter[str] = collections.Counter()
        self._waiting_connections: OrderedDict[Connection, None] = OrderedDict()
        self._waiting_by_address: dict[str, OrderedDict[Connection, None]] = {}
        self._sweep: asyncio.TimerHandle | None = None
        self._unlogged_counts: collections.Counter[str] = collections.Counter()
        self._logged_at = 0.0
        self._ended_counter = Counter(
            "citegraph_connections_ended",
            "Connections that were refused or closed by a limit.",
            ["reason"],
            registry=registry,
        )
        Gauge("citegraph_connections", "Open connections.", registry=registry).set_function(
            lambda: len(self._address_by_connection)
        )

    def admit(self, connection: Connection, address: str) -> bool:
        """Add a new connection of a client (see `compute_network_of_client`); return False if there is no
        room for it.
        """
        limit = self.settings.max_connections_per_address
        if limit and address and self._count_by_address[address] >= limit:
            if not self._abort_longest_waiting(self._waiting_by_address.get(address)):
                self.count_ended("refused_per_address")
                return False
        elif len(self._address_by_connection) >= self._max_connections and not self._abort_longest_waiting(
            self._waiting_connections
        ):
            self.count_ended("refused")
            return False
        self._address_by_connection[connection] = address
        self._count_by_address[address] += 1
        self.end_request(connection)
        if self._sweep is None:
            self._sweep = asyncio.get_running_loop().call_later(
                SWEEP_SECONDS, self._close_slow_and_schedule_next_sweep
            )
        return True

    def remove(self, connection: Connection) -> None:
        """Forget a connection that was closed."""
        address = self._address_by_connection.pop(connection, None)
        if address is None:
            return
        self._stop_waiting(connection, address)
        self._count_by_address[address] -= 1
        if not self._count_by_address[address]:
            del self._count_by_address[address]

    def begin_request(self, connection: Connection) -> None:
        """Mark the connection as busy, so that it is not closed to make room."""
        address = self._address_by_connection.get(connection)
        if address is not None:
            self._stop_waiting(connection, address)

    def end_request(self, connection: Connection) -> None:
        """Mark the connection as waiting for a request."""
        address = self._address_by_connection.get(connection)
        if address is not None:
            self._waiting_connections[connection] = None
            self._waiting_by_address.setdefault(address, OrderedDict())[connection] = None

    def count_ended(self, reason: str) -> None:
        """Count a connection that was refused or closed; many of them share one log line."""
        self._ended_counter.labels(reason).inc()
        self._unlogged_counts[reason] += 1

    def _abort_longest_waiting(self, waiting_connections: OrderedDict[Connection, None] | None) -> bool:
        if not waiting_connections:
            return False
        oldest_connection = next(iter(waiting_connections))
        self.remove(oldest_connection)
        self.count_ended("made_room")
        oldest_connection.abort()
        return True

    def _stop_waiting(self, connection: Connection, address: str) -> None:
        if connection in self._waiting_connections:
            del self._waiting_connections[connection]
            waiting_connections = self._waiting_by_address[address]
            del waiting_connections[connection]
            if not waiting_connections:
                del self._waiting_by_address[address]

    def _close_slow_and_schedule_next_sweep(self) -> None:
        loop = asyncio.get_running_loop()
        now = loop.time()
        for connection in list(self._address_by_connection):
            connection.close_if_slow(now)
        if self._unlogged_counts and time.monotonic() - self._logged_at > _LOG_SECONDS:
            log.warning("connections_ended", **self._unlogged_counts)
            self._unlogged_counts.clear()
            self._logged_at = time.monotonic()
        has_connections = self._address_by_connection or self._unlogged_counts
        self._sweep = (
            loop.call_later(SWEEP_SECONDS, self._close_slow_and_schedule_next_sweep)
            if has_connections
            else None
        )


def _raise_descriptor_limit_and_compute_max_connections(connections: int, other_connections: int) -> int:
    """Return the maximum number of connections, after raising the soft limit of file descriptors as far as
    allowed.
    """
    soft_limit, hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed_connections = connections + other_connections
    if soft_limit != resource.RLIM_INFINITY and soft_limit < needed_connections:
        soft_limit = (
            needed_connections
            if hard_limit == resource.RLIM_INFINITY
            else min(needed_connections, hard_limit)
        )
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft_limit, hard_limit))
    if soft_limit == resource.RLIM_INFINITY or soft_limit >= needed_connections:
        return connections
    max_connections = max(soft_limit - other_connections, soft_limit // 2)
    log.warning("few_descriptors", limit=soft_limit, connections=max_connections)
    return max_connections
