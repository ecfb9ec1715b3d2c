"""Requirement 5: a lemma is an edit of its word, and the edit of one word fits others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.extraction.reader.languages import load_parser
from app.extraction.reader.lemmas import Lemmas, apply_lemma_rule, compute_lemma_rule


@given(st.text(min_size=1, max_size=12), st.text(min_size=1, max_size=12))
def test_the_rule_of_a_pair_makes_its_lemma(word: str, lemma: str) -> None:
    # A rule has one cased form: a lemma in mixed case of a word in another is not told apart from it.
    made = apply_lemma_rule(word, compute_lemma_rule(word, lemma))

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
    assert apply_lemma_rule(other, compute_lemma_rule(word, lemma)) == expected


def test_a_rule_that_cuts_more_than_there_is_leaves_the_word() -> None:
    assert apply_lemma_rule("Is", "5+be") == "is"


def test_a_rule_cuts_no_ending_that_it_has_not_cut_before() -> None:
    lemmas = Lemmas({"4+uy": frozenset(("ught",)), "2+": frozenset(("ed",))}, {"left VERB": "leave"})

    assert lemmas.find_lemma_of_word("sought", "VERB", ["2+", "4+uy"]) == "souy"
    assert lemmas.find_lemma_of_word("Wanted", "VERB", ["4+uy", "2+"]) == "want"
    assert lemmas.find_lemma_of_word("brought", "NOUN", ["2+"]) == "brought"
    assert lemmas.find_lemma_of_word("left", "VERB", ["2+", "="]) == "leave"
    assert lemmas.find_lemma_of_word("left", "ADJ", ["2+", "="]) == "left"


@pytest.mark.parametrize(
    ("language", "sentence", "lemma"),
    [
        ("en", "Globex bought Initech .", "buy"),
        ("en", "She fought it .", "fight"),
        ("es", "Ellos tienen una casa .", "tener"),
        ("fr", "Nous avons pris le train .", "prendre"),
    ],
)
def test_irregular_verbs_have_their_lemma(language: str, sentence: str, lemma: str) -> None:
    pipeline = load_parser(language)
    assert pipeline is not None

    assert lemma in next(pipeline.parse([sentence.split()])).lemmas
