"""Recall of ranked passages and paired differences, against numbers worked out by hand."""

import numpy as np
import pytest

from app.retrieval.evaluation import compare_recalls, compute_recall_percentages

GOLD = {"a": ["1", "2"], "b": ["9"]}


def test_recall_counts_the_share_of_gold_among_the_first_ids() -> None:
    ranked = {"a": ["1", "x", "x", "2", "y"], "b": ["p", "q", "r", "s", "t", "9"]}
    assert compute_recall_percentages(ranked, GOLD).tolist() == [[50.0, 100.0, 100.0], [0.0, 0.0, 100.0]]


def test_repeated_ids_count_once_and_a_missing_question_missed_all() -> None:
    # Without the repetition "2" stands second.
    assert compute_recall_percentages({"a": ["1", "1", "2"]}, GOLD).tolist() == [
        [100.0, 100.0, 100.0],
        [0.0, 0.0, 0.0],
    ]


def test_the_difference_is_paired_and_its_interval_holds_it() -> None:
    first, second = np.array([0.0, 50.0, 100.0, 0.0]), np.array([50.0, 50.0, 100.0, 100.0])
    found = compare_recalls(first, second)
    assert found.mean == pytest.approx(37.5)
    assert found.lower_bound <= found.mean <= found.upper_bound
    assert compare_recalls(first, first) == (type(found))(0.0, 0.0, 0.0)
