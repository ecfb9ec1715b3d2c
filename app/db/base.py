"""The declarative base, how constraints are named, the mark of a space's rows, and keys kept by triggers."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import DateTime, ForeignKeyConstraint, MetaData, Uuid, func
from sqlalchemy.orm import DeclarativeBase, Mapped, declared_attr, mapped_column

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


class Base(DeclarativeBase):
    """All tables; Alembic is the only thing that creates them, the models describe them."""

    metadata = MetaData(naming_convention=NAMING)
    type_annotation_map = {datetime: DateTime(timezone=True), UUID: Uuid()}  # noqa: RUF012


class SpaceOwned:
    """A row that belongs to one knowledge space; the second wall filters and stamps by this class."""

    @declared_attr
    @classmethod
    def knowledge_space_id(cls) -> Mapped[UUID]:
        """The owning space, always the first column of every key (requirement 1.2)."""
        return mapped_column(
            primary_key=True,
            sort_order=-100,
            comment=(
                "The knowledge space that owns the row; row level security compares it with app.space_id."
            ),
        )


class Operational:
    """A space-owned table without content (jobs), which platform sessions may read across spaces."""


def build_created_at() -> Mapped[datetime]:
    """A column holding the time at which the row was made, by the database's clock."""
    return mapped_column(server_default=func.now(), comment="When the row was made, by the database's clock.")


def build_updated_at() -> Mapped[datetime]:
    """A column holding the time of the last change, by the database's clock."""
    return mapped_column(
        server_default=func.now(),
        onupdate=func.now(),
        comment="When the row last changed, by the database's clock.",
    )


def build_space_key() -> ForeignKeyConstraint:
    """The key of a row that goes with its space."""
    return ForeignKeyConstraint(["knowledge_space_id"], ["knowledge_space.id"], ondelete="CASCADE")


def build_tenant_space_key() -> ForeignKeyConstraint:
    """The same, which also proves that the space is the tenant's."""
    return ForeignKeyConstraint(
        ["tenant_id", "knowledge_space_id"],
        ["knowledge_space.tenant_id", "knowledge_space.id"],
        ondelete="CASCADE",
    )


def build_key_within_space(column: str, referred: str, *, keep: bool = False) -> ForeignKeyConstraint:
    """A key to a row of the same space, `table.column`: as every key it begins with the space (wall 4).

    The row goes with the one that it refers to, or forgets it where it is to `keep`.
    """
    table = referred.partition(".")[0]
    return ForeignKeyConstraint(
        ["knowledge_space_id", column],
        [f"{table}.knowledge_space_id", referred],
        # Without the list of columns the whole key would be nulled, the space too.
        ondelete=f"SET NULL ({column})" if keep else "CASCADE",
    )


class TriggerKey(ForeignKeyConstraint):
    """A foreign key that is no constraint of the table: statement triggers check it and cascade.

    Postgres checks its own row by row, some 10 µs each. Everything that goes by foreign keys goes by this one
    too: the canary, the doctor's search for violated keys, the tests' lint, which wants its triggers instead.
    """

    def __init__(self, *arguments: Any, triggers: dict[str, tuple[str, ...]], **options: Any) -> None:
        """`triggers` are the names of those that keep it, by table."""
        super().__init__(*arguments, **options)
        self.triggers = triggers


def is_constraint(schema_item: object, *_: object) -> bool:
    """Return whether a migration would make it: Alembic's question about everything in the models."""
    return not isinstance(schema_item, TriggerKey)
