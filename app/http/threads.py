"""A few threads for one kind of work, with a bounded wait, so that no kind uses up the threads of the
others.
"""

from collections.abc import Callable
from typing import TypeVar

import anyio
from anyio.to_thread import run_sync

from app.errors import Unavailable

Value = TypeVar("Value")


class BoundedThreads:
    """Runs at most `max_threads` calls at a time; created with the application, used in its event loop."""

    def __init__(self, max_threads: int, *, wait_seconds: float, refusal: str) -> None:
        self._free_slots = anyio.Semaphore(max_threads)
        # Never waited for, because the semaphore comes first; it keeps this work off the default threads.
        self._limiter = anyio.CapacityLimiter(max_threads)
        self._wait_seconds = wait_seconds
        self._refusal = refusal

    async def run(self, work: Callable[[], Value]) -> Value:
        """Return what `work` returns. Raises Unavailable if no thread is free in time."""
        has_slot = False
        with anyio.move_on_after(self._wait_seconds):
            await self._free_slots.acquire()
            has_slot = True
        if not has_slot:
            raise Unavailable(self._refusal, code="busy")
        try:
            return await run_sync(work, limiter=self._limiter)
        finally:
            self._free_slots.release()
