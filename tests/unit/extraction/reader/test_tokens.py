"""Requirement 5: a text is cut into the words that the weights of its language were trained on."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.extraction.reader.tokens import (
    list_character_and_space_ranges,
    list_spaced_word_ranges,
    list_unit_ranges,
    list_word_ranges_of_text,
)
from tests.support.sampling import sampled

CUTS = {
    "English": list_word_ranges_of_text,
    "spaced": list_spaced_word_ranges,
    "unspaced": list_unit_ranges,
    "characters": list_character_and_space_ranges,
}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("L'équipe d'Élise", ["L'", "équipe", "d'", "Élise"]),
        ("Jusqu’à Paris-Saclay.", ["Jusqu’", "à", "Paris-Saclay", "."]),
        ("Aujourd'hui, J. Dupont", ["Aujourd'hui", ",", "J.", "Dupont"]),
        ("el 12/05/2020 en Teruel", ["el", "12/05/2020", "en", "Teruel"]),
        ("Saint-Gobain & Cie", ["Saint-Gobain", "&", "Cie"]),
    ],
)
def test_words_of_languages_with_spaces(text: str, words: list[str]) -> None:
    assert [text[start:end] for start, end in list_spaced_word_ranges(text, 0, len(text))] == words


def test_spaces_are_tokens_where_names_end_within_words() -> None:
    text = "NHN은 서울에  있다."
    words = [text[start:end] for start, end in list_character_and_space_ranges(text, 0, len(text))]

    assert words == ["NHN", "은", " ", "서", "울", "에", "  ", "있", "다", "."]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("She can't, it's O'Neill's.", ["She", "ca", "n't", ",", "it", "'s", "O'Neill", "'s", "."]),
        ("a well-known U.S. firm", ["a", "well", "-", "known", "U.S.", "firm"]),
    ],
)
def test_words_of_english(text: str, words: list[str]) -> None:
    assert [text[start:end] for start, end in list_word_ranges_of_text(text, 0, len(text))] == words


@pytest.mark.parametrize("cut", CUTS.values(), ids=CUTS.keys())
@given(text=st.text(max_size=200))
def test_nothing_but_white_space_is_left_out(cut: object, text: str) -> None:
    ranges = cut(text, 0, len(text))  # type: ignore[operator]
    assert ranges == sorted(ranges)
    assert all(start < end for start, end in ranges)
    covered = {at for start, end in ranges for at in range(start, end)}
    assert all(text[at].isspace() for at in range(len(text)) if at not in covered)


@pytest.mark.parametrize("cut", CUTS.values(), ids=CUTS.keys())
@pytest.mark.parametrize(
    "piece",
    sampled(["a-", "l'", "a.b@", "1-", "n't", "x", "www.", "A.", "qu", "w+", "_", "http://a)"], every=3),
)
def test_time_stays_linear_on_hostile_text(cut: object, piece: str) -> None:
    text = piece * (150_000 // len(piece))
    begin = time.process_time()
    cut(text, 0, len(text))  # type: ignore[operator]
    assert time.process_time() - begin < 5
