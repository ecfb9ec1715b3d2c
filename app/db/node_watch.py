"""Detection of silent nodes of a Citus cluster: a frozen machine refuses nothing, and Citus waits for it.

A new connection to it fails after `citus.node_connection_timeout`, which `distribute` makes short. An
existing one waits until the node is back, even past a statement's time-out: to cancel a statement the
coordinator asks the same node. So the application watches its waiting transactions and ends them.
"""

import os
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from math import inf
from typing import Any
from uuid import UUID

import psycopg
import structlog
from psycopg.pq import ExecStatus
from sqlalchemy import Engine

from app.db.errors import DATABASE_ERRORS, describe_error
from app.db.sql import load_numbered_statement

log = structlog.get_logger(__name__)

NODE_TIMEOUT_MS = 900
"""Milliseconds within which a node must accept a connection."""
PROBE_AFTER_SECONDS = 0.5
"""Seconds that a transaction may last before its nodes are probed."""
PROBE_INTERVAL_SECONDS = 1.0
"""Seconds from one probe of the nodes to the next, while a transaction lasts longer or a node is silent.

A transaction that waits for a silent node is ended within PROBE_INTERVAL_SECONDS and NODE_TIMEOUT_MS after it
began, plus the time to ask the coordinator.
"""
CLOSED_SECONDS = 5.0
"""Seconds for which a node stays closed without a new probe: no knowledge outlives the watch."""
_ANSWER_SECONDS = 3.0
_SILENT_MESSAGE = "a node of the cluster does not answer"
_IDLE_SECONDS = 10.0


@dataclass(eq=False, slots=True)
class _WatchedTransaction:
    """A running transaction, or a part of it: on the shards of this space, or on any shards if it is None."""

    connection: psycopg.Connection[Any]
    space_id: UUID | None
    started_at: float
    is_cut: bool = False


class NodeWatch:
    """Ends transactions of this process that wait for a silent node; one watch for each pool.

    While all transactions are short it probes nothing: its thread wakes when the oldest could have become
    long, and ends when there have been none for a while. A node that two probes in a row found silent is
    closed: reads of its spaces are refused at once, until a probe reaches it. As long as one is closed, the
    watch goes on probing, so that whoever reads next does not wait for it again.
    """

    def __init__(
        self, engine: Engine, suspend_silent_nodes: Callable[[frozenset[int]], None] = lambda _groups: None
    ) -> None:
        """`engine` leads to the coordinator; `suspend_silent_nodes` ends other connections to nodes of these
        groups.
        """
        self._engine = engine
        self._cut_nodes = suspend_silent_nodes
        self._lock = threading.Lock()
        self._transactions: set[_WatchedTransaction] = set()
        self._last_start = 0.0
        self._thread: threading.Thread | None = None
        self._silent_groups: frozenset[int] = frozenset()
        self._closed_groups: frozenset[int] = frozenset()
        self._closed_until = 0.0

    def list_silent_node_groups(self) -> frozenset[int]:
        """Return the groups of the nodes that do not answer, by the last two probes."""
        return self._closed_groups if time.monotonic() < self._closed_until else frozenset()

    def require_answering_node(self, group: int) -> None:
        """Do nothing unless the node of this group is closed: raises ConnectionFailure."""
        if group in self.list_silent_node_groups():
            raise psycopg.errors.ConnectionFailure(_SILENT_MESSAGE)

    @contextmanager
    def watch_transaction(self, connection: psycopg.Connection[Any], space_id: UUID | None) -> Iterator[None]:
        """Watch this transaction until it ends. Raises ConnectionFailure if it waited for a silent node."""
        transaction = _WatchedTransaction(connection, space_id, time.monotonic())
        with self._lock:
            self._transactions.add(transaction)
            self._last_start = transaction.started_at
            # A thread that an unforeseen error ended watches nothing, nor does the parent's in a fork.
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(
                    target=self._watch_transactions, daemon=True, name="node_watch"
                )
                self._thread.start()
        try:
            yield
        except DATABASE_ERRORS as error:
            if transaction.is_cut:
                raise psycopg.errors.ConnectionFailure(_SILENT_MESSAGE) from error
            raise
        finally:
            # The pool has it back by now; what was cut in this moment it does not hand out.
            with self._lock:
                self._transactions.discard(transaction)

    def _watch_transactions(self) -> None:
        probed_at = -inf
        while True:
            now = time.monotonic()
            with self._lock:
                is_idle = not self._transactions and now - self._last_start > _IDLE_SECONDS
                # What one probe found silent is probed again first: the second probe closes it.
                was_any_silent_lately = bool(self._silent_groups) and now < self._closed_until
                if is_idle and not was_any_silent_lately:
                    self._thread, self._silent_groups = None, frozenset()
                    return
                first_start = min((transaction.started_at for transaction in self._transactions), default=now)
            wait_seconds = compute_seconds_to_next_probe(
                now, first_start=first_start, probed_at=probed_at, is_any_silent=bool(self._silent_groups)
            )
            if wait_seconds > 0:
                time.sleep(wait_seconds)
                continue
            probed_at = now
            self._probe_nodes_and_cut_transactions()

    def _list_waiting_transactions(self) -> list[_WatchedTransaction]:
        now = time.monotonic()
        with self._lock:
            return [
                transaction
                for transaction in self._transactions
                if now - transaction.started_at >= PROBE_AFTER_SECONDS
            ]

    def _probe_nodes_and_cut_transactions(self) -> None:
        try:
            with open_own_connection(self._engine) as connection:
                silent_groups = frozenset(
                    group
                    for (group,) in read_integer_rows_or_close_connection(
                        connection, "db.list_unreachable_nodes", {}
                    )
                )
                if silent_groups != self._silent_groups:
                    log.warning("nodes_silent", groups=sorted(silent_groups))
                if silent_groups - self._silent_groups:
                    # The servers behind idle connections keep connections to the node too.
                    self._engine.dispose()
                self._closed_groups = silent_groups & self._silent_groups
                self._closed_until = time.monotonic() + CLOSED_SECONDS
                self._silent_groups = silent_groups
                if silent_groups:
                    self._cut_nodes(silent_groups)
                    # Those that became long during the probe, too: they began before its answer.
                    self._cut_transactions_on_silent_nodes(connection, self._list_waiting_transactions())
        except DATABASE_ERRORS as error:
            log.warning("nodes_not_asked", **describe_error(error))

    def _cut_transactions_on_silent_nodes(
        self, connection: psycopg.Connection[Any], waiting_transactions: list[_WatchedTransaction]
    ) -> None:
        for transaction in waiting_transactions:
            if transaction.space_id is not None:
                rows = read_integer_rows_or_close_connection(
                    connection, "db.node_of_space", {"space_id": transaction.space_id}
                )
                if not {group for (group,) in rows} & self._silent_groups:
                    continue
            with self._lock:
                if transaction in self._transactions and not transaction.is_cut:
                    transaction.is_cut = True
                    shut_down_socket(transaction.connection)


