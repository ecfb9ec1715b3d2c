"""Initials: the acronym of a name, and the name that an acronym in brackets after it spells."""

from typing import NamedTuple

from app.domain.scoring.stop_words import split_into_word_set
from app.extraction.rules.sentences import Sentence
from app.extraction.rules.tokens import word_at

_FUNCTION_WORDS = split_into_word_set("of the for and in on to de & a an at by with")
_MIN_LETTERS = 3
"""Minimum number of letters of an acronym that decides where a name ends."""
_MAX_NAME_WORDS = 12
_HYPHENS = frozenset(("-", "‑", "–"))


class _Initials(NamedTuple):
    """The initials of a name with and without those of the small words."""

    of_all_words: str
    of_main_words: str


def _list_initials(words: list[str]) -> _Initials:
    """Return the initials with and without those of the small words."""
    all_initials = [word[0].lower() for word in words if word[0].isalnum()]
    main_initials = [
        word[0].lower() for word in words if word[0].isalnum() and word.lower() not in _FUNCTION_WORDS
    ]
    return _Initials("".join(all_initials), "".join(main_initials))


def list_possible_initials(words: list[str]) -> set[str]:
    """Return the initials of a name in lower case: with and without the small words, and those of parts of
    hyphenated words.
    """
    parts = [word_part for word in words for word_part in word.split("-") if word_part]
    return {*_list_initials(words), *_list_initials(parts)}


def is_acronym(short_form: str, words: list[str]) -> bool:
    """Return whether `short_form` is the initials of these words, with or without the small words."""
    letters = "".join(character.lower() for character in short_form if character.isalnum())
    if (
        len(letters) < 2
        or len(words) < 2
        or len(short_form) > 12
        or not any(character.isupper() for character in short_form)
    ):
        return False
    possible_initials = list_possible_initials(words)
    # "GiST" for Generalized Search Tree: the capitals are the initials.
    capitals = "".join(character.lower() for character in short_form if character.isupper())
    return letters in possible_initials or (len(capitals) > 2 and capitals in possible_initials)


def find_end_before_acronym(sentence: Sentence, first_index: int) -> int | None:
    """Return the end of the name that an acronym in brackets spells from its first word on, or None:
    "Organization for Security and Cooperation in Europe (OSCE)".
    """
    words = sentence.words
    for index in range(first_index + 1, min(first_index + _MAX_NAME_WORDS + 1, len(words) - 2)):
        if words[index] == "(":
            acronym, name_words = words[index + 1], words[first_index:index]
            letters = [character for character in acronym if character.isupper()]
            is_spelled = (
                len(letters) >= _MIN_LETTERS and acronym.isupper() and is_acronym(acronym, name_words)
            )
            return index if is_spelled and word_at(words, index + 2) in (")", ",", ";") else None
        is_name_word = words[index][0].isupper() or words[index].lower() in _FUNCTION_WORDS
        if not is_name_word and words[index] not in _HYPHENS:
            return None
    return None
