"""Four scores as one, each part kept so that an answer can show why (requirement 9.4)."""

from typing import NamedTuple

TEXT_OVERLAP_WEIGHT, GRAPH_DISTANCE_WEIGHT, TEMPORAL_WEIGHT, REFERENCE_WEIGHT = 0.5, 0.2, 0.1, 0.2
"""Shares of the parts, in the order in which requirement 9.4 names them; together 1."""


class Hybrid(NamedTuple):
    """The parts of a hybrid score, each in [0, 1] and not yet weighted."""

    text_overlap: float
    graph_distance: float
    temporal: float
    reference: float

    @property
    def score(self) -> float:
        """In [0, 1]: the parts by their weights."""
        return (
            TEXT_OVERLAP_WEIGHT * self.text_overlap
            + GRAPH_DISTANCE_WEIGHT * self.graph_distance
            + TEMPORAL_WEIGHT * self.temporal
            + REFERENCE_WEIGHT * self.reference
        )

    @property
    def breakdown(self) -> dict[str, float]:
        """Each part by its name."""
        return self._asdict()
