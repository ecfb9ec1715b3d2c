"""How much else refers to a result (requirement 9.4)."""

HALF_COUNT = 3
"""References that give one half: as many mentions as make a node established (requirement 3.3)."""


def reference(count: int, *, half_count: int = HALF_COUNT) -> float:
    """In [0, 1): 0 without any reference, one half at `half_count`, nearing 1 as they become many."""
    return max(count, 0) / (max(count, 0) + half_count)
