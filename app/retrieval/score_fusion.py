"""Combine the scores of a vector search and a word search of one question; pure, with arrays."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def fuse_scores(cosine: Floats, lexical: Floats, *, cosine_share: float = 0.5) -> Floats:
    """Return the weighted sum of both scores, each scaled to 0 to 1; the shape is that of the arguments.

    The cosine's share is a half for a semantic model, and 0.15 for vectors that encode only spelling, which
    word search does better. If all values of one score are equal, the other decides alone.
    """
    return cosine_share * normalize_min_max(cosine) + (1 - cosine_share) * normalize_min_max(lexical)


def normalize_min_max(values: Floats) -> Floats:
    """Scale values linearly from minimum to maximum; all become 1 if they are equal."""
    if not len(values):
        return values
    min_value, max_value = values.min(), values.max()
    if max_value <= min_value:
        return np.ones_like(values)
    result: Floats = (values - min_value) / (max_value - min_value)
    return result
