"""Streaming replicas of Postgres: which of them may serve the reads of an owner now.

Two checks are separate. A thread for each replica checks every second whether it is close enough to the
primary. Whether it has replayed this tenant's writes is checked by the statement that begins a transaction.
"""

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import structlog
from sqlalchemy import Connection, Engine, text
from sqlalchemy.orm import Session

from app.db.engine import CLUSTERED_KEY, REPLAYED_POSITION_KEY, convert_to_psycopg_url, create_app_engine
from app.db.errors import (
    DATABASE_ERRORS,
    describe_error,
    is_busy,
    is_replay_conflict,
    is_statement_timeout,
    is_unreachable,
)
from app.db.replicas.read_route import ReadRoute, get_current_route
from app.errors import ConfigurationError
from app.observability.counters import REPLICA_READS, Counters
from app.settings import Settings

log = structlog.get_logger(__name__)

CHECK_SECONDS = 1.0
"""Seconds between two checks of a replica."""
SILENT_SECONDS = 5.0
"""Seconds that a check may take, and that a replica is not used after it failed a read."""
PLATFORM_OWNER = "platform"
"""The owner of writes for no tenant: every reader's replica must have replayed them."""
IN_SYNC, LAGGING, UNREACHABLE = "in_sync", "lagging", "unreachable"
_POSITION_QUERY = text(
    "SELECT system_identifier, (pg_current_wal_flush_lsn() - '0/0')::bigint FROM pg_control_system()"
)
_SYSTEM_IDENTIFIER_QUERY = text("SELECT system_identifier FROM pg_control_system()")


class Positions(Protocol):
    """The positions of owners' last writes: see `WritePositions`."""

    def record_position_of_write(self, owner: str, position: int) -> None:
        """The owner has written, and the log was at this position afterwards."""

    def get_position_with_writes_of(self, *owners: str) -> int | None:
        """Return the position that includes all writes of these owners; None if it is unknown."""

    def close(self) -> None:
        """Close the connections."""


class _PositionSample(NamedTuple):
    """The position of the primary's log at a time of this process's clock, or later."""

    taken_at: float
    position: int


class PrimaryPosition(NamedTuple):
    """The primary's system identifier, and the position of its log."""

    system_identifier: int
    position: int


@dataclass(eq=False)
class Replica:
    """One replica. `replayed_until` is the latest moment of the primary that it is known to have replayed,
    `answered_at` the time of its last answer.
    """

    name: str
    address: str
    engine: Engine
    probe_engine: Engine
    samples: deque[_PositionSample] = field(default_factory=deque)
    replayed_until: float = float("-inf")
    answered_at: float = float("-inf")
    excluded_until: float = float("-inf")
    has_caught_up: bool = False
    unreadable_reason: str | None = "not looked at yet"
    is_left_out: bool = False
    check_lock: threading.Lock = field(default_factory=threading.Lock)


