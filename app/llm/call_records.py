"""The port for storing answers, so that none is paid for twice, and records of the calls made."""

import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Protocol

from app.ids import ChunkId, ReservationId

Answer = Mapping[str, Any]
"""One validated answer, consisting of JSON values."""
ChunksByAnswerKey = Mapping[str, Collection[ChunkId]]
"""The chunks that each answer, by its key, is about; the answer is deleted with the last of them."""
NO_CHUNKS_BY_ANSWER_KEY: ChunksByAnswerKey = {}


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One request to a model, or one lookup that avoided some: a row of the ledger.

    `outcome` is ok, malformed, rate_limited, server_error, timeout, connection, refused or interrupted.
    `latency_ms` is the wall time of this attempt; waiting between attempts is not included. `passage_tokens`
    is how much text it asked about, as this program counts it; None if about no passages.
    """

    purpose: str
    model: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: Decimal = Decimal(0)
    latency_ms: int = 0
    outcome: str = "ok"
    cached: bool = False
    passage_tokens: int | None = None


class Meter(Protocol):
    """The budget that pays for calls. Called from several threads, never inside a transaction."""

    def reserve_cost(
        self, cost_usd: Decimal, *, tokens: int, seconds: float, unpriced_model: str | None = None
    ) -> ReservationId | None:
        """Reserve the maximum cost of a call, at most for `seconds`, until
        `store_answers_and_release_reservation` releases it.

        Returns None if there is no limit. `unpriced_model` names a model of unknown price. Raises
        BudgetExhausted, TokensExhausted, PriceUnknown.
        """
        ...

    def store_answers_and_release_reservation(
        self,
        answers: Mapping[str, Answer],
        calls: Sequence[CallRecord],
        *,
        reservation_id: ReservationId | None = None,
        sources: ChunksByAnswerKey = NO_CHUNKS_BY_ANSWER_KEY,
    ) -> None:
        """Commit validated answers and their cost before they are used (rule J6 of docs/reliability.md)."""
        ...


@dataclass(frozen=True, slots=True)
class AnswerLease:
    """Stored `answers` by key, and the `keys` that only the holder of the lease asks about.

    Keys that were asked for and are in neither are being asked about by another holder. The holder puts into
    `shared_answers` answers that are not stored: who waits for them gets them all the same.
    """

    answers: Mapping[str, Answer]
    keys: Sequence[str]
    shared_answers: dict[str, Answer] = field(default_factory=dict)


class AnswerStore(Meter, Protocol):
    """The store of answers and of records of calls."""

    def find_answers_or_lease_keys(
        self,
        keys: Sequence[str],
        *,
        purpose: str,
        model: str,
        sources: ChunksByAnswerKey = NO_CHUNKS_BY_ANSWER_KEY,
    ) -> AbstractContextManager[AnswerLease]:
        """Return the stored answers of these keys, and lease the others until the end of the block.

        If there are answers, add one cached row to the ledger.
        """
        ...

    def reconcile_cost_counters_of_job(self) -> None:
        """Bring cost counters up to date that `remember` could not update; called after a group of calls."""
        ...


@dataclass
class InProcessAnswerStore:
    """Stores everything in this process, for tests and for calls that must leave nothing behind."""

    answers: dict[str, Answer] = field(default_factory=dict)
    calls: list[CallRecord] = field(default_factory=list)
    _leased_keys: set[str] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def find_answers_or_lease_keys(
        self,
        keys: Sequence[str],
        *,
        purpose: str,
        model: str,
        sources: ChunksByAnswerKey = NO_CHUNKS_BY_ANSWER_KEY,  # noqa: ARG002
    ) -> Iterator[AnswerLease]:
        """Return the stored answers of these keys, and lease the others until the end of the block."""
        with self._lock:
            answers = {key: self.answers[key] for key in keys if key in self.answers}
            leased_keys = [key for key in keys if key not in answers and key not in self._leased_keys]
            self._leased_keys.update(leased_keys)
            if answers:
                self.calls.append(CallRecord(purpose, model, cached=True))
        try:
            yield AnswerLease(answers, leased_keys)
        finally:
            with self._lock:
                self._leased_keys.difference_update(leased_keys)

    def reserve_cost(
        self,
        cost_usd: Decimal,  # noqa: ARG002
        *,
        tokens: int,  # noqa: ARG002
        seconds: float,  # noqa: ARG002
        unpriced_model: str | None = None,  # noqa: ARG002
    ) -> ReservationId | None:
        """Return None: there is no limit."""
        return None

    def store_answers_and_release_reservation(
        self,
        answers: Mapping[str, Answer],
        calls: Sequence[CallRecord],
        *,
        reservation_id: ReservationId | None = None,  # noqa: ARG002
        sources: ChunksByAnswerKey = NO_CHUNKS_BY_ANSWER_KEY,  # noqa: ARG002
    ) -> None:
        """Store the answers and records."""
        with self._lock:
            self.answers.update(answers)
            self.calls.extend(calls)

    def reconcile_cost_counters_of_job(self) -> None:
        """Do nothing: `store_answers_and_release_reservation` always updates everything."""
