"""Spellings of one name: accents, transliterated letters, abbreviations, short first names. Tables; pure.

`list_plain_forms` are as good as the name itself: two names of one type with a common form are one entity.
`compute_phonetic_key` and `FULL_FIRST_NAMES` only select the pairs worth comparing.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from app.domain.scoring.letters import replace_by_base_letters

# ASCII transliterations of German and Nordic letters; other letters lose their diacritic.
_TRANSLITERATIONS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
_LATIN_LETTERS = re.compile("[\u00c0-\u024f\u1e00-\u1eff]+")
# Larger numerals do not occur in names, or are words ("mill").
_ROMAN_NUMERAL = re.compile("[ivx]+")

AMERICAN_SPELLINGS = {
    "organisation": "organization",
    "organisations": "organizations",
    "labour": "labor",
    "defence": "defense",
    "centre": "center",
    "theatre": "theater",
    "harbour": "harbor",
    "programme": "program",
    "honour": "honor",
    "colour": "color",
}
"""British → American spelling; names are compared by the American one."""
FULL_FIRST_WORDS = {"st": "saint", "mt": "mount", "ft": "fort"}
"""Abbreviations of the first word of a name of several words."""

KNOWN_ABBREVIATIONS: dict[str, tuple[str, str]] = {
    "un": ("united nations", "Organization"),
    "eu": ("european union", "Organization"),
    "us": ("united states", "Location"),
    "usa": ("united states", "Location"),
    "united states of america": ("united states", "Location"),
    "uk": ("united kingdom", "Location"),
    "ussr": ("soviet union", "Location"),
    "uae": ("united arab emirates", "Location"),
    "nato": ("north atlantic treaty organization", "Organization"),
    "imf": ("international monetary fund", "Organization"),
    "wto": ("world trade organization", "Organization"),
    "unesco": ("united nations educational scientific and cultural organization", "Organization"),
    "unicef": ("united nations children fund", "Organization"),
    "fbi": ("federal bureau of investigation", "Organization"),
    "nasa": ("national aeronautics and space administration", "Organization"),
    "bbc": ("british broadcasting corporation", "Organization"),
}
"""Abbreviations that denote one entity everywhere when capitalised; their normalised full form and type."""
_FULL_FORMS = dict(KNOWN_ABBREVIATIONS.values())

FULL_FIRST_NAMES = {
    short: full
    for full, shorts in {
        "abigail": "abby", "alexander": "alex sandy", "andrew": "andy drew", "anthony": "tony",
        "benjamin": "ben", "catherine": "cathy kate katie kathy", "charles": "charlie chuck",
        "christopher": "chris", "daniel": "dan danny", "david": "dave", "deborah": "debbie",
        "donald": "don", "edward": "ed eddie ted ned", "elizabeth": "liz beth betty eliza",
        "eugene": "gene", "francis": "frank", "frederick": "fred", "gerald": "gerry jerry",
        "gregory": "greg", "henry": "harry hank", "james": "jim jimmy jamie", "jeffrey": "jeff",
        "john": "jack johnny", "joseph": "joe", "kenneth": "ken", "lawrence": "larry",
        "margaret": "maggie meg peggy", "matthew": "matt", "michael": "mike mick mickey",
        "nicholas": "nick", "patricia": "pat patty", "peter": "pete", "philip": "phil",
        "rebecca": "becky", "richard": "dick rick rich", "robert": "bob bobby rob", "ronald": "ron",
        "samuel": "sam", "stephen": "steve", "susan": "sue", "theodore": "theo teddy",
        "thomas": "tom tommy", "timothy": "tim", "walter": "walt", "william": "bill billy will",
    }.items()
    for short in shorts.split()
}  # fmt: skip
"""Short first names → the full one; Bill Clinton may be William Clinton."""

_SOUNDS = (
    (re.compile(r"tch|tsch|tzsch|cz|ts(?=ch)"), "c"),
    (re.compile(r"ch(?=[aeiou])|sch|sh"), "c"),
    (re.compile(r"ph|w|v(?!e$)"), "f"),
    (re.compile(r"th|dh|dt"), "t"),
    (re.compile(r"^(?:c(?=[aoulrnt])|q)|ck|(?<=\w)c(?=[aoulrnt])|kh|gh"), "k"),
    (re.compile(r"z|x"), "s"),
    (re.compile(r"j"), "y"),
)
_VOWELS = re.compile(r"(?<=.)[aeiouyh]")
_DOUBLED_LETTER = re.compile(r"(.)\1+")


def list_plain_forms(normalised_name: str) -> frozenset[str]:
    """Return the name in unified spelling without accents, letters transliterated or bare: 1 or 2 forms."""
    words = [AMERICAN_SPELLINGS.get(word, word) for word in normalised_name.split()]
    if len(words) > 1:
        words[0] = FULL_FIRST_WORDS.get(words[0], words[0])
        if len(words[-1]) > 1 and _ROMAN_NUMERAL.fullmatch(words[-1]):
            words[-1] = str(_parse_roman_numeral(words[-1]))
    joined_words = " ".join(words)
    if joined_words.isascii():
        return frozenset({joined_words})
    return frozenset(
        {_fold_latin_letters(joined_words), _fold_latin_letters(joined_words.translate(_TRANSLITERATIONS))}
    )


class FullForm(NamedTuple):
    """The full form of an abbreviated name, and the type of what it names."""

    name: str
    node_type: str


def expand_known_abbreviation(name: str, normalised_name: str) -> FullForm | None:
    """Return full form and type of a commonly abbreviated name ("UN" or "United Nations" itself), or None."""
    if normalised_name in _FULL_FORMS:
        return FullForm(normalised_name, _FULL_FORMS[normalised_name])
    full_form = KNOWN_ABBREVIATIONS.get(normalised_name)
    # "us" and "who" are words; in capitals they are names.
    return (
        FullForm(*full_form)
        if full_form and (" " in normalised_name or name.replace(".", "").isupper())
        else None
    )


@lru_cache(maxsize=8_192)
def compute_phonetic_key(word: str) -> str:
    """Return roughly how a word sounds: the same for Catherine and Katherine, Tchaikovsky and Chaikovsky."""
    bare_word = _fold_latin_letters(word)
    for pattern, letter in _SOUNDS:
        bare_word = pattern.sub(letter, bare_word)
    return _DOUBLED_LETTER.sub(r"\1", _VOWELS.sub("", bare_word))


def expand_first_name(word: str) -> str:
    """Return the full first name that this one abbreviates, else the name itself."""
    return FULL_FIRST_NAMES.get(word, word)


def _fold_latin_letters(text: str) -> str:
    # In other scripts a mark is a letter or a vowel.
    return _LATIN_LETTERS.sub(lambda letters: replace_by_base_letters(letters[0]), text)


def _parse_roman_numeral(numeral: str) -> int:
    value_by_letter = {"i": 1, "v": 5, "x": 10}
    letter_values = [value_by_letter[character] for character in numeral]
    return sum(
        -letter_value
        if any(next_value > letter_value for next_value in letter_values[index + 1 : index + 2])
        else letter_value
        for index, letter_value in enumerate(letter_values)
    )
