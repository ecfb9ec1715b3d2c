"""A space as a file, streamed: a slow client holds no database transaction open."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager, AsyncExitStack
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import StreamingResponse

from app.api.key_scopes import Reader
from app.api.protocol.route import ApiRoute
from app.api.protocol.tenant_slots import BulkheadsDep, ExportSlot
from app.api.sessions import ReopenedCurrent
from app.errors import TooMany, Unauthenticated, Unavailable
from app.http.bulkheads import Bulkheads
from app.http.shared_streams import Watch, Watcher
from app.ids import TenantId
from app.transfer.export import service as exports
from app.transfer.export.format_registry import FORMATS
from app.transfer.export.shapes import ExportFormat

router = APIRouter(prefix="/v1/spaces/{space_id}", tags=["graph"], route_class=ApiRoute)

SLOT_WAIT_SECONDS = 120.0
"""How long a stream waits for a query slot of its tenant before it is broken off."""
_POLL_SECONDS = 0.5


@router.get(
    "/export",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "The file; a stream that was broken off does not end properly.",
            "content": {
                export_format.media_type: {"schema": {"type": "string"}} for export_format in FORMATS.values()
            },
        }
    },
)
async def export_space(
    request: Request,
    bulkheads: BulkheadsDep,
    caller: Reader,
    _slot: ExportSlot,
    space: ReopenedCurrent,
    format: Annotated[ExportFormat, Query(description="The file's format.")] = ExportFormat.JSON_LINES,
) -> StreamingResponse:
    """Export the space as a file: its graph with all evidence. 404, 429 too_many_exports.

    `jsonl` has documents, passages, nodes, mentions, attributes, edges and the ledger of ended claims, and
    its last line says that it is complete; the other formats have nodes and edges. Hidden rows are left out.
    """
    export_format = FORMATS[format]
    pieces = exports.export_space(space.run_in_transaction, format)
    async with bulkheads.queries.occupy_slot(space.tenant_id):
        # A missing space is still answered with its own status.
        first_piece = await bulkheads.queries.run_in_slot(lambda: next(pieces))
    watcher: Watcher = request.app.state.watcher
    pending_watch = watcher.watch(caller.tenant_id, space.space_id, caller=caller)
    return StreamingResponse(
        _stream_export(bulkheads, space.tenant_id, first_piece, pieces, pending_watch),
        media_type=export_format.media_type,
        headers={
            "content-disposition": f'attachment; filename="{space.space_id}.{export_format.extension}"',
            "cache-control": "no-store",
            "x-accel-buffering": "no",
        },
    )


async def _stream_export(
    bulkheads: Bulkheads,
    tenant_id: TenantId,
    first_piece: bytes,
    pieces: Iterator[bytes],
    pending_watch: AbstractContextManager[Watch],
) -> AsyncIterator[bytes]:
    piece: bytes | None = first_piece
    with pending_watch as watch:
        while piece is not None:
            yield piece
            if watch.end_reason is not None:
                # The status has already been sent; the caller learns of it from the broken stream.
                raise Unauthenticated
            piece = await _read_next_piece(bulkheads, tenant_id, pieces)


async def _read_next_piece(
    bulkheads: Bulkheads, tenant_id: TenantId, pieces: Iterator[bytes]
) -> bytes | None:
    """Return the next piece, read in one of the tenant's query slots like any request."""
    for _ in range(round(SLOT_WAIT_SECONDS / _POLL_SECONDS)):
        async with AsyncExitStack() as stack:
            try:
                await stack.enter_async_context(bulkheads.queries.occupy_slot(tenant_id))
            except (TooMany, Unavailable):
                await asyncio.sleep(_POLL_SECONDS)
                continue
            return await bulkheads.queries.run_in_slot(lambda: next(pieces, None))
    raise Unavailable("The database had no time for this export; try again later.", code="busy")
