"""Hierarchical Leiden over the pairs of a graph: arrays in, arrays out, the same for the same seed.

Level 0 maximises the modularity of the whole graph. Each further level does the same inside every community
that is large enough to be worth dividing, so that a community's parent always holds it whole.
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
"""From so many pairs on a second round costs seconds and brings 1.5 % of modularity (measured at 2.5 million)."""
SPLIT_ABOVE = 12
"""A community of more members than this is divided at the next level; a person surveys a dozen names."""
SMALLEST = 2
"""A node without a partner is in no community."""
NOWHERE = -1

# igraph draws from one generator per process.
_generator_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Pairs:
    """Undirected pairs of node numbers below `nodes`, first < second, each once, in ascending order.

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
    level 0). `modularity` is that of level 0.
    """

    labels: tuple[Labels, ...]
    parents: tuple[Labels, ...]
    modularity: float

    @property
    def count(self) -> int:
        """Communities of all levels."""
        return sum(len(each) for each in self.parents)


def heavy_pairs(
    nodes: int, source: NDArray[Any], target: NDArray[Any], weight: NDArray[Any], *, min_weight: float
) -> Pairs:
    """The pairs whose edges' weights sum up to at least `min_weight` (requirement 7.1); loops are none.

    `source` and `target` hold node numbers, one edge a place.
    """
    low = np.minimum(source, target).astype(np.int64)
    code = low * nodes + np.maximum(source, target)
    # Sorted together, and stably: sums are then the same however the edges came.
    order = np.argsort(code, kind="stable")
    code = code[order]
    begins = np.flatnonzero(np.concatenate(([True], code[1:] != code[:-1]))) if len(code) else order
    total = (
        np.add.reduceat(np.asarray(weight, np.float64)[order], begins) if len(code) else np.zeros(0, float)
    )
    code = code[begins]
    first, second = np.divmod(code, nodes) if nodes else (code, code)
    # Weights are stored in single precision: 0.2 + 0.3 must count as 0.5.
    kept = (total >= min_weight - 1e-6) & (first != second)
    return Pairs(nodes, first[kept], second[kept], total[kept])


def detect(pairs: Pairs, *, levels: int, seed: int) -> Hierarchy:
    """At most `levels` levels of communities; fewer where nothing is left to divide."""
    top, modularity = _whole(pairs, seed)
    top, count = _renumbered(top)
    labels, parents = [top], [np.full(count, NOWHERE, np.int32)]
    while len(labels) < levels and len(pairs):
        finer, count = _renumbered(_divided(pairs, labels[-1], seed + len(labels)))
        if not count:
            break
        above = np.full(count, NOWHERE, np.int32)
        inside = finer >= 0
        above[finer[inside]] = labels[-1][inside]
        labels.append(finer)
        parents.append(above)
    return Hierarchy(tuple(labels), tuple(parents), modularity)


def strengths(pairs: Pairs, labels: Labels | None = None) -> Weights:
    """For each node the weight of its pairs; with `labels` only of those within its community."""
    first, second, weight = pairs.first, pairs.second, pairs.weight
    if labels is not None:
        within = (labels[first] == labels[second]) & (labels[first] >= 0)
        first, second, weight = first[within], second[within], weight[within]
    total = np.bincount(first, weights=weight, minlength=pairs.nodes)
    total += np.bincount(second, weights=weight, minlength=pairs.nodes)
    return np.asarray(total, np.float64)


def _whole(pairs: Pairs, seed: int) -> tuple[Labels, float]:
    if not len(pairs):
        return np.full(pairs.nodes, NOWHERE, np.int32), 0.0
    used = np.zeros(pairs.nodes, bool)
    used[pairs.first] = used[pairs.second] = True
    numbers = np.flatnonzero(used)
    found, quality = _leiden(pairs, numbers, "modularity", None, seed)
    labels = np.full(pairs.nodes, NOWHERE, np.int32)
    labels[numbers] = found
    return labels, quality


def _divided(pairs: Pairs, labels: Labels, seed: int) -> Labels:
    """Labels one level finer: of nodes in communities that fall apart into several; -1 for all others."""
    finer = np.full(pairs.nodes, NOWHERE, np.int32)
    sizes = np.bincount(labels[labels >= 0])
    large = np.concatenate((sizes > SPLIT_ABOVE, [False]))  # the last place is read for -1
    within = (labels[pairs.first] == labels[pairs.second]) & large[labels[pairs.first]]
    if not within.any():
        return finer
    inner = Pairs(pairs.nodes, pairs.first[within], pairs.second[within], pairs.weight[within])
    numbers = np.flatnonzero(large[labels])
    # One call for all: with these node weights the Potts model is each community's own modularity.
    strength = strengths(inner)
    own = np.bincount(labels[numbers], weights=strength[numbers], minlength=len(sizes))
    scaled = strength[numbers] / np.sqrt(own[labels[numbers]])
    found, _ = _leiden(inner, numbers, "CPM", scaled, seed)
    size = np.bincount(found)
    above = np.zeros(len(size), np.int32)
    above[found] = labels[numbers]
    real = size >= SMALLEST
    parts = np.bincount(above[real], minlength=len(sizes))
    # What did not fall apart is no community of the finer level.
    finer[numbers] = np.where((real & (parts[above] > 1))[found], found, NOWHERE)
    return finer


def _leiden(
    pairs: Pairs, numbers: NDArray[np.int64], objective: str, node_weights: Weights | None, seed: int
) -> tuple[Labels, float]:
    """Community numbers for the nodes `numbers`, which hold both ends of every pair, and the quality."""
    place = np.zeros(pairs.nodes, np.int64)
    place[numbers] = np.arange(len(numbers))
    graph = igraph.Graph(n=len(numbers), edges=np.column_stack((place[pairs.first], place[pairs.second])))
    with _generator_lock:
        igraph.set_random_number_generator(random.Random(seed))
        try:
            found = graph.community_leiden(
                # Without it igraph maximises CPM, whose resolution of 1 leaves every node alone.
                objective_function=objective,
                weights=pairs.weight,
                node_weights=node_weights,
                n_iterations=ITERATIONS_OF_LARGE if len(pairs) >= LARGE_PAIRS else ITERATIONS,
            )
        finally:
            igraph.set_random_number_generator(random)
    return np.asarray(found.membership, np.int32), float(found.quality or 0.0)


def _renumbered(labels: Labels) -> tuple[Labels, int]:
    """The same communities of at least two nodes, numbered in the order of their first members."""
    sizes = np.bincount(labels[labels >= 0]) if (labels >= 0).any() else np.zeros(0, np.int64)
    kept = np.concatenate((sizes >= SMALLEST, [False]))
    inside = kept[labels]
    if not inside.any():
        return np.full(len(labels), NOWHERE, np.int32), 0
    found, first, inverse = np.unique(labels[inside], return_index=True, return_inverse=True)
    rank = np.empty(len(found), np.int32)
    rank[np.argsort(first)] = np.arange(len(found))
    result = np.full(len(labels), NOWHERE, np.int32)
    result[inside] = rank[inverse]
    return result, len(found)
