"""Traverse the graph, one statement each: anchors, two hops, paths between two nodes, neighbourhoods."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import UUID

from app.db.session import SpaceSession
from app.db.sql import Pending
from app.graph.questions import Mention
from app.graph.repository import (
    EDGE_COLUMN_COUNT,
    Row,
    build_edges_from_rows,
    build_layer_parameters,
    build_node_from_row,
    build_nodes_from_rows,
)
from app.graph.shapes import Direction, Edge, GraphFilters, Node
from app.ids import EdgeId, NodeId

SCANNED_HINT_EDGES = 300
"""Number of an anchor's strongest edges that are scanned for a relation that the question names."""
MAX_PROBES = 1_000
"""Number of a node's strongest edges, per direction, that are tried as the first half of a path."""
LIGHT_DEGREE = 500
"""Maximum degree up to which all edges of a node are read to find those within a set, instead of pairs."""

MAX_CHARACTERS_OF_SOUNDED_NAME, MAX_SOUNDS = 60, 3_000
"""Characters of a name that is searched by its sound, and sounds of all names, each an index probe."""
NAMES_PER_SOUND, MAX_SIMILAR_NAMES = 20, 300
"""Names per sound, and in total, whose spelling is compared with the searched name."""


@dataclass(frozen=True, slots=True)
class NodeMatch:
    """A node found by a name or id; `normalised_name` is "" for an id."""

    normalised_name: str
    node: Node


@dataclass(frozen=True, slots=True)
class ReachedEdge:
    """An edge reached from the anchors at `hop`; at hop 2, `via` is the edge before it."""

    edge: Edge
    hop: int
    via: EdgeId | None
    worth: float


@dataclass(frozen=True, slots=True)
class Walk:
    """The edges that lead from `start` to the other node of a pair, in walking order."""

    start: NodeId
    edges: tuple[Edge, ...]


def _send_statement_with_generic_plan(
    space: SpaceSession, name: str, parameters: Mapping[str, Any]
) -> Pending[list[Row]]:
    """Send a statement that has one plan for all values; return its rows, pending.

    Planning these statements takes three times as long as executing them, and by its own estimate Postgres
    would plan them each time. Only this statement is affected: others in the transaction keep plans that fit
    their values. The rows are transferred as text: in binary form a `real` of 0.9 would be
    0.8999999761581421.
    """
    with space.use_generic_plans_in_block():
        return space.send(name, parameters, should_prepare=True)


def _build_filter_parameters(space: SpaceSession, filters: GraphFilters) -> dict[str, Any]:
    return {
        **build_layer_parameters(space, filters.layers),
        "relation_types": list(filters.relation_types) or None,
        "node_types": list(filters.node_types) or None,
        "min_confidence": filters.min_confidence,
        "as_of": filters.as_of,
        # With NULL instead of false the planner removes the condition.
        "with_evidence": True if filters.with_evidence else None,
    }


class _EdgeOfRow(NamedTuple):
    """An edge, and the columns before those of the edge in its row."""

    leading_values: Row
    edge: Edge


class _EdgesAndNodes(NamedTuple):
    """Edges, and the nodes at their ends by id."""

    edges: list[_EdgeOfRow]
    nodes: dict[NodeId, Node]


def _split_edge_rows(space: SpaceSession, rows: list[Row], leading_column_count: int) -> _EdgesAndNodes:
    """Split rows into edges with their leading columns, and nodes; edges with a missing end are left out."""
    first_node_column = leading_column_count + EDGE_COLUMN_COUNT
    edge_rows = [row for row in rows if row[leading_column_count] is not None]
    node_rows = [
        row for row in rows if row[leading_column_count] is None and row[first_node_column] is not None
    ]
    nodes = {
        node.id: node
        for node in build_nodes_from_rows(
            [row[first_node_column:] for row in node_rows], space.settings.promotion_threshold
        )
    }
    edges = zip(
        edge_rows,
        build_edges_from_rows(space, [row[leading_column_count:first_node_column] for row in edge_rows]),
        strict=True,
    )
    complete_edges = [
        _EdgeOfRow(row[:leading_column_count], edge)
        for row, edge in edges
        if edge.from_node_id in nodes and edge.to_node_id in nodes
    ]
    return _EdgesAndNodes(complete_edges, nodes)


