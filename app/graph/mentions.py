"""Who is named where, as columns: for what other domains derive from mentions."""

import numpy as np
from numpy.typing import NDArray

from app.db.arrays import Ids
from app.db.session import SpaceSession
from app.graph import mention_repository


def around(space: SpaceSession, nodes: Ids) -> tuple[Ids, Ids, NDArray[np.int64]]:
    """(chunk, node, first character) of all mentions in the chunks that name one of these nodes."""
    return mention_repository.around(space, nodes)


def counts(space: SpaceSession, nodes: Ids) -> tuple[NDArray[np.int64], int]:
    """(how many chunks name each of these nodes, how many the space has)."""
    return mention_repository.counts(space, nodes)
