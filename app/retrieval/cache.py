"""Cache the answers to repeated queries until the space's graph or settings change (requirement 9.6).

After a change of the graph, frequent queries are answered again before they are asked.
"""

import json
import queue
import sys
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace

import structlog

from app.db.orm_space_filter import OpeningState
from app.errors import CitegraphError
from app.ids import SpaceId, TenantId
from app.retrieval.shapes import Query, RetrievalResult

log = structlog.get_logger(__name__)

MAX_TENANT_BYTES, MAX_CACHE_BYTES = 4_000_000, 64_000_000
"""Maximum memory for the answers of one tenant, and of all; one answer takes about 20 kB."""
MIN_QUERY_COUNT, MAX_WARMED_QUERIES = 3, 5
"""Minimum number of times a query was asked to be warmed, and maximum number of warmed queries per space."""
MAX_SPACES, MAX_QUERIES = 20, 200
"""Maximum number of spaces remembered per tenant, least recently asked dropped first, and queries of each."""
MAX_WAITING_QUERIES = 10
"""Maximum number of a tenant's queries waiting to be warmed; further ones are skipped."""
# Approximate memory of an object of an answer without its texts.
_OBJECT_BYTES = 1_000


@dataclass(frozen=True, slots=True)
class Version:
    """The state that an answer is based on: the revision of the space's graph, and the space's settings."""

    graph_revision: int
    settings: str


def compute_cache_version(opening_state: OpeningState) -> Version:
    """Return the version of a space as it was opened; a cached answer is valid for an equal version."""
    return Version(opening_state.graph_revision, json.dumps(opening_state.settings, sort_keys=True))


@dataclass(frozen=True, slots=True)
class _Entry:
    expires_at: float
    result: RetrievalResult
    memory_bytes: int


class _TenantEntries:
    """One tenant's answers, least recently used first, and their total memory."""

    def __init__(self) -> None:
        self.entries: OrderedDict[Hashable, _Entry] = OrderedDict()
        self.memory_bytes = 0

    def put_entry(self, key: Hashable, entry: _Entry) -> None:
        self.drop_entry(key)
        self.entries[key] = entry
        self.memory_bytes += entry.memory_bytes

    def drop_entry(self, key: Hashable) -> None:
        entry = self.entries.pop(key, None)
        self.memory_bytes -= entry.memory_bytes if entry else 0

    def drop_oldest(self) -> None:
        self.drop_entry(next(iter(self.entries)))


