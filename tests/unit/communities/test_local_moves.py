"""Moves of free nodes next to communities of which only sums are known."""

import numpy as np
import pytest
from numpy.typing import NDArray

from app.derived.communities.incremental.local_moves import Ties, compute_communities_after_local_moves
from app.derived.communities.leiden import NO_COMMUNITY

NODES, COMMUNITIES, PARENTS = 120, 12, 3


class Graph:
    """Random pairs within three parents of four communities each; some nodes are free, or in no community."""

    def __init__(self, seed: int) -> None:
        generator = np.random.default_rng(seed)
        self.community = np.arange(NODES, dtype=np.int32) * COMMUNITIES // NODES
        self.parent = (self.community // (COMMUNITIES // PARENTS)).astype(np.int32)
        first, second = generator.integers(0, NODES, (2, 2500))
        near = (self.community[first] == self.community[second]) | (generator.random(2500) < 0.15)
        kept = (first < second) & (self.parent[first] == self.parent[second]) & near
        code = np.unique(first[kept] * NODES + second[kept])
        self.first, self.second = np.divmod(code, NODES)
        self.weight = generator.uniform(0.3, 1.0, len(code))
        drawn = generator.random(NODES)
        self.free = np.flatnonzero(drawn < 0.4)
        self.before = np.where(drawn > 0.9, NO_COMMUNITY, self.community).astype(np.int32)
        # Some come from a community where they do not belong, some from none.
        stray = self.free[::3]
        self.before[stray] = generator.permutation(self.before[stray])

    def ties(self) -> Ties:
        strength, whole = self.strength(), np.zeros(PARENTS)
        np.add.at(whole, self.parent, strength)
        fixed = self.before.copy()
        fixed[self.free] = NO_COMMUNITY
        staying = np.zeros(COMMUNITIES)
        np.add.at(staying, fixed[fixed >= 0], strength[fixed >= 0])
        # The pairs of nodes that stay are known as sums alone.
        moves = np.isin(self.first, self.free) | np.isin(self.second, self.free)
        return Ties(
            self.first[moves], self.second[moves], self.weight[moves], self.parent, self.before, fixed, staying, whole  # noqa: E501
        )  # fmt: skip

    def strength(self) -> NDArray[np.float64]:
        ends = np.concatenate((self.first, self.second))
        return np.bincount(ends, weights=np.tile(self.weight, 2), minlength=NODES).astype(np.float64)

    def modularity(self, labels: NDArray[np.int32]) -> NDArray[np.float64]:
        """Each parent's own, node by node and with all pairs."""
        strength, found = self.strength(), np.zeros(PARENTS)
        for parent in range(PARENTS):
            own = self.parent == parent
            whole = strength[own].sum()
            inside = own[self.first] & (labels[self.first] == labels[self.second]) & (labels[self.first] >= 0)
            totals = np.bincount(labels[own & (labels >= 0)], weights=strength[own & (labels >= 0)])
            found[parent] = 2 * self.weight[inside].sum() / whole - np.square(totals / whole).sum()
        return found

    def after(self, found: NDArray[np.int32]) -> NDArray[np.int32]:
        labels = self.before.copy()
        labels[self.free] = found[self.free]
        return labels


@pytest.mark.parametrize("seed", range(8))
class TestLocalMove:
    def test_no_parent_loses_modularity_and_those_with_strays_gain(self, seed: int) -> None:
        graph = Graph(seed)
        before = graph.modularity(graph.before)
        after = graph.modularity(
            graph.after(compute_communities_after_local_moves(graph.free, graph.ties(), seed=seed))
        )
        assert (after >= before - 1e-12).all()
        assert after.sum() > before.sum() + 0.05

    def test_no_free_node_gains_by_going_elsewhere(self, seed: int) -> None:
        graph = Graph(seed)
        labels = graph.after(compute_communities_after_local_moves(graph.free, graph.ties(), seed=seed))
        best = graph.modularity(labels)
        for node in graph.free:
            mates = np.unique(labels[(graph.parent == graph.parent[node]) & (labels >= 0)])
            for label in (*mates, labels.max() + 1):
                other = labels.copy()
                other[node] = label
                assert (graph.modularity(other) <= best + 1e-9).all()

    def test_all_others_stay_and_nobody_leaves_the_parent(self, seed: int) -> None:
        graph = Graph(seed)
        found = compute_communities_after_local_moves(graph.free, graph.ties(), seed=seed)
        others = np.setdiff1d(np.arange(NODES), graph.free)
        assert (found[others] == NO_COMMUNITY).all()
        known = found[graph.free] < COMMUNITIES
        assert (found[graph.free] >= 0).all()
        assert (found[graph.free][known] // 4 == graph.parent[graph.free][known]).all()
        for label in np.unique(found[graph.free][~known]):
            assert len(np.unique(graph.parent[found == label])) == 1

    def test_the_same_for_a_seed(self, seed: int) -> None:
        graph = Graph(seed)
        assert (
            compute_communities_after_local_moves(graph.free, graph.ties(), seed=3)
            == compute_communities_after_local_moves(graph.free, graph.ties(), seed=3)
        ).all()


def test_nobody_is_free() -> None:
    graph = Graph(0)
    assert (compute_communities_after_local_moves(graph.free[:0], graph.ties(), seed=1) == NO_COMMUNITY).all()
