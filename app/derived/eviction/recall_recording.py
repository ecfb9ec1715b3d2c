"""Recording of recalls outside requests: kept in memory, written every few seconds by a thread (requirement
12.1).

Unwritten recalls of a process that dies are lost: recalls are statistics. A regular shutdown writes them.

All chunks and edges shown to the caller of an answer are recalled, with their score. A chunk is recalled if
it was returned: as a passage, cited, or quoted by an explanation. A fact of the answer is a recall of the
fact alone, not of its chunk: facts come thirty at a time, mostly with the highest score, and would outweigh
the requested passage. A score above 1, which a fact may have, counts as 1, so that values are comparable.
"""

import threading
import time
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

import structlog

from app.answers.shapes import MAX_ENDED_CLAIMS, FinalAnswer, RetrievedAnswer
from app.db.database import Database
from app.db.errors import DATABASE_ERRORS, describe_error, is_busy, is_unreachable
from app.derived.eviction import repository
from app.derived.eviction.shapes import Recalls, ReturnedResults
from app.errors import NotFound
from app.graph.shapes import Explanation, Neighborhood
from app.ids import ChunkId, EdgeId, SpaceId, SpaceKey, TenantId
from app.retrieval.shapes import RetrievalResult
from app.tenancy.tenants import service as tenants

log = structlog.get_logger(__name__)

WRITE_INTERVAL_SECONDS = 5.0
"""Seconds between two writes."""
MAX_TALLIES = 50_000
"""Maximum number of chunks and edges with unwritten recalls, about 15 MB; as many again during a write."""
MAX_SPACES = 10_000
"""Maximum number of spaces with unwritten recalls."""
CLOSING_SECONDS = 10.0
"""Seconds that the shutdown of a process waits for a write."""

CITED_CHUNK_SCORE = 1.0
"""Score of a chunk that an answer cites: it was useful, not only found."""

Id = TypeVar("Id", bound=Hashable)


@dataclass(slots=True)
class _Tally:
    """Recalls of one chunk or edge; `last_recall_time` is a time of this process's clock."""

    count: int
    score_sum: float
    last_recall_time: float


@dataclass(slots=True)
class _PendingRecalls:
    """The unwritten recalls of one space."""

    query_count: int = 0
    chunks: dict[ChunkId, _Tally] = field(default_factory=dict)
    edges: dict[EdgeId, _Tally] = field(default_factory=dict)

    @property
    def unwritten_tally_count(self) -> int:
        return len(self.chunks) + len(self.edges)


