"""Moves of the nodes around the changes, level by level, and the resulting communities. Pure.

Weights, facts and members of communities are sums, so each new value is the old one plus the difference in
the neighborhood: exactly the result of a whole run for the same communities.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.derived.communities.graph_arrays import Ids, add_hashes_by_label, hash_nodes
from app.derived.communities.incremental.local_moves import Ties, move_nodes_locally
from app.derived.communities.incremental.neighborhood import Claims, Neighborhood
from app.derived.communities.leiden import (
    MAX_UNDIVIDED_SIZE,
    MIN_COMMUNITY_SIZE,
    NO_COMMUNITY,
    Labels,
    Weights,
)
from app.derived.communities.lineage import Change, trace_lineage
from app.derived.communities.plan import (
    CommunityRows,
    EventRows,
    MemberRows,
    Plan,
    build_zero_ids,
    compute_salience,
    derive_community_ids,
    find_central_nodes,
)
from app.derived.communities.shapes import MAX_CENTRAL_NODES


@dataclass(frozen=True, slots=True)
class NodeMoves:
    """The community of each node after the moves.

    `labels` by level: indexes of communities, and from their count on numbers of new ones, whose levels are
    `new_levels`. `steps` are (change, level, community, other or -1).
    """

    labels: list[Labels]
    new_levels: list[int]
    steps: list[tuple[Change, int, int, int]]
    deserted_labels: list[int]
    """Indexes of communities that lost half of their members while the others were not free to move."""


def move_free_nodes(neighborhood: Neighborhood, *, weight: float, levels: int, seed: int) -> NodeMoves:
    """Move the free nodes to maximise modularity; `weight` is the current weight of the graph, both ends
    counted.
    """
    sizes = neighborhood.communities.members
    free_node_moves = NodeMoves([], [], [], [])
    nodes = np.zeros(len(neighborhood.ids), np.int32)
    parent_before, parent_now, totals = nodes, nodes, np.array([weight])
    # The whole graph is the parent of level 0.
    may_divide, parents_stay = np.ones(1, bool), np.ones(1, np.int64)
    for level in range(levels):
        labels_before = neighborhood.labels[level]
        count = len(neighborhood.communities) + len(free_node_moves.new_levels)
        members = np.bincount(labels_before[neighborhood.is_free & (labels_before >= 0)], minlength=count)
        staying_counts = np.zeros(count, np.int64)
        staying_counts[: len(sizes)] = sizes - members[: len(sizes)]
        fixed_labels = np.where(neighborhood.is_free, NO_COMMUNITY, labels_before).astype(np.int32)
        is_within_parent = (parent_now[neighborhood.first] == parent_now[neighborhood.second]) & (
            neighborhood.weights_now > 0
        )
        is_within_parent &= parent_now[neighborhood.first] >= 0
        is_tied = np.zeros(len(nodes), bool)
        is_tied[neighborhood.first[is_within_parent]] = is_tied[neighborhood.second[is_within_parent]] = True
        movers = np.flatnonzero(neighborhood.is_free & is_tied & np.append(may_divide, False)[parent_now])
        staying_weights = _sum_values_of_level(neighborhood, neighborhood.communities.weight, level, count)
        staying_weights += _compute_weight_changes_within_parents(
            neighborhood, labels_before, fixed_labels, parent_before, parent_now, count
        )
        ties = Ties(
            neighborhood.first[is_within_parent],
            neighborhood.second[is_within_parent],
            neighborhood.weights_now[is_within_parent],
            parent_now,
            labels_before,
            fixed_labels,
            staying_weights,
            totals,
        )
        moved_labels = move_nodes_locally(movers, ties, seed=seed + level)
        moved_labels = _drop_one_node_communities(moved_labels, parent_now, parents_stay, count)
        labels_now = np.where(
            neighborhood.is_free,
            _trace_to_known_communities(
                neighborhood, level, labels_before, moved_labels, staying_counts, count, free_node_moves
            ),
            fixed_labels,
        )
        labels_now = labels_now.astype(np.int32)
        free_node_moves.labels.append(labels_now)
        _note_deserted_communities(neighborhood, labels_before, labels_now, staying_counts, free_node_moves)
        count = len(neighborhood.communities) + len(free_node_moves.new_levels)
        size = np.bincount(labels_now[neighborhood.is_free & (labels_now >= 0)], minlength=count)
        size[: len(staying_counts)] += staying_counts
        totals = _sum_values_of_level(
            neighborhood, neighborhood.communities.inner_weights, level, count
        ) + _compute_inner_weight_changes(neighborhood, labels_before, labels_now, count)
        may_divide = np.zeros(count, bool)
        may_divide[: len(sizes)] = neighborhood.communities.is_divided
        has_only_free_nodes = np.append(staying_counts, np.zeros(count - len(staying_counts), np.int64)) == 0
        may_divide = np.where(has_only_free_nodes, size > MAX_UNDIVIDED_SIZE, may_divide)
        parent_before, parent_now, parents_stay = labels_before, labels_now, staying_counts
    return free_node_moves


def plan_writes(neighborhood: Neighborhood, node_moves: NodeMoves, taken_ids: Ids) -> Plan:
    """Return the writes for the moves; `taken_ids` are ids that no new community may get."""
    count = len(neighborhood.communities) + len(node_moves.new_levels)
    keys = hash_nodes(neighborhood.ids)
    size = np.append(neighborhood.communities.members, np.zeros(len(node_moves.new_levels), np.int64))
    weight, inner_weight = np.zeros(count), np.zeros(count)
    content_difference: Ids = np.zeros((count, 2), np.uint64)
    members: Ids = np.zeros((count, 2), np.uint64)
    new_parents = np.full(count, NO_COMMUNITY, np.int64)
    is_free = neighborhood.is_free
    root_labels = np.zeros(len(neighborhood.ids), np.int32)
    for level, labels_now in enumerate(node_moves.labels):
        labels_before = neighborhood.labels[level]
        parent_before, parent_now = (
            (neighborhood.labels[level - 1], node_moves.labels[level - 1])
            if level
            else (root_labels, root_labels)
        )
        for labels, sign in ((labels_now, 1), (labels_before, -1)):
            size += sign * np.bincount(labels[is_free & (labels >= 0)], minlength=count)
        weight += _compute_weight_changes_within_parents(
            neighborhood, labels_before, labels_now, parent_before, parent_now, count
        )
        inner_weight += _compute_inner_weight_changes(neighborhood, labels_before, labels_now, count)
        members = add_hashes_by_label(members, np.where(is_free, labels_now, NO_COMMUNITY), keys, count)
        content_difference += _sum_claim_hashes(
            neighborhood.claims_now, labels_now, count
        ) - _sum_claim_hashes(neighborhood.claims_before, labels_before, count)
        content_difference += add_hashes_by_label(
            np.zeros((count, 2), np.uint64), np.where(is_free, labels_now, NO_COMMUNITY), keys, count
        )
        content_difference -= add_hashes_by_label(
            np.zeros((count, 2), np.uint64), np.where(is_free, labels_before, NO_COMMUNITY), keys, count
        )
        is_placed = is_free & (labels_now >= 0)
        if level:
            new_parents[labels_now[is_placed]] = parent_now[is_placed]
    known_count = len(neighborhood.communities)
    new_community_levels = np.array(node_moves.new_levels, np.int64)
    new_ids = build_zero_ids(len(new_community_levels))
    for level in np.unique(new_community_levels).tolist():
        is_of_level = new_community_levels == level
        new_ids[is_of_level] = derive_community_ids(level, members[known_count:][is_of_level], taken_ids)
    ids = np.concatenate((neighborhood.communities.ids, new_ids))
    old_communities = neighborhood.communities
    # A parent without free nodes does not change.
    parent = np.append(old_communities.parent, np.full(len(new_ids), NO_COMMUNITY))
    parent = np.where(new_parents >= 0, new_parents, parent)
    levels_of_communities = np.append(old_communities.level, new_community_levels)
    is_changed = (np.abs(weight) > 1e-9) | (np.abs(inner_weight) > 1e-9) | content_difference.any(axis=1)
    is_changed[:known_count] |= (size[:known_count] != old_communities.members) | (
        parent[:known_count] != old_communities.parent
    )
    weight[:known_count] += old_communities.weight
    inner_weight[:known_count] += old_communities.inner_weights
    content_difference[:known_count] += old_communities.content
    numbers = np.flatnonzero(is_changed & (size > 0))
    # Parents before their parts.
    numbers = numbers[np.lexsort((numbers, levels_of_communities[numbers]))]
    parents = parent[numbers]
    rows = CommunityRows(
        ids[numbers],
        levels_of_communities[numbers],
        np.where((parents >= 0)[:, None], ids[parents], build_zero_ids(len(parents))),
        size[numbers],
        np.maximum(weight[numbers], 0.0),
        np.maximum(inner_weight[numbers], 0.0),
        content_difference[numbers],
        numbers >= known_count,
        _find_central_nodes_of_new_communities(neighborhood, node_moves)[numbers],
    )
    return Plan(
        rows,
        *_build_member_rows_and_leavers(neighborhood, node_moves, ids),
        old_communities.ids[size[:known_count] == 0],
        _build_event_rows(node_moves, ids),
    )


def _build_event_rows(node_moves: NodeMoves, ids: Ids) -> EventRows:
    communities = np.array([step[2] for step in node_moves.steps], np.int64)
    counterparts = np.array([step[3] for step in node_moves.steps], np.int64)
    return EventRows(
        ids[communities],
        np.array([step[0].value for step in node_moves.steps], np.str_),
        np.array([step[1] for step in node_moves.steps], np.int64),
        np.where((counterparts >= 0)[:, None], ids[counterparts], build_zero_ids(len(counterparts))),
    )


def _sum_values_of_level(neighborhood: Neighborhood, values: Weights, level: int, count: int) -> Weights:
    """Return the values of the communities of this level, and zeros for all others, up to `count`."""
    level_values = np.where(neighborhood.communities.level == level, values, 0.0)
    return np.append(level_values, np.zeros(count - len(level_values)))


def _compute_weight_changes_within_parents(
    neighborhood: Neighborhood,
    labels_before: Labels,
    labels_now: Labels,
    parent_before: Labels,
    parent_now: Labels,
    count: int,
) -> Weights:
    """Return the change of the communities' weights within their parents, from previous to current labels."""
    total = np.zeros(count)
    for end, neighbor in (
        (neighborhood.first, neighborhood.second),
        (neighborhood.second, neighborhood.first),
    ):
        for labels, parent, weight, sign in (
            (labels_now, parent_now, neighborhood.weights_now, 1),
            (labels_before, parent_before, neighborhood.weights_before, -1),
        ):
            is_counted = (labels[end] >= 0) & (parent[end] == parent[neighbor])
            total += sign * np.bincount(labels[end[is_counted]], weights=weight[is_counted], minlength=count)
    return total


