"""Reduce letters to their base letters, so that names and words are compared without accents; pure.

Every comparison that ignores accents uses `replace_by_base_letters`. The key of a node's name keeps them
(`normalise_name`).
"""

import re
import unicodedata
from itertools import chain

_LATIN_CODE_POINTS = chain(
    range(0x00C0, 0x0250), range(0x0250, 0x02B0), range(0x1D00, 0x1F00), range(0xA720, 0xA800)
)
_LETTER_NAME = re.compile(
    r"LATIN (?P<case>SMALL|CAPITAL) (?:LETTER|LIGATURE) (?:DOTLESS )?(?P<letters>[A-Z]{1,2})(?: WITH .+)?"
)
_NAMED_LETTERS = {"ð": "d", "Ð": "D", "þ": "th", "Þ": "Th", "ß": "ss", "ẞ": "SS"}
"""Letters that Unicode calls by a name of their own."""
_POINT_CLASSES = range(10, 37)
_MIN_ACCENT_CLASS = 200
_OVERLAY_CLASS = 1


def _build_base_letters() -> dict[str, str]:
    """Return the base letters of Latin letters that Unicode does not decompose: "Ł" is "L with stroke"."""
    base_letters = dict(_NAMED_LETTERS)
    for letter in map(chr, _LATIN_CODE_POINTS):
        match = _LETTER_NAME.fullmatch(unicodedata.name(letter, ""))
        if match and not unicodedata.decomposition(letter):
            letters = match["letters"]
            base_letters[letter] = letters.lower() if match["case"] == "SMALL" else letters.title()
    return base_letters


def _is_accent(code_point: int) -> bool:
    """Return whether a mark may be left out in writing: an accent, or a point of Hebrew or Arabic.

    By its class of combination: a virama, a nukta and the voicing mark of kana make another letter.
    """
    combining_class = unicodedata.combining(chr(code_point))
    return (
        combining_class == _OVERLAY_CLASS
        or combining_class in _POINT_CLASSES
        or combining_class >= _MIN_ACCENT_CLASS
    )


_ACCENTS = re.compile(f"[{''.join(map(chr, filter(_is_accent, range(0x0300, 0x3100))))}]+")
_BASE_LETTERS = _build_base_letters()
# Three times as fast as `str.translate`.
_OTHER_LETTERS = re.compile(f"[{''.join(_BASE_LETTERS)}]")


def replace_by_base_letters(text: str) -> str:
    """Return the text with each letter as its base letter: without accents and strokes, ligatures as letters.

    "Sokołowsko" is "Sokolowsko", "Ærø" is "Aero". The case stays.
    """
    if text.isascii():
        return text
    bare_text = _ACCENTS.sub("", unicodedata.normalize("NFKD", text))
    return _OTHER_LETTERS.sub(lambda letter: _BASE_LETTERS[letter[0]], bare_text)
