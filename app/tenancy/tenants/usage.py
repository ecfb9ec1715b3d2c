"""Usage of a tenant for display: by day, by space, and with its budgets."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import NamedTuple
from uuid import UUID

from app.db.session import OpenSession, PlatformSession, SpaceSession, TenantSession
from app.ids import SpaceId
from app.tenancy.tenants import repository
from app.tenancy.tenants.shapes import TenantSize, UsageSums, UsedBySpace, UsedOnDay


@dataclass(frozen=True, slots=True)
class Budget:
    """A monthly budget in US dollars (None if there is none), and what was spent in this month."""

    limit: Decimal | None
    spent: Decimal


def read_sizes_and_costs_of_tenants(
    platform: PlatformSession, tenant_ids: Sequence[UUID]
) -> dict[UUID, TenantSize]:
    """Return the sizes of these tenants by their ids."""
    return {
        row[0]: TenantSize(*row) for row in repository.read_sizes_and_costs_of_tenants(platform, tenant_ids)
    }


def read_usage_by_day(session: SpaceSession | TenantSession, *, days: int, today: date) -> list[UsedOnDay]:
    """Return the usage of each of the last days, oldest first, of the open space or of the whole tenant,
    including days without usage.
    """
    space_id = session.space_id if isinstance(session, SpaceSession) else None
    used_by_day = {
        row[0]: UsageSums(*row[1:]) for row in repository.read_usage_by_day(session, space_id, days=days)
    }
    all_days = (today - timedelta(days=days_ago) for days_ago in reversed(range(days)))
    return [UsedOnDay(day, used_by_day.get(day, UsageSums())) for day in all_days]


def read_usage_by_space(tenant: TenantSession, *, days: int, limit: int = 50) -> list[UsedBySpace]:
    """Return the spaces with usage in the last days, the most expensive first."""
    rows = repository.read_usage_by_space(tenant, days=days, limit=limit)
    return [UsedBySpace(SpaceId(row[0]), row[1], UsageSums(*row[2:])) for row in rows]


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
