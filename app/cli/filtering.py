"""Filter lists by words."""

from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, TypeVar

import typer

from app.cli.output import print_note

Row = TypeVar("Row")

Words = Annotated[
    str | None, typer.Argument(help="Only rows that contain all these words; case does not matter.")
]

MAX_SEARCHED_ROWS = 20_000
"""Maximum number of rows that one search reads: these lists have no text index."""
_PAGE_SIZE = 500


def filter_pages(
    words: str | None,
    limit: int,
    read_page: Callable[[Row | None, int], Sequence[Row]],
    get_texts: Callable[[Row], Iterable[object]],
) -> list[Row]:
    """Return the first `limit` rows that contain all the words; without words, the first rows.

    `read_page(last, count)` reads `count` rows after `last`; `get_texts(row)` returns the fields to search.
    If the search stops after MAX_SEARCHED_ROWS rows, a note on stderr says so.
    """
    if not words:
        return list(read_page(None, limit))
    search_words = words.casefold().split()
    rows: list[Row] = []
    last_row: Row | None = None
    for _ in range(MAX_SEARCHED_ROWS // _PAGE_SIZE):
        page_rows = read_page(last_row, _PAGE_SIZE)
        for row in page_rows:
            text = " ".join(map(str, get_texts(row))).casefold()
            if all(word in text for word in search_words):
                rows.append(row)
        if len(rows) >= limit or len(page_rows) < _PAGE_SIZE:
            return rows[:limit]
        last_row = page_rows[-1]
    print_note(f"Searched only the first {MAX_SEARCHED_ROWS:,} rows.")
    return rows


def filter_rows(
    words: str | None, limit: int, rows: Sequence[Row], get_texts: Callable[[Row], Iterable[object]]
) -> list[Row]:
    """Like `filter_pages`, for a list that is already complete."""
    return filter_pages(
        words, limit, lambda last_row, limit: rows[:limit] if last_row is None else [], get_texts
    )
