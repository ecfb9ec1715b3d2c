"""Answers what a space is often asked again once its graph has changed, before somebody asks (requirement
9.6).
"""

import queue
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import structlog

from app.errors import CitegraphError
from app.ids import SpaceId, TenantId
from app.retrieval.cache import words_of
from app.retrieval.shapes import Query

log = structlog.get_logger(__name__)

FREQUENT, MOST = 3, 5
"""Times a query was put since it was last forgotten to be worth it, and queries of one space that are."""
SPACES, QUERIES = 20, 200
"""Spaces of one tenant that are remembered, the longest unasked forgotten first, and like queries of each."""
WAITING = 10
"""Queries of one tenant that wait to be answered at most: more are left to whoever asks."""


@dataclass
class _Asked:
    """The queries of one space, as first written, and the revision of the graph that last answered them."""

    revision: int
    times: Counter[str] = field(default_factory=Counter)
    queries: dict[str, Query] = field(default_factory=dict)


class Warmer:
    """Counts queries by space; one thread of its own, started with the first work, answers the frequent ones.

    `answer` puts a query so that its answer is kept; what it raises is logged and changes nothing.
    """

    def __init__(self, answer: Callable[[TenantId, SpaceId, Query], object]) -> None:
        self._answer = answer
        self._asked: dict[TenantId, OrderedDict[SpaceId, _Asked]] = {}
        self._lock = threading.Lock()
        self._work: queue.SimpleQueue[tuple[TenantId, SpaceId, Query] | None] = queue.SimpleQueue()
        self._waiting: Counter[TenantId] = Counter()
        self._thread: threading.Thread | None = None

    def note(self, tenant_id: TenantId, space_id: SpaceId, revision: int, query: Query) -> None:
        """Count a query; where its space's graph has changed since the last one, answer the frequent ones
        anew.
        """
        words = words_of(query)
        with self._lock:
            spaces = self._asked.setdefault(tenant_id, OrderedDict())
            asked = spaces.setdefault(space_id, _Asked(revision))
            spaces.move_to_end(space_id)
            asked.times[words] += 1
            asked.queries.setdefault(words, replace(query, as_of=None))
            due = []
            if revision > asked.revision:
                asked.revision = revision
                often = [each for each, times in asked.times.most_common(MOST) if times >= FREQUENT]
                due = [asked.queries[each] for each in often if each != words]
            if len(asked.queries) > QUERIES:
                for rare, _ in asked.times.most_common()[QUERIES // 2 :]:
                    del asked.times[rare], asked.queries[rare]
            while len(spaces) > SPACES:
                spaces.popitem(last=False)
        for each in due:
            self._put(tenant_id, space_id, each)

    def _put(self, tenant_id: TenantId, space_id: SpaceId, query: Query) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, daemon=True, name="warming")
            self._thread.start()
        with self._lock:
            if self._waiting[tenant_id] >= WAITING:
                # Nobody waits for it: the next one who asks is answered a little later.
                log.info("warming_skipped")
                return
            self._waiting[tenant_id] += 1
        self._work.put((tenant_id, space_id, query))

    def _run(self) -> None:
        while (due := self._work.get()) is not None:
            with self._lock:
                self._waiting[due[0]] -= 1
            try:
                self._answer(*due)
            except CitegraphError as error:
                log.info("not_warmed", code=error.code)
            except Exception:
                log.warning("not_warmed", exc_info=True)

    def close(self) -> None:
        """End the thread after the work in hand."""
        if self._thread is not None:
            self._work.put(None)
            self._thread.join(timeout=5)