def _compute_inner_weight_changes(
    neighborhood: Neighborhood, labels_before: Labels, labels_now: Labels, count: int
) -> Weights:
    """Return the change of the weights inside communities."""
    total = np.zeros(count)
    for labels, weight, sign in (
        (labels_now, neighborhood.weights_now, 2),
        (labels_before, neighborhood.weights_before, -2),
    ):
        first_labels = labels[neighborhood.first]
        is_inner = (first_labels >= 0) & (first_labels == labels[neighborhood.second])
        total += sign * np.bincount(first_labels[is_inner], weights=weight[is_inner], minlength=count)
    return total


def _sum_claim_hashes(claims: Claims, labels: Labels, count: int) -> Ids:
    shared_labels = np.where(
        labels[claims.source] == labels[claims.target], labels[claims.source], NO_COMMUNITY
    )
    return add_hashes_by_label(np.zeros((count, 2), np.uint64), shared_labels, claims.keys, count)


def _drop_one_node_communities(
    labels: Labels, parent: Labels, staying_counts: NDArray[np.int64], count: int
) -> Labels:
    """Return `labels` without new communities of one node, and without a division of a new parent into one
    part.
    """
    is_new = labels >= count
    if not is_new.any():
        return labels
    labels = np.array(labels)
    numbers, first_indices, label_index, size = np.unique(
        labels[is_new], return_index=True, return_inverse=True, return_counts=True
    )
    parents = parent[is_new][first_indices]
    is_retained = size >= MIN_COMMUNITY_SIZE
    part_counts = np.bincount(parents[is_retained], minlength=int(parents.max()) + 1)
    is_parent_kept = np.ones(len(part_counts), bool)
    known_count = min(len(staying_counts), len(part_counts))
    is_parent_kept[:known_count] = staying_counts[:known_count] > 0
    is_parent_kept[known_count:] = False
    is_retained &= is_parent_kept[parents] | (part_counts[parents] > 1)
    labels[is_new] = np.where(is_retained, numbers, NO_COMMUNITY)[label_index]
    return labels


