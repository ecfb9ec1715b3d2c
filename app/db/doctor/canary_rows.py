"""Build a plausible row for any table from its model, for the canary check.

A new table needs an entry here only if a check constraint requires more than its types say.
"""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    JSON,
    CheckConstraint,
    Column,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
)

from app.ids import create_id

Row = dict[str, Any]

# Values that the types do not determine: required by a check constraint, or such that no worker takes the
# row.
EXAMPLES: dict[str, Any] = {
    "graph_edge.relation_type": "watches",
    "graph_edge.metadata": {"confidence": 0.5, "quote": "canary", "charStart": 0, "charEnd": 6},
    "job.state": "done",
    "job.finalized_at": datetime(2000, 1, 1, tzinfo=UTC),
    "webhook_delivery.state": "delivered",
    "tenant.settings": {"citegraphCanary": True},
}
_SCALARS: dict[type, Any] = {
    int: 1,
    float: 0.5,
    Decimal: Decimal(0),
    bool: False,
    bytes: b"canary",
    date: date(2000, 1, 1),
    datetime: datetime(2000, 1, 1, tzinfo=UTC),
}


def build_row_that_constraints_accept(
    table: Table, *, owner_ids: Row, parents: Mapping[str, Row], canary: str
) -> Row:
    """Return a row that the table's constraints accept, with `canary` wherever text is required.

    `owner_ids` holds the owner's ids by column, `parents` the rows that foreign keys may refer to. Raises
    LookupError if a required parent has no row.
    """
    row: Row = {}
    for column in table.columns:
        if column.computed is not None:
            continue
        example = EXAMPLES.get(f"{table.name}.{column.name}")
        if column.name in owner_ids:
            row[column.name] = owner_ids[column.name]
        elif example is not None:
            row[column.name] = example
        elif column.foreign_keys:
            row |= _build_reference(table, column, parents)
        elif isinstance(column.type, JSON):
            row[column.name] = {"canary": canary}
        elif not column.nullable and column.server_default is None:
            row[column.name] = _build_value(table, column, canary)
    return row


def copy_row_with_new_keys(table: Table, row: Row) -> Row:
    """Return the row with new keys, so that only a foreign key can refuse it."""
    changed_row = dict(row)
    keys = [
        constraint
        for constraint in table.constraints
        if isinstance(constraint, PrimaryKeyConstraint | UniqueConstraint)
    ]
    unique_columns = {column.name for key in keys for column in key.columns}
    unique_columns |= {column.name for index in table.indexes if index.unique for column in index.columns}
    for column in table.columns:
        if column.name not in row or column.foreign_keys or column.name not in unique_columns:
            continue
        if isinstance(column.type, Uuid) and column.name not in ("knowledge_space_id", "tenant_id"):
            changed_row[column.name] = create_id()
        elif isinstance(column.type, Text):
            # Shortened, so that a column with a length limit accepts it too.
            changed_row[column.name] = f"{row[column.name][:20]}-{create_id()}"
    return changed_row


def _build_reference(table: Table, column: Column[Any], parents: Mapping[str, Row]) -> Row:
    (key,) = [
        foreign_key for foreign_key in column.foreign_keys if foreign_key.column.name != "knowledge_space_id"
    ][:1]
    parent = key.column.table.name
    if parent not in parents or parent == table.name:
        if column.nullable:
            return {}
        raise LookupError(parent)
    return {column.name: parents[parent][key.column.name]}


def _build_value(table: Table, column: Column[Any], canary: str) -> Any:
    if isinstance(column.type, ARRAY):
        return [canary] if isinstance(column.type.item_type, Text) else []
    kind = column.type.python_type
    if kind is object:
        return [0.5, 0.5]  # a vector
    if kind is UUID:
        return create_id()
    if kind is int and column.name.endswith("_end"):
        return 2
    if kind is not str:
        return _SCALARS[kind]
    for constraint in table.constraints:
        if isinstance(constraint, CheckConstraint):
            choice = re.search(rf"\b{column.name} IN \('([^']*)'", str(constraint.sqltext))
            if choice:
                return choice[1]
    crosses_owners = any(
        (
            isinstance(table_constraint, UniqueConstraint)
            and [column.name] == list(table_constraint.columns.keys())
        )
        # A primary key of text columns only is unique across owners.
        or (
            isinstance(table_constraint, PrimaryKeyConstraint)
            and column.name in table_constraint.columns
            and all(isinstance(column.type, Text) for column in table_constraint.columns)
        )
        for table_constraint in table.constraints
    )
    return f"{canary}-{create_id()}" if crosses_owners else canary
