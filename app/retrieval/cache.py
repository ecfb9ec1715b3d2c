"""Answers to repeated like queries, as long as the space's graph and settings stay as they were (requirement
9.6).
"""

import json
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from app.db.session import AsOpened
from app.ids import SpaceId, TenantId
from app.retrieval.shapes import Query, Retrieved

TENANT_BYTES, ALL_BYTES = 4_000_000, 64_000_000
"""What the answers of one tenant, and of all, may weigh; one is about 20 kB."""
# What an object of an answer weighs besides its texts, about.
_OBJECT_BYTES = 1_000


@dataclass(frozen=True, slots=True)
class Version:
    """The state that an answer rests on: the revision of the space's graph, and the space's settings."""

    graph_revision: int
    settings: str


def version_of(opened: AsOpened) -> Version:
    """The version of a space as it was opened; equal where an answer found then may be given again."""
    return Version(opened.graph_revision, json.dumps(opened.settings, sort_keys=True))


@dataclass(frozen=True, slots=True)
class _Entry:
    until: float
    answer: Retrieved
    weight: int


class _Shelf:
    """One tenant's answers, the longest unused first, and what they weigh together."""

    def __init__(self) -> None:
        self.entries: OrderedDict[Hashable, _Entry] = OrderedDict()
        self.weight = 0

    def put(self, key: Hashable, entry: _Entry) -> None:
        self.drop(key)
        self.entries[key] = entry
        self.weight += entry.weight

    def drop(self, key: Hashable) -> None:
        gone = self.entries.pop(key, None)
        self.weight -= gone.weight if gone else 0

    def drop_oldest(self) -> None:
        self.drop(next(iter(self.entries)))


class AnswerCache:
    """One process's answers. Every key begins with the space and its version, so nothing outlives a change.

    Each is kept until its time by `clock`, in seconds. A tenant's answers push out its own; where all
    tenants' together are too much, those of the tenant that has the most go: nobody is flushed by somebody
    else.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._shelves: dict[TenantId, _Shelf] = {}
        self._lock = threading.Lock()

    def get(self, tenant_id: TenantId, space_id: SpaceId, version: Version, query: Query) -> Retrieved | None:
        """The kept answer to a like query: the same but for case and white space; None where there is
        none.
        """
        key = _key(space_id, version, query)
        with self._lock:
            shelf = self._shelves.get(tenant_id)
            found = shelf.entries.get(key) if shelf else None
            if shelf is None or found is None:
                return None
            if self._clock() > found.until:
                shelf.drop(key)
                return None
            shelf.entries.move_to_end(key)
            return found.answer

    def put(
        self, tenant_id: TenantId, space_id: SpaceId, version: Version, answer: Retrieved, *, seconds: float
    ) -> None:
        """Keep an answer for so long, by the version that it was drawn from; 0 seconds mean not at all."""
        if seconds <= 0:
            return
        entry = _Entry(self._clock() + seconds, answer, _weight(answer))
        with self._lock:
            shelf = self._shelves.setdefault(tenant_id, _Shelf())
            shelf.put(_key(space_id, version, answer.query), entry)
            while shelf.weight > TENANT_BYTES:
                shelf.drop_oldest()
            while sum(each.weight for each in self._shelves.values()) > ALL_BYTES:
                tenant, largest = max(self._shelves.items(), key=lambda item: item[1].weight)
                largest.drop_oldest()
                if not largest.entries:
                    del self._shelves[tenant]


def _weight(answer: Retrieved) -> int:
    """Return about how much memory an answer takes."""
    explanation = answer.explanation
    edges = explanation.edges if explanation else ()
    texts = [each.text for each in answer.passages]
    texts += [each.evidence.quote or "" for each in edges if each.evidence is not None]
    texts += [explanation.narrative] if explanation else []
    objects = 2 + len(answer.passages) + 2 * len(edges) + len(answer.facts) + len(answer.nodes)
    return _OBJECT_BYTES * objects + sum(map(sys.getsizeof, texts))


def words_of(query: Query) -> str:
    """The text without its case and white space: like queries have the same, and one answer."""
    return " ".join(query.text.casefold().split())


def _key(space_id: SpaceId, version: Version, query: Query) -> Hashable:
    return (
        space_id,
        version,
        words_of(query),
        query.strategy,
        query.scoring,
        query.top_k,
        query.min_score,
        query.as_of,
    )
