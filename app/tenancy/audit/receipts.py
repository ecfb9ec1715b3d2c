"""Receipts of deletions: deleted rows by table, as the database counted them, cascades included."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from app.db.session import OpenSession
from app.ids import SpaceId
from app.tenancy.audit import repository
from app.tenancy.audit.repository import sum_receipts_of_erasure

__all__ = ["sum_receipts_of_erasure"]

RowCounts = dict[str, int]
"""Rows by table, without tables of which no rows were deleted."""


@contextmanager
def count_deleted_rows_within(session: OpenSession, space_id: SpaceId | None) -> Iterator[RowCounts]:
    """Count the rows deleted within the block; the yielded counts are filled when it ends.

    Content is counted for this space only: what is deleted in the block belongs to it or to no space.
    """
    counts_before = repository.count_rows_deleted_by_connection(session, space_id)
    row_counts: RowCounts = {}
    yield row_counts
    counts_after = repository.count_rows_deleted_by_connection(session, space_id)
    deleted_counts = {table: count - counts_before.get(table, 0) for table, count in counts_after.items()}
    row_counts.update({table: count for table, count in sorted(deleted_counts.items()) if count > 0})


def sum_row_counts(left_counts: Mapping[str, int], right_counts: Mapping[str, int]) -> RowCounts:
    """Return the sums of both counts by table."""
    return {
        table: left_counts.get(table, 0) + right_counts.get(table, 0)
        for table in sorted({*left_counts, *right_counts})
    }
