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
from app.graph.layout.positions import MAX_CLAIMS, MAX_NODES, MAX_TIES, NO_COMMUNITY_ID, GraphLayout
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
    opened_community_ids: Sequence[UUID] = (),
    shown_node_ids: Sequence[NodeId] = (),
    filters: ViewFilters | None = None,
) -> GraphView:
    """Return the view of the space, with these communities opened and these nodes shown.

    Raises InvalidInput if there are too many, and for invalid filters.
    """
    filters = filters or ViewFilters()
    input_checks.check_range("opened", len(opened_community_ids), 0, PICTURE_OPENED.maximum)
    input_checks.check_range("shown", len(shown_node_ids), 0, PICTURE_SHOWN.maximum)
    input_checks.check_graph_filters(
        GraphFilters(
            relation_types=(filters.relation,) if filters.relation else (),
            min_confidence=filters.min_confidence,
            as_of=filters.as_of,
        )
    )
    version = positions.compute_layout_version(space)
    top_layout = positions.load_or_compute_and_store_top_layout(space, version)
    assembly = _ViewAssembly(space, version, top_layout, filters)
    for community_id in (
        _sort_communities_coarsest_first(space, opened_community_ids) if top_layout.by_communities else ()
    ):
        assembly.open_community(community_id)
    assembly.show_nodes([node_id for node_id in shown_node_ids if node_id not in assembly.position_by_node])
    return assembly.finish_view()


_MAX_NODE_SPACING = SIZE / 20
"""Maximum size of a node when there are few, to leave space for names and lines."""


_EndIndices = tuple[int, int]
"""The indices of the two ends of a tie."""