def find_nodes_by_names_or_ids(
    space: SpaceSession, *, names: Sequence[str], node_ids: Sequence[UUID] = ()
) -> list[NodeMatch]:
    """Return the nodes with these normalised names or ids, at most five for each, best first per name.

    A short form of a name counts only if no node has it as full name or alias.
    """
    rows = _send_statement_with_generic_plan(
        space, "graph.find_nodes_by_names_or_ids", {"names": list(names), "ids": list(node_ids)}
    ).result()
    full_names = {row[0] for row in rows if row[1] != "short"}
    rows = [row for row in rows if row[1] != "short" or row[0] not in full_names]
    nodes = build_nodes_from_rows([row[2:] for row in rows], space.settings.promotion_threshold)
    return [NodeMatch(row[0], node) for row, node in zip(rows, nodes, strict=True)]


@dataclass(frozen=True, slots=True)
class SimilarNames:
    """The nodes whose names sound like a name, and whether a text of the space contains it."""

    occurs_in_text: bool
    matches: tuple[NodeMatch, ...]


def find_nodes_with_similar_names(space: SpaceSession, mentions: Sequence[Mention]) -> list[SimilarNames]:
    """Return for each of these names the nodes with a similar name, in order; one statement."""
    parameters = {
        "surfaces": [mention.surface for mention in mentions],
        "names": [mention.normalised_name[:MAX_CHARACTERS_OF_SOUNDED_NAME] for mention in mentions],
        "sounds": MAX_SOUNDS,
        "per_key": NAMES_PER_SOUND,
        "most": MAX_SIMILAR_NAMES,
    }
    matches_by_mention: list[list[NodeMatch]] = [[] for _ in mentions]
    does_name_occur = [False] * len(mentions)
    for row in _send_statement_with_generic_plan(space, "graph.find_similar_names", parameters).result():
        mention_index, occurs_in_text, normalised_name, *node_row = row
        does_name_occur[mention_index] = occurs_in_text
        if normalised_name is not None:
            node = build_node_from_row(tuple(node_row), space.settings.promotion_threshold)
            matches_by_mention[mention_index].append(NodeMatch(normalised_name, node))
    return [
        SimilarNames(occurs_in_text, tuple(matches))
        for occurs_in_text, matches in zip(does_name_occur, matches_by_mention, strict=True)
    ]


class FactsAndNodes(NamedTuple):
    """Facts around anchors, best first, and the nodes at their ends."""

    facts: list[ReachedEdge]
    nodes: dict[NodeId, Node]


def fetch_facts_within_two_hops(
    space: SpaceSession,
    anchor_ids: Sequence[NodeId],
    *,
    max_hops: int,
    fan_out: int,
    limit: int,
    hinted_relations: Sequence[str],
    filters: GraphFilters,
) -> Pending[FactsAndNodes]:
    """Send the query for the `limit` strongest facts around the anchors and the steps to them; `.result()`
    waits for it.

    The result has the facts, best first, and the nodes at their ends.
    """
    parameters = {
        "anchors": list(anchor_ids),
        "max_hops": max_hops,
        "fan_out": fan_out,
        "limit": limit,
        "hints": list(hinted_relations),
        "hint_scan": SCANNED_HINT_EDGES,
    }
    pending_rows = _send_statement_with_generic_plan(
        space, "graph.fetch_facts_within_two_hops", {**parameters, **_build_filter_parameters(space, filters)}
    )

    def build_facts(rows: list[Row]) -> FactsAndNodes:
        edges, nodes = _split_edge_rows(space, rows, 3)
        facts = [ReachedEdge(edge, hop, via_edge_id, worth) for (hop, via_edge_id, worth), edge in edges]
        reached_ids = {fact.edge.id for fact in facts}
        facts = [fact for fact in facts if fact.via is None or fact.via in reached_ids]
        return FactsAndNodes(sorted(facts, key=lambda fact: (-fact.worth, fact.edge.id)), nodes)

    return pending_rows.then(build_facts)


NodePair = tuple[Node, Node]
"""Two nodes between which paths are searched."""


def order_pair_by_degree(pair: NodePair) -> NodePair:
    """Return the pair in an order independent of the given one, the node with fewer edges first."""
    node_with_fewer_edges, node_with_more_edges = sorted(
        pair, key=lambda node: (node.out_degree + node.in_degree, node.id)
    )
    return node_with_fewer_edges, node_with_more_edges


