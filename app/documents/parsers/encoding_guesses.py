"""Guess the encoding of bytes that are not Unicode, by chardet and by the words that result."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from app.lazy import LazyModule

if TYPE_CHECKING:
    import chardet
else:
    chardet = LazyModule("chardet")

# Enough to distinguish encodings; the time of the guess grows with the text.
_SAMPLE_BYTES = 32_768
_WORD_SAMPLE_CHARACTERS = 3_000
# The right one is among the first ten in 99.6 % of 1,774 texts of 20 to 100 bytes.
_MAX_CANDIDATES = 10
# Each implausible word halves a candidate's score, up to this number.
_MAX_IMPLAUSIBLE = 5
# Of 130 wrong guesses among 2,875 texts, half have a rival so close or a confidence so low, as has a sixth of
# all texts (docs/decisions/0145).
_CLOSE_RIVAL_SHARE, _LOW_CONFIDENCE = 0.95, 0.1
# Below this confidence the statistics say nothing, as in a word or two: the most common encoding is likelier.
_NO_CONFIDENCE = 0.05
_WESTERN_CHARACTERS = frozenset(map(chr, range(0x80))) | frozenset(
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿŒœŠšŽž\u00a0–—‘’“”„‚…•€£§°«»©®™·½¼¾²¿¡ªº´×"
)
"""The characters of Windows-1252 that occur in Western European texts."""
_WESTERN_SHARE = 0.5
_WORD = re.compile(r"[^\W\d_]+")
# A character beyond ASCII between letters that is neither a letter nor an apostrophe.
_BETWEEN_LETTERS = re.compile(r"(?<=[^\W\d_])[^\w\s\x00-\x7f\u2019](?=[^\W\d_])")
# Symbols, brackets and quotation marks; marks of vowels and the stops of East Asia stand between letters.
_NON_WORD_CATEGORIES = ("Sc", "Sk", "Sm", "So", "Ps", "Pe", "Pi", "Pf")
_LINE_CONTROLS = "\t\n\r\f\v"
# Scripts that are written together in one word.
_EAST_ASIAN = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "KATAKANA-HIRAGANA", "IDEOGRAPHIC")
_ISO_2022_SHIFT = re.compile(rb"\x1b[$(]")


class _ScoredText(NamedTuple):
    """A sample decoded by one encoding, and how likely that encoding is."""

    score: float
    encoding: str
    text: str


@dataclass(frozen=True)
class EncodingGuess:
    """An encoding that the bytes may have; `is_sure` is false if another text is nearly as likely."""

    encoding: str
    is_sure: bool = True


def find_iso_2022(file_bytes: bytes) -> str | None:
    """Return the kind of ISO 2022 if 7-bit bytes contain its shift sequences, else None."""
    if _ISO_2022_SHIFT.search(file_bytes) is None or not file_bytes.isascii():
        return None
    encoding = chardet.detect(file_bytes[:_SAMPLE_BYTES], compat_names=False)["encoding"] or ""
    return encoding if encoding.startswith("iso2022") else None


def guess_encodings(file_bytes: bytes) -> Iterator[EncodingGuess]:
    """Yield the most likely encodings of bytes that are not Unicode, best first."""
    sample = file_bytes[:_SAMPLE_BYTES]
    if len(file_bytes) > len(sample):
        # The last character may be cut off.
        sample = sample.rpartition(b"\n")[0] or sample[:-4]
    candidates = [
        candidate
        for candidate in chardet.detect_all(sample, ignore_threshold=True, compat_names=False)
        if not (candidate["encoding"] or "").startswith("utf")
    ]
    scored_texts: list[_ScoredText] = []
    for candidate in candidates[:_MAX_CANDIDATES]:
        encoding = candidate["encoding"] or ""
        try:
            text = sample.decode(encoding)
        except (UnicodeDecodeError, LookupError):
            continue
        implausible_count = min(
            _count_signs_of_wrong_encoding(text[:_WORD_SAMPLE_CHARACTERS]), _MAX_IMPLAUSIBLE
        )
        scored_texts.append(_ScoredText(candidate["confidence"] * 0.5**implausible_count, encoding, text))
    scored_texts.sort(key=lambda scored_text: -scored_text.score)
    if scored_texts and scored_texts[0].text == sample.decode("cp1252", "replace"):
        # Several encodings give this text: name the most common one.
        scored_texts[0] = scored_texts[0]._replace(encoding="cp1252")
    if (not scored_texts or scored_texts[0].score < _NO_CONFIDENCE) and _may_be_western(sample):
        yield EncodingGuess("cp1252", is_sure=False)
    for score, encoding, text in scored_texts:
        rival_score = next((rival for rival, _, rival_text in scored_texts if rival_text != text), 0.0)
        yield EncodingGuess(encoding, score >= _LOW_CONFIDENCE and rival_score < _CLOSE_RIVAL_SHARE * score)
    yield EncodingGuess("cp1252", is_sure=False)


def _may_be_western(sample: bytes) -> bool:
    """Return whether the bytes are ASCII with a few letters of Western Europe in Windows-1252."""
    high_byte_count = len(sample) - len(sample.translate(None, bytes(range(0x80, 0x100))))
    are_high_bytes_few = high_byte_count < _WESTERN_SHARE * len(sample)
    return are_high_bytes_few and _WESTERN_CHARACTERS.issuperset(sample.decode("cp1252", "replace"))


def _count_signs_of_wrong_encoding(text: str) -> int:
    """Return how often the text has what no language writes, but a wrong encoding does.

    That is a word of two scripts, single letters as the only words of another script, a symbol within a word,
    a capital after a small letter, each with a character beyond ASCII, and control characters.
    """
    implausible_count = sum(
        unicodedata.category(symbol) in _NON_WORD_CATEGORIES for symbol in _BETWEEN_LETTERS.findall(text)
    )
    lengths_of_foreign_words: list[int] = []
    for word in _WORD.findall(text):
        if not word.isascii():
            scripts = {_get_script(letter) for letter in word} - {""}
            implausible_count += len(scripts) > 1
            if scripts.isdisjoint(("LATIN", "CJK")):
                lengths_of_foreign_words.append(len(word))
            implausible_count += any(
                left_character.islower()
                and right_character.isupper()
                and not (left_character.isascii() and right_character.isascii())
                for left_character, right_character in pairwise(word)
            )
    if set(lengths_of_foreign_words) == {1}:
        implausible_count += len(lengths_of_foreign_words)
    return implausible_count + sum(
        unicodedata.category(character) in ("Cc", "Co", "Cn")
        for character in text
        if character not in _LINE_CONTROLS
    )


@lru_cache(maxsize=4_096)
def _get_script(letter: str) -> str:
    """Return the first word of the letter's name in Unicode, one for the scripts of East Asia."""
    script = unicodedata.name(letter, "").partition(" ")[0]
    return "CJK" if script in _EAST_ASIAN else script


def preload_encoding_models() -> None:
    """Load the detector's models, once before processes are forked."""
    chardet.detect_all("é".encode("cp1252"))
