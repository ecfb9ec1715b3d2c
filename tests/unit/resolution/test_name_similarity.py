"""Which spellings surely, likely and never mean one thing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.graph.resolution.name_similarity import (
    MIN_DOUBTFUL_SCORE,
    compute_best_name_similarity,
    compute_name_similarity,
    list_likely_spelling_keys,
    list_spelling_keys_of_names,
    list_sure_spelling_keys,
)


@pytest.mark.parametrize(
    ("a", "b", "node_type"),
    [
        ("Acme, Inc.", "ACME", "Organization"),
        ("Acme GmbH", "Acme Ltd.", "Organization"),
        ("Dr. Ada Lovelace", "Ada Lovelace, PhD", "Person"),
        ("B-trees", "B tree", "Concept"),
        ("Queries", "Query", "Concept"),
        ("Wi-Fi", "WiFi", "Technology"),
        ("e-mail", "Email", "Product"),
    ],
)
def test_sure_spellings_share_a_key(a: str, b: str, node_type: str) -> None:
    assert list_sure_spelling_keys(a, node_type) & list_sure_spelling_keys(b, node_type)


@pytest.mark.parametrize(
    ("a", "b", "node_type"),
    [
        ("Dr. Smith", "Smith", "Person"),
        ("Windows", "Window", "Product"),
        ("Adams", "Adam", "Person"),
        ("Rails", "Rail", "Technology"),
        ("HTTP/1.1", "HTTP 11", "API"),
        ("Apollo 11", "Apollo 12", "Event"),
        ("Analysis", "Analysi", "Concept"),
        ("John Smith", "J. Smith", "Person"),
        ("3M Co", "3M", "Product"),
    ],
)
def test_others_do_not(a: str, b: str, node_type: str) -> None:
    assert not list_sure_spelling_keys(a, node_type) & list_sure_spelling_keys(b, node_type)


def test_a_type_that_is_a_guess_joins_nothing_unless_the_name_shows_it() -> None:
    assert list_sure_spelling_keys("Acme", None) == frozenset()
    assert list_sure_spelling_keys("Acme Inc.", None) == list_sure_spelling_keys("Acme", "Organization")
    assert list_sure_spelling_keys("Dr. Ada Lovelace", None) == list_sure_spelling_keys(
        "Ada Lovelace", "Person"
    )
    assert not list_sure_spelling_keys("Acme Inc.", "Product") & list_sure_spelling_keys(
        "Acme", "Organization"
    )


@pytest.mark.parametrize(
    ("a", "b", "why"),
    [
        ("IBM", "International Business Machines", "acronym"),
        ("DoD", "Department of Defense", "acronym"),
        ("J. Smith", "John Smith", "initials"),
        ("J. R. R. Tolkien", "John Ronald Reuel Tolkien", "initials"),
        ("Micheal Stonebraker", "Michael Stonebraker", "spelling"),
        ("PostgreSQL", "Postgres", "spelling"),
    ],
)
def test_doubtful_pairs_are_alike_and_meet_under_a_key(a: str, b: str, why: str) -> None:
    score, by = compute_name_similarity(a, b)
    assert (score >= MIN_DOUBTFUL_SCORE, by) == (True, why)
    assert list_likely_spelling_keys(a) & list_likely_spelling_keys(b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Apollo 11", "Apollo 12"),
        ("Postgres 9", "Postgres 10"),
        ("J. Smith", "Mary Smith"),
        ("John Smith", "Jane Smith"),
        ("MySQL", "MySpace"),
        ("Oracle", "Oracle Database"),
    ],
)
def test_others_are_not_doubtful(a: str, b: str) -> None:
    assert compute_name_similarity(a, b)[0] < MIN_DOUBTFUL_SCORE


def test_keys_go_with_the_names_that_have_them() -> None:
    known = (
        list_sure_spelling_keys("Acme", "Organization")
        | list_sure_spelling_keys("Zeus", "Person")
        | list_likely_spelling_keys("Zeus Athen")
    )
    assert list_spelling_keys_of_names(["Acme Inc."], known) == list_sure_spelling_keys(
        "Acme", "Organization"
    ) | list_likely_spelling_keys("Acme Inc.")


NAMES = st.text(max_size=40) | st.sampled_from(
    ["Acme Inc.", "Dr. X", "J. R. Y", "Inc", "Mr", "the", "1 2 3", "C++"]
)


@given(NAMES, NAMES)
def test_any_two_names_are_compared_alike_in_both_directions(a: str, b: str) -> None:
    score, why = compute_name_similarity(a, b)
    assert compute_name_similarity(b, a) == (score, why)
    assert 0 <= score <= 1
    assert compute_best_name_similarity([a], [b]) == (score, why)
    for key in (
        list_sure_spelling_keys(a, "Concept")
        | list_sure_spelling_keys(a, None)
        | list_likely_spelling_keys(a)
    ):
        assert 0 < len(key) < 300
        assert "\x00" not in key
