"""Shapes of the graph domain: nodes, edges with their evidence, subgraphs and explanations.

Nodes, edges and evidence are named tuples, because a walk makes ninety of them and a frozen dataclass
takes four times as long to make (2 µs).
"""

import json
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple
from uuid import UUID

from app.domain.layers import Layer
from app.domain.places import ChunkPlaces, place_of_range
from app.graph.validity import Polarity, claim_holds
from app.ids import ChunkId, DocumentId, EdgeId, NodeId

"""Mentions that make a node established (requirement 3.3), where the door passes no setting."""


class Direction(StrEnum):
    """Which edges a walk follows: those that leave a node, those that enter it, or both."""

    OUTGOING = "outgoing"
    INCOMING = "incoming"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class GraphFilters:
    """Filters on a walk; an empty tuple or None lets everything pass (requirement 8.1).

    `node_types` is about the nodes reached: nodes that the caller named always stay. `as_of` shows
    the claims that held at that moment; without it, those that nothing has ended yet. `with_evidence` leaves
    out claims that no chunk states any more: answers never rest on one. Of `layers` edges have only the first
    two.
    """

    relation_types: tuple[str, ...] = ()
    node_types: tuple[str, ...] = ()
    min_confidence: float | None = None
    as_of: datetime | None = None
    with_evidence: bool = False
    layers: tuple[Layer, ...] = ()

    def includes_layer(self, layer: Layer) -> bool:
        """Return whether what is of this layer passes."""
        return not self.layers or layer in self.layers


EVERYTHING = GraphFilters()
"""No filter at all."""


class WordMatch(StrEnum):
    """How words are looked for in a node's names: as they stand, every one of them, or one at least."""

    PHRASE = "phrase"
    ALL = "all"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class NodeFilters:
    """Filters on a list of nodes; None lets everything pass.

    A moment `from` is within the range, one `before` is not. A node of a community is one of its members or
    of those that it divides into. `match` says how the words of a search are taken.
    """

    node_type: str | None = None
    tag: str | None = None
    established: bool | None = None
    min_confidence: float | None = None
    first_seen_from: datetime | None = None
    first_seen_before: datetime | None = None
    last_seen_from: datetime | None = None
    last_seen_before: datetime | None = None
    community_id: UUID | None = None
    match: WordMatch = WordMatch.PHRASE


ANY_NODE = NodeFilters()


class NodeCursor(NamedTuple):
    """Where a page of nodes ended: list_nodes goes on after it."""

    mention_count: int
    id: NodeId


class Node(NamedTuple):
    """One thing. `established` is whether it was mentioned promotion_threshold times or more.

    `properties` is the JSON text of its metadata, read only when `metadata` or `aliases` is asked for:
    most nodes of a walk are shown by their names alone.
    """

    id: NodeId
    canonical_name: str
    node_type: str
    mention_count: int
    out_degree: int
    in_degree: int
    confidence: float
    established: bool
    source: str
    first_seen_at: datetime
    last_seen_at: datetime
    properties: str = "{}"

    @property
    def metadata(self) -> dict[str, Any]:
        """The other properties stored about the node."""
        properties: dict[str, Any] = json.loads(self.properties)
        return properties

    @property
    def aliases(self) -> tuple[str, ...]:
        """The other names that it goes by."""
        stored = self.metadata.get("aliases")
        return tuple(alias for alias in stored if isinstance(alias, str)) if isinstance(stored, list) else ()

    @property
    def cursor(self) -> NodeCursor:
        """The place of this node in list_nodes."""
        return NodeCursor(self.mention_count, self.id)


class Evidence(NamedTuple):
    """The passage that an edge rests on; the range counts characters of the document's text, from 0.

    `place` says where in the file that range stands: "page 7"; None where its format has no such places.
    """

    chunk_id: ChunkId
    document_id: DocumentId
    document_title: str
    quote: str | None
    char_start: int
    char_end: int
    place: str | None = None

    @classmethod
    def from_chunk_range(
        cls,
        chunk: tuple[ChunkId, DocumentId, str, int, ChunkPlaces],
        quote: str | None,
        start: int,
        end: int,
    ) -> "Evidence":
        """Characters `start` to `end` of a chunk: its id, document, title, first character and places."""
        chunk_id, document_id, title, chunk_start, places = chunk
        place = place_of_range(places, start, end)
        return cls(chunk_id, document_id, title, quote, chunk_start + start, chunk_start + end, place)


