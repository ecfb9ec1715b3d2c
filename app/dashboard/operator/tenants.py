"""Tenants of the installation, for operators: their usage and quotas, creating and deleting them."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import Response

from app.dashboard.deps import (
    CitegraphDep,
    FormTexts,
    Operator,
    PageRenderer,
    Platform,
    Renderer,
    SeenVersion,
)
from app.dashboard.routing import PageRoute
from app.db.models import Tenant
from app.db.session import PlatformSession
from app.errors import CitegraphError, Conflict, InvalidInput
from app.http.authentication import DASHBOARD_PATH
from app.http.edit_versions.service import lock_and_check_version
from app.http.edit_versions.shapes import Kind, Resource
from app.http.input_text import Name
from app.ids import TenantId
from app.ingest import service as ingest
from app.tenancy.spaces import tenant_deletion
from app.tenancy.tenants import budgets, quotas, usage
from app.tenancy.tenants import service as tenants
from app.tenant_quotas import QUOTAS
from app.wiring import Citegraph

router = APIRouter(prefix=DASHBOARD_PATH + "/operator", route_class=PageRoute, include_in_schema=False)

PAGE_SIZE = 25


@dataclass(frozen=True)
class Receipt:
    """The amounts erased with a tenant, the operator and the time."""

    tenant_id: TenantId
    name: str
    amounts: dict[str, int]
    actor: str
    erased_at: datetime


@router.get("/tenants")
def show_tenants(
    page: Renderer,
    platform: Platform,
    after: Annotated[UUID | None, Query()] = None,
) -> Response:
    """Show all tenants with their content and this month's spending, oldest first."""
    return _show_tenants_page(page, platform, after=after)


def _show_tenants_page(
    page: PageRenderer,
    platform: PlatformSession,
    *,
    after: UUID | None = None,
    status: int = 200,
    **values: Any,
) -> Response:
    tenant_rows = tenants.list_tenants(platform, after=after, limit=PAGE_SIZE + 1)
    page_rows = tenant_rows[:PAGE_SIZE]
    return page.show(
        "operator/tenants.html",
        status=status,
        of_operator=True,
        active="tenants",
        tenants=page_rows,
        sizes=usage.read_sizes_and_costs_of_tenants(platform, [tenant.id for tenant in page_rows]),
        limits={tenant.id: _get_quota_limits(platform, tenant) for tenant in page_rows},
        after=after,
        following=page_rows[-1].id if len(tenant_rows) > PAGE_SIZE else None,
        **{"refused": None, "made": None, "token": None, "receipt": None, "name": "", **values},
    )


def _get_quota_limits(platform: PlatformSession, tenant: Tenant) -> dict[str, int | None]:
    """Return the tenant's effective limits: its own, else the platform's."""
    return {name: quotas.get_quota_limit_of_tenant(platform, tenant, name) for name in QUOTAS}


@router.post("/tenants")
def make_tenant(
    page: Renderer, citegraph: CitegraphDep, operator: Operator, name: Annotated[Name, Form()]
) -> Response:
    """Create a tenant with its first key, which is shown only once."""
    values: dict[str, Any] = {}
    status = 200
    try:
        created = tenants.create_tenant_and_key(citegraph.database, name=name, actor=operator.actor)
        values = {"made": created.tenant, "token": created.token.token}
    except CitegraphError as error:
        values, status = {"refused": error.message, "name": name}, error.status
    with citegraph.database.open_platform() as platform:
        return _show_tenants_page(page, platform, status=status, **values)


@router.get("/tenants/{owner_id}")
def show_tenant(page: Renderer, citegraph: CitegraphDep, platform: Platform, owner_id: UUID) -> Response:
    """Show one tenant: its name, budget, quotas and usage."""
    return _show_tenant_page(page, citegraph, platform, owner_id)


def _show_tenant_page(
    page: PageRenderer,
    citegraph: Citegraph,
    platform: PlatformSession,
    owner_id: UUID,
    *,
    status: int = 200,
    **values: Any,
) -> Response:
    page.add_versions_to_forms(platform, Kind.TENANT, [owner_id])
    tenant = tenants.get_tenant(platform, owner_id)
    return page.show(
        "operator/tenant.html",
        status=status,
        of_operator=True,
        active="tenants",
        owner=tenant,
        size=usage.read_sizes_and_costs_of_tenants(platform, [tenant.id])[tenant.id],
        budget=(tenant.settings or {}).get("budget_usd"),
        quotas=ingest.list_quota_uses(citegraph.database, TenantId(tenant.id)),
        own=tenant.quotas,
        **{"refused": None, **values},
    )


