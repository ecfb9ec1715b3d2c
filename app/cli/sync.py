"""The command that makes a space hold exactly what a folder holds, once or whenever the folder changes."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from os import stat_result
from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.bars import show_item_progress
from app.cli.files import (
    PASSED_OVER,
    FileReader,
    FoundFiles,
    Skipped,
    find_files,
    format_file_address,
    make_storable,
)
from app.cli.ingest import Exclude, NoIgnore, show_passed_over, show_quarantined
from app.cli.options import AsJson, Space, Tenant, Yes
from app.cli.output import print_error, print_note, say, show_json
from app.cli.submitting import SubmissionReport, Waited, await_jobs, submit_batches
from app.cli.targets.opening import ApiKey, Server, open_file_target
from app.cli.targets.shapes import UNREAD, FileTarget
from app.documents.folder_plan import FolderPlan, LocalFile, plan_folder
from app.documents.hashing import hash_content
from app.documents.shapes import StoredFile, Submission
from app.errors import InvalidInput, NotFound, Unavailable
from app.lazy import imported
from app.number_words import pluralise

_MOST_PREVIEWED = 200
_LOOK_MS = 60_000
_MOST_NAMED = 20
# Programs that save a file often cut it first: one that is empty this soon may be about to be written.
_SAVING_SECONDS = 1.0


@dataclass
class Folder:
    """A folder with the hashes of its files, which are read again only where size or time changed."""

    path: Path
    exclude: tuple[str, ...]
    read_ignore_files: bool
    reader: FileReader
    found_files: FoundFiles = field(default_factory=FoundFiles)
    files: dict[str, tuple[Path, str]] = field(default_factory=dict)
    unreadable: dict[str, Skipped] = field(default_factory=dict)
    """Files that may still hold what their documents say."""
    empty: dict[str, Skipped] = field(default_factory=dict)
    """Files that hold no word: their documents go as those of removed files do."""
    _known: dict[tuple[str, int, int, int], list[LocalFile]] = field(default_factory=dict)

    @property
    def address(self) -> str:
        """The beginning of the addresses of all its files."""
        return f"{format_file_address(self.path, self.path.parent)}/"

    def scan_files(self) -> list[LocalFile]:
        """Return the files that can be read, also those inside of others, with their hashes."""
        self.found_files = find_files(
            [self.path], exclude=self.exclude, read_ignore_files=self.read_ignore_files
        )
        self.files, self.unreadable, self.empty = {}, {}, {}
        files: list[LocalFile] = []
        for path, address in show_item_progress(
            self.found_files.files, "files compared", len(self.found_files.files)
        ):
            for file in self._read_local_files(path, address):
                self.files[file.address] = (path, address)
                files.append(file)
        return files

    def read_submissions(self, target: FileTarget, addresses: Iterable[str]) -> Iterator[Submission]:
        """The files at these addresses as they are now; one that has gone meanwhile is left out.

        Where a file goes whole, so do the documents in it that have not changed: they cost nothing.
        """
        address_set = set(addresses)
        for path, address in dict.fromkeys(self.files[address] for address in addresses):
            for submission in target.read_file(path, address):
                if isinstance(submission, Submission) and (
                    submission.source_uri in address_set or submission.source_uri == address
                ):
                    yield submission

    def _read_local_files(self, path: Path, address: str) -> list[LocalFile]:
        """Return the documents of a file, from memory where its size and time are those of before."""
        try:
            stat = _stat_when_saved(path)
        except OSError as error:
            self.unreadable[address] = Skipped(str(path), "unreadable", f"{error.strerror}.")
            return []
        state = (address, stat.st_ino, stat.st_size, stat.st_mtime_ns)
        if state in self._known:
            return self._known[state]
        files = []
        complete = True
        for submission in self.reader.read(path, address):
            if isinstance(submission, Submission):
                digest = hash_content(submission.raw, submission.format)
                files.append(LocalFile(submission.source_uri or address, digest))
            elif submission.code in PASSED_OVER:
                self.found_files.passed_over.append(submission)
            else:
                complete = False
                skipped_files = self.empty if submission.code == "empty_document" else self.unreadable
                skipped_files[f"{address}{submission.path.removeprefix(make_storable(str(path)))}"] = (
                    submission
                )
        if complete:
            self._known[state] = files
        return files

    def list_unreadable(self, stored_files: Sequence[StoredFile]) -> set[str]:
        """Return the addresses of documents whose file cannot be read now, but may be there."""
        addresses = set(self.unreadable)
        for skipped in self.found_files.skipped:
            # No document has an address that cannot be stored.
            with suppress(InvalidInput):
                addresses.add(format_file_address(Path(skipped.path), self.path.parent))
        return {
            document.source_uri
            for document in stored_files
            if document.source_uri in self.unreadable
            or any(document.source_uri.startswith(f"{address}/") for address in addresses)
        }


def _stat_when_saved(path: Path) -> stat_result:
    """Return the state of the file, a moment later where it was emptied just now. Raises OSError."""
    stat = path.stat()
    age = time.time() - stat.st_mtime
    if stat.st_size == 0 and 0 <= age < _SAVING_SECONDS:
        time.sleep(_SAVING_SECONDS - age)
        stat = path.stat()
    return stat


@dataclass
class Synced:
    """The acts of one round: the plan, what the removal takes along, and what became of it."""

    plan: FolderPlan
    previews: dict[str, dict[str, Any]]
    receipts: dict[str, dict[str, Any]] = field(default_factory=dict)
    submission_report: SubmissionReport = field(default_factory=SubmissionReport)
    waited: Waited = field(default_factory=lambda: Waited([], []))
    keeps_removed: bool = False

    def to_dict(self, folder: Folder, *, dry_run: bool) -> dict[str, Any]:
        """The round as `--json` shows it."""
        plan = self.plan
        removed: Mapping[str, dict[str, Any] | None] = self.previews if dry_run else self.receipts
        return {
            "new": plan.new,
            "changed": plan.changed,
            "renamed": [{"from": move.document.source_uri, "to": move.address} for move in plan.moved],
            "removed": [
                {
                    "source_uri": document.source_uri,
                    "document_id": document.id,
                    "receipt": removed.get(document.source_uri),
                }
                for document in plan.removed
            ],
            "unchanged": len(plan.unchanged),
            "skipped": _list_skipped(folder, self.submission_report),
            "passed_over": folder.found_files.passed_over,
            "jobs": self.waited.jobs,
            "set_aside": self.waited.set_aside,
            "dry_run": dry_run,
        }


def sync(
    folder: Annotated[Path, typer.Argument(help="The folder that is the truth, with all below.")],
    space: Space,
    watch: Annotated[
        bool, typer.Option("--watch", help="Go on until Ctrl-C: whatever changes in the folder follows.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would come, change, move and go.")
    ] = False,
    exclude: Exclude = None,
    no_ignore: NoIgnore = False,
    server: Server = None,
    api_key: ApiKey = None,
    keep: Annotated[
        bool,
        typer.Option(
            "--keep", help="Keep edges and nodes that rest on removed files alone; without, they go too."
        ),
    ] = False,
    yes: Yes = False,
    allow_empty: Annotated[
        bool,
        typer.Option("--allow-empty", help="With --yes: also where not one file is left, as on a lost disk."),
    ] = False,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Make a space match a folder: new, changed, renamed and removed files.

    A worker reads them. A renamed file is not read again. Documents of the folder whose file has gone are
    removed, after what goes with them was shown and confirmed; with --watch only where --yes says so. Ended
    in between, the next run goes on. Documents of other addresses are left alone.
    """
    if not folder.is_dir():
        raise NotFound(f"folder: {folder}")
    path = folder.resolve()
    with open_file_target(space, tenant, server, api_key) as target:
        truth = Folder(path, tuple(exclude or ()), not no_ignore, target.reader)
        options = SyncOptions(dry_run, keep, yes, allow_empty, ask=not watch, as_json=as_json)
        complete = _sync_once(target, truth, options)
        if watch and not dry_run:
            _watch_folder(target, truth, replace(options, quiet=True))
    if not complete:
        print_error("Not every document could be taken in.")
        raise typer.Exit(1)


