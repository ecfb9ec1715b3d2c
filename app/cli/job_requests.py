"""Request a job from a command, optionally wait for it, and print its outcome."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any

import typer

from app.cli.context import Operator
from app.cli.output import print_line, show_json
from app.db.models import Job
from app.db.session import SpaceSession
from app.ids import JobId
from app.jobs.states import JobState
from app.lazy import import_object
from app.views.jobs import JobAnswer

Wait = Annotated[bool, typer.Option("--wait", help="Wait until a worker has finished the job.")]


def request_job(
    operator: Operator,
    space: str,
    create_job: Callable[[SpaceSession], Job],
    *,
    wait: bool,
    as_json: bool,
    describe_counts: Callable[[Mapping[str, Any]], str],
) -> None:
    """Request a job and print it; with `wait`, wait until it ends and print `describe_counts(job["counts"])`.

    Raises typer.Exit(1) if the job was waited for and did not finish as `done`.
    """
    space_key = operator.find_space(space)
    with operator.citegraph.database.open_space(*space_key) as session:
        job = JobAnswer.model_validate(create_job(session)).model_dump()
    if wait:
        job_id = JobId(job["id"])
        target = import_object("app.cli.targets.database:DatabaseTarget")(operator.citegraph, space_key)
        submitting_module = import_object("app.cli.submitting")
        (job,) = submitting_module.await_jobs(
            target, submitting_module.SubmissionReport(job_ids=[job_id])
        ).jobs
    if as_json:
        show_json(job)
    elif not wait:
        print_line(f"Job {job['id']}")
    else:
        print_line(f"{job['state']}: {describe_counts(job['counts'])}")
    if wait and job["state"] != JobState.DONE:
        raise typer.Exit(1)
