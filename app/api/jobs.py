"""Jobs: how ingest is getting on, as answers and as a stream; ending and trying again."""

import time
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

import anyio
from fastapi import APIRouter, Depends
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from app.api.deps import Page, ReadableSpace, ReopenedSpace, SpaceReader, WritableSpace
from app.api.limits import StrictRoute
from app.api.shapes import Answer, Listing
from app.api.text import Id
from app.db.session import SpaceSession
from app.errors import NotFound
from app.ids import JobId
from app.ingest import service as ingest
from app.jobs import queue
from app.jobs.states import FINAL_STATES, JobState

router = APIRouter(prefix="/v1/spaces/{space_id}/jobs", tags=["jobs"], route_class=StrictRoute)

POLL_SECONDS = 1.0
# A proxy or a client that is gone must not be served for ever; clients simply ask again.
LONGEST_STREAM_SECONDS = 3_600.0
MAX_ERRORS = 100


class JobAnswer(Answer):
    """A job as it stands."""

    id: UUID
    kind: str
    state: JobState
    stage: str = Field(description="Where it stands, for people.")
    progress: float = Field(description="Per cent done.")
    elapsed_seconds: float | None = Field(description="Since it was first claimed, until it ended.")
    seconds_left: float | None = Field(description="At the pace so far; null where there is none.")
    counts: dict[str, Any] = Field(
        description="documents, chunks, nodes, edges, and what was dropped by reason."
    )
    attempt: int
    crash_count: int
    cancel_requested: bool
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float
    error_code: str | None
    error_message: str | None
    created_at: datetime
    started_at: datetime | None
    finalized_at: datetime | None

    def without_clock(self) -> dict[str, Any]:
        """What changes when the job does, not with every second that passes."""
        return self.model_dump(exclude={"elapsed_seconds", "seconds_left"})


class JobErrorAnswer(Answer):
    """A document or chunk that the job set aside."""

    document_id: UUID | None
    chunk_id: UUID | None
    code: str
    message: str
    created_at: datetime


class JobDetailAnswer(JobAnswer):
    """A job with the first hundred documents and chunks that it set aside."""

    errors: list[JobErrorAnswer]


@router.get("")
def list_jobs(space: ReadableSpace, page: Page) -> Listing[JobAnswer]:
    """The space's jobs, newest first."""
    scope = ("jobs", space.space_id)
    rows = queue.list_jobs(space, after=page.after_id(scope), limit=page.fetch)
    return page.show(rows, JobAnswer.model_validate, lambda row: [str(row.id)], scope)


@router.get("/{job_id}")
def read_job(space: ReadableSpace, job_id: Id) -> JobDetailAnswer:
    """The job and what it set aside. 404."""
    job = queue.get_job(space, JobId(job_id))
    errors = queue.list_errors(space, JobId(job_id), limit=MAX_ERRORS)
    return JobDetailAnswer(
        **JobAnswer.model_validate(job).model_dump(),
        errors=[JobErrorAnswer.model_validate(each) for each in errors],
    )


@router.post("/{job_id}/cancel")
def cancel_job(space: WritableSpace, job_id: Id) -> JobAnswer:
    """The job: cancelled if it was queued, else stopping at its next step. 404, 409 job_ended."""
    return JobAnswer.model_validate(ingest.cancel_job(space, JobId(job_id)))


@router.post("/{job_id}/retry")
def retry_job(space: WritableSpace, job_id: Id) -> JobAnswer:
    """The job, queued again with the documents that it left. 404, 409 job_not_retryable."""
    return JobAnswer.model_validate(ingest.retry_job(space, JobId(job_id)))


class JobWatch:
    """Reads one job over and over, each time in a transaction of its own."""

    def __init__(self, reader: SpaceReader, job_id: JobId, first: JobAnswer) -> None:
        self._reader = reader
        self._job_id = job_id
        self.first = first

    def read(self) -> JobAnswer | None:
        """The job now; None once it or its space is gone."""
        try:
            return self._reader.read(lambda space: _job(space, self._job_id))
        except NotFound:
            return None


def _job(space: SpaceSession, job_id: JobId) -> JobAnswer:
    return JobAnswer.model_validate(queue.get_job(space, job_id))


def _watch(reader: ReopenedSpace, job_id: Id) -> JobWatch:
    """The job to be watched. Raises NotFound while a status can still be sent."""
    first = reader.read(lambda space: _job(space, JobId(job_id)))
    return JobWatch(reader, JobId(job_id), first)


@router.get("/{job_id}/events", response_class=EventSourceResponse)
async def watch_job(watch: Annotated[JobWatch, Depends(_watch)]) -> AsyncIterator[ServerSentEvent]:
    """The job whenever it changes, as events named job; an event named end follows its last. 404.

    Asked at most once a second. A stream ends after an hour; open it again to go on.
    """
    deadline = time.monotonic() + LONGEST_STREAM_SECONDS
    job: JobAnswer | None = watch.first
    shown: JobAnswer | None = None
    while job is not None:
        if shown is None or job.without_clock() != shown.without_clock():
            shown = job
            yield ServerSentEvent(event="job", data=job)
        if job.state in FINAL_STATES or time.monotonic() > deadline:
            break
        await anyio.sleep(POLL_SECONDS)
        job = await run_in_threadpool(watch.read)
    yield ServerSentEvent(event="end", data={"state": job.state if job else "gone"})
