"""Words that deny or only suppose what they state; the month of May does not."""

from collections.abc import Sequence

from app.extraction.rules.english.grammar import DOUBTS

_BEFORE_MONTH = frozenset(
    ("in", "since", "until", "of", "by", "from", "early", "late", "last", "during", "and", "to")
)


def are_doubted(words: Sequence[str]) -> bool:
    """Return whether one of these words, in lower case, denies or supposes something."""
    return any(word in DOUBTS and not _is_month(words, at) for at, word in enumerate(words))


def _is_month(words: Sequence[str], at: int) -> bool:
    """ "12 May", "in May 2019", "May 5": a number beside it, or a preposition before it at the end."""
    if words[at] != "may":
        return False
    beside = [*words[max(0, at - 1) : at], *words[at + 1 : at + 2]]
    return any(each[:1].isdigit() for each in beside) or (
        at == len(words) - 1 and at > 0 and words[at - 1] in _BEFORE_MONTH
    )
