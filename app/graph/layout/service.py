"""The graph as it is drawn: node by node if it is small, by expandable communities if it is large."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import combinations
from uuid import UUID

import numpy as np

from app.db.session import SpaceSession
from app.derived.communities import service as communities
from app.graph import input_checks
from app.graph import service as graph
from app.graph.contested import ONE_WAY_RELATIONS
from app.graph.layout import positions, repository
from app.graph.layout.positions import MAX_CLAIMS, MAX_NODES, MAX_TIES, NOWHERE, GraphLayout
from app.graph.layout.repository import TieRow
from app.graph.layout.shapes import (
    SIZE,
    Circle,
    ClaimSpan,
    DrawnGroup,
    DrawnNode,
    GraphView,
    Tie,
    ViewFilters,
)
from app.graph.shapes import Edge, GraphFilters
from app.ids import NodeId
from app.limits import PICTURE_OPENED, PICTURE_SHOWN

MAX_EDGES_BETWEEN_NODES = 100
"""Maximum number of edges between two nodes that are returned."""
_MAX_NEIGHBORS = 150
_NO_COMMUNITY = "In no community"


def build_graph_view(
    space: SpaceSession,
    *,
    opened_ids: Sequence[UUID] = (),
    shown_ids: Sequence[NodeId] = (),
    filters: ViewFilters | None = None,
) -> GraphView:
    """Return the view of the space, with these communities opened and these nodes shown.

    Raises InvalidInput if there are too many, and for invalid filters.
    """
    filters = filters or ViewFilters()
    input_checks.check_range("opened", len(opened_ids), 0, PICTURE_OPENED.maximum)
    input_checks.check_range("shown", len(shown_ids), 0, PICTURE_SHOWN.maximum)
    input_checks.check_filters(
        GraphFilters(
            relation_types=(filters.relation,) if filters.relation else (),
            min_confidence=filters.min_confidence,
            as_of=filters.as_of,
        )
    )
    version = positions.compute_layout_version(space)
    top_layout = positions.place_top_level(space, version)
    assembly = _ViewAssembly(space, version, top_layout, filters)
    for community_id in (
        _sort_communities_coarsest_first(space, opened_ids) if top_layout.by_communities else ()
    ):
        assembly.open_community(community_id)
    assembly.show_nodes([node_id for node_id in shown_ids if node_id not in assembly.position_by_node])
    return assembly.finish_view()


_MAX_ROOM = SIZE / 20
"""Maximum size of a node when there are few, to leave space for names and lines."""


class _ViewAssembly:
    """Builds one view: positions first, then names, claims and ties."""

    def __init__(
        self, space: SpaceSession, version: str, top_layout: GraphLayout, filters: ViewFilters
    ) -> None:
        self._space, self._version, self._top_layout, self._filters = space, version, top_layout, filters
        self._view = GraphView(
            top_layout.by_communities,
            top_layout.total,
            first_day=top_layout.first_day,
            last_day=top_layout.last_day,
        )
        self._group: dict[UUID, DrawnGroup] = {}
        self._group_number: dict[UUID, int] = {}
        self._open_layouts: list[tuple[UUID, GraphLayout]] = []
        self.position_by_node: dict[NodeId, tuple[float, float]] = {}
        self._group_by_node: dict[NodeId, int] = {}
        self._spacing_by_node: dict[NodeId, float] = {}
        for index, (group, circle) in enumerate(zip(top_layout.groups, top_layout.circles, strict=True)):
            self._add_group(group, circle, index)
            self._group[group].is_open = not top_layout.by_communities
        for node, (x, y), root in zip(
            top_layout.nodes, top_layout.positions, top_layout.group_indices, strict=True
        ):
            self.position_by_node[node], self._group_by_node[node] = (x, y), root
            self._spacing_by_node[node] = min(top_layout.node_spacing, _MAX_ROOM)
        self._note_what_is_left_out()

    def _note_what_is_left_out(self) -> None:
        top_layout, notes = self._top_layout, self._view.notes
        if not top_layout.by_communities and top_layout.total > len(top_layout.nodes):
            notes.append(
                f"The {len(top_layout.nodes):,} most mentioned of {top_layout.total:,} nodes are drawn:"
                " this space has no communities yet. Search finds all of them."
            )
        drawn_count = sum(group != NOWHERE for group in top_layout.groups)
        if top_layout.by_communities and top_layout.total_groups > drawn_count:
            notes.append(
                f"The {drawn_count:,} largest of {top_layout.total_groups:,} communities are drawn;"
                " search finds the rest."
            )
        if top_layout.by_communities and top_layout.total > repository.TOP_MEMBERS:
            notes.append(
                "Ties between communities are counted from the"
                f" {repository.TOP_MEMBERS:,} most central nodes."
            )

    def _add_group(self, group: UUID, circle: Circle, root: int) -> None:
        self._group_number[group] = len(self._view.groups)
        drawn_group = DrawnGroup(group, "", 0, 0, circle, root=root)
        self._group[group] = drawn_group
        self._view.groups.append(drawn_group)

    def open_community(self, community_id: UUID) -> None:
        """Draw the content of a community in its disc; do nothing if the community is not drawn."""
        group = self._group.get(community_id)
        if group is None or group.is_open:
            return
        inner_layout = positions.place_inside_community(self._space, self._version, community_id)
        if len(self.position_by_node) + len(inner_layout.nodes) > MAX_NODES:
            self._view.notes.append(
                f"At most {MAX_NODES:,} nodes are drawn: close a community before you open another."
            )
            return
        group.is_open = True
        self._open_layouts.append((community_id, inner_layout))
        for group_id, inner_circle in zip(inner_layout.groups, inner_layout.circles, strict=True):
            x, y = positions.map_point_into_circle(group.circle, inner_circle.x, inner_circle.y)
            self._add_group(
                group_id, Circle(x, y, inner_circle.radius * group.circle.radius * 0.92), group.root
            )
        for node, (x, y) in zip(inner_layout.nodes, inner_layout.positions, strict=True):
            self.position_by_node[node] = positions.map_point_into_circle(group.circle, x, y)
            self._group_by_node[node] = group.root if community_id != NOWHERE else -1
            self._spacing_by_node[node] = inner_layout.node_spacing * group.circle.radius
        total_nodes = inner_layout.total if community_id != NOWHERE else self._top_layout.loose_count
        if not inner_layout.groups and total_nodes > len(inner_layout.nodes):
            ranking = "most central" if community_id != NOWHERE else "most mentioned"
            self._view.notes.append(
                f"Of one opened community the {len(inner_layout.nodes):,} {ranking} of {total_nodes:,} nodes"
                " are drawn."
            )

    def show_nodes(self, node_ids: Sequence[NodeId]) -> None:
        """Draw these nodes too, within the innermost drawn disc that contains them."""
        if not node_ids:
            return
        communities_by_node = communities.list_communities_of_nodes(self._space, node_ids)
        for count, node in enumerate(node_ids):
            chain = [UUID(str(community.community_id)) for community in communities_by_node[node]] or [
                NOWHERE
            ]
            disc = next((self._group[group_id] for group_id in chain if group_id in self._group), None)
            angle = count * 2.4
            circle = disc.circle if disc else Circle(SIZE / 2, SIZE / 2, SIZE * 0.55)
            relative_radius = 0.6 if disc else 1.0
            self.position_by_node[node] = positions.map_point_into_circle(
                circle, relative_radius * float(np.cos(angle)), relative_radius * float(np.sin(angle))
            )
            self._group_by_node[node] = disc.root if disc and disc.id != NOWHERE else -1
            self._spacing_by_node[node] = min(
                max(circle.radius / 4, self._top_layout.node_spacing), SIZE / 30
            )

    def finish_view(self) -> GraphView:
        """Return the view with names, claims and ties."""
        view, space = self._view, self._space
        for row in repository.get_communities(space, list(self._group)).values():
            drawn_group = self._group[row.id]
            drawn_group.title, drawn_group.level, drawn_group.members = row.title, row.level, row.members
            drawn_group.has_report = row.has_report
        if NOWHERE in self._group:
            self._group[NOWHERE].title = _NO_COMMUNITY
            self._group[NOWHERE].members = self._top_layout.loose_count
        view.nodes = [
            DrawnNode(
                *row,
                self._group_by_node[row.id],
                *self.position_by_node[row.id],
                round(self._spacing_by_node[row.id], 2),
            )
            for row in repository.list_nodes_to_draw(space, list(self.position_by_node))
        ]
        drawn_ids = [node.id for node in view.nodes]
        if drawn_ids:
            view.claims = repository.list_claims_to_draw(space, drawn_ids, limit=MAX_CLAIMS)
        if len(view.claims) == MAX_CLAIMS:
            view.notes.append(f"The {MAX_CLAIMS:,} heaviest claims among these nodes are drawn.")
        view.contested = find_contested_claims(space, view.claims, as_of=self._filters.as_of)
        view.ties = self._sum_ties({node_id: index for index, node_id in enumerate(drawn_ids)})
        return view

    def _sum_ties(self, node_number: dict[NodeId, int]) -> list[Tie]:
        """Return the combined claims between ends of which at least one is a closed group."""
        if not self._top_layout.by_communities:
            return []
        closed_groups = {
            group_id: -1 - self._group_number[group_id]
            for group_id, group in self._group.items()
            if not group.is_open
        }
        ties_by_ends: dict[tuple[int, int], TieRow] = {}
        for row in positions.list_ties_between_top_communities(self._space, self._version, self._filters):
            if row.first in closed_groups and row.second in closed_groups:
                _add_tie(ties_by_ends, closed_groups[row.first], closed_groups[row.second], row)
        inner_ties = [
            positions.list_ties_inside_community(
                self._space, self._version, community_id, inner_layout, self._filters
            )
            for community_id, inner_layout in self._open_layouts
        ]
        parents = repository.get_parents_of_communities(
            self._space, sorted({row.second for rows in inner_ties for row in rows})
        )

        def end_of(group_id: UUID) -> int | None:
            ancestor: UUID | None = group_id
            while ancestor is not None and ancestor not in closed_groups:
                ancestor = parents.get(ancestor)
            return None if ancestor is None else closed_groups[ancestor]

        for rows in inner_ties:
            for row in rows:
                first_end = closed_groups.get(row.first, node_number.get(NodeId(row.first)))
                second_end = end_of(row.second)
                if first_end is not None and second_end is not None and first_end != second_end:
                    _add_tie(ties_by_ends, first_end, second_end, row)
        undirected_ties: dict[tuple[int, int], TieRow] = {}
        for (left_index, right_index), row in ties_by_ends.items():
            # A tie between two opened communities is found from both sides: count it once.
            key = (min(left_index, right_index), max(left_index, right_index))
            undirected_ties[key] = max(
                undirected_ties.get(key, row), row, key=lambda tie_row: (tie_row.claims, tie_row.weight)
            )
        heaviest_ties = sorted(undirected_ties.items(), key=lambda tie: (-tie[1].weight, tie[0]))[:MAX_TIES]
        return [Tie(*key, row.claims, row.weight, row.confidence) for key, row in heaviest_ties]


def _add_tie(sums: dict[tuple[int, int], TieRow], left_index: int, right_index: int, row: TieRow) -> None:
    earlier_tie = sums.get((left_index, right_index))
    if earlier_tie is None:
        sums[left_index, right_index] = row
    else:
        sums[left_index, right_index] = TieRow(
            row.first,
            row.second,
            earlier_tie.claims + row.claims,
            earlier_tie.weight + row.weight,
            max(earlier_tie.confidence, row.confidence),
        )


def _sort_communities_coarsest_first(space: SpaceSession, opened_ids: Sequence[UUID]) -> list[UUID]:
    """Return the communities that exist, coarsest first, and `NOWHERE` if it is among them."""
    group_ids = list(dict.fromkeys(opened_ids))
    rows = repository.get_communities(space, group_ids) if group_ids else {}
    known_ids = [group_id for group_id in group_ids if group_id in rows]
    ids_by_level = sorted(known_ids, key=lambda group_id: rows[group_id].level)
    return [*ids_by_level, NOWHERE] if NOWHERE in group_ids else ids_by_level


def find_contested_claims(
    space: SpaceSession, claims: Sequence[ClaimSpan], *, as_of: datetime | None
) -> frozenset[int]:
    """Return the indices of the claims that another source contradicts now, or at `as_of`.

    A current claim is contested if its denial stands, if its inverse holds and the relation goes only one
    way, or if another value holds and the space declares the relation single-valued. Claims without evidence
    contradict nothing.
    """
    day = None if as_of is None else count_days_since_epoch(as_of)
    denied_claims = _find_denied_claims(claims, day)
    holding_indices = [
        index for index, claim in enumerate(claims) if claim.is_supported and claim.holds_on(day)
    ]
    held_claims = {
        (claims[index].from_id, claims[index].relation_type, claims[index].to_id) for index in holding_indices
    }
    single_valued = set(space.settings.single_valued_relations)
    groups = sorted({(node, relation) for node, relation, _ in held_claims if relation in single_valued})
    values = repository.find_relations_with_several_values(space, groups, as_of=as_of) if groups else {}
    nested_pairs = graph.find_nested_values(space, [value for group in values.values() for value in group])
    contested_groups = {
        group
        for group, standing_values in values.items()
        if any(frozenset(pair) not in nested_pairs for pair in combinations(standing_values, 2))
    }
    disputed_indices = set()
    for index in holding_indices:
        source, relation, target = claims[index].from_id, claims[index].relation_type, claims[index].to_id
        if (
            (source, relation, target) in denied_claims
            or (source, relation) in contested_groups
            or (
                relation in ONE_WAY_RELATIONS
                and source != target
                and (target, relation, source) in held_claims
            )
        ):
            disputed_indices.add(index)
    return frozenset(disputed_indices)


def _find_denied_claims(claims: Sequence[ClaimSpan], day: int | None) -> set[tuple[NodeId, str, NodeId]]:
    """Return the claims that a source denies by that day, or by now."""
    return {
        (claim.from_id, claim.relation_type, claim.to_id)
        for claim in claims
        if claim.is_denied
        and claim.is_supported
        and (day is None or claim.since is None or claim.since <= day)
    }


def find_nearest_neighbors(
    space: SpaceSession, node_id: NodeId, *, as_of: datetime | None = None
) -> list[NodeId]:
    """Return the node and its nearest and strongest neighbours, at most 150 in all. Raises NotFound."""
    neighborhood = graph.neighborhood(
        space, node_id, filters=GraphFilters(as_of=as_of), max_nodes=_MAX_NEIGHBORS
    )
    return list(dict.fromkeys([node_id, *(node.node.id for node in neighborhood.nodes)]))


def edges_between(space: SpaceSession, first_id: NodeId, second_id: NodeId) -> list[Edge]:
    """Return the edges between two nodes in both directions, including ended and denied ones, at most 100.

    Current edges come first, heaviest first. Raises NotFound for an unknown node.
    """
    for endpoint in (first_id, second_id):
        graph.get_node(space, endpoint)
    ids = repository.edges_between(space, first_id, second_id, limit=MAX_EDGES_BETWEEN_NODES)
    edges = {edge.id: edge for edge in graph.get_edges(space, ids)}
    return [edges[edge_id] for edge_id in ids if edge_id in edges]


def list_communities_to_open(space: SpaceSession, node_ids: Sequence[NodeId]) -> dict[NodeId, list[UUID]]:
    """Return for each node the communities that contain it, coarsest first: open them until it is drawn."""
    communities_by_node = communities.list_communities_of_nodes(space, node_ids)
    chains: dict[NodeId, list[UUID]] = defaultdict(list)
    for node, memberships in communities_by_node.items():
        chains[node] = [UUID(str(community.community_id)) for community in reversed(memberships)]
    return chains


def count_days_since_epoch(moment: datetime) -> int:
    """Return the day of a moment in UTC, counted from 1970-01-01."""
    return (moment.astimezone(UTC).date() - datetime(1970, 1, 1, tzinfo=UTC).date()).days
