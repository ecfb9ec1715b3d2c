"""Moves of the nodes around the changes, level by level, and the resulting communities. Pure.

Weights, facts and members of communities are sums, so each new value is the old one plus the difference in
the neighborhood: exactly the result of a whole run for the same communities.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.derived.communities.graph_arrays import Ids, hash_nodes, sum_hashes_by_community
from app.derived.communities.incremental.local_moves import Ties, compute_communities_after_local_moves
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
    MembershipChanges,
    Plan,
    build_zero_ids,
    compute_salience,
    derive_community_ids,
    find_central_nodes,
)
from app.derived.communities.shapes import MAX_CENTRAL_NODES


class CommunityStep(NamedTuple):
    """The change of a community of one level; `counterpart` is its counterpart, or -1."""

    change: Change
    level: int
    community: int
    counterpart: int


@dataclass(frozen=True, slots=True)
class NodeMoves:
    """The community of each node after the moves.

    `labels` by level: indexes of communities, and from their count on numbers of new ones, whose levels are
    `new_levels`.
    """

    labels: list[Labels]
    new_levels: list[int]
    steps: list[CommunityStep]
    deserted_labels: list[int]
    """Indexes of communities that lost half of their members while the others were not free to move."""


def find_moves_that_maximise_modularity(
    neighborhood: Neighborhood, *, graph_weight: float, level_count: int, seed: int
) -> NodeMoves:
    """Return the moves of free nodes that maximise modularity; `graph_weight` is the current weight of the
    graph, both ends counted.
    """
    sizes_before = neighborhood.communities.members
    free_node_moves = NodeMoves([], [], [], [])
    root_labels = np.zeros(len(neighborhood.ids), np.int32)
    parent_before, parent_now, parent_weights = root_labels, root_labels, np.array([graph_weight])
    # The whole graph is the parent of level 0.
    may_divide, parents_stay = np.ones(1, bool), np.ones(1, np.int64)
    for level in range(level_count):
        labels_before = neighborhood.labels[level]
        community_count = len(neighborhood.communities) + len(free_node_moves.new_levels)
        free_member_counts = np.bincount(
            labels_before[neighborhood.is_free & (labels_before >= 0)], minlength=community_count
        )
        staying_counts = np.zeros(community_count, np.int64)
        staying_counts[: len(sizes_before)] = sizes_before - free_member_counts[: len(sizes_before)]
        fixed_labels = np.where(neighborhood.is_free, NO_COMMUNITY, labels_before).astype(np.int32)
        is_within_parent = (parent_now[neighborhood.first] == parent_now[neighborhood.second]) & (
            neighborhood.weights_now > 0
        )
        is_within_parent &= parent_now[neighborhood.first] >= 0
        is_tied = np.zeros(len(root_labels), bool)
        is_tied[neighborhood.first[is_within_parent]] = is_tied[neighborhood.second[is_within_parent]] = True
        movers = np.flatnonzero(neighborhood.is_free & is_tied & np.append(may_divide, False)[parent_now])
        staying_weights = _select_values_of_level(
            neighborhood, neighborhood.communities.weight, level, community_count
        )
        staying_weights += _compute_weight_changes_within_parents(
            neighborhood, labels_before, fixed_labels, parent_before, parent_now, community_count
        )
        ties = Ties(
            neighborhood.first[is_within_parent],
            neighborhood.second[is_within_parent],
            neighborhood.weights_now[is_within_parent],
            parent_now,
            labels_before,
            fixed_labels,
            staying_weights,
            parent_weights,
        )
        moved_labels = compute_communities_after_local_moves(movers, ties, seed=seed + level)
        moved_labels = _drop_new_communities_of_one_node(
            moved_labels, parent_now, parents_stay, community_count
        )
        labels_now = np.where(
            neighborhood.is_free,
            _relabel_by_lineage_and_record_steps(
                neighborhood,
                level,
                labels_before,
                moved_labels,
                staying_counts,
                community_count,
                free_node_moves,
            ),
            fixed_labels,
        )
        labels_now = labels_now.astype(np.int32)
        free_node_moves.labels.append(labels_now)
        _record_deserted_communities(neighborhood, labels_before, labels_now, staying_counts, free_node_moves)
        community_count = len(neighborhood.communities) + len(free_node_moves.new_levels)
        sizes_now = np.bincount(
            labels_now[neighborhood.is_free & (labels_now >= 0)], minlength=community_count
        )
        sizes_now[: len(staying_counts)] += staying_counts
        parent_weights = _select_values_of_level(
            neighborhood, neighborhood.communities.inner_weights, level, community_count
        ) + _compute_inner_weight_changes(neighborhood, labels_before, labels_now, community_count)
        may_divide = np.zeros(community_count, bool)
        may_divide[: len(sizes_before)] = neighborhood.communities.is_divided
        has_only_free_nodes = (
            np.append(staying_counts, np.zeros(community_count - len(staying_counts), np.int64)) == 0
        )
        may_divide = np.where(has_only_free_nodes, sizes_now > MAX_UNDIVIDED_SIZE, may_divide)
        parent_before, parent_now, parents_stay = labels_before, labels_now, staying_counts
    return free_node_moves


def plan_writes_of_moves(neighborhood: Neighborhood, node_moves: NodeMoves, taken_ids: Ids) -> Plan:
    """Return the writes for the moves; `taken_ids` are ids that no new community may get."""
    community_count = len(neighborhood.communities) + len(node_moves.new_levels)
    node_hashes = hash_nodes(neighborhood.ids)
    member_counts = np.append(
        neighborhood.communities.members, np.zeros(len(node_moves.new_levels), np.int64)
    )
    community_weights, inner_weights = np.zeros(community_count), np.zeros(community_count)
    content_difference: Ids = np.zeros((community_count, 2), np.uint64)
    member_hashes: Ids = np.zeros((community_count, 2), np.uint64)
    new_parents = np.full(community_count, NO_COMMUNITY, np.int64)
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
            member_counts += sign * np.bincount(labels[is_free & (labels >= 0)], minlength=community_count)
        community_weights += _compute_weight_changes_within_parents(
            neighborhood, labels_before, labels_now, parent_before, parent_now, community_count
        )
        inner_weights += _compute_inner_weight_changes(
            neighborhood, labels_before, labels_now, community_count
        )
        member_hashes = sum_hashes_by_community(
            member_hashes, np.where(is_free, labels_now, NO_COMMUNITY), node_hashes, community_count
        )
        content_difference += _sum_claim_hashes(
            neighborhood.claims_now, labels_now, community_count
        ) - _sum_claim_hashes(neighborhood.claims_before, labels_before, community_count)
        content_difference += sum_hashes_by_community(
            np.zeros((community_count, 2), np.uint64),
            np.where(is_free, labels_now, NO_COMMUNITY),
            node_hashes,
            community_count,
        )
        content_difference -= sum_hashes_by_community(
            np.zeros((community_count, 2), np.uint64),
            np.where(is_free, labels_before, NO_COMMUNITY),
            node_hashes,
            community_count,
        )
        is_placed = is_free & (labels_now >= 0)
        if level:
            new_parents[labels_now[is_placed]] = parent_now[is_placed]
    known_count = len(neighborhood.communities)
    new_community_levels = np.array(node_moves.new_levels, np.int64)
    new_ids = build_zero_ids(len(new_community_levels))
    for level in np.unique(new_community_levels).tolist():
        is_of_level = new_community_levels == level
        new_ids[is_of_level] = derive_community_ids(
            level, member_hashes[known_count:][is_of_level], taken_ids
        )
    community_ids = np.concatenate((neighborhood.communities.ids, new_ids))
    old_communities = neighborhood.communities
    # A parent without free nodes does not change.
    parent_indices = np.append(old_communities.parent, np.full(len(new_ids), NO_COMMUNITY))
    parent_indices = np.where(new_parents >= 0, new_parents, parent_indices)
    levels_of_communities = np.append(old_communities.level, new_community_levels)
    is_changed = (
        (np.abs(community_weights) > 1e-9) | (np.abs(inner_weights) > 1e-9) | content_difference.any(axis=1)
    )
    is_changed[:known_count] |= (member_counts[:known_count] != old_communities.members) | (
        parent_indices[:known_count] != old_communities.parent
    )
    community_weights[:known_count] += old_communities.weight
    inner_weights[:known_count] += old_communities.inner_weights
    content_difference[:known_count] += old_communities.content
    changed_indices = np.flatnonzero(is_changed & (member_counts > 0))
    # Parents before their parts.
    changed_indices = changed_indices[np.lexsort((changed_indices, levels_of_communities[changed_indices]))]
    changed_parents = parent_indices[changed_indices]
    community_rows = CommunityRows(
        community_ids[changed_indices],
        levels_of_communities[changed_indices],
        np.where(
            (changed_parents >= 0)[:, None],
            community_ids[changed_parents],
            build_zero_ids(len(changed_parents)),
        ),
        member_counts[changed_indices],
        np.maximum(community_weights[changed_indices], 0.0),
        np.maximum(inner_weights[changed_indices], 0.0),
        content_difference[changed_indices],
        changed_indices >= known_count,
        _find_central_nodes_of_new_communities(neighborhood, node_moves)[changed_indices],
    )
    return Plan(
        community_rows,
        *_build_member_rows_and_leavers(neighborhood, node_moves, community_ids),
        old_communities.ids[member_counts[:known_count] == 0],
        _build_event_rows(node_moves, community_ids),
    )


def _build_event_rows(node_moves: NodeMoves, community_ids: Ids) -> EventRows:
    community_indices = np.array([step.community for step in node_moves.steps], np.int64)
    counterparts = np.array([step.counterpart for step in node_moves.steps], np.int64)
    return EventRows(
        community_ids[community_indices],
        np.array([step.change.value for step in node_moves.steps], np.str_),
        np.array([step.level for step in node_moves.steps], np.int64),
        np.where(
            (counterparts >= 0)[:, None], community_ids[counterparts], build_zero_ids(len(counterparts))
        ),
    )


def _select_values_of_level(
    neighborhood: Neighborhood, values: Weights, level: int, community_count: int
) -> Weights:
    """Return the values of this level's communities, and zeros for all others up to `community_count`."""
    level_values = np.where(neighborhood.communities.level == level, values, 0.0)
    return np.append(level_values, np.zeros(community_count - len(level_values)))


