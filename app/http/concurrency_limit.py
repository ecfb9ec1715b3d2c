"""Limits on concurrent work, in total and for each tenant, so that no tenant waits for what another one uses.

A slot is acquired in the event loop, and waiting for it uses no thread and no connection.
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
    tenant_id: Hashable
    loop: asyncio.AbstractEventLoop
    is_admitted: bool = False
    turn: asyncio.Event = field(default_factory=asyncio.Event)

    def admit(self) -> None:
        self.is_admitted = True
        # A waiter whose event loop has ended no longer waits.
        with suppress(RuntimeError):
            self.loop.call_soon_threadsafe(self.turn.set)


class ConcurrencyLimit:
    """Allows at most `total` calls at once, and `per_tenant` of one tenant, on threads of its own.

    If no slot is free, callers wait up to `wait_seconds`. A free slot goes to the tenant that has the fewest;
    among equals, to the one that came first. `code` and `noun` name what is limited in the refusals.
    """

    def __init__(self, total: int, per_tenant: int, *, wait_seconds: float, code: str, noun: str) -> None:
        self._total = total
        self._per_tenant = min(per_tenant, total)
        self._wait_seconds = wait_seconds
        self._code, self._noun = code, noun
        self._running_counts: Counter[Hashable] = Counter()
        self._waiters: list[_Waiter] = []
        # Several event loops may share an application, for example those of test clients.
        self._lock = threading.Lock()
        self._threads = anyio.CapacityLimiter(total)

    @asynccontextmanager
    async def occupy_slot(self, tenant_id: Hashable) -> AsyncIterator[None]:
        """Hold a slot of the tenant. Raises TooMany if the tenant has all of its slots in use, Unavailable if
        all slots are.
        """
        await self._acquire_slot(tenant_id)
        try:
            yield
        finally:
            self._release_slot_and_admit_next(tenant_id)

    async def run_in_slot(self, work: Callable[[], Value]) -> Value:
        """Return the result of `work`, run on one of the threads. Call it while holding a slot."""
        return await run_sync(work, limiter=self._threads)

    async def _acquire_slot(self, tenant_id: Hashable) -> None:
        with self._lock:
            if self._has_room(tenant_id):
                self._running_counts[tenant_id] += 1
                return
            waiter = _Waiter(tenant_id, asyncio.get_running_loop())
            self._waiters.append(waiter)
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._wait_seconds):
                    await waiter.turn.wait()
        except BaseException:
            if self._withdraw_unless_admitted(waiter):
                self._release_slot_and_admit_next(tenant_id)
            raise
        if not self._withdraw_unless_admitted(waiter):
            raise self._build_refusal(tenant_id)

    def _withdraw_unless_admitted(self, waiter: _Waiter) -> bool:
        """Stop waiting; return whether a slot was granted after all."""
        with self._lock:
            if not waiter.is_admitted:
                self._waiters.remove(waiter)
            return waiter.is_admitted

    def _release_slot_and_admit_next(self, tenant_id: Hashable) -> None:
        with self._lock:
            self._running_counts[tenant_id] -= 1
            if not self._running_counts[tenant_id]:
                del self._running_counts[tenant_id]
            ready_waiters = [waiter for waiter in self._waiters if self._has_room(waiter.tenant_id)]
            if ready_waiters:
                # `min` returns the first of equals, so the order of arrival is kept.
                next_waiter = min(ready_waiters, key=lambda waiter: self._running_counts[waiter.tenant_id])
                self._waiters.remove(next_waiter)
                self._running_counts[next_waiter.tenant_id] += 1
                next_waiter.admit()

    def _has_room(self, tenant_id: Hashable) -> bool:
        return (
            self._running_counts.total() < self._total and self._running_counts[tenant_id] < self._per_tenant
        )

    def _build_refusal(self, tenant_id: Hashable) -> Exception:
        if self._running_counts[tenant_id] >= self._per_tenant:
            return TooMany(
                f"This tenant has {self._per_tenant} {self._noun} under way, the most at once; try again"
                " shortly.",
                code=self._code,
            )
        return Unavailable(f"Too many {self._noun} are under way; try again shortly.", code="busy")
