"""Requirement 5: a lemma is an edit of its word, and the edit of one word fits others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.extraction.reader.lemmas import apply_rule, rule_between


@given(st.text(min_size=1, max_size=12), st.text(min_size=1, max_size=12))
def test_the_rule_of_a_pair_makes_its_lemma(word: str, lemma: str) -> None:
    # A rule has one cased form: a lemma in mixed case of a word in another is not told apart from it.
    made = apply_rule(word, rule_between(word, lemma))

    assert made == lemma or made.lower() == lemma.lower() or not lemma[0].isupper()


@pytest.mark.parametrize(
    ("word", "lemma", "other", "expected"),
    [
        ("walked", "walk", "talked", "talk"),
        ("cities", "city", "parties", "party"),
        ("Paris", "Paris", "Oslo", "Oslo"),
    ],
)
def test_a_rule_fits_words_that_inflect_alike(word: str, lemma: str, other: str, expected: str) -> None:
    assert apply_rule(other, rule_between(word, lemma)) == expected


def test_a_rule_that_cuts_more_than_there_is_leaves_the_word() -> None:
    assert apply_rule("Is", "5+be") == "is"
