"""The names of a sentence: runs of words that look like one, by capitals and the words between them."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from app.extraction.rules.document_words import DocumentWords
from app.extraction.rules.english.lexicon import (
    AND_HEADS,
    DEMONYMS,
    FOR_HEADS,
    GIVEN_NAMES,
    HONORIFICS,
    KIND_OF,
    KIND_OF_HEAD,
    LEGAL_TAILS,
    NEVER_ALONE,
    NOT_ALONE,
    OF_HEADS,
    PARTICLES,
    ROLES,
    STARTERS,
    SUBJECT_VERBS,
    TAILS,
)
from app.extraction.rules.english.patterns import TRIE
from app.extraction.rules.sentences import Sentence
from app.graph.names import is_roman_numeral
from app.scoring.stop_words import PRONOUNS, STOP_WORDS

# "2ndQuadrant", "3Com", and no quantity such as "10GB".
_DIGIT_FIRST = re.compile(r"\d+[a-z]*[A-Z][a-z]{2,}\w*+")
_MAX_WORDS = 10
_MAX_WORD = 60


@dataclass(frozen=True, slots=True)
class Span:
    """Words `first` to `last` (exclusive) of a sentence that look like a name; `weak` needs support."""

    first: int
    last: int
    weak: bool = False


def _is_capital(word: str, known: DocumentWords) -> bool:
    if word[0].isupper():
        return len(word) <= _MAX_WORD
    # Most words: nothing further is asked about them.
    if (word.islower() and word not in known.code) or len(word) > _MAX_WORD:
        return False
    if not word[0].isalpha():
        return _DIGIT_FIRST.fullmatch(word) is not None
    if word in known.code:
        return word not in STARTERS
    # "iPhone", "pgAdmin": a capital inside. Addresses and file paths have slashes or dots as well.
    return word[1:].lower() != word[1:] and "/" not in word and "@" not in word


def _opens(sentence: Sentence, at: int) -> bool:
    """Return whether the word opens the sentence, or what a bracket or quotation mark opens."""
    before = at - 1
    while before >= 0 and not sentence.words[before][0].isalnum():
        if sentence.words[before] in (",", ";", ")", "'s"):
            return False
        if sentence.words[before] in (":", ".", "?", "!", "—", "–", "•", "|"):
            return True
        before -= 1
    return before < 0


Joins = Callable[[list[str], int, int], bool]
"""(words in lower case, where the name begins, where the connector stands):
whether the name goes on behind it."""


def _always(_lower: list[str], _first: int, _at: int) -> bool:
    return True


def _behind_for_head(lower: list[str], _first: int, at: int) -> bool:
    return lower[at - 1] in FOR_HEADS


def _within_office(lower: list[str], first: int, at: int) -> bool:
    """ "Department of Commerce and Labor"."""
    return lower[first] in AND_HEADS and "of" in lower[first:at] and lower[at - 1] not in KIND_OF


def _before_tail(lower: list[str], first: int, at: int) -> bool:
    """ "Acme, Inc."; and the one university system whose members are written behind a comma."""
    return lower[at + 1] in TAILS or lower[max(first, at - 3) : at] == ["university", "of", "california"]


# Connectors with a capital behind them.
_CONNECTORS: dict[str, Joins] = {
    **dict.fromkeys(("&", *PARTICLES), _always),
    "for": _behind_for_head,
    "and": _within_office,
    ",": _before_tail,
}


def _joins(sentence: Sentence, first: int, at: int, known: DocumentWords) -> int:
    """How many words after `at - 1` are a connector that the name goes on behind; 0 where it ends."""
    words, lower = sentence.words, sentence.lower
    if at + 1 >= len(words):
        return 0
    if lower[at] == "of":
        return _joins_of(sentence, first, at, known)
    joins = _CONNECTORS.get(lower[at])
    if joins is None:
        return 0
    if _is_capital(words[at + 1], known) and lower[at + 1] not in PRONOUNS:
        return int(joins(lower, first, at))
    # "van der Waals"
    two = joins is _always and lower[at + 1] in PARTICLES and at + 2 < len(words)
    return 2 if two and lower[at] != "&" and words[at + 2][0].isupper() else 0


def _joins_of(sentence: Sentence, first: int, at: int, known: DocumentWords) -> int:
    """How many words "of" or "of the" are, where a name goes on behind them: "University of",
    "Henry VIII of"."""
    words, lower = sentence.words, sentence.lower
    last = lower[at - 1]
    heads = last in KIND_OF or last in KIND_OF_HEAD or last in OF_HEADS
    # "the Kotayk Province of Armenia": the place is named already, and what follows is around it.
    if at - first > 1 and KIND_OF.get(last) == "Location" and lower[at - 2] not in ("the", "of"):
        return 0
    if last in ROLES or not (heads or (at - first > 1 and is_roman_numeral(last))):
        return 0
    following = lower[at + 1]
    if _is_capital(words[at + 1], known) and following not in PRONOUNS and following not in DEMONYMS:
        return 1
    return 2 if following == "the" and at + 2 < len(words) and _is_capital(words[at + 2], known) else 0


def _number_follows(words: list[str], at: int) -> bool | None:
    """Return whether a number belongs to the name before it; None where it is no such number."""
    word, last = words[at], words[at - 1]
    if not word.isdigit() or (len(word) > 3 and not (last.isupper() and len(last) > 2)):
        return None
    return len(word) > 3 or last.istitle() or last.isupper()


def _extend(sentence: Sentence, first: int, known: DocumentWords) -> int:
    """Where the name that begins at `first` ends (exclusive)."""
    words, lower, starts, ends = sentence.words, sentence.lower, sentence.starts, sentence.ends
    at = first + 1
    while at < len(words) and at - first <= _MAX_WORDS * 2:
        if at - first > 1 and lower[first] in KIND_OF and len(words[at - 1]) == 2 and words[at - 1][1] == ".":
            return at  # "System R. DB2 came later": the letter is no initial
        near = starts[at] - ends[at - 1] <= 1
        if near and words[at][0].isalnum() and _is_capital(words[at], known):
            # "Oracle CEO Larry Ellison" is a company and a person.
            if lower[at] in ROLES and lower[at] not in ("secretary", "president"):
                return at
            at += 1
            continue
        number = _number_follows(words, at) if near else None
        if number is not None:
            if number:
                at += 1
            if not number or words[at : at + 1] == [words[at - 1]]:
                return at
            continue
        step = _joins(sentence, first, at, known)
        if not step:
            return at
        at += step
    return at


def _trim_front(sentence: Sentence, first: int, last: int, known: DocumentWords) -> int:
    """The first word that belongs to the name: not an ordinary word that opens the sentence."""
    lower = sentence.lower
    if not _opens(sentence, first):
        while first < last and (
            lower[first] in PRONOUNS or (lower[first] in STOP_WORDS and lower[first] != "the")
        ):
            first += 1
        return first
    if lower[first] == "the" and first + 2 < last and lower[first + 1] not in STOP_WORDS:
        return first + 1  # "The Open Software Foundation": behind the article every capital is meant
    while first < last and (
        # "Jan" is a month, and somebody where a surname follows.
        (lower[first] in STARTERS and not (lower[first] in GIVEN_NAMES and first + 1 < last))
        or (first + 1 < last and lower[first] in known.lower and sentence.words[first] not in known.capital)
    ):
        first += 1
    return first


def _after_roles(sentence: Sentence, first: int, last: int) -> int:
    """The first word behind roles and titles: "Governor Jay Inslee" is Jay Inslee,
    "King Louie" is himself."""
    lower = sentence.lower
    while last - first > 1:
        word, following = lower[first], lower[first + 1]
        person = following in GIVEN_NAMES or sentence.words[first + 1][1:2] == "."
        if word.rstrip(".") in HONORIFICS:
            regnal = is_roman_numeral(lower[last - 1]) and last - first > 2
            if last - first < 3 or not (person or regnal) or lower[last - 1] in KIND_OF:
                return first
        elif word in DEMONYMS:
            if not (person or following in ROLES or following in HONORIFICS):
                return first
        elif word not in ROLES:
            return first
        first += 1
    return first


def _acceptable_alone(sentence: Sentence, at: int, known: DocumentWords) -> bool:
    """Return whether one capital word that opens a sentence is a name and not an ordinary word."""
    word, lower = sentence.words[at], sentence.lower[at]
    if lower in STARTERS:
        return False
    if word in known.capital or word in known.code or not word[1:].islower():
        return True
    if lower in known.lower or lower in KIND_OF:
        return False
    following = sentence.lower[at + 1] if at + 1 < len(sentence.lower) else ""
    if lower.endswith(("ing", "ly", "tion", "ness", "ment", "ed")):
        return False
    return (
        following in SUBJECT_VERBS
        or following in ROLES
        or following in TRIE
        or following in ("'s", "’s", "(", ",", "and")
        or following.endswith("ed")
    )


def _is_heading(sentence: Sentence) -> bool:
    """A line whose words are nearly all capitals: its capitals say nothing."""
    if sentence.words[-1] in (".", "!", "?"):
        return False
    wordlike = [word for word in sentence.words[:200] if word[0].isalpha() and word not in STOP_WORDS]
    return bool(wordlike) and sum(word[0].isupper() for word in wordlike) >= 0.8 * len(wordlike)


def place_of(sentence: Sentence, span: Span) -> tuple[int, int]:
    """The character range of a span, without the stop behind a last single letter ("System R.")."""
    last = sentence.words[span.last - 1]
    stop = span.last - span.first > 1 and len(last) == 2 and last[1] == "."
    return sentence.starts[span.first], sentence.ends[span.last - 1] - stop


@dataclass(frozen=True, slots=True)
class _Look:
    """How a line is written, which decides what its capitals say.

    `heading`: nearly all capitals, or the cells of a table. `shouting`: whole words in capitals.
    `closed`: a stop or a mark ends it.
    """

    heading: bool
    shouting: bool
    closed: bool


def _look(sentence: Sentence) -> _Look:
    words = sentence.words
    return _Look(
        # The cells of a table are a few words each, with capitals of their own.
        _is_heading(sentence) or "|" in words,
        sum(map(str.isupper, words)) > 0.6 * len(words) and len(words) > 3,
        not words[-1].isalnum() and words[-1] not in ("=", "-", "#"),
    )


def _title_span(sentence: Sentence, at: int, known: DocumentWords, look: _Look) -> Span | None:
    """The document's title where the sentence names it here."""
    title, lower = known.title, sentence.lower
    end = at + len(title)
    if tuple(lower[at:end]) != title:
        return None
    tail = lower[end] if end < len(lower) else ""
    exact = len(title) > 1 and tail.rstrip(".") not in LEGAL_TAILS
    return Span(at, end if exact else max(end, _extend(sentence, end - 1, known)), weak=look.heading)


