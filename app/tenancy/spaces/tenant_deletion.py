"""The erasure of a tenant: access ends at once, its spaces go one by one, and its row with the rest at last.

What is to be done next is read from what is left, so whoever dies on the way is followed by the next sweep.
"""

import structlog

from app.db.errors import DATABASE_ERRORS, describe_error, is_part_gone
from app.db.session import Database, PlatformSession
from app.errors import NotFound
from app.ids import TenantId
from app.tenancy.audit import receipts
from app.tenancy.audit import service as audit
from app.tenancy.audit.shapes import AuditFilter
from app.tenancy.spaces import service as spaces
from app.tenancy.spaces.shapes import Deletion, DeletionState
from app.tenancy.tenants import service as tenants

log = structlog.get_logger(__name__)

AT_ONCE, AT_A_SWEEP = 10, 200
"""Spaces that a request attends to itself, and a sweep."""


def delete_tenant(database: Database, tenant_id: TenantId, *, actor: str) -> Deletion:
    """Erase a tenant and all that it owns (requirement 1.4), leaving one audit row. Raises NotFound.

    From the first commit on its keys and members are strangers and its spaces are found by nobody. Small
    spaces go here and now; of large ones, and of many, workers remove the rows.
    """
    with database.open_platform() as platform:
        tenants.close_tenant(platform, tenant_id, actor=actor)
    return advance_deletion(database, tenant_id)


def advance_deletion(database: Database, tenant_id: TenantId, *, most: int = AT_ONCE) -> Deletion:
    """Bring the erasure of a closed tenant on: the receipt once nothing is left, else that it goes on."""
    with database.open_platform() as platform:
        tenants.delete_keys_and_accounts(platform, tenant_id)
    with database.open_tenant(tenant_id) as tenant:
        closed_ids = spaces.close_all_spaces(tenant, limit=most)
    for space_id in closed_ids:
        spaces.delete_closed_space_or_enqueue(database, tenant_id, space_id)
    with database.open_tenant(tenant_id) as tenant:
        if spaces.close_all_spaces(tenant, limit=1):
            return Deletion(tenant_id, DeletionState.DELETING)
        earlier, actor = receipts.of_erased_spaces(tenant)
    with database.open_platform() as platform:
        rows = tenants.erase_closed_tenant(platform, tenant_id, earlier=earlier, actor=actor)
    return Deletion(tenant_id, DeletionState.DONE, rows or {})


def get_deletion_receipt(platform: PlatformSession, tenant_id: TenantId) -> Deletion:
    """The receipt of an erasure that was asked for. Raises NotFound: of a tenant that stands, or of none."""
    audit_filter = AuditFilter(action="tenant.erase", concerned=tenant_id)
    for entry in audit.list_entries(platform, audit_filter, limit=1):
        return Deletion(tenant_id, DeletionState.DONE, entry.details)
    if not tenants.is_tenant_closed(platform, tenant_id):
        raise NotFound("deletion")
    return Deletion(tenant_id, DeletionState.DELETING)


def advance_all_deletions(database: Database) -> None:
    """Bring on every erasure that was asked for; one whose space's node cannot be reached waits for it."""
    with database.open_platform() as platform:
        waiting = tenants.list_closed_tenants(platform)
    for tenant_id in waiting:
        try:
            advance_deletion(database, tenant_id, most=AT_A_SWEEP)
        except DATABASE_ERRORS as error:
            if not is_part_gone(error):
                raise
            log.warning("erasure_waits", tenant=str(tenant_id), **describe_error(error))
