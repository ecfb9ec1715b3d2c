"""The value of a chunk or an edge to its callers, by which eviction spares (requirement 12.1)."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from math import log

from app.domain.scoring.passage_score import recency_score


@dataclass(frozen=True, slots=True)
class RecallWeights:
    """Weights of how often, how well and how lately a thing was recalled; defaults are requirement 12.1's.

    `half_life` is the age of the last recall that halves its recency; the requirement leaves its scale open.
    """

    count: float = 0.3
    average: float = 0.5
    recency: float = 0.2
    half_life: timedelta = timedelta(days=30)


DEFAULT = RecallWeights()


def recall_value(
    count: int,
    total_score: float,
    last_recalled_at: datetime | None,
    *,
    now: datetime,
    weights: RecallWeights = DEFAULT,
) -> float:
    """By default ln(1 + count) × 0.3 + average score × 0.5 + recency × 0.2 (requirement 12.1).

    At least 0, and 0 for what was never recalled; without a bound above, as the count has none.
    """
    if count <= 0:
        return 0.0
    recency = recency_score(last_recalled_at, now=now, half_life=weights.half_life)
    often, well = log(1 + count), total_score / count
    return weights.count * often + weights.average * well + weights.recency * recency
