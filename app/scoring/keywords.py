"""The words of a question that are worth looking for (requirement 9.5)."""

import re
import unicodedata
from collections.abc import Iterable, Set

from app.scoring.stop_words import PRONOUNS, STOP_WORDS
from app.scoring.unspaced import pairs_of

SAYS_NOTHING = STOP_WORDS | PRONOUNS
"""What is dropped by default (requirement 9.5): "who" and "it" are as little worth looking for as "the"."""
_ENDINGS = ("ing", "ed", "es", "s", "e")
_SHORTEST_STEM = 3
_ACCENTS = re.compile("[\u0300-\u036f]")


def keywords(text: str, *, stop_words: Set[str] = SAYS_NOTHING) -> list[str]:
    """The text's words in lower case, in order and each once (requirement 9.5).

    Whoever calls it may call another function of this form instead. The text is split on what is no letter or
    digit; stop words and single characters are dropped. A mark that belongs to a letter, such as a vowel sign
    of Hindi, does not split its word.
    """
    folded = text.casefold() if text.isascii() else unicodedata.normalize("NFC", text).casefold()
    spaced = "".join(each if each.isalnum() or _is_mark(each) else " " for each in folded)
    return [word for word in dict.fromkeys(spaced.split()) if len(word) > 1 and word not in stop_words]


def stems(text: str) -> frozenset[str]:
    """The text's keywords without common endings and accents: created, creates and create are one.

    Of Chinese, Japanese and Korean each two neighbouring characters are a word. Enough to point at a sentence
    with words in common, not to judge it.
    """
    if text.isascii():
        return frozenset(map(_stem, keywords(text)))
    apart = _ACCENTS.sub("", unicodedata.normalize("NFKD", text))
    return frozenset(_stem(each) for word in keywords(apart) for each in pairs_of(word))


def stems_of(texts: Iterable[str]) -> list[frozenset[str]]:
    """The stems of each of the texts."""
    return [stems(text) for text in texts]


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word[: -len(ending)]
    return word


def _is_mark(character: str) -> bool:
    return not character.isascii() and unicodedata.category(character).startswith("M")
