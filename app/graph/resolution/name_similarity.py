"""Compare names: keys that group likely pairs, and a similarity score for a pair. Pure.

`list_sure_spelling_keys` are near-certain: two names of the same type with a common key denote one entity.
They depend only on the name and the type, so what they join does not depend on the order of names
(requirement 5.1). `list_likely_spelling_keys` only select the pairs worth comparing.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz import fuzz
from rapidfuzz.distance import JaroWinkler

from app.domain.scoring.stop_words import split_into_word_set
from app.graph.names import normalise_name
from app.graph.spellings import (
    compute_phonetic_key,
    expand_first_name,
    expand_known_abbreviation,
    list_plain_forms,
)

PERSON, ORGANIZATION = "Person", "Organization"
MIN_DOUBTFUL_SCORE = 0.86
"""From this score on, a pair is doubtful by its spelling alone."""
MIN_SCORE_WITH_VECTORS = 0.7
"""From this score on, a pair is doubtful if the names' vectors agree too."""
MAX_KEY_LENGTH = 200

_HONORIFICS = split_into_word_set("mr mrs ms mx miss dr prof professor sir dame")
_NAME_SUFFIXES = split_into_word_set("phd md esq")
_LEGAL_FORMS = split_into_word_set(
    "inc incorporated corp corporation co company ltd limited llc llp plc gmbh ag"
)
# Types whose plural denotes the same entity; "Windows", "Rails" and "Adams" are not plurals.
_TYPES_WITH_PLURALS = frozenset({"Concept", "API", "Event"})
# Types whose names are the same with and without accents; in words (Concept, API) an accent can change the
# meaning.
_TYPES_WITH_PROPER_NAMES = frozenset(
    {PERSON, ORGANIZATION, "Location", "Event", "Product", "Project", "Document"}
)
_FUNCTION_WORDS = split_into_word_set("of and the for in on de la le der des und et at to")
_SPACE_NOT_BETWEEN_DIGITS = re.compile(r"(?<!\d) | (?!\d)")
_DIGITS = re.compile(r"\d+")
_MIN_PLURAL_LENGTH = 5
_ACRONYM_LENGTHS = range(3, 8)
_MIN_PARTS_OF_FULL_NAME = 3
# Needed because John and Jane have the same consonants; Mohammed and Muhammad score 0.85.
_MIN_SIMILARITY_OF_SOUNDS = 0.8


@lru_cache(maxsize=8_192)
def list_sure_spelling_keys(name: str, node_type: str | None) -> frozenset[str]:
    """Return the keys of a name of this type (None: the text shows no type).

    Without a type, a form of address implies Person and a legal form implies Organization.
    """
    normalised_name = normalise_name(name)
    words = normalised_name.split()
    types = {node_type} if node_type else set()
    known_form = expand_known_abbreviation(name, normalised_name)
    if not types and _remove_titles(words) != words:
        types.add(PERSON)
    if not types and _remove_legal_form(words) != words:
        types.add(ORGANIZATION)
    keys = {
        f"={_reduce_name_for_type(form.split(), name_type)[:MAX_KEY_LENGTH]}|{name_type}"
        for name_type in types
        for form in (
            list_plain_forms(normalised_name) if name_type in _TYPES_WITH_PROPER_NAMES else (normalised_name,)
        )
    }
    if PERSON in types and len(words) > _MIN_PARTS_OF_FULL_NAME:
        # "J. R. R. Tolkien" and the full name: three initials and a last name identify a person.
        keys.add(f"={''.join(word[0] for word in words[:-1])}{words[-1]}|{PERSON}"[:MAX_KEY_LENGTH])
    if known_form is not None:
        full_form, known_type = known_form
        keys.add(f"={full_form}|{known_type}")
    return frozenset(keys)


