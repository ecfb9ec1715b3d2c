"""Members of a tenant: their roles, open invitations, inviting and removing."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Form, Request
from fastapi.responses import Response

from app.dashboard.deps import AdministeredTenant, PageRenderer, PageTenant, PageTenantDep, Renderer, Visitor
from app.dashboard.routing import PageRoute
from app.db.session import TenantSession
from app.errors import Conflict, InvalidInput
from app.http.authentication import DASHBOARD_PATH
from app.http.edit_versions.shapes import Kind
from app.tenancy.accounts import service as accounts
from app.tenancy.accounts.roles import Role

router = APIRouter(
    prefix=DASHBOARD_PATH + "/tenants/{tenant_id}/members", route_class=PageRoute, include_in_schema=False
)


def _show_members_page(
    page: PageRenderer, tenant: PageTenant, session: TenantSession, *, status: int = 200, **values: object
) -> Response:
    page.add_versions_to_forms(session, Kind.ACCOUNT, None)
    return page.show(
        "tenant/members.html",
        status=status,
        tenant=tenant,
        active="members",
        members=accounts.list_members(session),
        invitations=accounts.list_invitations(session),
        roles=list(Role),
        **{"refused": None, "link": None, "email": "", **values},
    )


@router.get("")
def show_members(page: Renderer, tenant: PageTenantDep, session: AdministeredTenant) -> Response:
    """Show the members with their roles, and the open invitations."""
    return _show_members_page(page, tenant, session)


@router.post("/invite")
def invite_member(
    request: Request,
    page: Renderer,
    tenant: PageTenantDep,
    session: AdministeredTenant,
    visitor: Visitor,
    email: Annotated[str, Form(max_length=300)] = "",
    role: Annotated[Role, Form()] = Role.VIEWER,
) -> Response:
    """Create an invitation link. It is shown only once, since only its hash is stored."""
    try:
        token = accounts.create_invitation_link_token(session, email=email, role=role, actor=visitor.actor)
    except InvalidInput as error:
        return _show_members_page(page, tenant, session, status=422, refused=error.message, email=email)
    scheme = request.headers.get("x-forwarded-proto", request.url.scheme)
    host = request.headers.get("host", "")
    link = f"{scheme}://{host}{DASHBOARD_PATH}/links/{token}"
    return _show_members_page(page, tenant, session, link=link, email=email)


@router.post("/invitations/{link_id}/withdraw")
def withdraw_invitation(
    page: Renderer, tenant: PageTenantDep, session: AdministeredTenant, visitor: Visitor, link_id: UUID
) -> Response:
    """Withdraw an unused invitation."""
    accounts.withdraw_invitation(session, link_id, actor=visitor.actor)
    return page.redirect(f"{tenant.path}/members")


@router.post("/{account_id}/role")
def change_role(
    request: Request,
    page: Renderer,
    tenant: PageTenantDep,
    session: AdministeredTenant,
    visitor: Visitor,
    account_id: UUID,
    role: Annotated[Role, Form()],
) -> Response:
    """Change a member's role; it takes effect with their next request."""
    return _change_role(request, page, tenant, session, visitor.actor, account_id, role)


@router.post("/{account_id}/remove")
def remove_member(
    request: Request,
    page: Renderer,
    tenant: PageTenantDep,
    session: AdministeredTenant,
    visitor: Visitor,
    account_id: UUID,
) -> Response:
    """Remove a member and sign them out."""
    return _change_role(request, page, tenant, session, visitor.actor, account_id, None)


def _change_role(
    request: Request,
    page: PageRenderer,
    tenant: PageTenant,
    session: TenantSession,
    actor: str,
    account_id: UUID,
    role: Role | None,
) -> Response:
    try:
        accounts.change_role_or_remove_member(session, account_id, role, actor=actor)
    except Conflict as error:
        return _show_members_page(page, tenant, session, status=409, refused=error.message)
    request.app.state.sessions.expire_cached_identities()
    return page.redirect(f"{tenant.path}/members")