@dataclass(frozen=True)
class SyncOptions:
    """The options of a round. A `quiet` one says nothing where there is nothing to do."""

    dry_run: bool
    keep: bool
    yes: bool
    allow_empty: bool
    ask: bool
    as_json: bool
    quiet: bool = False


def _watch_folder(target: FileTarget, folder: Folder, options: SyncOptions) -> None:
    """Do a round whenever the folder changes, until Ctrl-C; within a round that ends it as any command."""
    print_note(f"Watching {folder.path} …")
    in_round = False
    try:
        # What changed before the watcher began is seen by the look that it takes after a quiet minute.
        for _ in imported("watchfiles:watch")(folder.path, yield_on_timeout=True, rust_timeout=_LOOK_MS):
            in_round = True
            if folder.path.is_dir():
                try:
                    _sync_once(target, folder, options)
                except Unavailable as error:
                    print_note(f"{error.message} The next look tries again.")
            in_round = False
    except KeyboardInterrupt:
        if in_round:
            print_note("Stopped within a round: the next run goes on with it.")
            raise
        print_note("Stopped.")


def _sync_once(target: FileTarget, folder: Folder, options: SyncOptions) -> bool:
    """Compare once and do what there is to do; return whether all could be read."""
    files = folder.scan_files()
    stored_files = target.list_stored_below(folder.address)
    plan = plan_folder(files, stored_files, folder.list_unreadable(stored_files))
    if options.quiet and plan.is_empty:
        return True
    synced = Synced(plan, _preview_removals(target, plan, options))
    if not options.as_json:
        _show_plan(folder, synced)
        if not options.quiet:
            show_passed_over(folder.found_files.passed_over)
    if not options.dry_run:
        synced.keeps_removed = bool(plan.removed) and not _confirm_removals(folder, plan, options)
        _apply_plan(target, folder, synced, stored_files, keep=options.keep)
    if options.as_json:
        show_json(synced.to_dict(folder, dry_run=options.dry_run))
    elif not options.dry_run:
        _show_outcome(synced)
    skipped = _list_skipped(folder, synced.submission_report)
    for file in skipped:
        print_note(f"Skipped {file.path}: {file.reason}")
    return not skipped and synced.waited.is_complete


