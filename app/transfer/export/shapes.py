"""The rows of an exported space, one shape for each kind, and the formats that they are written in."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from app.graph.validity import holds


class ExportFormat(StrEnum):
    """The formats; only JSON Lines holds the whole space, the others its nodes and edges with evidence."""

    JSON_LINES = "jsonl"
    GRAPHML = "graphml"
    CSV_NODES = "csv-nodes"
    CSV_EDGES = "csv-edges"
    CYPHER = "cypher"
    TURTLE = "turtle"


class Kind(StrEnum):
    """The kinds of rows, in the order in which they are written: each refers to earlier ones only."""

    DOCUMENT = "document"
    CHUNK = "chunk"
    NODE = "node"
    MENTION = "mention"
    ATTRIBUTE = "attribute"
    EDGE = "edge"
    ENDING = "ending"


class _ById:
    """A row that its id puts in its place."""

    __slots__ = ()
    id: UUID

    @property
    def key(self) -> tuple[object, ...]:
        """The place of the row in the order of its kind."""
        return (self.id,)


@dataclass(frozen=True, slots=True)
class ExportedSpace:
    """The space as it was at a moment."""

    id: UUID
    name: str
    description: str
    graph_revision: int


@dataclass(frozen=True, slots=True)
class ExportedDocument(_ById):
    """A document without its bytes: its chunks hold the text."""

    id: UUID
    title: str
    source_kind: str
    source_uri: str | None
    format: str
    language: str | None
    metadata: dict[str, Any]
    content_hash: str
    byte_size: int
    version: int
    created_at: datetime
    updated_at: datetime
    encoding: str | None = None
    trust: float = 1.0


@dataclass(frozen=True, slots=True)
class ExportedChunk(_ById):
    """A passage; its range counts characters of the document's text, from 0."""

    id: UUID
    document_id: UUID
    ordinal: int
    text: str
    char_start: int
    char_end: int
    heading_path: list[str]
    token_count: int
    content_hash: str
    speaker: str | None
    said_at: datetime | None
    extracted_by: str | None
    place: str | None = None
    places: list[tuple[int, str]] | None = None


@dataclass(frozen=True, slots=True)
class ExportedNode(_ById):
    """A node with its names (each with its kind) and its tags (each with its origin), in their order."""

    id: UUID
    canonical_name: str
    node_type: str
    names: list[dict[str, Any]]
    tags: list[dict[str, Any]]
    metadata: dict[str, Any]
    mention_count: int
    confidence: float
    source: str
    first_seen_at: datetime
    last_seen_at: datetime

    @property
    def aliases(self) -> list[str]:
        """The other names by which it is known everywhere."""
        return [name["name"] for name in self.names if name["kind"] == "alias"]


@dataclass(frozen=True, slots=True)
class ExportedMention:
    """A chunk naming a node; its range counts characters of the chunk, from 0."""

    chunk_id: UUID
    node_id: UUID
    surface_form: str
    name: str
    char_start: int
    char_end: int
    node_type: str | None
    titular: bool
    sense: str | None

    @property
    def key(self) -> tuple[object, ...]:
        """The place of the row in the order of its kind."""
        return (self.chunk_id, self.node_id)


@dataclass(frozen=True, slots=True)
class ExportedAttribute:
    """A value that a chunk gives an attribute of a node, with the words that state it.

    With a `confidence` it is a statement: `name` is its predicate, `value` what follows that, and `subject`
    what stands before it where that is not the node's name alone.
    """

    chunk_id: UUID
    node_id: UUID
    name: str
    value: Any
    said_of: str
    quote: str
    char_start: int
    char_end: int
    stated_at: datetime | None
    ended_at: datetime | None
    ended_by: str | None
    ended_reason: str | None
    confidence: float | None
    subject: str | None

    @property
    def key(self) -> tuple[object, ...]:
        """The place of the row in the order of its kind."""
        return (self.chunk_id, self.node_id, self.name, self.char_start)


@dataclass(frozen=True, slots=True)
class ExportedEdge(_ById):
    """A claim or statement with its evidence; without a chunk it is unsupported, with `invalidated_at` ended
    or denied.
    """

    id: UUID
    from_node_id: UUID
    to_node_id: UUID
    relation_type: str
    weight: float
    status: str
    polarity: str
    evidence_chunk_id: UUID | None
    document_id: UUID | None
    document_title: str | None
    source_uri: str | None
    metadata: dict[str, Any]
    extraction_key: str
    valid_from: datetime | None
    valid_from_precision: str | None
    valid_from_basis: str | None
    valid_to: datetime | None
    valid_to_precision: str | None
    invalidated_at: datetime | None
    created_at: datetime
    layer: str
    place: str | None = None

    @property
    def holds(self) -> bool:
        """Return whether the claim is made and has not ended."""
        return holds(self.polarity, self.invalidated_at)

    @property
    def ended_at(self) -> datetime | None:
        """When a later source or a person ended it; None for a denial, which never held."""
        return self.invalidated_at if self.polarity == "asserted" else None


@dataclass(frozen=True, slots=True)
class ExportedEnding(_ById):
    """One edge that a decision ended, and whether that was taken back."""

    id: UUID
    decision_id: UUID
    edge_id: UUID
    # Not `kind`, which in a line says that it is an ending.
    ended_by: str
    decided_by: str
    reason: str
    invalidated_at: datetime
    claim_dated_at: datetime | None
    source_edge_id: UUID | None
    source_chunk_id: UUID | None
    document_id: UUID | None
    undone_at: datetime | None
    undone_by: str | None
    undone_kind: str | None
    created_at: datetime


Exported = (
    ExportedDocument
    | ExportedChunk
    | ExportedNode
    | ExportedMention
    | ExportedAttribute
    | ExportedEdge
    | ExportedEnding
)
