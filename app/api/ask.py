"""Questions answered in cited sentences, either in one response or as a stream of events."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Generator
from contextlib import AbstractContextManager
from typing import Any

import anyio
from fastapi import APIRouter, Request
from fastapi.sse import EventSourceResponse, format_sse_event
from pydantic import BaseModel

from app.answers.shapes import ContextFound, Event, FinalAnswer, Interruption
from app.api import problems
from app.api.ask_shapes import AskBody
from app.api.key_scopes import CitegraphDep, Reader
from app.api.protocol.idempotency_header import find_request_key
from app.api.protocol.route import ApiRoute
from app.api.protocol.tenant_slots import BulkheadsDep, QuestionSlot, StreamSlotIfAsked
from app.api.quota_headers import TellsTokens
from app.api.sessions import ReadableSpaceOpener
from app.http.bulkheads import accepts_stream
from app.http.client_disconnect import run_unless_hung_up, start_abandonable_work, wait_for_abandoned_work
from app.http.concurrency_limit import ConcurrencyLimit
from app.http.shared_streams import Watch, Watcher
from app.views.answers import (
    AnswerCitationAnswer,
    AskAnswer,
    ContextAnswer,
    RemovedCitationAnswer,
    SentenceAnswer,
)
from app.views.view import View

router = APIRouter(prefix="/v1/spaces/{space_id}", tags=["answers"], route_class=ApiRoute)

_STREAM_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The answer, or its events if text/event-stream is accepted.",
        "content": {"text/event-stream": {}},
    }
}
# nginx buffers a proxied stream unless this header forbids it.
_STREAM_HEADERS = {"cache-control": "no-cache", "x-accel-buffering": "no"}
# Seconds between two checks whether the key is still valid.
KEY_CHECK_SECONDS = 5.0


class CitationsEvent(View):
    """The citations that passed the check, and those that were removed."""

    citations: list[AnswerCitationAnswer]
    removed: list[RemovedCitationAnswer]


class ErrorEvent(BaseModel):
    """The reason why the model stopped. What was streamed before remains valid."""

    code: str
    detail: str


@router.post("/ask", response_model=AskAnswer, responses=_STREAM_RESPONSES)
async def ask(
    request: Request,
    citegraph: CitegraphDep,
    bulkheads: BulkheadsDep,
    caller: Reader,
    _stream_slot: StreamSlotIfAsked,
    _slot: QuestionSlot,
    space_opener: ReadableSpaceOpener,
    _tokens: TellsTokens,
    body: AskBody,
) -> Any:
    """Answer the question; every sentence has the citations that support it. 409 needs_communities, 429, 503
    busy.

    If the tenant's tokens of the month are used up, no model is called: 429 quota_exceeded, `quota` tokens.

    If the client accepts text/event-stream, the answer arrives as events: context, one sentence event for
    each sentence, citations, and done with the whole answer; error if the model stops early or the space is
    deleted; and end, with the reason, if the key is no longer valid. The call succeeds even if the model
    fails: the answer then consists of quotes, and its warnings say why.
    """
    question = body.to_question(find_request_key(request))
    events = citegraph.answerer.ask(space_opener.tenant_id, space_opener.space_id, question)
    if accepts_stream(request):
        # An invalid question or a missing space is still answered with its own status.
        first_event = await run_unless_hung_up(request, bulkheads.questions, lambda: next(events))
        watcher: Watcher = request.app.state.watcher
        stream = _stream_events(
            request,
            bulkheads.questions,
            first_event,
            events,
            watcher.watch(caller.tenant_id, space_opener.space_id, caller=caller),
        )
        return EventSourceResponse(stream, headers=_STREAM_HEADERS)
    *_, final_event = await run_unless_hung_up(request, bulkheads.questions, lambda: list(events))
    return AskAnswer.model_validate(final_event)


async def _stream_events(
    request: Request,
    question_bulkhead: ConcurrencyLimit,
    first_event: Event,
    events: Generator[Event, None, None],
    pending_watch: AbstractContextManager[Watch],
) -> AsyncIterator[bytes]:
    abandoned_event = threading.Event()
    event: Event | None = first_event
    reading_task: asyncio.Task[Event | None] | None = None
    try:
        with pending_watch as watch:
            while event is not None:
                yield _encode_event(event)
                reading_task = start_abandonable_work(
                    question_bulkhead, lambda: next(events, None), abandoned_event
                )
                while watch.end_reason is None and not reading_task.done():
                    await _wait_for_event_or_key_check(reading_task, watch)
                if watch.end_reason is not None:
                    yield format_sse_event(event="end", data_str=json.dumps({"reason": watch.end_reason}))
                    return
                event = reading_task.result()
    except Exception as error:
        # The status has already been sent, so the problem is reported in the stream, in the usual error
        # format.
        problem = problems.build_problem(error, problems.get_request_id(request))
        yield format_sse_event(event="error", data_str=bytes(problem.body).decode())
    finally:
        # If the client hangs up, stop the model; the tokens used so far are still counted.
        if reading_task is not None:
            await wait_for_abandoned_work(reading_task, abandoned_event)
        with anyio.CancelScope(shield=True):
            await question_bulkhead.run_in_slot(events.close)


async def _wait_for_event_or_key_check(reading_task: asyncio.Task[Any], watch: Watch) -> None:
    """Wait for the next event or for the next check of the key."""
    key_check = asyncio.create_task(watch.wait_for_change(KEY_CHECK_SECONDS))
    try:
        await asyncio.wait({reading_task, key_check}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        key_check.cancel()


def _encode_event(event: Event) -> bytes:
    if isinstance(event, ContextFound):
        return _format_sse("context", ContextAnswer.model_validate(event.context))
    if isinstance(event, Interruption):
        return _format_sse("error", ErrorEvent(code=event.code, detail=event.message))
    if isinstance(event, FinalAnswer):
        return _format_sse("citations", CitationsEvent.model_validate(event)) + _format_sse(
            "done", AskAnswer.model_validate(event)
        )
    return _format_sse("sentence", SentenceAnswer.model_validate(event.sentence))


def _format_sse(name: str, data: BaseModel) -> bytes:
    return format_sse_event(event=name, data_str=data.model_dump_json())
