"""Which claims of an explanation contradict one another; pure."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from app.graph.shapes import Conflict, Edge
from app.ids import NodeId

ONE_WAY = frozenset({"owns", "part_of", "created", "replaces", "deprecates", "located_in", "works_for"})
"""Relation types of requirement 5.2 that cannot hold both ways between two nodes."""


def may_be_contested(edges: Iterable[Edge], single_valued: Collection[str]) -> list[Edge]:
    """Those of a relation that the space declares to have one value: other edges may name another."""
    return [edge for edge in edges if edge.relation_type in single_valued]


def conflicts(edges: Sequence[Edge], single_valued: Collection[str]) -> tuple[Conflict, ...]:
    """Groups of edges that cannot all hold, in the order of the edges.

    Nothing is decided: both sides stay and both are cited (requirement 4.2).
    """
    found = []
    values: dict[tuple[NodeId, str], list[Edge]] = defaultdict(list)
    ways: dict[tuple[frozenset[NodeId], str], list[Edge]] = defaultdict(list)
    for edge in edges:
        if edge.relation_type in single_valued:
            values[edge.from_node_id, edge.relation_type].append(edge)
        if edge.relation_type in ONE_WAY:
            ways[frozenset((edge.from_node_id, edge.to_node_id)), edge.relation_type].append(edge)
    for group in values.values():
        if len({edge.to_node_id for edge in group}) > 1:
            found.append(Conflict("single_valued", tuple(edge.id for edge in group)))
    for group in ways.values():
        if len({edge.from_node_id for edge in group}) > 1:
            found.append(Conflict("opposite", tuple(edge.id for edge in group)))
    return tuple(found)
