"""Tokenisation of Universal Dependencies.

In English, clitics and the parts of hyphenated words are separate tokens; in other languages with spaces
hyphenated words are one token, and an elided article ("l'") is separate. In unspaced scripts a token is a
character: names are found without word segmentation.
"""

import re

from app.domain.char_range import CharRange

_ABBREVIATIONS = (
    "Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|Inc|Corp|Co|Ltd|Gen|Sen|Gov|Rev|Lt|Col|Capt|No|vs|etc"
    "|Jan|Feb|Aug|Sept|Oct|Nov|Dec"
)
_ADDRESS = r"(?:https?://|www\.)[^\s<>\"]{0,2000}[\w/]|[\w.+-]{1,64}+@[\w-]{1,64}+(?:\.[\w-]{1,64}+){1,8}"
_TOKEN = re.compile(
    # Addresses.
    rf"{_ADDRESS}"
    # Initials and abbreviations include their full stop.
    rf"|(?:[A-Za-z]\.){{2,}}|\b(?:{_ABBREVIATIONS})\.|\b[A-Z]\.(?=\s+[A-Z])"
    # Dates and telephone numbers.
    r"|\d++(?>(?:[-/]\d++)+)(?!\w)"
    # Numbers with separators and suffixes: "1,200.5", "10:30", "21st", "1990s".
    r"|\d++(?>(?:[.,:]\d++)*)(?:st|nd|rd|th|s)?(?![\w])|\d++(?>(?:[.,]\d++)*)"
    # Words; "can't" and "it's" are two tokens.
    r"|[A-Za-z]['’](?=[^\W\d_]{3})[^\W_]++|[Cc]an(?=not\b)"
    r"|[^\W_]{1,10}?(?=n['’]t\b)|n['’]t\b|['’](?:s|S|ll|re|ve|d|m)\b"
    r"|[^\W_]+(?>(?:[.&][^\W_]+)*)"
    r"|\.{2,}|-{2,}|[!?]{2,}|[^\w\s]|_+"
)

_TOKEN_OF_SPACED_SCRIPT = re.compile(
    rf"{_ADDRESS}"
    r"|(?:[^\W\d_]\.){2,8}|[^\W\d_]\.(?=\s+[^\W\d_a-z])"
    r"|\d++(?>(?:[.,:/-]\d++)*)"
    # An elided word before a vowel: "l'", "d'", "qu'".
    r"|(?:[^\W\d_]{1,2}|[^\W\d_]{0,5}[Qq][Uu])['’](?=[^\W\d_])"
    r"|[^\W_]+(?>(?:[-.&'’][^\W_]+)*)"
    r"|\.{2,}|-{2,}|[!?]{2,}|[^\w\s]|_+"
)
_UNIT = re.compile(r"[A-Za-z0-9À-ÿ][A-Za-z0-9À-ÿ.'’&-]*+|\S")
"""A character of an unspaced script, or a whole word in Latin letters."""
_UNIT_OR_SPACE = re.compile(rf"{_UNIT.pattern}|\s++")


def list_word_ranges_of_text(text: str, start: int, end: int) -> list[CharRange]:
    """Return the ranges of the words in `text[start:end]`, in characters of the text."""
    return [match.span() for match in _TOKEN.finditer(text, start, end)]


def list_spaced_word_ranges(text: str, start: int, end: int) -> list[CharRange]:
    """Return the ranges of the words in `text[start:end]` for a language with spaces other than English."""
    return [match.span() for match in _TOKEN_OF_SPACED_SCRIPT.finditer(text, start, end)]


def list_unit_ranges(text: str, start: int, end: int) -> list[CharRange]:
    """Return the ranges of the characters of an unspaced script, and of words in Latin letters between
    them.
    """
    return [match.span() for match in _UNIT.finditer(text, start, end)]


def list_character_and_space_ranges(text: str, start: int, end: int) -> list[CharRange]:
    """Return the ranges of `list_unit_ranges`, and of the spaces between them: names in Korean end within
    words.
    """
    return [match.span() for match in _UNIT_OR_SPACE.finditer(text, start, end)]