def _preview_removals(
    target: FileTarget, plan: FolderPlan, options: SyncOptions
) -> dict[str, dict[str, Any]]:
    """Return the receipts, by address, that removing the first 200 of the documents to go would have."""
    removed = plan.removed[:_MOST_PREVIEWED]
    if not removed:
        return {}
    receipts = target.preview_removals([document.id for document in removed], prune=not options.keep)
    return dict(zip((document.source_uri for document in removed), receipts, strict=True))


def _confirm_removals(folder: Folder, plan: FolderPlan, options: SyncOptions) -> bool:
    """Return whether documents whose file has gone are to be removed, and say so where they are not."""
    if options.yes and (folder.files or options.allow_empty):
        return True
    if options.yes:
        print_note("The folder holds no file that can be read: --allow-empty removes all documents of it.")
    elif options.ask and typer.confirm(
        f"Remove {pluralise(len(plan.removed), 'document')} with all their words?", err=True
    ):
        return True
    print_note(f"Left as they are: {pluralise(len(plan.removed), 'document')} whose file has gone.")
    return False


def _apply_plan(
    target: FileTarget, folder: Folder, synced: Synced, stored_files: list[StoredFile], *, keep: bool
) -> None:
    """Move, hand in, wait and remove, in this order: each step is whole if the next never comes."""
    plan, submission_report = synced.plan, synced.submission_report
    if plan.moved:
        target.move_documents(plan.moved)
    addresses = [*plan.new, *plan.changed]
    submit_batches(
        target, folder.read_submissions(target, addresses), submission_report, total=len(addresses)
    )
    # What an earlier run that was ended handed in, and nobody has read yet.
    pending_jobs = dict.fromkeys(document.job_id for document in stored_files if document.state in UNREAD)
    submission_report.job_ids += [
        job_id for job_id in pending_jobs if job_id is not None and job_id not in submission_report.job_ids
    ]
    known_addresses = {str(document.id): document.source_uri for document in stored_files}
    synced.waited = await_jobs(target, submission_report, known_addresses=known_addresses)
    if synced.keeps_removed:
        return
    for document in show_item_progress(plan.removed, "documents removed", len(plan.removed)):
        receipt = target.remove_document(document.id, prune=not keep)
        # None: somebody else has removed it meanwhile.
        if receipt is not None:
            synced.receipts[document.source_uri] = receipt


