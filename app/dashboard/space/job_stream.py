"""Jobs as server-sent events: the whole live part of the page, whenever it changes.

A client that connects or reconnects gets the current state; an unchanged state is not sent again. The
visitor's session and rights are checked repeatedly while the stream lasts.
"""

import hashlib
import time
from collections.abc import AsyncIterator
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Request
from fastapi.responses import StreamingResponse

from app.dashboard.deps import PageRenderer, PageSpace, PageSpaceDep, Renderer
from app.dashboard.rendering import LABEL_BY_JOB_KIND
from app.dashboard.routing import PageRoute
from app.dashboard.space.jobs import build_job_context, build_unfiltered_list
from app.db.models import Job
from app.errors import CitegraphError
from app.http.authentication import DASHBOARD_PATH, Sessions, get_session_token
from app.http.bulkheads import get_bulkheads
from app.http.security_headers import SECURITY_HEADERS
from app.http.shared_streams import JobList, SeenJobs, Watcher
from app.ids import JobId
from app.jobs.states import FINAL_STATES, JobState
from app.limits import STREAM_SECONDS

router = APIRouter(
    prefix=DASHBOARD_PATH + "/spaces/{space_id}/jobs", route_class=PageRoute, include_in_schema=False
)

SILENCE_SECONDS = 20.0
"""A comment is sent after this time without an event, since proxies close silent connections."""
CHECK_SECONDS = 15.0
"""Seconds between two checks of the visitor's session and rights."""


async def _take_stream_slot(request: Request, page_space: PageSpaceDep) -> AsyncIterator[None]:
    async with get_bulkheads(request).streams.occupy_slot(page_space.tenant_id):
        yield


Slot = Annotated[None, Depends(_take_stream_slot)]


@router.get("/stream")
async def stream_jobs(
    request: Request, page: Renderer, page_space: PageSpaceDep, _slot: Slot
) -> StreamingResponse:
    """Stream the list of jobs, whenever one of them changes."""
    return _build_stream_response(request, page, page_space, None)


@router.get("/{job_id}/stream")
async def stream_job(
    request: Request, page: Renderer, page_space: PageSpaceDep, _slot: Slot, job_id: UUID
) -> StreamingResponse:
    """Stream one job, whenever it changes; an event named `end` follows the last change."""
    return _build_stream_response(request, page, page_space, JobId(job_id))


def _build_stream_response(
    request: Request, page: PageRenderer, page_space: PageSpace, job_id: JobId | None
) -> StreamingResponse:
    headers = {**SECURITY_HEADERS, "x-accel-buffering": "no"}
    return StreamingResponse(
        _stream_events(request, page, page_space, job_id), media_type="text/event-stream", headers=headers
    )


async def _stream_events(
    request: Request, page: PageRenderer, page_space: PageSpace, job_id: JobId | None
) -> AsyncIterator[str]:
    watcher: Watcher = request.app.state.watcher
    sent_fingerprint = request.headers.get("last-event-id", "")
    stream_end = time.monotonic() + STREAM_SECONDS.maximum
    checked_at = sent_at = time.monotonic()
    # The browser reconnects by itself after this many milliseconds.
    yield "retry: 2000\n\n"
    with watcher.watch(
        page_space.tenant_id, page_space.id, job_id=job_id, needs_job_list=job_id is None
    ) as watch:
        while watch.end_reason is None and time.monotonic() < stream_end:
            if watch.snapshot is not None:
                snapshot_fingerprint = compute_snapshot_fingerprint(watch.snapshot, job_id)
                if snapshot_fingerprint != sent_fingerprint:
                    sent_fingerprint, sent_at = snapshot_fingerprint, time.monotonic()
                    yield _format_sse(
                        "state",
                        _render_snapshot(page, page_space, watch.snapshot, job_id),
                        snapshot_fingerprint,
                    )
                if watch.job is not None and watch.job.state in FINAL_STATES:
                    break
            if time.monotonic() - sent_at > SILENCE_SECONDS:
                sent_at = time.monotonic()
                yield ": nothing new\n\n"
            if time.monotonic() - checked_at > CHECK_SECONDS:
                checked_at = time.monotonic()
                if not await _is_still_allowed(request, page_space):
                    break
            await watch.wait_for_change(SILENCE_SECONDS)
    yield _format_sse("end", "over")


def compute_snapshot_fingerprint(snapshot: SeenJobs, job_id: JobId | None) -> str:
    """Return a fingerprint that changes with the content of the stream of the list, or of one job."""
    if job_id is not None:
        watched_job = snapshot.watched_jobs[job_id]
        fingerprints = [_format_job_fingerprint(watched_job.job), str(len(watched_job.errors))]
    else:
        job_list = _get_job_list(snapshot)
        queue_state = job_list.queue
        # The waiting time always grows: it counts in steps, so that the fingerprint stays a while.
        waited_steps = int((queue_state.oldest_seconds or 0) // 5)
        fingerprints = [_format_job_fingerprint(job) for job in job_list.jobs]
        fingerprints += [f"{group.first},{group.count},{group.is_delayed}" for group in job_list.waiting]
        fingerprints.append(
            f"{queue_state.waiting},{queue_state.delayed},{queue_state.running},{waited_steps},{queue_state.workers}"
        )
    return hashlib.sha256("\n".join(fingerprints).encode()).hexdigest()[:16]


def _format_job_fingerprint(job: Job) -> str:
    values = (job.state, job.stage, job.progress, job.counts, job.cost_usd, job.worker, job.attempt)
    return f"{job.id},{values},{job.cancel_requested},{job.error_code}"


def _get_job_list(snapshot: SeenJobs) -> JobList:
    assert snapshot.list is not None, "whoever watches no job watches the list"
    return snapshot.list


async def _is_still_allowed(request: Request, page_space: PageSpace) -> bool:
    """Return whether the visitor is still signed in and may read the space."""
    sessions: Sessions = request.app.state.sessions
    try:
        visitor = await sessions.verify(get_session_token(request.scope))
    except CitegraphError:
        return False
    caller = visitor.callers.get(page_space.tenant_id)
    return caller is not None and caller.may_open_space(page_space.id) and "read" in caller.scopes


def _render_snapshot(
    page: PageRenderer, page_space: PageSpace, snapshot: SeenJobs, job_id: JobId | None
) -> str:
    shared_values = {"page_space": page_space, "active": "jobs", "polls": False, "streams": True}
    if job_id is not None:
        return page.render(
            "space/job_state.html", **shared_values, **build_job_context(snapshot.watched_jobs[job_id])
        )
    job_list = _get_job_list(snapshot)
    return page.render(
        "space/jobs_rows.html",
        **shared_values,
        states=list(JobState),
        kinds=LABEL_BY_JOB_KIND,
        **build_unfiltered_list(job_list),
    )


def _format_sse(name: str, text: str, event_id: str = "") -> str:
    data = "".join(f"data: {line}\n" for line in text.splitlines())
    return f"event: {name}\n" + (f"id: {event_id}\n" if event_id else "") + data + "\n"
