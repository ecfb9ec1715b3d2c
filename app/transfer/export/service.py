"""Export of a space as a file, streamed page by page, each read in a short transaction (requirement 17.3).

Memory holds one page. No transaction stays open for a slow client (requirement 16.2), so the pages are from
different moments; if the graph changed meanwhile, the end of a JSON Lines file says so.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Protocol, TypeVar

from app.db.session import SpaceSession
from app.tenancy.audit import service as audit
from app.tenancy.spaces import service as spaces
from app.transfer.export import repository
from app.transfer.export.format_registry import FORMATS
from app.transfer.export.shapes import ExportFormat, Row, SpaceLine

Value = TypeVar("Value")


class RunInTransaction(Protocol):
    """Opens the space, calls the function in one short transaction and returns its result."""

    def __call__(self, work: Callable[[SpaceSession], Value]) -> Value: ...


def export_space(run_in_transaction: RunInTransaction, format: ExportFormat) -> Iterator[bytes]:
    """Yield the file in pieces, each read in one transaction. Raises NotFound if the space was deleted."""
    writer = FORMATS[format]()
    space: SpaceLine = run_in_transaction(partial(_record_export_and_read_space, format=format))
    yield writer.format_head(space)
    for kind in writer.kinds:
        last_row: Row | None = None
        has_more = True
        while has_more:
            rows, has_more = run_in_transaction(
                partial(repository.read_page_of_rows, kind=kind, last_row=last_row)
            )
            if rows:
                last_row = rows[-1]
                yield writer.format_rows(kind, rows)
    yield writer.format_tail(space, run_in_transaction(_build_space_line))


def estimate_piece_count(run_in_transaction: RunInTransaction, format: ExportFormat) -> int:
    """Return the approximate number of pieces that `export_space` yields, for a progress bar."""
    return run_in_transaction(partial(repository.count_pages, kinds=FORMATS[format].kinds)) + 2


def _build_space_line(session: SpaceSession) -> SpaceLine:
    row = spaces.get_open_space_row(session)
    return SpaceLine(
        kind="space",
        version=1,
        id=row.id,
        name=row.name,
        description=row.description,
        graph_revision=session.opening_state.graph_revision,
    )


def _record_export_and_read_space(session: SpaceSession, format: ExportFormat) -> SpaceLine:
    """Write the export to the audit log and return the space; done first, because a download may be
    aborted.
    """
    audit.record(session, "space.export", target=session.space_id, details={"format": format.value})
    return _build_space_line(session)
