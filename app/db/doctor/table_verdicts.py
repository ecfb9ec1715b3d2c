"""Verdicts of the doctor on tables, and rows that violate a foreign key that Postgres considers valid."""

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import Connection, MetaData, text
from sqlalchemy import Constraint as ModelConstraint
from sqlalchemy import Index as ModelIndex
from sqlalchemy.dialects import postgresql

from app.db import models  # noqa: F401  (registers every table with Base.metadata)
from app.db.base import Base, TriggerKey
from app.db.doctor.catalogue import ForeignKey, Relation, read_foreign_keys, read_relations
from app.db.policies import get_wall

_PREPARER = postgresql.dialect().identifier_preparer  # type: ignore[no-untyped-call]


@dataclass(frozen=True)
class TableVerdict:
    """The reasons not to trust a table, view or function; none if both tuples are empty.

    `wall` is a wall (app/db/policies.py), `view`, `function`, `schema` or `none`. Warnings name a protection
    that the host does not allow.
    """

    table: str
    wall: str
    problems: tuple[str, ...]
    warnings: tuple[str, ...] = ()


def examine_relation(relation: Relation) -> TableVerdict:
    """Return a verdict on a relation; a table of spaces' rows outside our schema is always a problem."""
    is_copied = "." in relation.name and relation.is_table
    problems = ("holds rows of spaces outside the schema public, without any wall: drop it",)
    return TableVerdict(relation.name, get_wall(relation), problems if is_copied else ())


def examine_foreign_keys_for_orphans(connection: Connection) -> list[TableVerdict]:
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
    keys = [*read_foreign_keys(connection), *iter_foreign_keys_of_triggers(Base.metadata)]
    verdicts = []
    for relation in tables.values():
        violations = []
        for key in keys:
            target = tables.get(key.target)
            if key.table != relation.name or target is None:
                continue
            join_condition = " AND ".join(
                f'child."{column}" = parent."{target_column}"' for column, target_column in key.columns
            )
            presence_condition = " AND ".join(f'child."{column}" IS NOT NULL' for column, _ in key.columns)
            query = (
                f"SELECT count(*) FROM {relation.quoted_name} child"  # noqa: S608
                f" WHERE {presence_condition}"
                f" AND NOT EXISTS (SELECT 1 FROM {target.quoted_name} parent WHERE {join_condition})"
            )
            if count := connection.execute(text(query)).scalar_one():
                violations.append(
                    f"{key.name} is violated by {count} rows: delete them or correct their keys"
                )
        verdicts.append(TableVerdict(relation.name, get_wall(relation), tuple(violations)))
    return verdicts


def iter_foreign_keys_of_triggers(metadata: MetaData) -> Iterator[ForeignKey]:
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
