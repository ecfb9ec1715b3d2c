"""Shapes of decisions about nodes: the preview of a merge, and pairs that were kept apart."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from app.ids import ChunkId, DocumentId, NodeId
from app.resolution.shapes import NameAndType


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


@dataclass(frozen=True, slots=True)
class KeptApart:
    """A pair of names of which a person said that they are not one thing."""

    a: NameAndType
    b: NameAndType
    decided_by: str
    decided_at: datetime
