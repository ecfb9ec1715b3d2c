"""The audit of a tenant: who did what, with filters, and as CSV."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated
from urllib.parse import urlencode
from uuid import UUID

from fastapi import APIRouter, Depends, Query
from fastapi.responses import PlainTextResponse, Response

from app.dashboard.deps import AdministeredTenant, PageTenantDep, Renderer
from app.dashboard.routing import PageRoute
from app.dashboard.tenant.space_choices import list_offered_spaces
from app.errors import InvalidInput
from app.http.authentication import DASHBOARD_PATH
from app.http.security_headers import SECURITY_HEADERS
from app.ids import SpaceId
from app.tenancy.audit import service as audit
from app.tenancy.audit.actions import ACTIONS
from app.tenancy.audit.entries_csv import format_entries_as_csv
from app.tenancy.audit.shapes import AuditFilter, Outcome
from app.tenancy.spaces import service as spaces

router = APIRouter(
    prefix=DASHBOARD_PATH + "/tenants/{tenant_id}/audit", route_class=PageRoute, include_in_schema=False
)

PAGE_SIZE = 50
FilterText = Annotated[str, Query(max_length=300)]
AUDITED_OBJECTS = tuple(dict.fromkeys(action.partition(".")[0] for action in sorted(ACTIONS)))


def _read_filters(
    action: FilterText = "",
    actor: FilterText = "",
    space: FilterText = "",
    object_id: FilterText = "",
    outcome: FilterText = "",
    since: FilterText = "",
    until: FilterText = "",
) -> dict[str, str]:
    """Return the filters as typed in the form; an empty field does not filter."""
    fields = {
        "action": action,
        "actor": actor,
        "space": space,
        "object_id": object_id,
        "outcome": outcome,
        "since": since,
        "until": until,
    }
    return {name: value.strip() for name, value in fields.items() if value.strip()}


AuditFilters = Annotated[dict[str, str], Depends(_read_filters)]


@router.get("")
def show_audit(
    page: Renderer,
    session: AdministeredTenant,
    page_tenant: PageTenantDep,
    filters: AuditFilters,
    after: Annotated[UUID | None, Query()] = None,
) -> Response:
    """Show the entries that match the filters, newest first."""
    refusal, entries = None, []
    try:
        entries = list(
            audit.list_entries(session, _parse_audit_filter(filters), after=after, limit=PAGE_SIZE + 1)
        )
    except InvalidInput as error:
        refusal = error.message
    shown_entries = entries[:PAGE_SIZE]
    return page.show(
        "tenant/audit.html",
        active="audit",
        tenant=page_tenant,
        asked=filters,
        refused=refusal,
        entries=shown_entries,
        following=entries[PAGE_SIZE - 1].id if len(entries) > PAGE_SIZE else None,
        first=after is None,
        query=urlencode(filters),
        actions=ACTIONS,
        objects=AUDITED_OBJECTS,
        spaces={space.id: space.name for space in list_offered_spaces(session)},
        names=spaces.read_names_of_spaces(
            session,
            {SpaceId(entry.knowledge_space_id) for entry in shown_entries if entry.knowledge_space_id},
        ),
    )


@router.get("/entries.csv")
def download_audit(session: AdministeredTenant, filters: AuditFilters) -> Response:
    """Send the newest 10,000 entries that match the filters as CSV."""
    return PlainTextResponse(
        format_entries_as_csv(
            audit.list_entries(session, _parse_audit_filter(filters), limit=audit.MAX_LISTED_ENTRIES)
        ),
        media_type="text/csv",
        headers={**SECURITY_HEADERS, "content-disposition": 'attachment; filename="audit.csv"'},
    )


def _parse_audit_filter(filters: dict[str, str]) -> AuditFilter:
    """Return the parsed filter. Raises InvalidInput, which names the field that cannot be parsed."""
    space_id, parsed_object_id, last_day = (
        _parse_id(filters, "space"),
        _parse_id(filters, "object_id"),
        _parse_day(filters, "until"),
    )
    outcome = filters.get("outcome")
    if outcome not in (None, *Outcome):
        raise InvalidInput("An outcome is done or refused.", code="bad_outcome")
    return AuditFilter(
        actor=filters.get("actor"),
        action=filters.get("action"),
        space_id=None if space_id is None else SpaceId(space_id),
        object_id=parsed_object_id,
        outcome=None if outcome is None else Outcome(outcome),
        since=_parse_day(filters, "since"),
        # The last day is included.
        until=None if last_day is None else last_day + timedelta(days=1),
    )


def _parse_id(filters: dict[str, str], name: str) -> UUID | None:
    try:
        return UUID(filters[name]) if name in filters else None
    except ValueError:
        raise InvalidInput("An id is a uuid with hyphens.", code="invalid_id") from None


def _parse_day(filters: dict[str, str], name: str) -> datetime | None:
    try:
        return datetime.combine(date.fromisoformat(filters[name]), time.min, UTC) if name in filters else None
    except ValueError:
        raise InvalidInput("A day is written as 2026-01-31.", code="bad_day") from None
