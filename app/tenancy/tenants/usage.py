"""Usage of a tenant for display: by day, by space, and with its budgets."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import NamedTuple
from uuid import UUID

from app.db.session import OpenSession, PlatformSession, SpaceSession, TenantSession
from app.tenancy.tenants import repository
from app.tenancy.tenants.repository import read_usage_by_space
from app.tenancy.tenants.shapes import TenantSize, UsageSums, UsedOnDay

__all__ = ["read_usage_by_space"]


@dataclass(frozen=True, slots=True)
class Budget:
    """A monthly budget in US dollars (None if there is none), and what was spent in this month."""

    limit: Decimal | None
    spent: Decimal


def read_sizes_and_costs_of_tenants(
    platform: PlatformSession, tenant_ids: Sequence[UUID]
) -> dict[UUID, TenantSize]:
    """Return the sizes of these tenants by their ids."""
    tenant_sizes = repository.read_sizes_and_costs_of_tenants(platform, tenant_ids)
    return {tenant_size.tenant_id: tenant_size for tenant_size in tenant_sizes}


def read_usage_by_day(session: SpaceSession | TenantSession, *, days: int, today: date) -> list[UsedOnDay]:
    """Return the usage of each of the last days, oldest first, of the open space or of the whole tenant,
    including days without usage.
    """
    space_id = session.space_id if isinstance(session, SpaceSession) else None
    usage_by_day = {
        used_on_day.day: used_on_day
        for used_on_day in repository.read_usage_of_days_with_usage(session, space_id, days=days)
    }
    all_days = (today - timedelta(days=days_ago) for days_ago in reversed(range(days)))
    return [usage_by_day.get(day, UsedOnDay(day, UsageSums())) for day in all_days]


def sum_usage(days: Sequence[UsedOnDay]) -> UsageSums:
    """Return the sum of these days."""
    return UsageSums(
        documents=sum(day.used.documents for day in days),
        chunks=sum(day.used.chunks for day in days),
        bytes=sum(day.used.bytes for day in days),
        model_calls=sum(day.used.model_calls for day in days),
        prompt_tokens=sum(day.used.prompt_tokens for day in days),
        completion_tokens=sum(day.used.completion_tokens for day in days),
        cost_usd=sum((day.used.cost_usd for day in days), Decimal(0)),
        queries=sum(day.used.queries for day in days),
    )


class MonthBudgets(NamedTuple):
    """This month's budgets of a tenant and of one of its spaces."""

    tenant: Budget
    space: Budget


def get_budgets(session: OpenSession, space_id: UUID | None = None) -> MonthBudgets:
    """Return the budget of the session's tenant, and that of one of its spaces."""
    tenant_limit, tenant_spent, space_limit, space_spent = repository.read_month_budgets_and_spending(
        session, space_id
    )
    return MonthBudgets(Budget(tenant_limit, tenant_spent), Budget(space_limit, space_spent))
