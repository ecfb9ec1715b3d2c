"""Combine four scores into one, keeping the parts for display, and compute three of them
(requirement 9.4).
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

PART_WEIGHTS = (0.5, 0.2, 0.1, 0.2)
"""Weights of the parts, in the order of requirement 9.4."""

HALF_LIFE = timedelta(days=30)
"""Age at which the recency is one half; requirement 9.4 does not specify it."""
HALF_COUNT = 3
"""Number of references that score one half: the mentions that make a node established (requirement 3.3)."""


class Hybrid(NamedTuple):
    """The parts of a hybrid score, each in [0, 1] and unweighted."""

    text_overlap: float
    graph_distance: float
    temporal: float
    reference: float

    def weighted_score(self, weights: Sequence[float] = PART_WEIGHTS) -> float:
        """Return the weighted mean of the parts, in [0, 1]; at least one weight must be above 0."""
        return sum(weight * score for weight, score in zip(weights, self, strict=True)) / sum(weights)

    @property
    def breakdown(self) -> dict[str, float]:
        """The parts by name."""
        return self._asdict()


def compute_graph_distance_score(hops: int | None) -> float:
    """Return 1 at an anchor, 1/2 at one hop, 1/3 at two; 0 if not reached (None).

    It is the same measure as a neighbourhood's distance score (requirement 8.1).
    """
    return 0.0 if hops is None else 1 / (1 + hops)


def compute_recency_score(last_seen_at: datetime | None, *, now: datetime) -> float:
    """Return 1.0 for a time that is now or later, halving every `HALF_LIFE`; 0 for None."""
    if last_seen_at is None:
        return 0.0
    age = (now - last_seen_at) / HALF_LIFE
    return 1.0 if age <= 0 else float(0.5**age)


def compute_reference_count_score(count: int, *, half_count: int = HALF_COUNT) -> float:
    """Return a score in [0, 1): 0 without references, one half at `half_count`, approaching 1 for many."""
    return max(count, 0) / (max(count, 0) + half_count)
