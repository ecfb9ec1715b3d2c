"""Shapes of ended claims: the ledger's rows, and sets of values that contradict one another."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from app.graph.shapes import Edge
from app.graph.validity import Polarity
from app.ids import ChunkId, DocumentId, EdgeId, NodeId


class EndedBy(StrEnum):
    """Who ends a claim: a person, a later dated source that states another value, or a new text of the
    document that stated it, which does not say so any more.
    """

    PERSON = "person"
    SOURCE = "source"
    REPLACED = "replaced"


class InvalidationScope(StrEnum):
    """The reach of a person's decision: the claim with all rows that state it, or one row alone."""

    CLAIM = "claim"
    EDGE = "edge"


class Standing(StrEnum):
    """The state of a value, or of a whole set: `contested` is a set in which several values stand."""

    STANDS = "stands"
    CONTESTED = "contested"
    SUPERSEDED = "superseded"
    DECIDED = "decided"


class EndedClaim(NamedTuple):
    """A claim that a chunk states and that holds no more since `ended_at`; `quote` is the chunk's own
    text.
    """

    chunk_id: ChunkId
    from_name: str
    relation_type: str
    to_name: str
    quote: str
    ended_at: datetime
    edge_id: EdgeId | None


class Invalidation(NamedTuple):
    """One edge that a decision ended. Its names are None once the edge is gone.

    `invalidated_at` is what the edge's became; `claim_dated_at` and the source are there where a later
    source ended it.
    """

    id: UUID
    decision_id: UUID
    edge_id: EdgeId
    kind: EndedBy
    decided_by: str
    reason: str
    invalidated_at: datetime
    claim_dated_at: datetime | None
    source_edge_id: EdgeId | None
    source_chunk_id: ChunkId | None
    created_at: datetime
    undone_at: datetime | None
    undone_by: str | None
    undone_kind: EndedBy | None
    from_name: str | None
    relation_type: str | None
    to_name: str | None


class DatedClaim(NamedTuple):
    """One row of a claim, its date if it has one, and how it ended.

    `dated` is the beginning that it states, else the date of what states it, which is `stated_at`; a row
    that states an end, `valid_to`, has only its own beginning. `entry` is the row of the ledger that holds,
    made by `kind`; `spared` is a row that a person took back from a source. `trust` is that in its document,
    `origin` the document's content. `begins` is the beginning that its own sentence states, `role` what a
    model says that the source is of the target.
    """

    id: EdgeId
    from_node_id: NodeId
    relation_type: str
    to_node_id: NodeId
    confidence: float
    chunk_id: ChunkId | None
    dated: datetime | None
    quote: str | None
    polarity: str = Polarity.ASSERTED
    precision: str | None = None
    stated_at: datetime | None = None
    valid_to: datetime | None = None
    valid_to_precision: str | None = None
    entry: UUID | None = None
    kind: str | None = None
    source_edge_id: EdgeId | None = None
    until: datetime | None = None
    reason: str | None = None
    spared: bool = False
    trust: float = 1.0
    origin: str | None = None
    begins: datetime | None = None
    role: str | None = None


class Ending(NamedTuple):
    """An edge that ends at `until`, what ended it and why; neither source nor reason where a person did.

    The document is named where that has another text by now.
    """

    edge_id: EdgeId
    until: datetime
    claim_dated_at: datetime | None = None
    source_edge_id: EdgeId | None = None
    source_chunk_id: ChunkId | None = None
    reason: str = ""
    document_id: DocumentId | None = None


class PersonDecision(NamedTuple):
    """The decision of a person who ended a claim at `until`."""

    id: UUID
    decided_by: str
    reason: str
    until: datetime


class StatedValue(NamedTuple):
    """A row that states a value: its date, and the decision of the ledger that ended it, if any."""

    edge: Edge
    dated: datetime | None
    decision_id: UUID | None
    kind: EndedBy | None
    decided_by: str | None
    reason: str | None
    source_edge_id: EdgeId | None


class ConflictCursor(NamedTuple):
    """Where a page of conflict sets ended."""

    relation_type: str
    from_node_id: NodeId


@dataclass(frozen=True, slots=True)
class ConflictValue:
    """One value of a conflict set with the rows that state it, those that stand first."""

    node_id: NodeId
    name: str
    standing: Standing
    rows: tuple[StatedValue, ...]


@dataclass(frozen=True, slots=True)
class ConflictSet:
    """A node that several values of a single-valued relation are stated of, standing values first.

    `truncated` says that it has more rows than are told.
    """

    from_node_id: NodeId
    from_name: str
    relation_type: str
    standing: Standing
    values: tuple[ConflictValue, ...]
    truncated: bool

    @property
    def cursor(self) -> ConflictCursor:
        """The place of this set in the listing."""
        return ConflictCursor(self.relation_type, self.from_node_id)
