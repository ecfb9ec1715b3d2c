"""The worth of a fact at query time: what was claimed, by whom, how lately it was of use (requirement
9.4).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import log10, prod
from typing import NamedTuple

SOURCE_WEIGHTS: Mapping[str, float] = {"user_edit": 2.0, "file": 1.5, "system": 1.2, "conversation": 1.0}
"""Factor by the source kind of the document (requirement 9.4)."""
UNKNOWN_SOURCE_WEIGHT = 1.0
"""Factor where no document is left to say (requirement 2.4 keeps its edges)."""
DECAY_PER_WEEK = 0.05
"""What a week without access takes away (requirement 9.4)."""
GRACE = timedelta(weeks=1)
"""How long nothing decays after the last access (requirement 9.4)."""
USAGE_FACTOR = 0.5
"""What ten times as many accesses add (requirement 9.4)."""
CONFIRMED_WEIGHT = 1.2
"""Factor of a confirmed edge; every other status has 1 (requirement 9.4)."""
_WEEK = timedelta(weeks=1)


@dataclass(frozen=True, slots=True)
class FactWeights:
    """The factors of a fact's score; the defaults are those of requirement 9.4.

    `sources` by source kind, `decay` is what a week past the `grace` takes away (0 to 1), `usage` what ten
    times as many accesses add, `confirmed` the factor of a confirmed edge.
    """

    sources: Mapping[str, float] = field(default_factory=lambda: SOURCE_WEIGHTS)
    decay: float = DECAY_PER_WEEK
    grace: timedelta = GRACE
    usage: float = USAGE_FACTOR
    confirmed: float = CONFIRMED_WEIGHT


DEFAULT = FactWeights()


class Relevance(NamedTuple):
    """A fact's score, which may pass 1, and the factors whose product it is, each by its name."""

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
    weights: FactWeights = DEFAULT,
) -> Relevance:
    """The score of a fact (requirement 9.4). One never accessed is as old as itself: give its creation."""
    factors = {
        "confidence": confidence,
        "source": weights.sources.get(source_kind or "", UNKNOWN_SOURCE_WEIGHT),
        "decay": access_age_decay(last_accessed_at, now=now, weights=weights),
        "usage": usage_boost(accesses, factor=weights.usage),
        "status": weights.confirmed if status == "confirmed" else 1.0,
    }
    return Relevance(prod(factors.values()), factors)


def access_age_decay(last_accessed_at: datetime, *, now: datetime, weights: FactWeights = DEFAULT) -> float:
    """In [0, 1]: 1 within a week of the last access, then 5 % less with every further week, by default."""
    weeks = (now - last_accessed_at - weights.grace) / _WEEK
    return 1.0 if weeks <= 0 else float((1 - weights.decay) ** weeks)


def usage_boost(accesses: int, *, factor: float = USAGE_FACTOR) -> float:
    """1 + 0.5·log10(accesses + 1): by default 1 for none, 1.5 for nine, 2 for ninety-nine."""
    return 1 + factor * log10(max(accesses, 0) + 1)
