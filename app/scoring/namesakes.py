"""Tells apart things whose names share a word: "Carlin Steel" and "Marlin Steel". Pure."""

import re
from collections.abc import Iterable, Iterator

from app.scoring.stop_words import PRONOUNS, STOP_WORDS, word_set

# Words that begin with a capital or a digit, side by side.
_RUN = re.compile(r"(?<!\w)(?:[^\W\d_a-z]|\d)[\w'’-]*(?:\.?[^\S\n](?:[^\W\d_a-z]|\d)[\w'’-]*)*")
_WORD = re.compile(r"[\w'’-]+")
_POSSESSIVE = re.compile(r"['’]s?$")
# Stand before a name, or behind it, and belong to no name: "President Stone", "Steel Ltd".
_BESIDE_NAMES = word_set(
    """
        mr mrs ms mx miss dr prof professor sir dame lord lady saint st king queen prince princess captain
        major colonel general sergeant president chairman chairwoman chair chief executive officer ceo cfo cto
        coo director manager head minister secretary senator governor mayor judge justice councillor
        ambassador engineer analyst nurse doctor father mother sister brother uncle aunt founder owner
        jr sr phd md esq inc incorporated corp corporation co company ltd limited llc llp plc gmbh ag
        monday tuesday wednesday thursday friday saturday sunday january february march april may june july
        august september october november december yesterday today tomorrow
    """
)


def is_of_namesake(text: str, names: Iterable[str]) -> bool:
    """Return whether a text names another thing than these where it has a word of their names.

    "Rex works for Carlin Steel" speaks of no Marlin Steel. A part of a name by itself ("Steel", "Mr Stone")
    may stand for the whole, and a text that has one of the names speaks of it.
    """
    runs = [set(run) for run in _runs(text)]
    other = False
    for name in names:
        words = set(_words(name))
        plain = words - _BESIDE_NAMES - STOP_WORDS
        if len(plain) < 2:
            if any(plain <= run for run in runs):
                return False
            continue
        for run in runs:
            shared = run & plain
            if shared and (shared == plain or not _foreign(run, words)):
                return False
            other = other or bool(shared)
    return other


def _foreign(run: set[str], words: set[str]) -> set[str]:
    """The words of a run that the name does not have; "R." may be its Rex."""
    letters = {word[0] for word in words}
    return {word for word in run - words - _BESIDE_NAMES if not (word.isalpha() and word in letters)}


def _runs(text: str) -> Iterator[list[str]]:
    """The names of a text as their words; a word that begins a sentence in capitals anyhow is left out."""
    for found in _RUN.finditer(text):
        words = _words(found[0])
        while words and (words[0] in STOP_WORDS or words[0] in PRONOUNS or words[0].endswith("ly")):
            words = words[1:]
        if words:
            yield words


def _words(text: str) -> list[str]:
    return [_POSSESSIVE.sub("", word) for word in _WORD.findall(text.casefold())]
