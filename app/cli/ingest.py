"""The command that hands documents in, and the bar that shows how far they are."""

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import (
    BarColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from app.cli.context import operator
from app.cli.files import PASSED_OVER, FileReader, FoundFiles, Skipped, find_files, read_extractions
from app.cli.options import AsJson, Space, Tenant
from app.cli.output import fail, note, say, screen, show_json
from app.db.session import Database
from app.documents import service as documents
from app.documents.formats import file_extensions
from app.documents.shapes import Submission, SubmissionOutcome
from app.extraction.drop_reasons import TAKEN_IN, left_out
from app.ids import JobId, SpaceId, TenantId
from app.ingest import service as ingesting
from app.jobs import queue
from app.jobs.states import FINAL_STATES, JobState
from app.lazy import imported
from app.llm.servers import chat_model
from app.space_settings import LEAST_TRUST
from app.wiring import Citegraph
from app.wording import counted

BATCH_DOCUMENTS, BATCH_BYTES = 50, 32_000_000
# Rules share jobs out among worker processes; a model's calls overlap within a job, over many documents.
MODEL_BATCH_DOCUMENTS = 400
# States of documents that a job has yet to read.
_UNREAD = ("queued", "processing")
_POLL_SECONDS = 0.1
_HINT_SECONDS = 15.0
_MOST_PASSED_OVER = 20

Exclude = Annotated[
    list[str] | None,
    typer.Option("--exclude", help="Leave out what this pattern names, as in .gitignore; may be repeated."),
]
NoIgnore = Annotated[
    bool,
    typer.Option("--no-ignore", help="Also read what .gitignore and .citegraphignore files leave out."),
]


@dataclass
class Handed:
    """The submissions: each document's address, id, outcome and job; and those that failed."""

    documents: list[dict[str, Any]] = field(default_factory=list)
    job_ids: list[JobId] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)

    def count(self, outcome: SubmissionOutcome) -> int:
        """How many documents had that outcome."""
        return sum(each["outcome"] == outcome.value for each in self.documents)


@dataclass(frozen=True)
class Waited:
    """How jobs ended: each as doors show it, and the documents that they set aside."""

    jobs: list[dict[str, Any]]
    set_aside: list[dict[str, Any]]

    @property
    def complete(self) -> bool:
        """Return whether every job is done and every document taken in, if not all of it was read."""
        return self.finished and all(each["code"] in TAKEN_IN for each in self.set_aside)

    @property
    def finished(self) -> bool:
        """Return whether every job is done, whatever it set aside."""
        return all(each["state"] == JobState.DONE for each in self.jobs)

    def count(self, name: str) -> int:
        """Return the sum of the jobs' counts under that name."""
        return sum(Counter(each["counts"])[name] for each in self.jobs)


