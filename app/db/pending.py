"""Results of statements that were sent and whose answers nobody has waited for yet."""

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")


class Pending(Generic[T]):
    """One result to come. Others may be asked for meanwhile, within `OpenSession.pipelined`."""

    def __init__(self, read: Callable[[], T]) -> None:
        """`read` waits for the answer; it is called once at most."""
        self._read = read

    @classmethod
    def of(cls, value: T) -> "Pending[T]":
        """A result that is there already, where nothing had to be asked."""
        return cls(lambda: value)

    def then(self, make: Callable[[T], R]) -> "Pending[R]":
        """Make something of the result by `make`, once somebody waits for it."""
        return Pending(lambda: make(self.result()))

    def result(self) -> T:
        """The result. Waits for it; raises what its statement raised."""
        return self._read()
