"""Hierarchical Leiden over the pairs of a graph: arrays in, arrays out, deterministic for a seed.

Level 0 maximises the modularity of the whole graph. Each further level does the same inside every community
that is large enough to divide, so that a community's parent always contains all of it.
"""

import random
import threading
from dataclasses import dataclass
from typing import Any, NamedTuple

import igraph
import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.int32]
Weights = NDArray[np.float64]

ITERATIONS, ITERATIONS_OF_LARGE_GRAPH = 2, 1
LARGE_GRAPH_PAIRS = 500_000
"""From this number of pairs on, a second iteration costs seconds and gains 1.5 % of modularity (measured
at 2.5 million).
"""
MAX_UNDIVIDED_SIZE = 12
"""A community with more members is divided at the next level; people can survey a dozen names."""
MIN_COMMUNITY_SIZE = 2
"""A node without a partner is in no community."""
NO_COMMUNITY = -1

# igraph has one random generator per process.
_generator_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class NodePairs:
    """Undirected pairs of node numbers below `node_count`, first < second, without duplicates, in ascending
    order.

    `weights` is the sum over all edges between the two, in both directions.
    """

    node_count: int
    first_nodes: NDArray[np.int64]
    second_nodes: NDArray[np.int64]
    weights: Weights

    def __len__(self) -> int:
        return len(self.weights)


@dataclass(frozen=True, slots=True)
class CommunityHierarchy:
    """Communities by level, 0 the coarsest.

    `labels[k][node]` is the number of the node's community at level k, or -1; numbers run from 0 in the
    order of each community's first member. `parents[k][community]` is its number at level k - 1 (-1 at
    level 0).
    """

    labels: tuple[Labels, ...]
    parents: tuple[Labels, ...]

    @property
    def community_count(self) -> int:
        """Return the number of communities of all levels."""
        return sum(len(parent) for parent in self.parents)


def build_heavy_pairs(
    node_count: int,
    source_nodes: NDArray[Any],
    target_nodes: NDArray[Any],
    edge_weights: NDArray[Any],
    *,
    min_weight: float,
) -> NodePairs:
    """Return the pairs whose edges' weights sum up to at least `min_weight` (requirement 7.1), without loops.

    `source_nodes` and `target_nodes` contain node numbers, one entry per edge.
    """
    index_bits = np.int64(max(1, node_count).bit_length())
    pair_codes = np.minimum(source_nodes, target_nodes).astype(np.int64) << index_bits
    pair_codes |= np.maximum(source_nodes, target_nodes)
    # The order of equal codes does not matter: a sum of few single-precision weights is exact in double
    # precision.
    order = np.argsort(pair_codes)
    pair_codes = pair_codes[order]
    first_positions = (
        np.flatnonzero(np.concatenate(([True], pair_codes[1:] != pair_codes[:-1])))
        if len(pair_codes)
        else order
    )
    pair_weights = (
        np.add.reduceat(np.asarray(edge_weights, np.float64)[order], first_positions)
        if len(pair_codes)
        else np.zeros(0, float)
    )
    # Weights are stored in single precision: 0.2 + 0.3 must count as 0.5.
    is_heavy = pair_weights >= min_weight - 1e-6
    pair_codes, pair_weights = pair_codes[first_positions][is_heavy], pair_weights[is_heavy]
    left_nodes, right_nodes = pair_codes >> index_bits, pair_codes & ((np.int64(1) << index_bits) - 1)
    is_distinct = left_nodes != right_nodes
    return NodePairs(node_count, left_nodes[is_distinct], right_nodes[is_distinct], pair_weights[is_distinct])


def detect_communities_by_leiden(pairs: NodePairs, *, levels: int, seed: int) -> CommunityHierarchy:
    """Return at most `levels` levels of communities; fewer if no community can be divided."""
    is_used = np.zeros(pairs.node_count, bool)
    is_used[pairs.first_nodes] = is_used[pairs.second_nodes] = True
    undivided_labels = np.where(is_used, 0, NO_COMMUNITY).astype(np.int32)
    top_labels, count = _renumber_labels_without_singletons(
        _run_leiden_within_communities(pairs, np.flatnonzero(is_used), undivided_labels, seed)
    )
    labels, parents = [top_labels], [np.full(count, NO_COMMUNITY, np.int32)]
    while len(labels) < levels and len(pairs):
        finer_labels, count = _renumber_labels_without_singletons(
            _divide_large_communities(pairs, labels[-1], seed + len(labels))
        )
        if not count:
            break
        parent_indices = np.full(count, NO_COMMUNITY, np.int32)
        is_divided = finer_labels >= 0
        parent_indices[finer_labels[is_divided]] = labels[-1][is_divided]
        labels.append(finer_labels)
        parents.append(parent_indices)
    return CommunityHierarchy(tuple(labels), tuple(parents))


