"""Bodies and answers of the graph's routes."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import AliasChoices, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from app.api.graph.summaries import SummaryAnswer
from app.api.shapes import Answer, Body, build_presence_schema
from app.domain.layers import Layer
from app.graph.shapes import Direction, GraphFilters
from app.http.input_text import Id, Moment, SearchText, TypeName
from app.limits import FACTS, FILTER_TYPES, HOPS, SUBGRAPH_SEEDS


class NodeAnswer(Answer):
    """One thing that the texts mention."""

    id: UUID
    canonical_name: str
    node_type: str
    aliases: list[str]
    mention_count: int = Field(description="Chunks that name it.")
    out_degree: int
    in_degree: int
    confidence: float
    established: bool = Field(description="Whether enough chunks name it (promotion threshold).")
    source: str
    first_seen_at: datetime
    last_seen_at: datetime
    metadata: dict[str, Any]


class RelationAnswer(Answer):
    """All edges of one claim combined: `weight` is their sum, `mention_count` their number."""

    from_node_id: UUID
    from_name: str
    to_node_id: UUID
    to_name: str
    relation_type: str
    layer: Layer
    weight: float
    mention_count: int
    notes: str | None = Field(description="The quote of the strongest of them.")


class EvidenceAnswer(Answer):
    """The passage that supports an edge; the range counts characters of the document's text, from 0."""

    chunk_id: UUID
    document_id: UUID
    document_title: str
    quote: str | None
    char_start: int
    char_end: int
    place: str | None = Field(
        None, description="Its location in the file, if the format has locations: page 7."
    )


class AttributeAnswer(Answer):
    """An attribute of a node as one chunk states it, besides the node's relations."""

    name: str
    value: str | float | bool = Field(description="A date as YYYY, YYYY-MM or YYYY-MM-DD.")
    holds: bool = Field(
        description="Whether the latest source states it (without dates: most chunks), as in the metadata."
    )
    evidence: EvidenceAnswer
    stated_at: datetime | None = Field(description="The date of the sentence, otherwise of its source.")
    ended_at: datetime | None = Field(description="Since when it does not hold, if a person ended it.")
    ended_by: str | None
    ended_reason: str | None


class StatementAnswer(Answer):
    """A statement about a node in the words of its clause.

    `text` is what follows the `predicate` to the end of the clause; `subject` is what precedes it, or null if
    that is only the node's name; `evidence` is the whole sentence.
    """

    node_id: UUID
    subject: str | None
    predicate: str
    text: str
    confidence: float = Field(description="How likely the clause was parsed correctly, 0 to 1.")
    stated_at: datetime | None = Field(description="The date of its source.")
    evidence: EvidenceAnswer


class NamedWithAnswer(Answer):
    """A node that chunks name near another one. This is not a claim: nothing says how the two are related.

    `count` is the number of such chunks, `weight` how closely they connect the two, 0 to 1. The quote is the
    sentence that names both. If there is none (`in_sentence` is false), it is the text from one name to the
    other; `evidence` is null if that is too long.
    """

    node_id: UUID
    canonical_name: str
    node_type: str
    count: int
    weight: float
    in_sentence: bool
    evidence: EvidenceAnswer | None


class NodeDetailAnswer(NodeAnswer):
    """A node with its summary, its tags, its attributes and the claims about it, heaviest first, at most 200
    each; and the ten nodes that are named together with it most closely.
    """

    tags: list[str] = Field(description="At most eight, the most relevant first.")
    attributes: list[AttributeAnswer] = Field(
        description="The attributes that the space configures (`node_attributes`)."
    )
    relations: list[RelationAnswer]
    statements: list[StatementAnswer] = Field(
        description="Statements about it in the words of the texts, the most certain first, at most 50."
    )
    named_together: list[NamedWithAnswer]
    summary: SummaryAnswer | None = Field(description="Null if it has none (yet).")


class MentionAnswer(Answer):
    """A chunk that mentions the node: the words used, and up to 90 characters on each side.

    The range counts characters of the document's text, from 0.
    """

    chunk_id: UUID
    document_id: UUID
    document_title: str = Field(validation_alias=AliasChoices("title", "document_title"))
    surface_form: str = Field(validation_alias=AliasChoices("surface", "surface_form"))
    before: str
    after: str
    char_start: int
    char_end: int
    place: str | None = Field(
        None, description="Its location in the file, if the format has locations: page 7."
    )


class NodeCommunityAnswer(Answer):
    """A community that holds the node; level 0 is the coarsest."""

    community_id: UUID
    level: int
    title: str


class NodeCommunitiesAnswer(Answer):
    """The communities of a node, finest first."""

    items: list[NodeCommunityAnswer]


class EdgeAnswer(Answer):
    """One claim or statement from one chunk; `unsupported`, without evidence and quote, if its document is
    gone.
    """

    id: UUID
    from_node_id: UUID
    to_node_id: UUID
    relation_type: str
    weight: float
    confidence: float
    status: str
    evidence: EvidenceAnswer | None
    unsupported: bool
    quote: str | None
    valid_from: datetime | None
    invalidated_at: datetime | None
    polarity: str = Field(
        description=(
            "asserted; denied if the quote says that it does not hold; reported if it only says that"
            " somebody claims it."
        )
    )
    layer: Layer = Field(description="claim: a known relation type; statement: the verb of its sentence.")


