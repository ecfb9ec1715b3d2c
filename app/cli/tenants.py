"""Commands about tenants, their API keys, usage and audit log."""

from datetime import datetime
from typing import Annotated, Any, NamedTuple

import typer

from app.cli.context import ACTOR, find_tenant, start_servers_and_connect_operator
from app.cli.filtering import Words, filter_pages
from app.cli.options import TIME_FORMATS, AsJson, Limit, Tenant, Yes, convert_to_utc, make_group, parse_id
from app.cli.output import describe_deletion, print_line, print_note, show_json, show_table
from app.ids import ApiKeyId, SpaceId, TenantId
from app.ingest import service as ingest
from app.number_words import format_dollars
from app.tenancy.audit import service as audit
from app.tenancy.audit.entries_csv import format_entries_as_csv
from app.tenancy.audit.shapes import AuditFilter, Outcome
from app.tenancy.spaces import service as spaces
from app.tenancy.spaces import tenant_deletion
from app.tenancy.tenants import api_keys, budgets, quotas
from app.tenancy.tenants import service as tenants
from app.views.tenants import (
    AuditAnswer,
    KeyAnswer,
    NewKeyAnswer,
    QuotaAnswer,
    TenantAnswer,
    UsageAnswer,
)

tenant_app = make_group("tenant", "Create, list and erase tenants.")
key_app = make_group("key", "Create, list and revoke the API keys of a tenant.")


@tenant_app.command("create")
def create_tenant(
    name: Annotated[str, typer.Argument(help="Its name, short and unique.")], as_json: AsJson = False
) -> None:
    """Create a tenant."""
    with start_servers_and_connect_operator() as operator, operator.open_platform() as platform:
        tenant = tenants.create_tenant(platform, name=name, actor=ACTOR)
    if as_json:
        show_json(TenantAnswer.model_validate(tenant))
    else:
        print_line(f"Tenant {tenant.name} created: {tenant.id}")


@tenant_app.command("list")
def list_tenants(words: Words = None, limit: Limit = 100, as_json: AsJson = False) -> None:
    """List the tenants in order of creation."""
    with start_servers_and_connect_operator() as operator, operator.open_platform() as platform:
        rows = [
            TenantAnswer.model_validate(tenant)
            for tenant in filter_pages(
                words,
                limit,
                lambda last_row, limit: tenants.list_tenants(
                    platform, after=None if last_row is None else last_row.id, limit=limit
                ),
                lambda row: (row.name, row.id),
            )
        ]
    if as_json:
        show_json(rows)
    else:
        show_table(
            ["NAME", "ID", "MADE"],
            ([row.name, row.id, f"{row.created_at:%Y-%m-%d %H:%M}"] for row in rows),
            empty_message="No tenants yet: `citegraph tenant create NAME` creates one.",
        )


@tenant_app.command("budget")
def set_budget(
    name: Annotated[str, typer.Argument(help="Name or id.")],
    usd: Annotated[
        float | None, typer.Option("--usd", help="US dollars a month; by default no limit.")
    ] = None,
) -> None:
    """Set a tenant's monthly budget for model calls; jobs that waited for it continue."""
    with start_servers_and_connect_operator() as operator, operator.open_platform() as platform:
        tenant = budgets.set_budget_and_unpark_jobs(platform, name, usd, actor=ACTOR)
    budget_text = "no budget" if usd is None else f"a budget of {format_dollars(usd)} US dollars a month"
    print_line(f"Tenant {tenant.name} has {budget_text}; jobs that waited for it continue.")


