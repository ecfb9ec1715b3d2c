"""Shapes of the summaries domain."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from app.derived.summaries.delta import SummaryFact
from app.derived.summaries.gate import GateState
from app.ids import EdgeId, NodeId

RULES = "rules"


@dataclass(frozen=True, slots=True)
class FactRow:
    """One active edge of a node: the fact that it states, and how strongly."""

    edge_id: EdgeId
    fact: SummaryFact
    weight: float


@dataclass(frozen=True, slots=True)
class NodeToLookAt:
    """A node with its state as it was read; `change` is None where only what a burst held off is due.

    `seen` are the keys of the facts of the last look, `episodes` the looks so far (0 without a summary), and
    `vector_of` the number of the episode that the summary was written at.
    """

    id: NodeId
    change: UUID | None
    name: str
    node_type: str
    state: GateState = field(default_factory=GateState)
    vector_of: int = 0
    seen: frozenset[bytes] = frozenset()
    episodes: int = 0


@dataclass(frozen=True, slots=True)
class Claim:
    """All edges of a node that state one fact; the strongest three of them, and the strongest one's quote."""

    fact: SummaryFact
    weight: float
    edge_ids: tuple[EdgeId, ...]


@dataclass(frozen=True, slots=True)
class Material:
    """The material of a summary: the node and its strongest claims, the strongest first."""

    node_id: NodeId
    name: str
    node_type: str
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class Citation:
    """A range of the summary's characters and the edges that it rests on, as they were when it was
    written.
    """

    char_start: int
    char_end: int
    edge_ids: tuple[EdgeId, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary of a node; `written_by` is rules or the model's name."""

    text: str
    citations: tuple[Citation, ...]
    written_by: str


@dataclass(frozen=True, slots=True)
class NodeSummary:
    """A node's summary as it stands, and what the gate last decided about it."""

    node_id: NodeId
    canonical_name: str
    node_type: str
    summary: Summary
    at: datetime
    looked_at: datetime
    last_reason: str
    pending: bool
    due_at: datetime | None
    refreshed: int
    skipped: int
    mention_count: int


@dataclass(frozen=True, slots=True)
class ReasonCount:
    """How often the gate decided for one reason."""

    reason: str
    refreshed: bool
    decisions: int
    last_at: datetime


@dataclass(frozen=True, slots=True)
class Skip:
    """A refresh that the gate skipped, kept for review: what was new, how far it drifted, what stayed."""

    node_id: NodeId
    canonical_name: str
    node_type: str
    at: datetime
    reason: str
    drift: float
    new_facts: tuple[str, ...]
    summary: str


@dataclass(frozen=True, slots=True)
class GateReport:
    """The decisions of a space's gate so far, and a sample of its skips, newest first."""

    counts: tuple[ReasonCount, ...]
    skips: tuple[Skip, ...]

    @property
    def skipped_share(self) -> float:
        """Share of decisions that left the summary as it was, 0 to 1."""
        total = sum(count.decisions for count in self.counts)
        skipped = sum(count.decisions for count in self.counts if not count.refreshed)
        return skipped / total if total else 0.0


def citation_from_json(stored: Mapping[str, Any]) -> Citation:
    """A citation as it was stored."""
    edges = tuple(EdgeId(UUID(edge_id)) for edge_id in stored["edge_ids"])
    return Citation(int(stored["char_start"]), int(stored["char_end"]), edges)