def compute_seconds_to_next_probe(
    now: float, *, first_start: float, probed_at: float, is_any_silent: bool
) -> float:
    """Return the seconds until the nodes must be probed, or until that is decided anew; 0 or less for now.

    `first_start` is the start of the oldest transaction, or `now` if there is none. No transaction that
    begins later becomes long earlier.
    """
    becomes_long_at = first_start + PROBE_AFTER_SECONDS
    if is_any_silent:
        becomes_long_at = min(becomes_long_at, probed_at + PROBE_INTERVAL_SECONDS)
    return max(becomes_long_at, probed_at + PROBE_INTERVAL_SECONDS) - now


def open_own_connection(engine: Engine) -> psycopg.Connection[Any]:
    """Return a connection of its own to the server of the pool, which the caller closes."""
    arguments, options = engine.dialect.create_connect_args(engine.url)
    return psycopg.connect(
        *arguments, **{"connect_timeout": 5, **options, "autocommit": True, "prepare_threshold": None}
    )


def read_integer_rows_or_close_connection(
    connection: psycopg.Connection[Any], statement_name: str, parameters: dict[str, Any]
) -> list[tuple[int, ...]]:
    """Return the integer rows of the named statement.

    Raises OperationalError; if the rows come too late, the connection is closed.
    """
    statement, parameter_names = load_numbered_statement(statement_name)
    pgconn = connection.pgconn
    pgconn.send_query_params(
        statement, [str(parameters[parameter]).encode() for parameter in parameter_names]
    )
    deadline = time.monotonic() + _ANSWER_SECONDS
    poller = select.poll()
    poller.register(pgconn.socket, select.POLLIN)
    while pgconn.is_busy():
        remaining_seconds = deadline - time.monotonic()
        if remaining_seconds <= 0 or not poller.poll(remaining_seconds * 1000):
            connection.close()
            raise psycopg.OperationalError("no answer about the nodes")
        pgconn.consume_input()
    result = pgconn.get_result()
    if result is None or result.status != ExecStatus.TUPLES_OK:
        raise psycopg.OperationalError(
            f"no answer about the nodes: {result and result.error_message.decode()}"
        )
    rows = [
        tuple(
            int(result.get_value(row_index, column_index) or b"0") for column_index in range(result.nfields)
        )
        for row_index in range(result.ntuples)
    ]
    while pgconn.get_result() is not None:
        pass
    return rows


def shut_down_socket(connection: psycopg.Connection[Any]) -> None:
    """Shut down the socket on which another thread waits: to it the server seems to have gone away."""
    with suppress(OSError, psycopg.Error), socket.socket(fileno=os.dup(connection.fileno())) as own_socket:
        own_socket.shutdown(socket.SHUT_RDWR)
