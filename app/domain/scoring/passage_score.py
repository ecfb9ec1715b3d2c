"""Four scores as one, each part kept so that an answer can show why, and those of them that are no comparison
of texts (requirement 9.4).
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

WEIGHTS = (0.5, 0.2, 0.1, 0.2)
"""Weights of the parts, in the order in which requirement 9.4 names them."""

HALF_LIFE = timedelta(days=30)
"""Age at which half of the weight is left; requirement 9.4 names the weight and leaves its scale open."""
HALF_COUNT = 3
"""References that give one half: as many mentions as make a node established (requirement 3.3)."""


class Hybrid(NamedTuple):
    """The parts of a hybrid score, each in [0, 1] and not yet weighted."""

    text_overlap: float
    graph_distance: float
    temporal: float
    reference: float

    def weighted_score(self, weights: Sequence[float] = WEIGHTS) -> float:
        """In [0, 1]: the parts by their weights, of which the ratio counts; one at least is above 0."""
        return sum(weight * part for weight, part in zip(weights, self, strict=True)) / sum(weights)

    @property
    def breakdown(self) -> dict[str, float]:
        """Each part by its name."""
        return self._asdict()


def graph_distance_score(hops: int | None) -> float:
    """1 at an anchor, 1/2 one hop away, 1/3 two; 0 for what no walk reached (None).

    The same measure as a neighborhood's distance score (requirement 8.1).
    """
    return 0.0 if hops is None else 1 / (1 + hops)


def recency_score(last_seen_at: datetime | None, *, now: datetime, half_life: timedelta = HALF_LIFE) -> float:
    """1.0 for something seen now or later, halving every `half_life`; 0 for what was never seen (None)."""
    if last_seen_at is None:
        return 0.0
    age = (now - last_seen_at) / half_life
    return 1.0 if age <= 0 else float(0.5**age)


def reference_count_score(count: int, *, half_count: int = HALF_COUNT) -> float:
    """In [0, 1): 0 without any reference, one half at `half_count`, nearing 1 as they become many."""
    return max(count, 0) / (max(count, 0) + half_count)