def compute_node_strengths(pairs: NodePairs, labels: Labels | None = None) -> Weights:
    """Return the weight of each node's pairs; with `labels` only of those within its community."""
    left_nodes, right_nodes, weights = pairs.first_nodes, pairs.second_nodes, pairs.weights
    if labels is not None:
        is_within = (labels[left_nodes] == labels[right_nodes]) & (labels[left_nodes] >= 0)
        left_nodes, right_nodes, weights = left_nodes[is_within], right_nodes[is_within], weights[is_within]
    strengths = np.bincount(left_nodes, weights=weights, minlength=pairs.node_count)
    strengths += np.bincount(right_nodes, weights=weights, minlength=pairs.node_count)
    return np.asarray(strengths, np.float64)


def sum_values_by_community(values: Weights, labels: Labels, count: int) -> Weights:
    """Return the sum of the nodes' values for each of `count` communities."""
    is_labelled = labels >= 0
    return np.bincount(labels[is_labelled], weights=values[is_labelled], minlength=count).astype(np.float64)


def compute_modularity(community_strengths: Weights, inner_strengths: Weights) -> float:
    """Return the modularity of communities: `community_strengths` are the sums of their edges' weights, both
    ends counted, of which `inner_strengths` are of edges inside.
    """
    total_weight = float(community_strengths.sum())
    return (
        float(inner_strengths.sum() / total_weight - np.square(community_strengths / total_weight).sum())
        if total_weight
        else 0.0
    )


def _divide_large_communities(pairs: NodePairs, labels: Labels, seed: int) -> Labels:
    """Return labels one level finer for nodes of communities that are divided; -1 for all others."""
    finer_labels = np.full(pairs.node_count, NO_COMMUNITY, np.int32)
    community_sizes = np.bincount(labels[labels >= 0])
    # Index -1 reads the last element.
    is_large = np.concatenate((community_sizes > MAX_UNDIVIDED_SIZE, [False]))
    is_within = (labels[pairs.first_nodes] == labels[pairs.second_nodes]) & is_large[
        labels[pairs.first_nodes]
    ]
    if not is_within.any():
        return finer_labels
    inner_pairs = NodePairs(
        pairs.node_count,
        pairs.first_nodes[is_within],
        pairs.second_nodes[is_within],
        pairs.weights[is_within],
    )
    divided_nodes = np.flatnonzero(is_large[labels])
    divided_labels = _run_leiden_within_communities(inner_pairs, divided_nodes, labels, seed)[divided_nodes]
    part_sizes = np.bincount(divided_labels)
    parent_indices = np.zeros(len(part_sizes), np.int32)
    parent_indices[divided_labels] = labels[divided_nodes]
    is_large_enough = part_sizes >= MIN_COMMUNITY_SIZE
    part_counts = np.bincount(parent_indices[is_large_enough], minlength=len(community_sizes))
    # An undivided community is not repeated at the finer level.
    finer_labels[divided_nodes] = np.where(
        (is_large_enough & (part_counts[parent_indices] > 1))[divided_labels], divided_labels, NO_COMMUNITY
    )
    return finer_labels


