"""Data shapes of ended claims: ledger rows, and sets of values that contradict each other."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from app.graph.shapes import Edge
from app.graph.validity import Polarity
from app.ids import ChunkId, DocumentId, EdgeId, NodeId


class EndedBy(StrEnum):
    """The cause that ended a claim.

    It is a person; a later source with another value or a denial; or a new text of its document that does not
    state it.
    """

    PERSON = "person"
    SOURCE = "source"
    REPLACED = "replaced"


class InvalidationScope(StrEnum):
    """The scope of a person's decision: the claim with all rows that state it, or one row only."""

    CLAIM = "claim"
    EDGE = "edge"


class ConflictStatus(StrEnum):
    """The state of a value, or of a whole set; `contested` is a set with several values that hold."""

    CURRENT = "current"
    CONTESTED = "contested"
    SUPERSEDED = "superseded"
    DECIDED = "decided"


class EndedClaim(NamedTuple):
    """A claim of a chunk that has not held since `ended_at`; `quote` is the chunk's own text.

    `is_ended_by_person` is whether a person ended it, and no text. `standing_relation_types` has the types of
    claims that hold and that the same quote states.
    """

    chunk_id: ChunkId
    from_name: str
    relation_type: str
    to_name: str
    quote: str
    ended_at: datetime
    edge_id: EdgeId | None
    is_ended_by_person: bool
    standing_relation_types: Sequence[str] = ()


class Invalidation(NamedTuple):
    """An edge that a decision ended. Its names are None once the edge is deleted.

    `invalidated_at` is the value that the edge received; `claim_dated_at` and the source are set if a later
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
    """One row of a claim, with its date, if any, and how it ended.

    `date` is its stated beginning, else the date of its source, `stated_at`; a row with a stated end,
    `valid_to`, has only its own beginning. `entry` is the ledger row in force, of `kind`; `is_spared` is
    whether a person restored it from an ending by a source. `trust` is that in its document, `origin`
    identifies the document's content. `begins` is the beginning stated by its own sentence, `role` the role
    of the source in the target that a model extracted. `ends_ahead` is when it will end, as far as was known.
    `uploader` is who handed its document in, None if not known.
    """

    id: EdgeId
    from_node_id: NodeId
    relation_type: str
    to_node_id: NodeId
    confidence: float
    chunk_id: ChunkId | None
    date: datetime | None
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
    is_spared: bool = False
    trust: float = 1.0
    origin: str | None = None
    begins: datetime | None = None
    role: str | None = None
    ends_ahead: datetime | None = None
    uploader: str | None = None


class Ending(NamedTuple):
    """An edge to end at `until`, with cause and reason; a person's ending has neither source nor reason.

    `document_id` is set if the document has another text now.
    """

    edge_id: EdgeId
    until: datetime
    claim_dated_at: datetime | None = None
    source_edge_id: EdgeId | None = None
    source_chunk_id: ChunkId | None = None
    reason: str = ""
    document_id: DocumentId | None = None


class PersonDecision(NamedTuple):
    """A person's decision to end a claim at `until`."""

    id: UUID
    decided_by: str
    reason: str
    until: datetime


class StatedValue(NamedTuple):
    """A row that states a value, its date, and the ledger decision that ended it, if any."""

    edge: Edge
    claim_dated_at: datetime | None
    decision_id: UUID | None
    kind: EndedBy | None
    decided_by: str | None
    reason: str | None
    source_edge_id: EdgeId | None


class ConflictCursor(NamedTuple):
    """The end of a page of conflict sets."""

    relation_type: str
    from_node_id: NodeId


@dataclass(frozen=True, slots=True)
class ConflictValue:
    """One value of a conflict set with the rows that state it, those that hold first."""

    node_id: NodeId
    name: str
    status: ConflictStatus
    rows: tuple[StatedValue, ...]


@dataclass(frozen=True, slots=True)
class ConflictSet:
    """A node with several stated values of a single-valued relation, values that hold first.

    `truncated` is whether it has more rows than are returned.
    """

    from_node_id: NodeId
    from_name: str
    relation_type: str
    status: ConflictStatus
    values: tuple[ConflictValue, ...]
    truncated: bool

    @property
    def cursor(self) -> ConflictCursor:
        """The position of this set in the listing."""
        return ConflictCursor(self.relation_type, self.from_node_id)
