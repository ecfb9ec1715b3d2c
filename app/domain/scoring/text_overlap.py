"""The similarity of two texts: Dice's coefficient over character bigrams (requirement 9.4)."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

TITLE_WEIGHT, SUMMARY_WEIGHT, BODY_WEIGHT = 0.5, 0.3, 0.2
"""Weights of a result's fields: title above summary above body (requirement 9.4); they sum to 1."""
_MAX_SEARCHED_LENGTH = 200
"""Length of a text up to which searching each bigram is as fast as counting all."""
_ONE_BYTE_ENCODING = "latin-1"
"""An encoding with one byte per character, so that a bigram is a number below 65,536."""


@dataclass(frozen=True, slots=True)
class Bigrams:
    """The counted bigrams of a text, for comparing it with many texts.

    `number_by_code` maps each two-byte code to the number of that bigram, from 1; `counts` has the count of
    each number.
    """

    counted_bigrams: tuple[tuple[str, int], ...]
    bigram_count: int
    number_by_code: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]


def count_letter_bigrams(text: str) -> Bigrams:
    """Count the bigrams of the text in lower case, with white space collapsed."""
    folded_text = " ".join(text.casefold().split())
    counted_bigrams = tuple(
        Counter(folded_text[start : start + 2] for start in range(len(folded_text) - 1)).items()
    )
    number_by_code = np.zeros(1 << 16, np.int64)
    for number, (bigram, _) in enumerate(counted_bigrams, 1):
        if max(bigram) <= "\xff":
            number_by_code[ord(bigram[0]) | ord(bigram[1]) << 8] = number
    counts = np.array([0, *(count for _, count in counted_bigrams)], np.int64)
    return Bigrams(counted_bigrams, max(0, len(folded_text) - 1), number_by_code, counts)


def compute_dice_similarity(query_bigrams: Bigrams, text: str) -> float:
    """Return 2 · common bigrams / all bigrams of both, in [0, 1], with multiplicity."""
    folded_text = text.casefold()
    text_bigram_count = len(folded_text) - 1
    if query_bigrams.bigram_count == 0 or text_bigram_count < 1:
        return 0.0
    return (
        2 * _count_common_pairs(query_bigrams, folded_text) / (query_bigrams.bigram_count + text_bigram_count)
    )


def compute_weighted_text_overlap(
    query_bigrams: Bigrams, *, title: str = "", summary: str = "", body: str = ""
) -> float:
    """Return the weighted similarity of a result's fields to the query, in [0, 1] (requirement 9.4)."""
    return (
        TITLE_WEIGHT * compute_dice_similarity(query_bigrams, title)
        + SUMMARY_WEIGHT * compute_dice_similarity(query_bigrams, summary)
        + BODY_WEIGHT * compute_dice_similarity(query_bigrams, body)
    )


def _count_common_pairs(query_bigrams: Bigrams, folded_text: str) -> int:
    if len(folded_text) > _MAX_SEARCHED_LENGTH:
        try:
            encoded_text = folded_text.encode(_ONE_BYTE_ENCODING)
        except UnicodeEncodeError:
            return _count_pairs_by_search(query_bigrams, folded_text)
        # Count bigrams at even and at odd positions separately, to avoid copying the text.
        occurrences = sum(
            np.bincount(
                query_bigrams.number_by_code.take(
                    np.frombuffer(encoded_text, "<u2", (len(encoded_text) - offset) // 2, offset)
                ),
                minlength=len(query_bigrams.counts),
            )
            for offset in (0, 1)
        )
        return int(np.minimum(occurrences, query_bigrams.counts).sum())
    return _count_pairs_by_search(query_bigrams, folded_text)


def _count_pairs_by_search(query_bigrams: Bigrams, folded_text: str) -> int:
    return sum(
        1 if count == 1 else min(count, _count_overlapping(folded_text, bigram))
        for bigram, count in query_bigrams.counted_bigrams
        if bigram in folded_text
    )


def _count_overlapping(text: str, bigram: str) -> int:
    if bigram[0] != bigram[1]:
        return text.count(bigram)
    # str.count skips overlaps: "aaa" contains "aa" twice.
    return sum(text.startswith(bigram, start) for start in range(len(text) - 1))
