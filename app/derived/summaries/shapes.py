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
    """One active edge of a node: its fact and its strength."""

    edge_id: EdgeId
    fact: SummaryFact
    weight: float


@dataclass(frozen=True, slots=True)
class NodeToEvaluate:
    """A node with its state as read; `change` is None if only a deferred evaluation is due.

    `seen_keys` are the keys of the facts of the last evaluation, `episode_count` the number of evaluations so
    far (0 without a summary), and `vector_of` the number of the episode at which the summary was written.
    """

    id: NodeId
    change: UUID | None
    name: str
    node_type: str
    state: GateState = field(default_factory=GateState)
    vector_of: int = 0
    seen_keys: frozenset[bytes] = frozenset()
    episode_count: int = 0


@dataclass(frozen=True, slots=True)
class Claim:
    """All edges of a node that state one fact; the strongest three of them, and the strongest one's quote."""

    fact: SummaryFact
    weight: float
    edge_ids: tuple[EdgeId, ...]


@dataclass(frozen=True, slots=True)
class SummaryMaterial:
    """The material of a summary: the node and its strongest claims, in order."""

    node_id: NodeId
    name: str
    node_type: str
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class Citation:
    """A range of the summary's characters and the edges that it cites, as they were when it was written."""

    char_start: int
    char_end: int
    edge_ids: tuple[EdgeId, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary of a node; `written_by` is "rules" or the model's name."""

    text: str
    citations: tuple[Citation, ...]
    written_by: str


@dataclass(frozen=True, slots=True)
class NodeSummary:
    """A node's stored summary, and the gate's last decision about it."""

    node_id: NodeId
    canonical_name: str
    node_type: str
    summary: Summary
    at: datetime
    checked_at: datetime
    last_reason: str
    pending: bool
    due_at: datetime | None
    refreshed: int
    skipped: int
    mention_count: int


@dataclass(frozen=True, slots=True)
class ReasonCount:
    """The number of the gate's decisions for one reason."""

    reason: str
    refreshed: bool
    decisions: int
    last_at: datetime


@dataclass(frozen=True, slots=True)
class Skip:
    """A refresh that the gate skipped, stored for review: the new facts, the drift, and the kept summary."""

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
        """Return the share of decisions without a refresh, 0 to 1."""
        total = sum(count.decisions for count in self.counts)
        skipped_count = sum(count.decisions for count in self.counts if not count.refreshed)
        return skipped_count / total if total else 0.0


def build_citation_from_json(stored_citation: Mapping[str, Any]) -> Citation:
    """Return a citation from its stored form."""
    edge_ids = tuple(EdgeId(UUID(edge_id)) for edge_id in stored_citation["edge_ids"])
    return Citation(int(stored_citation["char_start"]), int(stored_citation["char_end"]), edge_ids)
