"""The metrics of a worker: its pool processes report their counts, and one additional process serves them.

An additional process, because Celery forks new pool processes from its parent at any time: if a thread of the
parent held a lock at that moment, it would stay locked in the child. Without a port there is no such process.
"""

import json
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import NamedTuple

import structlog
from prometheus_client import CollectorRegistry, start_http_server

from app.db.database import Database
from app.db.engine import count_connections
from app.observability.counters import CONNECTIONS, WORKER_PROCESSES, Counters, ReadingCollector
from app.settings import Settings

log = structlog.get_logger(__name__)

REPORT_SECONDS = 1.0
"""Seconds between two reports of a process; counts since the last report are lost if it is killed."""
SILENT_SECONDS = 10.0
"""Seconds without a report after which a process counts as ended."""
_MAX_COUNTS_PER_WRITE = 50
_BUFFER_BYTES = 1 << 20


class MetricsReporter:
    """Reports once a second what one pool process has counted. Never waits for the receiver."""

    def __init__(self, database: Database, channel: socket.socket) -> None:
        self._database = database
        self._channel = channel
        self._closed_event = threading.Event()
        self._thread = threading.Thread(target=self._report_forever, daemon=True, name="metrics")

    def start(self) -> None:
        """Start the thread, which ends with the process."""
        self._thread.start()

    def close(self) -> None:
        """Stop the thread and send a last report."""
        self._closed_event.set()
        self._thread.join(timeout=5)
        self._send_report()

    def _report_forever(self) -> None:
        while not self._closed_event.wait(REPORT_SECONDS):
            self._send_report()

    def _send_report(self) -> None:
        counters = self._database.counters
        remaining_counts = list(counters.take_counts().items())
        connection_counts = count_connections(self._database.engine)
        while True:
            count_slice, remaining_counts = (
                remaining_counts[:_MAX_COUNTS_PER_WRITE],
                remaining_counts[_MAX_COUNTS_PER_WRITE:],
            )
            counts = [[name, labels, amount] for (name, labels), amount in count_slice]
            message = json.dumps({"pid": os.getpid(), "connections": connection_counts, "counts": counts})
            try:
                self._channel.sendall(message.encode())
            except OSError:
                # The receiver does not read fast enough or at all: send these counts with the next report.
                counters.merge(dict(count_slice + remaining_counts))
                return
            if not remaining_counts:
                return


class _ConnectionReport(NamedTuple):
    """The number of a process's connections by state, and when it was received."""

    received_at: float
    count_by_state: dict[str, float]


class WorkerTotals:
    """The sums of all reports, as they are served."""

    def __init__(self) -> None:
        self.counters = Counters()
        self._report_by_pid: dict[int, _ConnectionReport] = {}
        self.registry = CollectorRegistry()
        self.registry.register(self.counters)
        self.registry.register(ReadingCollector(self._sum_connections_by_state, CONNECTIONS))
        self.registry.register(
            ReadingCollector(
                lambda: {"reporting": float(len(self._drop_silent_reports_and_list_counts()))},
                WORKER_PROCESSES,
            )
        )

    def add_report(self, message: bytes) -> None:
        """Add one report."""
        report = json.loads(message)
        self._report_by_pid[report["pid"]] = _ConnectionReport(time.monotonic(), report["connections"])
        self.counters.merge({(name, tuple(labels)): amount for name, labels, amount in report["counts"]})

    def _drop_silent_reports_and_list_counts(self) -> list[dict[str, float]]:
        cutoff = time.monotonic() - SILENT_SECONDS
        self._report_by_pid = {
            pid: report for pid, report in self._report_by_pid.items() if report.received_at >= cutoff
        }
        return [report.count_by_state for report in self._report_by_pid.values()]

    def _sum_connections_by_state(self) -> dict[str, float]:
        total_by_state: dict[str, float] = {}
        for count_by_state in self._drop_silent_reports_and_list_counts():
            for state, count in count_by_state.items():
                total_by_state[state] = total_by_state.get(state, 0.0) + count
        return total_by_state


def start_metrics_process(settings: Settings) -> socket.socket | None:
    """Start the process that serves the metrics; return the socket for reports, or None if no port is set.

    Call it before anything is opened: the process is a fork, and ends when its parent has ended.
    """
    if not settings.worker_metrics_port:
        return None
    receiving_socket, sending_socket = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    sending_socket.setblocking(False)
    for channel, option in ((receiving_socket, socket.SO_RCVBUF), (sending_socket, socket.SO_SNDBUF)):
        channel.setsockopt(socket.SOL_SOCKET, option, _BUFFER_BYTES)
    parent_pid = os.getpid()
    if os.fork():
        receiving_socket.close()
        return sending_socket
    sending_socket.close()
    # A signal to the whole process group ends the worker first, whose last reports must still be served.
    for signal_number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signal_number, signal.SIG_IGN)
    exit_code = 1
    with suppress(Exception):
        _collect_and_serve_metrics(settings, receiving_socket, is_wanted=partial(_is_child_of, parent_pid))
        exit_code = 0
    sys.stderr.flush()
    os._exit(exit_code)


def _is_child_of(parent_pid: int) -> bool:
    return os.getppid() == parent_pid


def _collect_and_serve_metrics(
    settings: Settings, listening_socket: socket.socket, *, is_wanted: Callable[[], bool]
) -> None:
    totals = WorkerTotals()
    try:
        start_http_server(settings.worker_metrics_port, settings.host, totals.registry)
    except OSError as error:
        log.error("metrics_not_served", port=settings.worker_metrics_port, error=type(error).__name__)
    listening_socket.settimeout(REPORT_SECONDS)
    while is_wanted():
        with suppress(TimeoutError):
            totals.add_report(listening_socket.recv(_BUFFER_BYTES))
