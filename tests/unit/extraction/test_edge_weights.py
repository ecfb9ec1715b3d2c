"""Weights and extraction keys (requirement 4.3, rule J5)."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.extraction.edge_weights import (
    compute_key_of_extracted_edge,
    compute_raw_edge_weight,
    divide_weights_by_largest,
)


@given(st.lists(st.floats(0, 1e6), max_size=50))
def test_weights_lie_between_0_and_1_and_the_largest_is_1(products: list[float]) -> None:
    result = divide_weights_by_largest(products)
    assert len(result) == len(products)
    assert all(0 <= weight <= 1 for weight in result)
    if any(products):
        assert max(result) == 1


def test_weight_is_the_share_of_the_largest_product() -> None:
    assert divide_weights_by_largest(
        [compute_raw_edge_weight(0.5, 1), compute_raw_edge_weight(0.8, 2), 0.0]
    ) == pytest.approx([0.3125, 1.0, 0.0])
    assert divide_weights_by_largest([]) == []
    assert divide_weights_by_largest([0.0, 0.0]) == [0.0, 0.0]


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, -0.1])
def test_a_product_that_is_no_amount_is_an_error(bad: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        divide_weights_by_largest([1.0, bad])


BASE = {
    "chunk_hash": "h",
    "prompt_version": "p",
    "model": "m",
    "from_name": "a",
    "to_name": "b",
    "relation_type": "r",
}


def test_a_key_is_the_same_for_the_same_parts_and_differs_in_each() -> None:
    assert compute_key_of_extracted_edge(**BASE) == compute_key_of_extracted_edge(**BASE)
    keys = {compute_key_of_extracted_edge(**{**BASE, part: "other"}) for part in BASE} | {
        compute_key_of_extracted_edge(**BASE)
    }
    keys |= {
        compute_key_of_extracted_edge(**BASE, from_type="T"),
        compute_key_of_extracted_edge(**BASE, to_type="T"),
    }
    assert len(keys) == len(BASE) + 3


def test_parts_do_not_run_together() -> None:
    one = compute_key_of_extracted_edge(**{**BASE, "from_name": "ab", "to_name": "c"})
    two = compute_key_of_extracted_edge(**{**BASE, "from_name": "a", "to_name": "bc"})
    assert one != two
    assert compute_key_of_extracted_edge(**{**BASE, "from_name": "\ud800"}) != one
