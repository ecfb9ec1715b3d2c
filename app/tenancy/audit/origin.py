"""The actor of the current call: set at the entry point, and read where an action is recorded."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from app.tenancy.audit.shapes import Origin

_NO_ORIGIN = Origin()
_origin: ContextVar[Origin | None] = ContextVar("origin", default=None)


def get_current_origin() -> Origin:
    """Return who acts now; an unknown actor if no entry point has set one."""
    return _origin.get() or _NO_ORIGIN


@contextmanager
def record_with_origin(origin: Origin) -> Iterator[None]:
    """Set the actor of everything that is recorded within the block."""
    token = _origin.set(origin)
    try:
        yield
    finally:
        _origin.reset(token)