def _compute_weight_changes_within_parents(
    neighborhood: Neighborhood,
    labels_before: Labels,
    labels_now: Labels,
    parent_before: Labels,
    parent_now: Labels,
    community_count: int,
) -> Weights:
    """Return the change of the communities' weights within their parents, from previous to current labels."""
    weight_changes = np.zeros(community_count)
    for end, neighbor in (
        (neighborhood.first, neighborhood.second),
        (neighborhood.second, neighborhood.first),
    ):
        for labels, parent, pair_weights, sign in (
            (labels_now, parent_now, neighborhood.weights_now, 1),
            (labels_before, parent_before, neighborhood.weights_before, -1),
        ):
            is_counted = (labels[end] >= 0) & (parent[end] == parent[neighbor])
            weight_changes += sign * np.bincount(
                labels[end[is_counted]], weights=pair_weights[is_counted], minlength=community_count
            )
    return weight_changes


def _compute_inner_weight_changes(
    neighborhood: Neighborhood, labels_before: Labels, labels_now: Labels, community_count: int
) -> Weights:
    """Return the change of the weights inside communities."""
    weight_changes = np.zeros(community_count)
    for labels, pair_weights, sign in (
        (labels_now, neighborhood.weights_now, 2),
        (labels_before, neighborhood.weights_before, -2),
    ):
        first_labels = labels[neighborhood.first]
        is_inner = (first_labels >= 0) & (first_labels == labels[neighborhood.second])
        weight_changes += sign * np.bincount(
            first_labels[is_inner], weights=pair_weights[is_inner], minlength=community_count
        )
    return weight_changes


