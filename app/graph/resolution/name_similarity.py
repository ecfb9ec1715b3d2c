"""How alike two names are: keys that put likely pairs side by side, and a score for a pair. Pure.

`sure_spelling_keys` are near-certain: two names seen as the same type with one such key in common are one
thing. They depend on the name and the type alone, so that what they join does not depend on the order in
which names came (requirement 5.1). `likely_spelling_keys` only say which pairs are worth a look.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from rapidfuzz import fuzz
from rapidfuzz.distance import JaroWinkler

from app.domain.scoring.stop_words import word_set
from app.graph.names import normalise_name
from app.graph.resolution.spellings import (
    expand_known_abbreviation,
    full_first_name,
    phonetic_key,
    plain_forms,
)

PERSON, ORGANIZATION = "Person", "Organization"
DOUBTFUL = 0.86
"""From this score on, a pair is doubtful by its spelling alone."""
MAYBE = 0.7
"""From this score on, it is so where the names' vectors agree too."""
LONGEST_KEY = 200

_HONORIFICS = word_set("mr mrs ms mx miss dr prof professor sir dame")
_AFTER_NAMES = word_set("phd md esq")
_COMPANY = word_set("inc incorporated corp corporation co company ltd limited llc llp plc gmbh ag")
# A plural of such a thing is the thing; "Windows", "Rails" and "Adams" are no plurals.
_COUNTABLE = frozenset({"Concept", "API", "Event"})
# Names of these kinds have one spelling each; of words (Concept, API) an accent can make another one.
_NAMED = frozenset({PERSON, ORGANIZATION, "Location", "Event", "Product", "Project", "Document"})
_SMALL = word_set("of and the for in on de la le der des und et at to")
_GAP = re.compile(r"(?<!\d) | (?!\d)")
_DIGITS = re.compile(r"\d+")
_SHORTEST_PLURAL = 5
_ACRONYM = range(3, 8)
_SEVERAL_GIVEN = 3
# John and Jane have the same consonants; Mohammed and Muhammad are 0.85 alike.
_NEAR_SOUNDS = 0.8


@lru_cache(maxsize=8_192)
def sure_spelling_keys(name: str, node_type: str | None) -> frozenset[str]:
    """The keys of a name read as this type (None: the text shows no type).

    Where the text shows none, a form of address says Person and a legal form says Organization.
    """
    normalised = normalise_name(name)
    words = normalised.split()
    types = {node_type} if node_type else set()
    known_form = expand_known_abbreviation(name, normalised)
    if not types and _without_titles(words) != words:
        types.add(PERSON)
    if not types and _without_legal_form(words) != words:
        types.add(ORGANIZATION)
    keys = {
        f"={_core_of_name(form.split(), name_type)[:LONGEST_KEY]}|{name_type}"
        for name_type in types
        for form in (plain_forms(normalised) if name_type in _NAMED else (normalised,))
    }
    if PERSON in types and len(words) > _SEVERAL_GIVEN:
        # "J. R. R. Tolkien" and the name that it abbreviates: three initials and a last name fit nobody else.
        keys.add(f"={''.join(word[0] for word in words[:-1])}{words[-1]}|{PERSON}"[:LONGEST_KEY])
    if known_form is not None:
        keys.add(f"={known_form[0]}|{known_form[1]}")
    return frozenset(keys)


@lru_cache(maxsize=8_192)
def likely_spelling_keys(name: str) -> frozenset[str]:
    """Keys that this name shares with other likely spellings of the same thing."""
    normalised = normalise_name(name).split()
    words = _without_legal_form(_without_titles(normalised))
    if not words:
        return frozenset()
    keys = set()
    first, last = words[0], words[-1]
    if len(words) > 1:
        keys |= {f"@{last} {first[0]}", f"~{first} {last[0]}"}
        keys |= {f"#{initial}" for initial in _possible_initials(words) if len(initial) in _ACRONYM}
        # Other spellings and short forms of a first name, and of the last one.
        keys.add(f"%{phonetic_key(full_first_name(first))} {phonetic_key(last)}")
    elif len(first) in _ACRONYM or (len(first) == 2 and name.replace(".", "").isupper()):
        keys.add(f"#{first}")
    if len(words) == 1 and len(first) > 4:
        keys |= {f"^{form[:4]}" for form in plain_forms(first)}
    return frozenset(key[:LONGEST_KEY] for key in keys)


def spelling_keys_of_names(names: Iterable[str], known_keys: Iterable[str]) -> set[str]:
    """All keys of a thing with these names, out of the keys that it was known by under more names.

    Which type a name was seen as is written in the sure keys alone, so that those are kept that fit.
    """
    listed = list(names)
    typed_keys = [key for key in known_keys if key.startswith("=")]
    types = {key.rpartition("|")[2] for key in typed_keys}
    fitting = {key for name in listed for node_type in types for key in sure_spelling_keys(name, node_type)}
    return fitting.intersection(typed_keys) | {key for name in listed for key in likely_spelling_keys(name)}


