"""Where one request reads: on one replica until that fails, and never there again once it has read the
primary.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TypeVar

Value = TypeVar("Value")


@dataclass(eq=False)
class ReadRoute:
    """The way of one request's reads.

    `replica` is the one that it began to read, `needed` the position that the replica must have replayed, by
    owner. A replica is behind the primary, so a request that saw the primary would see the past there: once
    `primary` is set it stays. `failed` says that a read on the replica did not come to its end.
    """

    replica: int | None = None
    primary: bool = False
    failed: bool = False
    needed: dict[str, int] = field(default_factory=dict)

    def use_primary(self) -> None:
        """Read the primary from here on."""
        self.replica, self.primary = None, True


_route: ContextVar[ReadRoute | None] = ContextVar("read_route", default=None)


def get_current_route() -> ReadRoute | None:
    """The way of this request's reads; None where no door has begun one: then the primary is read."""
    return _route.get()


@contextmanager
def route_reads(*, primary: bool = False) -> Iterator[ReadRoute]:
    """Let the reading sessions inside go to a replica where one is fresh enough; to none with `primary`."""
    route = ReadRoute(primary=primary)
    token = _route.set(route)
    try:
        yield route
    finally:
        _route.reset(token)


def retry_on_primary(work: Callable[[], Value]) -> Value:
    """The result of work that only reads, done once more on the primary where a replica failed it."""
    try:
        return work()
    except Exception:
        route = get_current_route()
        if route is None or not route.failed or route.primary:
            raise
        route.use_primary()
    return work()
