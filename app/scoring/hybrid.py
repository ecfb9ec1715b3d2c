"""Four scores as one, each part kept so that an answer can show why (requirement 9.4)."""

from collections.abc import Sequence
from typing import NamedTuple

WEIGHTS = (0.5, 0.2, 0.1, 0.2)
"""Weights of the parts, in the order in which requirement 9.4 names them."""


class Hybrid(NamedTuple):
    """The parts of a hybrid score, each in [0, 1] and not yet weighted."""

    text_overlap: float
    graph_distance: float
    temporal: float
    reference: float

    def score(self, weights: Sequence[float] = WEIGHTS) -> float:
        """In [0, 1]: the parts by their weights, of which the ratio counts; one at least is above 0."""
        return sum(weight * part for weight, part in zip(weights, self, strict=True)) / sum(weights)

    @property
    def breakdown(self) -> dict[str, float]:
        """Each part by its name."""
        return self._asdict()
