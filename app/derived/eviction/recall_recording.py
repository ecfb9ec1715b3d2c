"""Recalls recorded beside the requests: noted in memory, written every few seconds by a thread (requirement
12.1).

What a process noted and did not write dies with it: recalls are statistics. An end in good order writes them.

All chunks and edges that the caller of an answer was shown are recalled, with their score. A chunk is
recalled where it was returned: as a passage, cited, or quoted by an explanation. That a fact of the answer
rests on it is a recall of the fact alone: facts come thirty at a time, mostly with the highest score, and
would outweigh the passage that was asked for. A score past 1, which a fact's may be, counts as 1, so that
values can be compared.
"""

import threading
import time
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

import structlog

from app.answers.shapes import Answered, GivenAnswer
from app.db.errors import DATABASE_ERRORS, describe_error, is_busy, is_gone
from app.db.session import Database
from app.derived.eviction import repository
from app.derived.eviction.shapes import Recalls, Returned
from app.errors import NotFound
from app.graph.shapes import Explanation, Neighborhood
from app.ids import ChunkId, EdgeId, SpaceId, TenantId
from app.retrieval.shapes import Retrieved
from app.tenancy.tenants import service as tenants

log = structlog.get_logger(__name__)

SECONDS = 5.0
"""Between two writes."""
ENTRIES = 50_000
"""Chunks and edges whose recalls wait at most, about 15 MB; as many again while a write is under way."""
SPACES = 10_000
"""Spaces of which anything waits at most."""
CLOSING = 10.0
"""Seconds that the end of a process waits for a write that is under way."""

CITED = 1.0
"""Score of a chunk that an answer cites: it was not only found, it was of use."""

Owner = tuple[TenantId, SpaceId]
Id = TypeVar("Id", bound=Hashable)


@dataclass(slots=True)
class _Tally:
    """Recalls of one chunk or edge; `last` by the clock of this process."""

    count: int
    total: float
    last: float


@dataclass(slots=True)
class _Waiting:
    """The recalls of one space that wait to be written."""

    queries: int = 0
    chunks: dict[ChunkId, _Tally] = field(default_factory=dict)
    edges: dict[EdgeId, _Tally] = field(default_factory=dict)

    @property
    def count_entries(self) -> int:
        return len(self.chunks) + len(self.edges)


