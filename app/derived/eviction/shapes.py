"""Shapes of the memory domain: what an answer returned, and what a policy would give up."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from app.domain.scoring.recall_value import RecallWeights
from app.ids import ChunkId, DocumentId, EdgeId
from app.space_settings import Eviction


@dataclass(frozen=True, slots=True)
class Returned:
    """The chunks and edges that one answer gave its caller, each with its score, 0 to 1."""

    chunks: Mapping[ChunkId, float] = field(default_factory=dict)
    edges: Mapping[EdgeId, float] = field(default_factory=dict)


class EvictionReason(StrEnum):
    """Why a policy gives up a chunk: it is too old, of too little value, or one more than the space keeps."""

    EXPIRED = "expired"
    LITTLE_RECALLED = "little_recalled"
    OVER_CAPACITY = "over_capacity"


@dataclass(frozen=True, slots=True)
class Policy:
    """By what a space gives up chunks (requirement 12.2); None is a condition that it does not have.

    A chunk's value goes by `weights`; recall_based leaves alone what is younger than `grace`.
    """

    eviction: Eviction
    ttl_days: float | None
    max_chunks: int | None
    min_value: float | None
    including_last_evidence: bool
    weights: RecallWeights
    grace: timedelta


@dataclass(frozen=True, slots=True)
class EvictableChunk:
    """Chunk number `place`, from 1, in the order of going; `value` is that of requirement 12.1."""

    place: int
    chunk_id: ChunkId
    document_id: DocumentId
    document_title: str
    ordinal: int
    value: float
    recall_count: int
    last_recalled_at: datetime | None
    created_at: datetime
    reason: EvictionReason


@dataclass(frozen=True, slots=True)
class Plan:
    """The eviction that a policy plans in a space that has `chunks` of them.

    `evictable` is how many go, of which `listed` has some; `spared` how many more would go if they were not
    the last evidence of an edge. With `more` these count the chunks that were examined, the first to go, and
    others may go behind them.
    """

    policy: Policy
    chunks: int = 0
    evictable: int = 0
    spared: int = 0
    listed: tuple[EvictableChunk, ...] = ()
    more: bool = False


@dataclass(frozen=True, slots=True)
class Recalls:
    """Recalls of one thing that wait to be written: how often, the sum of scores, seconds since the last
    one.
    """

    count: int
    total_score: float
    age: float
