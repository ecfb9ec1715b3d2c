"""A job that a person asks for: hand it to a worker, wait for its end if that is wanted, say how it went."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any

import typer

from app.cli.context import Operator
from app.cli.options import parse_id
from app.cli.output import say, show_json
from app.db.models import Job
from app.db.session import SpaceSession
from app.ids import JobId
from app.jobs import queue
from app.jobs.states import JobState
from app.lazy import imported

Wait = Annotated[bool, typer.Option("--wait", help="Wait until a worker has done it.")]


def request_job(
    operator: Operator,
    space: str,
    request: Callable[[SpaceSession], Job],
    *,
    wait: bool,
    as_json: bool,
    describe_counts: Callable[[Mapping[str, Any]], str],
) -> None:
    """Request the job and print it; with `wait` its end, as `describe_counts` says it of the job's counts.

    Exits with 1 where it was waited for and is not done.
    """
    space_key = operator.find_space(space)
    with operator.citegraph.database.open_space(*space_key) as session:
        job = queue.job_as_dict(request(session))
    if wait:
        job_id = JobId(parse_id(job["id"], "job"))
        target = imported("app.cli.targets.database:DatabaseTarget")(operator.citegraph, space_key)
        submitting = imported("app.cli.submitting")
        (job,) = submitting.await_jobs(target, submitting.SubmissionReport(job_ids=[job_id])).jobs
    if as_json:
        show_json(job)
    elif not wait:
        say(f"Job {job['id']}")
    else:
        say(f"{job['state']}: {describe_counts(job['counts'])}")
    if wait and job["state"] != JobState.DONE:
        raise typer.Exit(1)
