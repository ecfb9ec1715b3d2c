"""Usage and cost: of a space by day, model and purpose; of a tenant by day and space; as pages and CSV."""

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from fastapi.responses import Response

from app.dashboard.deps import AdministeredTenant, PageSpaceDep, PageTenantDep, ReadableSpace, Renderer
from app.dashboard.routing import PageRoute
from app.http.authentication import DASHBOARD_PATH
from app.http.security_headers import SECURITY_HEADERS
from app.llm.model_calls import service as llm
from app.spreadsheet import format_csv_lines
from app.tenancy.tenants import usage
from app.tenancy.tenants.shapes import UsageSums, UsedOnDay

router = APIRouter(prefix=DASHBOARD_PATH, route_class=PageRoute, include_in_schema=False)

Days = Annotated[Literal["7", "30", "90", "365"], Query()]
DAY_CHOICES = ("7", "30", "90", "365")
AMOUNT_FIELDS = (
    "cost_usd",
    "model_calls",
    "prompt_tokens",
    "completion_tokens",
    "queries",
    "documents",
    "chunks",
    "bytes",
)


@router.get("/spaces/{space_id}/usage")
def show_usage(page: Renderer, page_space: PageSpaceDep, space: ReadableSpace, days: Days = "30") -> Response:
    """Show the space's usage by day, and its model calls by model and purpose."""
    usage_by_day = usage.read_usage_by_day(space, days=int(days), today=_get_today())
    tenant_budget, space_budget = usage.get_budgets(space, page_space.id)
    budgets = [("This space", space_budget)]
    if page_space.caller.space_ids is None:
        # A key for single spaces must not see the cost of the others.
        budgets.append(("The whole tenant", tenant_budget))
    calls_by_purpose = llm.list_calls_by_purpose(space, days=int(days))
    call_count = sum(purpose_calls.calls + purpose_calls.cached for purpose_calls in calls_by_purpose)
    return page.show(
        "insight/usage.html",
        page_space=page_space,
        active="usage",
        base=f"{page_space.path}/usage",
        days=days,
        choices=DAY_CHOICES,
        found=usage_by_day,
        total=usage.sum_usage(usage_by_day),
        budgets=budgets,
        kinds=calls_by_purpose,
        cut=min(purpose_calls.since for purpose_calls in calls_by_purpose)
        if call_count >= llm.MAX_CALLS
        else None,
        spaces=None,
    )


@router.get("/spaces/{space_id}/usage.csv")
def export_usage(page_space: PageSpaceDep, space: ReadableSpace, days: Days = "30") -> Response:
    """Send the space's usage by day as CSV."""
    usage_by_day = usage.read_usage_by_day(space, days=int(days), today=_get_today())
    return _build_csv_response(
        f"usage-{page_space.id}.csv", ["day", *AMOUNT_FIELDS], _build_daily_rows(usage_by_day)
    )


@router.get("/tenants/{tenant_id}/usage")
def show_tenant_usage(
    page: Renderer, tenant: PageTenantDep, session: AdministeredTenant, days: Days = "30"
) -> Response:
    """Show the tenant's usage by day and by space, beside its budget."""
    usage_by_day = usage.read_usage_by_day(session, days=int(days), today=_get_today())
    tenant_budget = usage.get_budgets(session).tenant
    return page.show(
        "insight/usage.html",
        tenant=tenant,
        active="tenant-usage",
        base=f"{tenant.path}/usage",
        days=days,
        choices=DAY_CHOICES,
        found=usage_by_day,
        total=usage.sum_usage(usage_by_day),
        budgets=[("This tenant", tenant_budget)],
        kinds=None,
        cut=None,
        spaces=usage.read_usage_by_space(session, days=int(days)),
    )


@router.get("/tenants/{tenant_id}/usage.csv")
def export_tenant_usage(
    tenant: PageTenantDep, session: AdministeredTenant, days: Days = "30", by: Literal["day", "space"] = "day"
) -> Response:
    """Send the tenant's usage by day or by space as CSV."""
    if by == "day":
        usage_by_day = usage.read_usage_by_day(session, days=int(days), today=_get_today())
        return _build_csv_response(
            f"usage-{tenant.id}.csv", ["day", *AMOUNT_FIELDS], _build_daily_rows(usage_by_day)
        )
    usage_by_space = usage.read_usage_by_space(session, days=int(days), limit=1_000)
    rows = (
        [str(used_space.space_id), used_space.name, *_format_amounts(used_space.used)]
        for used_space in usage_by_space
    )
    return _build_csv_response(f"usage-{tenant.id}-spaces.csv", ["space_id", "space", *AMOUNT_FIELDS], rows)


def _get_today() -> date:
    return datetime.now(UTC).date()


def _build_daily_rows(usage_by_day: Sequence[UsedOnDay]) -> Iterable[list[str]]:
    return ([used_day.day.isoformat(), *_format_amounts(used_day.used)] for used_day in usage_by_day)


def _format_amounts(used_amounts: UsageSums) -> list[str]:
    return [_format_amount(getattr(used_amounts, name)) for name in AMOUNT_FIELDS]


def _format_amount(amount: int | Decimal) -> str:
    return f"{amount:f}" if isinstance(amount, Decimal) else str(amount)


def _build_csv_response(
    file_name: str, column_names: Sequence[str], rows: Iterable[Sequence[str]]
) -> Response:
    headers = {**SECURITY_HEADERS, "content-disposition": f'attachment; filename="{file_name}"'}
    return Response(
        format_csv_lines([column_names, *rows]), media_type="text/csv; charset=utf-8", headers=headers
    )
