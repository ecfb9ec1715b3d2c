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

_MAX_PORTFOLIO_WORDS = 4
_MAX_FIRST_NAMES = 4


def is_first_name(word: str) -> bool:
    """Return whether a lower-case word is a first name."""
    return word in GIVEN_NAMES or word in FIRST_NAMES


def _is_first_name_or_initial(sentence: Sentence, index: int) -> bool:
    return is_first_name(sentence.lower[index]) or sentence.words[index][1:2] == "."


def _has_capital(word: str) -> bool:
    return word[0].isupper()


def find_name_after_occupation(sentence: Sentence, first_index: int, end_index: int) -> int:
    """Return the index of a person's name after an occupation in a run of capitals, as in "Democratic
    Senator Laura Kelly"; `first_index` if there is no occupation.
    """
    lower_words = sentence.lower
    if (
        end_index - first_index < 3
        or lower_words[end_index - 1] in KIND_OF
        or lower_words[end_index - 1] in KIND_OF_HEAD
    ):
        return first_index
    for index in range(end_index - 3, max(first_index, end_index - 2 - _MAX_FIRST_NAMES) - 1, -1):
        word = lower_words[index]
        if word in FAMILY_AND_ROYALTY or not all(map(_has_capital, sentence.words[index + 1 : end_index])):
            continue
        singular_word = word.removesuffix("s")
        is_person = any(
            KIND_OF.get(form) == "Person" or form in ROLES or form in HONORIFICS
            for form in (word, singular_word)
        )
        has_rank = index > first_index and word in HONORIFICS and lower_words[index - 1] in HONORIFICS
        if word in OCCUPATIONS or has_rank or (is_person and _is_first_name_or_initial(sentence, index + 1)):
            return index + 1
        if (
            index == first_index
            and word.endswith("ist")
            and word not in FIRST_NAMES
            and _is_first_name_or_initial(sentence, index + 1)
        ):
            return index + 1
    return first_index


def is_portfolio(sentence: Sentence, first_index: int, end_index: int, portfolio_end: int) -> bool:
    """Return whether a name is the portfolio of an office, "Minister of Defense", which is not an entity, or
    continues one that ended at `portfolio_end`: "Infrastructure and Regional Development".
    """
    lower_words = sentence.lower
    if portfolio_end > 0 and lower_words[portfolio_end:first_index] in (
        ["and"],
        [","],
        [",", "and"],
        [",", "the"],
    ):
        return not _is_known_name(sentence, first_index, end_index)
    index = first_index - 1
    if index > 0 and lower_words[index] == "the":
        index -= 1
    if index < 1 or lower_words[index] not in ("of", "for") or lower_words[index - 1] not in OFFICERS:
        return False
    if index > 1 and lower_words[index - 2] in HEADS_OF_GOVERNMENT:
        return False
    return end_index - first_index <= _MAX_PORTFOLIO_WORDS and not _is_known_name(
        sentence, first_index, end_index
    )


def find_name_after_place_of_office(sentence: Sentence, first_index: int, end_index: int) -> int:
    """Return the index of a person's name after the place of an office, "Governor of Alabama Bob Bentley";
    `first_index` if there is none.
    """
    lower_words = sentence.lower
    if first_index < 2 or end_index - first_index < 3 or lower_words[first_index - 1] not in ("of", "the"):
        return first_index
    if (
        not all(map(_has_capital, sentence.words[first_index:end_index]))
        or lower_words[end_index - 1] in KIND_OF_HEAD
    ):
        return first_index
    for index in range(first_index + 1, end_index - 1):
        name = " ".join(lower_words[first_index:index])
        if (name in PLACES or name in PLACE_NAMES) and _is_first_name_or_initial(sentence, index):
            return index
    return first_index


def _is_known_name(sentence: Sentence, first_index: int, end_index: int) -> bool:
    """Return whether the name has the form of a place's, a body's or a person's."""
    lower_words = sentence.lower[first_index:end_index]
    name = " ".join(lower_words)
    return (
        name in PLACES
        or name in PLACE_NAMES
        or name in CITIES
        or lower_words[-1] in KIND_OF
        or lower_words[-1] in KIND_OF_HEAD
        or (end_index - first_index > 1 and _is_first_name_or_initial(sentence, first_index))
    )
