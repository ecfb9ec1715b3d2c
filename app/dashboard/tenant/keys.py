"""API keys of a tenant: their scopes and expiry, creating (the token is shown once) and revoking."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import Response

from app.dashboard.deps import AdministeredTenant, PageRenderer, PageTenant, PageTenantDep, Renderer, Visitor
from app.dashboard.routing import PageRoute
from app.dashboard.tenant.space_choices import list_offered_spaces
from app.db.session import TenantSession
from app.errors import CitegraphError
from app.http.authentication import DASHBOARD_PATH
from app.http.input_text import Name
from app.ids import ApiKeyId, SpaceId
from app.tenancy.accounts.shapes import SignedIn
from app.tenancy.spaces import service as spaces
from app.tenancy.tenants import api_keys
from app.tenancy.tenants.api_keys import Caller

router = APIRouter(
    prefix=DASHBOARD_PATH + "/tenants/{tenant_id}/keys", route_class=PageRoute, include_in_schema=False
)

PAGE_SIZE = 50
LABEL_BY_LIFETIME = {"30": "30 days", "90": "90 days", "365": "a year", "": "no end"}

Scope = Literal["read", "write", "admin"]


def _show_keys_page(
    page: PageRenderer,
    tenant: PageTenant,
    session: TenantSession,
    *,
    after: UUID | None = None,
    status: int = 200,
    **values: object,
) -> Response:
    keys = api_keys.list_keys(session, after=after, limit=PAGE_SIZE + 1)
    shown_keys = keys[:PAGE_SIZE]
    offered_spaces = list_offered_spaces(session)
    return page.show(
        "tenant/keys.html",
        status=status,
        tenant=tenant,
        active="keys",
        keys=shown_keys,
        following=keys[PAGE_SIZE - 1].id if len(keys) > PAGE_SIZE else None,
        after=after,
        spaces=offered_spaces,
        names=spaces.read_names_of_spaces(
            session, {SpaceId(space_id) for key in shown_keys for space_id in key.space_ids or ()}
        ),
        scopes=api_keys.SCOPES,
        lives=LABEL_BY_LIFETIME,
        now=datetime.now(UTC),
        **{"refused": None, "token": None, "made": None, **values},
    )


@router.get("")
def show_keys(
    page: Renderer,
    tenant: PageTenantDep,
    session: AdministeredTenant,
    after: Annotated[UUID | None, Query()] = None,
) -> Response:
    """Show the keys, without their secrets, which are not stored."""
    return _show_keys_page(page, tenant, session, after=after)


@dataclass(frozen=True)
class KeyForm:
    """A key as requested by the form; no space means all spaces."""

    name: str
    scopes: list[Scope]
    space_ids: list[UUID]
    days: str


def _parse_key_form(
    name: Annotated[Name, Form()],
    scopes: Annotated[list[Scope], Form()] = [],  # noqa: B006  (FastAPI copies it)
    space_ids: Annotated[list[UUID], Form()] = [],  # noqa: B006
    days: Annotated[Literal["", "30", "90", "365"], Form()] = "90",
) -> KeyForm:
    return KeyForm(name, scopes, space_ids, days)


@router.post("")
def make_key(
    page: Renderer,
    tenant: PageTenantDep,
    session: AdministeredTenant,
    visitor: Visitor,
    key_form: Annotated[KeyForm, Depends(_parse_key_form)],
) -> Response:
    """Create a key and show its token once. It has no more rights than its maker, and expires no later."""
    expires_at = datetime.now(UTC) + timedelta(days=int(key_form.days)) if key_form.days else None
    try:
        for space_id in key_form.space_ids:
            spaces.get_space(session, space_id)
        key, token = api_keys.create_key(
            session,
            name=key_form.name,
            scopes=key_form.scopes,
            actor=visitor.actor,
            space_ids=[SpaceId(listed_id) for listed_id in key_form.space_ids] or None,
            expires_at=expires_at,
            granted_by=_get_granter(tenant, visitor),
        )
    except CitegraphError as error:
        return _show_keys_page(page, tenant, session, status=error.status, refused=error.message)
    return _show_keys_page(page, tenant, session, token=token.token, made=key)


@router.post("/{key_id}/revoke")
def revoke_key(
    request: Request,
    page: Renderer,
    tenant: PageTenantDep,
    session: AdministeredTenant,
    visitor: Visitor,
    key_id: UUID,
) -> Response:
    """Revoke a key and end the sessions that were begun with it."""
    api_keys.revoke_key(session, ApiKeyId(key_id), actor=visitor.actor)
    request.app.state.sessions.expire_cached_identities()
    request.app.state.keyring.expire_cached_identities()
    return page.redirect(f"{tenant.path}/keys")


def _get_granter(tenant: PageTenant, visitor: SignedIn) -> Caller:
    """Return the caller whose rights limit a new key.

    A person's session expires, but keys that they make in it do not expire with it.
    """
    return tenant.caller if visitor.account_id is None else replace(tenant.caller, expires_at=None)
