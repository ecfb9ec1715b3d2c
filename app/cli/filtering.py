"""Lists that show only the rows in which some words stand."""

from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, TypeVar

import typer

from app.cli.output import print_note

Row = TypeVar("Row")

Words = Annotated[
    str | None, typer.Argument(help="Only rows in which all these words stand, in either case of letters.")
]

MOST_SEARCHED = 20_000
"""Rows that one search looks at: these lists have no index of words."""
_PAGE = 500


def filter_pages(
    words: str | None,
    limit: int,
    page: Callable[[Row | None, int], Sequence[Row]],
    texts: Callable[[Row], Iterable[object]],
) -> list[Row]:
    """The first rows of a list in which all the words stand; without words simply the first.

    `page` gives so many rows after one, `texts` what of a row is looked at. Where the search ends before the
    list does, a note says so.
    """
    if not words:
        return list(page(None, limit))
    search_words = words.casefold().split()
    rows: list[Row] = []
    last: Row | None = None
    for _ in range(MOST_SEARCHED // _PAGE):
        page_rows = page(last, _PAGE)
        for row in page_rows:
            text = " ".join(map(str, texts(row))).casefold()
            if all(word in text for word in search_words):
                rows.append(row)
        if len(rows) >= limit or len(page_rows) < _PAGE:
            return rows[:limit]
        last = page_rows[-1]
    print_note(f"Looked at the first {MOST_SEARCHED:,} rows.")
    return rows


def filter_rows(
    words: str | None, limit: int, rows: Sequence[Row], texts: Callable[[Row], Iterable[object]]
) -> list[Row]:
    """The first of these rows in which all the words stand, of a short list that comes at once."""
    return filter_pages(words, limit, lambda last, most: rows[:most] if last is None else [], texts)
