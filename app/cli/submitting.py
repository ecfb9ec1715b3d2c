"""Submit documents to a space in batches, and wait for their jobs with a progress bar."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from app.cli.files import PASSED_OVER_CODES, SkippedFile
from app.cli.output import print_note
from app.cli.progress_bars import create_job_bar
from app.cli.targets.shapes import FileTarget
from app.documents.shapes import Submission, SubmissionOutcome
from app.extraction.drop_reasons import CODES_OF_STORED_DOCUMENTS
from app.ids import JobId
from app.jobs.states import FINAL_STATES, JobState
from app.number_words import format_dollars, pluralise

_NO_WORKER_MESSAGE = "No worker runs, so the job waits: `citegraph up` or `citegraph worker` starts one."
_CHECK_SECONDS = 5.0
"""How long nothing may happen before the workers are counted, and the time between two counts."""


@dataclass
class SubmissionReport:
    """The outcome of submissions: each document's address, id, outcome and job; and the skipped files.

    `passed_over_files` holds files that are evidently not documents, `skipped_files` all others.
    """

    documents: list[dict[str, Any]] = field(default_factory=list)
    job_ids: list[JobId] = field(default_factory=list)
    skipped_files: list[SkippedFile] = field(default_factory=list)
    passed_over_files: list[SkippedFile] = field(default_factory=list)

    def add_skipped_file(self, skipped_file: SkippedFile) -> None:
        """Add a skipped file to `passed_over_files` or `skipped_file`, by its code."""
        (self.passed_over_files if skipped_file.code in PASSED_OVER_CODES else self.skipped_files).append(
            skipped_file
        )

    def count_outcome(self, outcome: SubmissionOutcome) -> int:
        """Return the number of documents with that outcome."""
        return sum(document["outcome"] == outcome.value for document in self.documents)


@dataclass(frozen=True)
class JobOutcomes:
    """The final states of jobs, as `--json` prints them, and their ingest errors with document addresses."""

    jobs: list[dict[str, Any]]
    set_aside: list[dict[str, Any]]

    @property
    def is_complete(self) -> bool:
        """Return whether every job is done and every document was ingested, at least in part."""
        return self.is_finished and all(
            fault["code"] in CODES_OF_STORED_DOCUMENTS for fault in self.set_aside
        )

    @property
    def is_finished(self) -> bool:
        """Return whether every job is done, whatever it quarantined."""
        return all(job["state"] == JobState.DONE for job in self.jobs)

    def sum_count(self, name: str) -> int:
        """Return the sum of the jobs' counts under that name."""
        return sum(Counter(job["counts"])[name] for job in self.jobs)


def submit_batches(
    target: FileTarget,
    submissions: Iterator[Submission],
    submission_report: SubmissionReport,
) -> None:
    """Submit the documents to the space in batches, and add the outcomes to `submission_report`."""
    for batch in split_batches(submissions, target.max_documents, target.max_bytes):
        batch_outcome = target.submit_batch(batch)
        submission_report.documents += batch_outcome.documents
        submission_report.job_ids += [
            job_id
            for job_id in dict.fromkeys(batch_outcome.waiting_job_ids)
            if job_id not in submission_report.job_ids
        ]
        for refusal in batch_outcome.refused_files:
            submission_report.add_skipped_file(refusal)


def split_batches(
    submissions: Iterator[Submission], max_documents: int, max_bytes: int
) -> Iterator[list[Submission]]:
    """Yield batches of at most so many documents and bytes, read lazily.

    A document over `max_bytes` is a batch of its own.
    """
    next_submission = next(submissions, None)
    while next_submission is not None:
        batch: list[Submission] = []
        batch_bytes = 0
        while next_submission is not None and (
            not batch or batch_bytes + len(next_submission.raw) <= max_bytes
        ):
            batch.append(next_submission)
            batch_bytes += len(next_submission.raw)
            next_submission = next(submissions, None)
            if len(batch) == max_documents:
                break
        yield batch


