"""Passage recall of ranked lists, and whether one ranking is better than another; pure.

recall@k of a question is the share of its supporting passages among the first k returned ones, a set's
figure the mean over its questions, times 100: the passage recall of the HippoRAG papers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

CUTS = (2, 5, 10)
RESAMPLES = 2_000
"""Resamplings of the bootstrap: the interval's ends move by less than a tenth of a point from more."""

Recalls = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Difference:
    """Mean paired difference in points, and the ends of its 95 % bootstrap interval."""

    mean: float
    low: float
    high: float


def compute_recalls(ranked: Mapping[str, Sequence[str]], gold: Mapping[str, Sequence[str]]) -> Recalls:
    """Recall at 2, 5 and 10 in per cent, a row per question in the order of `gold`: shape (questions, 3).

    Repeated ids count once; a question without a list missed everything.
    """
    table = np.zeros((len(gold), len(CUTS)))
    for row, (question, relevant) in enumerate(gold.items()):
        ids = list(dict.fromkeys(ranked.get(question, ())))
        for column, cut in enumerate(CUTS):
            table[row, column] = 100 * len(set(relevant) & set(ids[:cut])) / max(len(set(relevant)), 1)
    return table


def compare_recalls(first: Recalls, second: Recalls, *, seed: int = 0) -> Difference:
    """How much better `second` (questions) is than `first` on the same questions."""
    change = second - first
    drawn = np.random.default_rng(seed).integers(0, len(change), (RESAMPLES, len(change)))
    low, high = np.percentile(change[drawn].mean(axis=1), [2.5, 97.5])
    return Difference(float(change.mean()), float(low), float(high))
