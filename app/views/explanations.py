"""Explanations: how nodes are connected, with the evidence of every edge."""

from datetime import datetime
from uuid import UUID

from pydantic import Field

from app.views.edges import EdgeAnswer, EvidenceAnswer
from app.views.nodes import NodeAnswer, StatementAnswer
from app.views.view import View


class AnchorAnswer(View):
    """A node where the explanation enters the graph, and the words that led to it."""

    node: NodeAnswer
    matched: str


class NodeAttributeAnswer(View):
    """A value that a chunk states for an attribute of a node, with the words that state it."""

    node_id: UUID
    name: str
    value: str | float | bool = Field(description="A date as YYYY, YYYY-MM or YYYY-MM-DD.")
    holds: bool = Field(description="Whether the latest source states it (without dates: most chunks).")
    stated_at: datetime | None = Field(description="The date of its sentence, otherwise of its source.")
    evidence: EvidenceAnswer


class PathAnswer(View):
    """Nodes in walking order and the edges between them, in either direction.

    With `attribute` it ends in that value of its last node, which may be its only node.
    """

    nodes: list[NodeAnswer]
    edges: list[EdgeAnswer]
    hops: int
    score: float
    attribute: NodeAttributeAnswer | None


class CitationAnswer(View):
    """Source [number] of the narrative, and the edges that it supports; none if it supports only values."""

    number: int
    evidence: EvidenceAnswer
    edge_ids: list[UUID]


class ConflictAnswer(View):
    """Edges that cannot all hold: `single_valued`, `opposite` or `denied`; nothing decides between them."""

    reason: str
    edge_ids: list[UUID]


class DenialAnswer(View):
    """A claim that a source denies or says has ended, `edge` has the quote that says so; or one that a person
    ended (`is_ended_by_person`), `edge` has the quote that states it.

    `since` is the date from which it does not hold, as precisely as stated; `asserted` is a row that states
    the claim; `contested` is true if such a row holds beside the denial.
    """

    claim: str
    since: str | None
    contested: bool
    is_ended_by_person: bool
    edge: EdgeAnswer
    asserted: EdgeAnswer | None


class ReportedAnswer(View):
    """A claim that no source states itself; one source says that somebody makes it, and `edge` has the quote.

    `said_by` is who makes it, in the words of the quote; `since` is the date from which it is said to hold.
    """

    claim: str
    said_by: str
    since: str | None
    edge: EdgeAnswer


class NamedTogetherAnswer(View):
    """Two nodes that one passage names, where no claim says how they are related.

    The quote is the sentence that names both; if there is none (`in_sentence` is false), it is the text of
    the passage from one name to the other.
    """

    from_node_id: UUID
    to_node_id: UUID
    in_sentence: bool
    evidence: EvidenceAnswer


class ExplanationAnswer(View):
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
