"""Fold texts for comparing quotes and names with them, keeping the offset of each character; pure.

The key of a node's name is `normalise_name` in names.py.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from app.graph.names import VOWEL_POINTS
from app.limits import MARKS

_FOLDED_QUOTES = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201a\u201b\u02bc\u00b4\u2032", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033", '"')
    # The dot between the parts of a foreign name in Chinese and Japanese.
    | dict.fromkeys("\u2022\u2027\u22c5\u30fb", "\u00b7")
)
# Marks that a model may change when it copies: stops and brackets of other scripts, dashes of any length.
_FOLDED_MARKS = str.maketrans(
    dict.fromkeys("\u3002\uff61\u0964", ".")
    | dict.fromkeys("\u3001\uff64\u060c", ",")
    | dict.fromkeys("\u061b", ";")
    | dict.fromkeys("\u061f", "?")
    | dict.fromkeys("\u300c\u300d\u300e\u300f\uff62\uff63", '"')
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
)
# Forms of a letter that depend only on its width or position in the word; a superscript TM is different.
_FORM_TAGS = ("<wide>", "<narrow>", "<initial>", "<medial>", "<final>", "<isolated>")
_INVISIBLE_CHARACTERS = frozenset(
    "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u202a\u202b\u202c\u202d\u202e"
)


@dataclass(frozen=True, slots=True)
class FoldedText:
    """A folded text, with the original start and end of each of its characters."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]


def _is_combining_char(char: str) -> bool:
    # Includes the voicing marks of narrow katakana.
    return unicodedata.combining(char) != 0 or "\u1160" <= char <= "\u11ff" or char in "\uff9e\uff9f"


@lru_cache(maxsize=8_192)
def _fold_letter(char: str) -> str:
    """Return a letter without the forms due to width, position in the word or ligatures."""
    decomposition = unicodedata.decomposition(char)
    if decomposition.startswith(_FORM_TAGS):
        return unicodedata.normalize("NFKC", char)
    if decomposition.startswith("<compat>"):
        letters = unicodedata.normalize("NFKC", char)
        return letters if letters.isalpha() else char
    return char


def _is_ideograph_or_kana(char: str) -> bool:
    """Return whether the character is an ideograph or kana, after which a line may break."""
    return "\u3041" <= char <= "\u9fff" or "\U00020000" <= char <= "\U0003347f"


def _is_space_within_french_quotes(text: str, start: int, end: int) -> bool:
    """Return whether white space only pads French quotation marks: « la maison », not »das Haus« dort."""
    follows_opening = text[start - 1 : start] == "«" and not text[start - 2 : start - 1].isalnum()
    return follows_opening or (text[end : end + 1] == "»" and not text[end + 1 : end + 2].isalnum())


def _does_whitespace_separate_nothing(text: str, start: int, end: int) -> bool:
    """Return whether white space separates nothing: in guillemets, or at a line break between ideographs."""
    is_line_break = "\n" in text[start:end] and start > 0 and end < len(text)
    is_between_ideographs = (
        is_line_break and _is_ideograph_or_kana(text[start - 1]) and _is_ideograph_or_kana(text[end])
    )
    return is_between_ideographs or _is_space_within_french_quotes(text, start, end)


def fold_text(text: str) -> FoldedText:
    """Return the text with white space, case, composition, width and quotation marks folded."""
    if text.isascii() and "\n" not in text and "\t" not in text and "  " not in text and "\r" not in text:
        return FoldedText(text.lower(), range(len(text)), range(1, len(text) + 1))
    folded_chars: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    position, length = 0, len(text)
    while position < length:
        char = text[position]
        end = position + 1
        if char.isspace():
            while end < length and text[end].isspace():
                end += 1
            folded_cluster = "" if _does_whitespace_separate_nothing(text, position, end) else " "
        elif char in _INVISIBLE_CHARACTERS or char == "\u0640":
            position = end
            continue
        else:
            # Compose a base and its marks together. The number of marks is limited, because sorting them is
            # quadratic and only an attack has more.
            while (
                end < length
                and end - position <= MARKS.maximum
                and text[end] > "\u02ff"
                and _is_combining_char(text[end])
            ):
                end += 1
            cluster = text[position:end]
            if cluster.isascii():
                folded_cluster = cluster.lower()
            else:
                plain_letters = "".join(map(_fold_letter, cluster))
                composed_text = unicodedata.normalize(
                    "NFC", unicodedata.normalize("NFC", plain_letters).casefold()
                )
                folded_cluster = VOWEL_POINTS.sub("", composed_text).replace("i\u0307", "i")
        for folded_char in folded_cluster:
            folded_chars.append(folded_char)
            starts.append(position)
            ends.append(end)
        position = end
    return FoldedText("".join(folded_chars).translate(_FOLDED_QUOTES), starts, ends)


def fold_quote(text: str) -> FoldedText:
    """Return the text folded for comparing quotes: also with stops, brackets and dashes of all scripts
    unified.
    """
    folded_text = fold_text(text)
    return FoldedText(folded_text.text.translate(_FOLDED_MARKS), folded_text.starts, folded_text.ends)
