"""Vectors as texts: what pgvector reads is the vector to four digits, and nothing that is no part of a unit
vector passes.
"""

import json

import numpy as np
import pytest

from app.db.arrays import format_vectors


def test_each_row_is_read_back_to_four_digits() -> None:
    vectors = np.random.default_rng(1).uniform(-1, 1, (20, 300)).astype(np.float32)
    read = np.array([json.loads(vector) for vector in format_vectors(vectors)])
    assert np.abs(read - vectors).max() <= 0.5001e-4
    assert format_vectors(np.array([[1.0, -1.0, 0.0, 0.00004, -0.25]], np.float32)) == [
        "[1.0,-1.0,0.0,0.0,-0.25]"
    ]


def test_no_rows_are_no_texts() -> None:
    assert format_vectors(np.zeros((0, 256), np.float32)) == []


@pytest.mark.parametrize("part", [1.0002, -2.0, np.nan, np.inf])
def test_what_is_no_part_of_a_unit_vector_is_refused(part: float) -> None:
    with pytest.raises(ValueError, match="between -1 and 1"):
        format_vectors(np.array([[0.5, part]], np.float32))
