"""Hierarchical Leiden over the pairs of a graph: arrays in, arrays out, deterministic for a seed.

Level 0 maximises the modularity of the whole graph. Each further level does the same inside every community
that is large enough to divide, so that a community's parent always contains all of it.
"""

import random
import threading
from dataclasses import dataclass
from typing import Any

import igraph
import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.int32]
Weights = NDArray[np.float64]

ITERATIONS, ITERATIONS_OF_LARGE = 2, 1
LARGE_PAIRS = 500_000
"""From this number of pairs on, a second iteration costs seconds and gains 1.5 % of modularity (measured
at 2.5 million).
"""
SPLIT_ABOVE = 12
"""A community with more members is divided at the next level; people can survey a dozen names."""
MIN_COMMUNITY_SIZE = 2
"""A node without a partner is in no community."""
NOWHERE = -1

# igraph has one random generator per process.
_generator_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Pairs:
    """Undirected pairs of node numbers below `nodes`, first < second, without duplicates, in ascending order.

    `weight` is the sum over all edges between the two, in both directions.
    """

    nodes: int
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    weight: Weights

    def __len__(self) -> int:
        return len(self.weight)


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """Communities by level, 0 the coarsest.

    `labels[k][node]` is the number of the node's community at level k, or -1; numbers run from 0 in the
    order of each community's first member. `parents[k][community]` is its number at level k - 1 (-1 at
    level 0).
    """

    labels: tuple[Labels, ...]
    parents: tuple[Labels, ...]

    @property
    def count_communities(self) -> int:
        """Return the number of communities of all levels."""
        return sum(len(parent) for parent in self.parents)


def heavy_pairs(
    nodes: int, source: NDArray[Any], target: NDArray[Any], weight: NDArray[Any], *, min_weight: float
) -> Pairs:
    """Return the pairs whose edges' weights sum up to at least `min_weight` (requirement 7.1), without loops.

    `source` and `target` contain node numbers, one entry per edge.
    """
    index_bits = np.int64(max(1, nodes).bit_length())
    code = np.minimum(source, target).astype(np.int64) << index_bits
    code |= np.maximum(source, target)
    # The order of equal codes does not matter: a sum of few single-precision weights is exact in double
    # precision.
    order = np.argsort(code)
    code = code[order]
    first_positions = np.flatnonzero(np.concatenate(([True], code[1:] != code[:-1]))) if len(code) else order
    total = (
        np.add.reduceat(np.asarray(weight, np.float64)[order], first_positions)
        if len(code)
        else np.zeros(0, float)
    )
    # Weights are stored in single precision: 0.2 + 0.3 must count as 0.5.
    is_heavy = total >= min_weight - 1e-6
    code, total = code[first_positions][is_heavy], total[is_heavy]
    left_nodes, right_nodes = code >> index_bits, code & ((np.int64(1) << index_bits) - 1)
    is_distinct = left_nodes != right_nodes
    return Pairs(nodes, left_nodes[is_distinct], right_nodes[is_distinct], total[is_distinct])


def detect_communities_by_leiden(pairs: Pairs, *, levels: int, seed: int) -> Hierarchy:
    """Return at most `levels` levels of communities; fewer if no community can be divided."""
    is_used = np.zeros(pairs.nodes, bool)
    is_used[pairs.first] = is_used[pairs.second] = True
    undivided_labels = np.where(is_used, 0, NOWHERE).astype(np.int32)
    top_labels, count = _renumber_without_singletons(
        _run_leiden_within(pairs, np.flatnonzero(is_used), undivided_labels, seed)
    )
    labels, parents = [top_labels], [np.full(count, NOWHERE, np.int32)]
    while len(labels) < levels and len(pairs):
        finer_labels, count = _renumber_without_singletons(
            _divide_one_level(pairs, labels[-1], seed + len(labels))
        )
        if not count:
            break
        parent_indices = np.full(count, NOWHERE, np.int32)
        is_divided = finer_labels >= 0
        parent_indices[finer_labels[is_divided]] = labels[-1][is_divided]
        labels.append(finer_labels)
        parents.append(parent_indices)
    return Hierarchy(tuple(labels), tuple(parents))


def node_strengths(pairs: Pairs, labels: Labels | None = None) -> Weights:
    """Return the weight of each node's pairs; with `labels` only of those within its community."""
    left_nodes, right_nodes, weight = pairs.first, pairs.second, pairs.weight
    if labels is not None:
        is_within = (labels[left_nodes] == labels[right_nodes]) & (labels[left_nodes] >= 0)
        left_nodes, right_nodes, weight = left_nodes[is_within], right_nodes[is_within], weight[is_within]
    total = np.bincount(left_nodes, weights=weight, minlength=pairs.nodes)
    total += np.bincount(right_nodes, weights=weight, minlength=pairs.nodes)
    return np.asarray(total, np.float64)


def sum_by_community(values: Weights, labels: Labels, count: int) -> Weights:
    """Return the sum of the nodes' values for each of `count_communities` communities."""
    is_labelled = labels >= 0
    return np.bincount(labels[is_labelled], weights=values[is_labelled], minlength=count).astype(np.float64)


def modularity(total: Weights, inner_weights: Weights) -> float:
    """Return the modularity of communities with pair weights `total`, of which `inner_weights` are inside.

    Both ends count.
    """
    total_weight = float(total.sum())
    return (
        float(inner_weights.sum() / total_weight - np.square(total / total_weight).sum())
        if total_weight
        else 0.0
    )


