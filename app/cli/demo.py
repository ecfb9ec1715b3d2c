"""The command behind `make demo`: build a graph from the example corpus and explain one answer."""

import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path as FilePath
from typing import NamedTuple

import typer
from rich.text import Text

from app.cli.context import TERMINAL_ORIGIN, Operator, open_citegraph, start_servers
from app.cli.demo_answer import Answer, pick_demo_answer, print_answer_and_list_quote_faults
from app.cli.explanation import show_heading
from app.cli.files import find_files
from app.cli.ingest import describe_quarantined, submit_files
from app.cli.output import create_console, print_error, print_indented, print_line, print_note
from app.cli.processes.children import run_children
from app.cli.servers import get_host_for_own_requests, has_dashboard_scripts, print_missing_protections
from app.cli.setup import ensure_space, migrate_database
from app.cli.submitting import JobOutcomes, SubmissionReport, await_jobs
from app.cli.targets.database import DatabaseTarget
from app.db.session import SpaceSession
from app.derived.communities import scheduling
from app.derived.communities import service as communities
from app.documents import service as documents
from app.documents.examples import EXAMPLES_FOLDER, SPACE_DESCRIPTION, SPACE_NAME
from app.documents.shapes import SubmissionOutcome
from app.domain.layers import Layer
from app.graph import service as graph
from app.ids import JobId, SpaceKey
from app.number_words import pluralise
from app.runtime.data_folder import find_data_folder
from app.settings import read_settings
from app.tenancy.audit.origin import record_with_origin

_PAGE_SIZE = 200


def run_demo() -> None:
    """Ingest the example corpus and print an explained, cited answer; ends by itself."""
    settings = read_settings()
    started_at = time.monotonic()
    print_line("Citegraph demo: from documents to a graph in which every edge cites its sentence.\n")
    with ExitStack() as stack:
        with _report_step("Postgres and Valkey") as remarks:
            ready_settings = stack.enter_context(start_servers(settings))
            uses_own_servers = settings.database_url is not None
            remarks.append(
                "your servers"
                if uses_own_servers
                else f"embedded, their data in {find_data_folder(settings.home)}/"
            )
        with _report_step("Schema and isolation") as remarks:
            report = migrate_database(ready_settings)
            citegraph = stack.enter_context(open_citegraph(ready_settings))
            stack.enter_context(record_with_origin(TERMINAL_ORIGIN))
            operator = Operator(citegraph, settings.tenant)
            space_key = ensure_space(operator, SPACE_NAME, description=SPACE_DESCRIPTION)
            remarks.append(f"tenant {settings.tenant}, space {SPACE_NAME}")
        print_missing_protections(report.missing_protections)
        with _report_step("Documents") as remarks:
            submission_report, job_outcomes = _ingest_corpus(operator, space_key)
            remarks.append(_describe_ingest(submission_report, job_outcomes))
        with citegraph.database.open_space(*space_key) as space:
            _print_counts_of_graph(space)
            answer = pick_demo_answer(space, EXAMPLES_FOLDER / "questions.jsonl")
            faults = print_answer_and_list_quote_faults(space, answer) if answer is not None else []
    _show_conclusion(answer, faults, time.monotonic() - started_at)
    if answer is None or faults or submission_report.skipped_files or not job_outcomes.is_complete:
        raise typer.Exit(1)


@contextmanager
def _report_step(title: str) -> Iterator[list[str]]:
    """Print a line when the step is done: its title, the remarks appended to the list, its seconds."""
    remarks: list[str] = []
    started_at = time.monotonic()
    yield remarks
    seconds_text = f"{time.monotonic() - started_at:.1f} s"
    line = Text.assemble(
        ("✓ ", "green"), f"{title:<21}", f"{'; '.join(remarks):<64}", (f"{seconds_text:>9}", "dim")
    )
    create_console().print(line, soft_wrap=True)


class _IngestedCorpus(NamedTuple):
    """A report of what was submitted, and the outcomes of its jobs."""

    submission_report: SubmissionReport
    job_outcomes: JobOutcomes


def _ingest_corpus(operator: Operator, space_key: SpaceKey) -> _IngestedCorpus:
    """Ingest the corpus with a worker process that is stopped afterwards.

    Raises ConfigurationError if the worker ends early.
    """
    log_path = find_data_folder(operator.settings.home) / "logs" / "demo-worker.log"
    target = DatabaseTarget(operator.citegraph, space_key)
    with run_children(operator.settings, ("worker", log_path)) as (worker,):
        submission_report = submit_files(target, find_files([EXAMPLES_FOLDER / "corpus"]))
        job_outcomes = await_jobs(target, submission_report, check=worker.require_running)
        with operator.citegraph.database.open_space(*space_key) as space:
            needs_detection = submission_report.job_ids or communities.find_latest_run(space) is None
            job_ids = (
                [JobId(scheduling.enqueue_detection_or_run_waiting_now(space).id)] if needs_detection else []
            )
        await_jobs(target, SubmissionReport(job_ids=job_ids), check=worker.require_running)
    for skipped_file in submission_report.skipped_files:
        print_note(f"Skipped {skipped_file.path}: {skipped_file.reason}")
    for row in job_outcomes.set_aside:
        print_note(describe_quarantined(row))
    return _IngestedCorpus(submission_report, job_outcomes)