def _trace_to_known_communities(
    neighborhood: Neighborhood,
    level: int,
    labels_before: Labels,
    labels: Labels,
    staying_counts: NDArray[np.int64],
    count: int,
    node_moves: NodeMoves,
) -> Labels:
    """Return `labels` with the number of a known community for each new one that contains most of it.

    The fate of the other communities is recorded in `node_moves`.
    """
    free_nodes = np.flatnonzero(neighborhood.is_free)
    old_numbers, old_indices = np.unique(
        np.append(labels_before[free_nodes], NO_COMMUNITY), return_inverse=True
    )
    new_numbers, new_indices = np.unique(np.append(labels[free_nodes], NO_COMMUNITY), return_inverse=True)
    # Nodes that are not free outweigh the free ones, so that their rows need not change.
    remaining_numbers = np.flatnonzero(staying_counts > 0)
    remaining_numbers = remaining_numbers[
        np.isin(remaining_numbers, old_numbers) | np.isin(remaining_numbers, new_numbers)
    ]
    all_old_numbers = np.union1d(old_numbers, remaining_numbers)[1:]
    all_new_numbers = np.union1d(new_numbers, remaining_numbers)[1:]

    def positions_in(numbers: NDArray[np.int64], id_array: NDArray[np.int64]) -> NDArray[np.int64]:
        position = np.searchsorted(id_array, numbers)
        return np.where(numbers < 0, NO_COMMUNITY, position)

    lineage = trace_lineage(
        np.concatenate(
            (
                positions_in(old_numbers, all_old_numbers)[old_indices[:-1]],
                positions_in(remaining_numbers, all_old_numbers),
            )
        ),
        np.concatenate(
            (
                positions_in(new_numbers, all_new_numbers)[new_indices[:-1]],
                positions_in(remaining_numbers, all_new_numbers),
            )
        ),
        old_count=len(all_old_numbers),
        new_count=len(all_new_numbers),
        nodes=np.concatenate(
            (np.ones(len(free_nodes)), np.full(len(remaining_numbers), len(free_nodes) + 1))
        ),
    )
    names = np.array(all_new_numbers, np.int64)
    for index, number in enumerate(all_new_numbers.tolist()):
        heir = int(lineage.heirs[index])
        if heir >= 0:
            names[index] = all_old_numbers[heir]
        elif number >= count:
            names[index] = len(neighborhood.communities) + len(node_moves.new_levels)
            node_moves.new_levels.append(level)
    for step in lineage.list_change_steps():
        is_about_new = step.change in (Change.NEW, Change.SPLIT)
        subject_names, counterpart_names = (
            (names, all_old_numbers) if is_about_new else (all_old_numbers, names)
        )
        counterparts = [int(counterpart_names[community]) for community in step.other_communities]
        node_moves.steps.append(
            (step.change, level, int(subject_names[step.community]), counterparts[0] if counterparts else -1)
        )
    return np.append(names, NO_COMMUNITY)[
        np.where(labels < 0, len(names), np.searchsorted(all_new_numbers, labels))
    ].astype(np.int32)


