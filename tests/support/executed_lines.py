"""The work of a function, counted in executed lines: the same on a busy and on an idle machine."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def count_executed_lines(function: Callable[[], object]) -> int:
    """Return how many lines of Python the call executes, in all functions that it calls."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    previous_trace = sys.gettrace()
    sys.settrace(trace)
    try:
        function()
    finally:
        sys.settrace(previous_trace)
    return count
