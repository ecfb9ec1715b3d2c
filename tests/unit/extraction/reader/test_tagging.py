"""Requirement 5: tags of a sentence are names, and the best sequence of all, with learned transitions."""

from collections.abc import Iterator
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from app.extraction.reader.tagging import find_best_tags, tag_probabilities

Floats = NDArray[np.float32]

TAGS = ["O", "B-LOC", "I-LOC", "B-PER", "I-PER"]
NO_TRANSITIONS = np.zeros((5, 5), dtype=np.float32)


def _logs(odds: list[list[float]]) -> Floats:
    return np.log(np.maximum(np.array(odds, dtype=np.float32), np.float32(1e-9)))


def _score(path: tuple[int, ...], scores: Floats, transitions: Floats) -> float:
    steps = zip((0, *path), path, strict=False)
    return float(sum(transitions[step] for step in steps) + scores[range(len(path)), path].sum())


def _valid_paths(length: int) -> Iterator[tuple[int, ...]]:
    for path in product(range(len(TAGS)), repeat=length):
        names = [TAGS[index] for index in (0, *path)]
        if all(tag[0] != "I" or before[1:] == tag[1:] for before, tag in pairwise(names)):
            yield path


def _random(lengths: list[int], seed: int) -> tuple[list[Floats], Floats]:
    numbers = np.random.default_rng(seed)
    scores = [numbers.normal(0, 3, (length, len(TAGS))).astype(np.float32) for length in lengths]
    return scores, numbers.normal(0, 2, (len(TAGS), len(TAGS))).astype(np.float32)


def test_a_name_that_goes_on_has_begun() -> None:
    odds = [[0.6, 0.3, 0.1, 0, 0], [0.4, 0.0, 0.6, 0, 0]]

    assert find_best_tags([_logs(odds)], NO_TRANSITIONS, TAGS) == [["O", "O"]]
    odds[0][:2] = 0.45, 0.44
    assert find_best_tags([_logs(odds)], NO_TRANSITIONS, TAGS) == [["B-LOC", "I-LOC"]]


def test_a_name_keeps_its_type() -> None:
    odds = [[0, 0.9, 0, 0.1, 0], [0, 0, 0.4, 0, 0.6]]

    assert find_best_tags([_logs(odds)], NO_TRANSITIONS, TAGS) == [["B-LOC", "I-LOC"]]


def test_a_name_goes_on_where_transitions_say_so() -> None:
    """A character in the middle of a name that looks like none does not cut it."""
    odds = [[0.1, 0.9, 0, 0, 0], [0.6, 0, 0.4, 0, 0], [0.1, 0, 0.9, 0, 0]]
    transitions = NO_TRANSITIONS.copy()
    transitions[TAGS.index("I-LOC"), TAGS.index("I-LOC")] = 1.0
    transitions[TAGS.index("B-LOC"), TAGS.index("O")] = -1.0

    assert find_best_tags([_logs(odds)], transitions, TAGS) == [["B-LOC", "I-LOC", "I-LOC"]]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.integers(0, 2**32 - 1))
def test_no_other_valid_sequence_of_a_sentence_is_better(lengths: list[int], seed: int) -> None:
    scores, transitions = _random(lengths, seed)

    for rows, tags in zip(scores, find_best_tags(scores, transitions, TAGS), strict=True):
        path = tuple(map(TAGS.index, tags))
        best = max(_score(other, rows, transitions) for other in _valid_paths(len(rows)))
        assert _score(path, rows, transitions) >= best - 1e-4
        assert path in set(_valid_paths(len(rows)))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.integers(0, 2**32 - 1))
def test_probabilities_are_of_all_sequences(lengths: list[int], seed: int) -> None:
    scores, transitions = _random(lengths, seed)

    for rows, probabilities in zip(scores, tag_probabilities(scores, transitions), strict=True):
        sums = np.zeros(rows.shape)
        for path in product(range(len(TAGS)), repeat=len(rows)):
            sums[range(len(rows)), path] += np.exp(_score(path, rows, transitions))
        np.testing.assert_allclose(probabilities, sums / sums.sum(axis=1, keepdims=True), atol=1e-4)


def test_without_transitions_each_word_is_alone() -> None:
    scores = np.array([[2.0, 1.0, 0.0], [0.0, 1.0, 3.0]], dtype=np.float32)
    (probabilities,) = tag_probabilities([scores], np.zeros((3, 3), np.float32))

    alone = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(probabilities, alone, atol=1e-6)


@pytest.mark.parametrize("size", [1e3, 1e4])
def test_scores_of_any_size_give_probabilities(size: float) -> None:
    """What cannot be has a probability of zero, and no sentence is left without one."""
    scores = np.array([[size, 0.0, 0.0], [0.0, 0.0, size], [-size, size, 0.0]] * 60, dtype=np.float32)
    transitions = np.array([[0, 0, -1e4], [0, 0, 0], [0, 0, 0]], dtype=np.float32)
    (probabilities,) = tag_probabilities([scores], transitions)

    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, atol=1e-5)
