"""The child of a sandbox: calls one function for one item after the other, with limits that the kernel
enforces.
"""

import contextlib
import math
import os
import resource
import socket
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.errors import CitegraphError
from app.sandbox import wire
from app.sandbox.shapes import Fault, FaultKind

_MAX_TRACE_LENGTH = 8_000


@dataclass(frozen=True, slots=True)
class Request:
    """`function(common, item)` for each item, each with a limit of CPU seconds."""

    function: Callable[[Any, Any], Any]
    common: Any
    items: tuple[tuple[Any, int], ...]
    memory_bytes: int


def serve_requests(connection: socket.socket) -> None:
    """Answer the requests of this connection until it is closed, with a result or a Fault for each item.

    If an item exceeds its CPU seconds, the kernel kills this process: code that runs here cannot prevent
    that.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    reserved_bytes = _measure_address_space()
    with connection:
        while True:
            request = wire.read_request(connection)
            if request is None:
                return
            # macOS has this limit but cannot set it; the time limits still apply there.
            if sys.platform != "darwin":
                limit = reserved_bytes + request.memory_bytes
                resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
            for item, seconds in request.items:
                _limit_cpu_seconds(seconds)
                connection.sendall(_run_item(request.function, request.common, item))


def _limit_cpu_seconds(seconds: int) -> None:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    used_seconds = usage.ru_utime + usage.ru_stime
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(used_seconds + seconds), resource.RLIM_INFINITY))


def _measure_address_space() -> int:
    """Return the size of the address space after the fork: modules and tables, before any text is read."""
    with contextlib.suppress(OSError):
        page_count = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        return page_count * os.sysconf("SC_PAGE_SIZE")
    return 0


def _run_item(function: Callable[[Any, Any], Any], common: Any, item: Any) -> bytes:
    try:
        return wire.encode_frame(function(common, item))
    except Exception as error:
        fault = build_fault(error)
        # The traceback references the frames, and with them the data that filled the memory.
        del error
        return wire.encode_frame(fault)


def build_fault(error: Exception) -> Fault:
    """Return the fault for an exception of the function."""
    if isinstance(error, CitegraphError):
        return Fault(FaultKind.REFUSED, error.code, error.message, error.status)
    if isinstance(error, MemoryError):
        return Fault(FaultKind.MEMORY)
    traceback_text = "".join(traceback.format_exception(error, limit=-20))
    return Fault(FaultKind.RAISED, type(error).__name__, trace=traceback_text[-_MAX_TRACE_LENGTH:])
