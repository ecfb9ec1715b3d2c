"""The use of one space, read in its own session: by day, and this month's cost with the budgets."""

from app.db.session import SpaceSession
from app.tenancy.tenants import repository
from app.tenancy.tenants.shapes import DayUse, MonthCost


def read_daily_use(space: SpaceSession, *, days: int = 30) -> list[DayUse]:
    """Return the last days, earliest first, today last; days without use have zeros."""
    return [DayUse(*row) for row in repository.read_daily_use(space, days=days)]


def read_month_cost_and_budgets(space: SpaceSession) -> MonthCost:
    """Return this month's cost of the space and of its tenant."""
    return MonthCost(*repository.read_month_cost_and_budgets(space))
