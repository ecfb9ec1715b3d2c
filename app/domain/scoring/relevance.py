"""The relevance of a fact at query time: its confidence, source, age and use (requirement 9.4)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import log10, prod
from typing import NamedTuple

SOURCE_WEIGHTS: Mapping[str, float] = {"user_edit": 2.0, "file": 1.5, "system": 1.2, "conversation": 1.0}
"""Factor for each source kind of the document (requirement 9.4)."""
UNKNOWN_SOURCE_WEIGHT = 1.0
"""Factor if the document was deleted (requirement 2.4 keeps its edges)."""
DECAY_PER_WEEK = 0.05
"""Share lost per week without access (requirement 9.4)."""
GRACE_PERIOD = timedelta(weeks=1)
"""Time after the last access without decay (requirement 9.4)."""
USAGE_FACTOR = 0.5
"""Added for each factor of ten in the number of accesses (requirement 9.4)."""
CONFIRMED_WEIGHT = 1.2
"""Factor of a confirmed edge; every other status has 1 (requirement 9.4)."""
_WEEK = timedelta(weeks=1)


@dataclass(frozen=True, slots=True)
class FactWeights:
    """The factors of a fact's score; the defaults are those of requirement 9.4.

    `sources` by source kind, `decay` the share lost per week after the `grace` period (0 to 1), `usage` the
    addition for each factor of ten in accesses, `confirmed` the factor of a confirmed edge.
    """

    sources: Mapping[str, float] = field(default_factory=lambda: SOURCE_WEIGHTS)
    decay: float = DECAY_PER_WEEK
    grace: timedelta = GRACE_PERIOD
    usage: float = USAGE_FACTOR
    confirmed: float = CONFIRMED_WEIGHT


DEFAULT_WEIGHTS = FactWeights()


class Relevance(NamedTuple):
    """A fact's score, which may exceed 1, and the factors whose product it is, by name."""

    score: float
    breakdown: dict[str, float]


def score_fact_relevance(
    *,
    confidence: float,
    source_kind: str | None,
    status: str,
    last_accessed_at: datetime,
    accesses: int,
    now: datetime,
    weights: FactWeights = DEFAULT_WEIGHTS,
) -> Relevance:
    """Return the score of a fact (requirement 9.4); without accesses, `last_accessed_at` is its creation."""
    factors = {
        "confidence": confidence,
        "source": weights.sources.get(source_kind or "", UNKNOWN_SOURCE_WEIGHT),
        "decay": compute_access_age_decay(last_accessed_at, now=now, weights=weights),
        "usage": compute_usage_boost(accesses, factor=weights.usage),
        "status": weights.confirmed if status == "confirmed" else 1.0,
    }
    return Relevance(prod(factors.values()), factors)


def compute_access_age_decay(
    last_accessed_at: datetime, *, now: datetime, weights: FactWeights = DEFAULT_WEIGHTS
) -> float:
    """Return a factor in [0, 1]: 1 within a week of the last access, then 5 % less per week, by default."""
    weeks = (now - last_accessed_at - weights.grace) / _WEEK
    return 1.0 if weeks <= 0 else float((1 - weights.decay) ** weeks)


def compute_usage_boost(accesses: int, *, factor: float = USAGE_FACTOR) -> float:
    """Return 1 + 0.5·log10(accesses + 1): by default 1 for none, 1.5 for nine, 2 for ninety-nine."""
    return 1 + factor * log10(max(accesses, 0) + 1)
