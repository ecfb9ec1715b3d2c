"""Commands about background jobs."""

from typing import Annotated

import typer

from app.cli.context import start_servers_and_connect_operator
from app.cli.options import AsJson, Limit, Space, Tenant, make_group, parse_id
from app.cli.output import print_line, show_json, show_pairs, show_table
from app.cli.seen_versions import IfMatch, build_version_field, lock_and_check_seen_version
from app.extraction.drop_reasons import COUNT_PREFIX, describe_dropped_entries
from app.http.edit_versions.shapes import Kind
from app.ids import JobId
from app.ingest import service as ingest
from app.jobs import queue
from app.jobs.states import JobFilter, JobState
from app.views.jobs import JobAnswer, JobDetailAnswer, JobErrorAnswer

job_app = make_group("jobs", "List, show, cancel and retry the jobs of a space.")

JobIdArgument = Annotated[str, typer.Argument(help="Its id, as `citegraph jobs list` shows it.")]


@job_app.command("list")
def list_jobs(
    space: Space,
    tenant: Tenant = None,
    state: Annotated[JobState | None, typer.Option(help="Only jobs in this state.")] = None,
    kind: Annotated[str, typer.Option(help="Only jobs of this kind, for example ingest.documents.")] = "",
    limit: Limit = 20,
    as_json: AsJson = False,
) -> None:
    """List the space's jobs, newest first."""
    job_filter = JobFilter(() if state is None else (state,), kind)
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        rows = [JobAnswer.model_validate(job) for job in queue.list_jobs(session, job_filter, limit=limit)]
    if as_json:
        show_json(rows)
    else:
        show_table(
            ["ID", "STATE", "STAGE", "DONE#", "DOCUMENTS#", "EDGES#", "MADE"],
            (
                [
                    row.id,
                    row.state,
                    row.stage,
                    f"{row.progress:.0f}%",
                    row.counts.get("documents", 0),
                    row.counts.get("edges", 0),
                    f"{row.created_at:%Y-%m-%d %H:%M}",
                ]
                for row in rows
            ),
            empty_message="No jobs yet.",
        )


@job_app.command("show")
def show_job(job: JobIdArgument, space: Space, tenant: Tenant = None, as_json: AsJson = False) -> None:
    """Show one job with its counts and what it quarantined."""
    job_id = JobId(parse_id(job, "job"))
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        version = build_version_field(session, Kind.JOB, job_id)
        job_detail = JobDetailAnswer.from_value(
            queue.get_job(session, job_id), errors=queue.list_job_errors(session, job_id)
        )
    fields = dict(job_detail)
    if as_json:
        show_json({**fields, **version})
        return
    errors: list[JobErrorAnswer] = fields.pop("errors")
    job_counts: dict[str, int] = fields.pop("counts")
    counts_by_reason = describe_dropped_entries(lambda name: job_counts.get(name, 0))
    counts_text = ", ".join(
        f"{name} {count}" for name, count in sorted(job_counts.items()) if not name.startswith(COUNT_PREFIX)
    )
    shown_fields = [(name, value) for name, value in fields.items() if value not in (None, "")]
    show_pairs([*shown_fields, ("counts", counts_text)])
    if counts_by_reason:
        print_line()
        show_table(
            ["LEFT OUT", "ENTRIES"], ([reason_text, count] for reason_text, count in counts_by_reason.items())
        )
    if errors:
        print_line()
        show_table(
            ["DOCUMENT", "CHUNK#", "CODE", "WHY"],
            ([error.document_id, error.chunk_ordinal, error.code, error.message] for error in errors),
        )


@job_app.command("cancel")
def cancel_job(job: JobIdArgument, space: Space, if_match: IfMatch = None, tenant: Tenant = None) -> None:
    """Cancel a job: at once if it is queued, at its next step if it runs."""
    job_id = JobId(parse_id(job, "job"))
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        lock_and_check_seen_version(session, Kind.JOB, job_id, if_match)
        state = ingest.cancel_job(session, job_id).state
    print_line("Cancelled." if state == "cancelled" else "It will stop at its next step.")


@job_app.command("retry")
def retry_job(job: JobIdArgument, space: Space, if_match: IfMatch = None, tenant: Tenant = None) -> None:
    """Queue a job again with what it left unread; run a parked or delayed job now."""
    job_id = JobId(parse_id(job, "job"))
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        lock_and_check_seen_version(session, Kind.JOB, job_id, if_match)
        ingest.retry_job(session, job_id)
    print_line("Queued again.")
