"""Budgets of a tenant for models in a month: US dollars, and tokens, which are counted from the
usage of its spaces.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from uuid import UUID

from app.db.models import Tenant
from app.db.session import PlatformSession, SpaceSession, TenantSession
from app.errors import InvalidInput
from app.ids import JobId, ReservationId, TenantId, new_id
from app.jobs import queue
from app.llm.errors import BudgetExhausted, TokensExhausted
from app.tenancy.audit import service as audit
from app.tenancy.tenants import repository
from app.tenancy.tenants.repository import (
    delete_expired_reservations,
    release_reservation,
    remaining_month_budget,
)
from app.tenancy.tenants.service import get_tenant

__all__ = ["delete_expired_reservations", "release_reservation", "remaining_month_budget"]

LONGEST_WAIT, IN_FLIGHT_WAIT, BUDGET_WAIT = 3_600.0, 10.0, 60.0
"""Seconds after which to ask again: until a month ends at most, while calls under way hold the rest of the
tokens, and while they may hold some of a budget. What raises a limit wakes the jobs that wait for it.
"""


@dataclass(frozen=True)
class TokenUse:
    """Tokens used in this month (UTC), and how many may be; None without a limit."""

    used: int
    limit: int | None


def month_token_use(session: SpaceSession | TenantSession) -> TokenUse:
    """Return what the session's tenant used in this month; calls under way count when they have ended."""
    return TokenUse(*repository.month_token_use(session))


def check_tokens_left(session: SpaceSession | TenantSession) -> TokenUse:
    """Return the same. Raises TokensExhausted where nothing is left."""
    use = month_token_use(session)
    if use.limit is not None and use.used >= use.limit:
        raise tokens_exhausted_error(use.used, 0, 1, use.limit)
    return use


def tokens_exhausted_error(used: int, in_flight: int, more: int, limit: int) -> TokensExhausted:
    """The error that so many more would be too many, with the time at which that may be different."""
    if used + more <= limit:
        return TokensExhausted(used=used + in_flight, limit=limit, retry_after=IN_FLIGHT_WAIT)
    wait = min(LONGEST_WAIT, seconds_to_next_month(datetime.now(UTC)))
    return TokensExhausted(used=used + in_flight, limit=limit, retry_after=wait)


def budget_exhausted_error() -> BudgetExhausted:
    """The error that the budget does not hold a call, with the time at which that may be different."""
    return BudgetExhausted(retry_after=min(BUDGET_WAIT, seconds_to_next_month(datetime.now(UTC))))


def seconds_to_next_month(now: datetime) -> float:
    """Seconds until the month of that moment has ended, one at least."""
    first = now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    following = (first + timedelta(days=32)).replace(day=1)
    return max(1.0, (following - now).total_seconds())


def reserve_budget(
    space: SpaceSession, job_id: JobId | None, *, cost_usd: Decimal, tokens: int, seconds: float
) -> ReservationId | None:
    """Set aside what a call will take at most; None where there is neither a budget nor a limit of tokens.

    Raises BudgetExhausted or TokensExhausted where the rest does not hold it.

    All processes of the tenant reserve one after another, so that together they stay within the budget. What
    is not released counts for `seconds`, or as long as the job has a lease.
    """
    reservation = ReservationId(new_id())
    affordable, limit, used, in_flight, is_reserved = repository.reserve_budget(
        space, reservation, job_id, cost_usd=cost_usd, tokens=tokens, seconds=seconds
    )
    if affordable is False:
        raise budget_exhausted_error()
    if limit is not None and not is_reserved:
        raise tokens_exhausted_error(used, in_flight, tokens, limit)
    return reservation if is_reserved else None


def set_budget(
    platform: PlatformSession, name_or_id: str | UUID, budget_usd: float | None, *, actor: str
) -> Tenant:
    """The tenant with a monthly budget for model calls, or with none; jobs that waited for it go on.

    Raises NotFound, InvalidInput.
    """
    if budget_usd is not None and not 0 <= budget_usd < 1e12:
        raise InvalidInput("A budget is a number of US dollars, 0 or more.", code="bad_budget")
    tenant = get_tenant(platform, name_or_id)
    repository.set_budget(platform, tenant, budget_usd)
    queue.unpark_jobs_of_tenant(platform, TenantId(tenant.id), code=BudgetExhausted.code)
    audit.record_platform(
        platform,
        "tenant.budget",
        actor=actor,
        tenant_id=TenantId(tenant.id),
        target=tenant.id,
        details={"budget_usd": budget_usd},
    )
    return tenant
