"""The answer cache and the ledger in the space's tables, and the tenant's usage counters."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from typing import Self
from uuid import UUID

import structlog

from app.db.database import Database
from app.db.session import SpaceSession
from app.ids import JobId, ReservationId, SpaceId, TenantId, create_id
from app.jobs import queue
from app.jobs.shapes import Lease
from app.llm.call_records import NO_CHUNKS_BY_ANSWER_KEY, Answer, AnswerLease, CallRecord, ChunksByAnswerKey
from app.llm.errors import PriceUnknown
from app.llm.model_calls import service as llm
from app.observability.counters import (
    ANSWERS_LOOKED_UP,
    MODEL_CALLS,
    MODEL_COST,
    MODEL_SECONDS,
    MODEL_TOKENS,
)
from app.tenancy.tenants import budgets
from app.tenancy.tenants import service as tenants

log = structlog.get_logger(__name__)

LEASE_SECONDS, RENEWAL_SECONDS = 10.0, 3.0
"""How long the answers that a killed process asked for stay leased, and how often a living one renews."""


class DatabaseAnswerStore:
    """Stores the answers and costs of one job's calls, in short transactions.

    Raises NotFound if the space is gone.
    """

    def __init__(
        self, database: Database, *, tenant_id: TenantId, space_id: SpaceId, job_id: JobId | None = None
    ) -> None:
        self._database = database
        self._tenant_id = tenant_id
        self._space_id = space_id
        self._job_id = job_id
        # Models without a price that may be called because there is no budget; looked up once per job.
        self._models_without_budget: set[str] = set()
        self._is_cost_behind = False
        # The space's count of erasures when the job first looked up answers.
        self._erasure_count: int | None = None

    @classmethod
    def for_job(cls, database: Database, lease: Lease) -> Self:
        """Return the store of the job that has this lease."""
        return cls(database, tenant_id=lease.tenant_id, space_id=lease.space_id, job_id=lease.job_id)

    @contextmanager
    def find_answers_or_lease_keys(
        self,
        keys: Sequence[str],
        *,
        purpose: str,
        model: str,
        sources: ChunksByAnswerKey = NO_CHUNKS_BY_ANSWER_KEY,
        has_waited: bool = False,
        shared_seconds: float = LEASE_SECONDS,
    ) -> Iterator[AnswerLease]:
        """Return the stored answers of these keys, and lease the others until the end of the block.

        Who `has_waited` for another holder also gets the answers that one passed on, which are not stored:
        they remain with their leases for `shared_seconds`.
        The lease holds for all processes. It is renewed while the block runs, so that it outlives a slow
        model, but not a killed process. If there are answers, add one cached row with this purpose and model
        to the ledger, and link the answers to their `sources`.
        """
        holder_id = create_id()
        with self._database.open_space(self._tenant_id, self._space_id) as space:
            if self._erasure_count is None:
                self._erasure_count = space.opening_state.erasures
            lease = llm.find_or_lease_answers(
                space, keys, holder=holder_id, lease_seconds=LEASE_SECONDS, has_waited=has_waited
            )
            llm.link_answers_to_chunks(space, {key: sources[key] for key in lease.answers if key in sources})
            if lease.answers:
                llm.store_answers_and_call_records(
                    space, {}, [CallRecord(purpose, model, cached=True)], job_id=self._job_id
                )
        counters = self._database.counters
        counters.add(ANSWERS_LOOKED_UP, "hit", amount=len(lease.answers))
        counters.add(ANSWERS_LOOKED_UP, "miss", amount=len(lease.keys))
        if not lease.keys:
            yield lease
            return
        lease_ended_event = threading.Event()
        renewal_thread = threading.Thread(
            target=self._renew_leases_until,
            args=(lease_ended_event, holder_id),
            name="answer-lease",
            daemon=True,
        )
        renewal_thread.start()
        try:
            yield lease
        finally:
            lease_ended_event.set()
            renewal_thread.join()
            with self._database.open_space(self._tenant_id, self._space_id) as space:
                # What was asked for before an erasure may contain what was erased.
                if lease.shared_answers and self._erasure_count == space.opening_state.erasures:
                    llm.share_unstored_answers(
                        space, lease.shared_answers, holder=holder_id, lease_seconds=shared_seconds
                    )
                llm.release_own_and_expired_leases(space, holder=holder_id)

    def _renew_leases_until(self, ended_event: threading.Event, holder: UUID) -> None:
        """Renew the holder's leases until the event; a failure costs at most a call that is paid twice."""
        while not ended_event.wait(RENEWAL_SECONDS):
            try:
                with self._database.open_space(self._tenant_id, self._space_id) as space:
                    llm.renew_leases(space, holder=holder, lease_seconds=LEASE_SECONDS)
            except Exception as error:
                log.warning("answer_lease_not_renewed", error=str(error))

    def require_money_and_tokens_left(self, *, unpriced_model: str | None = None) -> None:
        """Raise BudgetExhausted or TokensExhausted if nothing is left to spend.

        `unpriced_model` names a model of unknown price: if there is a budget, raise PriceUnknown.
        """
        with self._database.open_space(self._tenant_id, self._space_id) as space:
            remaining_budget = budgets.read_remaining_month_budget_usd(space)
            budgets.read_token_use_and_require_tokens_left(space)
        if remaining_budget is not None and unpriced_model is not None:
            raise PriceUnknown(unpriced_model)
        if remaining_budget is not None and remaining_budget <= 0:
            raise budgets.build_budget_exhausted_error()

    def reserve_cost(
        self, cost_usd: Decimal, *, tokens: int, seconds: float, unpriced_model: str | None = None
    ) -> ReservationId | None:
        """Reserve the maximum cost of a call, visible to all processes of the tenant.

        Returns None if there is no limit. Raises BudgetExhausted or TokensExhausted if less is left.
        `unpriced_model` names a model of unknown price: if there is a budget, raises PriceUnknown.
        """
        if unpriced_model is not None and unpriced_model not in self._models_without_budget:
            self.require_money_and_tokens_left(unpriced_model=unpriced_model)
            self._models_without_budget.add(unpriced_model)
        with self._database.open_space(self._tenant_id, self._space_id) as space:
            return budgets.reserve_budget(
                space, self._job_id, cost_usd=cost_usd, tokens=tokens, lifetime_seconds=seconds
            )

    def store_answers_and_release_reservation(
        self,
        answers: Mapping[str, Answer],
        calls: Sequence[CallRecord],
        *,
        reservation_id: ReservationId | None = None,
        sources: ChunksByAnswerKey = NO_CHUNKS_BY_ANSWER_KEY,
    ) -> None:
        """Store answers, ledger rows and the tenant's usage, and release the reservation, in one transaction.

        Answers whose chunks are all gone are not stored. After an erasure from the space, neither are answers
        without chunks, since they may contain what was erased.
        """
        if not answers and not calls and reservation_id is None:
            return
        with self._database.open_space(self._tenant_id, self._space_id) as space:
            if reservation_id is not None:
                budgets.release_reservation(space, reservation_id)
            if self._erasure_count not in (None, space.opening_state.erasures):
                answers = {key: answer for key, answer in answers.items() if key in sources}
            llm.store_answers_and_call_records(space, answers, calls, job_id=self._job_id, sources=sources)
            paid_calls = [call for call in calls if not call.cached]
            if paid_calls:
                self._add_cost_to_job(space, paid_calls)
                tenants.add_to_daily_usage(
                    space,
                    space_id=self._space_id,
                    model_calls=len(paid_calls),
                    prompt_tokens=sum(call.prompt_tokens for call in paid_calls),
                    completion_tokens=sum(call.completion_tokens for call in paid_calls),
                    cost_usd=float(sum(call.cost_usd for call in paid_calls)),
                )
        self._count_calls_in_metrics(paid_calls)

    def reconcile_cost_counters_of_job(self) -> None:
        """Set the job's cost counters from the ledger, if a call found them locked by a step of the job."""
        if self._job_id is None or not self._is_cost_behind:
            return
        self._is_cost_behind = False
        with self._database.open_space(self._tenant_id, self._space_id) as space:
            queue.lock_job_row(space, self._job_id)
            job_totals = llm.sum_job_cost(space, self._job_id)
            queue.set_cost_of_job(
                space,
                self._job_id,
                prompt_tokens=job_totals.prompt_tokens,
                completion_tokens=job_totals.completion_tokens,
                cost_usd=job_totals.cost_usd,
            )

    def _count_calls_in_metrics(self, paid_calls: Sequence[CallRecord]) -> None:
        counters = self._database.counters
        for call in paid_calls:
            counters.add(MODEL_CALLS, call.purpose, call.model, call.outcome)
            counters.add(MODEL_SECONDS, call.purpose, amount=call.latency_ms / 1000)
            counters.add(MODEL_TOKENS, call.model, "sent", amount=call.prompt_tokens)
            counters.add(MODEL_TOKENS, call.model, "received", amount=call.completion_tokens)
            counters.add(MODEL_COST, call.model, amount=float(call.cost_usd))

    def _add_cost_to_job(self, space: SpaceSession, paid_calls: Sequence[CallRecord]) -> None:
        if self._job_id is None:
            return
        cost_added = queue.try_to_add_cost_to_job(
            space,
            self._job_id,
            prompt_tokens=sum(call.prompt_tokens for call in paid_calls),
            completion_tokens=sum(call.completion_tokens for call in paid_calls),
            cost_usd=sum((call.cost_usd for call in paid_calls), Decimal(0)),
        )
        if not cost_added:
            self._is_cost_behind = True


class UnlimitedAnswerStore(DatabaseAnswerStore):
    """Counts costs but reserves nothing, for questions, whose vectors cost next to nothing.

    They are answered even if the budget is used up.
    """

    def reserve_cost(
        self,
        cost_usd: Decimal,  # noqa: ARG002
        *,
        tokens: int,  # noqa: ARG002
        seconds: float,  # noqa: ARG002
        unpriced_model: str | None = None,  # noqa: ARG002
    ) -> ReservationId | None:
        """Return None: nothing is reserved."""
        return None