class RelationTypeAnswer(Answer):
    """One relation type over the whole space."""

    relation_type: str
    layer: Layer
    edges: int
    avg_weight: float
    avg_confidence: float
    with_evidence: int


class RelationTypesAnswer(Answer):
    """Every relation type of the space, most frequent first."""

    items: list[RelationTypeAnswer]


class ScoredNodeAnswer(Answer):
    """A node `distance` hops away; `score` is 1 / (1 + distance)."""

    node: NodeAnswer
    distance: int
    score: float


class NeighborhoodAnswer(Answer):
    """Nodes around a node or a list of nodes, and all edges among them.

    `truncated` has a sentence for each limit that cut something off; `missing` lists the requested ids that
    are not nodes of the space.
    """

    center: NodeAnswer | None
    nodes: list[ScoredNodeAnswer]
    edges: list[EdgeAnswer]
    truncated: list[str]
    missing: list[UUID]


class AnchorAnswer(Answer):
    """A node where the explanation enters the graph, and the words that led to it."""

    node: NodeAnswer
    matched: str


class NodeAttributeAnswer(Answer):
    """A value that a chunk states for an attribute of a node, with the words that state it."""

    node_id: UUID
    name: str
    value: str | float | bool = Field(description="A date as YYYY, YYYY-MM or YYYY-MM-DD.")
    holds: bool = Field(description="Whether the latest source states it (without dates: most chunks).")
    stated_at: datetime | None = Field(description="The date of its sentence, otherwise of its source.")
    evidence: EvidenceAnswer


class PathAnswer(Answer):
    """Nodes in walking order and the edges between them, in either direction.

    With `attribute` it ends in that value of its last node, which may be its only node.
    """

    nodes: list[NodeAnswer]
    edges: list[EdgeAnswer]
    hops: int
    score: float
    attribute: NodeAttributeAnswer | None


class CitationAnswer(Answer):
    """Source [number] of the narrative, and the edges that it supports; none if it supports only values."""

    number: int
    evidence: EvidenceAnswer
    edge_ids: list[UUID]


class ConflictAnswer(Answer):
    """Edges that cannot all hold: `single_valued`, `opposite` or `denied`; nothing decides between them."""

    reason: str
    edge_ids: list[UUID]


class DenialAnswer(Answer):
    """A claim that a source denies or says has ended; `edge` has the quote that says so.

    `since` is the date from which it does not hold, as precisely as stated; `asserted` is a row that states
    the claim; `contested` is true if such a row holds beside the denial.
    """

    claim: str
    since: str | None
    contested: bool
    edge: EdgeAnswer
    asserted: EdgeAnswer | None


class ReportedAnswer(Answer):
    """A claim that no source states itself; one source says that somebody makes it, and `edge` has the quote.

    `said_by` is who makes it, in the words of the quote; `since` is the date from which it is said to hold.
    """

    claim: str
    said_by: str
    since: str | None
    edge: EdgeAnswer


class NamedTogetherAnswer(Answer):
    """Two nodes that one passage names, where no claim says how they are related.

    The quote is the sentence that names both; if there is none (`in_sentence` is false), it is the text of
    the passage from one name to the other.
    """

    from_node_id: UUID
    to_node_id: UUID
    in_sentence: bool
    evidence: EvidenceAnswer


class ExplanationAnswer(Answer):
    """How anchors are connected, with every edge's evidence; `narrative` describes it, with [n] for citation
    n.
    """

    question: str | None
    anchors: list[AnchorAnswer]
    paths: list[PathAnswer]
    nodes: list[NodeAnswer]
    edges: list[EdgeAnswer]
    citations: list[CitationAnswer]
    contested: list[ConflictAnswer]
    denials: list[DenialAnswer]
    reported: list[ReportedAnswer] = Field(
        description="Claims about the anchors that sources only attribute to somebody; they are not facts."
    )
    attributes: list[NodeAttributeAnswer] = Field(
        description="Values of its nodes, if the space configures any; those named by the question first."
    )
    narrative: str
    statements: list[StatementAnswer] = Field(
        description=(
            "Statements about the anchors in the words of the texts, at most ten each. For a question, those"
            " that name another anchor or a word of the question come first; for two ends, those that name"
            " the other end."
        )
    )
    named_together: list[NamedTogetherAnswer] = Field(
        description=(
            "If nothing was found: passages of any date that name two of the anchors. They are not claims."
        )
    )
    truncated: list[str]
    warnings: list[str]
    why_not: list[str]


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
        has_ends = (self.from_ is not None, self.to is not None)
        if has_ends != ((False, False) if self.question is not None else (True, True)):
            raise PydanticCustomError("question_or_ends", "Give either a question, or both from and to.")
        return self
