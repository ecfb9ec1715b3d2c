"""Claims of the graph with their evidence: edges, how they ended, and conflicts between them."""

from datetime import datetime
from uuid import UUID

from pydantic import Field

from app.domain.layers import Layer
from app.graph.invalidation.shapes import ConflictStatus, EndedBy
from app.views.view import View


class EvidenceAnswer(View):
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


class EdgeAnswer(View):
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


class RelationTypeAnswer(View):
    """One relation type over the whole space."""

    relation_type: str
    layer: Layer
    edges: int
    avg_weight: float
    avg_confidence: float
    with_evidence: int


class RelationTypesAnswer(View):
    """Every relation type of the space, most frequent first."""

    items: list[RelationTypeAnswer]


class InvalidationAnswer(View):
    """One edge that a decision ended; `undone_at` is null while it holds."""

    decision_id: UUID = Field(description="Shared by all edges that the decision ended.")
    edge_id: UUID
    kind: EndedBy
    decided_by: str
    reason: str
    invalidated_at: datetime
    claim_dated_at: datetime | None = Field(description="The date of the claim that a later source ended.")
    source_edge_id: UUID | None
    source_chunk_id: UUID | None
    created_at: datetime
    undone_at: datetime | None
    undone_by: str | None
    undone_kind: EndedBy | None


class LedgerRowAnswer(InvalidationAnswer):
    """The same with the claim in words; its names are null if the edge is gone."""

    from_name: str | None
    relation_type: str | None
    to_name: str | None


class DecisionAnswer(View):
    """All edges that one decision ended or restored."""

    items: list[InvalidationAnswer]


class EndedByDateAnswer(View):
    """The number of edges ended in one page of conflict sets; `next_after` is null on the last page."""

    ended: int
    next_after: str | None


class ExtractionAnswer(View):
    """The extractor that read the edge from its text, and when."""

    extractor: str = Field(description="The model, or the version of the rules.")
    at: datetime | None
    stated_at: datetime | None = Field(description="The date of the source, if it has one.")
    said_by: str | None = Field(
        description="For an edge with polarity reported: who claims it, in the words of the quote."
    )


class EdgeDetailAnswer(EdgeAnswer):
    """An edge, ended or not, with the decisions about it, newest first, at most 200."""

    extraction: ExtractionAnswer | None = Field(description="null for an edge that no extractor produced.")
    history: list[InvalidationAnswer]


class StatedValueAnswer(View):
    """A row that states a value, and the decision that ended it."""

    edge: EdgeAnswer
    claim_dated_at: datetime | None = Field(description="The date that its text or its document states.")
    decision_id: UUID | None
    kind: EndedBy | None
    decided_by: str | None
    reason: str | None
    source_edge_id: UUID | None


class ConflictValueAnswer(View):
    """One value with the rows that state it."""

    node_id: UUID
    name: str
    status: ConflictStatus = Field(
        description="current (it holds), superseded (by a later source) or decided (by a person).",
    )
    rows: list[StatedValueAnswer]


class ConflictSetAnswer(View):
    """A node for which several values of a single-valued relation are stated."""

    from_node_id: UUID
    from_name: str
    relation_type: str
    status: ConflictStatus = Field(description="contested, superseded or decided.")
    values: list[ConflictValueAnswer] = Field(description="At most 100 rows in total, those that hold first.")
    truncated: bool
