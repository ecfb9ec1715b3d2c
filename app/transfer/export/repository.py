"""Pages of a space's rows in key order; the cost of a page does not depend on the size of the space."""

from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

from app.db.session import SpaceSession
from app.domain.layers import claim_relation_types
from app.transfer.export.shapes import ROWS, Kind, Row

_FIRST_ID = UUID(int=0)


class _Source(NamedTuple):
    statement: str
    before: tuple[object, ...]
    """The key before the first row."""
    limit: int
    """Maximum number of rows on a page: a few megabytes."""


_SOURCES = {
    Kind.DOCUMENT: _Source("transfer.export.documents", (_FIRST_ID,), 1_000),
    Kind.CHUNK: _Source("transfer.export.chunks", (_FIRST_ID,), 250),
    Kind.NODE: _Source("transfer.export.nodes", (_FIRST_ID,), 1_000),
    Kind.MENTION: _Source("transfer.export.mentions", (_FIRST_ID, _FIRST_ID), 2_000),
    Kind.ATTRIBUTE: _Source("transfer.export.attributes", (_FIRST_ID, _FIRST_ID, "", -1), 2_000),
    Kind.EDGE: _Source("transfer.export.edges", (_FIRST_ID,), 1_000),
    Kind.ENDING: _Source("transfer.export.endings", (_FIRST_ID,), 1_000),
}


def count_pages(space: SpaceSession, kinds: Sequence[Kind]) -> int:
    """Return the number of pages of all rows of these kinds, at least one for each kind. One query."""
    (row_counts,) = space.run("transfer.export.count_rows", {})
    counts_by_kind = dict(zip(Kind, row_counts, strict=True))
    return sum(counts_by_kind[kind] // _SOURCES[kind].limit + 1 for kind in kinds)


def read_page_of_rows(space: SpaceSession, kind: Kind, last_row: Row | None) -> tuple[Sequence[Row], bool]:
    """Return the rows after the key `last_row`, and whether more may follow. One query."""
    row_source, row_class = _SOURCES[kind], ROWS[kind]
    key = row_source.before if last_row is None else last_row.sort_key
    parameters: dict[str, Any] = dict(zip(row_class.KEY, key, strict=True))
    if kind is Kind.EDGE:
        parameters["claim_types"] = list(claim_relation_types(space.settings.extra_relation_types))
    rows = [
        row_class.read(kind.value, *columns)
        for columns in space.run(row_source.statement, {**parameters, "limit": row_source.limit})
    ]
    return rows, len(rows) == row_source.limit
