"""Reads and writes of knowledge spaces, under their tenant's policy."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, cast
from uuid import UUID

from sqlalchemy import ColumnElement, CursorResult, Delete, Select, delete, inspect, literal, select, tuple_

from app.db.base import Base, SpaceOwned
from app.db.models import Job, KnowledgeSpace
from app.db.session import OpenSession, SpaceSession, TenantSession
from app.ids import JobId, SpaceId

_CLASS_BY_TABLE = {
    mapper.local_table: mapper.class_
    for mapper in Base.registry.mappers
    if issubclass(mapper.class_, SpaceOwned)
}
OWNED_TABLES: Sequence[type[SpaceOwned]] = [
    _CLASS_BY_TABLE[table]
    for table in reversed(Base.metadata.sorted_tables)
    if table in _CLASS_BY_TABLE and not table.dialect_options["postgresql"]["partition_by"]
]
"""All tables that a space owns, each before those that it refers to, so that cascades have little to do.

Partitions are emptied by triggers on the tables to which the vectors belong: a statement on the partitioned
table would be planned for the partitions of all spaces.
"""


def add_space(tenant: TenantSession, space: KnowledgeSpace) -> None:
    """Store a new space."""
    tenant.orm.add(space)
    tenant.orm.flush()


def _build_open_spaces_query(tenant: TenantSession) -> Select[KnowledgeSpace]:
    """Select the tenant's spaces except for closed ones."""
    return select(KnowledgeSpace).where(
        KnowledgeSpace.tenant_id == tenant.tenant_id, KnowledgeSpace.closed_at.is_(None)
    )


def get_space(tenant: TenantSession, space_id: SpaceId) -> KnowledgeSpace | None:
    """Return the tenant's space with that id, or None."""
    return tenant.orm.scalar(_build_open_spaces_query(tenant).where(KnowledgeSpace.id == space_id))


def lock_space(tenant: TenantSession, space_id: SpaceId) -> KnowledgeSpace | None:
    """Return the space in its current state, locked against changes until the transaction ends, or None."""
    query = _build_open_spaces_query(tenant).where(KnowledgeSpace.id == space_id)
    return tenant.orm.scalar(query.with_for_update(key_share=True).execution_options(populate_existing=True))


def find_space(tenant: TenantSession, name: str) -> KnowledgeSpace | None:
    """Return the tenant's space with that name, or None."""
    return tenant.orm.scalar(_build_open_spaces_query(tenant).where(KnowledgeSpace.name == name))


def list_spaces(
    tenant: TenantSession,
    *,
    after: UUID | None = None,
    space_ids: Collection[SpaceId] | None = None,
    limit: int = 100,
) -> Sequence[KnowledgeSpace]:
    """Return the tenant's spaces in the order of their creation, after `after`, restricted to those in
    `space_ids`.
    """
    query = _build_open_spaces_query(tenant)
    if after is not None:
        query = query.where(KnowledgeSpace.id > after)
    if space_ids is not None:
        query = query.where(KnowledgeSpace.id.in_(space_ids))
    return tenant.orm.scalars(query.order_by(KnowledgeSpace.id).limit(limit)).all()


def read_names_of_spaces(tenant: TenantSession, space_ids: Collection[SpaceId]) -> dict[UUID, str]:
    """Return the names of those of these spaces that the tenant has, by id."""
    if not space_ids:
        return {}
    query = _build_open_spaces_query(tenant).where(KnowledgeSpace.id.in_(space_ids))
    rows = tenant.orm.execute(query.with_only_columns(KnowledgeSpace.id, KnowledgeSpace.name))
    return {row.id: row.name for row in rows}


def list_newest_space_ids(
    tenant: TenantSession, *, space_ids: Collection[SpaceId] | None = None, limit: int
) -> list[SpaceId]:
    """Return the ids of the tenant's newest spaces, the newest first, restricted to those in `space_ids`."""
    query = _build_open_spaces_query(tenant).with_only_columns(KnowledgeSpace.id)
    if space_ids is not None:
        query = query.where(KnowledgeSpace.id.in_(space_ids))
    return [
        SpaceId(space_id)
        for space_id in tenant.orm.scalars(query.order_by(KnowledgeSpace.id.desc()).limit(limit))
    ]


def delete_space(tenant: TenantSession, space_id: SpaceId) -> bool:
    """Remove the space and, by cascade, all that it owns; return False if the tenant has no such space."""
    deleted_rows = tenant.orm.execute(
        delete(KnowledgeSpace)
        .where(KnowledgeSpace.tenant_id == tenant.tenant_id, KnowledgeSpace.id == space_id)
        .returning(KnowledgeSpace.id)
    )
    return deleted_rows.first() is not None


def has_table_with_more_rows_than(space: SpaceSession, bound: int) -> bool:
    """Return whether the space has more than `bound` rows in one of its tables."""
    return any(
        space.orm.execute(
            select(literal(1))
            .select_from(owned_table)
            .where(owned_table.knowledge_space_id == space.space_id)
            .offset(bound)
            .limit(1)
        ).first()
        for owned_table in OWNED_TABLES
    )


def close_space(space: SpaceSession) -> None:
    """Close the open space: it cannot be found after the transaction has committed."""
    space.run("tenancy.spaces.close_space")


def close_all_spaces(tenant: TenantSession) -> None:
    """Close all spaces of the tenant."""
    tenant.run("tenancy.spaces.close_all_spaces", should_prepare=False)


