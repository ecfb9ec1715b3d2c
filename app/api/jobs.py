"""Jobs: the progress of an ingest, as answers and as a stream; cancelling and retrying."""

import time
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.sse import EventSourceResponse, ServerSentEvent

from app.api.key_scopes import CitegraphDep, Reader, Writer
from app.api.paging import RequestedPage
from app.api.protocol.route import ApiRoute
from app.api.protocol.tenant_slots import BulkheadsDep, StreamSlot
from app.api.sessions import PrimarySpace, ReopenedCurrent, WritableSpace
from app.api.shapes import Listing
from app.http.input_text import Id
from app.http.shared_streams import StreamEnd, Watch, Watcher
from app.ids import JobId
from app.ingest import service as ingest
from app.jobs import queue
from app.jobs.states import FINAL_STATES, JobFilter, JobState
from app.limits import JOB_ERRORS, STREAM_SECONDS
from app.views.jobs import JobAnswer, JobDetailAnswer

router = APIRouter(prefix="/v1/spaces/{space_id}/jobs", tags=["jobs"], route_class=ApiRoute)


@router.get("")
def list_jobs(
    space: PrimarySpace,
    page: RequestedPage,
    state: Annotated[JobState | None, Query(description="Only jobs in this state.")] = None,
    kind: Annotated[
        str, Query(max_length=60, description="Only jobs of this kind, such as ingest.documents.")
    ] = "",
) -> Listing[JobAnswer]:
    """List the space's jobs, newest first."""
    scope = ("jobs", space.space_id, state, kind)
    job_filter = JobFilter(() if state is None else (state,), kind)
    rows = queue.list_jobs(space, job_filter, after=page.decode_id(scope), limit=page.fetch_limit)
    return page.build_page_with_next_cursor(rows, JobAnswer.model_validate, lambda row: [str(row.id)], scope)


@router.get("/{job_id}")
def read_job(space: PrimarySpace, job_id: Id) -> JobDetailAnswer:
    """Return the job, and the documents and chunks that it skipped because they failed. 404."""
    job = queue.get_job(space, JobId(job_id))
    errors = queue.list_job_errors(space, JobId(job_id), limit=JOB_ERRORS.maximum)
    return JobDetailAnswer.from_value(job, errors=errors)


@router.post("/{job_id}/cancel")
def cancel_job(space: WritableSpace, job_id: Id) -> JobAnswer:
    """Cancel the job at once if it is queued, otherwise at its next step; return it. 404, 409 job_ended."""
    return JobAnswer.model_validate(ingest.cancel_job(space, JobId(job_id)))


def _check_queue_room(citegraph: CitegraphDep, caller: Writer) -> None:
    """Raise TooMany if the tenant has as many waiting jobs as it may."""
    # Runs before the space is opened, in its own transaction, whose connection the space then uses.
    ingest.check_room_for_ingest_job(citegraph.database, caller.tenant_id)


RoomInQueue = Annotated[None, Depends(_check_queue_room)]


@router.post("/{job_id}/retry")
def retry_job(_room: RoomInQueue, space: WritableSpace, job_id: Id) -> JobAnswer:
    """Queue the job again with what it left unread: documents, and quarantined chunks of others.

    A parked or postponed job runs now. 404, 409 job_not_retryable, 429 too_many_jobs.
    """
    return JobAnswer.model_validate(ingest.retry_job(space, JobId(job_id)))


async def _watch_job(
    request: Request,
    bulkheads: BulkheadsDep,
    caller: Reader,
    _slot: StreamSlot,
    reader: ReopenedCurrent,
    job_id: Id,
) -> AsyncIterator[Watch]:
    """Yield a watch on the job. Raises NotFound while a status can still be sent."""
    watcher: Watcher = request.app.state.watcher
    with watcher.watch(caller.tenant_id, reader.space_id, caller=caller, job_id=JobId(job_id)) as watch:
        async with bulkheads.queries.occupy_slot(caller.tenant_id):
            await bulkheads.queries.run_in_slot(
                lambda: reader.run_in_transaction(lambda space: queue.get_job(space, JobId(job_id)))
            )
        yield watch


@router.get("/{job_id}/events", response_class=EventSourceResponse)
async def watch_job(watch: Annotated[Watch, Depends(_watch_job)]) -> AsyncIterator[ServerSentEvent]:
    """Stream the job whenever it changes, as events named job; the last event, named end, has the reason.
    404.

    The job and the key are checked once a second: an expired key ends the stream, and so does an hour;
    reconnect to continue. 429 too_many_streams.
    """
    deadline = time.monotonic() + STREAM_SECONDS.maximum
    last_answer: JobAnswer | None = None
    state = "gone"
    while watch.end_reason is None:
        if watch.job is not None:
            job = JobAnswer.model_validate(watch.job)
            state = job.state
            if last_answer is None or job.dump_without_clock() != last_answer.dump_without_clock():
                last_answer = job
                yield ServerSentEvent(event="job", data=job)
            if job.state in FINAL_STATES:
                watch.end_reason = StreamEnd.FINISHED
        remaining_seconds = deadline - time.monotonic()
        if remaining_seconds <= 0:
            watch.end_reason = StreamEnd.TIME_LIMIT
        await watch.wait_for_change(remaining_seconds)
    if watch.end_reason is StreamEnd.GONE:
        state = "gone"
    yield ServerSentEvent(event="end", data={"state": state, "reason": watch.end_reason})
