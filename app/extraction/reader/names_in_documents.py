"""The uses of a name in a document, as the classifier of kinds reads them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

CONTEXT_SIZE = 4
"""Number of words on each side of a name that a use has."""


class NeighborName(NamedTuple):
    """The name before or after another one in its sentence, with the words between them in lower case."""

    is_before: bool
    words_between: str
    kind: str
    """Its kind by the rules; "" if they do not know it."""


class NameUse(NamedTuple):
    """One place where a document uses a name: up to `CONTEXT_SIZE` words on each side, in lower case."""

    words_before: Sequence[str]
    words_after: Sequence[str]
    neighbors: Sequence[NeighborName]


@dataclass(frozen=True, slots=True)
class NameInDocument:
    """A name with all that a document shows of it; `votes` are the strengths by kind that rules gave it."""

    words: Sequence[str]
    title_words: Sequence[str]
    has_ordinary_last_word: bool
    """Whether the document writes the last word without a capital, too."""
    votes: Mapping[str, float]
    uses: Sequence[NameUse]
