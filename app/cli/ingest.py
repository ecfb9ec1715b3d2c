"""The command `ingest`."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from app.cli.files import FoundFiles, SkippedFile, find_files, read_extractions
from app.cli.options import AsJson, Space, Tenant
from app.cli.output import create_console, print_error, print_line, print_note, show_json
from app.cli.progress_bars import show_item_progress
from app.cli.submitting import (
    JobOutcomes,
    SubmissionReport,
    await_jobs,
    print_note_if_no_worker,
    split_batches,
    submit_batches,
)
from app.cli.targets.opening import ApiKey, Server, open_file_target
from app.cli.targets.shapes import FileTarget
from app.documents.format_registry import list_file_extensions
from app.documents.shapes import Submission, SubmissionOutcome
from app.extraction.drop_reasons import CODES_OF_STORED_DOCUMENTS, NOT_CHECKED, describe_dropped_entries
from app.jobs.states import JobState
from app.number_words import format_dollars, pluralise
from app.space_settings import MIN_TRUST

_MAX_SHOWN_PASSED_OVER = 20

Exclude = Annotated[
    list[str] | None,
    typer.Option("--exclude", help="Exclude paths that match this .gitignore pattern; may be repeated."),
]
NoIgnore = Annotated[
    bool,
    typer.Option("--no-ignore", help="Also read what .gitignore and .citegraphignore files exclude."),
]


def ingest(
    paths: Annotated[
        list[Path],
        typer.Argument(help=f"Files, or folders to read recursively: {' '.join(list_file_extensions())}."),
    ],
    space: Space,
    wait: Annotated[
        bool, typer.Option("--wait", help="Wait until they are read, with a progress bar.")
    ] = False,
    extractions: Annotated[
        bool,
        typer.Option(
            "--extractions", help="The files hold extractions, one document a line (docs/importing.md)."
        ),
    ] = False,
    trust: Annotated[
        float | None,
        typer.Option(min=MIN_TRUST, max=1.0, help="How far to trust the documents; by default 1."),
    ] = None,
    only_estimate: Annotated[
        bool, typer.Option("--estimate", help="Only print what it would take: chunks, calls, tokens, cost.")
    ] = False,
    exclude: Exclude = None,
    no_ignore: NoIgnore = False,
    server: Server = None,
    api_key: ApiKey = None,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Submit documents; a running worker reads them. Submitting the same content again costs nothing."""
    files = find_files(paths, exclude_patterns=exclude or (), read_ignore_files=not no_ignore)
    with open_file_target(space, tenant, server, api_key, by_model=not extractions) as target:
        if only_estimate:
            _show_estimate(target, files, extractions, as_json)
            return
        submission_report = submit_files(
            target, files, extractions=extractions, trust=1.0 if trust is None else trust
        )
        job_outcomes = await_jobs(target, submission_report) if wait else None
        if not wait and submission_report.job_ids:
            print_note_if_no_worker(target)
    if as_json:
        report: dict[str, Any] = {
            "documents": submission_report.documents,
            "skipped": submission_report.skipped_files,
            "passed_over": submission_report.passed_over_files,
            "jobs": [{"id": job_id} for job_id in submission_report.job_ids]
            if job_outcomes is None
            else job_outcomes.jobs,
        }
        show_json(report if job_outcomes is None else {**report, "set_aside": job_outcomes.set_aside})
    else:
        _show_ingest_outcome(submission_report, job_outcomes, space)
    _print_skipped_files(submission_report)
    if submission_report.skipped_files or (job_outcomes is not None and not job_outcomes.is_complete):
        print_error("Not every document could be ingested.")
        raise typer.Exit(1)


def _print_skipped_files(submission_report: SubmissionReport) -> None:
    for skipped_file in submission_report.skipped_files:
        print_note(f"Skipped {skipped_file.path}: {skipped_file.reason}")


