"""Limits of a tenant: its usage and quotas, its budget, its spaces, and the last examination of the walls."""

from typing import Annotated

from fastapi import APIRouter, Form
from fastapi.responses import Response

from app.dashboard.deps import (
    AdministeredTenant,
    CitegraphDep,
    PageRenderer,
    PageTenant,
    PageTenantDep,
    Renderer,
    Visitor,
)
from app.dashboard.routing import PageRoute
from app.db.session import TenantSession
from app.errors import CitegraphError
from app.http.authentication import DASHBOARD_PATH
from app.http.input_text import Name, Remark
from app.ingest import service as ingest
from app.tenancy.spaces import service as spaces
from app.tenancy.tenants import usage
from app.wiring import Citegraph

router = APIRouter(
    prefix=DASHBOARD_PATH + "/tenants/{tenant_id}", route_class=PageRoute, include_in_schema=False
)

MAX_SPACES = 100


def _show_limits_page(
    page: PageRenderer,
    citegraph: Citegraph,
    tenant: PageTenant,
    session: TenantSession,
    *,
    status: int = 200,
    refusal: str | None = None,
    name: str = "",
) -> Response:
    budget = usage.get_budgets(session).tenant
    return page.show(
        "tenant/limits.html",
        status=status,
        tenant=tenant,
        active="tenant",
        quotas=ingest.list_quota_uses(citegraph.database, tenant.id),
        budget=budget,
        spaces=spaces.list_spaces(session, limit=MAX_SPACES),
        shown=MAX_SPACES,
        refused=refusal,
        name=name,
    )


@router.get("")
def show_limits(
    page: Renderer, citegraph: CitegraphDep, tenant: PageTenantDep, session: AdministeredTenant
) -> Response:
    """Show quotas and budget as bars, and the spaces."""
    return _show_limits_page(page, citegraph, tenant, session)


@router.post("/spaces")
def make_space(
    page: Renderer,
    citegraph: CitegraphDep,
    tenant: PageTenantDep,
    session: AdministeredTenant,
    visitor: Visitor,
    name: Annotated[Name, Form()],
    description: Annotated[Remark, Form()] = "",
) -> Response:
    """Create an empty space."""
    try:
        space = spaces.create_space(
            session,
            name=name,
            description=description,
            embedding_model=citegraph.embedders.model,
            embedding_dimensions=citegraph.embedders.dimensions,
            actor=visitor.actor,
        )
    except CitegraphError as error:
        return _show_limits_page(
            page, citegraph, tenant, session, status=error.status, refusal=error.message, name=name
        )
    return page.redirect(f"{DASHBOARD_PATH}/spaces/{space.id}")
