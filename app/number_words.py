"""Numbers as people read them, for commands and pages. Pure."""

import math


def counted(value: int, noun: str, plural: str = "") -> str:
    """A number with what it counts: 1 node, 2,996 nodes; `plural` where it is not made by an s."""
    return f"{value:,} {noun if value == 1 else plural or noun + 's'}"


def percent(share: float) -> str:
    """A share of 1 in per cent, with one place where it is not whole: 12.5%, 100%."""
    return f"{100 * share:.1f}".removesuffix(".0") + "%"


def dollars(amount: float) -> str:
    """US dollars with their cents; of less than one, at least three digits that say something: 0.0000125."""
    if not amount or abs(amount) >= 1:
        return f"{amount:,.2f}"
    return f"{amount:.{max(4, 2 - math.floor(math.log10(abs(amount))))}f}"
