"""Data shapes of decisions about nodes: names given by persons, merge previews, pairs kept apart."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from app.graph.resolution.shapes import NameAndType
from app.ids import ChunkId, DocumentId, NodeId


@dataclass(frozen=True, slots=True)
class MergePreview:
    """The changes that a merge of two nodes would make.

    `name` and `node_type` are those of the resulting node. Of the loser's names, `new_names` are new to the
    winner and `shared_names` are not. `shared_chunks` mention both nodes and count once; edges between the
    two leave the graph while the merge holds; `shared_claims` are stated about both, with the same other end.
    `overrides_decision` is whether it contradicts an earlier verdict.
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
    overrides_decision: bool

    @property
    def edges_moved(self) -> int:
        """The number of edges that change an end."""
        return self.edges_leaving + self.edges_entering


class GivenName(NamedTuple):
    """A name that a person gave a node; by whom and when, if known."""

    name: str
    by: str | None
    at: datetime | None


class ValueDecision(NamedTuple):
    """A person's decision that a value does not hold: since when, by whom and why."""

    at: datetime
    by: str
    reason: str


class NodeChange(NamedTuple):
    """A ledger row about one node: a merge into it or a split from it.

    `kind` is `merge` or `split`; `name` is the other node's name, None if that node is gone.
    """

    kind: str
    id: UUID
    name: str | None
    reason: str
    decided_by: str
    created_at: datetime
    undone_at: datetime | None
    undone_by: str | None


class ChunkMention(NamedTuple):
    """A chunk that mentions a node: the words of the mention and some text before and after.

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
class PairKeptApart:
    """A pair of names that a person declared to be different things."""

    a: NameAndType
    b: NameAndType
    decided_by: str
    decided_at: datetime
