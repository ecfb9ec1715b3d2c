"""Monthly limits of a tenant for models: a budget in US dollars, and tokens, counted from its spaces'
usage.
"""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from uuid import UUID

from app.db.models import Tenant
from app.db.session import PlatformSession, SpaceSession, TenantSession
from app.errors import InvalidInput
from app.ids import JobId, ReservationId, TenantId, create_id
from app.jobs import queue
from app.llm.errors import BudgetExhausted, TokensExhausted
from app.tenancy.audit import service as audit
from app.tenancy.tenants import repository
from app.tenancy.tenants.repository import (
    delete_expired_reservations,
    read_month_token_allowance,
    read_remaining_month_budget_usd,
    release_reservation,
)
from app.tenancy.tenants.service import get_tenant
from app.tenancy.tenants.shapes import TokenAllowance

__all__ = [
    "delete_expired_reservations",
    "read_month_token_allowance",
    "read_remaining_month_budget_usd",
    "release_reservation",
]

MAX_WAIT, IN_FLIGHT_WAIT, BUDGET_WAIT = 3_600.0, 10.0, 60.0
"""Seconds until the next attempt: at most, until the month ends; while calls in progress reserve the
remaining tokens; and while they may reserve part of a budget. Raising a limit wakes the jobs that wait for
it.
"""


def read_token_use_and_require_tokens_left(session: SpaceSession | TenantSession) -> TokenAllowance:
    """Return this month's token use. Raises TokensExhausted if nothing is left."""
    token_use = read_month_token_allowance(session)
    if token_use.limit is not None and token_use.used >= token_use.limit:
        raise build_tokens_exhausted_error(token_use.used, 0, None, token_use.limit)
    return token_use


def build_tokens_exhausted_error(
    used_tokens: int, tokens_in_flight: int, requested_tokens: int | None, limit: int
) -> TokensExhausted:
    """Return the error for `requested_tokens` that exceed the limit, with the time after which to retry.

    `requested_tokens` None means that nothing is left, whatever the next call needs.
    """
    wait_seconds = min(MAX_WAIT, compute_seconds_to_next_month(datetime.now(UTC)))
    if used_tokens + (requested_tokens or 1) <= limit:
        wait_seconds = IN_FLIGHT_WAIT
    return TokensExhausted(
        used_tokens=used_tokens + tokens_in_flight,
        requested_tokens=requested_tokens,
        limit=limit,
        retry_after=wait_seconds,
    )


def build_budget_exhausted_error() -> BudgetExhausted:
    """Return the error for a call that exceeds the budget, with the time after which to retry."""
    return BudgetExhausted(retry_after=min(BUDGET_WAIT, compute_seconds_to_next_month(datetime.now(UTC))))


def compute_seconds_to_next_month(now: datetime) -> float:
    """Return the seconds until the month of `now` ends, at least one."""
    month_start = now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    next_month_start = (month_start + timedelta(days=32)).replace(day=1)
    return max(1.0, (next_month_start - now).total_seconds())


def reserve_budget(
    space: SpaceSession, job_id: JobId | None, *, cost_usd: Decimal, tokens: int, lifetime_seconds: float
) -> ReservationId | None:
    """Reserve the maximum cost of a call; return None if there is neither a budget nor a token limit.

    Raises BudgetExhausted or TokensExhausted if the remainder is too small. Reservations of a tenant are
    serialized across processes, so that together they stay within the budget. A reservation that is not
    released counts for `lifetime_seconds`, or as long as the job has a lease.
    """
    reservation_id = ReservationId(create_id())
    reservation = repository.reserve_budget(
        space, reservation_id, job_id, cost_usd=cost_usd, tokens=tokens, lifetime_seconds=lifetime_seconds
    )
    if reservation.is_affordable is False:
        raise build_budget_exhausted_error()
    if reservation.token_limit is not None and not reservation.is_reserved:
        raise build_tokens_exhausted_error(
            reservation.used_tokens, reservation.tokens_in_flight, tokens, reservation.token_limit
        )
    return reservation_id if reservation.is_reserved else None


def set_budget_and_unpark_jobs(
    platform: PlatformSession, name_or_id: str | UUID, budget_usd: float | None, *, actor: str
) -> Tenant:
    """Set a tenant's monthly budget for model calls, or remove it with None; jobs that waited for it
    continue.

    Raises NotFound, InvalidInput.
    """
    if budget_usd is not None and not 0 <= budget_usd < 1e12:
        raise InvalidInput("A budget is a number of US dollars, 0 or more.", code="bad_budget")
    tenant = get_tenant(platform, name_or_id)
    repository.set_budget(platform, tenant, budget_usd)
    queue.unpark_jobs_of_tenant_and_count(platform, TenantId(tenant.id), code=BudgetExhausted.code)
    audit.record_platform_action(
        platform,
        "tenant.budget",
        actor=actor,
        tenant_id=TenantId(tenant.id),
        target=tenant.id,
        details={"budget_usd": budget_usd},
    )
    return tenant
