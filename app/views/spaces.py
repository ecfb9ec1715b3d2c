"""Knowledge spaces."""

from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import Field

from app.views.view import View


class SpaceBrief(View):
    """A knowledge space: documents and the graph drawn from them."""

    id: UUID
    name: str
    description: str


class SpaceAnswer(SpaceBrief):
    """A space. `graph_revision` rises with every change of its graph."""

    settings: dict[str, Any]
    embedding_model: str
    embedding_dimensions: int
    graph_revision: int
    created_at: datetime
    updated_at: datetime


class EmbeddingPlanAnswer(View):
    """The size of a change of the embedding model: numbers for a decision, not a bill."""

    from_model: str
    from_dimensions: int
    model: str
    dimensions: int
    unchanged: bool = Field(description="Whether the space already has that model.")
    chunks: int
    nodes: int
    facts: int
    texts: int = Field(description="Texts that would be embedded; identical texts count once.")
    tokens: int = Field(description="Counted for chunks, estimated for names and facts.")
    cost_usd: float | None = Field(description="By CITEGRAPH_LLM_PRICES; null if the price is not known.")
