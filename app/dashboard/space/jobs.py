"""Jobs of a space: how each is getting on, live; ending one and trying one again."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query
from fastapi.responses import Response

from app.dashboard.deps import Page, Parts, Place, ReadableSpace, ReopenedForWriting, WritableSpace
from app.dashboard.routing import PageRoute
from app.edge.admission import DASHBOARD
from app.ids import JobId
from app.ingest import service as ingest
from app.jobs import queue
from app.jobs.states import FINAL_STATES

router = APIRouter(
    prefix=DASHBOARD + "/spaces/{space_id}/jobs", route_class=PageRoute, include_in_schema=False
)

SHOWN = 40
MAX_ERRORS = 100


@router.get("")
def list_jobs(
    page: Page, place: Place, space: ReadableSpace, after: Annotated[UUID | None, Query()] = None
) -> Response:
    """The jobs, newest first; the rows are asked for again while one of them is under way."""
    jobs = queue.list_jobs(space, after=after, limit=SHOWN + 1)
    template = "space/jobs_rows.html" if page.is_fragment else "space/jobs.html"
    return page.show(
        template,
        place=place,
        active="jobs",
        jobs=jobs[:SHOWN],
        after=after,
        following=jobs[SHOWN - 1].id if len(jobs) > SHOWN else None,
        live=any(each.state not in FINAL_STATES for each in jobs),
    )


@router.get("/{job_id}")
def show_job(page: Page, place: Place, space: ReadableSpace, job_id: UUID) -> Response:
    """One job with what it counted and what it set aside."""
    job = queue.get_job(space, JobId(job_id))
    template = "space/job_state.html" if page.is_fragment else "space/job.html"
    return page.show(
        template,
        place=place,
        active="jobs",
        job=job,
        errors=queue.list_errors(space, JobId(job_id), limit=MAX_ERRORS),
        live=job.state not in FINAL_STATES,
        retryable=job.state in ("failed", "cancelled"),
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
