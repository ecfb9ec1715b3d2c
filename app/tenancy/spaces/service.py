"""Rules of knowledge spaces: creating, finding, changing and deleting them, and their settings."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypedDict, Unpack
from uuid import UUID

from pydantic import ValidationError

from app.db.changes import Change
from app.db.database import Database
from app.db.models import KnowledgeSpace
from app.db.session import SpaceSession, TenantSession
from app.domain.relation_types import WORKS_FOR
from app.errors import Conflict, InputFault, InvalidInput, NotFound
from app.http.edit_versions import service as versions
from app.http.edit_versions.shapes import ExpectedVersions, Kind, Resource
from app.ids import SpaceId, TenantId, create_id
from app.jobs import queue
from app.jobs.kinds import DeleteSpace
from app.jobs.states import FINAL_STATES
from app.llm.errors import BudgetExhausted
from app.space_settings import RELATION_TYPES, SpaceSettings
from app.tenancy.audit import receipts
from app.tenancy.audit import service as audit
from app.tenancy.audit.shapes import AuditFilter
from app.tenancy.spaces import repository
from app.tenancy.spaces.repository import (
    allocate_vector_set_number,
    get_open_space_row,
    increment_erasure_count_of_space,
    list_closed_space_ids,
    list_newest_space_ids,
    list_spaces,
    lock_graph_and_increment_revision,
    lock_graph_and_read_erasure_count,
    lock_vector_set_shared_and_get_number,
    read_names_of_spaces,
    switch_vector_set,
)
from app.tenancy.spaces.shapes import Deletion, DeletionState
from app.tenancy.tenants import quotas
from app.tenancy.tenants import service as tenants

__all__ = [
    "allocate_vector_set_number",
    "get_open_space_row",
    "increment_erasure_count_of_space",
    "list_closed_space_ids",
    "list_newest_space_ids",
    "list_spaces",
    "lock_graph_and_increment_revision",
    "lock_graph_and_read_erasure_count",
    "lock_vector_set_shared_and_get_number",
    "read_names_of_spaces",
    "switch_vector_set",
]

MAX_ROWS_OF_SMALL_SPACE = 2_000
"""Maximum number of rows in each table of a space that is deleted immediately."""
ROWS_OF_ALL_TABLES = "rows"
"""Name of the sum among the counts of a deletion's job."""


@dataclass(frozen=True)
class _EarlierState:
    """A space's name, description and settings before a change."""

    name: str
    description: str
    settings: dict[str, Any]


def create_space(
    tenant: TenantSession,
    *,
    name: str,
    embedding_model: str,
    embedding_dimensions: int,
    actor: str,
    description: str = "",
    settings: SpaceSettings | None = None,
) -> KnowledgeSpace:
    """Create an empty space. Raises Conflict if the tenant has one with that name, QuotaExceeded if it has
    too many.
    """
    quotas.lock_and_check_space_quota(tenant)
    _require_storable_relation_types([] if settings is None else settings.extra_relation_types)
    if repository.find_space(tenant, name) is not None:
        raise Conflict("A space of that name exists.", code="name_taken")
    space = KnowledgeSpace(
        id=create_id(),
        tenant_id=tenant.tenant_id,
        name=name,
        description=description,
        settings=(settings or SpaceSettings()).model_dump(exclude_defaults=True),
        embedding_model=embedding_model,
        embedding_dimensions=embedding_dimensions,
    )
    repository.add_space(tenant, space)
    audit.record(tenant, "space.create", actor=actor, target=space.id, space_id=SpaceId(space.id))
    return space


def get_space(tenant: TenantSession, name_or_id: str | UUID) -> KnowledgeSpace:
    """Return the tenant's space with that name or id; a UUID is never taken for a name. Raises NotFound."""
    space = None if isinstance(name_or_id, UUID) else repository.find_space(tenant, name_or_id)
    if space is None:
        try:
            space = repository.get_space(tenant, SpaceId(UUID(str(name_or_id))))
        except ValueError:
            space = None
    if space is None:
        raise NotFound("space")
    return space


