"""Rules of the audit log: every change adds a row in its own transaction, and no row has text of a document.

The service that makes a change records it; the actor and the address come from `origin`, which the entry
point has set. A change that is rolled back leaves no row, and a committed one always has its row.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

import structlog

from app.db.database import Database
from app.db.models import AuditEvent
from app.db.session import OpenSession, PlatformSession, SpaceSession, TenantSession
from app.errors import InvalidInput
from app.ids import SpaceId, TenantId, create_id
from app.tenancy.audit import repository
from app.tenancy.audit.actions import ACTIONS
from app.tenancy.audit.origin import get_current_origin
from app.tenancy.audit.shapes import ActorKind, AuditFilter, Details, Origin, Outcome

MAX_TARGET_IDS = 1_000
"""Maximum number of ids in one row; of more, the first are stored, and their total."""
MAX_LISTED_ENTRIES = 10_000
MAX_DELETED_ENTRIES = 10_000
"""Number of entries that one transaction removes."""
# Between the clock of a process, in an entry's id, and that of the database, in its time.
_MAX_CLOCK_SKEW = timedelta(days=1)
# A code, the name of a setting, or an id: neither a sentence nor a name that a person chose.
_CODE = re.compile(r"[A-Za-z0-9_.:/+-]{0,80}")


def record(
    session: SpaceSession | TenantSession,
    action: str,
    *,
    actor: str | None = None,
    target: UUID | None = None,
    other_targets: Iterable[UUID] = (),
    details: Details | None = None,
    space_id: SpaceId | None = None,
) -> None:
    """Add one row, in the transaction of the change that it describes.

    `action` is object.verb and never changes. The actor is that of `origin` unless one is given.
    `other_targets` are the ids of further objects of the action, besides its target.
    """
    if isinstance(session, SpaceSession):
        space_id = session.space_id
    _store_event(
        session, _build_event(action, actor, target, other_targets, details), session.tenant_id, space_id
    )


def record_platform_action(
    platform: PlatformSession,
    action: str,
    *,
    tenant_id: TenantId | None,
    actor: str | None = None,
    target: UUID | None = None,
    details: Details | None = None,
    outcome: Outcome = Outcome.DONE,
) -> None:
    """Add one row about a tenant, or about none, for an action of the platform."""
    event = _build_event(action, actor, target, (), details)
    event.outcome = outcome
    _store_event(platform, event, tenant_id, None)


def list_entries(
    session: TenantSession | PlatformSession,
    audit_filter: AuditFilter | None = None,
    *,
    after: UUID | None = None,
    limit: int = 100,
) -> Sequence[AuditEvent]:
    """Return a page of the tenant's entries, newest first, older than `after`; a platform session sees all
    tenants'.
    """
    audit_filter = audit_filter or AuditFilter()
    for moment in (audit_filter.since, audit_filter.until):
        if moment is not None and moment.tzinfo is None:
            raise InvalidInput("A moment must say its time zone.", code="naive_time")
    tenant_id = session.tenant_id if isinstance(session, TenantSession) else None
    return repository.list_entries(
        session, tenant_id, audit_filter, after=after, limit=min(limit, MAX_LISTED_ENTRIES)
    )


def iter_entries_of_actions(
    platform: PlatformSession,
    actions: Sequence[str],
    *,
    since: datetime | None = None,
    until: datetime | None = None,
) -> Iterator[AuditEvent]:
    """Yield all tenants' entries of these actions, oldest first."""
    # Ids are in the order of the clocks that made them, so the primary key finds the begin of the time.
    last_id = None if since is None else repository.compute_smallest_uuid7_at(since - _MAX_CLOCK_SKEW)
    while entries := repository.list_entries_of_actions(
        platform, actions, since=since, until=until, after=last_id, limit=MAX_LISTED_ENTRIES
    ):
        yield from entries
        last_id = entries[-1].id


def find_last_purge_cutoff(platform: PlatformSession, *, days: int) -> datetime | None:
    """Return the time before which entries were removed; None if none were.

    `days` is the retention, for purges recorded by earlier versions, which did not state the time.
    """
    for purge in repository.list_entries(
        platform, None, AuditFilter(action="audit.purge"), after=None, limit=1
    ):
        if isinstance(before := purge.details.get("before"), str):
            return datetime.fromisoformat(before)
        return purge.created_at - timedelta(days=days)
    return None


def delete_old_entries_and_record_count(database: Database, *, days: int, now: datetime | None = None) -> int:
    """Remove entries older than `days`, leaving one entry with their number; return that number.

    Each transaction removes a bounded batch. The database must be opened with the migration login, because
    the application may not delete entries. Raises psycopg.Error without that permission.
    """
    cutoff = (now or datetime.now(UTC)) - timedelta(days=days)
    removed_count, batch_count = 0, MAX_DELETED_ENTRIES
    while batch_count == MAX_DELETED_ENTRIES:
        with database.open_platform() as platform:
            batch_count = repository.delete_batch_of_old_entries_and_count(
                platform, cutoff, limit=MAX_DELETED_ENTRIES
            )
            if batch_count:
                record_platform_action(
                    platform,
                    "audit.purge",
                    tenant_id=None,
                    details={"removed": batch_count, "before": cutoff.isoformat()},
                )
        removed_count += batch_count
    return removed_count


def _build_event(
    action: str,
    actor: str | None,
    target: UUID | None,
    other_targets: Iterable[UUID],
    details: Details | None,
) -> AuditEvent:
    if action not in ACTIONS:
        raise ValueError(f"{action} is no action of app.tenancy.audit.actions.")
    origin = get_current_origin()
    other_ids = list(dict.fromkeys(other_targets))
    checked_details = _check_and_copy_details(details or {})
    if len(other_ids) > MAX_TARGET_IDS:
        checked_details["ids_in_all"] = len(other_ids)
    return AuditEvent(
        id=create_id(),
        actor=actor or origin.actor,
        actor_kind=_determine_actor_kind(actor, origin),
        action=action,
        target_id=target,
        other_ids=other_ids[:MAX_TARGET_IDS],
        door=origin.door,
        address=origin.address,
        outcome=Outcome.DONE,
        details=checked_details,
        request_id=structlog.contextvars.get_contextvars().get("request_id"),
    )


def _store_event(
    session: OpenSession, event: AuditEvent, tenant_id: TenantId | None, space_id: SpaceId | None
) -> None:
    event.tenant_id, event.knowledge_space_id = tenant_id, space_id
    repository.add_entry(session, event)


def _determine_actor_kind(actor: str | None, origin: Origin) -> ActorKind:
    """Return the kind of the actor: that of the origin, unless another actor is named, as during a
    sign-in.
    """
    if actor is None or actor == origin.actor:
        return origin.kind
    return ActorKind.ACCOUNT if "@" in actor else ActorKind.UNKNOWN


def _check_and_copy_details(details: Details) -> dict[str, object]:
    """Return the details. Raises ValueError for a value that may be text, because it would outlive the
    document's deletion.
    """
    for name, value in details.items():
        texts = [value] if isinstance(value, str) else value if isinstance(value, Sequence) else []
        if not all(_CODE.fullmatch(text) for text in texts):
            raise ValueError(f"{name} of an audit entry is no code: names and quotes do not belong there.")
    return dict(details)
