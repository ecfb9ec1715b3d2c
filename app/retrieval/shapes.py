"""Data shapes of retrieval: the query, scored passages and facts, and the reasons for them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from app.graph.shapes import Anchor, Edge, Explanation, Node
from app.ids import ChunkId, DocumentId, EdgeId


class Strategy(StrEnum):
    """The channels that retrieval uses (requirement 9.3)."""

    HYBRID = "hybrid"
    KNOWLEDGE_ONLY = "knowledge_only"
    GRAPH_ONLY = "graph_only"


class Scoring(StrEnum):
    """The score of results (requirement 9.4); `walk` is the channels' own order."""

    WALK = "walk"
    HYBRID = "hybrid"
    TEXT_OVERLAP = "text_overlap"
    GRAPH_DISTANCE = "graph_distance"
    TEMPORAL = "temporal"
    REFERENCE = "reference"


@dataclass(frozen=True, slots=True)
class Query:
    """A question and how to answer it; `as_of` selects the claims that held at that moment."""

    text: str
    strategy: Strategy = Strategy.HYBRID
    scoring: Scoring = Scoring.WALK
    top_k: int = 10
    min_score: float = 0.0
    as_of: datetime | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk that answers; results are sorted by `score`.

    `breakdown` has each part of the score by name; `facts` are the answer's edges that it states, `why`
    explains how it was found.
    """

    chunk_id: ChunkId
    document_id: DocumentId
    document_title: str
    heading_path: tuple[str, ...]
    text: str
    char_start: int
    char_end: int
    source_kind: str
    created_at: datetime
    score: float
    breakdown: dict[str, float] = field(default_factory=dict)
    facts: tuple[EdgeId, ...] = ()
    why: tuple[str, ...] = ()
    # Its position in the file in words, if the format has positions.
    place: str | None = None
    # The trust in its document, at most 1.
    trust: float = 1.0


@dataclass(frozen=True, slots=True)
class ScoredFact:
    """An edge among the answer's facts, with its score (requirement 9.4) and hop from the anchors."""

    edge: Edge
    score: float
    hop: int
    breakdown: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RetrievalResult:
    """The result of one query, from the graph at revision `graph_revision`.

    `passages` are best first; `facts` (at most 30) are best first and their ends are in `nodes`;
    `explanation` has paths and numbered citations of the same facts. `warnings` says what was unavailable,
    `truncated` which limits cut something off; both are messages for the user. `unknown_names` are names, as
    the question writes them, that no node has and no text of the space contains; `readings` says so, and how
    misspelled names were read. `trust` has the trust in the documents of the evidence where it is below 1.
    """

    query: Query
    anchors: tuple[Anchor, ...]
    passages: tuple[Passage, ...]
    facts: tuple[ScoredFact, ...]
    nodes: tuple[Node, ...]
    explanation: Explanation | None
    graph_revision: int
    cached: bool = False
    truncated: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    unknown_names: tuple[str, ...] = ()
    readings: tuple[str, ...] = ()
    trust: Mapping[DocumentId, float] = field(default_factory=dict)