class RecallRecorder:
    """Records what answers returned. One per process; requests do not wait for the database.

    Recording never raises. Recalls beyond the limits are dropped and counted; recalls that the database does
    not accept now are kept for the next write.
    """

    def __init__(
        self,
        database: Database,
        *,
        interval_seconds: float = WRITE_INTERVAL_SECONDS,
        max_tallies: int = MAX_TALLIES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._database = database
        self._interval_seconds = interval_seconds
        self._max_tallies = max_tallies
        self._clock = clock
        # Reentrant: the garbage collector may close an abandoned answer, which records it, during another
        # recording.
        self._lock = threading.RLock()
        self._flush_lock = threading.Lock()
        self._pending_recalls: dict[SpaceKey, _PendingRecalls] = {}
        self._tally_count = 0
        self._dropped_count = 0
        self._due_event = threading.Event()
        self._closed_event = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def dropped_count(self) -> int:
        """Return the number of recalls and queries lost since the start: no room, a deleted space, an
        error.
        """
        return self._dropped_count

    @property
    def unwritten_tally_count(self) -> int:
        """Return the number of chunks and edges with unwritten recalls."""
        return self._tally_count

    def record_returned_results(
        self, tenant_id: TenantId, space_id: SpaceId, returned_results: ReturnedResults
    ) -> None:
        """Record one query that was answered with these chunks and edges."""
        now = self._clock()
        with self._lock:
            pending_recalls = self._get_or_add_pending_recalls(tenant_id, space_id)
            if pending_recalls is None:
                self._dropped_count += (
                    1 + len(returned_results.score_by_chunk) + len(returned_results.score_by_edge)
                )
                return
            pending_recalls.query_count += 1
            for chunk_id, score in returned_results.score_by_chunk.items():
                self._add_to_tally(pending_recalls.chunks, chunk_id, _Tally(1, score, now))
            for edge_id, score in returned_results.score_by_edge.items():
                self._add_to_tally(pending_recalls.edges, edge_id, _Tally(1, score, now))
            if self._thread is None and not self._closed_event.is_set():
                self._thread = threading.Thread(target=self._write_forever, daemon=True, name="recalls")
                self._thread.start()
            is_half_full = self._tally_count * 2 >= self._max_tallies
        if is_half_full:
            self._due_event.set()

    def record_service_result(self, tenant_id: TenantId, space_id: SpaceId, result: object) -> None:
        """Record one query that was answered with this service result."""
        self.record_returned_results(tenant_id, space_id, list_recalls_of_service_result(result))

    def flush(self) -> bool:
        """Write the recalls, space by space; return False if the database did not accept all of them."""
        with self._flush_lock:
            with self._lock:
                batch, self._pending_recalls, self._tally_count = self._pending_recalls, {}, 0
            while batch:
                owner = next(iter(batch))
                try:
                    self._write_and_clear_recalls_of_space(owner, batch[owner])
                except NotFound:
                    self._count_as_dropped(batch[owner])
                except Exception as error:
                    if isinstance(error, DATABASE_ERRORS) and (is_busy(error) or is_unreachable(error)):
                        log.warning("recalls_not_written", spaces=len(batch), **describe_error(error))
                        self._requeue_unwritten_recalls(batch)
                        return False
                    # Dropped: otherwise it would fail again and block the others.
                    _, space_id = owner
                    log.error("recalls_refused", space=str(space_id), exc_info=True)
                    self._count_as_dropped(batch[owner])
                del batch[owner]
            return True

    def close(self) -> None:
        """Write the recalls once, and end the thread."""
        self._closed_event.set()
        self._due_event.set()
        if self._thread is not None:
            self._thread.join(timeout=CLOSING_SECONDS)
        self.flush()
        if self._dropped_count:
            log.warning("recalls_dropped", recalls=self._dropped_count)

    def _write_forever(self) -> None:
        while not self._closed_event.is_set():
            self._due_event.wait(self._interval_seconds)
            self._due_event.clear()
            if self._closed_event.is_set():
                return
            if not self.flush():
                # Wait before the next attempt, to avoid load on a failing database.
                self._closed_event.wait(self._interval_seconds)

    def _write_and_clear_recalls_of_space(self, owner: SpaceKey, pending_recalls: _PendingRecalls) -> None:
        now = self._clock()
        if pending_recalls.unwritten_tally_count:
            with self._database.open_space(*owner, by_index=True) as space:
                repository.add_chunk_recalls(space, _convert_tallies_to_recalls(pending_recalls.chunks, now))
                repository.add_edge_recalls(space, _convert_tallies_to_recalls(pending_recalls.edges, now))
            pending_recalls.chunks, pending_recalls.edges = {}, {}
        # In a transaction of its own: ingest also writes the day's counters, in transactions that lock chunks
        # and edges.
        with self._database.open_space(*owner) as space:
            tenants.add_to_daily_usage(space, space_id=space.space_id, queries=pending_recalls.query_count)

    def _get_or_add_pending_recalls(self, tenant_id: TenantId, space_id: SpaceId) -> _PendingRecalls | None:
        owner = (tenant_id, space_id)
        if owner not in self._pending_recalls and len(self._pending_recalls) >= MAX_SPACES:
            return None
        return self._pending_recalls.setdefault(owner, _PendingRecalls())

    def _add_to_tally(self, tallies: dict[Id, _Tally], recalled_id: Id, added_tally: _Tally) -> None:
        tally = tallies.get(recalled_id)
        if tally is not None:
            tally.count += added_tally.count
            tally.score_sum += added_tally.score_sum
            tally.last_recall_time = max(tally.last_recall_time, added_tally.last_recall_time)
        elif self._tally_count < self._max_tallies:
            tallies[recalled_id] = added_tally
            self._tally_count += 1
        else:
            self._dropped_count += added_tally.count

    def _requeue_unwritten_recalls(self, batch: Mapping[SpaceKey, _PendingRecalls]) -> None:
        with self._lock:
            for owner, unsaved_recalls in batch.items():
                pending_recalls = self._get_or_add_pending_recalls(*owner)
                if pending_recalls is None:
                    self._dropped_count += _count_lost_recalls(unsaved_recalls)
                    continue
                pending_recalls.query_count += unsaved_recalls.query_count
                for chunk_id, tally in unsaved_recalls.chunks.items():
                    self._add_to_tally(pending_recalls.chunks, chunk_id, tally)
                for edge_id, tally in unsaved_recalls.edges.items():
                    self._add_to_tally(pending_recalls.edges, edge_id, tally)

    def _count_as_dropped(self, pending_recalls: _PendingRecalls) -> None:
        with self._lock:
            self._dropped_count += _count_lost_recalls(pending_recalls)


def _count_lost_recalls(pending_recalls: _PendingRecalls) -> int:
    tallies = (*pending_recalls.chunks.values(), *pending_recalls.edges.values())
    return pending_recalls.query_count + sum(tally.count for tally in tallies)


def _convert_tallies_to_recalls(tallies: Mapping[Id, _Tally], now: float) -> dict[Id, Recalls]:
    return {
        recalled_id: Recalls(tally.count, tally.score_sum, max(0.0, now - tally.last_recall_time))
        for recalled_id, tally in tallies.items()
    }


def list_recalls_of_service_result(result: object) -> ReturnedResults:
    """Return the recalls of a service result for a caller; a neighborhood counts as a query only."""
    match result:
        case Explanation():
            return score_edges_and_chunks_of_explanation(result)
        case RetrievalResult():
            return list_recalls_of_retrieval(result)
        case RetrievedAnswer():
            return list_recalls_of_answer(result.retrieval, result.final_answer)
        case Neighborhood():
            return ReturnedResults()
    raise TypeError(f"Nobody says what a {type(result).__name__} recalls.")


def list_recalls_of_retrieval(retrieval: RetrievalResult) -> ReturnedResults:
    """Return passages and facts with their scores."""
    return ReturnedResults(
        {passage.chunk_id: _clamp_score(passage.score) for passage in retrieval.passages},
        {fact.edge.id: _clamp_score(fact.score) for fact in retrieval.facts},
    )


def score_edges_and_chunks_of_explanation(explanation: Explanation) -> ReturnedResults:
    """Return the explanation's edges with their confidence (only its paths have scores), and the chunks
    quoted by them.
    """
    score_by_chunk: dict[ChunkId, float] = {}
    for edge in explanation.edges:
        if edge.evidence is not None:
            chunk_id = edge.evidence.chunk_id
            score_by_chunk[chunk_id] = max(score_by_chunk.get(chunk_id, 0.0), _clamp_score(edge.confidence))
    for path in explanation.paths:
        if path.attribute is not None:
            score_by_chunk.setdefault(path.attribute.evidence.chunk_id, _clamp_score(path.score))
    return ReturnedResults(
        score_by_chunk, {edge.id: _clamp_score(edge.confidence) for edge in explanation.edges}
    )


def list_recalls_of_answer(retrieval: RetrievalResult, final_answer: FinalAnswer | None) -> ReturnedResults:
    """Return the recalls of an answer: its citations and the ended claims that it tells with the full score.

    For an answer without an end: the retrieved passages and facts.
    """
    recalls = list_recalls_of_retrieval(retrieval)
    if final_answer is None:
        return recalls
    score_by_cited_chunk = {citation.chunk_id: CITED_CHUNK_SCORE for citation in final_answer.citations}
    score_by_ended_fact = {
        ended_fact.edge_id: CITED_CHUNK_SCORE
        for ended_fact in final_answer.context.ended_quotes[:MAX_ENDED_CLAIMS]
        if ended_fact.edge_id is not None
    }
    return ReturnedResults(
        {**recalls.score_by_chunk, **score_by_cited_chunk}, {**recalls.score_by_edge, **score_by_ended_fact}
    )


def _clamp_score(score: float) -> float:
    return min(1.0, max(0.0, score))
