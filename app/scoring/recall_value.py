"""What a chunk or an edge has been worth to those who asked: what eviction spares (requirement 12.1)."""

from datetime import datetime, timedelta
from math import log

from app.scoring.temporal import temporal

COUNT_WEIGHT, AVERAGE_WEIGHT, RECENCY_WEIGHT = 0.3, 0.5, 0.2
"""Shares of how often, how well and how lately it was recalled (requirement 12.1)."""
RECENCY_HALF_LIFE = timedelta(days=30)
"""Age of the last recall that halves its recency; requirement 12.1 leaves the scale open."""


def recall_value(
    count: int, total_score: float, last_recalled_at: datetime | None, *, now: datetime
) -> float:
    """ln(1 + count) × 0.3 + average score × 0.5 + recency × 0.2 (requirement 12.1).

    At least 0, and 0 for what was never recalled; without a bound above, as the count has none.
    """
    if count <= 0:
        return 0.0
    recency = temporal(last_recalled_at, now=now, half_life=RECENCY_HALF_LIFE)
    return COUNT_WEIGHT * log(1 + count) + AVERAGE_WEIGHT * total_score / count + RECENCY_WEIGHT * recency
