"""Results that are computed once and shared by all callers: for routes whose calls are not limited."""

import time
from collections.abc import Callable
from typing import Generic, TypeVar

import anyio
from starlette.concurrency import run_in_threadpool

Value = TypeVar("Value")


class SharedResult(Generic[Value]):
    """A result that is shared by all callers for a number of seconds. Callers that wait for it hold no
    thread.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._lock = anyio.Lock()
        self._expires_at = 0.0
        self._outcome: Value | Exception | None = None

    async def get_or_compute(self, compute_result: Callable[[], Value]) -> Value:
        """Return the result of `compute_result`, or raise the error that it raised."""
        async with self._lock:
            outcome = self._outcome
            if outcome is None or time.monotonic() >= self._expires_at:
                try:
                    outcome = await run_in_threadpool(compute_result)
                except Exception as error:
                    outcome = error
                self._outcome, self._expires_at = outcome, time.monotonic() + self._seconds
        if isinstance(outcome, Exception):
            # Without the traceback: every raise of the shared exception would add to it.
            raise outcome.with_traceback(None)
        return outcome
