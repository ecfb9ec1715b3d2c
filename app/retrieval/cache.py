"""Answers to repeated like queries, for a minute, as long as the space's graph stays as it was (requirement 9.6)."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable

from app.ids import SpaceId
from app.retrieval.shapes import Query, Retrieved

SECONDS = 60.0
"""How long an answer is kept (requirement 9.6)."""
ENTRIES = 500
"""Answers kept at most, the longest unused dropped first; one is about 20 kB."""


class AnswerCache:
    """One process's answers. Every key begins with the space and its graph's revision, so nothing outlives a change."""

    def __init__(self, *, seconds: float = SECONDS, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._kept: OrderedDict[Hashable, tuple[float, Retrieved]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, space_id: SpaceId, revision: int, query: Query) -> Retrieved | None:
        """The kept answer to a like query: the same but for case and white space; None where there is none."""
        key = _key(space_id, revision, query)
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                return None
            if self._clock() - found[0] > self._seconds:
                del self._kept[key]
                return None
            self._kept.move_to_end(key)
            return found[1]

    def put(self, space_id: SpaceId, answer: Retrieved) -> None:
        """Keep an answer; it belongs to the revision that it was drawn from."""
        with self._lock:
            self._kept[_key(space_id, answer.graph_revision, answer.query)] = (self._clock(), answer)
            while len(self._kept) > ENTRIES:
                self._kept.popitem(last=False)


def _key(space_id: SpaceId, revision: int, query: Query) -> Hashable:
    return (
        space_id,
        revision,
        query.words,
        query.strategy,
        query.scoring,
        query.top_k,
        query.min_score,
        query.as_of,
    )
