"""Tenants: routes for the operator."""

from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import Field

from app.api import deletion
from app.api.deletion import DeletionAnswer
from app.api.key_scopes import CitegraphDep, Operator
from app.api.paging import RequestedPage
from app.api.protocol.route import ApiRoute
from app.api.sessions import Platform
from app.api.shapes import Body, Listing
from app.http.input_text import Id, Name
from app.ids import TenantId
from app.tenancy.spaces import tenant_deletion
from app.tenancy.tenants import budgets, quotas
from app.tenancy.tenants import service as tenants
from app.views.tenants import NewKeyAnswer, NewTenantAnswer, TenantAnswer

router = APIRouter(prefix="/v1/tenants", tags=["tenants"], route_class=ApiRoute)


Quota = Annotated[int | None, Field(ge=0, le=quotas.MAX_SETTABLE_QUOTA)]


class TenantBody(Body):
    """A tenant to create."""

    name: Name


class QuotaBody(Body):
    """A tenant's own limits; null resets one to the platform's, and those left out are unchanged."""

    documents: Quota = None
    bytes: Quota = None
    chunks: Quota = None
    nodes: Quota = None
    spaces: Quota = None
    queued_jobs: Quota = None
    tokens: Quota = Field(None, description="Tokens that models may use in a month (UTC).")


class TenantChangeBody(Body):
    """Changes of a tenant; fields left out are unchanged."""

    name: Name | None = None
    budget_usd: Annotated[float | None, Field(ge=0, lt=1e12)] = Field(
        None, description="US dollars a month for model calls; null removes the budget."
    )
    quotas: QuotaBody | None = None


@router.post("", status_code=201)
def create_tenant(citegraph: CitegraphDep, operator: Operator, body: TenantBody) -> NewTenantAnswer:
    """Create a tenant and a first key that has all scopes in it. 409 name_taken."""
    tenant, key, token = tenants.create_tenant_and_key(citegraph.database, name=body.name, actor=operator)
    return NewTenantAnswer.from_value(tenant, api_key=NewKeyAnswer.from_value(key, token=token.token))


@router.get("")
def list_tenants(platform: Platform, page: RequestedPage) -> Listing[TenantAnswer]:
    """List all tenants, oldest first."""
    scope = ("tenants",)
    rows = tenants.list_tenants(platform, after=page.decode_id(scope), limit=page.fetch_limit)
    return page.build_page_with_next_cursor(
        rows, TenantAnswer.model_validate, lambda row: [str(row.id)], scope
    )


@router.patch("/{tenant_id}")
def change_tenant(
    platform: Platform, operator: Operator, tenant_id: Id, body: TenantChangeBody
) -> TenantAnswer:
    """Change the tenant's name, budget or quotas. 404, 409 name_taken.

    What exceeds a new quota stays, but nothing can be added. Jobs that waited for budget or tokens continue.
    """
    tenant = tenants.get_tenant(platform, tenant_id)
    if body.name is not None:
        tenants.rename_tenant(platform, TenantId(tenant_id), body.name, actor=operator)
    if "budget_usd" in body.model_fields_set:
        budgets.set_budget_and_unpark_jobs(platform, tenant_id, body.budget_usd, actor=operator)
    if body.quotas is not None:
        quotas.change_quotas_and_unpark_jobs(
            platform, tenant_id, body.quotas.model_dump(exclude_unset=True), actor=operator
        )
    return TenantAnswer.model_validate(tenant)


@router.get("/{tenant_id}/deletion")
def read_deletion(citegraph: CitegraphDep, _operator: Operator, tenant_id: Id) -> DeletionAnswer:
    """Return the receipt of a tenant's erasure from the platform's audit log. 404 also if the tenant exists.

    While workers remove its rows, the state is `deleting`, and `rows` has the rows removed so far.
    """
    return DeletionAnswer.model_validate(
        tenant_deletion.get_receipt_of_tenant_erasure(citegraph.database, TenantId(tenant_id))
    )


@router.delete("/{tenant_id}", responses=deletion.ACCEPTED_RESPONSES)
def delete_tenant(
    citegraph: CitegraphDep, response: Response, operator: Operator, tenant_id: Id
) -> DeletionAnswer:
    """Erase a tenant with all that it owns, except for one audit row. 404.

    202 for a tenant with many rows or spaces: its keys are revoked and it can no longer be found, and workers
    remove its rows.
    """
    erasure = tenant_deletion.delete_tenant(citegraph.database, TenantId(tenant_id), actor=operator)
    return deletion.build_deletion_answer_and_set_status(erasure, response)
