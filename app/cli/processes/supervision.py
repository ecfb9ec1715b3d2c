"""Restart the parts of `citegraph up` that end by themselves: embedded servers, worker, API."""

import time
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from typing import NoReturn

from app.cli.output import print_note
from app.cli.processes.children import ChildProcess
from app.errors import ConfigurationError
from app.runtime.supervisor import EmbeddedServers

_POLL_SECONDS = 0.5
MAX_RESTARTS, RESTART_WINDOW_SECONDS = 3, 60.0
"""A part that ends more often than this is not restarted: its cause does not go away by itself."""


class RestartLimiter:
    """Restarts parts, each at most MAX_RESTARTS times in RESTART_WINDOW_SECONDS."""

    def __init__(self) -> None:
        self._start_times_by_name: dict[str, deque[float]] = defaultdict(deque)

    def restart(self, name: str, reason: str, start: Callable[[], None]) -> None:
        """Start the part again and print why. Raises ConfigurationError if it ended too often."""
        start_times = self._start_times_by_name[name]
        while start_times and time.monotonic() - start_times[0] > RESTART_WINDOW_SECONDS:
            start_times.popleft()
        if len(start_times) >= MAX_RESTARTS:
            raise ConfigurationError(
                f"{name} {reason} for the {MAX_RESTARTS + 1}th time within"
                f" {RESTART_WINDOW_SECONDS:.0f} seconds;"
                " everything was stopped."
            )
        start_times.append(time.monotonic())
        print_note(
            f"{name} {reason}; starting it again ({len(start_times)} of {MAX_RESTARTS} times in a minute)."
        )
        start()


def supervise(servers: EmbeddedServers | None, children: Sequence[ChildProcess]) -> NoReturn:
    """Restart whatever ends, until a signal. Raises ConfigurationError if a part keeps ending."""
    restart_limiter = RestartLimiter()
    while True:
        for server in servers.list_ended_servers() if servers else ():
            restart_limiter.restart(server.title, "ended by itself", server.start)
        for child in children:
            if (exit_code := child.exit_code()) is not None:
                reason = f"ended by itself with exit code {exit_code}"
                restart_limiter.restart(f"`citegraph {child.name}`", reason, child.start)
        time.sleep(_POLL_SECONDS)
