"""Words that deny, retract or only suppose a statement; not the month of May."""

from collections.abc import Sequence
from typing import NamedTuple

from app.extraction.rules.english.grammar import DOUBTS, HEARSAY
from app.extraction.rules.english.past.corrections import (
    ENDS_CORRECTION,
    PLAIN_RETRACTION,
    RETRACTION,
    SHOULD_READ,
    SIGNS_OF_CORRECTION,
)
from app.extraction.rules.english.phrase_patterns import PATTERNS_BY_FIRST_WORD

_WORDS_BEFORE_MONTH = frozenset(
    ("in", "since", "until", "of", "by", "from", "early", "late", "last", "during", "and", "to")
)


# Words before "to" that announce the future: "is to be replaced", "set to close"; "due to" alone is a cause.
_WORDS_OF_THE_FUTURE = frozenset(
    ("is", "are", "set", "slated", "scheduled", "about", "going", "ready", "expected")
)

_PREPOSITIONS_OF_SPREADING = frozenset(("to", "for", "with"))


class Retraction(NamedTuple):
    """Words `first` to `last` (exclusive) that a sentence retracts; `is_plain` if it calls them wrong."""

    first: int
    last: int
    is_plain: bool


def find_retraction(lower_words: Sequence[str]) -> Retraction | None:
    """Return the retracted words of a lower-case sentence, "An earlier version said"; None if it retracts
    nothing.
    """
    if SIGNS_OF_CORRECTION.isdisjoint(lower_words):
        return None
    line = " ".join(lower_words)
    retraction_match = RETRACTION.search(line)
    if retraction_match is None:
        correction_match = SHOULD_READ.search(line)
        return (
            None
            if correction_match is None
            else Retraction(0, line.count(" ", 0, correction_match.start()), True)
        )
    is_plain = PLAIN_RETRACTION.search(line) is not None
    first_index = line.count(" ", 0, retraction_match.end()) + 1
    if first_index + 1 >= len(lower_words) or not lower_words[first_index][0].isalnum():
        return Retraction(0, line.count(" ", 0, retraction_match.start()), is_plain)
    end_index = next(
        (index for index in range(first_index, len(lower_words)) if lower_words[index] in ENDS_CORRECTION),
        len(lower_words),
    )
    return Retraction(first_index, end_index, is_plain)


def have_word_of_doubt(words: Sequence[str]) -> bool:
    """Return whether one of these lower-case words denies, supposes, predicts or reports something."""
    return any(
        (word in DOUBTS and not _is_month(words, index))
        or (word == "to" and _introduces_future_event(words, index))
        or (word in _PREPOSITIONS_OF_SPREADING and index > 0 and words[index - 1] in HEARSAY)
        for index, word in enumerate(words)
    )


def _introduces_future_event(words: Sequence[str], index: int) -> bool:
    """Return whether "to" at this index introduces a future event."""
    previous_words, next_words = words[index - 1 : index], words[index + 1 : index + 2]
    if not previous_words or not next_words:
        return False
    return (previous_words[0] in _WORDS_OF_THE_FUTURE and _may_be_bare_verb(next_words[0])) or (
        previous_words[0] == "due" and next_words[0] == "be"
    )


def _may_be_bare_verb(word: str) -> bool:
    """Return whether a word can be a bare verb: in "to be", "to close", but not in "to the" or "to music"."""
    return (
        word in ("be", "become")
        or f"{word}s" in PATTERNS_BY_FIRST_WORD
        or f"{word}d" in PATTERNS_BY_FIRST_WORD
        or f"{word}ed" in PATTERNS_BY_FIRST_WORD
    )


def _is_month(words: Sequence[str], index: int) -> bool:
    """Return whether "may" is the month, by a number beside it, or a preposition before it at the end: "12
    May", "in May 2019", "May 5".
    """
    if words[index] != "may":
        return False
    adjacent_words = [*words[max(0, index - 1) : index], *words[index + 1 : index + 2]]
    return any(neighbour[:1].isdigit() for neighbour in adjacent_words) or (
        index == len(words) - 1 and index > 0 and words[index - 1] in _WORDS_BEFORE_MONTH
    )
