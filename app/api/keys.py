"""API keys, usage and the audit log, for a tenant's administrator."""

from dataclasses import astuple
from datetime import UTC, date, datetime
from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Depends, Query
from fastapi.responses import PlainTextResponse
from pydantic import Field

from app.api.key_scopes import CitegraphDep, Reader, TenantAdministrator
from app.api.paging import RequestedPage
from app.api.protocol.route import ApiRoute
from app.api.sessions import ReadableTenant, WholeTenant
from app.api.shapes import Body, Listing
from app.db.models import UsageDaily
from app.errors import InvalidInput
from app.http.input_text import Id, Moment, Name, SearchText
from app.ids import ApiKeyId, SpaceId
from app.ingest import service as ingest
from app.limits import USAGE_DAYS
from app.tenancy.audit import service as audit
from app.tenancy.audit.entries_csv import format_entries_as_csv
from app.tenancy.audit.shapes import AuditFilter, Outcome
from app.tenancy.spaces import service as spaces
from app.tenancy.tenants import api_keys
from app.tenancy.tenants import service as tenants
from app.views.tenants import AuditAnswer, KeyAnswer, NewKeyAnswer, OwnTenantAnswer, QuotaAnswer, UsageAnswer

router = APIRouter(prefix="/v1", tags=["tenant"], route_class=ApiRoute)


class CsvAnswer(PlainTextResponse):
    """A table of comma-separated values."""

    media_type = "text/csv"


class KeyBody(Body):
    """A key to create."""

    name: Name
    scopes: list[Literal["read", "write", "admin"]] = Field(min_length=1, max_length=3)
    space_ids: list[Id] | None = Field(
        None, min_length=1, max_length=100, description="The only spaces that it may open; null means all."
    )
    expires_at: Moment | None = Field(
        None, description="The default is the expiry of the key that creates it, if it has one."
    )


def _parse_audit_filter(
    actor: Annotated[SearchText | None, Query(description="The actor, as an exact match.")] = None,
    action: Annotated[
        SearchText | None, Query(description="An action, or the first part of several, such as node.")
    ] = None,
    space_id: Annotated[Id | None, Query(description="Only actions in this space.")] = None,
    object_id: Annotated[Id | None, Query(description="The id of any object of the action.")] = None,
    outcome: Annotated[Outcome | None, Query(description="done or refused.")] = None,
    since: Annotated[Moment | None, Query(description="At this time or later.")] = None,
    until: Annotated[Moment | None, Query(description="Before this time.")] = None,
) -> AuditFilter:
    filtered_space_id = None if space_id is None else SpaceId(space_id)
    return AuditFilter(actor, action, filtered_space_id, object_id, outcome, since, until)


ParsedAuditFilter = Annotated[AuditFilter, Depends(_parse_audit_filter)]


@router.get("/tenant")
def read_own_tenant(tenant: ReadableTenant) -> OwnTenantAnswer:
    """Return the key's own tenant. 404 after it has been erased."""
    return OwnTenantAnswer.model_validate(tenants.get_session_tenant(tenant))


@router.post("/api-keys", status_code=201)
def create_key(tenant: WholeTenant, caller: TenantAdministrator, body: KeyBody) -> NewKeyAnswer:
    """Create a key; its token is shown only this once. It cannot exceed the caller's key in scopes, spaces or
    expiry.

    403 scope_missing, 404 for a space that the tenant does not have, 422 expires_too_late.
    """
    if body.expires_at is not None and body.expires_at <= datetime.now(UTC):
        raise InvalidInput("A key cannot expire in the past.", code="expires_in_the_past")
    for space_id in body.space_ids or ():
        spaces.get_space(tenant, space_id)
    key, token = api_keys.create_key(
        tenant,
        name=body.name,
        scopes=body.scopes,
        actor=caller.actor,
        space_ids=None if body.space_ids is None else [SpaceId(allowed_id) for allowed_id in body.space_ids],
        expires_at=body.expires_at,
        granted_by=caller,
    )
    return NewKeyAnswer.from_value(key, token=token.token)


@router.get("/api-keys")
def list_keys(tenant: WholeTenant, page: RequestedPage) -> Listing[KeyAnswer]:
    """List the tenant's keys, oldest first, including revoked ones."""
    scope = ("api-keys", tenant.tenant_id)
    rows = api_keys.list_keys(tenant, after=page.decode_id(scope), limit=page.fetch_limit)
    return page.build_page_with_next_cursor(rows, KeyAnswer.model_validate, lambda row: [str(row.id)], scope)


@router.delete("/api-keys/{key_id}", status_code=204)
def revoke_key(tenant: WholeTenant, caller: TenantAdministrator, key_id: Id) -> None:
    """Revoke a key at once. 404 also if it was revoked before."""
    api_keys.revoke_key(tenant, ApiKeyId(key_id), actor=caller.actor)


@router.get("/usage")
def list_usage(
    tenant: ReadableTenant,
    caller: Reader,
    page: RequestedPage,
    days: Annotated[
        int, Query(ge=1, le=USAGE_DAYS.maximum, description="Number of days, including today.")
    ] = 30,
) -> Listing[UsageAnswer]:
    """List the usage of the spaces that the key reaches, newest day first."""
    scope = ("usage", tenant.tenant_id, days)
    position = page.decode_position(scope)
    rows = tenants.list_daily_usage(
        tenant,
        days=days,
        after=None
        if position is None
        else tenants.DayAndSpace(date.fromisoformat(position[0]), UUID(position[1])),
        space_ids=caller.space_ids,
        limit=page.fetch_limit,
    )
    return page.build_page_with_next_cursor(rows, UsageAnswer.model_validate, _get_cursor_position, scope)


@router.get("/quotas")
def list_quotas(citegraph: CitegraphDep, caller: Reader) -> list[QuotaAnswer]:
    """List the tenant's quotas, and how much of each all its spaces use."""
    return [
        QuotaAnswer.model_validate(quota)
        for quota in ingest.list_quota_uses(citegraph.database, caller.tenant_id)
    ]


@router.get("/audit")
def list_audit(
    tenant: WholeTenant, audit_filter: ParsedAuditFilter, page: RequestedPage
) -> Listing[AuditAnswer]:
    """List who did what in the tenant, newest first."""
    scope = ("audit", tenant.tenant_id, *map(str, astuple(audit_filter)))
    rows = audit.list_entries(tenant, audit_filter, after=page.decode_id(scope), limit=page.fetch_limit)
    return page.build_page_with_next_cursor(
        rows, AuditAnswer.model_validate, lambda row: [str(row.id)], scope
    )


@router.get("/audit.csv", response_class=CsvAnswer)
def download_audit(tenant: WholeTenant, audit_filter: ParsedAuditFilter) -> CsvAnswer:
    """Return the newest 10,000 entries as CSV without spreadsheet formulas; use `until` for older ones."""
    return CsvAnswer(
        format_entries_as_csv(audit.list_entries(tenant, audit_filter, limit=audit.MAX_LISTED_ENTRIES))
    )


def _get_cursor_position(row: UsageDaily) -> list[str]:
    return [row.day.isoformat(), str(row.knowledge_space_id)]
