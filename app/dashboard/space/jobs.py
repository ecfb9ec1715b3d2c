"""Jobs of a space: their live progress, cancelling and retrying."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, NamedTuple
from urllib.parse import urlencode
from uuid import UUID

from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response

from app.dashboard.deps import (
    CitegraphDep,
    PageSpaceDep,
    PrimarySpace,
    Renderer,
    WritableSpace,
    WritableSpaceOpener,
)
from app.dashboard.rendering import LABEL_BY_JOB_KIND, format_code
from app.dashboard.routing import PageRoute
from app.db.models import Job, JobError
from app.db.session import SpaceSession
from app.documents import service as documents
from app.documents.shapes import JobDocuments
from app.errors import NotFound
from app.extraction.drop_reasons import COUNT_PREFIX, NOT_CHECKED, TEXT_BY_REASON
from app.http.authentication import DASHBOARD_PATH
from app.http.shared_streams import (
    JOB_LIST_SIZE,
    JobList,
    SeenJob,
    read_job_list,
    read_jobs_with_errors_and_documents,
)
from app.ids import JobId
from app.ingest import service as ingest
from app.jobs import queue
from app.jobs.states import FINAL_STATES, JobFilter, JobState, QueueState
from app.limits import JOB_ERRORS

router = APIRouter(
    prefix=DASHBOARD_PATH + "/spaces/{space_id}/jobs", route_class=PageRoute, include_in_schema=False
)

STALLED_AFTER_SECONDS = 30.0
"""Seconds after which an unclaimed job makes the page ask for workers."""
_COUNT_LABELS = {
    "looked": "nodes looked at",
    "refreshed": "summaries written",
    "skipped": "summaries left as they were",
    "taken": "documents done",
    "dropped_other_language": "chunks in other languages",
    "dropped_names_only": "chunks of which names alone were read",
    NOT_CHECKED: "claims believed unasked, because the model cannot check claims",
    **{f"{COUNT_PREFIX}{code}": f"left out: {reason}" for code, reason in TEXT_BY_REASON.items()},
}
"""Labels for counts whose own names are unclear."""


class WorkRate(NamedTuple):
    """How many units a job does in a minute."""

    units_per_minute: float
    unit: str


@dataclass(frozen=True)
class JobRow:
    """One job with figures computed from its row, and the documents that it ingests."""

    job: Job
    documents: JobDocuments | None = None

    @property
    def waited_seconds(self) -> float:
        """Seconds that it waited for a worker before it was first claimed, or has waited so far."""
        wait_end = self.job.started_at or self.job.finalized_at or datetime.now(UTC)
        return (wait_end - self.job.created_at).total_seconds()

    @property
    def is_live(self) -> bool:
        """Return whether it has not ended."""
        return self.job.state not in FINAL_STATES

    @property
    def is_delayed(self) -> bool:
        """Return whether it is postponed: parked, or waiting for a retry."""
        return self.job.state == JobState.QUEUED and self.job.error_code is not None

    @property
    def is_retryable(self) -> bool:
        """Return whether it can be retried, or, if it is postponed, be run now."""
        if self.job.state == JobState.DONE:
            return self.documents is not None and self.documents.unread_count > 0
        return self.job.state in FINAL_STATES or self.is_delayed

    @property
    def rate(self) -> WorkRate | None:
        """Return the rate in the finest unit that it counts; None before the first one."""
        elapsed_seconds = self.job.elapsed_seconds
        for unit in ("chunks", "documents", "nodes"):
            count = self.job.counts.get(unit)
            if isinstance(count, int | float) and count and elapsed_seconds and elapsed_seconds >= 1:
                return WorkRate(60 * count / elapsed_seconds, unit)
        return None


@dataclass(frozen=True)
class ListQuery:
    """The filters of the list, as encoded in its address."""

    state: JobState | None
    kind: str
    after: UUID | None

    @property
    def is_unfiltered(self) -> bool:
        """Return whether no filter is set: then running jobs come first, and the list is live."""
        return not (self.state or self.kind or self.after)

    def address(self, **changed: object) -> str:
        """Return the query string with some fields changed; empty fields are omitted."""
        parameters: dict[str, object] = {"state": self.state, "kind": self.kind, "after": self.after}
        return "?" + urlencode({name: value for name, value in {**parameters, **changed}.items() if value})


def _parse_list_query(
    state: Annotated[JobState | Literal[""], Query()] = "",
    kind: Annotated[str, Query(max_length=60)] = "",
    after: Annotated[UUID | None, Query()] = None,
) -> ListQuery:
    return ListQuery(JobState(state) if state else None, kind if kind in LABEL_BY_JOB_KIND else "", after)


ParsedListQuery = Annotated[ListQuery, Depends(_parse_list_query)]
UNFILTERED_LIST_QUERY = ListQuery(None, "", None)


def build_unfiltered_list(job_list: JobList) -> dict[str, Any]:
    """Return the template values of the unfiltered list: running, waiting and the newest ended jobs."""
    return {
        "asked": UNFILTERED_LIST_QUERY,
        "running": [JobRow(job, job_list.documents.get(JobId(job.id))) for job in job_list.running],
        "waiting": job_list.waiting,
        "listed": [JobRow(job, job_list.documents.get(JobId(job.id))) for job in job_list.ended],
        "now": datetime.now(UTC),
        "following": job_list.ended[-1].id if job_list.more else None,
        **build_queue_line_context(job_list.queue),
    }


def build_filtered_list(space: SpaceSession, list_query: ListQuery) -> dict[str, Any]:
    """Return the template values of the filtered list, newest first."""
    # Pages after the first one list only ended jobs.
    states = (list_query.state,) if list_query.state else FINAL_STATES if not list_query.kind else ()
    jobs = queue.list_jobs(
        space, JobFilter(states, list_query.kind), after=list_query.after, limit=JOB_LIST_SIZE + 1
    )
    page_jobs = jobs[:JOB_LIST_SIZE]
    documents_by_job = documents.list_documents_by_job(space, [JobId(job.id) for job in page_jobs])
    return {
        "asked": list_query,
        "running": (),
        "waiting": (),
        "listed": [JobRow(job, documents_by_job.get(JobId(job.id))) for job in page_jobs],
        "now": datetime.now(UTC),
        "following": page_jobs[-1].id if len(jobs) > JOB_LIST_SIZE else None,
        **build_queue_line_context(queue.read_queue_state(space)),
    }


def build_queue_line_context(queue_state: QueueState) -> dict[str, Any]:
    """Return the template values of the line about the queue: stalled if jobs wait and no worker runs."""
    has_waited_long = (
        queue_state.oldest_seconds is not None and queue_state.oldest_seconds > STALLED_AFTER_SECONDS
    )
    return {"queue": queue_state, "has_stalled": has_waited_long and not queue_state.workers}


def build_job_context(job_snapshot: SeenJob) -> dict[str, Any]:
    """Return the template values of one job's page."""
    errors_by_code: dict[str, list[JobError]] = {}
    for error in job_snapshot.errors:
        errors_by_code.setdefault(error.code, []).append(error)
    row = JobRow(job_snapshot.job, job_snapshot.documents)
    return {
        "row": row,
        "job": job_snapshot.job,
        "errors": errors_by_code,
        "errors_cut": len(job_snapshot.errors) == JOB_ERRORS.maximum,
        "counts": _list_counts(job_snapshot.job.counts),
    }


