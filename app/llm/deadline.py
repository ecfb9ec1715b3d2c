"""A wall-clock deadline for a whole HTTP call: name look-up aside, nothing outlasts it.

The usual time-outs are per read: a server that drips a byte a second holds a call for ever. Here each
operation on the socket, from connecting to the last byte, is given what is left of the call's time.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_ends: ContextVar[float | None] = ContextVar("model_call_ends", default=None)
_abandoned: ContextVar[threading.Event | None] = ContextVar("model_call_abandoned", default=None)


class CallAbandoned(BaseException):
    """Whoever asked has gone: the call ends, and nothing tries it again or takes it for a fault of the
    server.
    """


@contextmanager
def abandon_when_set(abandoned: threading.Event) -> Iterator[None]:
    """Calls made inside, also in threads that copy this context, end soon after the event is set:
    CallAbandoned.
    """
    token = _abandoned.set(abandoned)
    try:
        yield
    finally:
        _abandoned.reset(token)


@contextmanager
def limit_seconds(seconds: float) -> Iterator[None]:
    """Calls made inside, in this thread, end within so many seconds, and within those of a deadline around
    this one.
    """
    ends, outer_end = time.monotonic() + seconds, _ends.get()
    token = _ends.set(ends if outer_end is None else min(ends, outer_end))
    try:
        yield
    finally:
        _ends.reset(token)


def raise_if_abandoned() -> None:
    """Raises CallAbandoned where nobody waits for this work any more."""
    abandoned = _abandoned.get()
    if abandoned is not None and abandoned.is_set():
        raise CallAbandoned


def is_abandonable() -> bool:
    """True for a call that somebody may give up waiting for."""
    return _abandoned.get() is not None


def get_seconds_left(timeout: float | None, error: type[Exception]) -> float | None:
    """The shorter of the time-out and what is left of the call's time. Raises `error` where nothing is."""
    ends = _ends.get()
    if ends is None:
        return timeout
    remaining = ends - time.monotonic()
    if remaining <= 0:
        raise error("The call's time is over.")
    return remaining if timeout is None else min(remaining, timeout)
