"""The SQL statements of the drawn graph, and of its stored positions."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from app.db.session import SpaceSession
from app.domain.layers import get_layer_of_relation, list_claim_relation_types
from app.graph.layout.shapes import ClaimSpan, ViewFilters
from app.graph.shapes import NodeAndRelation
from app.ids import EdgeId, NodeId

SCANNED_CLAIM_EDGES, SCANNED_TIE_EDGES = 200, 100
"""Number of a node's strongest edges that are scanned for drawn claims, and for ties."""
MAX_NODES_TYING_COMMUNITIES = 100_000
"""Number of the most central nodes whose edges tie communities to each other."""
MAX_STORED_LAYOUTS = 300
"""Maximum number of layouts that are stored for one space."""


class NodeRow(NamedTuple):
    """A node as drawn, without its position."""

    id: NodeId
    name: str
    node_type: str
    mentions: int
    degree: int
    confidence: float


class GroupRow(NamedTuple):
    """A community as drawn, without its position."""

    id: UUID
    level: int
    parent_id: UUID | None
    members: int
    title: str
    has_report: bool


class TieRow(NamedTuple):
    """The ties between two ends: number of claims, their summed weight, and the highest confidence."""

    first_id: UUID
    second_id: UUID
    claim_count: int
    weight: float
    confidence: float


def count_nodes(space: SpaceSession) -> int:
    """Return the number of nodes in the space."""
    return int(space.run("graph.layout.count_nodes")[0][0])


def list_most_mentioned_nodes(space: SpaceSession, *, limit: int) -> list[NodeId]:
    """Return the most mentioned nodes."""
    return [
        NodeId(row[0])
        for row in space.run("graph.layout.list_most_mentioned_nodes", {"limit": limit}, should_prepare=False)
    ]


def list_nodes_to_draw(space: SpaceSession, node_ids: Sequence[UUID]) -> list[NodeRow]:
    """Return those of these nodes that exist, most mentioned first."""
    rows = space.run("graph.layout.list_nodes_to_draw", {"ids": list(node_ids)}, should_prepare=False)
    return [NodeRow(*row) for row in rows]


def list_claims_to_draw(space: SpaceSession, node_ids: Sequence[UUID], *, limit: int) -> list[ClaimSpan]:
    """Return all claims between these nodes, including ended, later and denied ones, heaviest first."""
    parameters = {"ids": list(node_ids), "limit": limit, "scan": SCANNED_CLAIM_EDGES}
    declared_types = space.settings.extra_relation_types
    return [
        ClaimSpan(from_id, to_id, relation, get_layer_of_relation(relation, declared_types), *columns)
        for from_id, to_id, relation, *columns in space.run(
            "graph.layout.list_claims_to_draw", parameters, should_prepare=False
        )
    ]


def find_standing_values_of_contested_relations(
    space: SpaceSession, nodes_and_relations: Sequence[NodeAndRelation], *, as_of: datetime | None
) -> dict[NodeAndRelation, list[NodeId]]:
    """Return the given (node, relation) pairs that have several standing values, with the values."""
    parameters = {
        "from_nodes": [node for node, _ in nodes_and_relations],
        "relations": [relation for _, relation in nodes_and_relations],
        "as_of": as_of,
        "scan": SCANNED_CLAIM_EDGES,
    }
    return {
        (NodeId(row[0]), row[1]): [NodeId(value) for value in row[2]]
        for row in space.run("graph.layout.find_standing_values_of_contested_relations", parameters)
    }


class DayRange(NamedTuple):
    """The first and the last day of claims, counted from the epoch."""

    first: int | None
    last: int | None


def get_first_and_last_day_of_claims(space: SpaceSession, *, node_count: int) -> DayRange:
    """Return the first day on which a claim about the most mentioned nodes is stated to hold, and the last
    on which one begins or is known to end.
    """
    parameters = {"nodes": node_count, "scan": SCANNED_CLAIM_EDGES}
    first_day, last_day = space.run("graph.layout.get_days_of_claims", parameters, should_prepare=False)[0]
    return DayRange(first_day, last_day)


class TopCommunities(NamedTuple):
    """The largest first-level communities with their sizes, and the numbers of all and of their nodes."""

    sizes: list[tuple[UUID, int]]
    community_count: int
    node_count: int


def list_largest_top_communities(space: SpaceSession, *, limit: int) -> TopCommunities:
    """Return the `limit` largest first-level communities, largest first."""
    rows = space.run("graph.layout.list_largest_top_communities", {"limit": limit}, should_prepare=False)
    if not rows:
        return TopCommunities([], 0, 0)
    return TopCommunities([(row[0], row[1]) for row in rows], int(rows[0][2]), int(rows[0][3]))