class _ViewAssembly:
    """Builds one view: positions first, then names, claims and ties."""

    def __init__(
        self, space: SpaceSession, version: str, top_layout: GraphLayout, filters: ViewFilters
    ) -> None:
        self._space, self._version, self._top_layout, self._filters = space, version, top_layout, filters
        self._view = GraphView(
            top_layout.by_communities,
            top_layout.total_nodes,
            first_day=top_layout.first_day,
            last_day=top_layout.last_day,
        )
        self._group_by_id: dict[UUID, DrawnGroup] = {}
        self._group_index_by_id: dict[UUID, int] = {}
        self._open_layouts: list[tuple[UUID, GraphLayout]] = []
        self.position_by_node: dict[NodeId, tuple[float, float]] = {}
        self._root_index_by_node: dict[NodeId, int] = {}
        self._spacing_by_node: dict[NodeId, float] = {}
        for index, (group_id, circle) in enumerate(
            zip(top_layout.group_ids, top_layout.circles, strict=True)
        ):
            self._add_group(group_id, circle, index)
            self._group_by_id[group_id].is_open = not top_layout.by_communities
        for node_id, (x, y), root_index in zip(
            top_layout.node_ids, top_layout.positions, top_layout.group_indices, strict=True
        ):
            self.position_by_node[node_id], self._root_index_by_node[node_id] = (x, y), root_index
            self._spacing_by_node[node_id] = min(top_layout.node_spacing, _MAX_NODE_SPACING)
        self._add_omission_notes()

    def _add_omission_notes(self) -> None:
        top_layout, notes = self._top_layout, self._view.notes
        if not top_layout.by_communities and top_layout.total_nodes > len(top_layout.node_ids):
            notes.append(
                f"The {len(top_layout.node_ids):,} most mentioned of {top_layout.total_nodes:,} nodes are"
                " drawn: this space has no communities yet. Search finds all of them."
            )
        drawn_count = sum(group != NO_COMMUNITY_ID for group in top_layout.group_ids)
        if top_layout.by_communities and top_layout.group_count > drawn_count:
            notes.append(
                f"The {drawn_count:,} largest of {top_layout.group_count:,} communities are drawn;"
                " search finds the rest."
            )
        if top_layout.by_communities and top_layout.total_nodes > repository.MAX_NODES_TYING_COMMUNITIES:
            notes.append(
                "Ties between communities are counted from the"
                f" {repository.MAX_NODES_TYING_COMMUNITIES:,} most central nodes."
            )

    def _add_group(self, group_id: UUID, circle: Circle, root_index: int) -> None:
        self._group_index_by_id[group_id] = len(self._view.groups)
        drawn_group = DrawnGroup(group_id, "", 0, 0, circle, root=root_index)
        self._group_by_id[group_id] = drawn_group
        self._view.groups.append(drawn_group)

    def open_community(self, community_id: UUID) -> None:
        """Draw the content of a community in its disc; do nothing if the community is not drawn."""
        group = self._group_by_id.get(community_id)
        if group is None or group.is_open:
            return
        inner_layout = positions.load_or_compute_and_store_layout_inside_community(
            self._space, self._version, community_id
        )
        if len(self.position_by_node) + len(inner_layout.node_ids) > MAX_NODES:
            self._view.notes.append(
                f"At most {MAX_NODES:,} nodes are drawn: close a community before you open another."
            )
            return
        group.is_open = True
        self._open_layouts.append((community_id, inner_layout))
        for group_id, inner_circle in zip(inner_layout.group_ids, inner_layout.circles, strict=True):
            x, y = positions.map_unit_disc_point_into_circle(group.circle, inner_circle.x, inner_circle.y)
            self._add_group(
                group_id, Circle(x, y, inner_circle.radius * group.circle.radius * 0.92), group.root
            )
        for node_id, (x, y) in zip(inner_layout.node_ids, inner_layout.positions, strict=True):
            self.position_by_node[node_id] = positions.map_unit_disc_point_into_circle(group.circle, x, y)
            self._root_index_by_node[node_id] = group.root if community_id != NO_COMMUNITY_ID else -1
            self._spacing_by_node[node_id] = inner_layout.node_spacing * group.circle.radius
        total_nodes = (
            inner_layout.total_nodes if community_id != NO_COMMUNITY_ID else self._top_layout.loose_count
        )
        if not inner_layout.group_ids and total_nodes > len(inner_layout.node_ids):
            ranking = "most central" if community_id != NO_COMMUNITY_ID else "most mentioned"
            self._view.notes.append(
                f"Of one opened community the {len(inner_layout.node_ids):,} {ranking} of"
                f" {total_nodes:,} nodes are drawn."
            )

    def show_nodes(self, node_ids: Sequence[NodeId]) -> None:
        """Draw these nodes too, within the innermost drawn disc that contains them."""
        if not node_ids:
            return
        communities_by_node = communities.list_communities_of_nodes(self._space, node_ids)
        for index, node_id in enumerate(node_ids):
            community_ids = [
                UUID(str(community.community_id)) for community in communities_by_node[node_id]
            ] or [NO_COMMUNITY_ID]
            group = next(
                (self._group_by_id[group_id] for group_id in community_ids if group_id in self._group_by_id),
                None,
            )
            angle = index * 2.4
            circle = group.circle if group else Circle(SIZE / 2, SIZE / 2, SIZE * 0.55)
            relative_radius = 0.6 if group else 1.0
            self.position_by_node[node_id] = positions.map_unit_disc_point_into_circle(
                circle, relative_radius * float(np.cos(angle)), relative_radius * float(np.sin(angle))
            )
            self._root_index_by_node[node_id] = group.root if group and group.id != NO_COMMUNITY_ID else -1
            self._spacing_by_node[node_id] = min(
                max(circle.radius / 4, self._top_layout.node_spacing), SIZE / 30
            )

    def finish_view(self) -> GraphView:
        """Return the view with names, claims and ties."""
        view, space = self._view, self._space
        for row in repository.get_communities(space, list(self._group_by_id)).values():
            drawn_group = self._group_by_id[row.id]
            drawn_group.title, drawn_group.level, drawn_group.members = row.title, row.level, row.members
            drawn_group.has_report = row.has_report
        if NO_COMMUNITY_ID in self._group_by_id:
            self._group_by_id[NO_COMMUNITY_ID].title = _NO_COMMUNITY
            self._group_by_id[NO_COMMUNITY_ID].members = self._top_layout.loose_count
        view.nodes = [
            DrawnNode(
                *row,
                self._root_index_by_node[row.id],
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
        view.contested = find_indices_of_contested_claims(space, view.claims, as_of=self._filters.as_of)
        view.ties = self._sum_ties_of_closed_groups(
            {node_id: index for index, node_id in enumerate(drawn_ids)}
        )
        return view

    def _sum_ties_of_closed_groups(self, index_by_node: dict[NodeId, int]) -> list[Tie]:
        """Return the combined claims between ends of which at least one is a closed group."""
        if not self._top_layout.by_communities:
            return []
        end_by_closed_group = {
            group_id: -1 - self._group_index_by_id[group_id]
            for group_id, group in self._group_by_id.items()
            if not group.is_open
        }
        ties_by_ends: dict[_EndIndices, TieRow] = {}
        for row in positions.load_or_compute_and_store_ties_between_top_communities(
            self._space, self._version, self._filters
        ):
            if row.first_id in end_by_closed_group and row.second_id in end_by_closed_group:
                _add_tie(
                    ties_by_ends, end_by_closed_group[row.first_id], end_by_closed_group[row.second_id], row
                )
        inner_tie_rows = [
            positions.load_or_compute_and_store_ties_inside_community(
                self._space, self._version, community_id, inner_layout, self._filters
            )
            for community_id, inner_layout in self._open_layouts
        ]
        parent_by_community = repository.get_parents_of_communities(
            self._space, sorted({row.second_id for rows in inner_tie_rows for row in rows})
        )

        def find_end(group_id: UUID) -> int | None:
            ancestor: UUID | None = group_id
            while ancestor is not None and ancestor not in end_by_closed_group:
                ancestor = parent_by_community.get(ancestor)
            return None if ancestor is None else end_by_closed_group[ancestor]

        for rows in inner_tie_rows:
            for row in rows:
                first_end = end_by_closed_group.get(row.first_id, index_by_node.get(NodeId(row.first_id)))
                second_end = find_end(row.second_id)
                if first_end is not None and second_end is not None and first_end != second_end:
                    _add_tie(ties_by_ends, first_end, second_end, row)
        undirected_ties: dict[_EndIndices, TieRow] = {}
        for (first_end, second_end), row in ties_by_ends.items():
            # A tie between two opened communities is found from both sides: count it once.
            ends = (min(first_end, second_end), max(first_end, second_end))
            undirected_ties[ends] = max(
                undirected_ties.get(ends, row), row, key=lambda tie_row: (tie_row.claim_count, tie_row.weight)
            )
        heaviest_ties = sorted(undirected_ties.items(), key=lambda tie: (-tie[1].weight, tie[0]))[:MAX_TIES]
        return [Tie(*ends, row.claim_count, row.weight, row.confidence) for ends, row in heaviest_ties]


def _add_tie(ties_by_ends: dict[_EndIndices, TieRow], first_end: int, second_end: int, row: TieRow) -> None:
    earlier_tie = ties_by_ends.get((first_end, second_end))
    if earlier_tie is None:
        ties_by_ends[first_end, second_end] = row
    else:
        ties_by_ends[first_end, second_end] = TieRow(
            row.first_id,
            row.second_id,
            earlier_tie.claim_count + row.claim_count,
            earlier_tie.weight + row.weight,
            max(earlier_tie.confidence, row.confidence),
        )


def _sort_communities_coarsest_first(space: SpaceSession, opened_ids: Sequence[UUID]) -> list[UUID]:
    """Return the communities that exist, coarsest first, and `NO_COMMUNITY_ID` if it is among them."""
    group_ids = list(dict.fromkeys(opened_ids))
    community_by_id = repository.get_communities(space, group_ids) if group_ids else {}
    known_ids = [group_id for group_id in group_ids if group_id in community_by_id]
    sorted_ids = sorted(known_ids, key=lambda group_id: community_by_id[group_id].level)
    return [*sorted_ids, NO_COMMUNITY_ID] if NO_COMMUNITY_ID in group_ids else sorted_ids


def find_indices_of_contested_claims(
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
    single_valued_relations = set(space.settings.single_valued_relations)
    nodes_and_relations = sorted(
        {(node, relation) for node, relation, _ in held_claims if relation in single_valued_relations}
    )
    values_by_node_and_relation = (
        repository.find_standing_values_of_contested_relations(space, nodes_and_relations, as_of=as_of)
        if nodes_and_relations
        else {}
    )
    nested_pairs = graph.find_nested_node_pairs(
        space, [value_id for value_ids in values_by_node_and_relation.values() for value_id in value_ids]
    )
    contested_groups = {
        node_and_relation
        for node_and_relation, standing_value_ids in values_by_node_and_relation.items()
        if any(frozenset(pair) not in nested_pairs for pair in combinations(standing_value_ids, 2))
    }
    contested_indices = set()
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
            contested_indices.add(index)
    return frozenset(contested_indices)


_ClaimKey = tuple[NodeId, str, NodeId]
"""The source, the relation type and the target of a claim."""


def _find_denied_claims(claims: Sequence[ClaimSpan], day: int | None) -> set[_ClaimKey]:
    """Return the claims that a source denies by that day, or by now."""
    return {
        (claim.from_id, claim.relation_type, claim.to_id)
        for claim in claims
        if claim.is_denied
        and claim.is_supported
        and (day is None or claim.since is None or claim.since <= day)
    }


def list_node_and_neighbor_ids_and_record_recall(
    space: SpaceSession, node_id: NodeId, *, as_of: datetime | None = None
) -> list[NodeId]:
    """Return the node and its nearest and strongest neighbours, at most 150 in all. Raises NotFound."""
    neighborhood = graph.fetch_neighborhood_and_record_recall(
        space, node_id, filters=GraphFilters(as_of=as_of), max_nodes=_MAX_NEIGHBORS
    )
    return list(dict.fromkeys([node_id, *(node.node.id for node in neighborhood.nodes)]))


def list_edges_between(space: SpaceSession, first_id: NodeId, second_id: NodeId) -> list[Edge]:
    """Return the edges between two nodes in both directions, including ended and denied ones, at most 100.

    Current edges come first, heaviest first. Raises NotFound for an unknown node.
    """
    for node_id in (first_id, second_id):
        graph.get_node(space, node_id)
    edge_ids = repository.list_ids_of_edges_between(space, first_id, second_id, limit=MAX_EDGES_BETWEEN_NODES)
    edge_by_id = {edge.id: edge for edge in graph.get_edges(space, edge_ids)}
    return [edge_by_id[edge_id] for edge_id in edge_ids if edge_id in edge_by_id]


def list_communities_to_open(space: SpaceSession, node_ids: Sequence[NodeId]) -> dict[NodeId, list[UUID]]:
    """Return for each node the communities that contain it, coarsest first: open them until it is drawn."""
    communities_by_node = communities.list_communities_of_nodes(space, node_ids)
    community_ids_by_node: dict[NodeId, list[UUID]] = defaultdict(list)
    for node_id, memberships in communities_by_node.items():
        community_ids_by_node[node_id] = [
            UUID(str(community.community_id)) for community in reversed(memberships)
        ]
    return community_ids_by_node


def count_days_since_epoch(moment: datetime) -> int:
    """Return the day of a moment in UTC, counted from 1970-01-01."""
    return (moment.astimezone(UTC).date() - datetime(1970, 1, 1, tzinfo=UTC).date()).days
