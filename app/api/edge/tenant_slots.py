"""Dependencies by which an `async def` route takes the places of its tenant that it needs."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Annotated

from fastapi import Depends, Request

from app.api.deps import Reader, Writer
from app.http.bulkheads import Bulkheads, accepts_stream, bulkheads_of

Limits = Annotated[Bulkheads, Depends(bulkheads_of)]


async def _question(limits: Limits, caller: Reader) -> AsyncIterator[None]:
    async with limits.questions.slot(caller.tenant_id):
        yield


async def _stream(limits: Limits, caller: Reader) -> AsyncIterator[None]:
    async with limits.streams.slot(caller.tenant_id):
        yield


async def _export(limits: Limits, caller: Reader) -> AsyncIterator[None]:
    async with limits.exports.slot(caller.tenant_id):
        yield


async def _stream_if_asked(request: Request, limits: Limits, caller: Reader) -> AsyncIterator[None]:
    async with AsyncExitStack() as stack:
        if accepts_stream(request):
            await stack.enter_async_context(limits.streams.slot(caller.tenant_id))
        yield


async def _upload(limits: Limits, caller: Writer) -> AsyncIterator[None]:
    async with limits.uploads.slot(caller.tenant_id):
        yield


# Each is kept until the answer has left: a stream's place until its end.
QuestionSlot = Annotated[None, Depends(_question)]
ExportSlot = Annotated[None, Depends(_export)]
StreamSlot = Annotated[None, Depends(_stream)]
StreamSlotIfAsked = Annotated[None, Depends(_stream_if_asked)]
UploadSlot = Annotated[None, Depends(_upload)]