class Recorder:
    """Takes note of what answers returned. One per process; a request waits for no database.

    Noting never raises. What finds no room is dropped and counted; what the database does not take now is
    kept for the next time.
    """

    def __init__(
        self,
        database: Database,
        *,
        seconds: float = SECONDS,
        most: int = ENTRIES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._database = database
        self._seconds = seconds
        self._most = most
        self._clock = clock
        # Reentrant: an answer that was let go of may be closed, and so noted, by the collector in the middle
        # of a note.
        self._lock = threading.RLock()
        self._flushing = threading.Lock()
        self._waiting: dict[Owner, _Waiting] = {}
        self._entries = 0
        self._dropped = 0
        self._due = threading.Event()
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def dropped(self) -> int:
        """Recalls and queries that were lost since the start: no room, a space that is gone, a refusal."""
        return self._dropped

    @property
    def waiting(self) -> int:
        """Chunks and edges whose recalls wait to be written."""
        return self._entries

    def record_returned(self, tenant_id: TenantId, space_id: SpaceId, returned: Returned) -> None:
        """One query was answered with this."""
        now = self._clock()
        with self._lock:
            waiting = self._waiting_of_space(tenant_id, space_id)
            if waiting is None:
                self._dropped += 1 + len(returned.chunks) + len(returned.edges)
                return
            waiting.queries += 1
            for chunk, score in returned.chunks.items():
                self._add_to_tally(waiting.chunks, chunk, _Tally(1, score, now))
            for edge, score in returned.edges.items():
                self._add_to_tally(waiting.edges, edge, _Tally(1, score, now))
            if self._thread is None and not self._closed.is_set():
                self._thread = threading.Thread(target=self._write_forever, daemon=True, name="recalls")
                self._thread.start()
            full = self._entries * 2 >= self._most
        if full:
            self._due.set()

    def record_result(self, tenant_id: TenantId, space_id: SpaceId, result: object) -> None:
        """One query was answered with what a service found."""
        self.record_returned(tenant_id, space_id, recalls_of(result))

    def flush(self) -> bool:
        """Write what waits, space by space; False where the database did not take all of it now."""
        with self._flushing:
            with self._lock:
                batch, self._waiting, self._entries = self._waiting, {}, 0
            while batch:
                owner = next(iter(batch))
                try:
                    self._write(owner, batch[owner])
                except NotFound:
                    self._drop(batch[owner])
                except Exception as error:
                    if isinstance(error, DATABASE_ERRORS) and (is_busy(error) or is_gone(error)):
                        log.warning("recalls_not_written", spaces=len(batch), **describe_error(error))
                        self._requeue(batch)
                        return False
                    # Kept, it would be refused again and again, and the others behind it.
                    log.error("recalls_refused", space=str(owner[1]), exc_info=True)
                    self._drop(batch[owner])
                del batch[owner]
            return True

    def close(self) -> None:
        """Write what waits, once, and end the thread."""
        self._closed.set()
        self._due.set()
        if self._thread is not None:
            self._thread.join(timeout=CLOSING)
        self.flush()
        if self._dropped:
            log.warning("recalls_dropped", recalls=self._dropped)

    def _write_forever(self) -> None:
        while not self._closed.is_set():
            self._due.wait(self._seconds)
            self._due.clear()
            if self._closed.is_set():
                return
            if not self.flush():
                # Not at once again, however many ask for it: whoever is down is not helped by that.
                self._closed.wait(self._seconds)

    def _write(self, owner: Owner, waiting: _Waiting) -> None:
        now = self._clock()
        if waiting.count_entries:
            with self._database.open_space(*owner, by_index=True) as space:
                repository.record_chunks(space, _tallies_to_recalls(waiting.chunks, now))
                repository.record_edges(space, _tallies_to_recalls(waiting.edges, now))
            waiting.chunks, waiting.edges = {}, {}
        # By itself: the day's counters are written by ingest too, in transactions that hold chunks and edges.
        with self._database.open_space(*owner) as space:
            tenants.count_usage(space, space_id=space.space_id, queries=waiting.queries)

    def _waiting_of_space(self, tenant_id: TenantId, space_id: SpaceId) -> _Waiting | None:
        owner = (tenant_id, space_id)
        if owner not in self._waiting and len(self._waiting) >= SPACES:
            return None
        return self._waiting.setdefault(owner, _Waiting())

    def _add_to_tally(self, tallies: dict[Id, _Tally], id: Id, more: _Tally) -> None:
        tally = tallies.get(id)
        if tally is not None:
            tally.count += more.count
            tally.total += more.total
            tally.last = max(tally.last, more.last)
        elif self._entries < self._most:
            tallies[id] = more
            self._entries += 1
        else:
            self._dropped += more.count

    def _requeue(self, batch: Mapping[Owner, _Waiting]) -> None:
        with self._lock:
            for owner, before in batch.items():
                waiting = self._waiting_of_space(*owner)
                if waiting is None:
                    self._dropped += _count_lost(before)
                    continue
                waiting.queries += before.queries
                for chunk, tally in before.chunks.items():
                    self._add_to_tally(waiting.chunks, chunk, tally)
                for edge, tally in before.edges.items():
                    self._add_to_tally(waiting.edges, edge, tally)

    def _drop(self, waiting: _Waiting) -> None:
        with self._lock:
            self._dropped += _count_lost(waiting)


def _count_lost(waiting: _Waiting) -> int:
    tallies = (*waiting.chunks.values(), *waiting.edges.values())
    return waiting.queries + sum(tally.count for tally in tallies)


def _tallies_to_recalls(tallies: Mapping[Id, _Tally], now: float) -> dict[Id, Recalls]:
    return {
        id: Recalls(tally.count, tally.total, max(0.0, now - tally.last)) for id, tally in tallies.items()
    }


def recalls_of(result: object) -> Returned:
    """Return the recalls of what a service found for a caller; a neighborhood counts as a query alone."""
    match result:
        case Explanation():
            return recalls_of_explanation(result)
        case Retrieved():
            return recalls_of_retrieved(result)
        case GivenAnswer():
            return recalls_of_answer(result.retrieved, result.answered)
        case Neighborhood():
            return Returned()
    raise TypeError(f"Nobody says what a {type(result).__name__} recalls.")


def recalls_of_retrieved(retrieved: Retrieved) -> Returned:
    """Passages and facts by their scores."""
    return Returned(
        {passage.chunk_id: _clamp_score(passage.score) for passage in retrieved.passages},
        {fact.edge.id: _clamp_score(fact.score) for fact in retrieved.facts},
    )


def recalls_of_explanation(explanation: Explanation) -> Returned:
    """Its edges by their confidence, for it scores paths only, and the chunks that these are quoted from."""
    chunks: dict[ChunkId, float] = {}
    for edge in explanation.edges:
        if edge.evidence is not None:
            chunk = edge.evidence.chunk_id
            chunks[chunk] = max(chunks.get(chunk, 0.0), _clamp_score(edge.confidence))
    for path in explanation.paths:
        if path.attribute is not None:
            chunks.setdefault(path.attribute.evidence.chunk_id, _clamp_score(path.score))
    return Returned(chunks, {edge.id: _clamp_score(edge.confidence) for edge in explanation.edges})


def recalls_of_answer(retrieved: Retrieved, answered: Answered | None) -> Returned:
    """Return the recalls of an answer: what it cites at full score, and claims that it says have ended.

    Without an end, what was found.
    """
    returned = recalls_of_retrieved(retrieved)
    if answered is None:
        return returned
    cited = {citation.chunk_id: CITED for citation in answered.citations}
    ended = {
        ended_fact.edge_id: CITED for ended_fact in answered.context.ended if ended_fact.edge_id is not None
    }
    return Returned({**returned.chunks, **cited}, {**returned.edges, **ended})


def _clamp_score(score: float) -> float:
    return min(1.0, max(0.0, score))