@lru_cache(maxsize=8_192)
def list_likely_spelling_keys(name: str) -> frozenset[str]:
    """Return keys that this name shares with other likely spellings of the same entity."""
    name_words = normalise_name(name).split()
    words = _remove_legal_form(_remove_titles(name_words))
    if not words:
        return frozenset()
    keys = set()
    first_word, last_word = words[0], words[-1]
    if len(words) > 1:
        keys |= {f"@{last_word} {first_word[0]}", f"~{first_word} {last_word[0]}"}
        keys |= {
            f"#{initials}" for initials in _list_possible_initials(words) if len(initials) in _ACRONYM_LENGTHS
        }
        # Other spellings and short forms of the first name, and other spellings of the last one.
        keys.add(f"%{compute_phonetic_key(expand_first_name(first_word))} {compute_phonetic_key(last_word)}")
    elif len(first_word) in _ACRONYM_LENGTHS or (len(first_word) == 2 and name.replace(".", "").isupper()):
        keys.add(f"#{first_word}")
    if len(words) == 1 and len(first_word) > 4:
        keys |= {f"^{form[:4]}" for form in list_plain_forms(first_word)}
    return frozenset(key[:MAX_KEY_LENGTH] for key in keys)


def list_spelling_keys_of_names(names: Iterable[str], known_keys: Iterable[str]) -> set[str]:
    """Return all keys of a node with these names, given its keys under a larger set of names.

    Only the sure keys record the types under which a name was seen, so those that still match are kept.
    """
    name_list = list(names)
    typed_keys = [key for key in known_keys if key.startswith("=")]
    types = {key.rpartition("|")[2] for key in typed_keys}
    fitting_keys = {
        key for name in name_list for node_type in types for key in list_sure_spelling_keys(name, node_type)
    }
    return fitting_keys.intersection(typed_keys) | {
        key for name in name_list for key in list_likely_spelling_keys(name)
    }


class NameSimilarity(NamedTuple):
    """How likely two names denote one entity, from 0 to 1, and the reason."""

    score: float
    reason: str


def compute_name_similarity(name: str, other_name: str) -> NameSimilarity:
    """Return how likely two names denote one entity, from 0 to 1, and the reason.

    The reason is acronym, initials, short first name, sound or spelling. Names with different numbers are
    different ("Apollo 11", "Apollo 12").
    """
    # Compare the most similar forms: either name may be written without its accents.
    form_pairs = [
        (spelling, form)
        for spelling in _list_sorted_plain_forms(name)
        for form in _list_sorted_plain_forms(other_name)
    ]
    closest_forms = (
        form_pairs[0] if len(form_pairs) == 1 else max(form_pairs, key=lambda pair: fuzz.ratio(*pair))
    )
    words, other_words = (_remove_legal_form(_remove_titles(form.split())) for form in closest_forms)
    if not words or not other_words:
        return NameSimilarity(0.0, "spelling")
    plain_name, other_plain_name = " ".join(words), " ".join(other_words)
    if _DIGITS.findall(plain_name) != _DIGITS.findall(other_plain_name):
        return NameSimilarity(0.0, "spelling")
    if plain_name == other_plain_name:
        return NameSimilarity(1.0, "spelling")
    if _is_acronym(words, other_words) or _is_acronym(other_words, words):
        return NameSimilarity(0.9, "acronym")
    first_names_fit = _do_abbreviated_first_names_fit(words, other_words)
    if first_names_fit is not None:
        return NameSimilarity(0.9, "initials") if first_names_fit else NameSimilarity(0.0, "initials")
    expanded_name, other_expanded_name = (
        " ".join((expand_first_name(name_words[0]), *name_words[1:])) for name_words in (words, other_words)
    )
    if len(words) > 1 and len(other_words) > 1 and expanded_name == other_expanded_name:
        return NameSimilarity(0.9, "short first name")
    spelling_similarity = min(
        fuzz.token_sort_ratio(plain_name, other_plain_name) / 100,
        JaroWinkler.similarity(plain_name, other_plain_name),
    )
    if len(words) == len(other_words) > 1 and all(map(_do_words_sound_alike, words, other_words)):
        return NameSimilarity(max(spelling_similarity, MIN_DOUBTFUL_SCORE), "sound")
    return NameSimilarity(spelling_similarity, "spelling")


