"""What a space may set for itself; unset means the platform's default (requirement 5)."""

from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from app.settings import HybridWeights, RecallWeights, Settings, SourceWeights, Weight


class Eviction(StrEnum):
    """By what a space gives up chunks (requirement 12.2); `hybrid` is ttl and capacity together."""

    NONE = "none"
    TTL = "ttl"
    CAPACITY = "capacity"
    RECALL_BASED = "recall_based"
    HYBRID = "hybrid"


# The parameters that each policy goes by: it needs them all and takes no other.
EVICTION_PARAMETERS = {
    Eviction.NONE: set[str](),
    Eviction.TTL: {"eviction_ttl_days"},
    Eviction.CAPACITY: {"eviction_max_chunks"},
    Eviction.RECALL_BASED: {"eviction_min_value"},
    Eviction.HYBRID: {"eviction_ttl_days", "eviction_max_chunks"},
}


class AttributeKind(StrEnum):
    """What the values of an attribute are; a date is as exact as its text says: year, month or day."""

    TEXT = "text"
    NUMBER = "number"
    DATE = "date"
    BOOLEAN = "boolean"


KindField = Annotated[AttributeKind, Field(strict=False)]
AttributeName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$")]


class SpaceSettings(BaseModel):
    """Settings of one space, stored in knowledge_space.settings."""

    model_config = ConfigDict(extra="forbid", strict=True)

    extra_node_types: list[str] = Field(
        default_factory=list,
        max_length=100,
        description="Node types beyond the default ones (requirement 3.4).",
    )
    extra_relation_types: list[str] = Field(
        default_factory=list,
        max_length=200,
        description="Relation types beyond the default ones (requirement 5.2).",
    )
    single_valued_relations: list[str] = Field(
        default_factory=list,
        max_length=200,
        description="Relation types of which a node has one value: a second one is shown as contested.",
    )
    supersede_by_date: bool = Field(
        True,
        description="Whether a later dated source ends an earlier dated value of a single-valued relation; "
        "without such relations it does nothing.",
    )
    open_relations: bool = Field(False, description="Keep any verb, in lower snake_case.")
    gleanings: int = Field(
        0,
        ge=0,
        le=3,
        description="Times a model looks again at each chunk for nodes it missed; each may cost half as many calls "
        "again (requirement 5.6).",
    )
    node_attributes: dict[str, Annotated[dict[AttributeName, KindField], Field(max_length=20)]] = Field(
        default_factory=dict,
        max_length=100,
        description="Per node type the attributes that a model looks for, with their kinds (text, number, date, "
        'boolean): {"Person": {"born_on": "date"}}; costs a call more for chunks that name such nodes '
        "(requirement 5.6).",
    )
    min_confidence: float | None = Field(None, ge=0, le=1, description="Drop edges below this.")
    turns_before: int | None = Field(
        None,
        ge=0,
        le=20,
        description="Turns of a conversation that a model reads before one (requirement 5.6).",
    )
    budget_usd: float | None = Field(
        None, ge=0, lt=1e12, description="US dollars that model calls of this space may cost in a month."
    )
    chunk_tokens: int | None = Field(None, ge=32, le=2_000, description="Largest chunk, in model tokens.")
    promotion_threshold: int | None = Field(
        None, ge=1, le=10**9, description="Mentions that make a node established (requirement 3.3)."
    )
    max_tags: int | None = Field(
        None, ge=1, le=8, description="Tags of a node at most, from the next that are set (requirement 11.1)."
    )
    context_tokens: int | None = Field(
        None,
        ge=200,
        le=100_000,
        description="Tokens of passages and facts that one answer may read (requirement 10.1).",
    )
    fan_out: int | None = Field(
        None, ge=1, le=100, description="Strongest edges followed per node and direction (requirement 9.1)."
    )
    max_facts: int | None = Field(
        None, ge=1, le=500, description="Facts in one answer at most (requirement 9.1)."
    )
    similar_anchors: int | None = Field(
        None,
        ge=1,
        le=20,
        description="Nodes at most that a question enters by where it names none (requirement 9.1).",
    )
    anchor_similarity: float | None = Field(
        None, ge=0, le=1, description="Cosine below which such a node's name is not meant (requirement 9.1)."
    )
    hybrid_weights: HybridWeights | None = Field(
        None,
        description="Weights of text overlap, graph distance, time and references in the hybrid score; "
        "their ratio counts (requirement 9.4).",
    )
    fact_source_weights: SourceWeights | None = Field(
        None, description="Factor of a fact's score by the source kind of its document (requirement 9.4)."
    )
    fact_decay: float | None = Field(
        None, ge=0, le=1, description="What a week without access takes of a fact's score (requirement 9.4)."
    )
    fact_grace_days: float | None = Field(
        None,
        ge=0,
        le=36_500,
        description="Days after the last access in which nothing decays (requirement 9.4).",
    )
    fact_usage_boost: Weight | None = Field(
        None, description="What ten times as many accesses add to a fact's factor (requirement 9.4)."
    )
    fact_confirmed_weight: Weight | None = Field(
        None, description="Factor of a confirmed fact (requirement 9.4)."
    )
    answer_cache_seconds: float | None = Field(
        None,
        ge=0,
        le=86_400,
        description="Seconds that an answer is given again to a like query; 0 means never (requirement 9.6).",
    )
    communities: bool | None = Field(None, description="Whether communities are detected after ingests.")
    community_min_weight: float | None = Field(
        None, ge=0, le=1e6, description="Least summed weight of a pair of nodes (requirement 7.1)."
    )
    community_levels: int | None = Field(None, ge=1, le=5, description="Levels of communities at most.")
    community_seed: int | None = Field(None, ge=0, lt=2**31, description="Seed of the detection's choices.")
    summaries: bool | None = Field(
        None, description="Whether summaries of nodes are refreshed after ingests."
    )
    summary_drift_threshold: float | None = Field(
        None,
        ge=0,
        le=2,
        description="Cosine distance up to which a node's facts count as those of its summary, less for many (requirement 6.1).",
    )
    summary_burst_window: float | None = Field(
        None, ge=0, le=86_400, description="Seconds within which episodes make a burst (requirement 6.1)."
    )
    summary_burst_episodes: int | None = Field(
        None, ge=2, le=1_000, description="Episodes that make a burst."
    )
    summary_burst_cap: int | None = Field(
        None, ge=1, le=1_000, description="Episodes that a burst puts off at most (requirement 6.1)."
    )
    summary_staleness_limit: float | None = Field(
        None, gt=0, le=36_500, description="Days after which a summary is refreshed (requirement 6.1)."
    )
    recall_weights: RecallWeights | None = Field(
        None,
        description="Weights of ln(1 + recalls), their average score and recency in a chunk's value "
        "(requirement 12.1).",
    )
    recall_half_life_days: float | None = Field(
        None,
        gt=0,
        le=36_500,
        description="Days since the last recall that halve its recency (requirement 12.1).",
    )
    eviction: Eviction = Field(
        Eviction.NONE,
        strict=False,
        description="By what chunks are given up: none, ttl, capacity, recall_based or hybrid (requirement 12.2).",
    )
    eviction_ttl_days: float | None = Field(
        None, gt=0, le=36_500, description="With ttl and hybrid: days after which a chunk is given up."
    )
    eviction_max_chunks: int | None = Field(
        None, ge=1, le=10**9, description="With capacity and hybrid: chunks that the space keeps at most."
    )
    eviction_min_value: float | None = Field(
        None,
        gt=0,
        le=1e6,
        description="With recall_based: a chunk of a lower value is given up once it is past eviction_grace_days.",
    )
    eviction_grace_days: float | None = Field(
        None,
        ge=0,
        le=36_500,
        description="Age in days below which recall_based leaves a chunk alone (requirement 12.2).",
    )
    eviction_last_evidence: bool = Field(
        False, description="Give up also chunks that are the last evidence of an edge, which then has none."
    )

    def chosen(self, settings: Settings, name: str) -> Any:
        """The value of a setting that both have: the space's own, the platform's where it sets none."""
        own = getattr(self, name)
        return getattr(settings, name) if own is None else own

    def wants(self, settings: Settings, name: str) -> bool:
        """Whether something is switched on: the platform has it, and the space has not refused it."""
        return bool(getattr(settings, name)) and getattr(self, name) is not False

    @model_validator(mode="after")
    def _eviction_is_whole(self) -> Self:
        """A policy with its parameters and with no other's."""
        given = {
            name
            for name in ("eviction_ttl_days", "eviction_max_chunks", "eviction_min_value")
            if getattr(self, name) is not None
        }
        needed = EVICTION_PARAMETERS[self.eviction]
        for wrong, verb in ((sorted(needed - given), "needs"), (sorted(given - needed), "takes no")):
            if wrong:
                raise PydanticCustomError(
                    "eviction_parameters",
                    "eviction {policy} {verb} {names}",
                    {"policy": self.eviction.value, "verb": verb, "names": " and ".join(wrong)},
                )
        return self