def _show_estimate(target: FileTarget, files: FoundFiles, extractions: bool, as_json: bool) -> None:
    submission_report = SubmissionReport(
        skipped_files=list(files.skipped_files), passed_over_files=list(files.passed_over_files)
    )
    total_counts: Counter[str] = Counter()
    pricing: dict[str, Any] = {
        "model": None,
        "unpriced": [],
        "prices_as_of": None,
        "embedding_model": "",
        "measured_in": "nothing",
        "measured_calls": 0,
    }
    unknown_fields: set[str] = set()
    for batch in split_batches(
        _read_submissions(target, files, submission_report, extractions),
        target.max_documents,
        target.max_bytes,
    ):
        refusals: list[SkippedFile] = []
        estimates = target.estimate_batch(batch, refusals)
        for skipped_file in refusals:
            submission_report.add_skipped_file(skipped_file)
        for estimate in estimates:
            pricing = {name: estimate.get(name, value) for name, value in pricing.items()}
            estimate_counts = {name: value for name, value in estimate.items() if name not in pricing}
            unknown_fields |= {name for name, value in estimate_counts.items() if value is None}
            total_counts.update({name: value for name, value in estimate_counts.items() if value is not None})
    report = {
        **total_counts,
        **dict.fromkeys(unknown_fields),
        **pricing,
        "skipped": submission_report.skipped_files,
        "passed_over": submission_report.passed_over_files,
    }
    if as_json:
        show_json(report)
        return
    print_line(
        f"{pluralise(total_counts['documents'], 'document')}, {total_counts['unchanged']:,} unchanged,"
        f" {total_counts['unreadable']:,} unreadable."
    )
    print_line(
        f"{pluralise(total_counts['chunks'], 'chunk')}, {total_counts['known_chunks']:,} of them known;"
        f" {pluralise(total_counts['chunk_tokens'], 'token')} to read."
    )
    for line in describe_cost_estimate(report):
        print_line(line)
    print_passed_over_files(submission_report.passed_over_files)
    _print_skipped_files(submission_report)


def describe_cost_estimate(estimate: Mapping[str, Any]) -> list[str]:
    """Return lines about the calls and costs of an estimate; an unknown price is reported as such."""
    model = estimate["model"]
    lines = []
    if model is None:
        lines.append(
            "No model is set here and none has read this space: rules read the documents, without model"
            " calls. A worker with a model would use it, at its price."
        )
    else:
        prompt_tokens_text, max_completion_text = (
            f"{estimate['prompt_tokens']:,}",
            f"{estimate['completion_tokens']:,}",
        )
        min_completion_tokens, min_cost = estimate.get("completion_tokens_low"), estimate.get("cost_usd_low")
        completion_tokens_text = (
            f"about {max_completion_text}"
            if min_completion_tokens is None
            else f"{min_completion_tokens:,} to {max_completion_text}"
        )
        cost_text = _format_cost(estimate["cost_usd"])
        if min_cost is not None:
            cost_text = f"{format_dollars(min_cost)} to {cost_text}"
        lines.append(
            f"At most about {pluralise(estimate['calls'], 'call')} of {model}:"
            f" {prompt_tokens_text} tokens sent, {completion_tokens_text} received, {cost_text}."
        )
        if estimate["calls"]:
            lines.append(_describe_measurement(estimate))
    if estimate.get("later_calls"):
        later_tokens_text = (
            f"{estimate['later_prompt_tokens']:,} tokens sent,"
            f" {estimate['later_completion_tokens']:,} received"
        )
        cost_text = _format_cost(estimate["later_cost_usd"])
        lines.append(
            f"Reports and summaries afterwards: at most {pluralise(estimate['later_calls'], 'call')},"
            f" {later_tokens_text}, {cost_text}."
        )
    if estimate.get("embedding_tokens"):
        cost_text = _format_cost(estimate["embedding_cost_usd"])
        lines.append(
            f"Vectors by {estimate['embedding_model']}: {estimate['embedding_tokens']:,} tokens, {cost_text}."
        )
    if estimate["unpriced"]:
        lines.append(
            f"The price of {' and '.join(estimate['unpriced'])} is unknown: set it in CITEGRAPH_LLM_PRICES."
            " With a budget, a model without a price is not called."
        )
    if estimate["prices_as_of"]:
        lines.append(
            f"Prices as published in {estimate['prices_as_of'][:7]}; CITEGRAPH_LLM_PRICES overrides them."
        )
    return lines


def _describe_measurement(estimate: Mapping[str, Any]) -> str:
    measurement_source = {"space": "this space", "tenant": "another space of this tenant"}.get(
        estimate.get("measured_in", "")
    )
    if measurement_source is None:
        return "The tokens received are an upper bound: this model has fewer than 20 calls here to measure."
    return (
        f"The tokens received are as measured in {estimate['measured_calls']:,} calls in"
        f" {measurement_source};"
        " a tenth of the text had shorter answers, a tenth longer ones."
    )


