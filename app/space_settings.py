"""Settings that spaces have: declared once, with the platform's default, and resolved for the space that is
open.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Optional, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    TypeAdapter,
    create_model,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

from app.closed_fields import ClosedFields
from app.domain.relation_types import BORN_IN, CITIZEN_OF, MARRIED_TO, SINGLE_SOURCE, SINGLE_VALUED
from app.json_schema import DescribedAnnotation, LenientIntegers

SOURCE_KINDS = ("user_edit", "file", "system", "conversation")
"""The kinds of a document's source (requirement 2.1), each of which has its weight."""


def _check_not_all_zero(weights: list[float]) -> list[float]:
    if not any(weights):
        raise PydanticCustomError("no_weight", "one weight at least must be above 0")
    return weights


def _check_weights_of_all_kinds(weights: dict[str, float]) -> dict[str, float]:
    if set(weights) != set(SOURCE_KINDS):
        raise PydanticCustomError(
            "source_kinds", "a weight is needed for each of {kinds}", {"kinds": ", ".join(SOURCE_KINDS)}
        )
    _check_not_all_zero(list(weights.values()))
    return weights


Weight = Annotated[float, Field(ge=0, le=1_000, allow_inf_nan=False)]
# What the validators ask for, as JSON Schema says it.
_ABOVE_0 = {"exclusiveMinimum": 0}
_SOURCES: dict[str, Any] = {
    "required": list(SOURCE_KINDS),
    "propertyNames": {"enum": list(SOURCE_KINDS)},
    "anyOf": [{"properties": {kind: _ABOVE_0}} for kind in SOURCE_KINDS],
}
_HAS_WEIGHT = DescribedAnnotation({"contains": _ABOVE_0})
MIN_TRUST = 0.01
"""Of a document that nobody trusts: it is read, and outranks and ends nothing."""
Trust = Annotated[float, Field(ge=MIN_TRUST, le=1, allow_inf_nan=False)]
SourceWeights = Annotated[
    dict[str, Weight], AfterValidator(_check_weights_of_all_kinds), DescribedAnnotation(_SOURCES)
]
HybridWeights = Annotated[
    list[Weight], Field(min_length=4, max_length=4), AfterValidator(_check_not_all_zero), _HAS_WEIGHT
]
RecallWeights = Annotated[
    list[Weight], Field(min_length=3, max_length=3), AfterValidator(_check_not_all_zero), _HAS_WEIGHT
]


class Eviction(StrEnum):
    """The eviction policy of a space (requirement 12.2); `hybrid` is ttl, with capacity if that is set."""

    NONE = "none"
    TTL = "ttl"
    CAPACITY = "capacity"
    RECALL_BASED = "recall_based"
    HYBRID = "hybrid"


# The parameters that each policy goes by: it needs all of the first, may have the second, and takes no other.
EVICTION_PARAMETERS = {
    Eviction.NONE: set[str](),
    Eviction.TTL: {"eviction_ttl_days"},
    Eviction.CAPACITY: {"eviction_max_chunks"},
    Eviction.RECALL_BASED: {"eviction_min_value"},
    Eviction.HYBRID: {"eviction_ttl_days"},
}
EVICTION_OPTIONS = {
    Eviction.RECALL_BASED: {"eviction_max_chunks"},
    Eviction.HYBRID: {"eviction_max_chunks"},
}


class TagsAtIngest(StrEnum):
    """Who tags the nodes that an ingest writes about; a person's tags stay."""

    OFF = "off"
    RULES = "rules"
    MODEL = "model"


class ClaimCheck(StrEnum):
    """The claims of a model that it is asked about once more before they are believed."""

    OFF = "off"
    ENDINGS = "endings"
    ALL = "all"
    AUTO = "auto"


class AttributeKind(StrEnum):
    """The kind of an attribute's values; a date is as exact as its text says: year, month or day."""

    TEXT = "text"
    NUMBER = "number"
    DATE = "date"
    BOOLEAN = "boolean"


KindField = Annotated[AttributeKind, Field(strict=False)]
RelationTypeName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
"""A verb in lower snake_case, as edges store it."""
RELATION_TYPES = TypeAdapter(list[RelationTypeName])
SourceKindName = Annotated[str, StringConstraints(pattern=f"^({'|'.join(SOURCE_KINDS)})$")]
UploaderName = Annotated[str, StringConstraints(min_length=1, max_length=320)]
AttributeName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$")]


_SWITCHES = frozenset({"communities", "summaries"})


