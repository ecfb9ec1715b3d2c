"""Bodies of the graph's routes."""

from typing import Annotated

from pydantic import ConfigDict, Field, model_validator

from app.api.shapes import Body, build_presence_schema
from app.domain.layers import Layer
from app.graph.shapes import Direction, GraphFilters
from app.http.input_text import Id, Moment, SearchText, TypeName, check_question_or_both_ends
from app.limits import FACTS, FILTER_TYPES, HOPS, SUBGRAPH_SEEDS


class FiltersBody(Body):
    """Filters on the nodes and edges of a traversal; a field left out filters nothing."""

    relation_types: list[TypeName] = Field(default_factory=list, max_length=FILTER_TYPES.maximum)
    node_types: list[TypeName] = Field(default_factory=list, max_length=FILTER_TYPES.maximum)
    min_confidence: float | None = Field(None, ge=0, le=1)
    as_of: Moment | None = Field(None, description="Only claims that held at that time.")
    layers: list[Annotated[Layer, Field(strict=False)]] = Field(
        default_factory=list,
        max_length=3,
        description="claim, statement or named_together (passages that are used if nothing else is found).",
    )

    def to_graph_filters(self) -> GraphFilters:
        """Return the filters as a value of the graph room."""
        return GraphFilters(
            tuple(self.relation_types),
            tuple(self.node_types),
            self.min_confidence,
            self.as_of,
            layers=tuple(self.layers),
        )


class NeighborsBody(Body):
    """The nodes whose neighborhood is requested."""

    node_ids: list[Id] = Field(min_length=1, max_length=SUBGRAPH_SEEDS.maximum)
    direction: Direction = Field(Direction.BOTH, strict=False)
    filters: FiltersBody = Field(default_factory=lambda: FiltersBody())


class ExplainBody(Body):
    """Either a question, or two ends by name, alias or id."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [
                build_presence_schema("question", excluded_fields=("from", "to")),
                build_presence_schema("from", "to", excluded_fields=("question",)),
            ]
        }
    )

    question: SearchText | None = None
    from_: SearchText | None = Field(None, alias="from")
    to: SearchText | None = None
    max_hops: int = Field(2, ge=1, le=HOPS.maximum)
    limit: int | None = Field(
        None,
        ge=1,
        le=FACTS.maximum,
        description="Maximum number of facts; the default is the space's setting.",
    )
    filters: FiltersBody = Field(default_factory=lambda: FiltersBody())

    @model_validator(mode="after")
    def _check_one_question(self) -> "ExplainBody":
        check_question_or_both_ends(self.question, self.from_, self.to)
        return self
