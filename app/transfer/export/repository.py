"""Pages of a space's rows in key order; the cost of a page does not depend on the size of the space."""

from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

from app.db.session import SpaceSession
from app.domain.layers import list_claim_relation_types
from app.transfer.export.shapes import ROW_CLASS_BY_KIND, Row, RowKind

_FIRST_ID = UUID(int=0)


class _PageSource(NamedTuple):
    statement: str
    key_before_first: tuple[object, ...]
    """The key before the first row."""
    page_size: int
    """Maximum number of rows on a page: a few megabytes."""


_PAGE_SOURCES = {
    RowKind.DOCUMENT: _PageSource("transfer.export.documents", (_FIRST_ID,), 1_000),
    RowKind.CHUNK: _PageSource("transfer.export.chunks", (_FIRST_ID,), 250),
    RowKind.NODE: _PageSource("transfer.export.nodes", (_FIRST_ID,), 1_000),
    RowKind.MENTION: _PageSource("transfer.export.mentions", (_FIRST_ID, _FIRST_ID), 2_000),
    RowKind.ATTRIBUTE: _PageSource("transfer.export.attributes", (_FIRST_ID, _FIRST_ID, "", -1), 2_000),
    RowKind.EDGE: _PageSource("transfer.export.edges", (_FIRST_ID,), 1_000),
    RowKind.ENDING: _PageSource("transfer.export.endings", (_FIRST_ID,), 1_000),
}


def count_pages(space: SpaceSession, kinds: Sequence[RowKind]) -> int:
    """Return the number of pages of all rows of these kinds, at least one for each kind. One query."""
    (row_counts,) = space.run("transfer.export.count_rows", {})
    counts_by_kind = dict(zip(RowKind, row_counts, strict=True))
    return sum(counts_by_kind[kind] // _PAGE_SOURCES[kind].page_size + 1 for kind in kinds)


class PageOfRows(NamedTuple):
    """Rows of one kind, and whether more may follow."""

    rows: Sequence[Row]
    may_have_more: bool


def read_page_of_rows(space: SpaceSession, kind: RowKind, last_row: Row | None) -> PageOfRows:
    """Return the rows after the key `last_row`, and whether more may follow. One query."""
    page_source, row_class = _PAGE_SOURCES[kind], ROW_CLASS_BY_KIND[kind]
    last_key = page_source.key_before_first if last_row is None else last_row.sort_key
    parameters: dict[str, Any] = dict(zip(row_class.SORT_FIELDS, last_key, strict=True))
    if kind is RowKind.EDGE:
        parameters["claim_types"] = list(list_claim_relation_types(space.settings.extra_relation_types))
    rows = [
        row_class.from_columns(kind.value, *columns)
        for columns in space.run(page_source.statement, {**parameters, "limit": page_source.page_size})
    ]
    return PageOfRows(rows, len(rows) == page_source.page_size)
