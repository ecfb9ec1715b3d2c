"""Compares the models' metadata with the catalogue: what the query plans and walls need is there.

`alembic check` compares columns; this one says which table, column, key or index was lost, or is not the one
that the models describe.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from sqlalchemy import (
    CheckConstraint,
    Column,
    ForeignKeyConstraint,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    UniqueConstraint,
)
from sqlalchemy import Constraint as ModelConstraint
from sqlalchemy import Index as ModelIndex
from sqlalchemy.sql.elements import UnaryExpression

from app.db.base import TriggerKey
from app.db.doctor.table_verdicts import get_database_name
from tests.support.schema.catalogue import Catalogue, Index, Relation


def compare_with_models(catalogue: Catalogue, metadata: MetaData) -> dict[str, list[str]]:
    """The differences by table, a sentence each; a table that has none is left out."""
    problems = {}
    for table in metadata.tables.values():
        relation = catalogue.relations.get(table.name)
        differences = (
            ["is missing: run `citegraph migrate`"]
            if relation is None
            else [*_differences(table, relation), *_lost_triggers(table, catalogue)]
        )
        if differences:
            problems[table.name] = differences
    return problems


def _differences(table: Table, relation: Relation) -> Iterator[str]:
    present = {column.name: column for column in relation.details}
    for column in table.columns:
        if column.name not in present:
            yield f"has no column {column.name}: run `citegraph migrate`"
        elif present[column.name].required == bool(column.nullable):
            yield f"column {column.name} must {'allow' if column.nullable else 'refuse'} null"
    constraints = {actual.name: actual for actual in relation.constraints}
    for constraint in table.constraints:
        if isinstance(constraint, TriggerKey):
            continue
        name = get_database_name(constraint)
        definition = _definition(constraint)
        if name not in constraints:
            yield f"has lost {name}: {definition or 'a check'}"
        elif definition is not None and constraints[name].definition != definition:
            yield f"{name} is {constraints[name].definition}, where {definition} is expected"
    indexes = {actual.name: actual for actual in relation.indexes}
    for index in table.indexes:
        name = get_database_name(index)
        if name not in indexes:
            yield f"has lost the index {name}: queries read the whole table; make it again as the models say"
        elif not _alike(index, indexes[name]):
            yield f"the index {name} is not the one that the models describe: drop it and make it again"


def _lost_triggers(table: Table, catalogue: Catalogue) -> Iterator[str]:
    for key in table.constraints:
        for name, triggers in key.triggers.items() if isinstance(key, TriggerKey) else ():
            relation = catalogue.relations.get(name)
            for trigger in triggers:
                if relation is None or trigger not in relation.triggers:
                    yield (
                        f"has lost {get_database_name(key)}: the trigger {trigger} of {name} is gone or"
                        " switched off"
                    )


def _definition(constraint: ModelConstraint) -> str | None:
    """The constraint as pg_get_constraintdef prints it; None for a check, known by its name alone."""
    match constraint:
        case PrimaryKeyConstraint():
            included_columns = constraint.dialect_options["postgresql"]["include"]
            return f"PRIMARY KEY ({_names(constraint.columns)})" + (
                f" INCLUDE ({', '.join(included_columns)})" if included_columns else ""
            )
        case UniqueConstraint():
            return f"UNIQUE ({_names(constraint.columns)})"
        case ForeignKeyConstraint():
            targets = ", ".join(element.column.name for element in constraint.elements)
            action = f" ON DELETE {constraint.ondelete}" if constraint.ondelete else ""
            column_names = _names(constraint.columns)
            return (
                f"FOREIGN KEY ({column_names}) REFERENCES {constraint.referred_table.name}({targets}){action}"
            )
        case CheckConstraint():
            return None
        case _:
            return None


def _names(columns: Iterable[Column[Any]]) -> str:
    return ", ".join(column.name for column in columns)


def _alike(model: ModelIndex, index: Index) -> bool:
    options = model.dialect_options["postgresql"]
    included = tuple(options["include"] or ())
    return (
        model.unique == index.unique
        and (options["where"] is not None) == (index.predicate is not None)
        and included == index.included
        and len(model.expressions) == len(index.keys)
        and all(_key_alike(ours, theirs) for ours, theirs in zip(model.expressions, index.keys, strict=True))
    )


def _key_alike(expression: object, key: str) -> bool:
    """Columns are compared by name and direction; an expression only by standing in the same place."""
    name = getattr(expression, "name", None)
    if isinstance(expression, UnaryExpression):
        name = getattr(expression.element, "name", None) or str(expression.element)
        name = f"{name} DESC"
    return key == name if name is not None else True
