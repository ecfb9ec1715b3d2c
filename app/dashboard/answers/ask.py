"""Ask a space: the answer streamed as it is written, with its passages, facts and reasons."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Generator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Annotated, Any, NamedTuple
from urllib.parse import urlencode

import anyio
import structlog
from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response
from fastapi.sse import EventSourceResponse, format_sse_event

from app.answers.shapes import AnswerScope, ContextFound, Event, FinalAnswer, Interruption, Question
from app.dashboard.answers.progress import SHOWN_FACTS, Progress
from app.dashboard.answers.suggestions import suggest_questions
from app.dashboard.deps import (
    READ_SECONDS,
    CitegraphDep,
    PageRenderer,
    PageSpace,
    PageSpaceDep,
    Renderer,
    Visitor,
)
from app.dashboard.routing import PageRoute
from app.db.session import TenantSession
from app.documents import service as documents
from app.errors import CitegraphError, Unauthenticated
from app.graph import service as graph
from app.http.authentication import DASHBOARD_PATH, get_session_token
from app.http.bulkheads import Bulkheads, get_bulkheads, run_in_query_slot_of_tenant
from app.http.client_disconnect import run_unless_hung_up, start_abandonable_work, wait_for_abandoned_work
from app.http.security_headers import SECURITY_HEADERS
from app.limits import QUESTION
from app.tenancy.accounts import questions
from app.tenancy.accounts.shapes import SignedIn

log = structlog.get_logger(__name__)

router = APIRouter(
    prefix=DASHBOARD_PATH + "/spaces/{space_id}", route_class=PageRoute, include_in_schema=False
)

SHOWN_QUESTIONS = 12
MAX_NODES_OF_SUGGESTIONS = 3
"""Number of best known nodes from which suggested questions are built."""
SESSION_SECONDS = 5.0
"""Seconds between two checks that the visitor is still signed in."""
# nginx buffers a stream unless this header forbids it.
_HEADERS = {**SECURITY_HEADERS, "x-accel-buffering": "no"}
_UNEXPECTED_ERROR_TEXT = "The answer broke off: an unexpected error, which the log has."


@dataclass(frozen=True)
class PageQuestion:
    """A question as encoded in the address of its page: the same address asks the same question again."""

    text: str
    scope: AnswerScope
    as_of: datetime | None

    @property
    def day(self) -> str:
        """The day that the question is about; empty for now."""
        return self.as_of.date().isoformat() if self.as_of else ""

    @property
    def address(self) -> str:
        """The query of the page's address."""
        return build_page_query(self.text, self.scope, self.as_of)

    @property
    def question(self) -> Question:
        """The question for the service."""
        return Question(self.text, scope=self.scope, as_of=self.as_of)


def build_page_query(text: str, scope: str, as_of: datetime | None) -> str:
    """Return the query string of the page that asks this question."""
    parameters = {"q": text, "scope": str(scope), "as_of": as_of.date().isoformat() if as_of else ""}
    return urlencode(
        {name: value for name, value in parameters.items() if value and value != AnswerScope.LOCAL}
    )


def parse_day(as_of: str) -> datetime | None:
    """Return the beginning of a day in UTC; None if the text is empty or no date."""
    try:
        day = date.fromisoformat(as_of)
    except ValueError:
        return None
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def _parse_page_question(
    q: Annotated[str, Query(max_length=4 * QUESTION.maximum)] = "",
    scope: Annotated[AnswerScope, Query()] = AnswerScope.LOCAL,
    as_of: Annotated[str, Query(max_length=10)] = "",
) -> PageQuestion:
    return PageQuestion(" ".join(q.split()), scope, parse_day(as_of))


ParsedPageQuestion = Annotated[PageQuestion, Depends(_parse_page_question)]
BulkheadsDep = Annotated[Bulkheads, Depends(get_bulkheads)]


async def _take_answer_slots(bulkheads: BulkheadsDep, page_space: PageSpaceDep) -> AsyncIterator[None]:
    """Hold the tenant's slots for a question and a stream until the answer is sent."""
    async with (
        bulkheads.streams.occupy_slot(page_space.tenant_id),
        bulkheads.questions.occupy_slot(page_space.tenant_id),
    ):
        yield


