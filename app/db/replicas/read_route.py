"""The read route of a request: one replica until that fails; after a read of the primary only the primary."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TypeVar

Value = TypeVar("Value")


@dataclass(eq=False)
class ReadRoute:
    """The server that one request reads.

    `replica_index` is the one that it reads, `needed_positions` the position that the replica must have
    replayed, by owner. A replica is behind the primary, so a request that has read the primary would see an
    older state there: once `reads_primary` is set it stays set. `has_failed` says that a read on the replica
    was not completed.
    """

    replica_index: int | None = None
    reads_primary: bool = False
    has_failed: bool = False
    needed_positions: dict[str, int] = field(default_factory=dict)

    def use_primary(self) -> None:
        """Read only the primary from now on."""
        self.replica_index, self.reads_primary = None, True


_route: ContextVar[ReadRoute | None] = ContextVar("read_route", default=None)


def get_current_route() -> ReadRoute | None:
    """Return this request's read route; None if none was begun: then the primary is read."""
    return _route.get()


@contextmanager
def route_reads_to_fresh_replica(*, reads_primary: bool = False) -> Iterator[ReadRoute]:
    """Let the block's reading sessions use a replica if one is fresh enough; with `reads_primary`, none."""
    route = ReadRoute(reads_primary=reads_primary)
    token = _route.set(route)
    try:
        yield route
    finally:
        _route.reset(token)


def retry_work_on_primary(work: Callable[[], Value]) -> Value:
    """Return the result of read-only work; run it again on the primary if a replica failed."""
    try:
        return work()
    except Exception:
        route = get_current_route()
        if route is None or not route.has_failed or route.reads_primary:
            raise
        route.use_primary()
    return work()
