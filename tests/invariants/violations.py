"""What a check raises where an invariant does not hold, and a door that does not do an act."""


class Violation(AssertionError):
    """An invariant does not hold; the message says of what, with both sides."""


class Refused(Exception):
    """A door refused an act, with the code of the API."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code


class OutOfTime(Exception):
    """The database had no time for what was asked, each time: it says more of the machine than of an act."""


def expect(holds: object, message: str) -> None:
    """Raise Violation with the message unless it holds."""
    if not holds:
        raise Violation(message)


def expect_equal(left: object, right: object, message: str) -> None:
    """Raise Violation with what differs unless both are equal."""
    if left == right:
        return
    if isinstance(left, list | tuple | set | frozenset) and isinstance(right, type(left)):
        only_left = [value for value in left if value not in right][:3]
        only_right = [value for value in right if value not in left][:3]
        if isinstance(left, list) and len(left) == len(right) and not only_left and not only_right:
            raise Violation(f"{message}, in another order: {list(left)[:8]!r} and {list(right)[:8]!r}")
        raise Violation(
            f"{message}: {len(left)} and {len(right)}; only left: {only_left}; only right: {only_right}"
        )
    raise Violation(f"{message}: {left!r} and {right!r}")
