"""The numbers that retrieval goes by in a space: the platform's where the space sets none of its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from app.db.session import SpaceSession
from app.graph.bounds import Bounds, bounds_of
from app.scoring.relevance import FactWeights
from app.settings import Settings
from app.spaces import service as spaces


@dataclass(frozen=True, slots=True)
class Tuning:
    """What a question enters by, how far it goes, how results are scored, how long an answer is kept.

    `hybrid_weights` are those of text overlap, graph distance, time and references (requirement 9.4);
    `single_valued` has the relation types of which a node has one value.
    """

    bounds: Bounds
    similar_anchors: int
    anchor_similarity: float
    hybrid_weights: Sequence[float]
    fact_weights: FactWeights
    answer_cache_seconds: float
    single_valued: Sequence[str]


def tuning_of(space: SpaceSession, settings: Settings) -> Tuning:
    """The numbers of the open space (requirements 9.1, 9.4, 9.6). No statement: its settings came with the door."""
    own = spaces.settings_of(space)
    return Tuning(
        bounds_of(space, settings),
        own.chosen(settings, "similar_anchors"),
        own.chosen(settings, "anchor_similarity"),
        own.chosen(settings, "hybrid_weights"),
        FactWeights(
            own.chosen(settings, "fact_source_weights"),
            own.chosen(settings, "fact_decay"),
            timedelta(days=own.chosen(settings, "fact_grace_days")),
            own.chosen(settings, "fact_usage_boost"),
            own.chosen(settings, "fact_confirmed_weight"),
        ),
        own.chosen(settings, "answer_cache_seconds"),
        own.single_valued_relations,
    )
