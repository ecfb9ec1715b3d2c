"""The use of one space, read in its own session: by day, and this month's cost with the budgets."""

from dataclasses import dataclass
from datetime import date

from app.db.session import SpaceSession
from app.tenancy.tenants import repository

MIN_NEARLY_REACHED_SHARE = 0.8
"""Share of a budget from which it counts as nearly reached."""


@dataclass(frozen=True)
class DayUse:
    """The counters of one day, in UTC."""

    day: date
    documents: int
    chunks: int
    queries: int
    cost_usd: float


@dataclass(frozen=True)
class MonthCost:
    """US dollars spent in this month by the space and by its whole tenant, and their budgets."""

    space_usd: float
    space_budget: float | None
    tenant_usd: float
    tenant_budget: float | None

    @property
    def most_used_budget(self) -> tuple[float, float] | None:
        """Amount spent and budget, of the budget with the larger used share; None if there is no budget."""
        pairs = [(self.space_usd, self.space_budget), (self.tenant_usd, self.tenant_budget)]
        limited_pairs = [(spent_usd, budget) for spent_usd, budget in pairs if budget is not None]
        return max(limited_pairs, key=lambda pair: _share_of_budget(*pair), default=None)

    @property
    def is_nearly_reached(self) -> bool:
        """Return whether at least four fifths of a budget are used."""
        return (
            self.most_used_budget is not None
            and _share_of_budget(*self.most_used_budget) >= MIN_NEARLY_REACHED_SHARE
        )


def _share_of_budget(spent_usd: float, budget: float) -> float:
    return spent_usd / budget if budget > 0 else 1.0


def daily_use(space: SpaceSession, *, days: int = 30) -> list[DayUse]:
    """Return the last days, earliest first, today last; days without use have zeros."""
    return [DayUse(*row) for row in repository.daily_use(space, days=days)]


def month_cost(space: SpaceSession) -> MonthCost:
    """Return this month's cost of the space and of its tenant."""
    return MonthCost(*repository.month_cost(space))
