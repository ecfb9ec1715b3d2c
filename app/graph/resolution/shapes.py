"""Shapes of merging: ledger rows, verdicts, doubtful pairs, and the judge who is asked about them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from app.ids import ChunkId, NodeId, new_id

RULES = "rules"
NameAndType = tuple[str, str]


@dataclass(frozen=True, slots=True)
class MergeOrder:
    """A merge to be made: `reason` is exact, alias, string, embedding, model or person; `id` its ledger
    row's.
    """

    loser: NodeId
    winner: NodeId
    reason: str
    decided_by: str = RULES
    confidence: float = 1.0
    id: UUID = field(default_factory=new_id)


@dataclass(frozen=True, slots=True)
class Merge:
    """A row of the ledger, for people: what became part of what, why, by whom, and whether it still holds."""

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
    """A split to be made: these chunks' mentions of `node`, by these names, go to `new_node`."""

    node: NodeId
    new_node: NodeId
    sense: str
    chunks: tuple[ChunkId, ...]
    names: tuple[str, ...]
    reason: str = "sense"
    decided_by: str = RULES
    id: UUID = field(default_factory=new_id)


@dataclass(frozen=True, slots=True)
class Split:
    """A row of the ledger of splits, for people; a name is None where that node is gone."""

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


MOST_NAMES = 8
"""Names of a node that are compared with another's."""


@dataclass(frozen=True, slots=True)
class PartOfSplit:
    """The part that a person split off under that name of a sense, and who it was."""

    split_id: UUID
    sense: str
    decided_by: str


@dataclass(frozen=True, slots=True)
class PairSide:
    """One of two nodes that may be one thing. `types` are those that texts showed; none where all is
    guessed.
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
    """Two nodes that may be one thing, how alike their names are (0 to 1), and by what they are alike."""

    a: PairSide
    b: PairSide
    similarity: float
    why: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """A decision whether a pair is one thing, how sure that is (0 to 1), and why, in a few words."""

    same: bool
    confidence: float = 1.0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class KeptVerdict:
    """A verdict as the space remembers it, on normalised names with their types, in order."""

    a: NameAndType
    b: NameAndType
    same: bool
    by_person: bool = False


class PairJudge(Protocol):
    """Decides about doubtful pairs. It holds no database session; its errors are the caller's to let pass."""

    @property
    def name(self) -> str:
        """Who decides, for the ledger."""
        ...

    def judge(self, pairs: Sequence[DoubtfulPair]) -> list[Verdict | None]:
        """A verdict for each pair, in order; None for one that could not be judged and may be asked again."""
        ...


def sorted_pair(a: NameAndType, b: NameAndType) -> tuple[NameAndType, NameAndType]:
    """The pair as it is stored: the same whichever was named first."""
    return (a, b) if a <= b else (b, a)


Row = tuple[Any, ...]
