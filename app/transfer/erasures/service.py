"""Erasures that are repeated after a restore (requirement 22.3): listing them, and erasing again.

A dump that was made before an erasure has the erased data. The list of erasures is kept outside the database
and repeated in the restored one. It has ids, times and options, never content.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from app.db.database import Database
from app.db.models import AuditEvent
from app.db.session import PlatformSession
from app.errors import Conflict, NotFound
from app.ids import TenantId
from app.tenancy.audit import service as audit
from app.tenancy.audit.shapes import AuditFilter
from app.tenancy.tenants import service as tenants
from app.transfer.erasures.kinds import ERASURE_KINDS, ErasureKind, Repetition
from app.transfer.erasures.shapes import Erasure, ErasureLog, Outcome, RepeatedErasure

_KIND_BY_ACTION = {action: kind for kind in ERASURE_KINDS.values() for action in kind.actions}
_COMPLETED_OUTCOMES = (Outcome.ERASED, Outcome.BEING_REMOVED)


def read_erasure_log(
    platform: PlatformSession, *, since: datetime | None, until: datetime | None, audit_days: int
) -> ErasureLog:
    """Return all tenants' erasures of this time as the audit log has them, oldest first.

    `audit_days` is the retention of the log.
    """
    entries = audit.iter_entries_of_actions(platform, list(_KIND_BY_ACTION), since=since, until=until)
    return ErasureLog(
        [erasure for entry in entries if (erasure := _build_erasure_from_entry(entry)) is not None],
        audit.find_last_purge_cutoff(platform, days=audit_days),
    )


def _build_erasure_from_entry(entry: AuditEvent) -> Erasure | None:
    """Return the erasure that an entry recorded; None if it erased nothing."""
    kind = _KIND_BY_ACTION[entry.action]
    ids = tuple(erased_id for erased_id in kind.list_ids(entry) if erased_id is not None)
    tenant_id = entry.tenant_id or entry.target_id
    if not ids or tenant_id is None:
        return None
    return Erasure(
        entry_id=entry.id,
        kind=kind.name,
        tenant_id=tenant_id,
        # A deletion of a space is recorded at its tenant.
        space_id=entry.target_id if kind.name == "space" else entry.knowledge_space_id,
        ids=ids,
        erased_at=entry.created_at,
        prune=_find_prune_option(entry.details) if kind.name == "document" else None,
    )


def _find_prune_option(details: Mapping[str, object]) -> bool | None:
    """Return the option of a document's deletion; of entries of earlier versions as their counts show it."""
    option = details.get("prune")
    if isinstance(option, bool):
        return option
    return bool(details.get("pruned_edges")) if details.get("unlinked_edges") else None


def repeat_erasures(
    database: Database, erasures: Sequence[Erasure], *, actor: str, is_dry_run: bool = False
) -> Iterator[RepeatedErasure]:
    """Erase again what is in the database, one object after the other, and yield the outcomes.

    Each erasure has its own transaction and its own audit entry, so a run that ends early is continued by
    the next one. Of an object that is listed several times, the last erasure counts.
    """
    repetition = Repetition(database, actor, is_dry_run)
    last_erasures = {(erasure.kind, erasure.tenant_id, erasure.ids): erasure for erasure in erasures}
    kind_order = list(ERASURE_KINDS)
    known_tenants: dict[UUID, bool] = {}
    # What goes with its tenant or space; in a dry run it would still be found.
    erased_owner_ids: set[UUID | None] = set()
    for erasure in sorted(last_erasures.values(), key=lambda erasure: kind_order.index(erasure.kind)):
        if erasure.tenant_id not in known_tenants:
            known_tenants[erasure.tenant_id] = _is_tenant_known(database, TenantId(erasure.tenant_id))
        if not known_tenants[erasure.tenant_id]:
            yield RepeatedErasure(erasure, Outcome.UNKNOWN_TENANT)
        elif erased_owner_ids & {erasure.tenant_id, erasure.space_id}:
            yield RepeatedErasure(erasure, Outcome.ALREADY_GONE)
        else:
            repeated = _repeat(repetition, ERASURE_KINDS[erasure.kind], erasure)
            if erasure.kind in ("tenant", "space") and repeated.outcome in _COMPLETED_OUTCOMES:
                erased_owner_ids.update(erasure.ids)
            yield repeated


def _repeat(repetition: Repetition, kind: ErasureKind, erasure: Erasure) -> RepeatedErasure:
    try:
        return RepeatedErasure(erasure, kind.repeat(repetition, erasure))
    except NotFound:
        return RepeatedErasure(erasure, Outcome.ALREADY_GONE)
    except Conflict as error:
        return RepeatedErasure(erasure, Outcome.REFUSED, error.message)


def _is_tenant_known(database: Database, tenant_id: TenantId) -> bool:
    """Return whether the database has the tenant, or has erased it."""
    with database.open_platform() as platform:
        if tenants.is_tenant_closed(platform, tenant_id):
            return True
        try:
            tenants.get_tenant(platform, tenant_id)
        except NotFound:
            erasure_filter = AuditFilter(action="tenant.erase", object_id=tenant_id)
            return bool(audit.list_entries(platform, erasure_filter, limit=1))
    return True
