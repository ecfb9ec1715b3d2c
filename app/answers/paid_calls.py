"""The model calls of one answer: budget, stored answers of the space, and the calls that were paid."""

import hashlib
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal

from app.db.database import Database
from app.errors import CitegraphError
from app.ids import ReservationId, SpaceId, TenantId
from app.llm.call_records import NO_CHUNKS_BY_ANSWER_KEY, Answer, AnswerLease, CallRecord, ChunksByAnswerKey
from app.llm.client import ModelClient
from app.llm.errors import BudgetExhausted, ModelUnavailable, Parked, TokensExhausted, TokensRefused
from app.llm.model_calls.asker import FIRST_PAUSE, MAX_PAUSE
from app.llm.model_calls.ledger import LEASE_SECONDS, DatabaseAnswerStore
from app.tenancy.tenants import budgets

EXPECTED_ANSWER_TOKENS = 500
"""Tokens of an answer for which budget is reserved before the call."""
REPEAT_SECONDS = 600.0
"""How long a repeated request gets the text that a model wrote for it, unless something is erased."""


class PaidCalls(DatabaseAnswerStore):
    """The stored answers and the ledger of the space; `call_records` has the calls of this question.

    If the tenant does not have enough tokens left this month, TokensRefused is raised, since a question
    cannot be parked.
    """

    def __init__(self, database: Database, *, tenant_id: TenantId, space_id: SpaceId) -> None:
        super().__init__(database, tenant_id=tenant_id, space_id=space_id)
        self.call_records: list[CallRecord] = []

    def require_tokens_left(self) -> None:
        """Raise TokensRefused if the tenant has no tokens left in this month."""
        try:
            with self._database.open_space(self._tenant_id, self._space_id) as space:
                budgets.read_token_use_and_require_tokens_left(space)
        except TokensExhausted as error:
            raise TokensRefused(error) from error

    def require_money_and_tokens_left(self, *, unpriced_model: str | None = None) -> None:
        """Raise BudgetExhausted or TokensRefused if nothing is left to spend, or PriceUnknown."""
        try:
            super().require_money_and_tokens_left(unpriced_model=unpriced_model)
        except TokensExhausted as error:
            raise TokensRefused(error) from error

    def reserve_cost(
        self, cost_usd: Decimal, *, tokens: int, seconds: float, unpriced_model: str | None = None
    ) -> ReservationId | None:
        """Reserve the maximum cost of a call. Raises BudgetExhausted, TokensRefused, PriceUnknown."""
        try:
            return super().reserve_cost(
                cost_usd, tokens=tokens, seconds=seconds, unpriced_model=unpriced_model
            )
        except TokensExhausted as error:
            raise TokensRefused(error) from error

    def reserve_cost_of_answer(self, client: ModelClient, prompt_tokens: int) -> ReservationId | None:
        """Reserve the cost of an answer to a prompt of this length. Raises the errors of `reserve_cost`."""
        cost = client.compute_cost_usd(prompt_tokens, EXPECTED_ANSWER_TOKENS)
        return self.reserve_cost(
            cost, tokens=prompt_tokens + EXPECTED_ANSWER_TOKENS, seconds=client.longest_call_seconds
        )

    @contextmanager
    def lease_answer_or_wait(
        self, key: str, *, purpose: str, model: str, seconds: float, request_key: str | None = None
    ) -> Iterator[AnswerLease]:
        """Lease the text with this key, or wait for whoever writes it, at most for so many seconds.

        The lease has the text if another process wrote it during the wait, or if it was written for a request
        with this `request_key` in the last `REPEAT_SECONDS`. After the wait it may have neither: then the
        caller asks without a lease.
        """
        if request_key is None:
            with self._lease_text_or_wait(key, purpose=purpose, model=model, seconds=seconds) as lease:
                yield lease
            return
        key_of_request = hashlib.sha256(f"{key} {request_key}".encode()).hexdigest()
        with self._lease_text_or_wait(
            key_of_request, purpose=purpose, model=model, seconds=seconds, is_kept_for_repetitions=True
        ) as request_lease:
            if key_of_request in request_lease.answers:
                yield AnswerLease({key: request_lease.answers[key_of_request]}, [])
                return
            with self._lease_text_or_wait(key, purpose=purpose, model=model, seconds=seconds) as lease:
                yield lease
            text = {**lease.answers, **lease.shared_answers}.get(key)
            if text is not None and request_lease.keys:
                request_lease.shared_answers[key_of_request] = text

    @contextmanager
    def _lease_text_or_wait(
        self, key: str, *, purpose: str, model: str, seconds: float, is_kept_for_repetitions: bool = False
    ) -> Iterator[AnswerLease]:
        """Lease the text with this key, or wait for it. If it `is_kept_for_repetitions`, it remains for
        `REPEAT_SECONDS`, and is found without a wait.
        """
        deadline, wait_seconds = time.monotonic() + seconds, FIRST_PAUSE
        has_waited = is_kept_for_repetitions
        while True:
            with self.find_answers_or_lease_keys(
                [key],
                purpose=purpose,
                model=model,
                has_waited=has_waited,
                shared_seconds=REPEAT_SECONDS if is_kept_for_repetitions else LEASE_SECONDS,
            ) as lease:
                if lease.answers or lease.keys or time.monotonic() >= deadline:
                    yield lease
                    return
            time.sleep(wait_seconds)
            wait_seconds, has_waited = min(2 * wait_seconds, MAX_PAUSE), True

    def store_answers_and_release_reservation(
        self,
        answers: Mapping[str, Answer],
        calls: Sequence[CallRecord],
        *,
        reservation_id: ReservationId | None = None,
        sources: ChunksByAnswerKey = NO_CHUNKS_BY_ANSWER_KEY,
    ) -> None:
        """Store the answers, record the calls, and release the reservation."""
        super().store_answers_and_release_reservation(
            answers, calls, reservation_id=reservation_id, sources=sources
        )
        self.call_records.extend(calls)


def explain_model_failure(error: CitegraphError) -> str:
    """Return a sentence for people that says why no model was used."""
    if isinstance(error, BudgetExhausted):
        return "The month's budget for models is used up."
    if isinstance(error, Parked | ModelUnavailable):
        return "The model cannot be reached."
    return error.message
