"""Jobs of a space: how each is getting on, live; ending one and trying one again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query
from fastapi.responses import Response

from app.dashboard.deps import CurrentSpace, Page, Parts, Place, ReopenedForWriting, WritableSpace
from app.dashboard.rendering import words
from app.dashboard.routing import PageRoute
from app.db.models import Job, JobError
from app.db.session import SpaceSession
from app.edge.admission import DASHBOARD
from app.edge.watching import LISTED, MAX_ERRORS
from app.ids import JobId
from app.ingest import service as ingest
from app.jobs import queue
from app.jobs.states import FINAL_STATES, JobState, QueueState

router = APIRouter(
    prefix=DASHBOARD + "/spaces/{space_id}/jobs", route_class=PageRoute, include_in_schema=False
)

LONG_WAIT = 30.0
"""Seconds after which a job that nobody takes is a reason to look for workers."""
_COUNTED = {
    "looked": "nodes looked at",
    "refreshed": "summaries written",
    "skipped": "summaries left as they were",
    "taken": "documents done",
    "dropped_other_language": "chunks in other languages",
}
"""Names of counts that say too little by themselves."""


@dataclass(frozen=True)
class JobRow:
    """One job with the numbers that are worked out of its row."""

    job: Job

    @property
    def live(self) -> bool:
        """Return whether it goes on."""
        return self.job.state not in FINAL_STATES

    @property
    def is_put_off(self) -> bool:
        """Return whether it waits for the end of what kept it from going on: parked, or to be tried again."""
        return self.job.state == JobState.QUEUED and self.job.error_code is not None

    @property
    def rate(self) -> tuple[float, str] | None:
        """How much it has read a minute, of the finest unit that it counts; None before anything was."""
        elapsed = self.job.elapsed_seconds
        for name in ("chunks", "documents", "nodes"):
            count = self.job.counts.get(name)
            if isinstance(count, int | float) and count and elapsed and elapsed >= 1:
                return 60 * count / elapsed, name
        return None


def list_values(space: SpaceSession, *, after: UUID | None, job_limit: int = LISTED) -> dict[str, Any]:
    """The values of the list of jobs, newest first."""
    jobs = queue.list_jobs(space, after=after, limit=job_limit + 1)
    return {
        "rows": [JobRow(each) for each in jobs[:job_limit]],
        "after": after,
        "following": jobs[job_limit - 1].id if len(jobs) > job_limit else None,
        **queue_values(queue.queue_of_space(space)),
    }


def queue_values(found: QueueState) -> dict[str, Any]:
    """The values of the line about the queue."""
    waits_long = found.oldest_seconds is not None and found.oldest_seconds > LONG_WAIT
    return {"queue": found, "nobody_works": waits_long and not found.workers}


def job_values(job: Job, errors: Sequence[JobError]) -> dict[str, Any]:
    """The values of one job's page."""
    grouped: dict[str, list[JobError]] = {}
    for each in errors:
        grouped.setdefault(each.code, []).append(each)
    row = JobRow(job)
    return {
        "row": row,
        "job": job,
        "errors": grouped,
        "errors_cut": len(errors) == MAX_ERRORS,
        "counts": _numbers(job.counts),
        "retryable": job.state in (JobState.FAILED, JobState.CANCELLED) or row.is_put_off,
    }


def _numbers(counts: Mapping[str, Any]) -> dict[str, int]:
    """The numbers that a job counts, by the words of its page."""
    return {
        _COUNTED.get(name, words(name)): each
        for name, each in sorted(counts.items())
        if isinstance(each, int)
    }


@router.get("")
def list_jobs(
    page: Page, place: Place, space: CurrentSpace, after: Annotated[UUID | None, Query()] = None
) -> Response:
    """The jobs, newest first; without a stream the rows are asked for again while one is under way."""
    values = list_values(space, after=after)
    return page.show(
        "space/jobs_rows.html" if page.is_fragment else "space/jobs.html",
        place=place,
        active="jobs",
        polls=any(each.live for each in values["rows"]),
        streams=after is None,
        **values,
    )


@router.get("/{job_id}")
def show_job(page: Page, place: Place, space: CurrentSpace, job_id: UUID) -> Response:
    """One job with what it counted and what it set aside."""
    job = queue.get_job(space, JobId(job_id))
    errors = queue.list_errors(space, JobId(job_id), limit=MAX_ERRORS)
    values = job_values(job, errors)
    return page.show(
        "space/job_state.html" if page.is_fragment else "space/job.html",
        place=place,
        active="jobs",
        polls=values["row"].live,
        streams=values["row"].live,
        **values,
    )


@router.post("/{job_id}/cancel")
def cancel_job(page: Page, place: Place, space: WritableSpace, job_id: UUID) -> Response:
    """End the job: at once where it waits, else at its next step."""
    ingest.cancel_job(space, JobId(job_id))
    return page.go(f"{place.path}/jobs/{job_id}")


@router.post("/{job_id}/retry")
def retry_job(page: Page, parts: Parts, place: Place, target: ReopenedForWriting, job_id: UUID) -> Response:
    """Queue the job again with the documents that it left."""
    ingest.check_queue(parts.database, place.tenant_id)
    target.read(lambda space: ingest.retry_job(space, JobId(job_id)))
    return page.go(f"{place.path}/jobs/{job_id}")