def _list_counts(counts: Mapping[str, Any]) -> dict[str, int]:
    """Return the counts of a job by their labels on its page."""
    return {
        _COUNT_LABELS.get(name, format_code(name)): count
        for name, count in sorted(counts.items())
        if isinstance(count, int)
    }


@router.get("")
def list_jobs(
    page: Renderer, page_space: PageSpaceDep, space: PrimarySpace, list_query: ParsedListQuery
) -> Response:
    """Show the jobs, running ones first; without a stream the page polls while a job is running."""
    values = (
        build_unfiltered_list(read_job_list(space))
        if list_query.is_unfiltered
        else build_filtered_list(space, list_query)
    )
    return page.show(
        "space/jobs_rows.html" if page.is_fragment else "space/jobs.html",
        page_space=page_space,
        active="jobs",
        polls=bool(values["running"] or values["waiting"]) or any(row.is_live for row in values["listed"]),
        streams=list_query.is_unfiltered,
        states=list(JobState),
        kinds=LABEL_BY_JOB_KIND,
        **values,
    )


@router.get("/{job_id}")
def show_job(page: Renderer, page_space: PageSpaceDep, space: PrimarySpace, job_id: UUID) -> Response:
    """Show one job with its counts and its quarantined chunks."""
    jobs = read_jobs_with_errors_and_documents(space, [JobId(job_id)])
    if not jobs:
        raise NotFound("job")
    values = build_job_context(jobs[JobId(job_id)])
    return page.show(
        "space/job_state.html" if page.is_fragment else "space/job.html",
        page_space=page_space,
        active="jobs",
        polls=values["row"].is_live,
        streams=values["row"].is_live,
        **values,
    )


@router.post("/{job_id}/cancel")
def cancel_job(page: Renderer, page_space: PageSpaceDep, space: WritableSpace, job_id: UUID) -> Response:
    """Cancel the job: at once if it is waiting, else at its next step."""
    ingest.cancel_job(space, JobId(job_id))
    return page.redirect(f"{page_space.path}/jobs/{job_id}")


@router.post("/{job_id}/retry")
def retry_job(
    page: Renderer,
    citegraph: CitegraphDep,
    page_space: PageSpaceDep,
    space_opener: WritableSpaceOpener,
    job_id: UUID,
) -> Response:
    """Queue the job again with the work that it left unfinished."""
    ingest.check_room_for_ingest_job(citegraph.database, page_space.tenant_id)
    space_opener.run_in_transaction(lambda space: ingest.retry_job(space, JobId(job_id)))
    return page.redirect(f"{page_space.path}/jobs/{job_id}")