def _divide_one_level(pairs: Pairs, labels: Labels, seed: int) -> Labels:
    """Return labels one level finer for nodes of communities that are divided; -1 for all others."""
    finer_labels = np.full(pairs.nodes, NOWHERE, np.int32)
    sizes = np.bincount(labels[labels >= 0])
    # Index -1 reads the last element.
    is_large = np.concatenate((sizes > SPLIT_ABOVE, [False]))
    is_within = (labels[pairs.first] == labels[pairs.second]) & is_large[labels[pairs.first]]
    if not is_within.any():
        return finer_labels
    inner_pairs = Pairs(pairs.nodes, pairs.first[is_within], pairs.second[is_within], pairs.weight[is_within])
    numbers = np.flatnonzero(is_large[labels])
    divided_labels = _run_leiden_within(inner_pairs, numbers, labels, seed)[numbers]
    size = np.bincount(divided_labels)
    parent_indices = np.zeros(len(size), np.int32)
    parent_indices[divided_labels] = labels[numbers]
    is_large_enough = size >= MIN_COMMUNITY_SIZE
    part_counts = np.bincount(parent_indices[is_large_enough], minlength=len(sizes))
    # An undivided community is not repeated at the finer level.
    finer_labels[numbers] = np.where(
        (is_large_enough & (part_counts[parent_indices] > 1))[divided_labels], divided_labels, NOWHERE
    )
    return finer_labels


def _run_leiden_within(pairs: Pairs, numbers: NDArray[np.int64], labels: Labels, seed: int) -> Labels:
    """Return Leiden labels of the nodes `numbers`, each within its community of `labels`, which contains all
    pairs; else -1.

    One call for all communities: with node weights k / sqrt(2m) of each community the Potts model is that
    community's own modularity. A node with a single pair always gains by joining its only neighbor, so it is
    merged into that neighbor first: this adds to the neighbor's weight and makes the graph smaller.
    """
    communities = np.full(pairs.nodes, NOWHERE, np.int32)
    if not len(numbers):
        return communities
    strength = node_strengths(pairs)
    community_strength = np.bincount(labels[numbers], weights=strength[numbers])
    degree = np.bincount(pairs.first, minlength=pairs.nodes) + np.bincount(
        pairs.second, minlength=pairs.nodes
    )
    has_one_pair = degree == 1
    host = np.arange(pairs.nodes)
    for end, neighbor in ((pairs.first, pairs.second), (pairs.second, pairs.first)):
        is_guest = has_one_pair[end] & ~has_one_pair[neighbor]
        host[end[is_guest]] = neighbor[is_guest]
    weight = np.bincount(host, weights=strength, minlength=pairs.nodes)
    staying_nodes = numbers[host[numbers] == numbers]
    # Nodes with the most pairs are adjacent in memory: they are accessed most.
    staying_nodes = staying_nodes[np.argsort(-degree[staying_nodes], kind="stable")]
    vertex = np.zeros(pairs.nodes, np.int64)
    vertex[staying_nodes] = np.arange(len(staying_nodes))
    is_retained = has_one_pair[pairs.first] == has_one_pair[pairs.second]
    node, neighbor = vertex[pairs.first[is_retained]], vertex[pairs.second[is_retained]]
    # The pairs of a node are adjacent too.
    index_bits = np.int64(max(1, len(staying_nodes)).bit_length())
    order = np.argsort((np.minimum(node, neighbor) << index_bits) | np.maximum(node, neighbor))
    graph = igraph.Graph(n=len(staying_nodes))
    # Half the cost of passing the same edges to the constructor.
    graph.add_edges(np.column_stack((node[order], neighbor[order])))
    with _generator_lock:
        igraph.set_random_number_generator(random.Random(seed))
        try:
            # Calls the C part of `Graph.community_leiden`; the rest would inspect each label in Python.
            membership, _ = igraph.GraphBase.community_leiden(
                graph,
                resolution=1.0,
                edge_weights=pairs.weight[is_retained][order],
                node_weights=weight[staying_nodes] / np.sqrt(community_strength[labels[staying_nodes]]),
                n_iterations=ITERATIONS_OF_LARGE if len(pairs) >= LARGE_PAIRS else ITERATIONS,
            )
        finally:
            igraph.set_random_number_generator(random)
    communities[staying_nodes] = np.asarray(membership, np.int32)
    communities[numbers] = communities[host[numbers]]
    return communities


def _renumber_without_singletons(labels: Labels) -> tuple[Labels, int]:
    """Return the communities of at least two nodes, numbered in the order of their first members, and
    their count.
    """
    sizes = np.bincount(labels[labels >= 0]) if (labels >= 0).any() else np.zeros(0, np.int64)
    is_large_enough = np.concatenate((sizes >= MIN_COMMUNITY_SIZE, [False]))
    is_kept = is_large_enough[labels]
    if not is_kept.any():
        return np.full(len(labels), NOWHERE, np.int32), 0
    distinct_labels, first_indices, label_indices = np.unique(
        labels[is_kept], return_index=True, return_inverse=True
    )
    rank = np.empty(len(distinct_labels), np.int32)
    rank[np.argsort(first_indices)] = np.arange(len(distinct_labels))
    result = np.full(len(labels), NOWHERE, np.int32)
    result[is_kept] = rank[label_indices]
    return result, len(distinct_labels)
