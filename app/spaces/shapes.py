"""What a space may set for itself; unset means the platform's default (requirement 5)."""

from pydantic import BaseModel, ConfigDict, Field


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
    open_relations: bool = Field(False, description="Keep any verb, in lower snake_case.")
    min_confidence: float | None = Field(None, ge=0, le=1, description="Drop edges below this.")
    budget_usd: float | None = Field(
        None, ge=0, lt=1e12, description="US dollars that model calls of this space may cost in a month."
    )
    chunk_tokens: int | None = Field(None, ge=32, le=2_000, description="Largest chunk, in model tokens.")
    communities: bool | None = Field(None, description="Whether communities are detected after ingests.")
    community_min_weight: float | None = Field(
        None, ge=0, le=1e6, description="Least summed weight of a pair of nodes (requirement 7.1)."
    )
    community_levels: int | None = Field(None, ge=1, le=5, description="Levels of communities at most.")
    community_seed: int | None = Field(None, ge=0, lt=2**31, description="Seed of the detection's choices.")