def _format_cost(cost: float | None) -> str:
    return "at an unknown price" if cost is None else f"{format_dollars(cost)} US dollars"


def submit_files(
    target: FileTarget, files: FoundFiles, *, extractions: bool = False, trust: float = 1.0
) -> SubmissionReport:
    """Submit the files to the space. A file that cannot be read is skipped and does not stop the others."""
    submission_report = SubmissionReport(
        skipped_files=list(files.skipped_files), passed_over_files=list(files.passed_over_files)
    )
    submissions = (
        replace(submission, trust=trust)
        for submission in _read_submissions(target, files, submission_report, extractions)
    )
    submit_batches(target, submissions, submission_report)
    return submission_report


def _read_submissions(
    target: FileTarget, files: FoundFiles, submission_report: SubmissionReport, extractions: bool
) -> Iterator[Submission]:
    for path, address in show_item_progress(files.files, "files read", len(files.files)):
        if extractions:
            submissions = read_extractions(path, address, max_bytes=target.reader.max_bytes)
        else:
            submissions = target.read_file(path, address)
        for submission in submissions:
            if isinstance(submission, SkippedFile):
                submission_report.add_skipped_file(submission)
            else:
                yield submission


def print_passed_over_files(passed_over_files: Sequence[SkippedFile]) -> None:
    """Print the first files that were passed over, and why; `--json` prints all of them."""
    if not passed_over_files:
        return
    print_line(f"Passed over: {pluralise(len(passed_over_files), 'file or folder', 'files or folders')}.")
    for passed_over_file in passed_over_files[:_MAX_SHOWN_PASSED_OVER]:
        print_line(f"  {passed_over_file.path}: {passed_over_file.reason}")
    if len(passed_over_files) > _MAX_SHOWN_PASSED_OVER:
        print_line(f"  and {len(passed_over_files) - _MAX_SHOWN_PASSED_OVER:,} more; --json names all.")


def _show_ingest_outcome(
    submission_report: SubmissionReport, job_outcomes: JobOutcomes | None, space: str
) -> None:
    new_count, changed_count, unchanged_count = (
        submission_report.count_outcome(outcome) for outcome in SubmissionOutcome
    )
    print_line(
        f"{pluralise(len(submission_report.documents), 'document')}:"
        f" {new_count} new, {changed_count} changed, {unchanged_count} unchanged."
    )
    print_passed_over_files(submission_report.passed_over_files)
    if job_outcomes is None:
        for job_id in submission_report.job_ids:
            print_line(f"Job {job_id}")
        if submission_report.job_ids:
            print_line(f"`citegraph jobs list --space {space}` shows their progress.")
        return
    if submission_report.job_ids:
        noun_by_count = {"documents": "document", "chunks": "chunk", "nodes": "new node", "edges": "edge"}
        read_counts = (pluralise(job_outcomes.sum_count(name), noun) for name, noun in noun_by_count.items())
        print_line(f"Read: {', '.join(read_counts)}.")
    show_ingest_problems(job_outcomes)


def show_ingest_problems(job_outcomes: JobOutcomes) -> None:
    """Print what the jobs left out or quarantined, and which of them failed."""
    if counts_by_reason := describe_dropped_entries(job_outcomes.sum_count):
        print_line(
            f"Left out: {', '.join(f'{count:,} {words}' for words, count in counts_by_reason.items())}."
        )
    if unchecked_count := job_outcomes.sum_count(NOT_CHECKED):
        print_line(
            f"Not checked: {pluralise(unchecked_count, 'claim')}, because the model cannot check claims"
            " (`citegraph model check`)."
        )
    for job in job_outcomes.jobs:
        if job["state"] != JobState.DONE:
            create_console().print(
                Text(f"Job {job['id']} {job['state']}: {job['error_message'] or job['stage']}")
            )
    for row in job_outcomes.set_aside:
        print_line(describe_quarantined(row))


def describe_quarantined(row: Mapping[str, Any]) -> str:
    """Return the entry with its document's address or id; entries about several documents have neither."""
    document = row["source_uri"] or row["document_id"]
    if not document:
        return f"{row['message']}"
    outcome = "Read in part" if row["code"] in CODES_OF_STORED_DOCUMENTS else "Set aside"
    return f"{outcome} {document}: {row['message']}"
