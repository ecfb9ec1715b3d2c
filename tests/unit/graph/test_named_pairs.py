"""Who is named near whom, and what that weighs."""

import numpy as np
import pytest

from app.graph.cooccurrence import (
    MAX_NAMES,
    NEAR_CHARACTERS,
    NEAR_NAMES,
    NamedPairs,
    compute_cooccurrence_weights,
    number_distinct_ids,
    pair_nearby_mentions,
)

Mention = tuple[int, int, int]


def pairs_of(mentions: list[Mention], nodes: int = 1_000) -> dict[tuple[int, int], tuple[int, float]]:
    """(first, second) → (count, nearness) of mentions (chunk, node, first character)."""
    chunk, node, start = (np.array(column, np.int64) for column in zip(*mentions, strict=True))
    found = pair_nearby_mentions(nodes, chunk, node, start)
    return {
        (first, second): (count, round(nearness, 3))
        for first, second, count, nearness in zip(
            found.first.tolist(),
            found.second.tolist(),
            found.count.tolist(),
            found.nearness.tolist(),
            strict=True,
        )
    }


def weigh(named: list[int], *, count: int, nearness: float, chunks: int) -> float:
    pairs = NamedPairs(np.array([0]), np.array([1]), np.array([count]), np.array([nearness]))
    return float(compute_cooccurrence_weights(pairs, np.array(named), chunks)[0])


class TestNamedPairs:
    def test_each_chunk_counts_and_names_between_make_it_count_less(self) -> None:
        mentions = [(0, 5, 0), (0, 3, 20), (0, 4, 40), (1, 3, 7), (1, 5, 0)]
        assert pairs_of(mentions) == {(3, 5): (2, 1.0), (3, 4): (1, 0.5), (4, 5): (1, 0.333)}

    def test_names_of_different_chunks_are_no_pair(self) -> None:
        assert pairs_of([(0, 1, 0), (1, 2, 5)]) == {}

    def test_names_far_apart_are_no_pair(self) -> None:
        assert pairs_of([(0, 1, 0), (0, 2, NEAR_CHARACTERS)]) == {(1, 2): (1, 0.5)}
        assert pairs_of([(0, 1, 0), (0, 2, NEAR_CHARACTERS + 1)]) == {}

    def test_a_name_of_a_long_list_is_paired_with_its_neighbours_alone(self) -> None:
        found = pairs_of([(0, node, 5 * node) for node in range(20)])
        assert max(second - first for first, second in found) == NEAR_NAMES
        assert sum(10 in pair for pair in found) == 2 * NEAR_NAMES

    def test_a_chunk_of_too_many_names_pairs_none(self) -> None:
        assert len(pairs_of([(0, node, node) for node in range(MAX_NAMES)])) > MAX_NAMES
        assert pairs_of([(0, node, node) for node in range(MAX_NAMES + 1)]) == {}

    def test_a_mention_that_is_read_twice_counts_once(self) -> None:
        assert pairs_of([(0, 1, 0), (0, 2, 5), (0, 2, 5), (0, 1, 0)]) == {(1, 2): (1, 0.5)}

    def test_no_mention_is_no_pair(self) -> None:
        none = np.zeros(0, np.int64)
        assert len(pair_nearby_mentions(0, none, none, none)) == 0


class TestTieWeights:
    def test_two_that_are_named_once_and_together_are_tied(self) -> None:
        assert weigh([1, 1], count=1, nearness=0.5, chunks=100) == pytest.approx(1 / 3)

    def test_the_more_often_together_the_closer(self) -> None:
        often, once = (weigh([5, 5], count=count, nearness=count / 2, chunks=100) for count in (4, 1))
        assert 2 * once < often < 1

    def test_who_is_named_everywhere_is_tied_to_nobody(self) -> None:
        assert weigh([90, 3], count=2, nearness=1.0, chunks=100) == 0.0
        assert 0.0 < weigh([40, 3], count=3, nearness=1.5, chunks=100) < 0.2

    def test_in_a_space_of_one_chunk_its_names_are_tied(self) -> None:
        assert weigh([1, 1], count=1, nearness=0.5, chunks=1) == pytest.approx(1 / 3)


def test_ids_are_numbered_in_ascending_order() -> None:
    ids = np.array([(2, 1), (1, 9), (2, 1), (1, 3)], np.uint64)
    ordered, numbers = number_distinct_ids(ids)
    assert ordered.tolist() == [[1, 3], [1, 9], [2, 1]]
    assert numbers.tolist() == [2, 1, 2, 0]
