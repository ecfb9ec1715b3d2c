"""Data shapes of a drawn graph: groups, nodes, claims and ties, with positions."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from app.domain.layers import Layer
from app.ids import NodeId

SIZE = 1_000.0
"""The side of the square in which everything is drawn."""


@dataclass(frozen=True, slots=True)
class ViewFilters:
    """Filters on ties between communities; claims between nodes are all returned, and the page filters them.

    `as_of` selects the claims that held at that moment, None those that hold now.
    """

    as_of: datetime | None = None
    relation: str | None = None
    layer: Layer | None = None
    min_confidence: float | None = None


class Circle(NamedTuple):
    """A disc in the square of the drawing."""

    x: float
    y: float
    radius: float


@dataclass(slots=True)
class DrawnGroup:
    """A community as a disc; if open, its content is drawn in its place.

    The group with id zero stands for the nodes without a community.
    """

    id: UUID
    title: str
    level: int
    members: int
    circle: Circle
    has_report: bool = False
    is_open: bool = False
    root: int = -1
    """The index of the first-level group that contains it, or its own."""


class DrawnNode(NamedTuple):
    """A node with its position; `group` is the index of its first-level community, or -1.

    `spacing` is the approximate distance to its neighbours.
    """

    id: NodeId
    name: str
    node_type: str
    mentions: int
    degree: int
    confidence: float
    group: int
    x: float
    y: float
    spacing: float


class ClaimSpan(NamedTuple):
    """All edges of one claim that hold between the same two days, counted from 1970; None is unbounded.

    `is_denied` is whether they deny the claim; `holds_today` whether they hold now.
    """

    from_id: NodeId
    to_id: NodeId
    relation_type: str
    layer: Layer
    weight: float
    confidence: float
    sources: int
    since: int | None
    until: int | None
    is_supported: bool
    is_denied: bool
    holds_today: bool

    def holds_on(self, day: int | None) -> bool:
        """Return whether the claim holds at the beginning of the day; now if the day is None."""
        if self.is_denied:
            return False
        if day is None:
            return self.holds_today
        return (self.since is None or self.since <= day) and (self.until is None or day < self.until)


class Tie(NamedTuple):
    """The combined claims between two ends of which at least one is a closed group.

    An end of 0 or more is the index of a node; -1 - n is group n.
    """

    first: int
    second: int
    claims: int
    weight: float
    confidence: float


@dataclass(slots=True)
class GraphView:
    """A drawing of the graph; `by_communities` is whether it is too large to draw node by node.

    `contested` has the indices of contested claims; `first_day` is the first day on which a claim is stated
    to hold, `last_day` the last on which one begins or is known to end; `notes` are messages about what is
    not drawn.
    """

    by_communities: bool
    nodes_in_space: int
    groups: list[DrawnGroup] = field(default_factory=list)
    nodes: list[DrawnNode] = field(default_factory=list)
    claims: list[ClaimSpan] = field(default_factory=list)
    contested: frozenset[int] = frozenset()
    ties: list[Tie] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    first_day: int | None = None
    last_day: int | None = None
