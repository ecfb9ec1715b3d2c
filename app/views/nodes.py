"""Nodes: their values, statements, mentions, tags and neighborhoods."""

from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import AliasChoices, Field

from app.domain.layers import Layer
from app.graph.tags.suggestions import Origin
from app.views.edges import EdgeAnswer, EvidenceAnswer
from app.views.summaries import SummaryAnswer
from app.views.view import View


class NodeBrief(View):
    """One thing that the texts mention, by its names."""

    id: UUID
    canonical_name: str
    node_type: str
    aliases: list[str]
    mention_count: int = Field(description="Chunks that name it.")


class NodeAnswer(NodeBrief):
    """One thing that the texts mention."""

    out_degree: int
    in_degree: int
    confidence: float
    established: bool = Field(description="Whether enough chunks name it (promotion threshold).")
    source: str
    first_seen_at: datetime
    last_seen_at: datetime
    metadata: dict[str, Any]


class RelationAnswer(View):
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


class AttributeAnswer(View):
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


class StatementAnswer(View):
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


class NamedWithAnswer(View):
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


class MentionAnswer(View):
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


class NodeCommunityAnswer(View):
    """A community that holds the node; level 0 is the coarsest."""

    community_id: UUID
    level: int
    title: str


class NodeCommunitiesAnswer(View):
    """The communities of a node, finest first."""

    items: list[NodeCommunityAnswer]


class ScoredNodeAnswer(View):
    """A node `distance` hops away; `score` is 1 / (1 + distance)."""

    node: NodeAnswer
    distance: int
    score: float


class NeighborhoodAnswer(View):
    """Nodes around a node or a list of nodes, and all edges among them.

    `truncated` has a sentence for each limit that cut something off; `missing` lists the requested ids that
    are not nodes of the space.
    """

    center: NodeAnswer | None
    nodes: list[ScoredNodeAnswer]
    edges: list[EdgeAnswer]
    truncated: list[str]
    missing: list[UUID]


class TagAnswer(View):
    """A tag and how many nodes have it."""

    tag: str
    nodes: int


class TagsAnswer(View):
    """Tags with the given prefix, the most used first."""

    items: list[TagAnswer]


class NodeTagsAnswer(View):
    """The tags that the node has now, at most eight, and their number."""

    tags: list[str]
    count: int


class CurrentTagAnswer(View):
    """A tag that the node has, and who set it."""

    tag: str
    origin: Origin


class SuggestedTagsAnswer(View):
    """Tags for a node, at most eight, the most relevant first; nothing is written."""

    node_id: UUID
    tags: list[str]
    by: Origin = Field(description="Also rules if the model failed, as `warnings` then say.")
    current: list[CurrentTagAnswer]
    warnings: list[str]
