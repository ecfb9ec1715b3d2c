"""Who acts: said once by the door for all that it calls, and read where an act is recorded."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from app.tenancy.audit.shapes import Origin

_NOBODY = Origin()
_origin: ContextVar[Origin | None] = ContextVar("origin", default=None)


def current_origin() -> Origin:
    """Who acts at the moment; nobody that is known where no door has said so."""
    return _origin.get() or _NOBODY


@contextmanager
def recording_as(origin: Origin) -> Iterator[None]:
    """Let what is recorded inside be by them."""
    token = _origin.set(origin)
    try:
        yield
    finally:
        _origin.reset(token)