def list_closed_space_ids(tenant: TenantSession, *, limit: int) -> list[SpaceId]:
    """Return the tenant's closed spaces, oldest first."""
    query = (
        select(KnowledgeSpace.id)
        .where(KnowledgeSpace.tenant_id == tenant.tenant_id, KnowledgeSpace.closed_at.is_not(None))
        .order_by(KnowledgeSpace.id)
        .limit(limit)
    )
    return [SpaceId(space_id) for space_id in tenant.orm.scalars(query)]


def delete_batch_of_rows_and_count(
    space: SpaceSession, owned_table: type[SpaceOwned], *, kept_job_id: JobId, limit: int
) -> int:
    """Delete the first rows of the space in one of its tables, except for one job; return their number.

    The last key of the batch is read first, and a range of keys is deleted: no plan of this takes more time
    than one scan of the space's rows. A join with the first keys would do that for every row if the table's
    statistics say that it is empty, which is true of `edge_change` after each community detection.
    """
    batch = RowBatch(owned_table, space.space_id, kept_job_id)
    last_key = space.orm.execute(batch.build_last_key_query(limit)).first()
    deletion = space.orm.execute(batch.build_deletion(last_key))
    return cast(CursorResult[Any], deletion).rowcount


@dataclass(frozen=True)
class RowBatch:
    """The statements that delete the first rows of a space in one table, except for one job."""

    owned_table: type[SpaceOwned]
    space_id: SpaceId
    kept_job_id: JobId

    def build_last_key_query(self, limit: int) -> Select[*tuple[Any, ...]]:
        """Select the key of the last of the first `limit` rows; no row if there are fewer."""
        key_columns = self._list_key_columns()
        return (
            select(*key_columns)
            .where(*self._list_conditions())
            .order_by(*key_columns)
            .offset(limit - 1)
            .limit(1)
        )

    def build_deletion(self, last_key: Sequence[Any] | None) -> Delete:
        """Delete the rows up to that key, or all."""
        conditions = self._list_conditions()
        if last_key is not None:
            key_columns = self._list_key_columns()
            key_types = [column.type for column in key_columns]
            conditions.append(tuple_(*key_columns) <= tuple_(*last_key, types=key_types))
        return delete(self.owned_table).where(*conditions).execution_options(synchronize_session=False)

    def _list_conditions(self) -> list[ColumnElement[bool]]:
        conditions = [self.owned_table.knowledge_space_id == self.space_id]
        if self.owned_table is Job:
            conditions.append(Job.id != self.kept_job_id)
        return conditions

    def _list_key_columns(self) -> list[Any]:
        return [getattr(self.owned_table, column.key) for column in inspect(self.owned_table).primary_key]


def delete_row_of_closed_space(space: SpaceSession) -> None:
    """Remove the row of the open space, which is closed."""
    space.run("tenancy.spaces.delete_row_of_closed_space")


def get_open_space_row(space: SpaceSession) -> KnowledgeSpace:
    """Return the row of the open space."""
    return space.orm.execute(
        select(KnowledgeSpace).where(
            KnowledgeSpace.tenant_id == space.tenant_id, KnowledgeSpace.id == space.space_id
        )
    ).scalar_one()


def lock_graph_and_increment_revision(space: SpaceSession) -> int:
    """Increase the space's graph revision and lock its row: graph writes of a space are serialized. Return
    the revision.
    """
    revision = int(space.run("tenancy.spaces.lock_graph_for_writing")[0][0])
    space.set_graph_revision(revision)
    return revision


def increment_erasure_count_of_space(space: SpaceSession) -> None:
    """Record that something was deleted, so that model answers requested before it are not stored."""
    space.run("tenancy.spaces.increment_erasure_count_of_space")


def lock_graph_and_read_erasure_count(space: SpaceSession) -> int:
    """Lock the graph against writes until the transaction ends, for writes that depend on it.

    Return the number of deletions in the space: if it has risen since the source texts were read, the text to
    be written may contain deleted words.
    """
    erasures, revision = space.run("tenancy.spaces.lock_graph_unchanged")[0]
    space.set_graph_revision(revision)
    return int(erasures)


def lock_vector_set_shared_and_get_number(space: SpaceSession) -> int:
    """Return the space's current vector set, which cannot change until the transaction ends.

    Writers of vectors hold this lock; it is taken after the graph's lock if both are needed.
    """
    _, set_rows = space.run_each_statement("tenancy.spaces.lock_vector_set_shared", {})
    return int(set_rows[0][0])


def allocate_vector_set_number(space: SpaceSession) -> int:
    """Return the number of a new vector set, in addition to the current one."""
    return int(space.run("tenancy.spaces.allocate_vector_set")[0][0])


def lock_vector_set_exclusively(space: SpaceSession) -> None:
    """Wait for all holders of the lock on the space's vector set, and block others until the transaction
    ends.
    """
    space.run("tenancy.spaces.lock_vector_set_exclusively")


def switch_vector_set(space: SpaceSession, *, model: str, dimensions: int, vector_set: int) -> None:
    """Make that set, written by that model, the space's vector set at the end of the transaction. Requires
    `lock_vector_set_exclusively`.

    The graph's revision increases, so that no cached result of the old vectors is used.
    """
    space.run(
        "tenancy.spaces.switch_vector_set", {"model": model, "dimensions": dimensions, "into_set": vector_set}
    )


def write_changes_and_reload_space(session: OpenSession, space: KnowledgeSpace) -> None:
    """Write pending changes and read back what the database filled in."""
    session.orm.flush()
    session.orm.refresh(space)
