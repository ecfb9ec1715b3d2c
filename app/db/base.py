"""The declarative base: naming of constraints, columns and keys that tables share, keys kept by triggers."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import DateTime, ForeignKeyConstraint, MetaData, Uuid, func
from sqlalchemy.orm import DeclarativeBase, Mapped, declared_attr, mapped_column

NAMING_CONVENTION = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


class Base(DeclarativeBase):
    """The base of all table models. Only Alembic creates tables; the models describe them."""

    metadata = MetaData(naming_convention=NAMING_CONVENTION)
    type_annotation_map = {datetime: DateTime(timezone=True), UUID: Uuid()}  # noqa: RUF012


class SpaceOwned:
    """A row that belongs to one knowledge space; the second wall filters and stamps rows of this class."""

    @declared_attr
    @classmethod
    def knowledge_space_id(cls) -> Mapped[UUID]:
        """The owning space; always the first column of a key (requirement 1.2)."""
        return mapped_column(
            primary_key=True,
            sort_order=-100,
            comment=(
                "The knowledge space that owns the row; row level security compares it with app.space_id."
            ),
        )


class Operational:
    """A space-owned table without content, such as jobs, which platform sessions may read across spaces."""


def build_created_at_column() -> Mapped[datetime]:
    """Return a column for the time when a row was created, by the database's clock."""
    return mapped_column(server_default=func.now(), comment="When the row was made, by the database's clock.")


def build_updated_at_column() -> Mapped[datetime]:
    """Return a column for the time of a row's last change, by the database's clock."""
    return mapped_column(
        server_default=func.now(),
        onupdate=func.now(),
        comment="When the row last changed, by the database's clock.",
    )


def build_space_foreign_key() -> ForeignKeyConstraint:
    """Return the foreign key of a row that is deleted with its space."""
    return ForeignKeyConstraint(["knowledge_space_id"], ["knowledge_space.id"], ondelete="CASCADE")


def build_tenant_and_space_foreign_key() -> ForeignKeyConstraint:
    """Return a foreign key of a row that is deleted with its space, and that the tenant owns."""
    return ForeignKeyConstraint(
        ["tenant_id", "knowledge_space_id"],
        ["knowledge_space.tenant_id", "knowledge_space.id"],
        ondelete="CASCADE",
    )


def build_foreign_key_within_space(
    column: str, referred_table: str, *, keeps_row: bool = False
) -> ForeignKeyConstraint:
    """Return a foreign key to `referred_table` (`table.column`) that starts with the space (wall 4).

    The row is deleted with the one it refers to, or with `keeps_row` its column is set to NULL.
    """
    table = referred_table.partition(".")[0]
    return ForeignKeyConstraint(
        ["knowledge_space_id", column],
        [f"{table}.knowledge_space_id", referred_table],
        # Without the list of columns, SET NULL would clear the whole key, including the space.
        ondelete=f"SET NULL ({column})" if keeps_row else "CASCADE",
    )


class TriggerKey(ForeignKeyConstraint):
    """A foreign key that is not a constraint of the table: statement triggers check it and cascade.

    Postgres checks its own foreign keys row by row, some 10 µs each. Code that follows foreign keys follows
    this one too: the canary, the doctor's search for violated keys, and the tests' lint, which requires its
    triggers.
    """

    def __init__(self, *arguments: Any, triggers: dict[str, tuple[str, ...]], **options: Any) -> None:
        """`triggers` names the triggers that maintain the key, by table."""
        super().__init__(*arguments, **options)
        self.triggers = triggers


def is_created_by_migrations(schema_item: object, *_: object) -> bool:
    """Return whether a migration creates the item, for Alembic's comparison with the models."""
    return not isinstance(schema_item, TriggerKey)