def _sum_claim_hashes(claims: Claims, labels: Labels, community_count: int) -> Ids:
    shared_labels = np.where(
        labels[claims.source] == labels[claims.target], labels[claims.source], NO_COMMUNITY
    )
    return sum_hashes_by_community(
        np.zeros((community_count, 2), np.uint64), shared_labels, claims.keys, community_count
    )


def _drop_new_communities_of_one_node(
    labels: Labels, parent: Labels, staying_counts: NDArray[np.int64], known_count: int
) -> Labels:
    """Return `labels` without new communities of one node, and without a division of a new parent into one
    part.
    """
    is_new = labels >= known_count
    if not is_new.any():
        return labels
    labels = np.array(labels)
    new_labels, first_indices, label_indices, node_counts = np.unique(
        labels[is_new], return_index=True, return_inverse=True, return_counts=True
    )
    parents = parent[is_new][first_indices]
    is_retained = node_counts >= MIN_COMMUNITY_SIZE
    part_counts = np.bincount(parents[is_retained], minlength=int(parents.max()) + 1)
    is_parent_kept = np.ones(len(part_counts), bool)
    compared_count = min(len(staying_counts), len(part_counts))
    is_parent_kept[:compared_count] = staying_counts[:compared_count] > 0
    is_parent_kept[compared_count:] = False
    is_retained &= is_parent_kept[parents] | (part_counts[parents] > 1)
    labels[is_new] = np.where(is_retained, new_labels, NO_COMMUNITY)[label_indices]
    return labels