def _note_deserted_communities(
    neighborhood: Neighborhood,
    labels_before: Labels,
    labels_now: Labels,
    staying_counts: NDArray[np.int64],
    node_moves: NodeMoves,
) -> None:
    has_left = neighborhood.is_free & (labels_before >= 0) & (labels_before != labels_now)
    leaver_counts = np.bincount(labels_before[has_left], minlength=len(staying_counts))
    size = np.zeros(len(staying_counts), np.int64)
    size[: len(neighborhood.communities)] = neighborhood.communities.members
    node_moves.deserted_labels.extend(
        np.flatnonzero((staying_counts > 0) & (leaver_counts > 0) & (leaver_counts * 2 >= size)).tolist()
    )


def _compute_weights_within_community(neighborhood: Neighborhood, node_moves: NodeMoves) -> Weights:
    """Return each node's weight within its community of level 0, recomputed for free nodes."""
    weight = np.where(neighborhood.is_free, 0.0, neighborhood.centrality)
    for labels, pair, sign in (
        (node_moves.labels[0], neighborhood.weights_now, 1),
        (neighborhood.labels[0], neighborhood.weights_before, -1),
    ):
        is_inner = (labels[neighborhood.first] >= 0) & (
            labels[neighborhood.first] == labels[neighborhood.second]
        )
        for end in (neighborhood.first, neighborhood.second):
            is_counted = is_inner & ((sign > 0) | ~neighborhood.is_free[end])
            weight += sign * np.bincount(end[is_counted], weights=pair[is_counted], minlength=len(weight))
    return np.maximum(weight, 0.0)


