"""Soft hyphens and zero-width characters in words: removed from documents and questions, kept where they mean
something.
"""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.documents.parsers.assembly import clean_text
from app.domain.invisible_breaks import remove_invisible_breaks


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("Donau\u00adhafen GmbH", "Donauhafen GmbH"),
        ("Open\u200bGrid Ltd", "OpenGrid Ltd"),
        ("Zero\u2060Tech", "ZeroTech"),
        ("Auf\u200clage", "Auflage"),
        ("Auf\u00ad\u200clage", "Auflage"),
        ("1990\u2013\u200b1995", "1990\u20131995"),
        ("Сан\u00adкт-Пе\u00adтер\u00adбург", "Санкт-Петербург"),
        ("海星\u200b科技", "海星科技"),
        # Here it separates words.
        ("ไทย\u200bรัฐ", "ไทย\u200bรัฐ"),
        ("ភាសា\u200bខ្មែរ", "ភាសា\u200bខ្មែរ"),
        ("မြန်မာ\u200b စာ", "မြန်မာ\u200b စာ"),
        # Here it is spelling.
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("क्\u200cष", "क्\u200cष"),
        ("👩\u200d💻", "👩\u200d💻"),
        ("plain", "plain"),
    ],
)
def test_a_word_is_what_is_seen(text: str, seen: str) -> None:
    assert remove_invisible_breaks(text) == seen
    assert clean_text(text) == unicodedata.normalize("NFC", seen)


@given(st.text(alphabet="ab éก\u00ad\u200b\u200c\u2060\ufeffم\u0301"))
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    cleaned = clean_text(text)
    assert clean_text(cleaned) == cleaned
