"""Jobs as server-sent events: the part of the page that changes, whole, whenever it does.

Whoever connects, also again, gets the state of that moment; the same state as before is not sent twice. The
visitor is looked up again as long as the stream lasts.
"""

import time
from collections.abc import AsyncIterator
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Request
from fastapi.responses import StreamingResponse

from app.dashboard import rendering
from app.dashboard.deps import Page, Pages, Place, SpacePlace
from app.dashboard.routing import PageRoute
from app.dashboard.space.job_feed import JobFeed, Seen
from app.dashboard.space.jobs import JobRow, job_values, queue_values
from app.edge.admission import DASHBOARD, Sessions, session_token
from app.edge.bulkheads import bulkheads_of
from app.errors import CitegraphError
from app.ids import JobId
from app.jobs.states import FINAL_STATES

router = APIRouter(
    prefix=DASHBOARD + "/spaces/{space_id}/jobs", route_class=PageRoute, include_in_schema=False
)

LONGEST_SECONDS = 3_600.0
SILENCE_SECONDS = 20.0
"""After so long without news a comment is sent: proxies close what says nothing."""
CHECK_SECONDS = 15.0
"""How often the visitor is looked up again."""


async def _slot(request: Request, place: Place) -> AsyncIterator[None]:
    async with bulkheads_of(request).streams.slot(place.tenant_id):
        yield


Slot = Annotated[None, Depends(_slot)]


@router.get("/stream")
async def stream_jobs(request: Request, page: Page, place: Place, _slot: Slot) -> StreamingResponse:
    """The list of jobs, whenever one of them changes."""
    return _streamed(request, page, place, None)


@router.get("/{job_id}/stream")
async def stream_job(
    request: Request, page: Page, place: Place, _slot: Slot, job_id: UUID
) -> StreamingResponse:
    """One job, whenever it changes; an event named end follows its last."""
    return _streamed(request, page, place, JobId(job_id))


def _streamed(request: Request, page: Pages, place: SpacePlace, job_id: JobId | None) -> StreamingResponse:
    headers = {**rendering.HEADERS, "x-accel-buffering": "no"}
    return StreamingResponse(
        _events(request, page, place, job_id), media_type="text/event-stream", headers=headers
    )


async def _events(
    request: Request, page: Pages, place: SpacePlace, job_id: JobId | None
) -> AsyncIterator[str]:
    feed: JobFeed = request.app.state.job_feed
    shown = request.headers.get("last-event-id", "")
    ends = time.monotonic() + LONGEST_SECONDS
    checked = spoken = time.monotonic()
    # The browser comes again by itself after so many milliseconds.
    yield "retry: 2000\n\n"
    with feed.watch((place.tenant_id, place.id), job_id) as channel:
        news = channel.news
        while not channel.gone and time.monotonic() < ends:
            if channel.seen is not None:
                digest = channel.seen.digest(job_id)
                if job_id is not None and job_id not in channel.seen.watched and channel.news is not news:
                    break
                if digest != shown and (job_id is None or job_id in channel.seen.watched):
                    shown, spoken = digest, time.monotonic()
                    yield _event("state", _rendered(page, place, channel.seen, job_id), digest)
                if job_id is not None and _is_over(channel.seen, job_id):
                    break
            if time.monotonic() - spoken > SILENCE_SECONDS:
                spoken = time.monotonic()
                yield ": nothing new\n\n"
            if time.monotonic() - checked > CHECK_SECONDS:
                checked = time.monotonic()
                if not await _may_go_on(request, place):
                    break
            await channel.next(SILENCE_SECONDS)
    yield _event("end", "over")


def _is_over(seen: Seen, job_id: JobId) -> bool:
    found = seen.watched.get(job_id)
    return found is not None and found[0].state in FINAL_STATES


async def _may_go_on(request: Request, place: SpacePlace) -> bool:
    """Return whether the visitor is still signed in and may read the space."""
    sessions: Sessions = request.app.state.sessions
    try:
        found = await sessions.verify(session_token(request.scope))
    except CitegraphError:
        return False
    caller = found.callers.get(place.tenant_id)
    return caller is not None and caller.may_open(place.id) and "read" in caller.scopes


def _rendered(page: Pages, place: SpacePlace, seen: Seen, job_id: JobId | None) -> str:
    common = {"place": place, "active": "jobs", "polls": False, "streams": True}
    if job_id is not None:
        job, errors = seen.watched[job_id]
        return page.text("space/job_state.html", **common, **job_values(job, errors))
    return page.text(
        "space/jobs_rows.html",
        **common,
        rows=[JobRow(each) for each in seen.jobs],
        after=None,
        following=seen.jobs[-1].id if seen.more else None,
        **queue_values(seen.queue),
    )


def _event(name: str, text: str, mark: str = "") -> str:
    data = "".join(f"data: {line}\n" for line in text.splitlines())
    return f"event: {name}\n" + (f"id: {mark}\n" if mark else "") + data + "\n"
