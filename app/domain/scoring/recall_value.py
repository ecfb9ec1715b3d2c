"""The value of a chunk or an edge to callers, which eviction considers (requirement 12.1)."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from math import log

from app.domain.scoring.passage_score import compute_recency_score


@dataclass(frozen=True, slots=True)
class RecallWeights:
    """Weights of the count, score and recency of recalls; the defaults are those of requirement 12.1.

    `half_life` is the age of the last recall at which its recency is one half; the requirement does not
    specify it.
    """

    count: float = 0.3
    average: float = 0.5
    recency: float = 0.2
    half_life: timedelta = timedelta(days=30)


DEFAULT_WEIGHTS = RecallWeights()


def recall_value(
    count: int,
    total_score: float,
    last_recalled_at: datetime | None,
    *,
    now: datetime,
    weights: RecallWeights = DEFAULT_WEIGHTS,
) -> float:
    """Return by default ln(1 + count) × 0.3 + average score × 0.5 + recency × 0.2 (requirement 12.1).

    It is at least 0, 0 without recalls, and unbounded like the count.
    """
    if count <= 0:
        return 0.0
    recency = compute_recency_score(last_recalled_at, now=now, half_life=weights.half_life)
    frequency, average_score = log(1 + count), total_score / count
    return weights.count * frequency + weights.average * average_score + weights.recency * recency
