"""Reads and writes of knowledge spaces, under their tenant's policy."""

from collections.abc import Collection, Sequence
from typing import Any, cast
from uuid import UUID

from sqlalchemy import CursorResult, Delete, Select, delete, inspect, select

from app.db.base import Base, SpaceOwned
from app.db.models import Job, KnowledgeSpace
from app.db.session import OpenSession, SpaceSession, TenantSession
from app.ids import JobId, SpaceId

_CLASSES = {
    mapper.local_table: mapper.class_
    for mapper in Base.registry.mappers
    if issubclass(mapper.class_, SpaceOwned)
}
OWNED: Sequence[type[SpaceOwned]] = [
    _CLASSES[table]
    for table in reversed(Base.metadata.sorted_tables)
    if table in _CLASSES and not table.dialect_options["postgresql"]["partition_by"]
]
"""All that a space owns, each before what it refers to, so that no cascade has much to do.

Its partitions are emptied by triggers on what the vectors belong to: a statement on the partitioned table
would be planned for the partitions of all spaces.
"""


def add_space(tenant: TenantSession, space: KnowledgeSpace) -> None:
    """Store a new space."""
    tenant.orm.add(space)
    tenant.orm.flush()


def _open_spaces_query(tenant: TenantSession) -> Select[KnowledgeSpace]:
    """Select the tenant's spaces but for those that are closed."""
    return select(KnowledgeSpace).where(
        KnowledgeSpace.tenant_id == tenant.tenant_id, KnowledgeSpace.closed_at.is_(None)
    )


def get_space(tenant: TenantSession, space_id: SpaceId) -> KnowledgeSpace | None:
    """The tenant's space with that id."""
    return tenant.orm.scalar(_open_spaces_query(tenant).where(KnowledgeSpace.id == space_id))


def lock_space(tenant: TenantSession, space_id: SpaceId) -> KnowledgeSpace | None:
    """The same as it is now, which nobody else changes until the transaction ends."""
    query = _open_spaces_query(tenant).where(KnowledgeSpace.id == space_id)
    return tenant.orm.scalar(query.with_for_update(key_share=True).execution_options(populate_existing=True))


def find_space(tenant: TenantSession, name: str) -> KnowledgeSpace | None:
    """The tenant's space of that name."""
    return tenant.orm.scalar(_open_spaces_query(tenant).where(KnowledgeSpace.name == name))


def list_spaces(
    tenant: TenantSession,
    *,
    after: UUID | None = None,
    only: Collection[SpaceId] | None = None,
    limit: int = 100,
) -> Sequence[KnowledgeSpace]:
    """The tenant's spaces in the order in which they were made, after the one given, of those in `only`."""
    query = _open_spaces_query(tenant)
    if after is not None:
        query = query.where(KnowledgeSpace.id > after)
    if only is not None:
        query = query.where(KnowledgeSpace.id.in_(only))
    return tenant.orm.scalars(query.order_by(KnowledgeSpace.id).limit(limit)).all()


def delete_space(tenant: TenantSession, space_id: SpaceId) -> bool:
    """Remove the space and, by cascade, all that it owns; False where the tenant has none such."""
    deleted = tenant.orm.execute(
        delete(KnowledgeSpace)
        .where(KnowledgeSpace.tenant_id == tenant.tenant_id, KnowledgeSpace.id == space_id)
        .returning(KnowledgeSpace.id)
    )
    return deleted.first() is not None


def has_more_rows_than(space: SpaceSession, bound: int) -> bool:
    """Return whether the space has more chunks, nodes and edges than so many."""
    return int(space.run("tenancy.spaces.count_rows", {"bound": bound + 1})[0][0]) > bound


def close_space(space: SpaceSession) -> None:
    """Close the open space: nobody finds it once the transaction has committed."""
    space.run("tenancy.spaces.close_space")


def close_all_spaces(tenant: TenantSession) -> None:
    """Close all spaces of the tenant."""
    tenant.run("tenancy.spaces.close_all_spaces", prepare=False)


def list_closed_spaces(tenant: TenantSession, *, limit: int) -> list[SpaceId]:
    """The tenant's closed spaces, the oldest first."""
    query = (
        select(KnowledgeSpace.id)
        .where(KnowledgeSpace.tenant_id == tenant.tenant_id, KnowledgeSpace.closed_at.is_not(None))
        .order_by(KnowledgeSpace.id)
        .limit(limit)
    )
    return [SpaceId(space_id) for space_id in tenant.orm.scalars(query)]


