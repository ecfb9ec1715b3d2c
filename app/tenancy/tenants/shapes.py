"""The amounts that tenants and their spaces hold and use."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from app.ids import SpaceId, TenantId

MIN_NEARLY_REACHED_SHARE = 0.8
"""Share of a budget or quota from which it counts as nearly reached."""


@dataclass(frozen=True)
class TokenAllowance:
    """The tokens used in this month (UTC) and their limit, None for no limit."""

    used: int
    limit: int | None


@dataclass(frozen=True)
class SpaceTotals:
    """The amounts that one space holds."""

    documents: int
    bytes: int
    chunks: int
    nodes: int


@dataclass(frozen=True, slots=True)
class UsageSums:
    """Sums of amounts."""

    documents: int = 0
    chunks: int = 0
    bytes: int = 0
    model_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: Decimal = Decimal(0)
    queries: int = 0


@dataclass(frozen=True, slots=True)
class UsedOnDay:
    """The usage of one day, in UTC."""

    day: date
    used: UsageSums


@dataclass(frozen=True, slots=True)
class UsedBySpace:
    """The usage of one space."""

    space_id: SpaceId
    name: str
    used: UsageSums


@dataclass(frozen=True, slots=True)
class TenantSize:
    """The amounts of one tenant over all its spaces, the number of its non-empty `spaces`, and this month's
    cost.
    """

    tenant_id: TenantId
    documents: int
    bytes: int
    chunks: int
    nodes: int
    spaces: int
    cost_usd: Decimal


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
