"""The wall of each table, and the rows that violate a foreign key although Postgres calls it valid.

Nothing here knows a table by name except the few exceptions, each with its reason: a new table joins by being
there.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import Connection, MetaData, text
from sqlalchemy import Constraint as ModelConstraint
from sqlalchemy import Index as ModelIndex
from sqlalchemy.dialects import postgresql

from app.db import models  # noqa: F401  (registers every table with Base.metadata)
from app.db.base import Base, Operational, SpaceOwned, TriggerKey
from app.db.doctor.catalogue import ForeignKey, Relation, read_foreign_keys, read_relations
from app.db.table_distribution import SPACE_ID

TENANT_ID = "tenant_id"

# Tables that name a space and belong to its tenant.
TENANT_WALLED = {
    "usage_daily": "bills are read by tenant; the foreign key proves that the space is the tenant's",
    "space_anchor": "a table on a cluster alone; whoever deletes a space, or a tenant, deletes it",
    "space_size": "quotas are read by tenant; the foreign key proves that the space is the tenant's",
    "budget_reservation": "budgets are the tenant's; the foreign key proves that the space is its own",
    "audit_event": "the record of a space outlives it; its tenant reads it",
    "webhook_delivery": "messages are the tenant's; the foreign key proves that the space is its own",
    "asked_question": "goes with its account as with its space; the foreign key proves whose space it is",
}

_PREPARER = postgresql.dialect().identifier_preparer  # type: ignore[no-untyped-call]


@dataclass(frozen=True)
class TableVerdict:
    """The reasons not to trust one table, view or function; two empty tuples are good.

    `wall` is `space`, `space or platform`, `tenant`, `tenant or platform`, `none`, `view`, `function` or
    `schema`. Warnings name a protection that the host does not allow.
    """

    table: str
    wall: str
    problems: tuple[str, ...]
    warnings: tuple[str, ...] = ()


def examine_relation(relation: Relation) -> TableVerdict:
    """The wall of a relation; a copy of a space's rows outside our schema has none, whoever trusts it."""
    copied = "." in relation.name and relation.is_table
    problems = ("holds rows of spaces outside the schema public, where no wall stands: drop it",)
    return TableVerdict(relation.name, get_wall(relation), problems if copied else ())


def get_wall(relation: Relation) -> str:
    """Which setting its rows are compared with, by its columns: a new table needs no entry anywhere."""
    if not relation.is_table:
        return "view" if relation.kind in ("v", "m") else "none"
    if relation.has_column(SPACE_ID) and relation.name not in TENANT_WALLED:
        return "space or platform" if relation.name in _list_operational_tables() else "space"
    if relation.name == "knowledge_space":
        # Its deletion takes all content along: the platform's setting alone must not allow it.
        return "tenant"
    if relation.has_column(TENANT_ID) or relation.name == "tenant":
        return "tenant or platform"
    return "none"


def _list_operational_tables() -> set[str]:
    return {
        str(mapper.local_table.description)
        for mapper in Base.registry.mappers
        if issubclass(mapper.class_, SpaceOwned) and issubclass(mapper.class_, Operational)
    }


def find_orphans(connection: Connection) -> list[TableVerdict]:
    """The foreign keys that rows violate although Postgres calls them valid (fact 11).

    A full join for each key, so the price grows with the data. Raises PermissionError for a role
    under row security: it would see nothing, and call that good.
    """
    sees_all = connection.execute(
        text("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user")
    ).scalar_one()
    if not sees_all:
        raise PermissionError("Only a role that bypasses row security can look for violated keys.")
    tables = {relation.name: relation for relation in read_relations(connection) if relation.is_table}
    keys = [*read_foreign_keys(connection), *iter_trigger_keys(Base.metadata)]
    verdicts = []
    for relation in tables.values():
        violations = []
        for key in keys:
            target = tables.get(key.target)
            if key.table != relation.name or target is None:
                continue
            joined = " AND ".join(f'child."{ours}" = parent."{theirs}"' for ours, theirs in key.columns)
            all_present = " AND ".join(f'child."{ours}" IS NOT NULL' for ours, _ in key.columns)
            query = (
                f"SELECT count(*) FROM {relation.quoted} child"  # noqa: S608
                f" WHERE {all_present} AND NOT EXISTS (SELECT 1 FROM {target.quoted} parent WHERE {joined})"
            )
            if count := connection.execute(text(query)).scalar_one():
                violations.append(f"{key.name} is violated by {count} rows: delete them or mend their keys")
        verdicts.append(TableVerdict(relation.name, get_wall(relation), tuple(violations)))
    return verdicts


def iter_trigger_keys(metadata: MetaData) -> Iterator[ForeignKey]:
    """The foreign keys that triggers keep."""
    for table in metadata.tables.values():
        for key in table.constraints:
            if isinstance(key, TriggerKey):
                pairs = tuple(
                    (foreign_key.parent.name, foreign_key.column.name) for foreign_key in key.elements
                )
                yield ForeignKey(table.name, get_database_name(key), key.referred_table.name, pairs)


def get_database_name(schema_item: ModelConstraint | ModelIndex) -> str:
    """The name of a key, check or index as the database has it, cut to the length that it allows."""
    if isinstance(schema_item, ModelIndex):
        return str(_PREPARER.format_index(schema_item))
    return str(_PREPARER.format_constraint(schema_item))
