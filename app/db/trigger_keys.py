"""Foreign keys that triggers keep: for tables of which a million rows are written at once."""

from typing import Any

from sqlalchemy import ForeignKeyConstraint


class TriggerKey(ForeignKeyConstraint):
    """A foreign key that is no constraint of the table: statement triggers check it and cascade.

    Postgres checks its own row by row, some 10 µs each. Everything that goes by foreign keys goes by this one
    too: the canary, the doctor's search for violated keys, the lint, which wants its triggers instead.
    """

    def __init__(self, *arguments: Any, triggers: dict[str, tuple[str, ...]], **options: Any) -> None:
        """`triggers` are the names of those that keep it, by table."""
        super().__init__(*arguments, **options)
        self.triggers = triggers


def is_constraint(thing: object, *_: object) -> bool:
    """Return whether a migration would make it: Alembic's question about everything in the models."""
    return not isinstance(thing, TriggerKey)
