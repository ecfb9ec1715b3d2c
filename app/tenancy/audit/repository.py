"""Reads and writes of the audit log. The application may add rows and read them, nothing else."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import any_, literal, or_, select

from app.db.models import AuditEvent
from app.db.session import OpenSession, PlatformSession, TenantSession
from app.ids import SpaceId, TenantId
from app.tenancy.audit.shapes import AuditFilter


def add_entry(session: OpenSession, event: AuditEvent) -> None:
    """Store a row; it is written at the next flush, at the latest at the commit."""
    session.orm.add(event)


def list_entries(
    session: OpenSession,
    tenant_id: TenantId | None,
    audit_filter: AuditFilter,
    *,
    after: UUID | None,
    limit: int,
) -> Sequence[AuditEvent]:
    """Return a page of entries, newest first, older than `after`; of all tenants if `tenant_id` is None."""
    query = select(AuditEvent).order_by(AuditEvent.id.desc()).limit(limit)
    if tenant_id is not None:
        query = query.where(AuditEvent.tenant_id == tenant_id)
    if after is not None:
        query = query.where(AuditEvent.id < after)
    if audit_filter.actor is not None:
        query = query.where(AuditEvent.actor == audit_filter.actor)
    if audit_filter.action is not None:
        prefix_condition = AuditEvent.action.startswith(f"{audit_filter.action}.", autoescape=True)
        query = query.where(or_(AuditEvent.action == audit_filter.action, prefix_condition))
    if audit_filter.space_id is not None:
        query = query.where(AuditEvent.knowledge_space_id == audit_filter.space_id)
    if audit_filter.object_id is not None:
        other_object_condition = literal(audit_filter.object_id) == any_(AuditEvent.other_ids)
        query = query.where(or_(AuditEvent.target_id == audit_filter.object_id, other_object_condition))
    if audit_filter.outcome is not None:
        query = query.where(AuditEvent.outcome == audit_filter.outcome)
    if audit_filter.since is not None:
        query = query.where(AuditEvent.created_at >= audit_filter.since)
    if audit_filter.until is not None:
        query = query.where(AuditEvent.created_at < audit_filter.until)
    return session.orm.scalars(query).all()


def list_entries_of_actions(
    platform: PlatformSession,
    actions: Sequence[str],
    *,
    since: datetime | None,
    until: datetime | None,
    after: UUID | None,
    limit: int,
) -> Sequence[AuditEvent]:
    """Return a page of all tenants' entries of these actions, oldest first, newer than `after`."""
    query = select(AuditEvent).where(AuditEvent.action.in_(actions)).order_by(AuditEvent.id).limit(limit)
    if after is not None:
        query = query.where(AuditEvent.id > after)
    if since is not None:
        query = query.where(AuditEvent.created_at >= since)
    if until is not None:
        query = query.where(AuditEvent.created_at < until)
    return platform.orm.scalars(query).all()


def count_rows_deleted_by_connection(session: OpenSession, space_id: SpaceId | None) -> dict[str, int]:
    """Return the rows that the session's connection has deleted, by table; for content on a cluster, those of
    the space.
    """
    session.orm.flush()
    counts_by_table: dict[str, int] = dict(
        session.run("tenancy.audit.count_rows_deleted_by_connection", should_prepare=False)
    )
    if session.is_clustered and space_id is not None:
        shard_by_table: dict[str, str] = dict(session.run("db.shards_of_space", {"space_id": space_id}))
        # There are none if Citus is installed but nothing is distributed yet.
        if shard_by_table:
            parameters = {
                "space_id": space_id,
                "tables": list(shard_by_table),
                "shards": list(shard_by_table.values()),
            }
            ((_, shard_counts),) = session.run(
                "tenancy.audit.count_deleted_rows_of_shards", parameters, should_prepare=False
            )
            counts_by_table |= shard_counts
    return counts_by_table


class ErasureReceipts(NamedTuple):
    """The rows deleted in a tenant's spaces, by table, and who requested the erasure."""

    row_counts: dict[str, int]
    requested_by: str


def sum_receipts_of_erasure(tenant: TenantSession) -> ErasureReceipts:
    """Return the sum of the receipts of a closed tenant's spaces, by table, and who requested its erasure."""
    rows = tenant.run("tenancy.audit.sum_receipts_of_erasure", should_prepare=False)
    return ErasureReceipts(
        {row[0]: row[1] for row in rows if row[0] is not None}, next((row[2] for row in rows), "unknown")
    )


def compute_smallest_uuid7_at(recorded_at: datetime) -> UUID:
    """Return the smallest UUIDv7 of a time: its first 48 bits are milliseconds."""
    return UUID(int=int(recorded_at.timestamp() * 1000) << 80)


def delete_batch_of_old_entries_and_count(
    platform: PlatformSession, recorded_before: datetime, *, limit: int
) -> int:
    """Remove the oldest entries before that time; return their number."""
    rows = platform.run(
        "tenancy.audit.delete_old_entries",
        {"oldest": compute_smallest_uuid7_at(recorded_before), "before": recorded_before, "limit": limit},
    )
    return int(rows[0][0])
