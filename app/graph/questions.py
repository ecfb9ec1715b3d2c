"""Reads a question for names and verbs that the graph may know; pure, so that it needs no database."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise

from app.graph.names import as_possible_names, normalise_name, normalise_names
from app.scoring.stop_words import PRONOUNS, STOP_WORDS

MAX_NAME_WORDS = 8
_WORD = re.compile(r"[^\s/,;:()\[\]{}\"“”«»?!]+")
_POSSESSIVE = re.compile(r"['’]s?$")
_WITHIN_NAMES = frozenset(
    {"of", "the", "de", "la", "von", "van", "der", "del", "di", "da", "du", "le", "al", "&"}
)
_PAST = re.compile(
    r"\b(?:was|were|did|had|former|formerly|previous|previously|used to|before|until|once|ever|past)\b",
    re.IGNORECASE,
)
_WHETHER = re.compile(
    r"\s*(?:do|does|did|is|are|was|were|has|have|had|can|could|will)(?:n['’]t)?\s", re.IGNORECASE
)
_YEAR_ASKED = re.compile(r"\b(?:in|during|throughout|at the (?:end|beginning) of) ((?:1[5-9]|20)\d\d)\b")
_LEGAL_FORMS = frozenset({"inc", "corp", "co", "ltd", "llc", "plc", "gmbh", "ag"})
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
    runs = [
        (first, first + length)
        for length in range(min(MAX_NAME_WORDS, len(words)), 0, -1)
        for first in range(len(words) - length + 1)
    ]
    surfaces = [question[words[first].start() : words[end - 1].end()] for first, end in runs]
    return [
        Mention(normalised, _POSSESSIVE.sub("", surface.strip(".")), first, end)
        for (first, end), surface, normalised in zip(runs, surfaces, as_possible_names(surfaces), strict=True)
        if normalised is not None
    ]


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


def written_names(question: str) -> list[Mention]:
    """The names that a question writes with capitals, in reading order: words side by side are one name.

    Small words within belong to it ("Diocese of Fredericton"). A lone word that begins the question, and
    words that name nothing ("The", "1973"), are none.
    """
    words = list(_WORD.finditer(question))
    found = []
    for run in _capitalised(question, words):
        first, last = run
        while last > first and words[last][0].casefold() in _WITHIN_NAMES:
            last -= 1
        if first == 0 and (last == 0 or _says_nothing(words[0][0])):
            first += 1
        if first < last and _is_office(words[first][0]) and words[first + 1][0] in _WITHIN_NAMES:
            first += 2  # "CEO of Acme"
        while first <= last and (
            words[first][0] in _WITHIN_NAMES or not any(map(str.isalpha, words[first][0]))
        ):
            first += 1
        if not all(_says_nothing(words[place][0]) for place in range(first, last + 1)):
            found.append(_mention(question, words[first].start(), words[last].end(), first, last + 1))
    return found


def _is_office(word: str) -> bool:
    """Return whether a word may be the letters of an office: "CEO"."""
    return word.isupper() and word.isalpha() and len(word) in (2, 3)


def asks_of_the_past(question: str) -> bool:
    """Return whether the question asks what was, and not what is."""
    return _PAST.search(question) is not None


def asks_whether(question: str) -> bool:
    """Return whether the question can be answered by yes or no."""
    return _WHETHER.match(question) is not None


def moment_asked(question: str, *, given: datetime | None) -> datetime | None:
    """The moment that was `given`, else the beginning of the year that the question asks about, "in 2017"."""
    if given is not None:
        return given
    found = _YEAR_ASKED.findall(question)
    return datetime(int(found[0]), 1, 1, tzinfo=UTC) if len(found) == 1 else None


def _capitalised(question: str, words: Sequence[re.Match[str]]) -> Iterable[tuple[int, int]]:
    """First and last word of each run that begins with a capital and that only white space divides."""
    first: int | None = None
    for place, word in enumerate(words):
        capital = word[0][0].isupper()
        if first is not None:
            gap = question[words[place - 1].end() : word.start()].strip()
            goes_on = capital or word[0][0].isdigit() or word[0].casefold() in _WITHIN_NAMES
            if gap or not goes_on:
                yield first, place - 1
                first = None
        if first is None and capital:
            first = place
    if first is not None:
        yield first, len(words) - 1


def content_runs(question: str) -> list[Mention]:
    """Pairs of neighbouring words that say something, then such words alone, each from the left."""
    words = list(_WORD.finditer(question))
    telling = [place for place, word in enumerate(words) if not _says_nothing(word[0])]
    pairs = [
        _mention(question, words[one].start(), words[other].end(), one, other + 1)
        for one, other in pairwise(telling)
        if other == one + 1
    ]
    alone = [_mention(question, *words[place].span(), place, place + 1) for place in telling]
    return pairs + alone


def _mention(question: str, start: int, end: int, first: int, after: int) -> Mention:
    surface = question[start:end]
    return Mention(normalise_name(surface), _POSSESSIVE.sub("", surface.strip(".")), first, after)


def _says_nothing(word: str) -> bool:
    key = normalise_name(word)
    return not any(map(str.isalpha, key)) or key in STOP_WORDS or key in PRONOUNS or key in _LEGAL_FORMS


def written_as_name(surface: str, *, begins: bool) -> bool:
    """Return whether a question writes these words as a name: with a capital or a digit.

    `begins` says that they begin the question, where the first word is in capitals anyhow. In a question
    without capitals nothing is written as a name, which treats all alike.
    """
    words = surface.split()[1 if begins else 0 :]
    return any(character.isupper() or character.isdigit() for word in words for character in word)


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
    words = [word for each in normalise_names(_WORD.findall(question)) for word in each.split()]
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


def content_words(texts: Iterable[str]) -> list[frozenset[str]]:
    """The normalised words of each of the texts that say something."""
    return [
        frozenset(
            word
            for word in normalised.split()
            if len(word) > 1 and word not in STOP_WORDS and word not in PRONOUNS
        )
        for normalised in normalise_names(texts)
    ]
