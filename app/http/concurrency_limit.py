"""Limits of what runs at once, in all and for each tenant: what one tenant fills, another does not wait for.

A place is taken in the event loop and costs nothing while it is waited for: no thread, no connection.
"""

import asyncio
import threading
from collections import Counter
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TypeVar

import anyio
from anyio.to_thread import run_sync

from app.errors import TooMany, Unavailable

Value = TypeVar("Value")


@dataclass(eq=False)
class _Waiter:
    tenant: Hashable
    loop: asyncio.AbstractEventLoop
    admitted: bool = False
    turn: asyncio.Event = field(default_factory=asyncio.Event)

    def wake_up(self) -> None:
        self.admitted = True
        # Whoever waited in a loop that has ended does not wait any more.
        with suppress(RuntimeError):
            self.loop.call_soon_threadsafe(self.turn.set)


class ConcurrencyLimit:
    """At most `total` at once, of one tenant at most `per_tenant`, on threads of their own.

    Who finds no place waits up to `wait` seconds for one. A free place goes to the tenant that has the
    fewest, of equals to who came first. `code` and `noun` name what is limited in the refusals.
    """

    def __init__(self, total: int, per_tenant: int, *, wait: float, code: str, noun: str) -> None:
        self._total = total
        self._per_tenant = min(per_tenant, total)
        self._wait = wait
        self._code, self._noun = code, noun
        self._running: Counter[Hashable] = Counter()
        self._waiting: list[_Waiter] = []
        # Several event loops may share an application, as those of test clients do.
        self._lock = threading.Lock()
        self._threads = anyio.CapacityLimiter(total)

    @asynccontextmanager
    async def slot(self, tenant: Hashable) -> AsyncIterator[None]:
        """A place of the tenant's. Raises TooMany where it has all of its own, Unavailable where all are
        taken.
        """
        await self._acquire(tenant)
        try:
            yield
        finally:
            self._release(tenant)

    async def run(self, work: Callable[[], Value]) -> Value:
        """The result of `work`, run on one of the threads; call it with a place taken."""
        return await run_sync(work, limiter=self._threads)

    async def _acquire(self, tenant: Hashable) -> None:
        with self._lock:
            if self._has_room(tenant):
                self._running[tenant] += 1
                return
            waiter = _Waiter(tenant, asyncio.get_running_loop())
            self._waiting.append(waiter)
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._wait):
                    await waiter.turn.wait()
        except BaseException:
            if self._withdraw(waiter):
                self._release(tenant)
            raise
        if not self._withdraw(waiter):
            raise self._refusal(tenant)

    def _withdraw(self, waiter: _Waiter) -> bool:
        """Wait no longer; whether a place was given after all."""
        with self._lock:
            if not waiter.admitted:
                self._waiting.remove(waiter)
            return waiter.admitted

    def _release(self, tenant: Hashable) -> None:
        with self._lock:
            self._running[tenant] -= 1
            if not self._running[tenant]:
                del self._running[tenant]
            ready = [waiter for waiter in self._waiting if self._has_room(waiter.tenant)]
            if ready:
                # The first of equals: `min` keeps the order in which they came.
                first = min(ready, key=lambda waiter: self._running[waiter.tenant])
                self._waiting.remove(first)
                self._running[first.tenant] += 1
                first.wake_up()

    def _has_room(self, tenant: Hashable) -> bool:
        return self._running.total() < self._total and self._running[tenant] < self._per_tenant

    def _refusal(self, tenant: Hashable) -> Exception:
        if self._running[tenant] >= self._per_tenant:
            return TooMany(
                f"This tenant has {self._per_tenant} {self._noun} under way, the most at once; try again"
                " shortly.",
                code=self._code,
            )
        return Unavailable(f"Too many {self._noun} are under way; try again shortly.", code="busy")
