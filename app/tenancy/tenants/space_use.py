"""The use of one space, read in its own session: by day, and this month's cost with the budgets."""

from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from app.db.session import SpaceSession
from app.tenancy.tenants import repository

MIN_NEARLY_REACHED_SHARE = 0.8
"""Share of a budget or quota from which it counts as nearly reached."""


@dataclass(frozen=True)
class DayUse:
    """The counters of one day, in UTC."""

    day: date
    documents: int
    chunks: int
    queries: int
    cost_usd: float


class BudgetUse(NamedTuple):
    """US dollars spent in this month, and the budget for them."""

    spent_usd: float
    budget: float

    @property
    def share(self) -> float:
        """The used share of the budget; 1 if the budget is 0."""
        return self.spent_usd / self.budget if self.budget > 0 else 1.0


@dataclass(frozen=True)
class MonthCost:
    """US dollars spent in this month by the space and by its whole tenant, and their budgets."""

    space_usd: float
    space_budget: float | None
    tenant_usd: float
    tenant_budget: float | None

    @property
    def most_used_budget(self) -> BudgetUse | None:
        """The budget with the larger used share; None if there is no budget."""
        amounts_and_budgets = [(self.space_usd, self.space_budget), (self.tenant_usd, self.tenant_budget)]
        budget_uses = [
            BudgetUse(spent_usd, budget) for spent_usd, budget in amounts_and_budgets if budget is not None
        ]
        return max(budget_uses, key=lambda budget_use: budget_use.share, default=None)

    @property
    def is_nearly_reached(self) -> bool:
        """Return whether at least four fifths of a budget are used."""
        return self.most_used_budget is not None and self.most_used_budget.share >= MIN_NEARLY_REACHED_SHARE


def read_daily_use(space: SpaceSession, *, days: int = 30) -> list[DayUse]:
    """Return the last days, earliest first, today last; days without use have zeros."""
    return [DayUse(*row) for row in repository.read_daily_use(space, days=days)]


def read_month_cost_and_budgets(space: SpaceSession) -> MonthCost:
    """Return this month's cost of the space and of its tenant."""
    return MonthCost(*repository.read_month_cost_and_budgets(space))
