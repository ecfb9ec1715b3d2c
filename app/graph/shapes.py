"""Data shapes of the graph domain: nodes, edges with their evidence, subgraphs and explanations.

Nodes, edges and evidence are named tuples, because a traversal creates ninety of them and a frozen dataclass
takes four times as long to create (2 µs).
"""

import json
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple
from uuid import UUID

from app.domain.file_locations import ChunkPlaces, format_place_of_range
from app.domain.layers import Layer
from app.graph.validity import FOREVER, Polarity, does_claim_begin_after, does_claim_hold
from app.ids import ChunkId, DocumentId, EdgeId, NodeId

NodeAndRelation = tuple[NodeId, str]
"""A node and a relation type that leaves or enters it."""


class Direction(StrEnum):
    """The edges that a traversal follows: outgoing, incoming or both."""

    OUTGOING = "outgoing"
    INCOMING = "incoming"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class GraphFilters:
    """Filters on a traversal; an empty tuple or None lets everything pass (requirement 8.1).

    `node_types` applies to the nodes reached; nodes that the caller named always stay. `as_of` selects the
    claims that held at that moment; without it, those that have not ended. `with_evidence` excludes claims
    that no chunk states any more: answers never rest on one. Edges have only the first two of the `layers`.
    """

    relation_types: tuple[str, ...] = ()
    node_types: tuple[str, ...] = ()
    min_confidence: float | None = None
    as_of: datetime | None = None
    with_evidence: bool = False
    layers: tuple[Layer, ...] = ()

    def includes_layer(self, layer: Layer) -> bool:
        """Return whether this layer passes."""
        return not self.layers or layer in self.layers


NO_FILTERS = GraphFilters()
"""No filter."""


class WordMatch(StrEnum):
    """How words are matched with a node's names: as a phrase, all of them, or at least one."""

    PHRASE = "phrase"
    ALL = "all"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class NodeFilters:
    """Filters on a list of nodes; None lets everything pass.

    A `from` moment is inclusive, a `before` moment exclusive. `community_id` selects the members of the
    community and of its subcommunities. `match` says how the words of a search are matched.
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
    """The end of a page of nodes, where `list_nodes` continues."""

    mention_count: int
    id: NodeId


class Node(NamedTuple):
    """One entity. `established` is whether it was mentioned at least promotion_threshold times.

    `properties` is the JSON text of its metadata, parsed only for `metadata` or `aliases`: most nodes of a
    traversal are displayed by name only.
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
        """The node's other names."""
        stored_aliases = self.metadata.get("aliases")
        return (
            tuple(alias for alias in stored_aliases if isinstance(alias, str))
            if isinstance(stored_aliases, list)
            else ()
        )

    @property
    def cursor(self) -> NodeCursor:
        """The position of this node in `list_nodes`."""
        return NodeCursor(self.mention_count, self.id)


EvidenceChunk = tuple[ChunkId, DocumentId, str, int, ChunkPlaces]
"""A chunk: its id, its document, the document's title, its first character, and its places."""


class Evidence(NamedTuple):
    """The passage that an edge rests on; the range counts characters of the document's text, from 0.

    `place` is the position in the file ("page 7"), None if its format has no such positions.
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
        chunk: EvidenceChunk,
        quote: str | None,
        start: int,
        end: int,
    ) -> "Evidence":
        """Build from characters `start` to `end` of a chunk."""
        chunk_id, document_id, title, chunk_start, places = chunk
        place = format_place_of_range(places, start, end)
        return cls(chunk_id, document_id, title, quote, chunk_start + start, chunk_start + end, place)


class Attribute(NamedTuple):
    """An attribute of a node as one chunk states it (requirement 5.6).

    `holds` is whether the latest source states it, or without dates most chunks do; the node's metadata have
    that value. `ended_at`, `ended_by` and `ended_reason` are set if a person ended it.
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
    """An attribute value of a node in an explanation, with the words of the chunk that states it.

    `holds` is set for one of several values: that of the latest source, or without dates of most chunks.
    `stated_at` is the date in its sentence, else of its source, if known.
    """

    node_id: NodeId
    name: str
    value: str | float | bool
    holds: bool
    stated_at: datetime | None
    evidence: Evidence