@router.post("/tenants/{owner_id}/name")
def rename_tenant(
    page: Renderer,
    citegraph: CitegraphDep,
    operator: Operator,
    seen_version: SeenVersion,
    owner_id: UUID,
    name: Annotated[Name, Form()],
) -> Response:
    """Rename the tenant."""
    try:
        with citegraph.database.open_platform() as platform:
            lock_and_check_version(platform, Resource(Kind.TENANT, owner_id), seen_version)
            tenants.rename_tenant(platform, TenantId(owner_id), name, actor=operator.actor)
    except Conflict as error:
        return _show_tenant_page_with_error(page, citegraph, owner_id, error)
    return page.redirect(f"{DASHBOARD_PATH}/operator/tenants/{owner_id}")


@router.post("/tenants/{owner_id}/budget")
def set_budget(
    page: Renderer,
    citegraph: CitegraphDep,
    operator: Operator,
    seen_version: SeenVersion,
    owner_id: UUID,
    usd: Annotated[str, Form(max_length=30)] = "",
) -> Response:
    """Set the monthly budget for model calls, empty for no limit; jobs that waited for it continue."""
    try:
        budget_usd = _parse_number(usd, float, "A budget is a number of US dollars, 0 or more.")
        with citegraph.database.open_platform() as platform:
            lock_and_check_version(platform, Resource(Kind.TENANT, owner_id), seen_version)
            budgets.set_budget_and_unpark_jobs(platform, owner_id, budget_usd, actor=operator.actor)
    except InvalidInput as error:
        return _show_tenant_page_with_error(page, citegraph, owner_id, error)
    return page.redirect(f"{DASHBOARD_PATH}/operator/tenants/{owner_id}")


@router.post("/tenants/{owner_id}/quotas")
def set_quotas(
    page: Renderer,
    citegraph: CitegraphDep,
    operator: Operator,
    seen_version: SeenVersion,
    owner_id: UUID,
    form_texts: FormTexts,
) -> Response:
    """Set the tenant's own limits; an empty field restores the platform's limit."""
    try:
        error_text = "A quota is a whole number, 0 or more."
        quota_changes = {
            name: _parse_number(text, int, error_text) for name, text in form_texts.items() if name in QUOTAS
        }
        with citegraph.database.open_platform() as platform:
            lock_and_check_version(platform, Resource(Kind.TENANT, owner_id), seen_version)
            quotas.change_quotas_and_unpark_jobs(platform, owner_id, quota_changes, actor=operator.actor)
    except InvalidInput as error:
        return _show_tenant_page_with_error(page, citegraph, owner_id, error)
    return page.redirect(f"{DASHBOARD_PATH}/operator/tenants/{owner_id}")


@router.post("/tenants/{owner_id}/delete")
def delete_tenant(
    request: Request,
    page: Renderer,
    citegraph: CitegraphDep,
    operator: Operator,
    seen_version: SeenVersion,
    owner_id: UUID,
    confirm: Annotated[str, Form(max_length=300)] = "",
) -> Response:
    """Erase a tenant with all it owns, if its name was typed to confirm, and show the erased amounts."""
    with citegraph.database.open_platform() as platform:
        lock_and_check_version(platform, Resource(Kind.TENANT, owner_id), seen_version)
        tenant = tenants.get_tenant(platform, owner_id)
        tenant_id, name = TenantId(tenant.id), tenant.name
    if tenant_id in operator.callers:
        conflict = Conflict(
            "This is your own tenant: your account would go with it. `citegraph tenant delete` does that."
        )
        return _show_tenant_page_with_error(page, citegraph, owner_id, conflict)
    if confirm.strip() != name:
        mismatch_error = InvalidInput("Type the name of the tenant exactly: nothing was erased.")
        return _show_tenant_page_with_error(page, citegraph, owner_id, mismatch_error)
    used_amounts = {
        quota.quota: quota.used for quota in ingest.list_quota_uses(citegraph.database, tenant_id)
    }
    tenant_deletion.delete_tenant(citegraph.database, tenant_id, actor=operator.actor)
    request.app.state.sessions.expire_cached_identities()
    request.app.state.keyring.expire_cached_identities()
    receipt = Receipt(tenant_id, name, used_amounts, operator.actor, datetime.now(UTC))
    with citegraph.database.open_platform() as platform:
        return _show_tenants_page(page, platform, receipt=receipt)


def _parse_number(text: str, number_type: type[Any], error_text: str) -> Any:
    text = text.strip().replace(",", "")
    if not text:
        return None
    try:
        return number_type(text)
    except ValueError:
        raise InvalidInput(error_text) from None


def _show_tenant_page_with_error(
    page: PageRenderer, citegraph: Citegraph, owner_id: UUID, error: CitegraphError
) -> Response:
    with citegraph.database.open_platform() as platform:
        return _show_tenant_page(
            page, citegraph, platform, owner_id, status=error.status, refused=error.message
        )
