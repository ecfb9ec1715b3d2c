"""Receipts of deletions: how many rows went, by table, as the database counted them, cascades included."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from app.db.session import OpenSession
from app.ids import SpaceId
from app.tenancy.audit import repository
from app.tenancy.audit.repository import sum_receipts as of_erased_spaces

__all__ = ["of_erased_spaces"]

RowCounts = dict[str, int]
"""Rows by table; tables of which none went are left out."""


@contextmanager
def counting_deleted_rows(session: OpenSession, space_id: SpaceId | None) -> Iterator[RowCounts]:
    """Count what is deleted inside; the rows are known once the block has ended.

    Content is counted of this space alone: what is deleted inside belongs to it, or to none.
    """
    before = repository.deleted_rows_by_table(session, space_id)
    rows: RowCounts = {}
    yield rows
    after = repository.deleted_rows_by_table(session, space_id)
    deleted = {table: count - before.get(table, 0) for table, count in after.items()}
    rows.update({table: count for table, count in sorted(deleted.items()) if count > 0})


def add_row_counts(first: Mapping[str, int], second: Mapping[str, int]) -> RowCounts:
    """Both together."""
    return {table: first.get(table, 0) + second.get(table, 0) for table in sorted({*first, *second})}