class SpaceDefaults(BaseModel):
    """Settings of which the platform has a default and a space may have its own."""

    chunk_tokens: int = Field(256, ge=32, le=2_000, description="Largest chunk, in model tokens.")
    min_confidence: float = Field(
        0.5, ge=0, le=1, description="Edges with a lower confidence are dropped (requirement 5.2)."
    )
    claim_check: Annotated[ClaimCheck, Field(strict=False)] = Field(
        ClaimCheck.AUTO,
        description=(
            "Claims that a model is asked about once more, beside their text, and that are refused unless it"
            " confirms them: off, endings (denials, ends and changes), all (about a third more tokens), or"
            " auto (all, if the model judges claims with known verdicts rightly, else none)."
        ),
    )
    statements: bool = Field(
        True,
        description=(
            "Extract statements from English clauses when no model extracts: edges whose relation type is"
            " the verb of their sentence, distinguished from claims by their layer."
        ),
    )
    turns_before: int = Field(
        3,
        ge=0,
        le=20,
        description="Preceding turns of a conversation that a model reads with each turn (requirement 5.6).",
    )
    promotion_threshold: int = Field(
        3, ge=1, le=10**9, description="Mentions that make a node established (requirement 3.3)."
    )
    max_tags: int = Field(8, ge=1, le=8, description="Maximum number of tags of a node (requirement 11.1).")
    tags_at_ingest: Annotated[TagsAtIngest, Field(strict=False)] = Field(
        TagsAtIngest.OFF,
        description=(
            "How the nodes that an ingest mentions are tagged: off, rules, or model (rules if there is no"
            " model)."
        ),
    )
    fan_out: int = Field(
        10, ge=1, le=100, description="Strongest edges followed per node and direction (requirement 9.1)."
    )
    max_facts: int = Field(
        30, ge=1, le=500, description="Maximum number of facts in one answer (requirement 9.1)."
    )
    statement_weight: float = Field(
        0.25,
        ge=0,
        le=1,
        description="Weight of a statement in explanations, where a claim has weight 1.",
    )
    context_tokens: int = Field(
        4_000, ge=200, le=100_000, description="Tokens of passages and facts that one answer may read."
    )
    verify_sentences: bool = Field(
        True,
        description=(
            "After each answer that a model wrote, ask the model whether the quotes support every"
            " sentence, if the tenant's budget and token limit of the month allow the call."
        ),
    )
    similar_anchors: int = Field(
        3,
        ge=1,
        le=20,
        description="Maximum number of starting nodes for a question that names none (requirement 9.1).",
    )
    anchor_similarity: float = Field(
        0.55,
        ge=0,
        le=1,
        description=(
            "Minimum cosine similarity between the name of such a node and the question (requirement 9.1)."
        ),
    )
    hybrid_weights: HybridWeights = Field(
        [0.5, 0.2, 0.1, 0.2],
        description=(
            "Weights of text overlap, graph distance, time and references in the `hybrid` score; only"
            " their ratio matters (requirement 9.4)."
        ),
    )
    fact_source_weights: SourceWeights = Field(
        {"user_edit": 2.0, "file": 1.5, "system": 1.2, "conversation": 1.0},
        description="Factor of a fact's score by the source kind of its document (requirement 9.4).",
    )
    fact_decay: float = Field(
        0.05,
        ge=0,
        le=1,
        description="Share of a fact's score that is lost in each week without access (requirement 9.4).",
    )
    fact_grace_days: float = Field(
        7.0,
        ge=0,
        le=36_500,
        description="Days after the last access without decay (requirement 9.4).",
    )
    fact_usage_boost: Weight = Field(
        0.5, description="Amount that ten times as many accesses add to a fact's factor (requirement 9.4)."
    )
    fact_confirmed_weight: Weight = Field(1.2, description="Factor of a confirmed fact (requirement 9.4).")
    answer_cache_seconds: float = Field(
        60.0,
        ge=0,
        le=86_400,
        description=(
            "Seconds for which the same query gets the same answer from the cache; 0 turns the cache off"
            " (requirement 9.6)."
        ),
    )
    communities: bool = Field(True, description="Detect communities after ingests.")
    community_min_weight: float = Field(
        0.5,
        ge=0,
        le=1e6,
        description="Minimum summed weight of a pair of nodes in a community (requirement 7.1).",
    )
    community_levels: int = Field(3, ge=1, le=5, description="Maximum number of levels of communities.")
    community_seed: int = Field(1, ge=0, lt=2**31, description="Random seed of the detection.")
    summaries: bool = Field(True, description="Refresh summaries of nodes after ingests.")
    summary_drift_threshold: float = Field(
        0.001,
        ge=0,
        le=2,
        description=(
            "Cosine distance up to which a node's facts count as unchanged since its summary; it is lower"
            " for nodes with many facts (requirement 6.1)."
        ),
    )
    summary_burst_window: float = Field(
        300.0,
        ge=0,
        le=86_400,
        description=(
            "Seconds within which several episodes form a burst, during which the refresh is deferred"
            " (requirement 6.1)."
        ),
    )
    summary_burst_episodes: int = Field(
        3, ge=2, le=1_000, description="Number of episodes that form a burst."
    )
    summary_burst_cap: int = Field(
        20, ge=1, le=1_000, description="Maximum number of episodes that a burst defers (requirement 6.1)."
    )
    summary_staleness_limit: float = Field(
        30.0,
        gt=0,
        le=36_500,
        description="Days after which a summary is refreshed even if little changed (requirement 6.1).",
    )
    recall_weights: RecallWeights = Field(
        [0.3, 0.5, 0.2],
        description=(
            "Weights of ln(1 + recalls), their average score and recency in a chunk's value "
            "(requirement 12.1)."
        ),
    )
    recall_half_life_days: float = Field(
        30.0,
        gt=0,
        le=36_500,
        description="Days since the last recall that halve its recency (requirement 12.1).",
    )
    eviction_grace_days: float = Field(
        7.0,
        ge=0,
        le=36_500,
        description="Age in days below which recall_based does not evict a chunk (requirement 12.2).",
    )