class AnswerCache:
    """The cached answers of one process. Every key contains the space and its version, so changes invalidate
    it.

    An answer expires by `clock`, in seconds. A tenant's new answers evict its own; if all tenants together
    exceed the limit, answers of the tenant with the most memory are evicted, so that no tenant evicts
    another's.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._entries_by_tenant: dict[TenantId, _TenantEntries] = {}
        self._lock = threading.Lock()
        self.lookups: Counter[str] = Counter(hit=0, miss=0)

    def get(
        self, tenant_id: TenantId, space_id: SpaceId, version: Version, query: Query
    ) -> RetrievalResult | None:
        """Return the cached answer to an equal query, ignoring white space, or None."""
        key = _build_key(space_id, version, query)
        with self._lock:
            tenant_entries = self._entries_by_tenant.get(tenant_id)
            entry = tenant_entries.entries.get(key) if tenant_entries else None
            if tenant_entries is None or entry is None or self._clock() > entry.expires_at:
                self.lookups["miss"] += 1
                if tenant_entries is not None:
                    tenant_entries.drop_entry(key)
                return None
            self.lookups["hit"] += 1
            tenant_entries.entries.move_to_end(key)
            return entry.result

    def put(
        self,
        tenant_id: TenantId,
        space_id: SpaceId,
        version: Version,
        result: RetrievalResult,
        *,
        lifetime_seconds: float,
    ) -> None:
        """Cache an answer for this many seconds, for the version it is based on; 0 seconds disable
        caching.
        """
        if lifetime_seconds <= 0:
            return
        entry = _Entry(self._clock() + lifetime_seconds, result, _estimate_memory_bytes_of_answer(result))
        with self._lock:
            tenant_entries = self._entries_by_tenant.setdefault(tenant_id, _TenantEntries())
            tenant_entries.put_entry(_build_key(space_id, version, result.query), entry)
            while tenant_entries.memory_bytes > MAX_TENANT_BYTES:
                tenant_entries.drop_oldest()
            while sum(entries.memory_bytes for entries in self._entries_by_tenant.values()) > MAX_CACHE_BYTES:
                largest_tenant_id = max(
                    self._entries_by_tenant,
                    key=lambda other_id: self._entries_by_tenant[other_id].memory_bytes,
                )
                largest_entries = self._entries_by_tenant[largest_tenant_id]
                largest_entries.drop_oldest()
                if not largest_entries.entries:
                    del self._entries_by_tenant[largest_tenant_id]


def _estimate_memory_bytes_of_answer(result: RetrievalResult) -> int:
    """Return the approximate memory of an answer."""
    explanation = result.explanation
    edges = explanation.edges if explanation else ()
    texts = [passage.text for passage in result.passages]
    texts += [edge.evidence.quote or "" for edge in edges if edge.evidence is not None]
    texts += [explanation.narrative] if explanation else []
    values = explanation.attributes if explanation else ()
    texts += [value.evidence.quote or "" for value in values]
    object_count = (
        2 + 2 * len(values) + len(result.passages) + 2 * len(edges) + len(result.facts) + len(result.nodes)
    )
    return _OBJECT_BYTES * object_count + sum(map(sys.getsizeof, texts))


def collapse_whitespace_of_query(query: Query) -> str:
    """Return the text with white space normalised; queries with the same result share one answer.

    The case stays, since names are recognised by their capitals: "ada" is found in other passages than "Ada".
    """
    return " ".join(query.text.split())


def _build_key(space_id: SpaceId, version: Version, query: Query) -> Hashable:
    return (
        space_id,
        version,
        collapse_whitespace_of_query(query),
        query.strategy,
        query.scoring,
        query.top_k,
        query.min_score,
        query.as_of,
    )


@dataclass
class _QueryHistory:
    """The queries of one space, as first written, and the last revision of the graph that answered them."""

    revision: int
    query_counts: Counter[str] = field(default_factory=Counter)
    queries: dict[str, Query] = field(default_factory=dict)


class CacheWarmer:
    """Counts queries per space, and answers the frequent ones again in a thread that starts on first use.

    `result` must answer a query and cache the result; its errors are logged and ignored.
    """

    def __init__(self, answer: Callable[[TenantId, SpaceId, Query], object]) -> None:
        self._answer = answer
        self._query_history_by_space: dict[TenantId, OrderedDict[SpaceId, _QueryHistory]] = {}
        self._lock = threading.Lock()
        self._task_queue: queue.SimpleQueue[tuple[TenantId, SpaceId, Query] | None] = queue.SimpleQueue()
        self._waiting_count_by_tenant: Counter[TenantId] = Counter()
        self._thread: threading.Thread | None = None

    def count_query_and_warm_if_changed(
        self, tenant_id: TenantId, space_id: SpaceId, revision: int, query: Query
    ) -> None:
        """Count a query; if its space's graph has changed since the last one, answer the frequent
        ones again.
        """
        query_words = collapse_whitespace_of_query(query)
        with self._lock:
            history_by_space = self._query_history_by_space.setdefault(tenant_id, OrderedDict())
            history = history_by_space.setdefault(space_id, _QueryHistory(revision))
            history_by_space.move_to_end(space_id)
            history.query_counts[query_words] += 1
            history.queries.setdefault(query_words, replace(query, as_of=None))
            due_queries = []
            if revision > history.revision:
                history.revision = revision
                frequent_keys = [
                    key
                    for key, count in history.query_counts.most_common(MAX_WARMED_QUERIES)
                    if count >= MIN_QUERY_COUNT
                ]
                due_queries = [history.queries[key] for key in frequent_keys if key != query_words]
            if len(history.queries) > MAX_QUERIES:
                for rare_key, _ in history.query_counts.most_common()[MAX_QUERIES // 2 :]:
                    del history.query_counts[rare_key], history.queries[rare_key]
            while len(history_by_space) > MAX_SPACES:
                history_by_space.popitem(last=False)
        for due_query in due_queries:
            self._queue_query_or_skip(tenant_id, space_id, due_query)

    def _queue_query_or_skip(self, tenant_id: TenantId, space_id: SpaceId, query: Query) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._answer_queued_queries, daemon=True, name="warming")
            self._thread.start()
        with self._lock:
            if self._waiting_count_by_tenant[tenant_id] >= MAX_WAITING_QUERIES:
                # Skipping is harmless: the next query takes a little longer.
                log.info("warming_skipped")
                return
            self._waiting_count_by_tenant[tenant_id] += 1
        self._task_queue.put((tenant_id, space_id, query))

    def _answer_queued_queries(self) -> None:
        while (task := self._task_queue.get()) is not None:
            tenant_id, space_id, query = task
            with self._lock:
                self._waiting_count_by_tenant[tenant_id] -= 1
            try:
                self._answer(tenant_id, space_id, query)
            except CitegraphError as error:
                log.info("not_warmed", code=error.code)
            except Exception:
                log.warning("not_warmed", exc_info=True)

    def close(self) -> None:
        """Stop the thread after its current query."""
        if self._thread is not None:
            self._task_queue.put(None)
            self._thread.join(timeout=5)
