"""Requirement 9.4 text overlap and 9.5 keywords: what is split, what is dropped, how alike two texts are."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.scoring.keywords import list_keywords
from app.domain.scoring.text_overlap import (
    compute_dice_similarity,
    compute_weighted_text_overlap,
    count_letter_bigrams,
)

QUERY = count_letter_bigrams("relational model")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Who created the Analytical Engine?", ["created", "analytical", "engine"]),
        ("don't panic: it's e-mail, v2.0/C++", ["don", "panic", "mail", "v2"]),
        ("Ada ada ADA", ["ada"]),
        ("x 7 日 é", []),
        ("snake_case and_graph", ["snake", "case", "graph"]),
        ("Größe der Straße", ["grösse", "der", "strasse"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("Cafe\u0301", ["caf\u00e9"]),
        ("the of and what", []),
        ("", []),
        ("\x00\u200b🙂", []),
    ],
)
def test_9_5_keywords(text: str, found: list[str]) -> None:
    assert list_keywords(text) == found


def test_9_5_stop_words_are_replaceable() -> None:
    assert list_keywords("the big engine", stop_words={"engine"}) == ["the", "big"]


@given(st.text(max_size=80))
def test_9_5_keywords_of_keywords_are_the_same(text: str) -> None:
    found = list_keywords(text)
    assert list_keywords(" ".join(found)) == found


def reference_dice(a: str, b: str) -> float:
    """By the definition, over multisets."""
    left, right = (Counter(x[i : i + 2] for i in range(len(x) - 1)) for x in (a, b))
    total = left.total() + right.total()
    return 2 * (left & right).total() / total if left and right else 0.0


@given(st.text("abé cя", max_size=12), st.text("abé cя", max_size=30), st.sampled_from([1, 40]))
def test_9_4_dice_is_that_of_the_definition(a: str, b: str, times: int) -> None:
    """Short and long texts, of one byte a character and of more, are counted in different ways."""
    a, b = " ".join(a.split()), b * times
    assert compute_dice_similarity(count_letter_bigrams(a), b) == pytest.approx(reference_dice(a, b))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("night", "nacht", 0.25),
        ("same", "same", 1.0),
        ("SAME", "same", 1.0),
        ("aaaa", "aa", 0.5),
        ("abc", "xyz", 0.0),
        ("a", "a", 0.0),
        ("", "anything", 0.0),
        ("anything", "", 0.0),
    ],
)
def test_9_4_dice(a: str, b: str, expected: float) -> None:
    assert compute_dice_similarity(count_letter_bigrams(a), b) == pytest.approx(expected)


def test_9_4_title_counts_above_summary_above_body() -> None:
    text = "relational model"
    title, summary, body = (
        compute_weighted_text_overlap(QUERY, **{field: text}) for field in ("title", "summary", "body")
    )
    assert 1 > title > summary > body > 0
    assert compute_weighted_text_overlap(QUERY, title=text, summary=text, body=text) == pytest.approx(1)
