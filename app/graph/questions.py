"""Reads a question for names and verbs that the graph may know; pure, so that it needs no database."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from app.graph.names import acceptable_name, normalise_name
from app.scoring.stop_words import PRONOUNS, STOP_WORDS

MAX_NAME_WORDS = 8
_WORD = re.compile(r"[^\s/,;:()\[\]{}\"“”«»?!]+")
_POSSESSIVE = re.compile(r"['’]s?$")
_VERB_PREPOSITIONS = frozenset({"on", "with", "of", "for", "in", "to", "by", "at", "from"})


@dataclass(frozen=True, slots=True)
class Mention:
    """Words of a question that may be a name, by position of the first and one past the last word."""

    normalised: str
    surface: str
    first: int
    end: int


def possible_names(question: str) -> list[Mention]:
    """Every run of at most eight words that could name a node, longest first, then from the left."""
    words = list(_WORD.finditer(question))
    found = []
    for length in range(min(MAX_NAME_WORDS, len(words)), 0, -1):
        for first in range(len(words) - length + 1):
            surface = question[words[first].start() : words[first + length - 1].end()]
            if acceptable_name(surface):
                found.append(
                    Mention(
                        normalise_name(surface),
                        _POSSESSIVE.sub("", surface.strip(".")),
                        first,
                        first + length,
                    )
                )
    return found


def longest_matches(mentions: Iterable[Mention], known: frozenset[str]) -> list[Mention]:
    """The mentions whose name is known; where two overlap the longer stays. In reading order."""
    taken: set[int] = set()
    kept = []
    for mention in mentions:
        places = range(mention.first, mention.end)
        if mention.normalised in known and taken.isdisjoint(places):
            taken.update(places)
            kept.append(mention)
    return sorted(kept, key=lambda mention: mention.first)


def _third_person(word: str) -> Iterable[str]:
    yield word
    if word.endswith(("s", "x", "ch", "sh")):
        yield word + "es"
    elif word.endswith("y") and word[-2:-1] not in "aeiou":
        yield word[:-1] + "ies"
    else:
        yield word + "s"
    if word.endswith("ed"):
        yield word[:-1] + "s"  # used: uses
        yield word[:-2] + "s"  # owned: owns
    if word.endswith("ing"):
        yield word[:-3] + "s"  # owning: owns
        yield word[:-3] + "es"  # using: uses


def relation_hints(question: str) -> list[str]:
    """Relation types that the question may mean, as they would be written: "depend on" is depends_on."""
    words = [word for each in _WORD.findall(question) for word in normalise_name(each).split()]
    hints: set[str] = set()
    for place, word in enumerate(words):
        if word in STOP_WORDS or word in PRONOUNS or not re.fullmatch(r"[a-z]{2,32}", word):
            continue
        following = words[place + 1] if place + 1 < len(words) else ""
        for form in _third_person(word):
            hints.add(form)
            if following in _VERB_PREPOSITIONS:
                hints.add(f"{form}_{following}")
        # "What does Kestrel depend upon, and who does it work with?": the preposition may stand apart.
        for preposition in _VERB_PREPOSITIONS.intersection(words[place + 2 :]):
            hints.update(f"{form}_{preposition}" for form in _third_person(word))
    return sorted(hints)


def content_words(text: str) -> frozenset[str]:
    """The normalised words of a text that say something."""
    return frozenset(
        word
        for word in normalise_name(text).split()
        if len(word) > 1 and word not in STOP_WORDS and word not in PRONOUNS
    )