def _list_skipped(folder: Folder, submission_report: SubmissionReport) -> list[Skipped]:
    unread = [*folder.unreadable.values(), *folder.empty.values()]
    return [*folder.found_files.skipped, *unread, *submission_report.skipped]


def _show_plan(folder: Folder, synced: Synced) -> None:
    plan = synced.plan
    say(
        f"{folder.path.name}: {len(plan.new):,} new, {len(plan.changed):,} changed,"
        f" {len(plan.moved):,} renamed, {len(plan.removed):,} removed, {len(plan.unchanged):,} unchanged."
    )
    lines = [f"  + {_get_relative_name(folder, address)}" for address in plan.new]
    lines += [f"  ~ {_get_relative_name(folder, address)}" for address in plan.changed]
    lines += [
        f"  > {_get_relative_name(folder, move.document.source_uri)}"
        f" is now {_get_relative_name(folder, move.address)}"
        for move in plan.moved
    ]
    for line in lines[:_MOST_NAMED]:
        say(line)
    if len(lines) > _MOST_NAMED:
        say(f"  and {len(lines) - _MOST_NAMED:,} more; --json names all.")
    for document in plan.removed:
        receipt = synced.previews.get(document.source_uri)
        going = "" if receipt is None else f": {_describe_receipt(receipt)}"
        say(f"  - {_get_relative_name(folder, document.source_uri)}{going}")
    if len(plan.removed) > len(synced.previews):
        say(f"  What goes with the last {len(plan.removed) - len(synced.previews):,} was not worked out.")
    for document in plan.unchanged:
        if document.failure_reason:
            say(f"  ! {_get_relative_name(folder, document.source_uri)}: {document.failure_reason}")


def _show_outcome(synced: Synced) -> None:
    waited = synced.waited
    if waited.jobs:
        nouns = {"documents": "document", "chunks": "chunk", "nodes": "new node", "edges": "edge"}
        say(f"Read: {', '.join(pluralise(waited.sum_count(name), noun) for name, noun in nouns.items())}.")
    show_quarantined(waited)
    if synced.receipts:
        total = {
            name: sum(receipt[name] for receipt in synced.receipts.values())
            for name in ("chunks", "pruned_edges", "unlinked_edges", "pruned_nodes", "forgotten_nodes")
        }
        say(f"Removed {pluralise(len(synced.receipts), 'document')}: {_describe_receipt(total)}.")


def _describe_receipt(receipt: Mapping[str, Any]) -> str:
    edges = receipt["pruned_edges"]
    parts = [
        pluralise(receipt["chunks"], "chunk"),
        pluralise(edges, "edge"),
        pluralise(receipt["pruned_nodes"], "node"),
    ]
    if unsupported := receipt["unlinked_edges"] - edges:
        parts.append(f"{pluralise(unsupported, 'edge')} left without evidence")
    return ", ".join(parts)


def _get_relative_name(folder: Folder, address: str) -> str:
    return address.removeprefix(folder.address)
