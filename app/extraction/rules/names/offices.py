"""Offices and occupations around names: "Minister of Defense", "Police Commissioner Hok Lundy"."""

from app.domain.scoring.stop_words import split_into_word_set
from app.extraction.rules.english.gazetteers import CITIES, FIRST_NAMES
from app.extraction.rules.english.grammar import POSSESSIVE_DETERMINERS
from app.extraction.rules.english.kind_votes import LEADER_NOUNS
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
    OFFICIALS,
)
from app.extraction.rules.english.verbless_pairs import POST_NOUNS
from app.extraction.rules.english.words.gender_titles import TITLES_OF_MEN, TITLES_OF_WOMEN
from app.extraction.rules.sentences import Sentence
from app.extraction.rules.tokens import word_at

_NOUNS_OF_OFFICES = (ROLES | LEADER_NOUNS | OFFICIALS | OCCUPATIONS | OFFICERS) - split_into_word_set(
    "head heads boss bosses judge"
)
"""Nouns at the end of an office, without surnames."""
_FORMS_OF_ADDRESS = TITLES_OF_WOMEN | TITLES_OF_MEN
_PRONOUNS_OF_SPEAKER = frozenset(("i", "we", "you"))
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


def is_office_or_address(sentence: Sentence, first_index: int, end_index: int) -> bool:
    """Return whether capitals are an office or a form of address: "your State Senator", "Madam Chair", "the
    White House Chief of Staff".
    """
    lower_words = sentence.lower
    last_word = lower_words[end_index - 1]
    word_before = word_at(lower_words, first_index - 1)
    if end_index - first_index == 1:
        return (
            word_before == "of"
            and last_word in POST_NOUNS
            and word_at(lower_words, first_index - 2) in ROLES
            and sentence.words[first_index - 2][0].isupper()
        )
    if last_word not in _NOUNS_OF_OFFICES:
        return False
    is_spoken_to = lower_words[end_index : end_index + 1] == [","] and (
        word_at(lower_words, end_index + 1) in _PRONOUNS_OF_SPEAKER
    )
    is_address = end_index - first_index == 2 and (
        is_spoken_to or lower_words[first_index].rstrip(".") in _FORMS_OF_ADDRESS
    )
    return is_address or word_before in POSSESSIVE_DETERMINERS


def find_end_before_office(sentence: Sentence, first_index: int, end_index: int) -> int:
    """Return the end of a place before an office, which is no part of its name: "a former New York Senator";
    `end_index` if there is none.
    """
    lower_words = sentence.lower
    is_office = end_index - first_index > 2 and lower_words[end_index - 1] in _NOUNS_OF_OFFICES
    is_place = is_office and " ".join(lower_words[first_index : end_index - 1]) in PLACE_NAMES
    return end_index - 1 if is_place else end_index
