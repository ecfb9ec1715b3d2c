"""The erasure of a tenant: access ends at once, its spaces are removed one by one, and finally its own row.

The next step is derived from what is left, so if a process dies the next sweep continues.
"""

from contextlib import suppress

import structlog

from app.db.database import Database
from app.db.errors import DATABASE_ERRORS, describe_error, is_cluster_node_unreachable
from app.errors import NotFound
from app.ids import TenantId
from app.tenancy.audit import receipts
from app.tenancy.audit import service as audit
from app.tenancy.audit.shapes import AuditFilter
from app.tenancy.spaces import service as spaces
from app.tenancy.spaces.shapes import Deletion, DeletionState
from app.tenancy.tenants import service as tenants

log = structlog.get_logger(__name__)

MAX_SPACES_PER_REQUEST, MAX_SPACES_PER_SWEEP = 10, 200
"""Numbers of spaces that a request and a sweep remove themselves."""


def delete_tenant(database: Database, tenant_id: TenantId, *, actor: str) -> Deletion:
    """Erase a tenant and all that it owns (requirement 1.4), leaving one audit row. Raises NotFound.

    From the first commit on its keys and accounts are invalid and its spaces cannot be found. Small spaces
    are removed here; workers remove the rows of large ones, and of the rest if there are many.
    """
    with database.open_platform() as platform:
        tenants.close_tenant_and_delete_keys_and_accounts(platform, tenant_id, actor=actor)
    return continue_deletion_of_tenant(database, tenant_id)


def continue_deletion_of_tenant(
    database: Database, tenant_id: TenantId, *, max_spaces: int = MAX_SPACES_PER_REQUEST
) -> Deletion:
    """Continue the erasure of a closed tenant; return the receipt if nothing is left, otherwise the state
    `deleting`.
    """
    with database.open_platform() as platform:
        tenants.delete_keys_and_accounts(platform, tenant_id)
    with database.open_tenant(tenant_id) as tenant:
        closed_space_ids = spaces.close_all_spaces_and_list_remaining(tenant, limit=max_spaces)
    for space_id in closed_space_ids:
        spaces.delete_closed_space_or_enqueue(database, tenant_id, space_id)
    with database.open_tenant(tenant_id) as tenant:
        if spaces.close_all_spaces_and_list_remaining(tenant, limit=1):
            return Deletion(tenant_id, DeletionState.DELETING)
        erased_space_counts, actor = receipts.sum_receipts_of_erasure(tenant)
    with database.open_platform() as platform:
        row_counts = tenants.erase_closed_tenant(
            platform, tenant_id, earlier_counts=erased_space_counts, actor=actor
        )
    return Deletion(tenant_id, DeletionState.DONE, row_counts or {})


def get_receipt_of_tenant_erasure(database: Database, tenant_id: TenantId) -> Deletion:
    """Return the receipt of a requested erasure: so far while rows are left. Raises NotFound if the tenant
    exists or is unknown.
    """
    with database.open_platform() as platform:
        is_closed = tenants.is_tenant_closed(platform, tenant_id)
        audit_filter = AuditFilter(action="tenant.erase", object_id=tenant_id)
        for entry in audit.list_entries(platform, audit_filter, limit=1):
            return Deletion(tenant_id, DeletionState.DONE, entry.details)
    if not is_closed:
        raise NotFound("deletion")
    with database.open_tenant(tenant_id) as tenant:
        space_ids = spaces.list_closed_space_ids(tenant, limit=MAX_SPACES_PER_SWEEP)
        row_counts, _ = receipts.sum_receipts_of_erasure(tenant)
    for space_id in space_ids:
        # Of a space whose removal has not begun, or has ended meanwhile, there is nothing to add.
        with suppress(NotFound):
            space_deletion = spaces.get_receipt_of_space_deletion(database, tenant_id, space_id)
            if space_deletion.state is DeletionState.DELETING:
                row_counts = receipts.sum_row_counts(row_counts, space_deletion.rows)
    return Deletion(tenant_id, DeletionState.DELETING, row_counts)


def continue_all_tenant_deletions(database: Database) -> None:
    """Continue every requested erasure; one whose Citus node cannot be reached is postponed."""
    with database.open_platform() as platform:
        closed_tenant_ids = tenants.list_closed_tenant_ids(platform)
    for tenant_id in closed_tenant_ids:
        try:
            continue_deletion_of_tenant(database, tenant_id, max_spaces=MAX_SPACES_PER_SWEEP)
        except DATABASE_ERRORS as error:
            if not is_cluster_node_unreachable(error):
                raise
            log.warning("erasure_waits", tenant=str(tenant_id), **describe_error(error))
