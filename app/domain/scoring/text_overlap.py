"""How alike two texts are letter by letter: Dice's coefficient over character bigrams (requirement 9.4)."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

TITLE_WEIGHT, SUMMARY_WEIGHT, BODY_WEIGHT = 0.5, 0.3, 0.2
"""Shares of a result's fields: title above summary above body (requirement 9.4); together 1."""
_SHORT = 200
"""Characters up to which looking pairs up one by one is as fast as counting them all."""
_NARROW = "latin-1"
"""A character of this encoding is one byte, so that a pair is a number below 65,536."""


@dataclass(frozen=True, slots=True)
class Bigrams:
    """A text's pairs of neighbouring characters, counted once so that many texts can be held against it.

    `numbers` has for each code that two bytes make the number of that pair, from 1, and `counts`
    how often the pair of each number stands in the text.
    """

    pairs: tuple[tuple[str, int], ...]
    size: int
    numbers: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]


def letter_bigrams(text: str) -> Bigrams:
    """The pairs of the text in lower case, runs of white space as one space."""
    folded = " ".join(text.casefold().split())
    pairs = tuple(Counter(folded[start : start + 2] for start in range(len(folded) - 1)).items())
    numbers = np.zeros(1 << 16, np.int64)
    for number, (pair, _) in enumerate(pairs, 1):
        if max(pair) <= "\xff":
            numbers[ord(pair[0]) | ord(pair[1]) << 8] = number
    counts = np.array([0, *(times for _, times in pairs)], np.int64)
    return Bigrams(pairs, max(0, len(folded) - 1), numbers, counts)


def dice_similarity(query: Bigrams, text: str) -> float:
    """2 · common pairs / all pairs of both, in [0, 1]; a pair counts as often as both texts hold it."""
    folded = text.casefold()
    size = len(folded) - 1
    if query.size == 0 or size < 1:
        return 0.0
    return 2 * _count_common_pairs(query, folded) / (query.size + size)


def weighted_text_overlap(query: Bigrams, *, title: str = "", summary: str = "", body: str = "") -> float:
    """In [0, 1]: how alike a result's fields are to the query, the title counting most (requirement 9.4)."""
    return (
        TITLE_WEIGHT * dice_similarity(query, title)
        + SUMMARY_WEIGHT * dice_similarity(query, summary)
        + BODY_WEIGHT * dice_similarity(query, body)
    )


def _count_common_pairs(query: Bigrams, folded: str) -> int:
    if len(folded) > _SHORT:
        try:
            raw = folded.encode(_NARROW)
        except UnicodeEncodeError:
            return _count_pairs_by_search(query, folded)
        # Pairs that begin at even places and those that begin at odd ones: no copy of the text is made.
        occurrences = sum(
            np.bincount(
                query.numbers.take(np.frombuffer(raw, "<u2", (len(raw) - first) // 2, first)),
                minlength=len(query.counts),
            )
            for first in (0, 1)
        )
        return int(np.minimum(occurrences, query.counts).sum())
    return _count_pairs_by_search(query, folded)


def _count_pairs_by_search(query: Bigrams, folded: str) -> int:
    return sum(
        1 if times == 1 else min(times, _count_overlapping(folded, pair))
        for pair, times in query.pairs
        if pair in folded
    )


def _count_overlapping(text: str, pair: str) -> int:
    if pair[0] != pair[1]:
        return text.count(pair)
    # str.count skips what overlaps: "aaa" holds "aa" twice.
    return sum(text.startswith(pair, start) for start in range(len(text) - 1))