def update_space_row(
    tenant: TenantSession,
    space_id: SpaceId,
    *,
    actor: str,
    name: str | None = None,
    description: str | None = None,
    settings: SpaceSettings | None = None,
    setting_changes: Mapping[str, Any] | None = None,
) -> KnowledgeSpace:
    """Change a space and return it: `settings` replace all earlier ones, `setting_changes` those that they
    name.

    Raises NotFound, Conflict if the name is taken, and InvalidInput for settings that contradict each other.
    """
    _require_storable_relation_types((setting_changes or {}).get("extra_relation_types") or [])
    _require_storable_relation_types([] if settings is None else settings.extra_relation_types)
    # Locked, so that two simultaneous changes of different settings are both applied.
    space = repository.lock_space(tenant, space_id)
    if space is None:
        raise NotFound("space")
    earlier_state = _EarlierState(space.name, space.description, dict(space.settings))
    if name is not None and name != space.name:
        if repository.find_space(tenant, name) is not None:
            raise Conflict("A space of that name exists.", code="name_taken")
        space.name = name
    if description is not None:
        space.description = description
    if settings is not None:
        space.settings = settings.model_dump(exclude_defaults=True)
    if setting_changes is not None:
        space.settings = merge_space_settings(space.settings, setting_changes).model_dump(
            exclude_defaults=True
        )
    repository.write_changes_and_reload_space(tenant, space)
    audit.record(
        tenant,
        "space.update",
        actor=actor,
        target=space_id,
        space_id=space_id,
        details={
            "renamed": space.name != earlier_state.name,
            "described": space.description != earlier_state.description,
            "settings": sorted(
                setting_name
                for setting_name in {**earlier_state.settings, **space.settings}
                if earlier_state.settings.get(setting_name) != space.settings.get(setting_name)
            ),
        },
    )
    return space


class SpaceChanges(TypedDict, total=False):
    """Changes of a space; values that are left out or None are unchanged."""

    name: str | None
    description: str | None
    setting_changes: Mapping[str, Any] | None


def update_space(
    database: Database,
    tenant_id: TenantId,
    space_id: SpaceId,
    *,
    actor: str,
    expected_versions: ExpectedVersions | None = None,
    **changes: Unpack[SpaceChanges],
) -> KnowledgeSpace:
    """Change the space, see `update_space_row`, and return it. If settings change, eviction may become due.

    Raises Stale if the space is no longer as its editor has seen it.
    """
    with database.open_tenant(tenant_id) as tenant:
        versions.lock_and_check_version(tenant, Resource(Kind.SPACE, space_id), expected_versions)
        space = update_space_row(tenant, space_id, actor=actor, **changes)
    if changes.get("setting_changes") is not None:
        # The tenant's session cannot see the jobs of a space.
        with database.open_space(tenant_id, space_id) as space_session:
            space_session.mark_change(Change.GROWTH)
            if "budget_usd" in (changes.get("setting_changes") or {}):
                queue.unpark_jobs_of_tenant_and_count(space_session, tenant_id, code=BudgetExhausted.code)
    return space


def delete_space(
    database: Database,
    tenant_id: TenantId,
    space_id: SpaceId,
    *,
    actor: str,
    expected_versions: ExpectedVersions | None = None,
) -> Deletion:
    """Delete a space and all that it owns (requirement 1.4); return the receipt. Raises NotFound, Stale.

    A small space is deleted immediately. A larger one is closed: from the commit on it cannot be found and
    its name is free, and a job removes its rows, which the audit log records as `space.erase`. Its jobs are
    first cancelled in their own transaction: the next write of a running worker is then fenced off, so it
    cannot wait for the space's row while it holds its job's row.
    """
    resource = Resource(Kind.SPACE, space_id)
    with database.open_space(tenant_id, space_id) as space:
        # Without the space's lock, for which a worker may wait while it holds its job's row.
        versions.check_version_without_lock(space, resource, expected_versions)
        queue.cancel_all_jobs_and_count(space)
        is_large = repository.has_table_with_more_rows_than(space, MAX_ROWS_OF_SMALL_SPACE)
    if is_large:
        _close_space_and_enqueue_deletion(
            database, tenant_id, space_id, actor=actor, expected_versions=expected_versions
        )
        return Deletion(space_id, DeletionState.DELETING)
    with database.open_tenant(tenant_id) as tenant:
        versions.lock_and_check_version(tenant, resource, expected_versions)
        row_counts = _erase_space(tenant, space_id)
        audit.record(tenant, "space.delete", actor=actor, target=space_id, details=row_counts)
    return Deletion(space_id, DeletionState.DONE, row_counts)