class NodeStatement(NamedTuple):
    """A statement about a node in the words of a clause without another node: "was born", "in Oslo".

    `text` is what follows the `predicate` up to the end of the clause; `subject` precedes it, None if that is
    only the node's name; `evidence` has the whole sentence. `confidence`, 0 to 1, is how likely the clause
    was parsed correctly; `stated_at` is the date of its source.
    """

    node_id: NodeId
    subject: str | None
    predicate: str
    text: str
    confidence: float
    stated_at: datetime | None
    evidence: Evidence


class Edge(NamedTuple):
    """One claim or statement from one chunk; `quote` is the sentence that states it.

    By its `polarity` the sentence may also deny or only report it. An edge whose chunk was deleted is
    unsupported: it has neither evidence nor quote. `ends_at` is a moment ahead at which it will end; of an
    edge that begins later, `invalidated_at` is its beginning.
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
    ends_at: datetime | None = None

    @property
    def unsupported(self) -> bool:
        """Return whether no chunk states the claim any more; HTTP responses contain this flag."""
        return self.evidence is None

    def begins_after(self, moment: datetime | None = None) -> bool:
        """Return whether the claim begins later than now, or than the given moment."""
        return does_claim_begin_after(self.invalidated_at, self.valid_from, moment, self.ends_at)

    @property
    def end(self) -> datetime | None:
        """Return when the claim ended or will end; None if no end is known."""
        end = self.ends_at or self.invalidated_at
        return None if end == FOREVER else end

    def holds(self, moment: datetime | None = None) -> bool:
        """Return whether the claim holds now, or at the given moment, which may lie ahead."""
        return does_claim_hold(self.polarity, self.invalidated_at, self.valid_from, moment, self.ends_at)


class Extraction(NamedTuple):
    """How an edge was extracted: by which model or version of the rules, and when.

    `stated_at` is the date of the source, if known; `said_by` is who makes a claim that the source only
    reports, in the words of the source.
    """

    extractor: str
    at: datetime | None
    stated_at: datetime | None
    said_by: str | None


class StatedEdge(NamedTuple):
    """An edge with the range in its chunk of the words that state it; None for the whole chunk."""

    id: EdgeId
    chunk_id: ChunkId
    start: int | None
    end: int | None
    relation_type: str
    confidence: float
    from_name: str
    to_name: str


class MentionedNode(NamedTuple):
    """A node with the range of its first mention in a chunk."""

    chunk_id: ChunkId
    node_id: NodeId
    start: int
    end: int
    name: str
    node_type: str


class RestingClaim(NamedTuple):
    """A claim that only a few chunks state: its edge of highest confidence, with the chunk and the words."""

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
    """All edges of one claim, combined (requirement 4.2).

    `weight` is their sum, `mention_count` their number, `notes` the quote of the strongest.
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
    """A node at `distance` hops from the start; `score` is 1 / (1 + distance)."""

    node: Node
    distance: int
    score: float


@dataclass(frozen=True, slots=True)
class Neighborhood:
    """Nodes within a depth of the centre or of a list of nodes, and the edges among them.

    `truncated` has one message for each limit that cut something off; `missing` lists requested ids without a
    node.
    """

    center: Node | None
    nodes: tuple[ScoredNode, ...]
    edges: tuple[Edge, ...]
    truncated: tuple[str, ...] = ()
    missing: tuple[NodeId, ...] = ()


@dataclass(frozen=True, slots=True)
class Anchor:
    """A node at which an explanation starts, and the words that named it."""

    node: Node
    matched: str