class Replicas:
    """The replicas of one process. Nothing connects before the first read."""

    def __init__(
        self,
        primary_url: str,
        settings: Settings,
        positions: Positions,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.positions = positions
        self.counters = Counters()
        self._clock = clock
        self._max_lag = settings.replica_max_lag
        # Checks have connections of their own, so that they do not wait for requests.
        single_connection_settings = settings.model_copy(
            update={"pool_size": 1, "pool_overflow": 0, "replica_urls": ""}
        )
        self._primary_engine = create_app_engine(primary_url, single_connection_settings)
        self.replicas = tuple(
            Replica(
                str(number),
                _format_address(address),
                create_app_engine(address, settings, is_replica=True),
                create_app_engine(address, single_connection_settings, is_replica=True),
            )
            for number, address in enumerate(settings.replica_addresses, 1)
        )
        self._next_index = 0
        self._lock = threading.Lock()
        self._closed_event = threading.Event()
        self._checking_pid: int | None = None

    def note_write_and_use_primary(self, owner: str | None, position: int) -> None:
        """Note the position of the owner's last write. Without an owner it is the platform's."""
        route = get_current_route()
        if route is not None:
            route.use_primary()
        if owner is not None or route is not None:
            self.positions.record_position_of_write(owner or PLATFORM_OWNER, position)

    def start_checking_and_choose_replica(self, owner: str) -> Replica | None:
        """Return the replica that may serve this request if it has the owner's writes; None: the primary."""
        route = get_current_route()
        if route is None or route.reads_primary:
            return None
        self._start_checking()
        if route.replica_index is None:
            in_sync_indices = [
                index
                for index, replica in enumerate(self.replicas)
                if self.get_sync_state_of_replica(replica) == IN_SYNC
            ]
            if not in_sync_indices:
                self._switch_route_to_primary(route, "none_near")
                return None
            with self._lock:
                self._next_index += 1
                route.replica_index = in_sync_indices[self._next_index % len(in_sync_indices)]
        if owner not in route.needed_positions:
            needed_position = self.positions.get_position_with_writes_of(owner, PLATFORM_OWNER)
            if needed_position is None:
                self._switch_route_to_primary(route, "unknown")
                return None
            route.needed_positions[owner] = needed_position
        return self.replicas[route.replica_index]

    @contextmanager
    def attempt_read(self, replica: Replica, session: Session, owner: str) -> Iterator[bool]:
        """Begin a session on the replica; yield whether it has all that is needed, else read the primary.

        An error of the replica inside the block is raised, and the request's route changes to the primary.
        """
        route = get_current_route()
        assert route is not None
        try:
            is_fresh = self._is_fresh(session, route.needed_positions[owner])
        except (*DATABASE_ERRORS, ConfigurationError) as error:
            self._suspend_replica(replica, error)
            self._switch_route_to_primary(route, "failed")
            yield False
            return
        if not is_fresh:
            self._switch_route_to_primary(route, "behind")
            yield False
            return
        self.counters.add(REPLICA_READS, replica.name, "fresh")
        try:
            yield True
        except DATABASE_ERRORS as error:
            # A statement that is too slow here would be so on the primary: twice the load, same error.
            if not is_statement_timeout(error):
                route.has_failed = True
                if is_unreachable(error) or (is_busy(error) and not is_replay_conflict(error)):
                    self._suspend_replica(replica, error)
                else:
                    # A conflict with the replay, or an error in our statement: the next read may succeed.
                    log.warning("replica_read_failed", replica=replica.address, **describe_error(error))
            raise

    def get_sync_state_of_replica(self, replica: Replica) -> str:
        """Return IN_SYNC if the replica may be read, LAGGING if it is too far behind, or UNREACHABLE."""
        now = self._clock()
        if (
            replica.unreadable_reason is not None
            or now < replica.excluded_until
            or now - replica.answered_at > SILENT_SECONDS
        ):
            return UNREACHABLE
        return IN_SYNC if now - replica.replayed_until <= self._max_lag else LAGGING

    def start_checking_and_count_states(self) -> Mapping[str, int]:
        """Return the number of replicas in each state."""
        self._start_checking()
        states = [self.get_sync_state_of_replica(replica) for replica in self.replicas]
        return {state: states.count(state) for state in (IN_SYNC, LAGGING, UNREACHABLE)}

    def get_known_lags(self) -> Mapping[str, float]:
        """Return the known lag of each replica in seconds, without those that never answered."""
        now = self._clock()
        return {
            replica.name: 0.0
            if replica.has_caught_up and self.get_sync_state_of_replica(replica) == IN_SYNC
            else now - replica.replayed_until
            for replica in self.replicas
            if replica.replayed_until > float("-inf")
        }

    def check_replica(self, replica: Replica) -> None:
        """Compare the current positions of the primary and the replica; one check at a time."""
        with replica.check_lock:
            self._check_replica_and_record_state(replica)

    def _check_replica_and_record_state(self, replica: Replica) -> None:
        started_at = self._clock()
        try:
            system_identifier, position = self.read_primary_identity_and_position()
            # The time is taken before the query: all that was committed by then is below the position.
            replica.samples.append(_PositionSample(started_at, position))
            with replica.probe_engine.connect() as replica_connection:
                unreadable_reason = explain_why_not_readable_replica(replica_connection, system_identifier)
                replayed_position = (
                    replica_connection.info[REPLAYED_POSITION_KEY] if unreadable_reason is None else None
                )
        except (*DATABASE_ERRORS, ConfigurationError) as error:
            error_fields = describe_error(error) if not isinstance(error, ConfigurationError) else {}
            unreadable_reason, replayed_position = error_fields.get("cause") or type(error).__name__, None
        if replayed_position is not None:
            replica.has_caught_up = replayed_position >= replica.samples[-1].position
            while replica.samples and replica.samples[0].position <= replayed_position:
                replica.replayed_until = replica.samples.popleft().taken_at
            replica.answered_at = self._clock()
        while len(replica.samples) > 1 and replica.samples[0].taken_at < started_at - 2 * self._max_lag:
            replica.samples.popleft()
        replica.unreadable_reason = unreadable_reason
        self._log_state_change(replica)

    def read_primary_identity_and_position(self) -> PrimaryPosition:
        """Return the primary's system identifier, and the position of its log."""
        with self._primary_engine.connect() as connection:
            system_identifier, position = connection.execute(_POSITION_QUERY).one()
        return PrimaryPosition(system_identifier, position)

    def close(self) -> None:
        """Stop the checks and close the connections."""
        self._closed_event.set()
        self.positions.close()
        for engine in (
            self._primary_engine,
            *(pool for replica in self.replicas for pool in (replica.engine, replica.probe_engine)),
        ):
            engine.dispose()

    def _switch_route_to_primary(self, route: ReadRoute, reason: str) -> None:
        route.use_primary()
        self.counters.add(REPLICA_READS, "primary", reason)

    def _is_fresh(self, session: Session, needed_position: int) -> bool:
        """Begin the transaction; return whether its server is a replica that has replayed this position."""
        info = session.connection().info
        return (
            not info.get(CLUSTERED_KEY)
            and info[REPLAYED_POSITION_KEY] is not None
            and info[REPLAYED_POSITION_KEY] >= needed_position
        )

    def _suspend_replica(self, replica: Replica, error: Exception) -> None:
        """Stop using a replica that failed, for a while."""
        replica.excluded_until = self._clock() + SILENT_SECONDS
        with self._lock:
            if replica.is_left_out:
                return
            replica.is_left_out = True
        cause = describe_error(error) if not isinstance(error, ConfigurationError) else {"cause": error.code}
        log.warning("replica_left", replica=replica.address, **cause)

    def _log_state_change(self, replica: Replica) -> None:
        """Log once that a replica is no longer read, and once that it is again."""
        state = self.get_sync_state_of_replica(replica)
        with self._lock:
            was_left_out, replica.is_left_out = replica.is_left_out, state != IN_SYNC
            if was_left_out == replica.is_left_out:
                return
        if state == IN_SYNC:
            log.info("replica_back", replica=replica.address)
        else:
            log.warning("replica_left", replica=replica.address, cause=replica.unreadable_reason or state)

    def _start_checking(self) -> None:
        """Start the checks of this process if none run: a forked child has to start its own."""
        if self._checking_pid == os.getpid():
            return
        with self._lock:
            if self._checking_pid == os.getpid() or self._closed_event.is_set():
                return
            self._checking_pid = os.getpid()
        for replica in self.replicas:
            threading.Thread(
                target=self._check_replica_until_closed,
                args=(replica,),
                daemon=True,
                name=f"replica_{replica.name}",
            ).start()

    def _check_replica_until_closed(self, replica: Replica) -> None:
        while not self._closed_event.is_set():
            try:
                self.check_replica(replica)
            except Exception:
                # The thread must go on, or the replica would never be read again.
                log.exception("replica_look_failed", replica=replica.address)
            self._closed_event.wait(CHECK_SECONDS)


def explain_why_not_readable_replica(connection: Connection, system_identifier: int) -> str | None:
    """Return why the server may not be read as a replica of the primary; None if it may."""
    if connection.execute(_SYSTEM_IDENTIFIER_QUERY).scalar_one() != system_identifier:
        return "it is no replica of this primary"
    if connection.info.get(CLUSTERED_KEY):
        return "replicas of a Citus cluster are not read"
    if connection.info[REPLAYED_POSITION_KEY] is None:
        return "it is no replica any more, it takes writes"
    return None


def _format_address(address: str) -> str:
    """Return host, port and database name for the log, without the password."""
    parsed_url = convert_to_psycopg_url(address)
    host = parsed_url.host or str(parsed_url.query.get("host", ""))
    return f"{host}:{parsed_url.port or parsed_url.query.get('port', 5432)}/{parsed_url.database}"
