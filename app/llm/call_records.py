"""The answers that are never paid twice, and the record of what was paid: the port to where they are kept."""

import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Protocol

from app.ids import ChunkId, ReservationId

Answer = Mapping[str, Any]
"""One validated answer, JSON all through."""
AnsweredChunks = Mapping[str, Collection[ChunkId]]
"""By key of an answer the chunks that were asked about: when the last of them goes, so does the answer."""
NO_ANSWERED_CHUNKS: AnsweredChunks = {}


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One request to a model, or one look-up that saved some: a row of the ledger.

    `outcome`: ok, malformed, rate_limited, server_error, timeout, connection or refused.
    `latency_ms` is the wall time of this one attempt; waiting between attempts is in none.
    """

    purpose: str
    model: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: Decimal = Decimal(0)
    latency_ms: int = 0
    outcome: str = "ok"
    cached: bool = False


class Meter(Protocol):
    """The budget that calls are paid from. Called from several threads; never with a transaction open."""

    def reserve(
        self, cost_usd: Decimal, *, tokens: int, seconds: float, unpriced: str | None = None
    ) -> ReservationId | None:
        """Set aside what a call will take at most, until `remember` is told of it, `seconds` at the longest.

        None where there is no limit. `unpriced` names a model of unknown price. Raises BudgetExhausted,
        TokensExhausted, PriceUnknown.
        """
        ...

    def remember(
        self,
        answers: Mapping[str, Answer],
        calls: Sequence[CallRecord],
        *,
        reserved: ReservationId | None = None,
        sources: AnsweredChunks = NO_ANSWERED_CHUNKS,
    ) -> None:
        """Commit validated answers and what they cost, before anybody uses them (rule J6)."""
        ...


class Answers(Meter, Protocol):
    """Where answers and records go."""

    def get_many(
        self, keys: Sequence[str], *, purpose: str, model: str, sources: AnsweredChunks = NO_ANSWERED_CHUNKS
    ) -> dict[str, Answer]:
        """The answers there are already; where there are any, the ledger gets one cached row."""
        ...

    def reconcile_cost(self) -> None:
        """Make good what `remember` could only note in the ledger; called when some calls are through."""
        ...


@dataclass
class InProcessAnswers:
    """Keeps everything in this process: for tests, and for a run that nothing is to remain of."""

    answers: dict[str, Answer] = field(default_factory=dict)
    calls: list[CallRecord] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def get_many(
        self,
        keys: Sequence[str],
        *,
        purpose: str,
        model: str,
        sources: AnsweredChunks = NO_ANSWERED_CHUNKS,  # noqa: ARG002
    ) -> dict[str, Answer]:
        """The answers there are already."""
        with self._lock:
            answers = {key: self.answers[key] for key in keys if key in self.answers}
            if answers:
                self.calls.append(CallRecord(purpose, model, cached=True))
            return answers

    def reserve(
        self,
        cost_usd: Decimal,  # noqa: ARG002
        *,
        tokens: int,  # noqa: ARG002
        seconds: float,  # noqa: ARG002
        unpriced: str | None = None,  # noqa: ARG002
    ) -> ReservationId | None:
        """Nothing to reserve from."""
        return None

    def remember(
        self,
        answers: Mapping[str, Answer],
        calls: Sequence[CallRecord],
        *,
        reserved: ReservationId | None = None,  # noqa: ARG002
        sources: AnsweredChunks = NO_ANSWERED_CHUNKS,  # noqa: ARG002
    ) -> None:
        """Keep them."""
        with self._lock:
            self.answers.update(answers)
            self.calls.extend(calls)

    def reconcile_cost(self) -> None:
        """Nothing is ever left over."""