class Attribute(NamedTuple):
    """An attribute of a node as one chunk states it, besides the node's relations (requirement 5.6).

    `holds` where the latest source says so, without dates most chunks: that value is in the node's metadata.
    `ended_at`, by whom and why are there where a person ended it.
    """

    name: str
    value: str | float | bool
    holds: bool
    evidence: Evidence
    stated_at: datetime | None = None
    ended_at: datetime | None = None
    ended_by: str | None = None
    ended_reason: str | None = None


class NodeAttribute(NamedTuple):
    """A value that some chunk gives an attribute of a node of an explanation, with the words that state it.

    `holds`: of several values that of the latest source, without dates that of most chunks. `stated_at` is
    the date that its sentence gives it, else of its source, where either has one.
    """

    node_id: NodeId
    name: str
    value: str | float | bool
    holds: bool
    stated_at: datetime | None
    evidence: Evidence


class NodeStatement(NamedTuple):
    """A statement about a node in the words of its clause, which no other node ends: "was born", "in Oslo".

    `text` is what follows the `predicate` to the end of the clause, `subject` what stands before it, None
    where that is the node's name alone; `evidence` has the whole sentence.
    `confidence`, 0 to 1, is how likely the clause was read rightly; `stated_at` the date of its source.
    """

    node_id: NodeId
    subject: str | None
    predicate: str
    text: str
    confidence: float
    stated_at: datetime | None
    evidence: Evidence


class Edge(NamedTuple):
    """One claim or statement out of one chunk; `quote` is the sentence that states it, or denies it by its
    `polarity`.

    Without its chunk, because that was deleted, it is unsupported: it has neither evidence nor quote.
    """

    id: EdgeId
    from_node_id: NodeId
    to_node_id: NodeId
    relation_type: str
    weight: float
    confidence: float
    status: str
    evidence: Evidence | None
    valid_from: datetime | None = None
    invalidated_at: datetime | None = None
    quote: str | None = None
    polarity: Polarity = Polarity.ASSERTED
    layer: Layer = Layer.CLAIM

    @property
    def unsupported(self) -> bool:
        """Return whether no chunk states it any more; answers of HTTP are read from this."""
        return self.evidence is None

    def holds(self, moment: datetime | None = None) -> bool:
        """Return whether it holds now, or held at a moment."""
        return claim_holds(self.polarity, self.invalidated_at, self.valid_from, moment)


class Extraction(NamedTuple):
    """Who read an edge out of its text: the model or the version of the rules, and when.

    `stated_at` is the date of the source, where the source has one; `said_by` who claims what the source only
    reports, in its words.
    """

    extractor: str
    at: datetime | None
    stated_at: datetime | None
    said_by: str | None


class StatedEdge(NamedTuple):
    """An edge with the range of the words in its chunk that state it; None where the whole chunk does."""

    id: EdgeId
    chunk_id: ChunkId
    start: int | None
    end: int | None
    relation_type: str
    confidence: float
    from_name: str
    to_name: str


class MentionedNode(NamedTuple):
    """A node with the range of the words in a chunk that name it first."""

    chunk_id: ChunkId
    node_id: NodeId
    start: int
    end: int
    name: str
    node_type: str


class RestingClaim(NamedTuple):
    """A claim that a few chunks alone state: its surest edge, with the chunk and the words."""

    edge_id: EdgeId
    chunk_id: ChunkId
    from_name: str
    relation_type: str
    to_name: str
    quote: str
    confidence: float


@dataclass(frozen=True, slots=True)
class RelationTypeCount:
    """One relation type over the whole space (requirement 8.4)."""

    relation_type: str
    layer: Layer
    edges: int
    avg_weight: float
    avg_confidence: float
    with_evidence: int


@dataclass(frozen=True, slots=True)
class AggregatedRelation:
    """All rows of one claim taken together (requirement 4.2).

    `weight` is their sum, `mention_count` their number, `notes` the quote of the strongest of them.
    """

    from_node_id: NodeId
    from_name: str
    to_node_id: NodeId
    to_name: str
    relation_type: str
    layer: Layer
    weight: float
    mention_count: int
    notes: str | None


@dataclass(frozen=True, slots=True)
class ScoredNode:
    """A node at `distance` hops from where the walk began; `score` is 1 / (1 + distance)."""

    node: Node
    distance: int
    score: float


@dataclass(frozen=True, slots=True)
class Neighborhood:
    """Nodes within a depth of the centre or of a list of nodes, and the edges among them.

    `truncated` has one sentence for each bound that cut something off; `missing` lists the asked
    ids that this space has no node for.
    """

    center: Node | None
    nodes: tuple[ScoredNode, ...]
    edges: tuple[Edge, ...]
    truncated: tuple[str, ...] = ()
    missing: tuple[NodeId, ...] = ()


