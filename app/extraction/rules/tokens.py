"""Split text into words with their positions, the units that all rules compare."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from app.documents.sentences import ABBREVIATIONS_BEFORE_NUMBER, MAX_UNLISTED_ABBREVIATION_LENGTH

# Possessive quantifiers keep matching linear on a megabyte without a space.
# "Offered onCBC Gem", "directed byPeyton Reed", "20 Apr 1939Italian": pages lose the space before a link.
_WORD_WITH_LOST_SPACE = (
    r"(?:of|by|in|on|at|the|and|for|from|with)(?=[A-Z]{2,}\b|[A-Z][a-z]+ [A-Z][a-z])"
    r"|(?:1\d|20)\d\d(?=[A-Z][a-z]{2})"
)
_WORD_WITH_STOP = (
    r"(?>(?:[A-Z]\.-?)+)(?=[\s,;:)'’]|$)"
    r"|(?:Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|Inc|Corp|Co|Ltd|Gen|Sen|Gov|Rev|Lt|Col|Capt|Bros|Mt|Ft)\.(?=[\s,;)'’]|$)"
)
# A stop within a sentence, after a short word with a capital, belongs to the word: "Cdr. Layton", "Bldg. 7".
_UNLISTED_ABBREVIATION = (
    rf"(?!(?i:{'|'.join(sorted(ABBREVIATIONS_BEFORE_NUMBER))})\.)"
    rf"[A-Z][a-z]{{1,{MAX_UNLISTED_ABBREVIATION_LENGTH - 1}}}\.(?=[^\S\n]+(?:[A-Z\d]|of\b))"
)
_WORD_OR_MARK = r"[^\W_]\w*+(?>(?:(?:[.'’&+#/@-]|\$(?=[^\W\d]))\w++)*)[+#]*+|['’]s\b|[^\w\s]"
_TOKEN = re.compile("|".join((_WORD_WITH_LOST_SPACE, _WORD_WITH_STOP, _WORD_OR_MARK)))
_TOKEN_OF_PROSE = re.compile(
    "|".join((_WORD_WITH_LOST_SPACE, _WORD_WITH_STOP, _UNLISTED_ABBREVIATION, _WORD_OR_MARK))
)
_MIN_LONG_WORD_LENGTH = 4
_POSSESSIVE = re.compile(r"['’]s?$", re.IGNORECASE)


class Words(NamedTuple):
    """Words with their ranges in the text: `text[starts[i]:ends[i]]` is `words[i]`."""

    words: list[str]
    starts: list[int]
    ends: list[int]


def split_words(text: str, start: int, end: int, *, is_prose: bool = True) -> Words:
    """Return the words of `text[start:end]`, a sentence or a name; a possessive 's is a separate word.

    In what is no prose, a stop may separate entries: it belongs to listed abbreviations alone.
    """
    token = _TOKEN_OF_PROSE if is_prose else _TOKEN
    words: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for match in token.finditer(text, start, end):
        word, offset = match[0], match.start()
        if len(word) > 2 and ("'" in word or "’" in word):
            possessive_ending = _POSSESSIVE.search(word)
            if possessive_ending is not None and possessive_ending.start() > 0:
                words.append(word[: possessive_ending.start()])
                starts.append(offset)
                ends.append(offset + possessive_ending.start())
                word, offset = possessive_ending[0], offset + possessive_ending.start()
        words.append(word)
        starts.append(offset)
        ends.append(offset + len(word))
    return Words(words, starts, ends)


def are_most_longer_words_capitalised(words: Iterable[str]) -> bool:
    """Return whether most words of four or more letters have a capital, as in a headline; names are left out
    by the caller.
    """
    longer_words = [word for word in words if len(word) >= _MIN_LONG_WORD_LENGTH]
    return 2 * sum(word[:1].isupper() for word in longer_words) > len(longer_words)


def word_at(words: Sequence[str], index: int, default_word: str = "") -> str:
    """Return the word at this index; `default_word` before the first and after the last word.

    For the neighbors of a name or a verb at the edge of a sentence.
    """
    return words[index] if 0 <= index < len(words) else default_word
