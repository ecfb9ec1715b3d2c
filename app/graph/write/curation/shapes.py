"""Shapes of decisions about nodes: given names, merges before and after, and pairs that were kept apart."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from app.graph.resolution.shapes import NameAndType
from app.ids import ChunkId, DocumentId, NodeId


@dataclass(frozen=True, slots=True)
class MergePreview:
    """The changes that a merge of two nodes would make.

    `name` and `node_type` are what the node would be called. Of the loser's names `new_names` come to the
    winner, `shared_names` it has too. `shared_chunks` mention both, and count once; edges between the two
    leave the graph while the merge holds; `shared_claims` are said of both, with the same other end.
    """

    winner_id: NodeId
    loser_id: NodeId
    winner_name: str
    loser_name: str
    winner_type: str
    loser_type: str
    name: str
    node_type: str
    new_names: tuple[str, ...]
    shared_names: tuple[str, ...]
    mentions: int
    shared_chunks: int
    edges_leaving: int
    edges_entering: int
    edges_between: int
    shared_claims: int
    overrules: bool

    @property
    def edges_moved(self) -> int:
        """How many edges change an end."""
        return self.edges_leaving + self.edges_entering


class GivenName(NamedTuple):
    """A name that a person gave a node, by whom and when, where that is known."""

    name: str
    by: str | None
    at: datetime | None


class Decided(NamedTuple):
    """Since when a person says that a value does not hold, who says so and why."""

    at: datetime
    by: str
    reason: str


class NodeChange(NamedTuple):
    """A row of the ledgers about one node: what was merged into it, or what was split from it.

    `kind` is `merge` or `split`; `name` is what the other node was or is called, None where it is gone.
    """

    kind: str
    id: UUID
    name: str | None
    reason: str
    decided_by: str
    created_at: datetime
    undone_at: datetime | None
    undone_by: str | None


class Mentioned(NamedTuple):
    """A chunk that mentions a node: the words as they stand there, and some before and after.

    The range counts characters of the document's text, from 0.
    """

    chunk_id: ChunkId
    document_id: DocumentId
    title: str
    surface: str
    before: str
    after: str
    char_start: int
    char_end: int
    place: str | None


@dataclass(frozen=True, slots=True)
class KeptApart:
    """A pair of names of which a person said that they are not one thing."""

    a: NameAndType
    b: NameAndType
    decided_by: str
    decided_at: datetime
