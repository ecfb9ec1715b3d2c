"""Working on some items ahead of the one that is wanted, so that waiting for a server overlaps with writing.
Pure.
"""

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_order(
    work: Callable[[Item], Result],
    items: Iterable[Item],
    *,
    at_once: int,
    size: Callable[[Item], int],
    room: int,
    over: threading.Event,
) -> Generator[Result]:
    """`work(item)` for each item, in order; while the caller uses a result, `at_once` others are worked on.

    With one at once there is no thread: an item is begun when its result is wanted. Items in hand have
    together at most `room` of `size`, one at least. However this ends, and it must be closed, `over` is
    then set and no thread is left working.
    """
    if at_once == 1:
        yield from map(work, items)
        return
    ahead: deque[tuple[Future[Result], int]] = deque()
    with ThreadPoolExecutor(at_once, thread_name_prefix="ahead") as threads:
        try:
            for item in items:
                own = size(item)
                while ahead and sum(taken for _, taken in ahead) + own > room:
                    yield ahead.popleft()[0].result()
                context = copy_context()
                ahead.append((threads.submit(context.run, work, item), own))
                if len(ahead) > at_once:
                    yield ahead.popleft()[0].result()
            while ahead:
                yield ahead.popleft()[0].result()
        finally:
            over.set()
            for future, _ in ahead:
                future.cancel()