def _find_central_nodes_of_new_communities(
    neighborhood: Neighborhood, node_moves: NodeMoves
) -> NDArray[np.int64]:
    """Return the central nodes of each new community; none for known ones, which keep their titles."""
    known_count, new_count = len(neighborhood.communities), len(node_moves.new_levels)
    node_numbers = np.full((known_count + new_count, MAX_CENTRAL_NODES), NO_COMMUNITY, np.int64)
    if new_count:
        total = np.zeros(len(neighborhood.ids))
        for end in (neighborhood.first, neighborhood.second):
            total += np.bincount(end, weights=neighborhood.weights_now, minlength=len(total))
        inner_weight = _compute_weights_within_community(neighborhood, node_moves)
        # Nodes that are not free have pairs outside this neighborhood: their inside weight is a lower bound.
        salience = compute_salience(inner_weight, np.maximum(total, inner_weight))
        for labels in node_moves.labels:
            new_labels = np.where(labels >= known_count, labels - known_count, NO_COMMUNITY).astype(np.int32)
            node_numbers[known_count:] = np.maximum(
                node_numbers[known_count:], find_central_nodes(new_labels, salience, new_count)
            )
    return node_numbers


def _build_member_rows_and_leavers(
    neighborhood: Neighborhood, node_moves: NodeMoves, ids: Ids
) -> tuple[MemberRows, Ids]:
    finest_labels = {
        "before": np.full(len(neighborhood.ids), NO_COMMUNITY),
        "now": np.full(len(neighborhood.ids), NO_COMMUNITY),
    }
    for name, levels in (("before", neighborhood.labels), ("now", node_moves.labels)):
        for labels in levels:
            finest_labels[name] = np.where(labels >= 0, labels, finest_labels[name])
    labels_before, labels_now = finest_labels["before"], finest_labels["now"]
    weight = _compute_weights_within_community(neighborhood, node_moves)
    is_weight_changed = np.abs(weight - neighborhood.centrality) > 1e-6 * np.maximum(
        weight, neighborhood.centrality
    )
    written_nodes = np.flatnonzero((labels_now >= 0) & ((labels_now != labels_before) | is_weight_changed))
    has_left = (labels_now < 0) & (labels_before >= 0)
    rows = MemberRows(
        neighborhood.ids[written_nodes],
        ids[labels_now[written_nodes]],
        weight[written_nodes].astype(np.float32),
        labels_before[written_nodes] < 0,
    )
    return rows, neighborhood.ids[has_left]
