"""Requirement 5: words are cut into the pieces whose vectors the weights bring."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.extraction.reader.word_pieces import Pieces

KNOWN = ("a", "ab", "##c", "##bcd", "play", "##ing", "cafe", "u", "s", ".")


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("playing", ["play", "##ing"]),
        ("Café", ["cafe"]),
        ("abc", ["ab", "##c"]),
        ("U.S.", ["u", ".", "s", "."]),
        # The longest piece leaves "bd", which no pieces make up.
        ("abbd", []),
        ("play☃", ["play"]),
        ("", []),
    ],
)
def test_the_longest_known_pieces_make_up_a_word(word: str, expected: list[str]) -> None:
    assert [KNOWN[row] for row in Pieces(KNOWN).list_piece_rows(word)] == expected


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=40), st.lists(st.text(min_size=1, max_size=5), max_size=8))
def test_any_word_has_pieces_of_the_vocabulary(word: str, known: list[str]) -> None:
    assert all(0 <= row < len(known) for row in Pieces(known).list_piece_rows(word))
