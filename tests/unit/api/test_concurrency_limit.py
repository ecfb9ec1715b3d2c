"""Limits of what runs at once: a tenant's own share, the whole, who comes next, and what is given back."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from app.errors import TooMany, Unavailable
from app.http.concurrency_limit import ConcurrencyLimit


def make(total: int, per_tenant: int, wait: float = 0.05) -> ConcurrencyLimit:
    return ConcurrencyLimit(total, per_tenant, wait_seconds=wait, code="too_many_requests", noun="requests")


def run(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(work())


class Held:
    """Slots that are taken until they are let go of, one by one."""

    def __init__(self, limit: ConcurrencyLimit) -> None:
        self.limit = limit
        self.order: list[str] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._free: list[asyncio.Event] = []

    async def take(self, tenant: str) -> None:
        free = asyncio.Event()
        self._free.append(free)
        self._tasks.append(asyncio.create_task(self._hold(tenant, free)))
        await asyncio.sleep(0)

    async def _hold(self, tenant: str, free: asyncio.Event) -> None:
        async with self.limit.occupy_slot(tenant):
            self.order.append(tenant)
            await free.wait()

    async def release(self, place: int) -> None:
        self._free[place].set()
        for _ in range(5):
            await asyncio.sleep(0)

    async def finish(self) -> None:
        for event in self._free:
            event.set()
        await asyncio.gather(*self._tasks)


def test_a_tenant_over_its_share_is_refused_while_another_gets_a_place() -> None:
    async def work() -> None:
        held = Held(make(3, 2))
        await held.take("a")
        await held.take("a")
        with pytest.raises(TooMany) as refused:
            async with held.limit.occupy_slot("a"):
                raise AssertionError
        assert (refused.value.status, refused.value.code) == (429, "too_many_requests")
        async with held.limit.occupy_slot("b"):
            pass
        await held.finish()

    run(work)


def test_where_all_places_are_taken_by_others_it_is_the_service_that_is_busy() -> None:
    async def work() -> None:
        held = Held(make(2, 1))
        await held.take("a")
        await held.take("b")
        with pytest.raises(Unavailable) as refused:
            async with held.limit.occupy_slot("c"):
                raise AssertionError
        assert (refused.value.status, refused.value.code) == (503, "busy")
        await held.finish()

    run(work)


def test_a_free_place_goes_to_the_tenant_that_has_the_fewest() -> None:
    async def work() -> None:
        held = Held(make(2, 2, wait=5))
        for tenant in ("a", "a", "a", "a", "b"):
            await held.take(tenant)
        assert held.order == ["a", "a"]
        await held.release(0)
        assert held.order == ["a", "a", "b"]
        await held.finish()

    run(work)


def test_a_place_is_given_back_after_errors_refusals_and_those_who_stop_waiting() -> None:
    async def work() -> None:
        limit = make(1, 1, wait=5)
        with pytest.raises(ValueError, match="own"):
            async with limit.occupy_slot("a"):
                raise ValueError("own")
        held = Held(limit)
        await held.take("a")
        waiting = asyncio.create_task(limit.occupy_slot("a").__aenter__())
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await held.finish()
        async with limit.occupy_slot("b"):
            pass

    run(work)


def test_one_who_is_admitted_and_cancelled_at_once_gives_the_place_back() -> None:
    async def work() -> None:
        limit = make(1, 1, wait=5)
        first = limit.occupy_slot("a")
        await first.__aenter__()
        waiting = asyncio.create_task(limit.occupy_slot("b").__aenter__())
        await asyncio.sleep(0)
        await first.__aexit__(None, None, None)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        async with limit.occupy_slot("c"):
            pass

    run(work)
