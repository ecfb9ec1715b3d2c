"""Offices and occupations around names: "Minister of Defense", "Police Commissioner Hok Lundy"."""

from app.extraction.rules.english.gazetteers import CITIES, FIRST_NAMES
from app.extraction.rules.english.lexicon import (
    GIVEN_NAMES,
    HONORIFICS,
    KIND_OF,
    KIND_OF_HEAD,
    PLACE_NAMES,
    PLACES,
    ROLES,
)
from app.extraction.rules.english.name_words import (
    FAMILY_AND_ROYALTY,
    HEADS_OF_GOVERNMENT,
    OCCUPATIONS,
    OFFICERS,
)
from app.extraction.rules.sentences import Sentence

_LONGEST_FIELD = 4
_MOST_NAMES = 4


def is_first_name(word: str) -> bool:
    """Return whether a lower-case word is a first name."""
    return word in GIVEN_NAMES or word in FIRST_NAMES


def _is_first_name(sentence: Sentence, index: int) -> bool:
    return is_first_name(sentence.lower[index]) or sentence.words[index][1:2] == "."


def _has_capital(word: str) -> bool:
    return word[0].isupper()


def index_behind_occupation(sentence: Sentence, first: int, last: int) -> int:
    """Return the index of a person's name after an occupation in a run of capitals, as in "Democratic
    Senator Laura Kelly"; `first` if there is no occupation.
    """
    lower_words = sentence.lower
    if last - first < 3 or lower_words[last - 1] in KIND_OF or lower_words[last - 1] in KIND_OF_HEAD:
        return first
    for index in range(last - 3, max(first, last - 2 - _MOST_NAMES) - 1, -1):
        word = lower_words[index]
        if word in FAMILY_AND_ROYALTY or not all(map(_has_capital, sentence.words[index + 1 : last])):
            continue
        singular_word = word.removesuffix("s")
        is_person = any(
            KIND_OF.get(form) == "Person" or form in ROLES or form in HONORIFICS
            for form in (word, singular_word)
        )
        has_rank = index > first and word in HONORIFICS and lower_words[index - 1] in HONORIFICS
        if word in OCCUPATIONS or has_rank or (is_person and _is_first_name(sentence, index + 1)):
            return index + 1
        if (
            index == first
            and word.endswith("ist")
            and word not in FIRST_NAMES
            and _is_first_name(sentence, index + 1)
        ):
            return index + 1
    return first


def is_portfolio(sentence: Sentence, first: int, last: int, field_until: int) -> bool:
    """Return whether a name is the portfolio of an office, "Minister of Defense", which is no entity, or
    continues one that ended at `field_until`: "Infrastructure and Regional Development".
    """
    lower_words = sentence.lower
    if field_until > 0 and lower_words[field_until:first] in (["and"], [","], [",", "and"], [",", "the"]):
        return not _is_somebody(sentence, first, last)
    index = first - 1
    if index > 0 and lower_words[index] == "the":
        index -= 1
    if index < 1 or lower_words[index] not in ("of", "for") or lower_words[index - 1] not in OFFICERS:
        return False
    if index > 1 and lower_words[index - 2] in HEADS_OF_GOVERNMENT:
        return False
    return last - first <= _LONGEST_FIELD and not _is_somebody(sentence, first, last)


def index_behind_place_of_office(sentence: Sentence, first: int, last: int) -> int:
    """Return the index of a person's name after the place of an office, "Governor of Alabama Bob Bentley";
    `first` if there is none.
    """
    lower_words = sentence.lower
    if first < 2 or last - first < 3 or lower_words[first - 1] not in ("of", "the"):
        return first
    if not all(map(_has_capital, sentence.words[first:last])) or lower_words[last - 1] in KIND_OF_HEAD:
        return first
    for index in range(first + 1, last - 1):
        name = " ".join(lower_words[first:index])
        if (name in PLACES or name in PLACE_NAMES) and _is_first_name(sentence, index):
            return index
    return first


def _is_somebody(sentence: Sentence, first: int, last: int) -> bool:
    """Return whether the name is a place, a body or a person."""
    lower_words = sentence.lower[first:last]
    name = " ".join(lower_words)
    return (
        name in PLACES
        or name in PLACE_NAMES
        or name in CITIES
        or lower_words[-1] in KIND_OF
        or lower_words[-1] in KIND_OF_HEAD
        or (last - first > 1 and _is_first_name(sentence, first))
    )