class SpaceOnly(ClosedFields, LenientIntegers):
    """Settings that only a space has."""

    model_config = ConfigDict(strict=True)

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
    extraction_model: Annotated[str, StringConstraints(min_length=1, max_length=200)] | None = Field(
        None,
        description=(
            "The model that reads documents of this space, one of CITEGRAPH_LLM_MODELS, or `rules`; null for"
            " the installation's own. Documents that were extracted before stay as they are until they are"
            " extracted again."
        ),
    )
    claim_check_model: Annotated[str, StringConstraints(min_length=1, max_length=200)] | None = Field(
        None,
        description=(
            "The model that is asked about claims once more, one of CITEGRAPH_LLM_MODELS; null for the one"
            " that reads the documents."
        ),
    )
    specific_relations: bool = Field(
        True,
        description=(
            f"Whether the types for people's lives, groups and places ({BORN_IN.name}, {MARRIED_TO.name}, "
            f"{CITIZEN_OF.name} and others) are in the vocabulary; without them such claims are left out."
        ),
    )
    single_valued_relations: list[str] = Field(
        default_factory=lambda: list(SINGLE_VALUED),
        max_length=200,
        description=(
            "Relation types of which a node has one value: a later dated document that states another one "
            "ends the earlier, two that stand at once are shown as contested. A place and one that it lies "
            "in are no two values."
        ),
    )
    single_source_relations: list[str] = Field(
        default_factory=lambda: list(SINGLE_SOURCE),
        max_length=200,
        description=(
            "Relation types that hold for one source of a target at a time, as a country has one capital: a "
            "later dated document that states it of another ends the earlier claim, of heads only where both "
            "may have the same office."
        ),
    )
    source_trust: dict[SourceKindName, Trust] = Field(
        default_factory=dict,
        description=(
            "Largest trust of a new document by its source kind, from 0.01 to 1; 1 for a kind that is not"
            " named. What a document states ends no claim of one that is trusted more."
        ),
    )
    uploader_trust: dict[UploaderName, Trust] = Field(
        default_factory=dict,
        max_length=1_000,
        description=(
            "The same by who hands documents in: a key by its public id, an account by its address, or"
            " either by the `uploader` of its documents (`account:` and an id)."
        ),
    )
    supersede_by_date: bool = Field(
        True,
        description=(
            "Whether a later dated source ends an earlier dated value of a single-valued relation, or an "
            "earlier source of one of `single_source_relations`; without such relations it does nothing."
        ),
    )
    open_relations: bool = Field(
        False,
        description=("Keep any verb that a model or a header of a table gives, in lower snake_case."),
    )
    gleanings: int = Field(
        0,
        ge=0,
        le=3,
        description=(
            "Times a model looks again at each chunk for nodes it missed; each may cost half as many calls "
            "again (requirement 5.6)."
        ),
    )
    node_attributes: dict[str, Annotated[dict[AttributeName, KindField], Field(max_length=20)]] = Field(
        default_factory=dict,
        max_length=100,
        description=(
            "Per node type the attributes that are looked for, with their kinds (text, number, date, "
            'boolean): {"Person": {"born_on": "date"}}; a model is asked once more for chunks that name such '
            "nodes (requirement 5.6)."
        ),
    )
    golden_gate: bool = Field(
        False,
        description=(
            "Whether a change of settings that affect answers is refused if a golden question would be"
            " answered worse, or if that is not known, unless it is forced."
        ),
    )
    golden_every_hours: float | None = Field(
        None,
        ge=1,
        le=8_760,
        description="Hours after which the golden questions are asked again; null: never.",
    )
    prune_deleted: bool = Field(
        False,
        description=(
            "Whether deleting a document also removes the edges that this leaves without evidence, unless "
            "the request says otherwise (requirement 15.3)."
        ),
    )
    budget_usd: float | None = Field(
        None, ge=0, lt=1e12, description="US dollars that model calls of this space may cost in a month."
    )
    eviction: Eviction = Field(
        Eviction.NONE,
        strict=False,
        description=("The eviction policy: none, ttl, capacity, recall_based or hybrid (requirement 12.2)."),
    )
    eviction_ttl_days: float | None = Field(
        None, gt=0, le=36_500, description="Days after which a chunk is evicted, with ttl and hybrid."
    )
    eviction_max_chunks: int | None = Field(
        None,
        ge=1,
        le=10**9,
        description="Maximum number of chunks, with capacity, and optionally with hybrid and recall_based.",
    )
    eviction_min_value: float | None = Field(
        None,
        gt=0,
        le=1e6,
        description=(
            "With recall_based: a chunk of a lower value is given up once it is past eviction_grace_days."
        ),
    )
    eviction_last_evidence: bool = Field(
        False, description="Also evict chunks that are the last evidence of an edge, which then has none."
    )

    @model_validator(mode="after")
    def _check_eviction(self) -> Self:
        """Check that the eviction policy has its own parameters and no others."""
        parameters = {
            name
            for name in ("eviction_ttl_days", "eviction_max_chunks", "eviction_min_value")
            if getattr(self, name) is not None
        }
        needed_parameters = EVICTION_PARAMETERS[self.eviction]
        excess_parameters = parameters - needed_parameters - EVICTION_OPTIONS.get(self.eviction, set())
        for names, verb in (
            (sorted(needed_parameters - parameters), "needs"),
            (sorted(excess_parameters), "takes no"),
        ):
            if names:
                raise PydanticCustomError(
                    "eviction_parameters",
                    "eviction {policy} {verb} {names}",
                    {"policy": self.eviction.value, "verb": verb, "names": " and ".join(names)},
                )
        return self


