"""Vectors as pgvector reads them, to four digits: half precision keeps three.

Numbers written by str() took six times as long: a third of a millisecond for a vector of 256, several times a
question.
"""

import numpy as np
import numpy.typing as npt

_STEPS = 10_000
# All that a part of a unit vector can be, written once.
_WRITTEN = [str(step / _STEPS) for step in range(-_STEPS, _STEPS + 1)]


def as_text(vectors: npt.NDArray[np.floating]) -> list[str]:
    """One text for each row of (n, dimensions), whose parts lie between -1 and 1. Raises ValueError for
    others.
    """
    # In double precision, so that a part that is exactly 1 stays within the table.
    steps = np.rint(vectors.astype(np.float64) * _STEPS)
    if not bool((np.abs(steps) <= _STEPS).all()):
        raise ValueError("A part of a vector is no number between -1 and 1.")
    return [
        f"[{','.join(map(_WRITTEN.__getitem__, row))}]" for row in (steps.astype(np.int64) + _STEPS).tolist()
    ]
