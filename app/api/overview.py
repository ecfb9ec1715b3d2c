"""One space at a glance: its contents, its jobs, its usage and cost."""

from datetime import date
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from app.api.protocol.route import ApiRoute
from app.api.sessions import ReadableSpace
from app.jobs import queue
from app.limits import USAGE_DAYS
from app.tenancy.tenants import quotas, space_use
from app.views.view import View

router = APIRouter(prefix="/v1/spaces/{space_id}", tags=["spaces"], route_class=ApiRoute)


class SpaceTotalsAnswer(View):
    """The amounts that the space holds: its part of the tenant's quotas."""

    documents: int
    bytes: int
    chunks: int
    nodes: int


class SpaceQueueAnswer(View):
    """The space's part of the queue."""

    waiting: int
    delayed: int = Field(description="Jobs that wait for a later time: parked, or to be retried.")
    running: int
    oldest_seconds: float | None = Field(description="How long the first ready job has waited.")


class MonthCostAnswer(View):
    """US dollars of this month (UTC) and the budgets; null is no budget."""

    space_usd: float
    space_budget: float | None
    tenant_usd: float
    tenant_budget: float | None
    is_nearly_reached: bool = Field(description="Whether four fifths of a budget are used.")


class DayUseAnswer(View):
    """The space's counters of one day, in UTC."""

    day: date
    documents: int
    chunks: int
    queries: int
    cost_usd: float


class OverviewAnswer(View):
    """A space at a glance."""

    totals: SpaceTotalsAnswer
    queue: SpaceQueueAnswer
    month: MonthCostAnswer
    days: list[DayUseAnswer] = Field(
        description="The earliest first, today last, including days without use."
    )


@router.get("/overview")
def read_overview(
    space: ReadableSpace,
    days: Annotated[
        int, Query(ge=1, le=USAGE_DAYS.maximum, description="Number of days, including today.")
    ] = 30,
) -> OverviewAnswer:
    """Show the space's contents, its waiting and running jobs, this month's cost and the usage by day.
    404.
    """
    return OverviewAnswer.model_validate(
        {
            "totals": quotas.read_totals_of_space(space),
            "queue": queue.read_queue_state(space),
            "month": space_use.read_month_cost_and_budgets(space),
            "days": space_use.read_daily_use(space, days=days),
        }
    )
