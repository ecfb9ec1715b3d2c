"""Shapes of the communities domain."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, NewType
from uuid import UUID

from app.ids import NodeId

CommunityId = NewType("CommunityId", UUID)

MAX_CENTRAL_NODES = 3
"""Number of central nodes that name a community without a report."""


@dataclass(frozen=True, slots=True)
class DetectionOptions:
    """Parameters of detection: minimum total weight of a pair, maximum levels, seed (requirement 7.1)."""

    min_weight: float
    levels: int
    seed: int


@dataclass(frozen=True, slots=True)
class Finding:
    """One sentence of a report and the edges that it cites, as they were when it was written."""

    text: str
    edge_ids: tuple[UUID, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """The report on a community; `by` is "rules" or the model's name."""

    title: str
    summary: str
    findings: tuple[Finding, ...]
    by: str


@dataclass(frozen=True, slots=True)
class Community:
    """A stored community. `stale`: its members or facts changed since its report."""

    id: CommunityId
    level: int
    parent_id: CommunityId | None
    member_count: int
    title: str
    summary: str
    findings: tuple[Finding, ...]
    reported_by: str | None
    reported_at: datetime | None
    stale: bool
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class CommunityMember:
    """A node of a community; `weight` is that of its ties within its community of level 0."""

    node_id: NodeId
    canonical_name: str
    node_type: str
    mention_count: int
    weight: float


@dataclass(frozen=True, slots=True)
class CommunityEvent:
    """An event of a community in a run: new, split, merged or gone."""

    change: str
    other_ids: tuple[UUID, ...]
    created_at: datetime


@dataclass(frozen=True, slots=True)
class CommunityDetail:
    """A community with its most central members, its parts, and its history."""

    community: Community
    members: tuple[CommunityMember, ...]
    parts: tuple[Community, ...]
    history: tuple[CommunityEvent, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """A community with its largest parts."""

    community: Community
    parts: tuple[Community, ...]


@dataclass(frozen=True, slots=True)
class CommunityMap:
    """The largest communities of a level, or of one community, and the total numbers."""

    blocks: tuple[Block, ...]
    communities: int
    members: int


@dataclass(frozen=True, slots=True)
class CommunityRunReport:
    """One run of the detection and its changes; `partials` is 0 for a whole run."""

    id: UUID
    created_at: datetime
    nodes: int
    pairs: int
    communities: int
    modularity: float
    partials: int | None
    new: int
    split: int
    merged: int
    gone: int


@dataclass(frozen=True, slots=True)
class RunEvent:
    """An event of a run; `exists` is whether the community still exists."""

    id: UUID
    change: str
    community_id: CommunityId
    level: int
    title: str
    other_ids: tuple[UUID, ...]
    exists: bool


@dataclass(frozen=True, slots=True)
class Claim:
    """All edges among a community's members that state one thing, and the best quote of one of them.

    `edge_ids` are the strongest, at most three, in order; `weight` is the sum over all.
    """

    from_name: str
    relation_type: str
    to_name: str
    weight: float
    edge_ids: tuple[UUID, ...]
    quote: str | None


class NamingDocument(NamedTuple):
    """A document by its title, and how many of a community's `ReportMaterial.core_size` nodes it names."""

    title: str
    node_count: int


@dataclass(frozen=True, slots=True)
class ReportMaterial:
    """The material of a report: central nodes, strongest claims, and the documents that name most of the
    `core_size` most central nodes.
    """

    community_id: CommunityId
    content_hash: UUID
    title: str
    is_titled: bool
    member_count: int
    members: tuple[CommunityMember, ...]
    claims: tuple[Claim, ...]
    core_size: int
    documents: tuple[NamingDocument, ...]


def build_finding_from_json(stored_finding: Mapping[str, Any]) -> Finding:
    """Return a finding from its stored form."""
    return Finding(
        str(stored_finding["text"]), tuple(UUID(edge_id) for edge_id in stored_finding["edge_ids"])
    )


class NodeCommunity(NamedTuple):
    """A community that contains a node."""

    community_id: CommunityId
    level: int
    title: str