@dataclass(frozen=True, slots=True)
class Path:
    """Nodes in walking order and the edges between them, in either direction.

    `score`, 0 to 1, is the product over its edges of confidence and weight (at most 1), for a statement also
    of the space's `statement_weight`, times 0.8 for each hop after the first. If the question names a
    relation, paths that use it precede all others, whatever their score. With `attribute` it ends in that
    value of its last node, which may be its only one.
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    hops: int
    score: float
    attribute: NodeAttribute | None = None

    def reversed(self) -> "Path":
        """Return the path in the opposite direction, without an attribute."""
        return Path(self.nodes[::-1], self.edges[::-1], self.hops, self.score)


@dataclass(frozen=True, slots=True)
class Citation:
    """Source number `number` of an explanation, and the edges that rest on it; none if only attributes do."""

    number: int
    evidence: Evidence
    edge_ids: tuple[EdgeId, ...]


class Conflict(NamedTuple):
    """Edges that cannot all hold, each with its own citation.

    `reason` is `single_valued` if the relation has one value, or one source, at a time, and `opposite` if a
    relation that goes one way is claimed both ways.
    """

    reason: str
    edge_ids: tuple[EdgeId, ...]


class Denial(NamedTuple):
    """A claim that a source denies or states to have ended, or that a person ended; `edge` is its row, with
    the quote.

    `since` is the date from which it does not hold, as precise as stated. `asserted` is a row that states the
    claim; it has ended, or it holds beside the denial, and the sources contradict each other (`contested`).
    If a person ended it, `edge` itself states the claim. `may_have_held` is whether the quote has no
    English word of denial, and may say that it held before ("had worked there").
    """

    edge: Edge
    claim: str
    polarity: Polarity
    since: str | None
    asserted: Edge | None
    contested: bool
    is_ended_by_person: bool = False
    may_have_held: bool = False

    @property
    def was_once_stated(self) -> bool:
        """Return whether some source states that it held once."""
        return self.asserted is not None or self.polarity is Polarity.ASSERTED

    @property
    def is_about_end(self) -> bool:
        """Return whether the claim held once and has ended, and no source contradicts that."""
        return self.was_once_stated and not self.contested

    @property
    def opening(self) -> str:
        """Return the words before the claim: "No longer, since 2024", "Not so"."""
        if self.was_once_stated:
            return format_ending(self.since, is_by_person=self.is_ended_by_person)
        if self.since is None and self.may_have_held:
            return "Not so now"
        return f"Not so{format_since(self.since)}"


def format_since(since: str | None) -> str:
    """Return ", since 2024"; "" without a date."""
    return f", since {since}" if since else ""


def format_ending(since: str | None, *, is_by_person: bool) -> str:
    """Return "No longer" with the date from which a claim does not hold, and whether a person decided it."""
    return f"No longer{format_since(since)}{', as a person decided' if is_by_person else ''}"


class ReportedClaim(NamedTuple):
    """A claim that no source states but one reports; `edge` is its row, with the quote.

    `said_by` is who makes it, in the words of the quote; `since` is the date from which it is said to hold.
    """

    edge: Edge
    claim: str
    said_by: str
    since: str | None


class NamedTogether(NamedTuple):
    """Two nodes that one passage mentions, without a claim that connects them.

    The quote is the sentence that mentions both; if there is none (`in_sentence` is False), the text of the
    passage from one name to the other.
    """

    from_node_id: NodeId
    to_node_id: NodeId
    in_sentence: bool
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class CooccurringNode:
    """A node that chunks mention near another one; this is not a claim.

    `count` is the number of chunks that mention both near each other, `weight` how closely that ties them, 0
    to 1. The quote is the sentence that mentions both; if there is none (`in_sentence` is False), the text
    from one name to the other. `evidence` is None if that is too long.
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
    """How anchors are connected, and what the graph states around them (requirement 8.3).

    `edges` are in order of relevance; `narrative` lists them with [n] for citation n; `contested` says which
    of them contradict each other, `denials` what sources deny or state to have ended, `reported` what they
    only report; `attributes` has the values of its nodes, those that the question names first, and
    `asked_attributes` those of them nearest to the anchors. `truncated`, `warnings` and `why_not` hold
    messages for the user: what a limit cut off, what was not found, and what excluded the nearest candidates.
    If nothing was found, `named_together` has passages of any date that mention two anchors. `statements` are
    about the anchors in the texts' own words, those that mention other anchors or the question's words first.
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
    reported: tuple[ReportedClaim, ...] = ()
    attributes: tuple[NodeAttribute, ...] = ()
    asked_attributes: tuple[NodeAttribute, ...] = ()
    named_together: tuple[NamedTogether, ...] = ()
    statements: tuple[NodeStatement, ...] = ()