def _describe_ingest(submission_report: SubmissionReport, job_outcomes: JobOutcomes) -> str:
    new_count, changed_count, unchanged_count = (
        submission_report.count_outcome(outcome) for outcome in SubmissionOutcome
    )
    if not submission_report.job_ids:
        return f"{unchanged_count} unchanged since the last run: nothing to read or to pay for"
    chunk_count_text = pluralise(job_outcomes.sum_count("chunks"), "chunk")
    return (
        f"{new_count} new, {changed_count} changed, {unchanged_count} unchanged;"
        f" {chunk_count_text} read by a worker"
    )


def _print_counts_of_graph(space: SpaceSession) -> None:
    """Print the numbers of documents, chunks, nodes, edges and communities, read from the database."""
    listed_documents = documents.list_documents(space, limit=1000)
    relations = graph.count_relation_types(space)
    show_heading("THE GRAPH")
    print_line(
        f"  {pluralise(len(listed_documents), 'document')}   "
        f"{pluralise(sum(document.chunk_count for document in listed_documents), 'chunk')}   "
        f"{pluralise(_count_nodes(space), 'node')}   "
        f"{pluralise(sum(relation.edges for relation in relations), 'edge')}, "
        f"{sum(relation.with_evidence for relation in relations)} of them with a cited sentence"
    )
    largest_communities = communities.list_communities(space, level=0, limit=1)
    run = communities.find_latest_run(space)
    if run is not None and largest_communities:
        print_line(
            f"  {pluralise(run.communities, 'community', 'communities')},"
            f" the largest around {largest_communities[0].title}"
        )
    claims = [relation for relation in relations if relation.layer is Layer.CLAIM]
    cells = [f"{claim.edges:>5} {claim.relation_type:<18}" for claim in claims]
    for row_start in range(0, len(cells), 4):
        print_line("".join(cells[row_start : row_start + 4]).rstrip())
    statement_count = sum(relation.edges for relation in relations if relation.layer is Layer.STATEMENT)
    if statement_count:
        print_line(f"  and {pluralise(statement_count, 'statement')}, each with the verb of its sentence")


def _count_nodes(space: SpaceSession) -> int:
    node_count, page = 0, graph.list_nodes(space, limit=_PAGE_SIZE)
    while page:
        node_count += len(page)
        page = graph.list_nodes(space, limit=_PAGE_SIZE, after=page[-1].cursor)
    return node_count


def _show_conclusion(answer: Answer | None, faults: list[str], seconds: float) -> None:
    if answer is None:
        print_error("No question of examples/questions.jsonl found its expected path of two hops.")
        return
    for fault in faults:
        print_error(fault)
    show_heading("NEXT STEPS")
    for command, purpose in (
        (
            # `make run` fetches the scripts first.
            "citegraph up" if has_dashboard_scripts() else "make run",
            f"the dashboard: {_get_dashboard_address()} opens on this space, signed in by the printed link",
        ),
        (
            f'citegraph ask "Who created PostGIS?" --space {SPACE_NAME}',
            "an answer in sentences, each with its sources",
        ),
        (
            f'citegraph ask "What are the main themes?" --scope global --space {SPACE_NAME}',
            "from all communities",
        ),
        (f'citegraph explain "Who created PostGIS?" --space {SPACE_NAME}', "the same as paths and facts"),
        (
            f"citegraph explain --from PostGIS --to PostgreSQL --space {SPACE_NAME}",
            "how are two things connected?",
        ),
        (f"citegraph psql --space {SPACE_NAME}", "query the tables with SQL"),
        ("citegraph doctor", "test the isolation of tenants"),
    ):
        print_indented(Text(f"# {purpose}", style="dim"), 2)
        print_indented(Text(command, style="bold"), 2)
    print_line(f"\n(the program is {_get_program_name()})   Done in {seconds:.1f} s.")


def _get_dashboard_address() -> str:
    """Return the address at which `citegraph up` serves the dashboard with these settings."""
    settings = read_settings()
    host = get_host_for_own_requests(settings)
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.port}/dashboard"


def _get_program_name() -> str:
    """Return the program's path, relative to the working directory if it is below it."""
    program_path = FilePath(sys.executable).parent / "citegraph"
    working_directory = FilePath.cwd()
    return str(
        program_path.relative_to(working_directory)
        if program_path.is_relative_to(working_directory)
        else program_path
    )