def _relabel_by_lineage_and_record_steps(
    neighborhood: Neighborhood,
    level: int,
    labels_before: Labels,
    labels: Labels,
    staying_counts: NDArray[np.int64],
    known_count: int,
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

    def find_positions(numbers: NDArray[np.int64], sorted_numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        position = np.searchsorted(sorted_numbers, numbers)
        return np.where(numbers < 0, NO_COMMUNITY, position)

    lineage = trace_lineage(
        np.concatenate(
            (
                find_positions(old_numbers, all_old_numbers)[old_indices[:-1]],
                find_positions(remaining_numbers, all_old_numbers),
            )
        ),
        np.concatenate(
            (
                find_positions(new_numbers, all_new_numbers)[new_indices[:-1]],
                find_positions(remaining_numbers, all_new_numbers),
            )
        ),
        old_count=len(all_old_numbers),
        new_count=len(all_new_numbers),
        nodes=np.concatenate(
            (np.ones(len(free_nodes)), np.full(len(remaining_numbers), len(free_nodes) + 1))
        ),
    )
    final_numbers = np.array(all_new_numbers, np.int64)
    for index, number in enumerate(all_new_numbers.tolist()):
        heir = int(lineage.predecessors[index])
        if heir >= 0:
            final_numbers[index] = all_old_numbers[heir]
        elif number >= known_count:
            final_numbers[index] = len(neighborhood.communities) + len(node_moves.new_levels)
            node_moves.new_levels.append(level)
    for step in lineage.list_change_steps():
        is_about_new = step.change in (Change.NEW, Change.SPLIT)
        subject_numbers, counterpart_numbers = (
            (final_numbers, all_old_numbers) if is_about_new else (all_old_numbers, final_numbers)
        )
        counterparts = [int(counterpart_numbers[community]) for community in step.other_communities]
        node_moves.steps.append(
            CommunityStep(
                step.change,
                level,
                int(subject_numbers[step.community]),
                counterparts[0] if counterparts else -1,
            )
        )
    return np.append(final_numbers, NO_COMMUNITY)[
        np.where(labels < 0, len(final_numbers), np.searchsorted(all_new_numbers, labels))
    ].astype(np.int32)


def _record_deserted_communities(
    neighborhood: Neighborhood,
    labels_before: Labels,
    labels_now: Labels,
    staying_counts: NDArray[np.int64],
    node_moves: NodeMoves,
) -> None:
    has_left = neighborhood.is_free & (labels_before >= 0) & (labels_before != labels_now)
    leaver_counts = np.bincount(labels_before[has_left], minlength=len(staying_counts))
    sizes = np.zeros(len(staying_counts), np.int64)
    sizes[: len(neighborhood.communities)] = neighborhood.communities.members
    node_moves.deserted_labels.extend(
        np.flatnonzero((staying_counts > 0) & (leaver_counts > 0) & (leaver_counts * 2 >= sizes)).tolist()
    )


def _compute_weights_within_community(neighborhood: Neighborhood, node_moves: NodeMoves) -> Weights:
    """Return each node's weight within its community of level 0, recomputed for free nodes."""
    inner_weights = np.where(neighborhood.is_free, 0.0, neighborhood.centrality)
    for labels, pair_weights, sign in (
        (node_moves.labels[0], neighborhood.weights_now, 1),
        (neighborhood.labels[0], neighborhood.weights_before, -1),
    ):
        is_inner = (labels[neighborhood.first] >= 0) & (
            labels[neighborhood.first] == labels[neighborhood.second]
        )
        for end in (neighborhood.first, neighborhood.second):
            is_counted = is_inner & ((sign > 0) | ~neighborhood.is_free[end])
            inner_weights += sign * np.bincount(
                end[is_counted], weights=pair_weights[is_counted], minlength=len(inner_weights)
            )
    return np.maximum(inner_weights, 0.0)


def _find_central_nodes_of_new_communities(
    neighborhood: Neighborhood, node_moves: NodeMoves
) -> NDArray[np.int64]:
    """Return the central nodes of each new community; none for known ones, which keep their titles."""
    known_count, new_count = len(neighborhood.communities), len(node_moves.new_levels)
    central_nodes = np.full((known_count + new_count, MAX_CENTRAL_NODES), NO_COMMUNITY, np.int64)
    if new_count:
        node_weights = np.zeros(len(neighborhood.ids))
        for end in (neighborhood.first, neighborhood.second):
            node_weights += np.bincount(end, weights=neighborhood.weights_now, minlength=len(node_weights))
        inner_weights = _compute_weights_within_community(neighborhood, node_moves)
        # Nodes that are not free have pairs outside this neighborhood: their inside weight is a lower bound.
        salience = compute_salience(inner_weights, np.maximum(node_weights, inner_weights))
        for labels in node_moves.labels:
            new_labels = np.where(labels >= known_count, labels - known_count, NO_COMMUNITY).astype(np.int32)
            central_nodes[known_count:] = np.maximum(
                central_nodes[known_count:], find_central_nodes(new_labels, salience, new_count)
            )
    return central_nodes


def _build_member_rows_and_leavers(
    neighborhood: Neighborhood, node_moves: NodeMoves, community_ids: Ids
) -> MembershipChanges:
    finest_labels = {
        "before": np.full(len(neighborhood.ids), NO_COMMUNITY),
        "now": np.full(len(neighborhood.ids), NO_COMMUNITY),
    }
    for moment, labels_by_level in (("before", neighborhood.labels), ("now", node_moves.labels)):
        for labels in labels_by_level:
            finest_labels[moment] = np.where(labels >= 0, labels, finest_labels[moment])
    labels_before, labels_now = finest_labels["before"], finest_labels["now"]
    inner_weights = _compute_weights_within_community(neighborhood, node_moves)
    is_weight_changed = np.abs(inner_weights - neighborhood.centrality) > 1e-6 * np.maximum(
        inner_weights, neighborhood.centrality
    )
    written_nodes = np.flatnonzero((labels_now >= 0) & ((labels_now != labels_before) | is_weight_changed))
    has_left = (labels_now < 0) & (labels_before >= 0)
    rows = MemberRows(
        neighborhood.ids[written_nodes],
        community_ids[labels_now[written_nodes]],
        inner_weights[written_nodes].astype(np.float32),
        labels_before[written_nodes] < 0,
    )
    return MembershipChanges(rows, neighborhood.ids[has_left])
