"""Positions of what is drawn, computed once for each state of the graph and stored for all processes.

Only ids and numbers are stored: names and titles are read when a page is displayed, so that no word of a
deleted document remains here.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import UUID

import orjson

from app.db.session import SpaceSession
from app.derived.communities import service as communities
from app.graph.layout import layout, repository
from app.graph.layout.repository import SubcommunitySize, TieRow
from app.graph.layout.shapes import SIZE, Circle, ViewFilters
from app.ids import NodeId

MAX_NODES, MAX_CLAIMS = 3_000, 12_000
"""Maximum number of nodes that are drawn individually, and of claim spans among them."""
MAX_GROUPS, MAX_NODES_IN_GROUP = 300, 800
"""Maximum number of communities side by side, and of nodes within one community."""
MAX_TIES = 4_000
_MAX_TIES_IN_GROUP = 20_000
NO_COMMUNITY_ID = UUID(int=0)
"""The id that stands for the nodes without a community."""
_MAX_UNASSIGNED_SHARE = 0.25
# Version of the layout method; incrementing it invalidates stored layouts.
_METHOD_VERSION = 4
_DECIMALS = 4


Point = tuple[float, float]
"""The coordinates of a point."""


@dataclass(slots=True)
class GraphLayout:
    """Discs and nodes with positions: in the square at the top level, in a disc of radius 1 inside a
    community.

    `group_indices` has for each node the index of its disc, or -1. `total_nodes` counts the nodes of the
    space at the top level, of the community inside one; `loose_count` nodes have no community; `group_count`
    includes discs that are not drawn. `node_spacing` is the approximate distance between neighbouring nodes.
    """

    by_communities: bool
    total_nodes: int
    group_ids: list[UUID] = field(default_factory=list)
    circles: list[Circle] = field(default_factory=list)
    node_ids: list[NodeId] = field(default_factory=list)
    positions: list[Point] = field(default_factory=list)
    group_indices: list[int] = field(default_factory=list)
    loose_count: int = 0
    group_count: int = 0
    first_day: int | None = None
    last_day: int | None = None
    node_spacing: float = 0.0

    def to_bytes(self) -> bytes:
        """Serialise for storage."""
        return orjson.dumps(
            {
                "c": self.by_communities,
                "t": self.total_nodes,
                "g": [group_id.hex for group_id in self.group_ids],
                "o": [tuple(circle) for circle in self.circles],
                "n": [node_id.hex for node_id in self.node_ids],
                "p": self.positions,
                "i": self.group_indices,
                "l": self.loose_count,
                "a": self.group_count,
                "d": self.first_day,
                "e": self.last_day,
                "r": self.node_spacing,
            }
        )

    @classmethod
    def from_bytes(cls, body: bytes) -> "GraphLayout":
        """Restore from the bytes of `to_bytes`."""
        fields: dict[str, Any] = orjson.loads(body)
        return cls(
            fields["c"],
            fields["t"],
            [UUID(hex=hex_id) for hex_id in fields["g"]],
            [Circle(*circle) for circle in fields["o"]],
            [NodeId(UUID(hex=hex_id)) for hex_id in fields["n"]],
            [(x, y) for x, y in fields["p"]],
            fields["i"],
            fields["l"],
            fields["a"],
            fields["d"],
            fields["e"],
            fields["r"],
        )


def compute_layout_version(space: SpaceSession) -> str:
    """Return the version of graph and communities for which positions are computed."""
    run = communities.find_latest_run(space)
    return f"{_METHOD_VERSION}.{space.opening_state.graph_revision}.{run.id.hex if run else '-'}"


GroupSize = tuple[UUID, int]
"""A community, and the number of its nodes."""


def load_or_compute_and_store_top_layout(space: SpaceSession, version: str) -> GraphLayout:
    """Return the whole graph, or its communities if it is too large to be drawn node by node."""
    stored_layout = repository.find_stored_layout(space, "top", version)
    if stored_layout is not None:
        return GraphLayout.from_bytes(stored_layout)
    node_ids = repository.list_most_mentioned_nodes(space, limit=MAX_NODES + 1)
    group_sizes: list[GroupSize] = []
    if len(node_ids) > MAX_NODES:
        group_sizes, group_count, member_count = repository.list_largest_top_communities(
            space, limit=MAX_GROUPS
        )
    if group_sizes:
        graph_layout = _place_top_communities(space, version, group_sizes, group_count, member_count)
    else:
        node_count = len(node_ids) if len(node_ids) <= MAX_NODES else repository.count_nodes(space)
        graph_layout = _place_nodes(space, node_ids[:MAX_NODES], node_count)
    graph_layout.first_day, graph_layout.last_day = repository.get_first_and_last_day_of_claims(
        space, node_count=MAX_NODES
    )
    repository.store_layout(space, "top", version, graph_layout.to_bytes())
    return graph_layout


def load_or_compute_and_store_layout_inside_community(
    space: SpaceSession, version: str, community_id: UUID
) -> GraphLayout:
    """Return the subcommunities of a community, or its nodes if they are few, within a disc of radius 1."""
    part_key = f"inside:{community_id.hex}"
    stored_layout = repository.find_stored_layout(space, part_key, version)
    if stored_layout is not None:
        return GraphLayout.from_bytes(stored_layout)
    graph_layout = _compute_layout_inside_community(space, community_id)
    repository.store_layout(space, part_key, version, graph_layout.to_bytes())
    return graph_layout


def load_or_compute_and_store_ties_between_top_communities(
    space: SpaceSession, version: str, filters: ViewFilters
) -> list[TieRow]:
    """Return the ties between communities of the first level."""
    part_key = f"ties:{_hash_filters(filters)}"
    stored_ties = repository.find_stored_layout(space, part_key, version)
    if stored_ties is not None:
        return _decode_ties_from_json(stored_ties)
    tie_rows = repository.list_ties_between_top_communities(space, filters, limit=MAX_TIES)
    repository.store_layout(space, part_key, version, _encode_ties_as_json(tie_rows))
    return tie_rows


def load_or_compute_and_store_ties_inside_community(
    space: SpaceSession, version: str, community_id: UUID, graph_layout: GraphLayout, filters: ViewFilters
) -> list[TieRow]:
    """Return the ties of the subcommunities and nodes inside a community, including those to others."""
    part_key = f"ties:{community_id.hex}:{_hash_filters(filters)}"
    stored_ties = repository.find_stored_layout(space, part_key, version)
    if stored_ties is not None:
        return _decode_ties_from_json(stored_ties)
    tie_rows = repository.list_ties_of_communities_and_nodes(
        space, graph_layout.group_ids, graph_layout.node_ids, filters, limit=_MAX_TIES_IN_GROUP
    )
    repository.store_layout(space, part_key, version, _encode_ties_as_json(tie_rows))
    return tie_rows


IndexPair = tuple[int, int]
"""The indices of two parts or nodes that claims tie."""


def _place_nodes(space: SpaceSession, node_ids: Sequence[NodeId], node_count: int) -> GraphLayout:
    """Place every node in the disc of its first-level community or of its connected component."""
    claims = repository.list_claims_to_draw(space, node_ids, limit=MAX_CLAIMS)
    index_by_node = {node_id: index for index, node_id in enumerate(node_ids)}
    weight_by_pair: dict[IndexPair, float] = defaultdict(float)
    for claim in claims:
        left_index, right_index = sorted((index_by_node[claim.from_id], index_by_node[claim.to_id]))
        if left_index != right_index and not claim.is_denied:
            weight_by_pair[left_index, right_index] += claim.weight
    communities_by_node = communities.list_communities_of_nodes(space, node_ids)
    top_community_ids = [
        UUID(str(communities_by_node[node_id][-1].community_id)) if communities_by_node[node_id] else None
        for node_id in node_ids
    ]
    group_ids = sorted({community_id for community_id in top_community_ids if community_id is not None})
    index_by_group = {group_id: index for index, group_id in enumerate(group_ids)}
    group_indices = [
        -1 if community_id is None else index_by_group[community_id] for community_id in top_community_ids
    ]
    disc_by_node = _assign_nodes_to_discs(group_indices, weight_by_pair)
    placed_discs = _place_discs_and_members(disc_by_node, weight_by_pair)
    return GraphLayout(
        False,
        node_count,
        group_ids,
        [placed_discs.circle_by_disc[index] for index in range(len(group_ids))],
        list(node_ids),
        [placed_discs.position_by_node[index] for index in range(len(node_ids))],
        group_indices,
        group_count=len(group_ids),
        node_spacing=placed_discs.node_spacing,
    )


def _assign_nodes_to_discs(group_indices: Sequence[int], weight_by_pair: dict[IndexPair, float]) -> list[int]:
    """Return the disc of each node: its group's, else that of its heaviest neighbour, else of its
    component.
    """
    strongest_tie_by_node: dict[int, tuple[float, int]] = {}
    for (left_index, right_index), weight in sorted(weight_by_pair.items()):
        for node, neighbor in ((left_index, right_index), (right_index, left_index)):
            if group_indices[node] < 0 and group_indices[neighbor] >= 0:
                strongest_tie_by_node[node] = max(
                    strongest_tie_by_node.get(node, (0.0, -1)), (weight, group_indices[neighbor])
                )
    disc_by_node = [
        group if group >= 0 else strongest_tie_by_node.get(index, (0.0, -1))[1]
        for index, group in enumerate(group_indices)
    ]
    # The remaining nodes form small components: number each by its first node.
    parent_by_node = list(range(len(disc_by_node)))

    def find_root(node: int) -> int:
        while parent_by_node[node] != node:
            parent_by_node[node] = parent_by_node[parent_by_node[node]]
            node = parent_by_node[node]
        return node

    for left_index, right_index in sorted(weight_by_pair):
        if disc_by_node[left_index] < 0 and disc_by_node[right_index] < 0:
            root, other_root = sorted((find_root(left_index), find_root(right_index)))
            parent_by_node[other_root] = root
    first_free_group = max(group_indices, default=-1) + 1
    return [
        first_free_group + find_root(index) if disc < 0 else disc for index, disc in enumerate(disc_by_node)
    ]


class _PlacedDiscs(NamedTuple):
    """The circle of each disc, the position of each node, and the distance between neighbouring nodes."""

    circle_by_disc: dict[int, Circle]
    position_by_node: dict[int, Point]
    node_spacing: float


def _place_discs_and_members(
    disc_by_node: Sequence[int], weight_by_pair: dict[IndexPair, float]
) -> _PlacedDiscs:
    """Return the circle of each disc, the position of each node, and the distance between neighbours."""
    nodes_by_disc: dict[int, list[int]] = defaultdict(list)
    for node, disc in enumerate(disc_by_node):
        nodes_by_disc[disc].append(node)
    sorted_discs = sorted(nodes_by_disc)
    index_by_disc = {disc: index for index, disc in enumerate(sorted_discs)}
    index_in_disc = {node: index for disc in sorted_discs for index, node in enumerate(nodes_by_disc[disc])}
    ties_between: dict[IndexPair, float] = defaultdict(float)
    ties_within: dict[int, list[layout.Tie]] = defaultdict(list)
    for (left_index, right_index), weight in weight_by_pair.items():
        first_disc, second_disc = disc_by_node[left_index], disc_by_node[right_index]
        if first_disc == second_disc:
            ties_within[first_disc].append((index_in_disc[left_index], index_in_disc[right_index], weight))
        else:
            ties_between[
                min(index_by_disc[first_disc], index_by_disc[second_disc]),
                max(index_by_disc[first_disc], index_by_disc[second_disc]),
            ] += weight
    centres, radii = layout.place_discs(
        [len(nodes_by_disc[disc]) for disc in sorted_discs],
        [(first_disc, second_disc, weight) for (first_disc, second_disc), weight in ties_between.items()],
    )
    circle_by_disc, position_by_node = {}, {}
    for index, disc in enumerate(sorted_discs):
        circle = Circle(*_round_coordinates((*centres[index], radii[index])))
        circle_by_disc[disc] = circle
        member_positions = layout.place_members(len(nodes_by_disc[disc]), ties_within[disc])
        for node, (x, y) in zip(nodes_by_disc[disc], member_positions, strict=True):
            position_by_node[node] = map_unit_disc_point_into_circle(circle, x, y)
    node_spacing = 0.0
    if sorted_discs:
        node_spacing = (
            layout.compute_member_spacing(len(nodes_by_disc[sorted_discs[0]]))
            * circle_by_disc[sorted_discs[0]].radius
        )
    return _PlacedDiscs(circle_by_disc, position_by_node, round(node_spacing, _DECIMALS))


def _place_top_communities(
    space: SpaceSession,
    version: str,
    group_sizes: Sequence[GroupSize],
    group_count: int,
    member_count: int,
) -> GraphLayout:
    """Place discs of communities, and one for the nodes without a community."""
    node_count = repository.count_nodes(space)
    group_ids = [group_id for group_id, _ in group_sizes]
    disc_sizes = [float(size) for _, size in group_sizes]
    unassigned_count = max(0, node_count - member_count)
    if unassigned_count:
        group_ids.append(NO_COMMUNITY_ID)
        # However many there are, the communities get most of the room.
        disc_sizes.append(min(float(unassigned_count), sum(disc_sizes) * _MAX_UNASSIGNED_SHARE))
    index_by_group = {group_id: index for index, group_id in enumerate(group_ids)}
    ties = [
        (index_by_group[row.first_id], index_by_group[row.second_id], row.weight)
        for row in load_or_compute_and_store_ties_between_top_communities(space, version, ViewFilters())
        if row.first_id in index_by_group and row.second_id in index_by_group
    ]
    centres, radii = layout.place_discs(disc_sizes, ties)
    circles = [
        Circle(*_round_coordinates((*centre, radius))) for centre, radius in zip(centres, radii, strict=True)
    ]
    return GraphLayout(
        True, node_count, group_ids, circles, loose_count=unassigned_count, group_count=group_count
    )


def _compute_layout_inside_community(space: SpaceSession, community_id: UUID) -> GraphLayout:
    """Place the subcommunities of a community beside its own nodes, or all its nodes if they are few."""
    part_sizes: Sequence[SubcommunitySize] = ()
    if community_id == NO_COMMUNITY_ID:
        member_count = 0
        node_ids = repository.list_nodes_without_community(space, limit=MAX_NODES_IN_GROUP)
    else:
        group_rows = repository.get_communities(space, [community_id])
        member_count = group_rows[community_id].members if group_rows else 0
        if member_count > MAX_NODES_IN_GROUP:
            part_sizes = repository.list_subcommunities_with_sizes(space, community_id, limit=MAX_GROUPS)
        node_ids = repository.list_most_central_members(
            space, community_id, includes_subcommunities=not part_sizes, limit=MAX_NODES_IN_GROUP
        )
    # Subcommunities and single nodes are placed side by side: a node is a disc of size one.
    index_by_id = {
        UUID(str(member_id)): index
        for index, member_id in enumerate([*(part_id for part_id, _ in part_sizes), *node_ids])
    }
    weight_by_pair = _sum_tie_weights_inside(
        space, index_by_id, [part_id for part_id, _ in part_sizes], node_ids
    )
    ties = [(left_index, right_index, weight) for (left_index, right_index), weight in weight_by_pair.items()]
    if part_sizes:
        return _place_subcommunities_and_nodes(member_count, part_sizes, node_ids, ties)
    node_positions = [_round_coordinates(position) for position in layout.place_members(len(node_ids), ties)]
    node_spacing = round(layout.compute_member_spacing(len(node_ids)), _DECIMALS)
    return GraphLayout(
        True,
        member_count,
        node_ids=node_ids,
        positions=[(x, y) for x, y in node_positions],
        node_spacing=node_spacing,
    )


def _sum_tie_weights_inside(
    space: SpaceSession, index_by_id: dict[UUID, int], part_ids: Sequence[UUID], node_ids: Sequence[NodeId]
) -> dict[IndexPair, float]:
    """Return the summed weight of the ties between each two of these parts and nodes, by index."""
    weight_by_pair: dict[IndexPair, float] = defaultdict(float)
    for claim in repository.list_claims_to_draw(space, node_ids, limit=MAX_CLAIMS) if node_ids else []:
        left_index, right_index = sorted((index_by_id[claim.from_id], index_by_id[claim.to_id]))
        if left_index != right_index and not claim.is_denied:
            weight_by_pair[left_index, right_index] += claim.weight
    # The other ends are the finest communities; those that are parts themselves suffice for placing.
    for tie in (
        repository.list_ties_of_communities_and_nodes(
            space, part_ids, [], ViewFilters(), limit=_MAX_TIES_IN_GROUP
        )
        if part_ids
        else []
    ):
        if tie.second_id in index_by_id and tie.first_id != tie.second_id:
            left_index, right_index = sorted((index_by_id[tie.first_id], index_by_id[tie.second_id]))
            weight_by_pair[left_index, right_index] += tie.weight
    return weight_by_pair


def _place_subcommunities_and_nodes(
    member_count: int,
    part_sizes: Sequence[GroupSize],
    node_ids: Sequence[NodeId],
    ties: Sequence[layout.Tie],
) -> GraphLayout:
    """Place discs of subcommunities and of single nodes within a disc of radius 1."""
    disc_sizes = [*(float(size) for _, size in part_sizes), *(1.0 for _ in node_ids)]
    centres, radii = layout.place_discs(disc_sizes, ties)
    half_size = SIZE / 2
    circles = [
        Circle(
            *_round_coordinates(
                ((x - half_size) / half_size, (y - half_size) / half_size, radius / half_size)
            )
        )
        for (x, y), radius in zip(centres, radii, strict=True)
    ]
    return GraphLayout(
        True,
        member_count,
        [part_id for part_id, _ in part_sizes],
        circles[: len(part_sizes)],
        list(node_ids),
        [(circle.x, circle.y) for circle in circles[len(part_sizes) :]],
        node_spacing=circles[-1].radius * layout.compute_member_spacing(1) if node_ids else 0.0,
    )


def map_unit_disc_point_into_circle(circle: Circle, x: float, y: float) -> Point:
    """Return the point in the square for a point in a disc of radius 1, kept a little off the rim."""
    return (
        round(float(circle.x + x * circle.radius * 0.92), 2),
        round(float(circle.y + y * circle.radius * 0.92), 2),
    )


def _round_coordinates(coordinates: Iterable[float]) -> list[float]:
    return [round(float(coordinate), _DECIMALS) for coordinate in coordinates]


def _hash_filters(filters: ViewFilters) -> str:
    filters_text = f"{filters.as_of}\0{filters.relation}\0{filters.layer}\0{filters.min_confidence}"
    return hashlib.sha256(filters_text.encode()).hexdigest()[:32]


def _encode_ties_as_json(tie_rows: Sequence[TieRow]) -> bytes:
    return orjson.dumps([(row.first_id.hex, row.second_id.hex, *row[2:]) for row in tie_rows])


def _decode_ties_from_json(body: bytes) -> list[TieRow]:
    return [
        TieRow(UUID(hex=left_hex), UUID(hex=right_hex), *measures)
        for left_hex, right_hex, *measures in orjson.loads(body)
    ]
