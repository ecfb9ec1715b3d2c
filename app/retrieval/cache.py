"""Answers to repeated like queries, as long as the space's graph and settings stay as they were (requirement 9.6)."""

import json
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from app.db.session import AsOpened
from app.ids import SpaceId
from app.retrieval.shapes import Query, Retrieved

ENTRIES = 500
"""Answers kept at most, the longest unused dropped first; one is about 20 kB."""


@dataclass(frozen=True, slots=True)
class Version:
    """What an answer rests on besides its query: the revision of the space's graph, and the space's settings."""

    graph_revision: int
    settings: str


def version_of(opened: AsOpened) -> Version:
    """The version of a space as it was opened; equal where an answer found then may be given again."""
    return Version(opened.graph_revision, json.dumps(opened.settings, sort_keys=True))


class AnswerCache:
    """One process's answers. Every key begins with the space and its version, so nothing outlives a change.

    Each is kept until its time by `clock`, in seconds.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: OrderedDict[Hashable, tuple[float, Retrieved]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, space_id: SpaceId, version: Version, query: Query) -> Retrieved | None:
        """The kept answer to a like query: the same but for case and white space; None where there is none."""
        key = _key(space_id, version, query)
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                return None
            if self._clock() > found[0]:
                del self._kept[key]
                return None
            self._kept.move_to_end(key)
            return found[1]

    def put(self, space_id: SpaceId, version: Version, answer: Retrieved, *, seconds: float) -> None:
        """Keep an answer for so long, by the version that it was drawn from; 0 seconds mean not at all."""
        if seconds <= 0:
            return
        with self._lock:
            self._kept[_key(space_id, version, answer.query)] = (self._clock() + seconds, answer)
            while len(self._kept) > ENTRIES:
                self._kept.popitem(last=False)


def _key(space_id: SpaceId, version: Version, query: Query) -> Hashable:
    return (
        space_id,
        version,
        query.words,
        query.strategy,
        query.scoring,
        query.top_k,
        query.min_score,
        query.as_of,
    )
