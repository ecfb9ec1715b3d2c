"""Numbers as people read them, for commands and pages. Pure."""


def counted(value: int, noun: str, plural: str = "") -> str:
    """A number with what it counts: 1 node, 2,996 nodes; `plural` where it is not made by an s."""
    return f"{value:,} {noun if value == 1 else plural or noun + 's'}"


def percent(share: float) -> str:
    """A share of 1 in per cent, with one place where it is not whole: 12.5%, 100%."""
    return f"{100 * share:.1f}".removesuffix(".0") + "%"
