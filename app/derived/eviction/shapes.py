"""Shapes of the memory domain: the chunks and edges of an answer, and the plan of a policy."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from app.ids import ChunkId, DocumentId, EdgeId
from app.space_settings import Eviction


@dataclass(frozen=True, slots=True)
class ReturnedResults:
    """The chunks and edges that one answer gave its caller, each with its score, 0 to 1."""

    score_by_chunk: Mapping[ChunkId, float] = field(default_factory=dict)
    score_by_edge: Mapping[EdgeId, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RecallWeights:
    """Weights of the count, score and recency of recalls; the defaults are those of requirement 12.1.

    `half_life` is the age of the last recall at which its recency is one half; the requirement does not
    specify it.
    """

    count: float = 0.3
    average: float = 0.5
    recency: float = 0.2
    half_life: timedelta = timedelta(days=30)


class EvictionReason(StrEnum):
    """The reason of an eviction: too old, too little value, or more chunks than the space keeps."""

    EXPIRED = "expired"
    LITTLE_RECALLED = "little_recalled"
    OVER_CAPACITY = "over_capacity"


@dataclass(frozen=True, slots=True)
class Policy:
    """The conditions for eviction in a space (requirement 12.2); None is a condition that is not set.

    A chunk's value is computed with `weights`; recall_based spares chunks younger than `grace`.
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
    """The chunk of rank `place`, from 1, in eviction order; `value` is that of requirement 12.1."""

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
    """The eviction plan of a policy for a space with `chunks` chunks.

    `evictable` is the number of chunks to evict, of which `listed` contains some; `protected` the number that
    are kept only as the last evidence of an edge. With `more` these numbers cover the examined chunks, the
    first in eviction order, and further chunks may follow.
    """

    policy: Policy
    chunks: int = 0
    evictable: int = 0
    protected: int = 0
    listed: tuple[EvictableChunk, ...] = ()
    more: bool = False


@dataclass(frozen=True, slots=True)
class Recalls:
    """Unwritten recalls of one chunk or edge: their number, the sum of scores, seconds since the last one."""

    count: int
    total_score: float
    age_seconds: float
