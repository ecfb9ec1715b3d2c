"""A sentence as the tokens of Universal Dependencies.

English has clitics and the parts of hyphenated words apart; other languages with spaces have hyphenated words
whole, and an article without its vowel ("l'") apart. In unspaced scripts a token is a character: names are
found without cutting a sentence into words.
"""

import re

_ABBREVIATIONS = (
    "Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|Inc|Corp|Co|Ltd|Gen|Sen|Gov|Rev|Lt|Col|Capt|No|vs|etc"
    "|Jan|Feb|Aug|Sept|Oct|Nov|Dec"
)
_ADDRESS = r"(?:https?://|www\.)[^\s<>\"]{0,2000}[\w/]|[\w.+-]{1,64}+@[\w-]{1,64}+(?:\.[\w-]{1,64}+){1,8}"
_TOKEN = re.compile(
    # Addresses.
    rf"{_ADDRESS}"
    # Initials and abbreviations keep their stop.
    rf"|(?:[A-Za-z]\.){{2,}}|\b(?:{_ABBREVIATIONS})\.|\b[A-Z]\.(?=\s+[A-Z])"
    # Dates and numbers of telephones.
    r"|\d++(?>(?:[-/]\d++)+)(?!\w)"
    # Numbers with their separators, and a letter behind them: "1,200.5", "10:30", "21st", "1990s".
    r"|\d++(?>(?:[.,:]\d++)*)(?:st|nd|rd|th|s)?(?![\w])|\d++(?>(?:[.,]\d++)*)"
    # Words; "can't" and "it's" in their two parts.
    r"|[A-Za-z]['’](?=[^\W\d_]{3})[^\W_]++|[Cc]an(?=not\b)"
    r"|[^\W_]{1,10}?(?=n['’]t\b)|n['’]t\b|['’](?:s|S|ll|re|ve|d|m)\b"
    r"|[^\W_]+(?>(?:[.&][^\W_]+)*)"
    r"|\.{2,}|-{2,}|[!?]{2,}|[^\w\s]|_+"
)

_SPACED = re.compile(
    rf"{_ADDRESS}"
    r"|(?:[^\W\d_]\.){2,8}|[^\W\d_]\.(?=\s+[^\W\d_a-z])"
    r"|\d++(?>(?:[.,:/-]\d++)*)"
    # The elided word, and what it stands before: "l'", "d'", "qu'".
    r"|(?:[^\W\d_]{1,2}|[^\W\d_]{0,5}[Qq][Uu])['’](?=[^\W\d_])"
    r"|[^\W_]+(?>(?:[-.&'’][^\W_]+)*)"
    r"|\.{2,}|-{2,}|[!?]{2,}|[^\w\s]|_+"
)
_UNIT = re.compile(r"[A-Za-z0-9À-ÿ][A-Za-z0-9À-ÿ.'’&-]*+|\S")
"""A character of an unspaced script, or a whole word of Latin letters in it."""


def words_of(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Where the words of `text[start:end]` begin and end, in characters of the text."""
    return [match.span() for match in _TOKEN.finditer(text, start, end)]


def spaced_words_of(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Where the words of `text[start:end]` begin and end in a language with spaces that is not English."""
    return [match.span() for match in _SPACED.finditer(text, start, end)]


def units_of(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Where the characters of an unspaced script begin and end, and words of Latin letters between them."""
    return [match.span() for match in _UNIT.finditer(text, start, end)]
