"""Rules of tenants: creating, renaming and erasing them, and counting their usage."""

from typing import NamedTuple
from uuid import UUID

from app.db.database import Database
from app.db.models import ApiKey, Tenant
from app.db.session import OpenSession, PlatformSession, TenantSession
from app.errors import Conflict, NotFound
from app.ids import SpaceId, TenantId, create_id
from app.tenancy.audit import receipts
from app.tenancy.audit import service as audit
from app.tenancy.tenants import repository
from app.tenancy.tenants.api_key_token import NewToken
from app.tenancy.tenants.api_keys import SCOPES, create_key
from app.tenancy.tenants.repository import (
    DayAndSpace,
    delete_keys_and_accounts,
    is_tenant_closed,
    list_closed_tenant_ids,
    list_daily_usage,
    list_tenants,
    preserve_month_usage_of_deleted_space,
)

__all__ = [
    "DayAndSpace",
    "delete_keys_and_accounts",
    "is_tenant_closed",
    "list_closed_tenant_ids",
    "list_daily_usage",
    "list_tenants",
    "preserve_month_usage_of_deleted_space",
]


def create_tenant(platform: PlatformSession, *, name: str, actor: str) -> Tenant:
    """Create a tenant. Raises Conflict if the name is taken."""
    if repository.find_tenant(platform, name) is not None:
        raise Conflict("A tenant of that name exists.", code="name_taken")
    tenant = Tenant(id=create_id(), name=name)
    repository.add_tenant(platform, tenant)
    audit.record_platform_action(
        platform, "tenant.create", actor=actor, tenant_id=TenantId(tenant.id), target=tenant.id
    )
    return tenant


class TenantAndKey(NamedTuple):
    """A new tenant, its first key, and the key's token, which is shown once."""

    tenant: Tenant
    key: ApiKey
    token: NewToken


def create_tenant_and_key(database: Database, *, name: str, actor: str) -> TenantAndKey:
    """Create a tenant and its first key, which has all scopes. Raises Conflict if the name is taken.

    Two transactions: a key is written under its tenant's row-level security, which requires the tenant's row.
    """
    with database.open_platform() as platform:
        tenant = create_tenant(platform, name=name, actor=actor)
    with database.open_tenant(TenantId(tenant.id)) as session:
        key, token = create_key(session, name="first key", scopes=SCOPES, actor=actor)
    return TenantAndKey(tenant, key, token)


def get_tenant(platform: PlatformSession, name_or_id: str | UUID) -> Tenant:
    """Return the tenant with that name or id; a UUID is never taken for a name. Raises NotFound."""
    tenant = None if isinstance(name_or_id, UUID) else repository.find_tenant(platform, name_or_id)
    if tenant is None:
        try:
            tenant = repository.get_tenant(platform, TenantId(UUID(str(name_or_id))))
        except ValueError:
            tenant = None
    if tenant is None:
        raise NotFound("tenant")
    return tenant


def get_session_tenant(tenant: TenantSession) -> Tenant:
    """Return the tenant of the session. Raises NotFound if it has been erased."""
    tenant_row = repository.get_session_tenant(tenant)
    if tenant_row is None:
        raise NotFound("tenant")
    return tenant_row


def rename_tenant(platform: PlatformSession, tenant_id: TenantId, name: str, *, actor: str) -> Tenant:
    """Rename the tenant and return it. Raises NotFound, Conflict if the name is taken."""
    tenant = get_tenant(platform, tenant_id)
    if name != tenant.name:
        if repository.find_tenant(platform, name) is not None:
            raise Conflict("A tenant of that name exists.", code="name_taken")
        tenant.name = name
        audit.record_platform_action(
            platform, "tenant.rename", actor=actor, tenant_id=tenant_id, target=tenant_id
        )
    return tenant


def close_tenant_and_delete_keys_and_accounts(
    platform: PlatformSession, tenant_id: TenantId, *, actor: str
) -> None:
    """Begin to erase a tenant: it can no longer be found, and its keys and accounts are removed. Raises
    NotFound.
    """
    if not repository.close_tenant(platform, tenant_id):
        raise NotFound("tenant")
    with receipts.count_deleted_rows_within(platform, None) as row_counts:
        repository.delete_keys_and_accounts(platform, tenant_id)
    audit.record_platform_action(
        platform, "tenant.close", actor=actor, tenant_id=tenant_id, details=row_counts
    )


def erase_closed_tenant(
    platform: PlatformSession, tenant_id: TenantId, *, earlier_counts: receipts.RowCounts, actor: str
) -> receipts.RowCounts | None:
    """Erase a closed tenant that has no spaces left, leaving one audit row (requirement 1.4).

    Return the deleted rows by table, including the `earlier_counts` ones; None if it is already gone.
    """
    with receipts.count_deleted_rows_within(platform, None) as last_counts:
        if not repository.erase_closed_tenant(platform, tenant_id):
            return None
    row_counts = receipts.sum_row_counts(earlier_counts, last_counts)
    audit.record_platform_action(
        platform, "tenant.erase", actor=actor, tenant_id=None, target=tenant_id, details=row_counts
    )
    return row_counts


def add_to_daily_usage(session: OpenSession, *, space_id: SpaceId, **amounts: int | float) -> None:
    """Add to today's counters of a space; the names are those of usage_daily's columns."""
    repository.add_to_daily_usage(session, space_id=space_id, **amounts)
