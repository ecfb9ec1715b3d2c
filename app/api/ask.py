"""Questions in words: an answer in cited sentences, at once or as a stream while it is written."""

from collections.abc import AsyncIterator, Generator
from typing import Any

import anyio
from fastapi import APIRouter, Request
from fastapi.sse import EventSourceResponse, format_sse_event
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool

from app.answers.shapes import Answered, ContextFound, Event, Interrupted
from app.api import problems
from app.api.ask_shapes import (
    AnswerCitationAnswer,
    AskAnswer,
    AskBody,
    ContextAnswer,
    RemovedCitationAnswer,
    SentenceAnswer,
)
from app.api.deps import Parts, ReopenedSpace
from app.api.limits import StrictRoute
from app.api.shapes import Answer
from app.api.turns import Turns

router = APIRouter(prefix="/v1/spaces/{space_id}", tags=["answers"], route_class=StrictRoute)

_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The answer; where text/event-stream is accepted, its events.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}
# Of proxies: nginx keeps a stream back unless it is told not to.
_HEADERS = {"cache-control": "no-cache", "x-accel-buffering": "no"}


class CitationsEvent(Answer):
    """The citations that stand, and those that were taken out."""

    citations: list[AnswerCitationAnswer]
    removed: list[RemovedCitationAnswer]


class ErrorEvent(BaseModel):
    """Why the model stopped; what was streamed before stands."""

    code: str
    detail: str


@router.post("/ask", response_model=AskAnswer, responses=_STREAM)
async def ask(request: Request, parts: Parts, space: ReopenedSpace, body: AskBody) -> Any:
    """The answer, every sentence with the citations that it rests on. 409 needs_communities, 503 busy.

    Where text/event-stream is accepted it comes as events: context, a sentence for each sentence, citations,
    done with the whole answer; and error where the model stops before its end or the space is gone. A model
    that fails is no failure of the call: the answer quotes instead and its warnings say why.
    """
    owner = (space.tenant_id, space.space_id)
    events = parts.recorder.following(*owner, parts.answerer.ask(*owner, body.asked()))
    # What cannot be asked, or finds no space, still answers with a status of its own.
    first = await run_in_threadpool(next, events)
    turns: Turns = request.app.state.turns
    if _accepts_stream(request):
        return EventSourceResponse(_stream(request, turns, first, events), headers=_HEADERS)
    async with turns.turn():
        *_, last = await turns.run(lambda: list(events))
    return AskAnswer.model_validate(last)


def _accepts_stream(request: Request) -> bool:
    accepted = request.headers.get("accept", "").lower()
    return any(each.split(";")[0].strip() == "text/event-stream" for each in accepted.split(","))


async def _stream(
    request: Request, turns: Turns, first: Event, events: Generator[Event, None, None]
) -> AsyncIterator[bytes]:
    try:
        yield _wire(first)
        async with turns.turn():
            while (event := await turns.run(lambda: next(events, None))) is not None:
                yield _wire(event)
    except Exception as error:
        # The status has left already: the problem is told in the stream, in the one shape of failures.
        problem = problems.answer(error, problems.request_id_of(request))
        yield format_sse_event(event="error", data_str=bytes(problem.body).decode())
    finally:
        # Whoever hangs up stops the model; what it wrote until then is still counted.
        with anyio.CancelScope(shield=True):
            await run_in_threadpool(events.close)


def _wire(event: Event) -> bytes:
    if isinstance(event, ContextFound):
        return _event("context", ContextAnswer.model_validate(event.context))
    if isinstance(event, Interrupted):
        return _event("error", ErrorEvent(code=event.code, detail=event.message))
    if isinstance(event, Answered):
        return _event("citations", CitationsEvent.model_validate(event)) + _event(
            "done", AskAnswer.model_validate(event)
        )
    return _event("sentence", SentenceAnswer.model_validate(event.sentence))


def _event(name: str, data: BaseModel) -> bytes:
    return format_sse_event(event=name, data_str=data.model_dump_json())