class WalksAndNodes(NamedTuple):
    """Walks between pairs of nodes, and the nodes on them."""

    walks: list[Walk]
    nodes: dict[NodeId, Node]


def fetch_walks_between(
    space: SpaceSession,
    pairs: Sequence[NodePair],
    *,
    max_hops: int,
    limit: int,
    filters: GraphFilters,
    includes_ended: bool = False,
) -> Pending[WalksAndNodes]:
    """Send the query for the best walks of at most two hops between the nodes of each pair; `.result()` waits
    for it.

    Direct walks come first. Each pair is searched from its node with fewer edges, so a pair and its reverse
    have the same walks, reversed. With `includes_ended`, ended claims are included. The result has the walks
    and the nodes on them.
    """
    ordered_pairs = [order_pair_by_degree(pair) for pair in pairs]
    searched_pairs = list(
        dict.fromkeys((lower_node.id, higher_node.id) for lower_node, higher_node in ordered_pairs)
    )
    parameters = {
        "lower_degree": [lower_id for lower_id, _ in searched_pairs],
        "higher_degree": [higher_id for _, higher_id in searched_pairs],
        "max_hops": max_hops,
        "limit": limit,
        "probes": MAX_PROBES,
        "ended": True if includes_ended else None,
    }
    pending_rows = _send_statement_with_generic_plan(
        space, "graph.fetch_walks_between", {**parameters, **_build_filter_parameters(space, filters)}
    )
    asked_pairs = {(source_node.id, target_node.id) for source_node, target_node in pairs}

    def build_walks(rows: list[Row]) -> WalksAndNodes:
        edge_rows, nodes = _split_edge_rows(space, rows, 4)
        edges = {edge.id: edge for _, edge in edge_rows}
        walks = []
        for _, pair_number, *steps in sorted(row[:4] for row in rows if row[0] is not None):
            edge_ids = [edge_id for edge_id in steps if edge_id is not None]
            # Skip a walk with a missing edge, one of whose nodes was deleted.
            if all(edge_id in edges for edge_id in edge_ids):
                lower_id, higher_id = searched_pairs[pair_number - 1]
                walked_edges = tuple(edges[edge_id] for edge_id in edge_ids)
                if (lower_id, higher_id) in asked_pairs:
                    walks.append(Walk(lower_id, walked_edges))
                if (higher_id, lower_id) in asked_pairs:
                    walks.append(Walk(higher_id, walked_edges[::-1]))
        return WalksAndNodes(walks, nodes)

    return pending_rows.then(build_walks)


class NodesAndEdges(NamedTuple):
    """Reached nodes, each with its distance, and the edges among them."""

    nodes_with_distance: list[tuple[Node, int]]
    edges: list[Edge]


def fetch_neighborhood(
    space: SpaceSession,
    seed_ids: Sequence[NodeId],
    *,
    depth: int,
    direction: Direction,
    filters: GraphFilters,
    max_edges_per_node: int,
    max_nodes: int,
    max_edges: int,
) -> NodesAndEdges:
    """Return the nodes within `depth` with their distance, and the edges among them, strongest first.

    If there are more than requested, one extra node or edge is returned.
    """
    parameters = {
        **_build_filter_parameters(space, filters),
        "seeds": list(seed_ids),
        "depth": depth,
        "direction": direction.value,
        "per_node": max_edges_per_node,
        "max_nodes": max_nodes,
        "max_edges": max_edges,
        "light": LIGHT_DEGREE,
    }
    # Not prepared, so that Postgres plans it for these values: depth and direction decide which parts
    # are executed.
    rows = space.run("graph.fetch_neighborhood", parameters, should_prepare=False)
    edges, nodes = _split_edge_rows(space, rows, 2)
    distance_rows = sorted((row[0], -row[1], row[2 + EDGE_COLUMN_COUNT]) for row in rows if row[2] is None)
    edges_by_weight = sorted((edge for _, edge in edges), key=lambda edge: (-edge.weight, edge.id))
    return NodesAndEdges(
        [(nodes[node_id], distance) for distance, _, node_id in distance_rows], edges_by_weight
    )