class SubcommunitySize(NamedTuple):
    """A community within another one, and its number of nodes."""

    community_id: UUID
    node_count: int


def list_subcommunities_with_sizes(
    space: SpaceSession, community_id: UUID, *, limit: int
) -> list[SubcommunitySize]:
    """Return the subcommunities of this community with their sizes, largest first."""
    rows = space.run(
        "graph.layout.list_subcommunities", {"community": community_id, "limit": limit}, should_prepare=False
    )
    return [SubcommunitySize(row[0], row[1]) for row in rows]


def get_communities(space: SpaceSession, community_ids: Sequence[UUID]) -> dict[UUID, GroupRow]:
    """Return those of these communities that exist, by id."""
    rows = space.run("graph.layout.get_communities", {"ids": list(community_ids)}, should_prepare=False)
    return {row[0]: GroupRow(*row) for row in rows}


def get_parents_of_communities(space: SpaceSession, community_ids: Sequence[UUID]) -> dict[UUID, UUID | None]:
    """Map these communities and all their ancestors to their parents."""
    rows = space.run(
        "graph.layout.get_parents_of_communities", {"ids": list(community_ids)}, should_prepare=False
    )
    return {row[0]: row[1] for row in rows}


def list_most_central_members(
    space: SpaceSession, community_id: UUID, *, includes_subcommunities: bool, limit: int
) -> list[NodeId]:
    """Return the most central nodes of a community; with `includes_subcommunities` also those of its
    subcommunities.
    """
    parameters = {"community": community_id, "whole": includes_subcommunities, "limit": limit}
    return [
        NodeId(row[0])
        for row in space.run("graph.layout.list_most_central_members", parameters, should_prepare=False)
    ]


def list_nodes_without_community(space: SpaceSession, *, limit: int) -> list[NodeId]:
    """Return the most mentioned nodes without a community."""
    return [
        NodeId(row[0])
        for row in space.run(
            "graph.layout.list_nodes_without_community", {"limit": limit}, should_prepare=False
        )
    ]


def list_ties_between_top_communities(
    space: SpaceSession, filters: ViewFilters, *, limit: int
) -> list[TieRow]:
    """Return the ties between first-level communities, heaviest first."""
    parameters = {
        **_build_filter_parameters(space, filters),
        "members": MAX_NODES_TYING_COMMUNITIES,
        "scan": SCANNED_TIE_EDGES,
        "limit": limit,
    }
    _, rows, _ = space.run_each_statement("graph.layout.list_ties_between_top_communities", parameters)
    return [TieRow(*row) for row in rows]


def list_ties_of_communities_and_nodes(
    space: SpaceSession,
    community_ids: Sequence[UUID],
    node_ids: Sequence[UUID],
    filters: ViewFilters,
    *,
    limit: int,
) -> list[TieRow]:
    """Return the ties of these communities and nodes; other ends are given by their finest community."""
    parameters = {
        **_build_filter_parameters(space, filters),
        "parts": list(community_ids),
        "nodes": list(node_ids),
        "scan": SCANNED_TIE_EDGES,
        "limit": limit,
    }
    return [
        TieRow(*row)
        for row in space.run(
            "graph.layout.list_ties_of_communities_and_nodes", parameters, should_prepare=False
        )
    ]


def list_ids_of_edges_between(
    space: SpaceSession, first_id: NodeId, second_id: NodeId, *, limit: int
) -> list[EdgeId]:
    """Return the edges between two nodes, including ended and denied ones; current ones first, heaviest
    first.
    """
    parameters = {"one": first_id, "other": second_id, "limit": limit}
    return [EdgeId(row[0]) for row in space.run("graph.layout.list_ids_of_edges_between", parameters)]


def find_stored_layout(space: SpaceSession, part_key: str, version: str) -> bytes | None:
    """Return the stored layout of a part, or None if there is none for this version of the graph."""
    rows = space.run("graph.layout.find_stored_layout", {"part": part_key, "version": version})
    return bytes(rows[0][0]) if rows else None


def store_layout(space: SpaceSession, part_key: str, version: str, body: bytes) -> None:
    """Store a layout for all processes."""
    space.run(
        "graph.layout.store_layout",
        {"part": part_key, "version": version, "body": body, "most": MAX_STORED_LAYOUTS - 1},
    )


def _build_filter_parameters(space: SpaceSession, filters: ViewFilters) -> dict[str, object]:
    return {
        "layer": filters.layer,
        "claim_types": list(list_claim_relation_types(space.settings.extra_relation_types)),
        "as_of": filters.as_of,
        "relation": filters.relation,
        "min_confidence": filters.min_confidence,
    }
