"""Data shapes of merging: ledger rows, verdicts, doubtful pairs, and the interface of their judge."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple, Protocol
from uuid import UUID

from app.ids import ChunkId, NodeId, create_id

RULES = "rules"


class NameAndType(NamedTuple):
    """A normalised name and a node type."""

    name: str
    node_type: str


@dataclass(frozen=True, slots=True)
class MergeOrder:
    """A merge to be made.

    `reason` is exact, alias, string, embedding, model or person; `id` becomes that of its ledger row.
    """

    loser_id: NodeId
    winner_id: NodeId
    reason: str
    decided_by: str = RULES
    confidence: float = 1.0
    id: UUID = field(default_factory=create_id)


@dataclass(frozen=True, slots=True)
class Merge:
    """A row of the ledger of merges, for display."""

    id: UUID
    winner_id: NodeId
    winner_name: str | None
    loser_id: NodeId
    loser_name: str
    loser_type: str
    reason: str
    decided_by: str
    confidence: float
    created_at: datetime
    undone_at: datetime | None
    undone_by: str | None


@dataclass(frozen=True, slots=True)
class SplitOrder:
    """A split to be made: the mentions of `node_id` in these chunks, by these names, go to `new_node_id`."""

    node_id: NodeId
    new_node_id: NodeId
    sense: str
    chunk_ids: tuple[ChunkId, ...]
    names: tuple[str, ...]
    reason: str = "sense"
    decided_by: str = RULES
    id: UUID = field(default_factory=create_id)


@dataclass(frozen=True, slots=True)
class Split:
    """A row of the ledger of splits, for display; a name is None if that node is gone."""

    id: UUID
    node_id: NodeId
    name: str | None
    new_node_id: NodeId
    new_name: str | None
    mentions: int
    reason: str
    decided_by: str
    created_at: datetime
    undone_at: datetime | None
    undone_by: str | None


MAX_NAMES = 8
"""Maximum number of a node's names that are compared with another's."""


@dataclass(frozen=True, slots=True)
class PartOfSplit:
    """The part that a person split off: its split, its sense, and the person."""

    split_id: UUID
    sense: str
    decided_by: str


@dataclass(frozen=True, slots=True)
class PairSide:
    """One node of a pair that may be the same entity.

    `types` are the types shown by texts; empty if all are guessed.
    """

    node_id: NodeId
    name: str
    node_type: str
    types: frozenset[str]
    names: tuple[str, ...]
    mention_count: int
    passage: str = ""


@dataclass(frozen=True, slots=True)
class DoubtfulPair:
    """Two nodes that may be one entity, the similarity of their names (0 to 1), and the reason for it."""

    a: PairSide
    b: PairSide
    similarity: float
    why: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """A decision whether a pair is one entity, its confidence (0 to 1), and a short reason."""

    same: bool
    confidence: float = 1.0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class StoredVerdict:
    """A stored verdict on two normalised names with their types, in sorted order."""

    a: NameAndType
    b: NameAndType
    same: bool
    by_person: bool = False


class PairJudge(Protocol):
    """Decides about doubtful pairs. It holds no database session; its errors propagate to the caller."""

    @property
    def name(self) -> str:
        """The name of the judge, for the ledger."""
        ...

    def judge_pairs(self, pairs: Sequence[DoubtfulPair]) -> list[Verdict | None]:
        """Return a verdict for each pair, in order; None for one that could not be judged, to be
        asked again.
        """
        ...


NamePair = tuple[NameAndType, NameAndType]
"""Two names with their types."""


def sort_pair(name: NameAndType, other_name: NameAndType) -> NamePair:
    """Return the pair in the order in which it is stored."""
    return (name, other_name) if name <= other_name else (other_name, name)


Row = tuple[Any, ...]
