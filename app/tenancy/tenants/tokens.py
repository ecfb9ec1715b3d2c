"""The tokens that models may use for a tenant in a month, counted from the usage of its spaces."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from app.db.session import SpaceSession, TenantSession
from app.llm.errors import BudgetExhausted, TokensExhausted
from app.tenancy.tenants import repository

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
