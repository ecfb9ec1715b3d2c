"""Requirement 9.1 for questions with slips of typing: near names are found, other names are not mixed up."""

import pytest

from app.domain.scoring.misspelling import compute_misspelling_cost


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("micheal stonbraker", "michael stonebraker"),
        ("stonebracker", "stonebraker"),
        ("ada lovelase", "ada lovelace"),
        ("postgers", "postgres"),
        ("charls babage", "charles babbage"),
        ("kestral freight", "kestrel freight"),
        ("einstien", "einstein"),
        ("mueller", "müller"),
        ("jose", "josé"),
    ],
)
def test_a_slip_of_typing_is_forgiven(asked: str, name: str) -> None:
    assert compute_misspelling_cost(asked, name) is not None


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("slovenia", "slovakia"),
        ("austria", "australia"),
        ("niger", "nigeria"),
        ("iran", "iraq"),
        ("apollo 11", "apollo 12"),
        ("paul simon", "paula simon"),
        ("john smith", "john smyth jones"),
        ("michael stonebraker", "michael jordan"),
    ],
)
def test_another_name_is_another_name(asked: str, name: str) -> None:
    assert compute_misspelling_cost(asked, name) is None


def test_the_nearer_name_costs_less_and_the_right_one_nothing() -> None:
    right, near, far = (
        compute_misspelling_cost("stonebraker", name)
        for name in ("stonebraker", "stonebraeker", "stonbrakker")
    )
    assert right == 0
    assert near is not None
    assert far is not None
    assert 0 < near < far
