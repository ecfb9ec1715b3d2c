"""Passage recall of ranked lists, and comparison of rankings; pure.

recall@k of a question is the share of its supporting passages among the first k results; that of a set is the
mean over its questions, times 100: the passage recall of the HippoRAG papers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

RANK_LIMITS = (2, 5, 10)
RESAMPLE_COUNT = 2_000
"""Number of bootstrap samples; more change the ends of the interval by less than a tenth of a point."""

Recalls = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RecallDifference:
    """Mean paired difference in points, and its 95 % bootstrap interval."""

    mean: float
    lower_bound: float
    upper_bound: float


def compute_recall_percentages(
    ranked_ids: Mapping[str, Sequence[str]], gold_ids: Mapping[str, Sequence[str]]
) -> Recalls:
    """Return recall at 2, 5 and 10 in per cent, one row per question in the order of `gold_ids`.

    Repeated ids count once; a question without a list has recall 0.
    """
    recalls = np.zeros((len(gold_ids), len(RANK_LIMITS)))
    for row, (question, relevant_ids) in enumerate(gold_ids.items()):
        unique_ids = list(dict.fromkeys(ranked_ids.get(question, ())))
        for column, rank_limit in enumerate(RANK_LIMITS):
            recalls[row, column] = (
                100 * len(set(relevant_ids) & set(unique_ids[:rank_limit])) / max(len(set(relevant_ids)), 1)
            )
    return recalls


def compare_recalls(baseline_recalls: Recalls, changed_recalls: Recalls) -> RecallDifference:
    """Return how much better `changed_recalls` are than `baseline_recalls` on the same questions."""
    differences = changed_recalls - baseline_recalls
    resampled_indices = np.random.default_rng(0).integers(
        0, len(differences), (RESAMPLE_COUNT, len(differences))
    )
    lower_bound, upper_bound = np.percentile(differences[resampled_indices].mean(axis=1), [2.5, 97.5])
    return RecallDifference(float(differences.mean()), float(lower_bound), float(upper_bound))
