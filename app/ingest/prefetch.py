"""Prefetching: process the next items in threads, so that waiting for a server overlaps with writing.
Pure.
"""

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

_POLL_SECONDS = 0.5


def map_ahead_in_order(
    process: Callable[[Item], Result],
    items: Iterable[Item],
    *,
    concurrency: int,
    measure_size: Callable[[Item], int],
    max_total_size: int,
    ended_event: threading.Event,
    while_waiting: Callable[[], None] = lambda: None,
) -> Generator[Result]:
    """Yield `work(item)` for each item, in order, while `concurrency` further items are processed in threads.

    With `concurrency` 1 there is no thread: an item is processed when its result is requested, and neither
    `ended_event` nor `while_waiting` is used. The sizes of the items being processed sum up to at most
    `max_total_size`, unless a single one is larger. `while_waiting` is called twice a second while a result
    is waited for. When the generator ends or is closed, which the caller must do, `ended_event` is set and no
    thread is left running.
    """
    if concurrency == 1:
        yield from map(process, items)
        return
    pending_results: deque[tuple[Future[Result], int]] = deque()
    with ThreadPoolExecutor(concurrency, thread_name_prefix="ahead") as threads:
        try:
            for item in items:
                item_size = measure_size(item)
                while (
                    pending_results
                    and sum(pending_size for _, pending_size in pending_results) + item_size > max_total_size
                ):
                    yield _wait_for_result(pending_results.popleft()[0], while_waiting)
                context = copy_context()
                pending_results.append((threads.submit(context.run, process, item), item_size))
                if len(pending_results) > concurrency:
                    yield _wait_for_result(pending_results.popleft()[0], while_waiting)
            while pending_results:
                yield _wait_for_result(pending_results.popleft()[0], while_waiting)
        finally:
            ended_event.set()
            for future, _ in pending_results:
                future.cancel()


def _wait_for_result(future: Future[Result], while_waiting: Callable[[], None]) -> Result:
    while not wait([future], timeout=_POLL_SECONDS).done:
        while_waiting()
    return future.result()