@lru_cache(maxsize=8_192)
def _list_sorted_plain_forms(name: str) -> list[str]:
    """Return the sorted plain forms of a name; cached because each is compared with many."""
    return sorted(list_plain_forms(normalise_name(name)))


def compute_best_name_similarity(names: Iterable[str], other_names: Iterable[str]) -> NameSimilarity:
    """Return the highest similarity of one of the names with one of the others, and its reason."""
    sorted_other_names = sorted(other_names)
    return max(
        (
            compute_name_similarity(name, other_name)
            for name in sorted(names)
            for other_name in sorted_other_names
        ),
        default=NameSimilarity(0.0, "spelling"),
    )


def _do_words_sound_alike(word: str, other_word: str) -> bool:
    return (
        compute_phonetic_key(word) == compute_phonetic_key(other_word)
        and JaroWinkler.similarity(word, other_word) >= _MIN_SIMILARITY_OF_SOUNDS
    )


def _reduce_name_for_type(words: list[str], node_type: str) -> str:
    if node_type == PERSON:
        words = _remove_titles(words)
    elif node_type == ORGANIZATION:
        words = _remove_legal_form(words)
    elif node_type in _TYPES_WITH_PLURALS and words:
        words = [*words[:-1], _strip_plural(words[-1])]
    # "e mail" and "email" are the same name; "1 2" and "12" are not.
    return _SPACE_NOT_BETWEEN_DIGITS.sub("", " ".join(words))


def _remove_titles(words: list[str]) -> list[str]:
    """Remove forms of address if first and last name remain: "Dr. Smith" is not every Smith."""
    remaining_words = words
    while remaining_words and remaining_words[0] in _HONORIFICS:
        remaining_words = remaining_words[1:]
    while remaining_words and remaining_words[-1] in _NAME_SUFFIXES:
        remaining_words = remaining_words[:-1]
    return remaining_words if len(remaining_words) > 1 else words


def _remove_legal_form(words: list[str]) -> list[str]:
    remaining_words = words
    while len(remaining_words) > 1 and remaining_words[-1] in _LEGAL_FORMS:
        remaining_words = remaining_words[:-1]
    return remaining_words if len("".join(remaining_words)) > 2 else words


def _strip_plural(word: str) -> str:
    if len(word) < _MIN_PLURAL_LENGTH or not word.endswith("s") or word.endswith(("ss", "us", "is", "ies")):
        return word[:-3] + "y" if len(word) > _MIN_PLURAL_LENGTH and word.endswith("ies") else word
    return word[:-2] if word.endswith(("sses", "xes", "ches", "shes")) else word[:-1]


def _list_possible_initials(words: list[str]) -> set[str]:
    main_words = [word for word in words if word not in _FUNCTION_WORDS]
    return {"".join(word[0] for word in words), "".join(word[0] for word in main_words)}


def _is_acronym(short_words: list[str], long_words: list[str]) -> bool:
    return (
        len(short_words) == 1
        and len(long_words) > 1
        and len(short_words[0]) > 1
        and short_words[0] in _list_possible_initials(long_words)
    )


def _do_abbreviated_first_names_fit(words: list[str], other_words: list[str]) -> bool | None:
    """Return whether the first names match, for names with the same last name and an abbreviated first name.

    Returns None for other pairs of names.
    """
    if len(words) < 2 or len(other_words) < 2 or words[-1] != other_words[-1]:
        return None
    first_names, other_first_names = words[:-1], other_words[:-1]
    # "J. R. R." is normalised to one word, "jrr".
    for shorter_names, longer_names in ((first_names, other_first_names), (other_first_names, first_names)):
        if (
            len(shorter_names) == 1
            and len(longer_names) > 1
            and shorter_names[0] in _list_possible_initials(longer_names)
        ):
            return True
    if not any(len(word) == 1 for word in (*first_names, *other_first_names)):
        return None
    name_pairs = zip(first_names, other_first_names, strict=False)
    return all(
        first_name == other_first_name
        or (min(len(first_name), len(other_first_name)) == 1 and first_name[0] == other_first_name[0])
        for first_name, other_first_name in name_pairs
    )
