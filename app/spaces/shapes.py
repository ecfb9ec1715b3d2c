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
    open_relations: bool = Field(False, description="Keep any verb, in lower snake_case.")
    min_confidence: float | None = Field(None, ge=0, le=1, description="Drop edges below this.")
    budget_usd: float | None = Field(
        None, ge=0, lt=1e12, description="US dollars that model calls of this space may cost in a month."
    )
    chunk_tokens: int | None = Field(None, ge=32, le=2_000, description="Largest chunk, in model tokens.")