@tenant_app.command("quota")
def set_quotas(
    name: Annotated[str, typer.Argument(help="Name or id.")],
    changes: Annotated[
        list[str] | None,
        typer.Argument(help="For example documents=5000 bytes=default; without any, only show the quotas."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Change quotas of a tenant, and show how much of each is used."""
    with start_servers_and_connect_operator() as operator:
        with operator.open_platform() as platform:
            tenant = find_tenant(platform, name)
            if changes:
                quotas.change_quotas_and_unpark_jobs(
                    platform, tenant.id, dict(map(_parse_quota_change, changes)), actor=ACTOR
                )
        quota_uses = ingest.list_quota_uses(operator.citegraph.database, TenantId(tenant.id))
    if as_json:
        show_json([QuotaAnswer.model_validate(quota_use) for quota_use in quota_uses])
    else:
        show_table(
            ["QUOTA", "USED#", "LIMIT#"],
            (
                [quota_use.quota, quota_use.used, "none" if quota_use.limit is None else quota_use.limit]
                for quota_use in quota_uses
            ),
            empty_message="",
        )


class _QuotaChange(NamedTuple):
    """A quota and its new limit; None resets it to the platform's."""

    quota: str
    limit_or_reset: int | None


def _parse_quota_change(change: str) -> _QuotaChange:
    """Parse QUOTA=NUMBER or QUOTA=default."""
    quota, _, value = change.partition("=")
    if value == "default":
        return _QuotaChange(quota, None)
    if not value.isascii() or not value.isdigit():
        raise typer.BadParameter("A change is QUOTA=NUMBER, or QUOTA=default for the platform's limit.")
    return _QuotaChange(quota, int(value))


@tenant_app.command("delete")
def delete_tenant(name: Annotated[str, typer.Argument(help="Name or id.")], yes: Yes = False) -> None:
    """Erase a tenant with its spaces, documents, graphs, keys and jobs; one audit entry remains."""
    with start_servers_and_connect_operator() as operator:
        with operator.open_platform() as platform:
            tenant = find_tenant(platform, name)
        if not yes:
            typer.confirm(f"Erase tenant {tenant.name} with everything it owns?", abort=True, err=True)
        tenant_name = tenant.name
        erasure = tenant_deletion.delete_tenant(operator.citegraph.database, TenantId(tenant.id), actor=ACTOR)
    print_line(f"Tenant {tenant_name} erased: {describe_deletion(erasure)}.")


@key_app.command("create")
def create_key(
    name: Annotated[str, typer.Argument(help="What the key is for.")],
    scope: Annotated[list[str], typer.Option(help="read, write or admin; may be given several times.")] = [  # noqa: B006 (typer reads it, nothing changes it)
        "read",
        "write",
    ],
    space: Annotated[
        list[str] | None, typer.Option(help="Only space that the key may open; may be given several times.")
    ] = None,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Create an API key and show it once."""
    with start_servers_and_connect_operator(tenant) as operator:
        space_ids: list[SpaceId] | None = (
            [operator.find_space(name_or_id)[1] for name_or_id in space] if space else None
        )
        with operator.open_tenant() as session:
            key, token = api_keys.create_key(
                session, name=name, scopes=scope, space_ids=space_ids, actor=ACTOR
            )
    if as_json:
        show_json(NewKeyAnswer.from_value(key, token=token.token))
    else:
        print_line(token.token)
        print_note("Only a hash of the key is stored: it cannot be shown again.")


@key_app.command("list")
def list_keys(
    words: Words = None, tenant: Tenant = None, limit: Limit = 100, as_json: AsJson = False
) -> None:
    """List the tenant's keys without their secrets, including revoked ones."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_tenant() as session:
        keys = [
            KeyAnswer.model_validate(key)
            for key in filter_pages(
                words,
                limit,
                lambda last_row, limit: api_keys.list_keys(
                    session, after=None if last_row is None else last_row.id, limit=limit
                ),
                lambda row: (
                    row.name,
                    row.key_id,
                    *row.scopes,
                    "revoked" if row.revoked_at else "live",
                    row.id,
                ),
            )
        ]
    if as_json:
        show_json(keys)
    else:
        show_table(
            ["KEY", "NAME", "SCOPES", "STATE", "ID"],
            (
                [
                    f"cg_live_{key.key_id}_…",
                    key.name,
                    " ".join(key.scopes),
                    "revoked" if key.revoked_at else "live",
                    key.id,
                ]
                for key in keys
            ),
            empty_message="No keys yet: `citegraph key create NAME` creates one.",
        )


@key_app.command("revoke")
def revoke_key(
    key: Annotated[str, typer.Argument(help="Its id, as `citegraph key list` shows it.")],
    tenant: Tenant = None,
) -> None:
    """Revoke a key; it is refused at once."""
    key_id = ApiKeyId(parse_id(key, "API key"))
    with start_servers_and_connect_operator(tenant) as operator, operator.open_tenant() as session:
        api_keys.revoke_key(session, key_id, actor=ACTOR)
    print_line("Revoked: the key is no longer accepted.")


def show_usage(
    days: Annotated[int, typer.Option(min=1, max=3660, help="Days to look back.")] = 30,
    space: Annotated[str | None, typer.Option("--space", help="Only this space, by name or id.")] = None,
    limit: Limit = 1000,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Show the tenant's usage, by space and day."""
    with start_servers_and_connect_operator(tenant) as operator:
        space_ids = None if space is None else [operator.find_space(space)[1]]
        with operator.open_tenant() as session:
            space_names = {
                listed_space.id: listed_space.name for listed_space in spaces.list_spaces(session, limit=1000)
            }
            rows: list[dict[str, Any]] = [
                {
                    **dict(UsageAnswer.model_validate(used_day)),
                    "space": space_names.get(used_day.knowledge_space_id, str(used_day.knowledge_space_id)),
                }
                for used_day in tenants.list_daily_usage(session, days=days, space_ids=space_ids, limit=limit)
            ]
    if as_json:
        show_json(rows)
        return
    columns = ["day", "space", "documents", "chunks", "bytes", "model_calls", "cost_usd", "queries"]
    headings = ["DAY", "SPACE", "DOCUMENTS#", "CHUNKS#", "BYTES#", "MODEL CALLS#", "USD#", "QUERIES#"]
    show_table(
        headings,
        (
            [format_dollars(row[name]) if name == "cost_usd" else row[name] for name in columns]
            for row in rows
        ),
        empty_message="Nothing used yet.",
    )


def show_audit(
    action: Annotated[
        str | None, typer.Option("--action", help="An action, or the prefix of several, for example node.")
    ] = None,
    actor: Annotated[str | None, typer.Option("--actor", help="Who did it, exactly.")] = None,
    object_id: Annotated[str | None, typer.Option("--id", help="Id of the thing that was changed.")] = None,
    space: Annotated[str | None, typer.Option("--space", help="Only this space, by name or id.")] = None,
    outcome: Annotated[Outcome | None, typer.Option("--outcome", help="done or refused.")] = None,
    since: Annotated[
        datetime | None,
        typer.Option(formats=TIME_FORMATS, help="Only entries from then on, in UTC unless it has a zone."),
    ] = None,
    until: Annotated[
        datetime | None, typer.Option(formats=TIME_FORMATS, help="Only entries before then.")
    ] = None,
    limit: Limit = 50,
    tenant: Tenant = None,
    as_table: Annotated[bool, typer.Option("--csv", help="Print CSV, with formulas escaped.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show the tenant's audit log, newest first."""
    with start_servers_and_connect_operator(tenant) as operator:
        audit_filter = AuditFilter(
            actor=actor,
            action=action,
            space_id=operator.find_space(space)[1] if space else None,
            object_id=parse_id(object_id, "thing") if object_id else None,
            outcome=outcome,
            since=convert_to_utc(since),
            until=convert_to_utc(until),
        )
        with operator.open_tenant() as session:
            entries = audit.list_entries(session, audit_filter, limit=limit)
    if as_table:
        print_line(format_entries_as_csv(entries).rstrip())
    elif as_json:
        show_json([AuditAnswer.model_validate(audit_event) for audit_event in entries])
    else:
        show_table(
            ["WHEN", "ACTION", "BY", "DOOR", "TARGET", "DETAILS"],
            (
                [
                    f"{audit_event.created_at:%Y-%m-%d %H:%M:%S}",
                    audit_event.action,
                    audit_event.actor,
                    audit_event.door,
                    audit_event.target_id or "",
                    " ".join(f"{name}={value}" for name, value in audit_event.details.items()),
                ]
                for audit_event in entries
            ),
            empty_message=(
                "Nothing recorded yet." if audit_filter == AuditFilter() else "No entry matches the filters."
            ),
        )
