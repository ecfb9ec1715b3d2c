"""The numbers that retrieval goes by in a space: the platform's where the space sets none of its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from app.db.session import SpaceSession
from app.scoring.relevance import FactWeights


@dataclass(frozen=True, slots=True)
class RetrievalSettings:
    """The numbers of a question: where it enters, how far it goes, how results score, how long answers keep.

    `hybrid_weights` are those of text overlap, graph distance, time and references (requirement 9.4).
    """

    promotion_threshold: int
    similar_anchors: int
    anchor_similarity: float
    hybrid_weights: Sequence[float]
    fact_weights: FactWeights
    answer_cache_seconds: float


def retrieval_settings(space: SpaceSession) -> RetrievalSettings:
    """The numbers of the open space (requirements 9.1, 9.4, 9.6). No statement: its settings came with the
    door.
    """
    own = space.settings
    return RetrievalSettings(
        own.promotion_threshold,
        own.similar_anchors,
        own.anchor_similarity,
        own.hybrid_weights,
        FactWeights(
            own.fact_source_weights,
            own.fact_decay,
            timedelta(days=own.fact_grace_days),
            own.fact_usage_boost,
            own.fact_confirmed_weight,
        ),
        own.answer_cache_seconds,
    )