@router.get("/ask")
async def ask(
    request: Request,
    page: Renderer,
    citegraph: CitegraphDep,
    page_space: PageSpaceDep,
    visitor: Visitor,
    page_question: ParsedPageQuestion,
    whole: bool = False,
) -> Response:
    """Show the form and, with a question, its answer: streamed by a script, or all at once if `whole`."""
    progress, refusal = None, None
    bulkheads = get_bulkheads(request)
    if page_question.text and whole:
        progress = Progress(as_of=page_question.as_of)
        shown_progress = progress

        def work() -> None:
            for event in citegraph.answerer.ask(page_space.tenant_id, page_space.id, page_question.question):
                shown_progress.record_event(event)

        try:
            async with bulkheads.questions.occupy_slot(page_space.tenant_id):
                await run_unless_hung_up(request, bulkheads.questions, work)
        except CitegraphError as error:
            if error.status >= 500 or error.status == 404:
                raise
            progress, refusal = None, error.message
    noted_question = page_question if progress else None
    history = await run_in_query_slot_of_tenant(
        request,
        lambda: bulkheads.queries.run_in_slot(
            lambda: _record_and_list_recent_questions(citegraph, page_space, visitor, noted_question)
        ),
    )
    offered_questions: list[str] = []
    is_empty = False
    if not page_question.text:
        offered_questions, is_empty = await run_in_query_slot_of_tenant(
            request, lambda: bulkheads.queries.run_in_slot(lambda: _suggest_questions(citegraph, page_space))
        )
    return page.show(
        "answers/ask.html",
        page_space=page_space,
        offered=offered_questions,
        is_empty=is_empty,
        active="ask",
        page_question=page_question,
        progress=progress,
        refused=refusal,
        history=history,
        longest=QUESTION.maximum,
        shown_facts=SHOWN_FACTS,
    )


class _Suggestions(NamedTuple):
    """Questions that the page suggests; `is_empty` says that the space has neither nodes nor documents."""

    questions: list[str]
    is_empty: bool


def _suggest_questions(citegraph: CitegraphDep, page_space: PageSpace) -> _Suggestions:
    """Return suggested questions from the claims of the best known nodes."""
    with citegraph.database.open_space(
        page_space.tenant_id, page_space.id, may_use_replica=True, statement_timeout_seconds=READ_SECONDS
    ) as space:
        best_known_nodes = graph.list_nodes(space, limit=MAX_NODES_OF_SUGGESTIONS)
        is_empty = not best_known_nodes and not documents.list_documents(space, limit=1)
        suggested_questions = suggest_questions(
            [graph.aggregate_edges_by_claim(space, node_id=node.id) for node in best_known_nodes]
        )
        return _Suggestions(suggested_questions, is_empty)


class RecentQuestion(NamedTuple):
    """A question that somebody asked, and the query of the page that asks it again."""

    query: str
    question: questions.PastQuestion


def _record_and_list_recent_questions(
    citegraph: CitegraphDep, page_space: PageSpace, visitor: Visitor, noted_question: PageQuestion | None
) -> list[RecentQuestion]:
    """Record the current question; return the visitor's last questions in this space with their addresses."""
    with citegraph.database.open_tenant(page_space.tenant_id) as tenant:
        if noted_question is not None:
            _record_question(tenant, page_space, visitor, noted_question)
        recent_questions = questions.list_questions(
            tenant, visitor.session_id, page_space.id, limit=SHOWN_QUESTIONS
        )
    return [
        RecentQuestion(build_page_query(question.question, question.scope, question.as_of), question)
        for question in recent_questions
    ]


def _record_question(
    tenant: TenantSession, page_space: PageSpace, visitor: SignedIn, page_question: PageQuestion
) -> None:
    questions.record_question_and_prune_history(
        tenant,
        visitor.session_id,
        page_space.id,
        question=page_question.text,
        scope=page_question.scope,
        as_of=page_question.as_of,
    )


