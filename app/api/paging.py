"""Pages of lists: the requested page, and the cursor of the next one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar
from uuid import UUID

from fastapi import Depends, Query, Request

from app.api import cursors
from app.api.shapes import Listing
from app.limits import PAGE

Row = TypeVar("Row")
Item = TypeVar("Item")


@dataclass(frozen=True)
class Paging:
    """The size of a page and its start. A cursor belongs to one list with its owner and filters.

    `scope` identifies these: a tuple that begins with the list's name.
    """

    secret: bytes
    limit: int
    cursor: str | None

    @property
    def fetch_limit(self) -> int:
        """The number of rows to fetch: one more than is shown, to learn whether there is a next page.

        It never exceeds the largest page. After a full page of that size a next page is always offered, and
        it may be empty.
        """
        return min(self.limit + 1, PAGE.maximum)

    def decode_position(self, scope: Sequence[object]) -> list[Any] | None:
        """Return the position where the page begins, or None for the first page. Raises InvalidInput for a
        cursor of another list.
        """
        return None if self.cursor is None else cursors.decode_cursor(self.secret, scope, self.cursor)

    def decode_id(self, scope: Sequence[object]) -> UUID | None:
        """Return the position as an id, for a list in the order of its ids."""
        position = self.decode_position(scope)
        return None if position is None else UUID(position[0])

    def build_page_with_next_cursor(
        self,
        rows: Sequence[Row],
        show_row: Callable[[Row], Item],
        get_position: Callable[[Row], cursors.Position],
        scope: Sequence[object],
    ) -> Listing[Item]:
        """Return the page of these rows, the last of which may be one row too many."""
        page_rows = rows[: self.limit]
        has_next_page = len(rows) > self.limit or len(rows) == PAGE.maximum
        cursor = (
            cursors.encode_cursor(self.secret, scope, get_position(page_rows[-1])) if has_next_page else None
        )
        return Listing(items=[show_row(row) for row in page_rows], next_cursor=cursor)


async def _build_paging(
    request: Request,
    limit: Annotated[int, Query(ge=1, le=PAGE.maximum, description="Items on a page.")] = 50,
    cursor: Annotated[
        str | None, Query(max_length=512, description="next_cursor of the previous page.")
    ] = None,
) -> Paging:
    return Paging(request.app.state.cursor_secret, limit, cursor)


RequestedPage = Annotated[Paging, Depends(_build_paging)]