def ingest(
    paths: Annotated[
        list[Path],
        typer.Argument(help=f"Files, or folders to read with all below: {' '.join(file_extensions())}."),
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
        typer.Option(min=LEAST_TRUST, max=1.0, help="How far the documents are trusted; unset means 1."),
    ] = None,
    only_estimate: Annotated[
        bool, typer.Option("--estimate", help="Only say what it would take: chunks, calls, tokens, cost.")
    ] = False,
    exclude: Exclude = None,
    no_ignore: NoIgnore = False,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Hand documents in; a running worker reads them. The same content again costs nothing."""
    found = find_files(paths, exclude=exclude or (), read_ignore_files=not no_ignore)
    with operator(tenant) as me:
        where = me.space_id(space)
        database = me.citegraph.database
        if only_estimate:
            _estimate(me.citegraph, where, found, extractions, as_json)
            return
        handed = hand_in(
            database,
            where,
            found,
            reader_of(me.citegraph),
            extractions=extractions,
            by_model=chat_model(me.settings) is not None and not extractions,
            trust=1.0 if trust is None else trust,
        )
        waited = await_jobs(database, where, handed) if wait else None
    if as_json:
        shown: dict[str, Any] = {
            "documents": handed.documents,
            "skipped": [asdict(skipped) for skipped in handed.skipped],
            "passed_over": [asdict(skipped) for skipped in found.passed_over],
            "jobs": [{"id": each} for each in handed.job_ids] if waited is None else waited.jobs,
        }
        show_json(shown if waited is None else {**shown, "set_aside": waited.set_aside})
    else:
        _tell(found, handed, waited, space)
    for each in handed.skipped:
        note(f"Skipped {each.path}: {each.reason}")
    if handed.skipped or (waited is not None and not waited.complete):
        fail("Not every document could be taken in.")
        raise typer.Exit(1)


def _estimate(
    citegraph: Citegraph,
    where: tuple[TenantId, SpaceId],
    found: FoundFiles,
    extractions: bool,
    as_json: bool,
) -> None:
    settings = citegraph.settings
    handed = Handed(skipped=list(found.skipped))
    total: Counter[str] = Counter()
    said: dict[str, Any] = {"model": None, "unpriced": [], "prices_as_of": None, "embedding_model": ""}
    unknown: set[str] = set()
    for batch in _batches(_read(found, handed, reader_of(citegraph), extractions), BATCH_DOCUMENTS):
        part = imported("app.ingest.estimate:estimate")(
            citegraph.database, *where, batch, settings, citegraph.sandbox
        ).as_dict()
        said = {name: part.pop(name) for name in said}
        unknown |= {name for name, value in part.items() if value is None}
        total.update({name: value for name, value in part.items() if value is not None})
    shown = {**total, **dict.fromkeys(unknown), **said, "skipped": len(handed.skipped)}
    if as_json:
        show_json(shown)
        return
    say(
        f"{counted(total['documents'], 'document')}, {total['unchanged']:,} unchanged,"
        f" {total['unreadable']:,} unreadable."
    )
    say(
        f"{counted(total['chunks'], 'chunk')}, {total['known_chunks']:,} of them known;"
        f" {counted(total['chunk_tokens'], 'token')} to read."
    )
    for line in estimate_in_words(shown):
        say(line)


def estimate_in_words(shown: Mapping[str, Any]) -> list[str]:
    """The calls and costs of an estimate; a cost that nobody knows is said to be unknown."""
    model = shown["model"]
    lines = []
    if model is None:
        lines.append(
            "No model is set here and none has read this space: rules read them, without calls. A worker that"
            " has a model reads with that one, at its price."
        )
    else:
        tokens = f"{shown['prompt_tokens']:,} tokens sent, about {shown['completion_tokens']:,} received"
        cost = _dollars(shown["cost_usd"])
        lines.append(f"At most about {counted(shown['calls'], 'call')} of {model}: {tokens}, {cost}.")
    if shown.get("later_calls"):
        tokens = (
            f"{shown['later_prompt_tokens']:,} tokens sent, {shown['later_completion_tokens']:,} received"
        )
        cost = _dollars(shown["later_cost_usd"])
        lines.append(
            f"Reports and summaries afterwards: at most {counted(shown['later_calls'], 'call')}, {tokens},"
            f" {cost}."
        )
    if shown.get("embedding_tokens"):
        cost = _dollars(shown["embedding_cost_usd"])
        lines.append(f"Vectors by {shown['embedding_model']}: {shown['embedding_tokens']:,} tokens, {cost}.")
    if shown["unpriced"]:
        lines.append(
            f"Nobody has said what {' and '.join(shown['unpriced'])} costs: give the price in"
            " CITEGRAPH_LLM_PRICES. With a budget it is not asked."
        )
    if shown["prices_as_of"]:
        lines.append(
            f"Prices as published in {shown['prices_as_of'][:7]}; CITEGRAPH_LLM_PRICES overrides them."
        )
    return lines


def _dollars(cost: float | None) -> str:
    return "at a price that nobody has said" if cost is None else f"{cost:.4f} US dollars"


def hand_in(
    database: Database,
    where: tuple[TenantId, SpaceId],
    found: FoundFiles,
    reader: FileReader,
    *,
    extractions: bool = False,
    by_model: bool = False,
    trust: float = 1.0,
) -> Handed:
    """The files as documents of the space, up to 50 to a job, 400 where a model reads them.

    A file that cannot be read holds up none.
    """
    handed = Handed(skipped=list(found.skipped))
    submissions = (replace(each, trust=trust) for each in _read(found, handed, reader, extractions))
    hand_over(database, where, submissions, handed, by_model=by_model)
    return handed


def hand_over(
    database: Database,
    where: tuple[TenantId, SpaceId],
    submissions: Iterator[Submission],
    handed: Handed,
    *,
    by_model: bool = False,
) -> None:
    """These documents to the space, in jobs as `hand_in` makes them; `handed` is told."""
    for batch in _batches(submissions, MODEL_BATCH_DOCUMENTS if by_model else BATCH_DOCUMENTS):
        ingesting.check_queue(database, where[0])
        with database.open_space(*where) as space:
            results, _ = documents.submit(space, batch)
            for submission, result in zip(batch, results, strict=True):
                handed.documents.append(
                    {
                        "source_uri": submission.source_uri,
                        "document_id": result.document.id,
                        "outcome": result.outcome.value,
                        "job_id": result.document.job_id,
                    }
                )
                # An unchanged document may still be waiting in a job of before.
                waiting = result.document.job_id if result.document.state in _UNREAD else None
                if waiting is not None and JobId(waiting) not in handed.job_ids:
                    handed.job_ids.append(JobId(waiting))


def reader_of(citegraph: Citegraph) -> FileReader:
    """The reader of files with the limits of this installation."""
    return FileReader(citegraph.settings.max_upload_bytes, lambda: citegraph.sandbox)


def _read(found: FoundFiles, handed: Handed, reader: FileReader, extractions: bool) -> Iterator[Submission]:
    for path, address in found.files:
        if extractions:
            read = read_extractions(path, address, max_bytes=reader.max_bytes)
        else:
            read = reader.read(path, address)
        for each in read:
            if isinstance(each, Skipped):
                noted = found.passed_over if each.code in PASSED_OVER else handed.skipped
                noted.append(each)
            else:
                yield each


def _batches(submissions: Iterator[Submission], most: int) -> Iterator[list[Submission]]:
    """Up to so many documents and about so many bytes at a time, read as they are needed."""
    while batch := list(islice(submissions, 1)):
        size = len(batch[0].raw)
        while len(batch) < most and size < BATCH_BYTES:
            following = next(submissions, None)
            if following is None:
                break
            batch.append(following)
            size += len(following.raw)
        yield batch


def await_jobs(
    database: Database,
    where: tuple[TenantId, SpaceId],
    handed: Handed,
    *,
    check: Callable[[], None] = lambda: None,
) -> Waited:
    """How the jobs ended, shown on stderr while they run. `check` may raise to stop the waiting."""
    begun = time.monotonic()
    hinted = False
    total = sum(each["outcome"] != SubmissionOutcome.UNCHANGED.value for each in handed.documents)
    if not handed.job_ids:
        return Waited([], [])
    with _bar() as bar:
        task = bar.add_task("waiting for a worker", total=100.0, documents=f"0/{counted(total, 'document')}")
        while True:
            jobs = _jobs(database, where, handed.job_ids)
            bar.update(task, **_shown(jobs, total, time.monotonic() - begun))
            if all(each["state"] in FINAL_STATES for each in jobs):
                break
            check()
            if not hinted and _is_idle(jobs) and time.monotonic() - begun > _HINT_SECONDS:
                hinted = True
                parked = next((each["error_message"] for each in jobs if each["stage"] == "parked"), None)
                note(
                    parked
                    or "Nobody has taken the job yet. Is a worker running? `citegraph up` or `citegraph worker`."  # noqa: E501
                )
            time.sleep(_POLL_SECONDS)
    with database.open_space(*where) as space:
        set_aside = [
            queue.error_as_dict(each)
            for job_id in handed.job_ids
            for each in queue.list_errors(space, job_id)
        ]
    return Waited(jobs, set_aside)


def _is_idle(jobs: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether every job still waits: none runs and none is finished."""
    return not any(each["state"] == JobState.RUNNING or each["state"] in FINAL_STATES for each in jobs)


def _shown(jobs: Sequence[Mapping[str, Any]], total: int, seconds: float) -> dict[str, Any]:
    """The fields of the bar: how much is done, at which stage, how many documents, how fast, at what cost."""
    taken = sum(each["counts"].get("documents", 0) for each in jobs)
    running = [each["stage"] for each in jobs if each["state"] == JobState.RUNNING]
    ended = [each["state"] in FINAL_STATES for each in jobs]
    parts = [100.0 if over else each["progress"] for each, over in zip(jobs, ended, strict=True)]
    cost = sum(each["cost_usd"] for each in jobs)
    rate = f", {taken / seconds:.1f} a second" if taken and seconds else ""
    paid = f", {cost:.4f} US dollars" if cost else ""
    return {
        "completed": sum(parts) / len(jobs),
        "description": "done" if all(ended) else (running or ["waiting for a worker"])[0],
        "documents": f"{taken}/{counted(total, 'document')}{rate}{paid}",
    }


def _jobs(
    database: Database, where: tuple[TenantId, SpaceId], job_ids: Sequence[JobId]
) -> list[dict[str, Any]]:
    with database.open_space(*where) as space:
        return [queue.as_dict(queue.get_job(space, job_id)) for job_id in job_ids]


def _bar() -> Progress:
    """A bar on stderr, drawn only for a person who watches."""
    return Progress(
        TextColumn("  {task.fields[documents]}"),
        BarColumn(30),
        TaskProgressColumn(),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=screen(stderr=True),
        disable=not sys.stderr.isatty(),
    )


def tell_passed_over(passed_over: Sequence[Skipped]) -> None:
    """Name the first of the files that were passed over, and why; `--json` names all."""
    if not passed_over:
        return
    say(f"Passed over: {counted(len(passed_over), 'file or folder', 'files or folders')}.")
    for skipped in passed_over[:_MOST_PASSED_OVER]:
        say(f"  {skipped.path}: {skipped.reason}")
    if len(passed_over) > _MOST_PASSED_OVER:
        say(f"  and {len(passed_over) - _MOST_PASSED_OVER:,} more; --json names all.")


def _tell(found: FoundFiles, handed: Handed, waited: Waited | None, space: str) -> None:
    new, changed, same = (handed.count(each) for each in SubmissionOutcome)
    say(f"{counted(len(handed.documents), 'document')}: {new} new, {changed} changed, {same} unchanged.")
    tell_passed_over(found.passed_over)
    if waited is None:
        for job_id in handed.job_ids:
            say(f"Job {job_id}")
        if handed.job_ids:
            say(f"`citegraph jobs list --space {space}` shows how far they are.")
        return
    if handed.job_ids:
        nouns = {"documents": "document", "chunks": "chunk", "nodes": "new node", "edges": "edge"}
        read = (counted(waited.count(name), noun) for name, noun in nouns.items())
        say(f"Read: {', '.join(read)}.")
    tell_set_aside(waited)


def tell_set_aside(waited: Waited) -> None:
    """Say what the jobs left out or set aside, and which of them did not end well."""
    if reasons := left_out(waited.count):
        say(f"Left out: {', '.join(f'{count:,} {words}' for words, count in reasons.items())}.")
    for each in waited.jobs:
        if each["state"] != JobState.DONE:
            screen().print(
                Text(f"Job {each['id']} {each['state']}: {each['error_message'] or each['stage']}")
            )
    for row in waited.set_aside:
        say(f"Set aside {row['document_id'] or ''}: {row['message']}")
