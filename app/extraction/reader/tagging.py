"""The most probable BIO tags of a sentence: an inside tag must follow one of its type."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_LEAST = 1e-9


def likeliest_tags(probabilities: NDArray[np.float32], tags: Sequence[str]) -> list[str]:
    """Return the valid tag sequence with the highest product of probabilities (words × tags).

    If the best tag of each word gives a valid sequence, it is returned; else Viterbi's algorithm finds the
    best.
    """
    best = [tags[index] for index in probabilities.argmax(axis=1)]
    if all(_may_follow(before, tag) for before, tag in zip(["O", *best], best, strict=False)):
        return best
    before_tag = [[index for index, before in enumerate(tags) if _may_follow(before, tag)] for tag in tags]
    rows = np.log(np.maximum(probabilities, _LEAST)).tolist()
    scores = [score if _may_follow("O", tag) else -np.inf for score, tag in zip(rows[0], tags, strict=True)]
    origins: list[list[int]] = []
    for row in rows[1:]:
        origin = [max(allowed, key=scores.__getitem__) for allowed in before_tag]
        scores = [scores[index] + score for index, score in zip(origin, row, strict=True)]
        origins.append(origin)
    path = [max(range(len(tags)), key=scores.__getitem__)]
    for origin in reversed(origins):
        path.append(origin[path[-1]])
    return [tags[index] for index in reversed(path)]


def _may_follow(before: str, tag: str) -> bool:
    return tag[0] != "I" or before[1:] == tag[1:]
