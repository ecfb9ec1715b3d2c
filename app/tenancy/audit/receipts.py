"""Receipts of deletions: how many rows went, by table, as the database counted them, cascades included."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from app.db.session import OpenSession, TenantSession
from app.tenancy.audit import repository

Rows = dict[str, int]
"""Rows by table; tables of which none went are left out."""


@contextmanager
def counted(session: OpenSession) -> Iterator[Rows]:
    """Count what is deleted inside; the rows are known once the block has ended."""
    before = repository.deleted_rows(session)
    rows: Rows = {}
    yield rows
    after = repository.deleted_rows(session)
    gone = {table: count - before.get(table, 0) for table, count in after.items()}
    rows.update({table: count for table, count in sorted(gone.items()) if count > 0})


def added(one: Mapping[str, int], other: Mapping[str, int]) -> Rows:
    """Both together."""
    return {table: one.get(table, 0) + other.get(table, 0) for table in sorted({*one, *other})}


def of_erased_spaces(tenant: TenantSession) -> tuple[Rows, str]:
    """The rows that went with the tenant's spaces since its erasure was asked for, and who asked."""
    return repository.sum_receipts(tenant)
