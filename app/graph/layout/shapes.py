"""Shapes of a drawn graph: groups, nodes, claims and ties, each with the place where it stands."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from app.domain.layers import Layer
from app.ids import NodeId

SIZE = 1_000.0
"""The side of the square that everything is drawn in."""


@dataclass(frozen=True, slots=True)
class ViewFilters:
    """Filters of what ties communities; between nodes all is told, and the page filters by itself.

    `as_of` shows the claims that held at that moment, None those that hold now.
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
    """A community as a disc; open where what is inside is drawn in its place.

    The one whose id is zero stands for the nodes that are in none.
    """

    id: UUID
    title: str
    level: int
    members: int
    circle: Circle
    has_report: bool = False
    is_open: bool = False
    root: int = -1
    """The place in the list of the group of the first level that holds it, or its own."""


class DrawnNode(NamedTuple):
    """A node with its place; `group` is the place in the list of its community of the first level, or -1.

    `room` is how far it stands from the next, about.
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
    room: float


class ClaimSpan(NamedTuple):
    """All edges of one claim that held between the same two days, counted from 1970; None leaves it open.

    `is_denied` where they say that the claim does not hold.
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

    def holds_on(self, day: int | None) -> bool:
        """Return whether it holds at the beginning of that day; now where there is none."""
        if self.is_denied:
            return False
        if day is None:
            return self.until is None
        return (self.since is None or self.since <= day) and (self.until is None or day < self.until)


class Tie(NamedTuple):
    """Claims between two ends of which at least one is a closed group, taken together.

    An end from 0 on is the place of a node in its list; -1 - n is that of group n.
    """

    first: int
    second: int
    claims: int
    weight: float
    confidence: float


@dataclass(slots=True)
class GraphView:
    """A drawing of the graph. `by_communities` where the graph is too large to draw node by node.

    `contested` has the places of the claims that others contradict; `first_day` is the first since which a
    claim is said to hold; `notes` are sentences about what is not drawn.
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
