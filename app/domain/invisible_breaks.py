"""Invisible characters inside words, at which a line may or may not break. Pure.

Web pages, e-books and word processors write them; a reader sees one word, but every comparison sees two.
"""

import re

_ZERO_WIDTH_SPACE, _NON_JOINER = "\u200b", "\u200c"
_RUN = re.compile("[\u00ad\u200b\u200c\u2060\ufeff]+")
# Thai, Lao, Tibetan, Burmese, Khmer and their neighbours write words without spaces: there a zero-width space
# separates two words.
_LETTER_WITHOUT_SPACES = re.compile(
    "[\u0e00-\u109f\u1780-\u17ff\u1950-\u19df\u1a20-\u1aaf\ua980-\ua9df\uaa60-\uaa7f]"
)
# A zero-width non-joiner changes the form of letters in Arabic and Indic scripts; between Latin ones it only
# prevents a ligature. A text that is not composed has the accent of a letter as a mark of its own.
_LATIN_LETTER = re.compile("[A-Za-z\u00c0-\u024f\u0300-\u036f\u1e00-\u1eff]")


def remove_invisible_breaks(text: str) -> str:
    """Return the text without soft hyphens, word joiners, and zero-width spaces that separate no words."""
    return text if text.isascii() else _RUN.sub(_keep_meaningful_characters, text)


def _keep_meaningful_characters(match: re.Match[str]) -> str:
    neighbours = (
        match.string[max(match.start() - 1, 0) : match.start()],
        match.string[match.end() : match.end() + 1],
    )
    kept_characters = ""
    if any(map(_LETTER_WITHOUT_SPACES.match, neighbours)):
        kept_characters += _ZERO_WIDTH_SPACE
    if not all(map(_LATIN_LETTER.match, neighbours)):
        kept_characters += _NON_JOINER
    return "".join(character for character in match.group() if character in kept_characters)