def name_similarity(a: str, b: str) -> tuple[float, str]:
    """How likely two names mean one thing, 0 to 1, and by what: acronym, initials or spelling.

    Names with different numbers are different things, however alike ("Apollo 11", "Apollo 12").
    """
    # The forms of two names that are nearest: either may be written without its accents.
    forms = [(spelling, form) for spelling in _plain_forms_in_order(a) for form in _plain_forms_in_order(b)]
    nearest = forms[0] if len(forms) == 1 else max(forms, key=lambda pair: fuzz.ratio(*pair))
    words = [_without_legal_form(_without_titles(form.split())) for form in nearest]
    if not all(words):
        return 0.0, "spelling"
    first, second = " ".join(words[0]), " ".join(words[1])
    if _DIGITS.findall(first) != _DIGITS.findall(second):
        return 0.0, "spelling"
    if first == second:
        return 1.0, "spelling"
    if _is_acronym(words[0], words[1]) or _is_acronym(words[1], words[0]):
        return 0.9, "acronym"
    first_names_fit = _abbreviated_first_names_fit(words[0], words[1])
    if first_names_fit is not None:
        return (0.9, "initials") if first_names_fit else (0.0, "initials")
    full = [" ".join((full_first_name(word[0]), *word[1:])) for word in words]
    if len(words[0]) > 1 and len(words[1]) > 1 and full[0] == full[1]:
        return 0.9, "short first name"
    spelled = min(fuzz.token_sort_ratio(first, second) / 100, JaroWinkler.similarity(first, second))
    if len(words[0]) == len(words[1]) > 1 and all(map(_sound_alike, words[0], words[1])):
        return max(spelled, DOUBTFUL), "sound"
    return spelled, "spelling"


@lru_cache(maxsize=8_192)
def _plain_forms_in_order(name: str) -> list[str]:
    """The plain forms of a name in their order: each is compared with many."""
    return sorted(plain_forms(normalise_name(name)))


def best_name_similarity(a: Iterable[str], b: Iterable[str]) -> tuple[float, str]:
    """The highest likeness of a name of one thing with a name of the other."""
    other_names = sorted(b)
    return max(
        (name_similarity(name, other_name) for name in sorted(a) for other_name in other_names),
        default=(0.0, "spelling"),
    )


def _sound_alike(word: str, other_word: str) -> bool:
    return (
        phonetic_key(word) == phonetic_key(other_word)
        and JaroWinkler.similarity(word, other_word) >= _NEAR_SOUNDS
    )


def _core_of_name(words: list[str], node_type: str) -> str:
    if node_type == PERSON:
        words = _without_titles(words)
    elif node_type == ORGANIZATION:
        words = _without_legal_form(words)
    elif node_type in _COUNTABLE and words:
        words = [*words[:-1], _singular(words[-1])]
    # "e mail" and "email" are one name; "1 2" and "12" are not.
    return _GAP.sub("", " ".join(words))


def _without_titles(words: list[str]) -> list[str]:
    """Without forms of address, where first and last name are left: "Dr. Smith" is not every Smith."""
    remaining = words
    while remaining and remaining[0] in _HONORIFICS:
        remaining = remaining[1:]
    while remaining and remaining[-1] in _AFTER_NAMES:
        remaining = remaining[:-1]
    return remaining if len(remaining) > 1 else words


def _without_legal_form(words: list[str]) -> list[str]:
    remaining = words
    while len(remaining) > 1 and remaining[-1] in _COMPANY:
        remaining = remaining[:-1]
    return remaining if len("".join(remaining)) > 2 else words


def _singular(word: str) -> str:
    if len(word) < _SHORTEST_PLURAL or not word.endswith("s") or word.endswith(("ss", "us", "is", "ies")):
        return word[:-3] + "y" if len(word) > _SHORTEST_PLURAL and word.endswith("ies") else word
    return word[:-2] if word.endswith(("sses", "xes", "ches", "shes")) else word[:-1]


def _possible_initials(words: list[str]) -> set[str]:
    main_words = [word for word in words if word not in _SMALL]
    return {"".join(word[0] for word in words), "".join(word[0] for word in main_words)}


def _is_acronym(short: list[str], long: list[str]) -> bool:
    return len(short) == 1 and len(long) > 1 and len(short[0]) > 1 and short[0] in _possible_initials(long)


def _abbreviated_first_names_fit(a: list[str], b: list[str]) -> bool | None:
    """For names with one last word, of which one abbreviates a first name: whether the rest fits."""
    if len(a) < 2 or len(b) < 2 or a[-1] != b[-1]:
        return None
    first_names, other_first_names = a[:-1], b[:-1]
    # "J. R. R." is normalised to one word, "jrr".
    for shorter, longer in ((first_names, other_first_names), (other_first_names, first_names)):
        if len(shorter) == 1 and len(longer) > 1 and shorter[0] in _possible_initials(longer):
            return True
    if not any(len(word) == 1 for word in (*first_names, *other_first_names)):
        return None
    pairs = zip(first_names, other_first_names, strict=False)
    return all(
        our_word == their_word or (min(len(our_word), len(their_word)) == 1 and our_word[0] == their_word[0])
        for our_word, their_word in pairs
    )