@dataclass(frozen=True, slots=True)
class Anchor:
    """A node where an explanation enters the graph, and the words that led there."""

    node: Node
    matched: str


@dataclass(frozen=True, slots=True)
class Path:
    """Nodes in walking order and the edges between them, whichever way these point.

    `score`, 0 to 1, is the product over its edges of confidence and of weight (at most 1), of a statement
    also of the space's `statement_weight`, times 0.8 for each hop after the first; where the question names a
    relation, paths that use it stand before all others, whatever their score. With `attribute` it ends in
    that value of its last node, which may be its only one.
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    hops: int
    score: float
    attribute: NodeAttribute | None = None

    def reversed(self) -> "Path":
        """The same path, walked from its other end; it ends in no value."""
        return Path(self.nodes[::-1], self.edges[::-1], self.hops, self.score)


@dataclass(frozen=True, slots=True)
class Citation:
    """Source number `number` of an explanation, and the edges that rest on it; none where only values do."""

    number: int
    evidence: Evidence
    edge_ids: tuple[EdgeId, ...]


class Conflict(NamedTuple):
    """Edges that cannot all hold, each with its own citation.

    `reason` is `single_valued` where the relation has one value, or one source, at a time, `opposite` where a
    relation that goes one way is claimed both ways.
    """

    reason: str
    edge_ids: tuple[EdgeId, ...]


class Denial(NamedTuple):
    """A claim that a source denies, or says to have ended: `edge` is its row, with the quote that says so.

    `since` is the date from which it does not hold, as exact as it was stated. `asserted` is a row that
    states the claim, which ended, or which holds beside the denial: the sources then contradict one another.
    """

    edge: Edge
    claim: str
    polarity: Polarity
    since: str | None
    asserted: Edge | None
    contested: bool

    @property
    def was_once_stated(self) -> bool:
        """True where some source says that it held once."""
        return self.asserted is not None or self.polarity is Polarity.ASSERTED


class Reported(NamedTuple):
    """A claim that no source states, and one says that somebody makes: `edge` is its row, with the quote.

    `said_by` is who makes it, in the words of the quote; `since` the date from which it is said to hold.
    """

    edge: Edge
    claim: str
    said_by: str
    since: str | None


class NamedTogether(NamedTuple):
    """Two nodes that one passage names, where no claim says how they hang together.

    The quote is the sentence that names both; where there is none (`in_sentence` is False), the text of the
    passage from the one name to the other.
    """

    from_node_id: NodeId
    to_node_id: NodeId
    in_sentence: bool
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class NamedWith:
    """A node that chunks name near another one: no claim, whatever both have to do with one another.

    `count` is the number of chunks that name both near one another, `weight` how closely that ties them, 0 to
    1. The quote is the sentence that names both; where there is none (`in_sentence` is False), the text
    from the one name to the other; without evidence where that is too long.
    """

    node_id: NodeId
    canonical_name: str
    node_type: str
    count: int
    weight: float
    in_sentence: bool
    evidence: Evidence | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """How anchors hang together, and what the graph says around them (requirement 8.3).

    `edges` are in order of relevance; `narrative` tells them with [n] for citation n; `contested` says
    which of them contradict one another, `denials` what sources deny or say to have ended, `reported` what
    they only say that somebody claims; `attributes` has the values of its nodes, those that the question
    names first, `asked_attributes` those of them that are
    nearest to the anchors. `truncated`, `warnings` and `why_not` hold sentences for people: what a bound cut
    off, what was not found, and what stood in the way of the nearest candidates. Where nothing was found
    `named_together` has the passages that name two of the anchors, of whatever date. `statements` are what
    texts say of the anchors in their own words, those that name other anchors or the question's words first.
    """

    question: str | None
    anchors: tuple[Anchor, ...]
    paths: tuple[Path, ...]
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    citations: tuple[Citation, ...]
    narrative: str
    truncated: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    contested: tuple[Conflict, ...] = ()
    why_not: tuple[str, ...] = ()
    denials: tuple[Denial, ...] = ()
    reported: tuple[Reported, ...] = ()
    attributes: tuple[NodeAttribute, ...] = ()
    asked_attributes: tuple[NodeAttribute, ...] = ()
    named_together: tuple[NamedTogether, ...] = ()
    statements: tuple[NodeStatement, ...] = ()