def _run_leiden_within_communities(
    pairs: NodePairs, node_indices: NDArray[np.int64], labels: Labels, seed: int
) -> Labels:
    """Return Leiden labels of the nodes `node_indices`, each within its community of `labels`, which contains
    all pairs; else -1.

    One call for all communities: with node weights k / sqrt(2m) of each community the Potts model is that
    community's own modularity. A node with a single pair always gains by joining its only neighbor, so it is
    merged into that neighbor first: this adds to the neighbor's weight and makes the graph smaller.
    """
    communities = np.full(pairs.node_count, NO_COMMUNITY, np.int32)
    if not len(node_indices):
        return communities
    strengths = compute_node_strengths(pairs)
    community_strengths = np.bincount(labels[node_indices], weights=strengths[node_indices])
    degrees = np.bincount(pairs.first_nodes, minlength=pairs.node_count) + np.bincount(
        pairs.second_nodes, minlength=pairs.node_count
    )
    has_one_pair = degrees == 1
    merge_targets = np.arange(pairs.node_count)
    for end, neighbor in ((pairs.first_nodes, pairs.second_nodes), (pairs.second_nodes, pairs.first_nodes)):
        is_merged = has_one_pair[end] & ~has_one_pair[neighbor]
        merge_targets[end[is_merged]] = neighbor[is_merged]
    merged_weights = np.bincount(merge_targets, weights=strengths, minlength=pairs.node_count)
    unmerged_nodes = node_indices[merge_targets[node_indices] == node_indices]
    # Nodes with the most pairs are adjacent in memory: they are accessed most.
    unmerged_nodes = unmerged_nodes[np.argsort(-degrees[unmerged_nodes], kind="stable")]
    vertex_by_node = np.zeros(pairs.node_count, np.int64)
    vertex_by_node[unmerged_nodes] = np.arange(len(unmerged_nodes))
    is_between_vertices = has_one_pair[pairs.first_nodes] == has_one_pair[pairs.second_nodes]
    first_vertices, second_vertices = (
        vertex_by_node[pairs.first_nodes[is_between_vertices]],
        vertex_by_node[pairs.second_nodes[is_between_vertices]],
    )
    # The pairs of a node are adjacent too.
    index_bits = np.int64(max(1, len(unmerged_nodes)).bit_length())
    order = np.argsort(
        (np.minimum(first_vertices, second_vertices) << index_bits)
        | np.maximum(first_vertices, second_vertices)
    )
    graph = igraph.Graph(n=len(unmerged_nodes))
    # Half the cost of passing the same edges to the constructor.
    graph.add_edges(np.column_stack((first_vertices[order], second_vertices[order])))
    with _generator_lock:
        igraph.set_random_number_generator(random.Random(seed))
        try:
            # Calls the C part of `Graph.community_leiden`; the rest would inspect each label in Python.
            membership, _ = igraph.GraphBase.community_leiden(
                graph,
                resolution=1.0,
                edge_weights=pairs.weights[is_between_vertices][order],
                node_weights=merged_weights[unmerged_nodes]
                / np.sqrt(community_strengths[labels[unmerged_nodes]]),
                n_iterations=ITERATIONS_OF_LARGE_GRAPH if len(pairs) >= LARGE_GRAPH_PAIRS else ITERATIONS,
            )
        finally:
            igraph.set_random_number_generator(random)
    communities[unmerged_nodes] = np.asarray(membership, np.int32)
    communities[node_indices] = communities[merge_targets[node_indices]]
    return communities


class _RenumberedLabels(NamedTuple):
    """The community of each node, and the number of communities."""

    labels: Labels
    community_count: int


def _renumber_labels_without_singletons(labels: Labels) -> _RenumberedLabels:
    """Return the communities of at least two nodes, numbered in the order of their first members, and
    their count.
    """
    sizes = np.bincount(labels[labels >= 0]) if (labels >= 0).any() else np.zeros(0, np.int64)
    is_large_enough = np.concatenate((sizes >= MIN_COMMUNITY_SIZE, [False]))
    is_in_large_enough = is_large_enough[labels]
    if not is_in_large_enough.any():
        return _RenumberedLabels(np.full(len(labels), NO_COMMUNITY, np.int32), 0)
    distinct_labels, first_indices, label_indices = np.unique(
        labels[is_in_large_enough], return_index=True, return_inverse=True
    )
    new_numbers = np.empty(len(distinct_labels), np.int32)
    new_numbers[np.argsort(first_indices)] = np.arange(len(distinct_labels))
    renumbered_labels = np.full(len(labels), NO_COMMUNITY, np.int32)
    renumbered_labels[is_in_large_enough] = new_numbers[label_indices]
    return _RenumberedLabels(renumbered_labels, len(distinct_labels))
