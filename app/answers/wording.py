"""Words that two texts have in common, roughly: enough to point at a sentence, not to judge it; pure."""

from collections.abc import Iterable

from app.scoring.keywords import keywords_of

_ENDINGS = ("ing", "ed", "es", "s", "e")
_SHORTEST_STEM = 3


def stems(text: str) -> frozenset[str]:
    """The text's keywords without common endings: created, creates and create are one."""
    (found,) = stems_of([text])
    return found


def stems_of(texts: Iterable[str]) -> list[frozenset[str]]:
    """The stems of each of the texts."""
    return [frozenset(map(_stem, words)) for words in keywords_of(texts)]


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word[: -len(ending)]
    return word
