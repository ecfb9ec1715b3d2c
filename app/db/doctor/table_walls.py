"""Determine the wall of each table, and find rows that violate a foreign key that Postgres considers valid.

Walls follow from the columns, so a new table needs no entry here. The few exceptions are listed with reasons.
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

# Tables with a column for the space that belong to its tenant.
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
    """The reasons not to trust a table, view or function; none if both tuples are empty.

    `wall` is `space`, `space or platform`, `tenant`, `tenant or platform`, `none`, `view`, `function` or
    `schema`. Warnings name a protection that the host does not allow.
    """

    table: str
    wall: str
    problems: tuple[str, ...]
    warnings: tuple[str, ...] = ()


def examine_relation(relation: Relation) -> TableVerdict:
    """Return a verdict on a relation; a table of spaces' rows outside our schema is always a problem."""
    copied = "." in relation.name and relation.is_table
    problems = ("holds rows of spaces outside the schema public, without any wall: drop it",)
    return TableVerdict(relation.name, get_wall(relation), problems if copied else ())


def get_wall(relation: Relation) -> str:
    """Return which settings a relation's rows are compared with, determined by its columns."""
    if not relation.is_table:
        return "view" if relation.kind in ("v", "m") else "none"
    if relation.has_column(SPACE_ID) and relation.name not in TENANT_WALLED:
        return "space or platform" if relation.name in _list_operational_tables() else "space"
    if relation.name == "knowledge_space":
        # Deleting it deletes all content: the platform's setting alone must not allow that.
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
    """Return verdicts on foreign keys that rows violate although Postgres considers them valid (fact 11).

    It takes a full join for each key, so its cost grows with the data. Raises PermissionError for a role
    under row-level security, which would see no violation.
    """
    sees_all = connection.execute(
        text("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user")
    ).scalar_one()
    if not sees_all:
        raise PermissionError("Only a role that bypasses row-level security can find violated keys.")
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
                violations.append(
                    f"{key.name} is violated by {count} rows: delete them or correct their keys"
                )
        verdicts.append(TableVerdict(relation.name, get_wall(relation), tuple(violations)))
    return verdicts


def iter_trigger_keys(metadata: MetaData) -> Iterator[ForeignKey]:
    """Yield the foreign keys that triggers maintain."""
    for table in metadata.tables.values():
        for key in table.constraints:
            if isinstance(key, TriggerKey):
                pairs = tuple(
                    (foreign_key.parent.name, foreign_key.column.name) for foreign_key in key.elements
                )
                yield ForeignKey(table.name, get_database_name(key), key.referred_table.name, pairs)


def get_database_name(schema_item: ModelConstraint | ModelIndex) -> str:
    """Return the name of a constraint or index in the database, cut to the allowed length."""
    if isinstance(schema_item, ModelIndex):
        return str(_PREPARER.format_index(schema_item))
    return str(_PREPARER.format_constraint(schema_item))