def await_jobs(
    target: FileTarget,
    submission_report: SubmissionReport,
    *,
    check: Callable[[], None] | None = None,
    known_addresses: Mapping[str, str] = MappingProxyType({}),
) -> JobOutcomes:
    """Wait until the jobs end, show their progress on stderr, and return how they ended.

    A caller that runs the worker itself passes `check`, which is called at each poll and raises if the worker
    has ended; all others are told if no worker runs. `known_addresses` maps ids to addresses of
    documents that an earlier run submitted.
    """
    started_at = time.monotonic()
    worker_watch = _WorkerWatch(target, started_at, runs_worker=check is not None)
    document_count = sum(
        document["outcome"] != SubmissionOutcome.UNCHANGED.value for document in submission_report.documents
    )
    if not submission_report.job_ids:
        return JobOutcomes([], [])
    with create_job_bar() as bar:
        task = bar.add_task("waiting for a worker", total=100.0, documents="")
        while True:
            jobs = target.get_jobs(submission_report.job_ids)
            bar.update(task, **_describe_progress(jobs, document_count, time.monotonic() - started_at))
            if all(job["state"] in FINAL_STATES for job in jobs):
                break
            if check is not None:
                check()
            worker_watch.print_note_if_jobs_wait_in_vain(jobs, time.monotonic())
            time.sleep(target.poll_seconds)
    address_by_document = dict(known_addresses)
    address_by_document |= {
        str(document["document_id"]): document["source_uri"] for document in submission_report.documents
    }
    return JobOutcomes(
        jobs,
        [
            {**error, "source_uri": address_by_document.get(str(error["document_id"]))}
            for error in target.list_job_errors(submission_report.job_ids)
        ],
    )


def print_note_if_no_worker(target: FileTarget) -> None:
    """Print a note if no worker runs that could take a job."""
    if target.count_workers() == 0:
        print_note(_NO_WORKER_MESSAGE)


@dataclass
class _WorkerWatch:
    """Prints a note when jobs wait although no worker runs, once for each reason."""

    target: FileTarget
    checked_at: float
    runs_worker: bool
    """Whether this command runs a worker itself, which may take long to start."""
    _job_states: list[tuple[Any, ...]] = field(default_factory=list)
    _last_note: str = ""

    def print_note_if_jobs_wait_in_vain(self, jobs: Sequence[Mapping[str, Any]], now: float) -> None:
        """Print a note if the jobs have not changed for _CHECK_SECONDS, and no worker will change them."""
        job_states = [(job["state"], job["stage"], job["progress"], job["counts"]) for job in jobs]
        if job_states != self._job_states:
            self._job_states, self.checked_at = job_states, now
            return
        if now - self.checked_at < _CHECK_SECONDS:
            return
        self.checked_at = now
        note = (
            _find_parked_reason(jobs) if self.runs_worker else explain_wait(jobs, self.target.count_workers())
        )
        if note and note != self._last_note:
            print_note(note)
        self._last_note = note


def _find_parked_reason(jobs: Sequence[Mapping[str, Any]]) -> str:
    """Return what the first parked job waits for; "" if none is parked."""
    return next((str(job["error_message"]) for job in jobs if job["stage"] == "parked"), "")


def explain_wait(jobs: Sequence[Mapping[str, Any]], worker_count: int | None) -> str:
    """Return why these jobs do not go on; "" if a worker is at one of them."""
    if worker_count == 0:
        return _NO_WORKER_MESSAGE
    if any(job["state"] == JobState.RUNNING for job in jobs):
        return ""
    if parked_reason := _find_parked_reason(jobs):
        return parked_reason
    if worker_count is None:
        return "No worker has taken the job yet; `citegraph up` or `citegraph worker` runs one."
    worker_text = pluralise(worker_count, "worker process runs", "worker processes run")
    return f"{worker_text}, and none has taken the job yet."


def _describe_progress(
    jobs: Sequence[Mapping[str, Any]], total_documents: int, seconds: float
) -> dict[str, Any]:
    """Return the fields of the bar: percentage, stage, number of documents, rate and cost."""
    document_count = sum(job["counts"].get("documents", 0) for job in jobs)
    running_stages = [job["stage"] for job in jobs if job["state"] == JobState.RUNNING]
    ended_flags = [job["state"] in FINAL_STATES for job in jobs]
    percentages = [
        100.0 if has_ended else job["progress"] for job, has_ended in zip(jobs, ended_flags, strict=True)
    ]
    cost = sum(job["cost_usd"] for job in jobs)
    rate_note = f", {document_count / seconds:.1f} a second" if document_count and seconds else ""
    other_count_text = "" if total_documents else _describe_rate(jobs, seconds)
    cost_note = f", {format_dollars(cost)} US dollars" if cost else ""
    return {
        "completed": sum(percentages) / len(jobs),
        "description": "done" if all(ended_flags) else (running_stages or ["waiting for a worker"])[0],
        "documents": f"{document_count}/{pluralise(total_documents, 'document')}{rate_note}{cost_note}"
        if total_documents
        else other_count_text,
    }


def _describe_rate(jobs: Sequence[Mapping[str, Any]], seconds: float) -> str:
    """Return the largest count of these jobs and its rate, for jobs that read no documents."""
    total_counts = sum((Counter(job["counts"]) for job in jobs), Counter[str]())
    for noun, count in total_counts.most_common(1):
        if count and seconds:
            return f"{count:,} {noun}, {count / seconds:,.1f} a second"
    return ""