def _is_no_name(sentence: Sentence, at: int, known: DocumentWords, look: _Look) -> bool:
    """Return whether one capital word by itself names nothing."""
    word, lower = sentence.words[at], sentence.lower[at]
    plain = lower.rstrip(".")
    return (
        look.shouting
        or len(plain) < 2
        or plain in NOT_ALONE
        or lower in NEVER_ALONE
        or (_opens(sentence, at) and not _acceptable_alone(sentence, at, known))
        or (lower in STARTERS and lower != "us")
        or (is_roman_numeral(plain) and word.isupper() and len(plain) < 5)
    )


def _name_within(sentence: Sentence, first: int, last: int, known: DocumentWords) -> tuple[int, int]:
    """The name in a run of capitals: without what opens the sentence,
    roles before it and pronouns behind it."""
    first = _after_roles(sentence, _trim_front(sentence, first, last, known), last)
    while last > first and sentence.lower[last - 1] in PRONOUNS:
        if sentence.words[last - 1] == "I" and last - first > 1:
            break  # behind a name it is a number
        last -= 1
    return first, last


def find_spans(sentence: Sentence, known: DocumentWords) -> list[Span]:
    """The runs of words in one sentence that look like names, in order, without overlap."""
    words = sentence.words
    spans: list[Span] = []
    look = _look(sentence)
    opening = known.title[0] if known.title else None
    at = 0
    while at < len(words):
        title = _title_span(sentence, at, known, look) if sentence.lower[at] == opening else None
        if title is not None:
            spans.append(title)
            at = title.last
            continue
        if not _is_capital(words[at], known):
            at += 1
            continue
        end = _extend(sentence, at, known)
        if end - at > _MAX_WORDS:
            at = end
            continue
        first, last = _name_within(sentence, at, end, known)
        at = max(last, at + 1)
        alone = last - first == 1
        if first >= last or (alone and _is_no_name(sentence, first, known, look)):
            continue
        # "Customers and products": the one capital of a line that is no sentence says nothing.
        lone = alone and not look.closed and _opens(sentence, first) and words[first][1:].islower()
        spans.append(Span(first, last, weak=look.heading or look.shouting or lone))
    return spans