@router.post("/ask/forget")
def forget_questions(
    page: Renderer, citegraph: CitegraphDep, page_space: PageSpaceDep, visitor: Visitor
) -> Response:
    """Delete the visitor's own questions in this space; allowed to everybody who may ask."""
    with citegraph.database.open_tenant(page_space.tenant_id) as tenant:
        questions.delete_questions(tenant, visitor.session_id, page_space.id)
    return page.redirect(f"{page_space.path}/ask")


@router.get("/ask/stream")
async def stream_answer(
    request: Request,
    page: Renderer,
    citegraph: CitegraphDep,
    page_space: PageSpaceDep,
    visitor: Visitor,
    page_question: ParsedPageQuestion,
    _slot: Annotated[None, Depends(_take_answer_slots)],
) -> Response:
    """Stream the answer as events, each with an HTML fragment: context, sentence, then done or problem."""
    progress = Progress(as_of=page_question.as_of)
    events = citegraph.answerer.ask(page_space.tenant_id, page_space.id, page_question.question)
    bulkheads = get_bulkheads(request)

    def first() -> Event:
        event = next(events)
        with citegraph.database.open_tenant(page_space.tenant_id) as tenant:
            _record_question(tenant, page_space, visitor, page_question)
        return event

    # The first event is awaited before the response starts, so that an error still sets the HTTP status.
    first_event = await run_unless_hung_up(request, bulkheads.questions, first)
    answer_stream = _AnswerStream(page, page_space, page_question, progress)
    return EventSourceResponse(_stream_events(request, first_event, events, answer_stream), headers=_HEADERS)


@dataclass(frozen=True)
class _AnswerStream:
    """Turns events into fragments of the page."""

    page: PageRenderer
    page_space: PageSpace
    page_question: PageQuestion
    progress: Progress

    def render_fragment(self, template: str, **values: Any) -> str:
        response = self.page.show(
            template,
            page_space=self.page_space,
            page_question=self.page_question,
            progress=self.progress,
            shown_facts=SHOWN_FACTS,
            **values,
        )
        return bytes(response.body).decode()

    def encode_event(self, event: Event) -> bytes:
        self.progress.record_event(event)
        if isinstance(event, ContextFound):
            return _format_sse("context", self.render_fragment("answers/beside.html"))
        if isinstance(event, Interruption):
            return _format_sse("problem", self.render_problem(event.message))
        if isinstance(event, FinalAnswer):
            return _format_sse("done", self.render_fragment("answers/answer.html"))
        return _format_sse("sentence", self.render_fragment("answers/sentence.html", sentence=event.sentence))

    def render_problem(self, sentence: str) -> str:
        return self.render_fragment("frame/problem_fragment.html", sentence=sentence)


def _format_sse(name: str, html: str) -> bytes:
    # As JSON, so that no line of a fragment ends the event.
    return format_sse_event(event=name, data_str=json.dumps(html))


async def _stream_events(
    request: Request, first_event: Event, events: Generator[Event, None, None], answer_stream: _AnswerStream
) -> AsyncIterator[bytes]:
    abandoned_event = threading.Event()
    question_bulkhead = get_bulkheads(request).questions
    event: Event | None = first_event
    reading_task: asyncio.Task[Event | None] | None = None
    try:
        while event is not None:
            yield answer_stream.encode_event(event)
            reading_task = start_abandonable_work(
                question_bulkhead, lambda: next(events, None), abandoned_event
            )
            while not (await asyncio.wait({reading_task}, timeout=SESSION_SECONDS))[0]:
                await request.app.state.sessions.verify(get_session_token(request.scope))
            event = reading_task.result()
    except Unauthenticated:
        yield _format_sse("problem", answer_stream.render_problem("You are not signed in any more."))
    except CitegraphError as error:
        yield _format_sse("problem", answer_stream.render_problem(error.message))
    except Exception:
        # The HTTP status is already sent: show the error in place of the answer.
        log.exception("answer_stream_failed")
        yield _format_sse("problem", answer_stream.render_problem(_UNEXPECTED_ERROR_TEXT))
    finally:
        # Leaving the page stops the model; the tokens written until then are still counted.
        if reading_task is not None:
            await wait_for_abandoned_work(reading_task, abandoned_event)
        with anyio.CancelScope(shield=True):
            await question_bulkhead.run_in_slot(events.close)
