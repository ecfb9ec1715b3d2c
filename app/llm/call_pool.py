"""Run model calls in parallel in one bounded thread pool. No task holds a transaction while it waits."""

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextvars import copy_context
from typing import TypeVar

from app.llm.errors import Parked

Item = TypeVar("Item")
Result = TypeVar("Result")


class CallPool:
    """Runs at most `parallel` calls at once for all its users. Threads start when they are needed."""

    def __init__(self, parallel: int) -> None:
        self.parallel = parallel
        self._executor: ThreadPoolExecutor | None = None
        self._pid = os.getpid()
        self._lock = threading.Lock()

    def map(self, function: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        """Return the result of each item, in order; a single item runs in the caller's thread.

        After the first exception, calls that have not begun are cancelled and running ones are waited for,
        since they are paid for. If there are several exceptions, one that is not Parked is raised: a Parked
        may be only its consequence.
        """
        if len(items) <= 1:
            return [function(item) for item in items]
        # Each call gets a copy of the caller's context, so that its log lines name the job.
        contexts = [copy_context() for _ in items]
        futures = [
            self._get_executor().submit(context.run, function, item)
            for context, item in zip(contexts, items, strict=True)
        ]
        wait(futures, return_when=FIRST_EXCEPTION)
        for future in futures:
            future.cancel()
        wait(futures)
        errors = [future.exception() for future in futures if not future.cancelled()]
        raised_errors = sorted(
            (error for error in errors if error), key=lambda error: isinstance(error, Parked)
        )
        if raised_errors:
            raise raised_errors[0]
        return [future.result() for future in futures]

    def _get_executor(self) -> ThreadPoolExecutor:
        with self._lock:
            if self._executor is None or self._pid != os.getpid():
                # Threads do not survive a fork: the child creates its own pool (rule J10).
                self._executor = ThreadPoolExecutor(self.parallel, thread_name_prefix="model-call")
                self._pid = os.getpid()
            return self._executor

    def close(self) -> None:
        """Cancel calls that have not begun and wait for the rest."""
        with self._lock:
            if self._executor is not None and self._pid == os.getpid():
                self._executor.shutdown(cancel_futures=True)
            self._executor = None
