"""Dependencies with which an `async def` route takes slots of its tenant."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Annotated

from fastapi import Depends, Request

from app.api.key_scopes import Reader, Writer
from app.http.bulkheads import Bulkheads, accepts_stream, get_bulkheads

BulkheadsDep = Annotated[Bulkheads, Depends(get_bulkheads)]


async def _take_question_slot(bulkheads: BulkheadsDep, caller: Reader) -> AsyncIterator[None]:
    async with bulkheads.questions.occupy_slot(caller.tenant_id):
        yield


async def _take_stream_slot(bulkheads: BulkheadsDep, caller: Reader) -> AsyncIterator[None]:
    async with bulkheads.streams.occupy_slot(caller.tenant_id):
        yield


async def _take_export_slot(bulkheads: BulkheadsDep, caller: Reader) -> AsyncIterator[None]:
    async with bulkheads.exports.occupy_slot(caller.tenant_id):
        yield


async def _take_optional_stream_slot(
    request: Request, bulkheads: BulkheadsDep, caller: Reader
) -> AsyncIterator[None]:
    async with AsyncExitStack() as stack:
        if accepts_stream(request):
            await stack.enter_async_context(bulkheads.streams.occupy_slot(caller.tenant_id))
        yield


async def _take_upload_slot(bulkheads: BulkheadsDep, caller: Writer) -> AsyncIterator[None]:
    async with bulkheads.uploads.occupy_slot(caller.tenant_id):
        yield


# Each slot is held until the response has been sent, that of a stream until its end.
QuestionSlot = Annotated[None, Depends(_take_question_slot)]
ExportSlot = Annotated[None, Depends(_take_export_slot)]
StreamSlot = Annotated[None, Depends(_take_stream_slot)]
StreamSlotIfAsked = Annotated[None, Depends(_take_optional_stream_slot)]
UploadSlot = Annotated[None, Depends(_take_upload_slot)]