def delete_batch_of_rows(space: SpaceSession, owned: type[SpaceOwned], *, but: JobId, limit: int) -> int:
    """Delete some rows of the space in one of its tables, but for one job; how many went."""
    deletion = space.orm.execute(_batch_deletion_statement(owned, space.space_id, but=but, limit=limit))
    return cast(CursorResult[Any], deletion).rowcount


def _batch_deletion_statement(
    owned: type[SpaceOwned], space_id: SpaceId, *, but: JobId, limit: int
) -> Delete:
    """The statement that deletes the first `limit` rows of the space in one of its tables, but for one job.

    The rows are joined: `(a, b) IN (SELECT …)` would do on one machine, and Citus writes it back as
    `= ANY (SELECT a, b)`, which its workers refuse.
    """
    key = [getattr(owned, column.key) for column in inspect(owned).primary_key]
    selected = select(*key).where(owned.knowledge_space_id == space_id).order_by(*key).limit(limit)
    if owned is Job:
        selected = selected.where(Job.id != but)
    batch = selected.subquery()
    matches = [column == batch.c[column.key] for column in key]
    return (
        delete(owned)
        .where(owned.knowledge_space_id == space_id, *matches)
        .execution_options(synchronize_session=False)
    )


def delete_row_of_closed_space(space: SpaceSession) -> None:
    """Remove the row of the open space, which is closed."""
    space.run("tenancy.spaces.delete_row_of_closed_space")


def get_open_space_row(space: SpaceSession) -> KnowledgeSpace:
    """The row of the open space itself."""
    return space.orm.execute(
        select(KnowledgeSpace).where(
            KnowledgeSpace.tenant_id == space.tenant_id, KnowledgeSpace.id == space.space_id
        )
    ).scalar_one()


def lock_graph_for_writing(space: SpaceSession) -> int:
    """Raise the space's graph revision and hold its row: graph writes of a space go one at a time."""
    revision = int(space.run("tenancy.spaces.lock_graph_for_writing")[0][0])
    space.note_revision(revision)
    return revision


def increment_erasure_count(space: SpaceSession) -> None:
    """Say that something was deleted: whoever asks a model meanwhile does not keep what it says."""
    space.run("tenancy.spaces.increment_erasure_count")


def lock_graph_unchanged(space: SpaceSession) -> int:
    """Until the transaction ends nobody writes this space's graph; for what is written beside it.

    Returns how often something was deleted from the space: where that has risen since its material was read,
    what is about to be written may hold words that are gone.
    """
    erasures, revision = space.run("tenancy.spaces.lock_graph_unchanged")[0]
    space.note_revision(revision)
    return int(erasures)


def lock_vector_set_shared(space: SpaceSession) -> int:
    """The set of vectors that the space compares with, which stays so until the transaction ends.

    Held by whoever writes vectors, and taken after the graph's lock where both are.
    """
    _, set_rows = space.run_each("tenancy.spaces.lock_vector_set_shared", {})
    return int(set_rows[0][0])


def allocate_vector_set(space: SpaceSession) -> int:
    """The number of a new set of vectors, beside the one that the space compares with."""
    return int(space.run("tenancy.spaces.allocate_vector_set")[0][0])


def lock_vector_set_exclusively(space: SpaceSession) -> None:
    """Wait for all who hold the space's set of vectors, and keep others from it until the transaction
    ends.
    """
    space.run("tenancy.spaces.lock_vector_set_exclusively")


def switch_vector_set(space: SpaceSession, *, model: str, dimensions: int, into_set: int) -> None:
    """From the end of the transaction on the space compares with that set, made by that model. Under
    `lock_vector_set_exclusively`.

    The graph's revision rises, so that no answer found by the other vectors is given again.
    """
    space.run(
        "tenancy.spaces.switch_vector_set", {"model": model, "dimensions": dimensions, "into_set": into_set}
    )


def flush_and_refresh(session: OpenSession, space: KnowledgeSpace) -> None:
    """Write pending changes and read back what the database filled in."""
    session.orm.flush()
    session.orm.refresh(space)
