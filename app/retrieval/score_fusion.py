"""Fuses the scores of two searches of one question, by vectors and by words, into one; pure, over arrays."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def fuse_scores(cosine: Floats, lexical: Floats, *, cosine_share: float = 0.5) -> Floats:
    """The cosine's share and the lexical score for the rest, each spread over 0 to 1: shape as given.

    Half and half for a model of meaning; 0.15 for vectors that know spelling alone, which words know better.
    Where one of the two says nothing the other decides alone.
    """
    return cosine_share * normalize_min_max(cosine) + (1 - cosine_share) * normalize_min_max(lexical)


def normalize_min_max(values: Floats) -> Floats:
    """Values as their place between the least and the greatest; 1 where all are alike."""
    if not len(values):
        return values
    least, greatest = values.min(), values.max()
    if greatest <= least:
        return np.ones_like(values)
    result: Floats = (values - least) / (greatest - least)
    return result
