"""A wall-clock deadline for a whole HTTP call; only name resolution may exceed it.

Ordinary timeouts apply to a single read: a server that sends one byte a second can hold a call forever. Here
each socket operation, from connecting to the last byte, gets only what is left of the call's time.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_deadline: ContextVar[float | None] = ContextVar("model_call_ends", default=None)
_abandoned_event: ContextVar[threading.Event | None] = ContextVar("model_call_abandoned", default=None)


class CallAbandoned(BaseException):
    """The caller has given up: the call ends, is not retried, and does not count as a server failure."""


@contextmanager
def abandon_when_set(abandoned_event: threading.Event) -> Iterator[None]:
    """Make calls inside the block raise CallAbandoned soon after the event is set.

    This applies also to calls in threads that copy this context.
    """
    reset_token = _abandoned_event.set(abandoned_event)
    try:
        yield
    finally:
        _abandoned_event.reset(reset_token)


@contextmanager
def limit_seconds(seconds: float) -> Iterator[None]:
    """Make calls inside the block, in this thread, end within `seconds` and within any outer deadline."""
    deadline, outer_deadline = time.monotonic() + seconds, _deadline.get()
    reset_token = _deadline.set(deadline if outer_deadline is None else min(deadline, outer_deadline))
    try:
        yield
    finally:
        _deadline.reset(reset_token)


def raise_if_abandoned() -> None:
    """Raise CallAbandoned if the caller has given up."""
    abandoned_event = _abandoned_event.get()
    if abandoned_event is not None and abandoned_event.is_set():
        raise CallAbandoned


def may_caller_give_up() -> bool:
    """Return whether the caller of this work may give up on it."""
    return _abandoned_event.get() is not None


def get_seconds_left_or_raise(timeout: float | None, error: type[Exception]) -> float | None:
    """Return the smaller of `timeout` and the call's remaining time. Raises `error` if none is left."""
    deadline = _deadline.get()
    if deadline is None:
        return timeout
    seconds_left = deadline - time.monotonic()
    if seconds_left <= 0:
        raise error("The call's time has run out.")
    return seconds_left if timeout is None else min(seconds_left, timeout)
