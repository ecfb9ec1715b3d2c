"""Work for a caller who may hang up: a model call that nobody waits for is ended instead of paid for."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

import anyio
from starlette.requests import ClientDisconnect, Request

from app.http.concurrency_limit import ConcurrencyLimit
from app.llm.deadline import CallAbandoned, abandon_when_set

Value = TypeVar("Value")


def start_abandonable_work(
    bulkhead: ConcurrencyLimit, work: Callable[[], Value], abandoned_event: threading.Event
) -> asyncio.Task[Value]:
    """Start the work on one of the bulkhead's threads; model calls end soon after `abandoned_event`
    is set.
    """
    with abandon_when_set(abandoned_event):
        # The task and its thread copy the current context.
        return asyncio.create_task(bulkhead.run_in_slot(work))


async def wait_for_abandoned_work(task: asyncio.Task[Value], abandoned_event: threading.Event) -> None:
    """Wait for the end of abandoned work, which occupies its thread and its slot until then."""
    abandoned_event.set()
    with anyio.CancelScope(shield=True):
        await asyncio.wait({task})
    with suppress(asyncio.CancelledError, CallAbandoned):
        # Read the exception, so that asyncio does not log it as never retrieved.
        task.exception()


async def run_unless_hung_up(
    request: Request, bulkhead: ConcurrencyLimit, work: Callable[[], Value]
) -> Value:
    """Return the result of `work`. Raises ClientDisconnect, after the work has ended, if the caller hangs up
    first.
    """
    abandoned_event = threading.Event()
    task = start_abandonable_work(bulkhead, work, abandoned_event)
    hang_up_task = asyncio.create_task(_wait_for_disconnect(request))
    try:
        await asyncio.wait({task, hang_up_task}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
    finally:
        hang_up_task.cancel()
        await wait_for_abandoned_work(task, abandoned_event)
    raise ClientDisconnect


async def _wait_for_disconnect(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
