"""Hierarchical Leiden on graphs whose communities are known (requirement 7.1)."""

import numpy as np
import pytest
from numpy.typing import NDArray

from app.derived.communities.leiden import (
    MAX_UNDIVIDED_SIZE,
    NO_COMMUNITY,
    NodePairs,
    build_heavy_pairs,
    compute_modularity,
    compute_node_strengths,
    detect_communities_by_leiden,
    sum_values_by_community,
)


def edges(*rows: tuple[int, int, float]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
    return (
        np.array([row[0] for row in rows], np.int64),
        np.array([row[1] for row in rows], np.int64),
        np.array([row[2] for row in rows], np.float32),
    )


def cliques(sizes: list[int], *, weight: float = 0.9, bridge: float = 0.5) -> NodePairs:
    """Cliques, each tied to the next by one pair."""
    rows: list[tuple[int, int, float]] = []
    begin = 0
    for size in sizes:
        rows += [(begin + a, begin + b, weight) for a in range(size) for b in range(a)]
        if begin:
            rows.append((begin - 1, begin, bridge))
        begin += size
    return build_heavy_pairs(begin, *edges(*rows), min_weight=0.5)


def nested(*, groups: int = 12, parts: int = 3, size: int = 6) -> NodePairs:
    """Groups of cliques: cliques of a group hang together by four pairs, groups by one."""
    rows: list[tuple[int, int, float]] = []
    for group in range(groups):
        base = group * parts * size
        for part in range(parts):
            begin = base + part * size
            rows += [(begin + a, begin + b, 1.0) for a in range(size) for b in range(a)]
            following = base + (part + 1) % parts * size
            rows += [(begin + tie, following + tie, 1.0) for tie in range(4)]
        if group:
            rows.append((base, base - 1, 0.6))
    return build_heavy_pairs(groups * parts * size, *edges(*rows), min_weight=0.5)


class TestHeavyPairs:
    def test_community_min_weight_sums_parallel_edges_of_both_directions(self) -> None:
        pairs = build_heavy_pairs(3, *edges((0, 1, 0.2), (1, 0, 0.3), (1, 2, 0.49)), min_weight=0.5)
        assert list(zip(pairs.first_nodes, pairs.second_nodes, strict=True)) == [(0, 1)]
        assert pairs.weights == pytest.approx([0.5])

    def test_loops_are_no_pairs(self) -> None:
        assert len(build_heavy_pairs(2, *edges((0, 0, 5.0)), min_weight=0.5)) == 0

    def test_no_edges(self) -> None:
        assert len(build_heavy_pairs(3, *edges(), min_weight=0.5)) == 0
        assert len(build_heavy_pairs(0, *edges(), min_weight=0.5)) == 0

    def test_the_order_of_edges_changes_nothing(self) -> None:
        generator = np.random.default_rng(5)
        source, target = generator.integers(0, 50, 900), generator.integers(0, 50, 900)
        weight = generator.random(900).astype(np.float32)
        straight = build_heavy_pairs(50, source, target, weight, min_weight=0.5)
        order = generator.permutation(900)
        shuffled = build_heavy_pairs(50, target[order], source[order], weight[order], min_weight=0.5)
        assert np.array_equal(straight.first_nodes, shuffled.first_nodes)
        assert np.array_equal(straight.weights, shuffled.weights)


class TestDetect:
    def test_cliques_are_communities(self) -> None:
        found = detect_communities_by_leiden(cliques([5, 6, 7]), levels=3, seed=1)
        assert found.labels[0].tolist() == [0] * 5 + [1] * 6 + [2] * 7
        pairs = cliques([5, 6, 7])
        within = [compute_node_strengths(pairs, labels) for labels in (None, found.labels[0])]
        assert (
            compute_modularity(
                *(sum_values_by_community(strengths, found.labels[0], 3) for strengths in within)
            )
            > 0.5
        )

    def test_a_node_without_a_heavy_pair_is_in_no_community(self) -> None:
        pairs = build_heavy_pairs(4, *edges((0, 1, 0.9), (2, 3, 0.3)), min_weight=0.5)
        assert detect_communities_by_leiden(pairs, levels=3, seed=1).labels[0].tolist() == [
            0,
            0,
            NO_COMMUNITY,
            NO_COMMUNITY,
        ]

    def test_a_graph_without_pairs_has_one_level_without_communities(self) -> None:
        found = detect_communities_by_leiden(NodePairs(3, *edges()[:2], np.zeros(0)), levels=3, seed=1)
        assert [label.tolist() for label in found.labels] == [[NO_COMMUNITY] * 3]
        assert found.community_count == 0

    def test_several_levels_where_a_community_knows_its_parent(self) -> None:
        found = detect_communities_by_leiden(nested(), levels=3, seed=1)
        assert len(found.labels) >= 2
        for level in range(1, len(found.labels)):
            finer, coarser = found.labels[level], found.labels[level - 1]
            inside = finer >= 0
            assert np.array_equal(found.parents[level][finer[inside]], coarser[inside])
        assert set(found.parents[0]) == {NO_COMMUNITY}
        sizes = np.bincount(found.labels[0])
        assert all(sizes[parent] > MAX_UNDIVIDED_SIZE for parent in found.parents[1])

    def test_at_most_the_levels_asked_for(self) -> None:
        assert len(detect_communities_by_leiden(nested(), levels=1, seed=1).labels) == 1

    def test_a_small_community_is_not_divided(self) -> None:
        found = detect_communities_by_leiden(
            cliques([MAX_UNDIVIDED_SIZE, MAX_UNDIVIDED_SIZE]), levels=5, seed=1
        )
        assert len(found.labels) == 1

    def test_deterministic_for_a_seed(self) -> None:
        generator = np.random.default_rng(3)
        pairs = build_heavy_pairs(
            400,
            generator.integers(0, 400, 1600),
            generator.integers(0, 400, 1600),
            np.ones(1600),
            min_weight=0.5,
        )
        one, two = (detect_communities_by_leiden(pairs, levels=3, seed=7) for _ in range(2))
        assert len(one.labels) > 1
        for a, b in zip((*one.labels, *one.parents), (*two.labels, *two.parents), strict=True):
            assert np.array_equal(a, b)
        others = [detect_communities_by_leiden(pairs, levels=3, seed=seed).labels[0] for seed in range(8, 14)]
        assert any(not np.array_equal(one.labels[0], other) for other in others)

    def test_communities_hang_together(self) -> None:
        """What Leiden adds to Louvain: no community is two that do not touch."""
        generator = np.random.default_rng(11)
        pairs = build_heavy_pairs(
            300,
            generator.integers(0, 300, 600),
            generator.integers(0, 300, 600),
            np.ones(600),
            min_weight=0.5,
        )
        found = detect_communities_by_leiden(pairs, levels=3, seed=1)
        for labels in found.labels:
            for community in range(labels.max() + 1):
                members = set(np.flatnonzero(labels == community).tolist())
                reached, border = set(), [min(members)]
                while border:
                    node = border.pop()
                    if node not in reached:
                        reached.add(node)
                        touching = np.concatenate(
                            (
                                pairs.second_nodes[pairs.first_nodes == node],
                                pairs.first_nodes[pairs.second_nodes == node],
                            )
                        )
                        border += [node_index for node_index in touching.tolist() if node_index in members]
                assert reached == members


def test_strengths_count_the_weight_within_communities() -> None:
    pairs = cliques([3, 3], weight=1.0, bridge=0.5)
    assert compute_node_strengths(pairs).tolist() == [2, 2, 2.5, 2.5, 2, 2]
    labels = np.array([0, 0, 0, 1, 1, 1], np.int32)
    assert compute_node_strengths(pairs, labels).tolist() == [2, 2, 2, 2, 2, 2]