def _build_optional_field(field: FieldInfo) -> Any:
    """Return the field as a space declares it: the same bounds, and null for the platform's default."""
    bounded_type = Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation
    return Optional[bounded_type], Field(None, description=field.description)  # noqa: UP045


_overrides: Any = {name: _build_optional_field(field) for name, field in SpaceDefaults.model_fields.items()}
_Overrides: Any = create_model("_Overrides", __base__=SpaceOnly, **_overrides)


class SpaceSettings(_Overrides):
    """A space's own settings, as knowledge_space.settings stores them; null means the platform's default."""

    if TYPE_CHECKING:
        # Fields that are made at run time are nothing a type checker can follow; who reads settings reads
        # EffectiveSettings.
        def __init__(self, **values: Any) -> None: ...


class EffectiveSettings(SpaceDefaults, SpaceOnly):
    """The settings that hold in a space: its own where it has some, else the platform's.

    `communities` and `summaries` are switched on where the platform has them and the space has not refused
    them.
    """


def effective_settings(platform: SpaceDefaults, stored_settings: Mapping[str, Any]) -> EffectiveSettings:
    """Return the effective settings of a space: the platform's, overridden by those stored in its row. Raises
    ValidationError for damaged ones.
    """
    space_settings = SpaceSettings.model_validate(dict(stored_settings))
    values = {name: getattr(space_settings, name) for name in SpaceOnly.model_fields}
    for name in SpaceDefaults.model_fields:
        own_value, default = getattr(space_settings, name), getattr(platform, name)
        values[name] = (
            default if own_value is None else own_value and default if name in _SWITCHES else own_value
        )
    return EffectiveSettings.model_construct(**values)
