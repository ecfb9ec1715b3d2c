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

    def chosen(name: str) -> float:
        value = getattr(own, name)
        return float(getattr(settings, name) if value is None else value)

    return Tuning(
        bounds_of(space, settings),
        int(chosen("similar_anchors")),
        chosen("anchor_similarity"),
        settings.hybrid_weights if own.hybrid_weights is None else own.hybrid_weights,
        FactWeights(
            settings.fact_source_weights if own.fact_source_weights is None else own.fact_source_weights,
            chosen("fact_decay"),
            timedelta(days=chosen("fact_grace_days")),
            chosen("fact_usage_boost"),
            chosen("fact_confirmed_weight"),
        ),
        chosen("answer_cache_seconds"),
        own.single_valued_relations,
    )
