"""Who may wait for a model: so many answers at once, on threads of their own.

A model takes seconds for an answer and a minute to be given up. On the threads that serve everything else,
forty questions to a model that hangs would be the whole service.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

import anyio
from anyio.to_thread import run_sync

from app.errors import Unavailable

PATIENCE_SECONDS = 10.0
"""How long a question waits for its turn before it is refused."""

Value = TypeVar("Value")


class Turns:
    """At most `at_once` of them; made with the application, used in its event loop."""

    def __init__(self, at_once: int, *, patience: float = PATIENCE_SECONDS) -> None:
        self._free = anyio.Semaphore(at_once)
        self._threads = anyio.CapacityLimiter(at_once)
        self._patience = patience

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """One's turn, as soon as there is one. Raises Unavailable where none comes in time."""
        taken = False
        with anyio.move_on_after(self._patience):
            await self._free.acquire()
            taken = True
        if not taken:
            raise Unavailable("Too many questions are being answered; try again shortly.", code="busy")
        try:
            yield
        finally:
            self._free.release()

    async def run(self, work: Callable[[], Value]) -> Value:
        """What `work` returns, on one of the threads; call it in one's turn."""
        return await run_sync(work, limiter=self._threads)