def get_receipt_of_space_deletion(database: Database, tenant_id: TenantId, space_id: SpaceId) -> Deletion:
    """Return the receipt of a requested deletion: so far by its job while that runs. Raises NotFound if none
    was requested, or if the space is unknown.
    """
    with suppress(NotFound), database.open_space(tenant_id, space_id, may_be_closed=True) as space:
        for job in queue.list_jobs_of_kind(space, DeleteSpace.kind):
            row_counts = {table: count for table, count in job.counts.items() if table != ROWS_OF_ALL_TABLES}
            return Deletion(space_id, DeletionState.DELETING, row_counts)
    with database.open_tenant(tenant_id) as tenant:
        entries = audit.list_entries(tenant, AuditFilter(object_id=space_id), limit=1)
        is_open = repository.get_space(tenant, space_id) is not None
    for entry in entries:
        if entry.action in ("space.erase", "space.delete"):
            return Deletion(space_id, DeletionState.DONE, entry.details)
    raise NotFound("deletion" if is_open else "space")


def _erase_space(tenant: TenantSession, space_id: SpaceId) -> receipts.RowCounts:
    with receipts.count_deleted_rows_within(tenant, space_id) as row_counts:
        tenants.preserve_month_usage_of_deleted_space(tenant, tenant.tenant_id, space_id)
        if not repository.delete_space(tenant, space_id):
            raise NotFound("space")
    return row_counts


def close_all_spaces_and_list_remaining(tenant: TenantSession, *, limit: int) -> list[SpaceId]:
    """Close all spaces of a tenant that is being erased; return the first of those not removed yet."""
    repository.close_all_spaces(tenant)
    return repository.list_closed_space_ids(tenant, limit=limit)


def delete_closed_space_or_enqueue(database: Database, tenant_id: TenantId, space_id: SpaceId) -> None:
    """Remove a closed space: immediately if it is small, otherwise by its job, which is queued if there is
    none.
    """
    with suppress(NotFound):
        with database.open_space(tenant_id, space_id, may_be_closed=True) as space:
            jobs = queue.lock_enqueueing_and_list_jobs_of_kind(space, DeleteSpace.kind)
            if any(job.state not in FINAL_STATES for job in jobs):
                return
            queue.cancel_all_jobs_and_count(space)
            is_large = repository.has_table_with_more_rows_than(space, MAX_ROWS_OF_SMALL_SPACE)
            if is_large:
                queue.enqueue(space, DeleteSpace())
        if not is_large:
            with database.open_tenant(tenant_id) as tenant:
                row_counts = _erase_space(tenant, space_id)
                audit.record(tenant, "space.erase", target=space_id, details=row_counts)


def _close_space_and_enqueue_deletion(
    database: Database,
    tenant_id: TenantId,
    space_id: SpaceId,
    *,
    actor: str,
    expected_versions: ExpectedVersions | None,
) -> None:
    with database.open_space(tenant_id, space_id) as space:
        versions.lock_and_check_version(space, Resource(Kind.SPACE, space_id), expected_versions)
        repository.close_space(space)
        queue.enqueue(space, DeleteSpace())
        audit.record(space, "space.delete", actor=actor, target=space_id)


def _require_storable_relation_types(relation_types: object) -> None:
    """Raise InvalidInput for names that no edge could store. Checked when they are set, not when a space is
    read.
    """
    try:
        RELATION_TYPES.validate_python(relation_types)
    except ValidationError:
        raise InvalidInput(
            f"extra_relation_types are verbs in lower snake_case, such as {WORKS_FOR.name}.",
            code="bad_relation_type",
        ) from None


def merge_space_settings(stored_settings: Mapping[str, Any], changes: Mapping[str, Any]) -> SpaceSettings:
    """Return a space's settings with changes applied; None resets one to its default. Raises InvalidInput."""
    merged_settings = {
        name: value for name, value in {**stored_settings, **changes}.items() if value is not None
    }
    try:
        return SpaceSettings.model_validate(merged_settings)
    except ValidationError as error:
        first_error = error.errors(include_url=False, include_context=False, include_input=False)[0]
        field_path = ".".join(map(str, first_error["loc"]))
        sentence = f"{field_path}: {first_error['msg']}." if field_path else f"{first_error['msg']}."
        raise InvalidInput(
            sentence, faults=[InputFault("body.settings", first_error["type"], first_error["msg"])]
        ) from None


def get_space_settings(space: SpaceSession) -> SpaceSettings:
    """Return the open space's own settings."""
    return SpaceSettings.model_validate(space.opening_state.settings)


def lock_vectors_and_graph(space: SpaceSession) -> None:
    """Lock the space's vectors and graph against writes until the transaction ends; earlier writes are
    visible.
    """
    repository.lock_graph_and_read_erasure_count(space)
    repository.lock_vector_set_exclusively(space)
