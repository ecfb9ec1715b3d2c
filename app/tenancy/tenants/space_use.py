"""The use of one space, read in its own session: by day, and this month's cost with the budgets."""

from app.tenancy.tenants.repository import read_daily_use, read_month_cost_and_budgets

__all__ = ["read_daily_use", "read_month_cost_and_budgets"]
