"""The command `sync`: make a space hold exactly what a folder holds, once or whenever it changes."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from os import stat_result
from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.files import (
    PASSED_OVER_CODES,
    FileReader,
    FoundFiles,
    SkippedFile,
    find_files,
    format_file_address,
    replace_unstorable_bytes,
)
from app.cli.ingest import Exclude, NoIgnore, print_passed_over_files, show_ingest_problems
from app.cli.options import AsJson, Space, Tenant, Yes
from app.cli.output import print_error, print_line, print_note, show_json
from app.cli.progress_bars import show_item_progress
from app.cli.submitting import JobOutcomes, SubmissionReport, await_jobs, submit_batches
from app.cli.targets.opening import ApiKey, Server, open_file_target
from app.cli.targets.shapes import UNREAD_STATES, FileTarget
from app.documents.folder_plan import (
    FolderPlan,
    LocalFile,
    Move,
    find_prefix_of_renamed_folder,
    plan_folder_rename,
    plan_folder_sync,
)
from app.documents.hashing import hash_content
from app.documents.shapes import StoredFile, Submission
from app.errors import InvalidInput, NotFound, Unavailable
from app.lazy import import_object
from app.number_words import pluralise

_MAX_PREVIEWED_REMOVALS = 200
_WATCH_TIMEOUT_MS = 60_000
_MAX_LISTED_LINES = 20
# Programs often truncate a file before writing it: one emptied within this time may be about to be written.
_SAVING_SECONDS = 1.0


@dataclass
class LocalFolder:
    """A folder and the hashes of its files; a file is read again only if its size or time changed."""

    path: Path
    exclude: tuple[str, ...]
    read_ignore_files: bool
    reader: FileReader
    found_files: FoundFiles = field(default_factory=FoundFiles)
    files: dict[str, tuple[Path, str]] = field(default_factory=dict)
    unreadable_files: dict[str, SkippedFile] = field(default_factory=dict)
    """Skipped files whose documents stay, because the files may still have the same content."""
    emptied_files: dict[str, SkippedFile] = field(default_factory=dict)
    """Files without text, whose documents are removed as if the files were."""
    _known_files: dict[tuple[str, int, int, int], list[LocalFile]] = field(default_factory=dict)

    @property
    def address(self) -> str:
        """The prefix of the addresses of all its files."""
        return f"{format_file_address(self.path, self.path.parent)}/"

    def scan_files(self) -> list[LocalFile]:
        """Return the files that can be read, including those inside other files, with their hashes."""
        self.found_files = find_files(
            [self.path], exclude_patterns=self.exclude, read_ignore_files=self.read_ignore_files
        )
        self.files, self.unreadable_files, self.emptied_files = {}, {}, {}
        files: list[LocalFile] = []
        for path, address in show_item_progress(
            self.found_files.files, "files compared", len(self.found_files.files)
        ):
            for file in self._recall_or_read_documents_of_file(path, address):
                self.files[file.address] = (path, address)
                files.append(file)
        return files

    def read_submissions(
        self, target: FileTarget, addresses: Sequence[str], submission_report: SubmissionReport
    ) -> Iterator[Submission]:
        """Yield the files at these addresses as they are now; report those that cannot be read any more.

        If a file is submitted whole, so are its unchanged documents, which costs nothing.
        """
        reported_paths = {
            file.path
            for file in (
                *self.found_files.passed_over_files,
                *self.unreadable_files.values(),
                *self.emptied_files.values(),
            )
        }
        wanted_addresses = set(addresses)
        outer_files = dict.fromkeys(self.files[address] for address in addresses)
        for path, address in show_item_progress(outer_files, "files submitted", len(outer_files)):
            for submission in target.read_file(path, address):
                if not isinstance(submission, Submission):
                    if submission.path not in reported_paths:
                        submission_report.add_skipped_file(submission)
                elif submission.source_uri in wanted_addresses or submission.source_uri == address:
                    yield submission

    def locate_file(self, address: str) -> Path:
        """Return the path at which the file with this address is, or was."""
        return self.path / address.removeprefix(self.address)

    def has_file(self, address: str) -> bool:
        """Return whether there is a file with this address now, readable or not."""
        try:
            return self.locate_file(address).exists()
        except OSError:
            return False

    def _recall_or_read_documents_of_file(self, path: Path, address: str) -> list[LocalFile]:
        """Return the documents of a file, from memory if its size and time have not changed."""
        try:
            file_stat = _get_file_status_when_saved(path)
        except OSError as error:
            self.unreadable_files[address] = SkippedFile(str(path), "unreadable", f"{error.strerror}.")
            return []
        file_state = (address, file_stat.st_ino, file_stat.st_size, file_stat.st_mtime_ns)
        if file_state in self._known_files:
            return self._known_files[file_state]
        files = []
        is_complete = True
        for submission in self.reader.read(path, address):
            if isinstance(submission, Submission):
                digest = hash_content(submission.raw, submission.format)
                files.append(LocalFile(submission.source_uri or address, digest))
            elif submission.code in PASSED_OVER_CODES:
                self.found_files.passed_over_files.append(submission)
            else:
                is_complete = False
                skipped_files = (
                    self.emptied_files if submission.code == "empty_document" else self.unreadable_files
                )
                skipped_files[
                    f"{address}{submission.path.removeprefix(replace_unstorable_bytes(str(path)))}"
                ] = submission
        if is_complete:
            self._known_files[file_state] = files
        return files

    def list_addresses_of_unreadable_files(self, stored_files: Sequence[StoredFile]) -> set[str]:
        """Return the addresses of documents whose file cannot be read now but may still exist."""
        unreadable_addresses = set(self.unreadable_files)
        for skipped_file in self.found_files.skipped_files:
            # A path that cannot be stored is the address of no document.
            with suppress(InvalidInput):
                unreadable_addresses.add(format_file_address(Path(skipped_file.path), self.path.parent))
        return {
            document.source_uri
            for document in stored_files
            if document.source_uri in self.unreadable_files
            or any(document.source_uri.startswith(f"{address}/") for address in unreadable_addresses)
        }


def _get_file_status_when_saved(path: Path) -> stat_result:
    """Return the file's status; if it was emptied just now, wait a moment first. Raises OSError."""
    file_stat = path.stat()
    age_seconds = time.time() - file_stat.st_mtime
    if file_stat.st_size == 0 and 0 <= age_seconds < _SAVING_SECONDS:
        time.sleep(_SAVING_SECONDS - age_seconds)
        file_stat = path.stat()
    return file_stat


@dataclass
class SyncRound:
    """One round of a sync: its plan, the previewed removals, and the results."""

    plan: FolderPlan
    previews: dict[str, dict[str, Any]]
    receipts: dict[str, dict[str, Any]] = field(default_factory=dict)
    submission_report: SubmissionReport = field(default_factory=SubmissionReport)
    job_outcomes: JobOutcomes = field(default_factory=lambda: JobOutcomes([], []))
    keeps_documents: bool = False
    folder_moves: list[Move] = field(default_factory=list)
    """Documents that got their addresses from the folder's new name."""

    def to_dict(self, folder: LocalFolder, *, dry_run: bool) -> dict[str, Any]:
        """Return the round as `--json` prints it."""
        plan = self.plan
        receipts_by_address: Mapping[str, dict[str, Any] | None] = self.previews if dry_run else self.receipts
        return {
            "new": plan.new_addresses,
            "changed": plan.changed_addresses,
            "renamed": [
                {"from": move.document.source_uri, "to": move.address}
                for move in (*self.folder_moves, *plan.moves)
            ],
            "removed": [
                {
                    "source_uri": document.source_uri,
                    "document_id": document.id,
                    "receipt": receipts_by_address.get(document.source_uri),
                }
                for document in plan.removed_files
            ],
            "unchanged": len(plan.unchanged_files),
            "skipped": _list_skipped_files(folder, self.submission_report),
            "passed_over": folder.found_files.passed_over_files,
            "jobs": self.job_outcomes.jobs,
            "set_aside": self.job_outcomes.set_aside,
            "dry_run": dry_run,
        }


def sync(
    folder: Annotated[Path, typer.Argument(help="The folder to match, with all below it.")],
    space: Space,
    watch: Annotated[
        bool, typer.Option("--watch", help="Keep running until Ctrl-C and apply every change of the folder.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only print what would be added, changed, moved and removed.")
    ] = False,
    exclude: Exclude = None,
    no_ignore: NoIgnore = False,
    server: Server = None,
    api_key: ApiKey = None,
    keep: Annotated[
        bool,
        typer.Option("--keep", help="Keep edges and nodes whose only evidence is in removed files."),
    ] = False,
    renamed_from: Annotated[
        str | None,
        typer.Option(
            "--renamed-from",
            metavar="NAME",
            help="Earlier name of the folder: its documents get the new addresses and are not read again.",
        ),
    ] = None,
    yes: Yes = False,
    allow_empty: Annotated[
        bool,
        typer.Option("--allow-empty", help="With --yes: also if no file is left, as on a lost disk."),
    ] = False,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Make a space match a folder: new, changed, renamed and removed files.

    A worker reads the files; a renamed file is not read again. Documents of removed files are removed after
    a preview and a confirmation, with --watch only if --yes is set. If interrupted, the next run continues.
    Documents with addresses outside the folder are not touched. Exits with 1 if a file cannot be read or a
    document that was submitted fails; empty files, and failures that a run before reported, do not count.
    """
    if not folder.is_dir():
        raise NotFound(f"folder: {folder}")
    path = folder.resolve()
    if renamed_from is not None and (
        Path(renamed_from).name != renamed_from or renamed_from in ("..", path.name)
    ):
        raise typer.BadParameter("--renamed-from takes the earlier name of the folder alone, without a path.")
    with open_file_target(space, tenant, server, api_key) as target:
        synced_folder = LocalFolder(path, tuple(exclude or ()), not no_ignore, target.reader)
        options = SyncOptions(
            dry_run, keep, yes, allow_empty, ask=not watch, as_json=as_json, renamed_from=renamed_from
        )
        is_complete = _sync_once_and_check_all_read(target, synced_folder, options)
        if watch and not dry_run:
            _watch_folder(target, synced_folder, replace(options, is_quiet=True, renamed_from=None))
    if not is_complete:
        print_error("Not every document could be ingested.")
        raise typer.Exit(1)


@dataclass(frozen=True)
class SyncOptions:
    """The options of a round. With `is_quiet`, nothing is printed if there is nothing to do."""

    dry_run: bool
    keep: bool
    yes: bool
    allow_empty: bool
    ask: bool
    as_json: bool
    is_quiet: bool = False
    renamed_from: str | None = None


def _watch_folder(target: FileTarget, folder: LocalFolder, options: SyncOptions) -> None:
    """Run a round whenever the folder changes, until Ctrl-C; within a round, Ctrl-C ends the command."""
    print_note(f"Watching {folder.path} …")
    is_in_round = False
    try:
        # Changes made before the watcher started are found by the round that follows a timeout.
        for _ in import_object("watchfiles:watch")(
            folder.path, yield_on_timeout=True, rust_timeout=_WATCH_TIMEOUT_MS
        ):
            is_in_round = True
            if folder.path.is_dir():
                try:
                    _sync_once_and_check_all_read(target, folder, options)
                except Unavailable as error:
                    print_note(f"{error.message} The next round tries again.")
            is_in_round = False
    except KeyboardInterrupt:
        if is_in_round:
            print_note("Stopped within a round: the next run continues it.")
            raise
        print_note("Stopped.")


def _sync_once_and_check_all_read(target: FileTarget, folder: LocalFolder, options: SyncOptions) -> bool:
    """Compare the folder once and apply the differences; return whether everything could be read."""
    files = folder.scan_files()
    stored_files = target.list_stored_files_below(folder.address)
    folder_moves: list[Move] = []
    if options.renamed_from is not None:
        old_prefix = f"{format_file_address(folder.path.parent / options.renamed_from, folder.path.parent)}/"
        earlier_files = target.list_stored_files_below(old_prefix)
        folder_moves = plan_folder_rename(earlier_files, stored_files, old_prefix, folder.address)
        stored_files = _rename_folder(target, folder_moves, earlier_files, stored_files, options)
    elif files and not stored_files and not options.is_quiet:
        _print_note_if_renamed(target, folder, files)
    plan = plan_folder_sync(files, stored_files, folder.list_addresses_of_unreadable_files(stored_files))
    if options.is_quiet and plan.is_empty:
        return True
    sync_round = SyncRound(plan, _preview_removals(target, plan, options), folder_moves=folder_moves)
    missing_addresses = {
        document.source_uri for document in plan.removed_files if not folder.has_file(document.source_uri)
    }
    if not options.as_json:
        _show_folder_plan(folder, sync_round)
        if not options.is_quiet:
            print_passed_over_files(folder.found_files.passed_over_files)
    if not options.dry_run:
        sync_round.keeps_documents = bool(plan.removed_files) and not _confirm_removals(folder, plan, options)
        _move_submit_and_remove_documents(target, folder, sync_round, stored_files)
        if not sync_round.keeps_documents:
            _remove_documents(target, folder, sync_round, missing_addresses, keeps_unsupported=options.keep)
    if options.as_json:
        show_json(sync_round.to_dict(folder, dry_run=options.dry_run))
    elif not options.dry_run:
        _show_sync_outcome(sync_round)
    skipped_files = _list_skipped_files(folder, sync_round.submission_report)
    for file in skipped_files:
        print_note(f"Skipped {file.path}: {file.reason}")
    # A file without text has nothing that the space could lack: it fails no run, however often it is met.
    return len(skipped_files) == len(folder.emptied_files) and sync_round.job_outcomes.is_complete


def _rename_folder(
    target: FileTarget,
    folder_moves: list[Move],
    earlier_files: list[StoredFile],
    stored_files: list[StoredFile],
    options: SyncOptions,
) -> list[StoredFile]:
    """Move the documents of a renamed folder, unless it is a dry run; return the documents of both names.

    A document whose new address another one has keeps its address, at which there is no file any more.
    """
    if folder_moves and not options.dry_run:
        target.move_documents(folder_moves)
    new_addresses = {move.document.id: move.address for move in folder_moves}
    return [
        *stored_files,
        *(
            replace(document, source_uri=new_addresses.get(document.id, document.source_uri))
            for document in earlier_files
        ),
    ]


def _print_note_if_renamed(target: FileTarget, folder: LocalFolder, files: list[LocalFile]) -> None:
    """Print a note if the files of a folder that is new to the space are those of a folder that is gone."""
    scheme, _, _ = folder.address.partition(":")
    earlier_prefix = find_prefix_of_renamed_folder(
        files, target.list_stored_files_below(f"{scheme}:"), folder.address
    )
    if earlier_prefix is None:
        return
    name = earlier_prefix.removeprefix(f"{scheme}:").rstrip("/")
    # A copy is beside the folder that it was made of.
    if not (folder.path.parent / name).exists():
        print_note(
            f"Most of these files are documents of the folder {name} already, which is not here any more. If"
            f" it was renamed, `--renamed-from {name}` keeps them; without it they become new documents."
        )


def _preview_removals(
    target: FileTarget, plan: FolderPlan, options: SyncOptions
) -> dict[str, dict[str, Any]]:
    """Return, by address, the receipts that removing the first _MAX_PREVIEWED_REMOVALS documents
    would have.
    """
    removed_documents = plan.removed_files[:_MAX_PREVIEWED_REMOVALS]
    if not removed_documents:
        return {}
    receipts = target.preview_removals(
        [document.id for document in removed_documents], prune=not options.keep
    )
    return dict(zip((document.source_uri for document in removed_documents), receipts, strict=True))


def _confirm_removals(folder: LocalFolder, plan: FolderPlan, options: SyncOptions) -> bool:
    """Return whether to remove documents whose file is gone; print a note if not."""
    if options.yes and (folder.files or options.allow_empty):
        return True
    if options.yes:
        print_note("The folder holds no file that can be read: --allow-empty removes all its documents.")
    elif options.ask and typer.confirm(
        f"Remove {pluralise(len(plan.removed_files), 'document')} with their text?", err=True
    ):
        return True
    print_note(f"Kept: {pluralise(len(plan.removed_files), 'document')} whose file is gone.")
    return False


def _move_submit_and_remove_documents(
    target: FileTarget,
    folder: LocalFolder,
    sync_round: SyncRound,
    stored_files: list[StoredFile],
) -> None:
    """Move, submit and wait, in this order; each step is complete even if the next never runs."""
    plan, submission_report = sync_round.plan, sync_round.submission_report
    if plan.moves:
        target.move_documents(plan.moves)
    addresses = [*plan.new_addresses, *plan.changed_addresses]
    submit_batches(target, folder.read_submissions(target, addresses, submission_report), submission_report)
    # Jobs that an interrupted run submitted and that no worker has finished.
    pending_job_ids = dict.fromkeys(
        document.job_id for document in stored_files if document.state in UNREAD_STATES
    )
    submission_report.job_ids += [
        job_id for job_id in pending_job_ids if job_id is not None and job_id not in submission_report.job_ids
    ]
    known_addresses = {str(document.id): document.source_uri for document in stored_files}
    sync_round.job_outcomes = await_jobs(target, submission_report, known_addresses=known_addresses)


def _remove_documents(
    target: FileTarget,
    folder: LocalFolder,
    sync_round: SyncRound,
    missing_addresses: set[str],
    *,
    keeps_unsupported: bool,
) -> None:
    """Remove the documents whose file is gone, except for files that came back since they were missed.

    Waiting for the worker may have taken minutes: a program may have deleted and rewritten its files.
    """
    removed_files = sync_round.plan.removed_files
    for document in show_item_progress(removed_files, "documents removed", len(removed_files)):
        if document.source_uri in missing_addresses and folder.has_file(document.source_uri):
            sync_round.submission_report.add_skipped_file(
                SkippedFile(
                    replace_unstorable_bytes(str(folder.locate_file(document.source_uri))),
                    "unreadable",
                    "It was missing and is there again: its document stays. The next sync compares it.",
                )
            )
            continue
        receipt = target.remove_document(document.id, prune=not keeps_unsupported)
        # None: somebody else has removed it meanwhile.
        if receipt is not None:
            sync_round.receipts[document.source_uri] = receipt


def _list_skipped_files(folder: LocalFolder, submission_report: SubmissionReport) -> list[SkippedFile]:
    unread_files = [*folder.unreadable_files.values(), *folder.emptied_files.values()]
    return [*folder.found_files.skipped_files, *unread_files, *submission_report.skipped_files]


def _show_folder_plan(folder: LocalFolder, sync_round: SyncRound) -> None:
    plan = sync_round.plan
    print_line(
        f"{folder.path.name}: {len(plan.new_addresses):,} new, {len(plan.changed_addresses):,} changed,"
        f" {len(plan.moves):,} renamed, {len(plan.removed_files):,} removed,"
        f" {len(plan.unchanged_files):,} unchanged."
    )
    if sync_round.folder_moves:
        print_line(
            f"New addresses of the renamed folder: {pluralise(len(sync_round.folder_moves), 'document')}."
        )
    lines = [f"  + {_get_relative_name(folder, address)}" for address in plan.new_addresses]
    lines += [f"  ~ {_get_relative_name(folder, address)}" for address in plan.changed_addresses]
    lines += [
        f"  > {_get_relative_name(folder, move.document.source_uri)}"
        f" is now {_get_relative_name(folder, move.address)}"
        for move in plan.moves
    ]
    for line in lines[:_MAX_LISTED_LINES]:
        print_line(line)
    if len(lines) > _MAX_LISTED_LINES:
        print_line(f"  and {len(lines) - _MAX_LISTED_LINES:,} more; --json names all.")
    for document in plan.removed_files:
        receipt = sync_round.previews.get(document.source_uri)
        receipt_note = "" if receipt is None else f": {_describe_receipt(receipt)}"
        print_line(f"  - {_get_relative_name(folder, document.source_uri)}{receipt_note}")
    if len(plan.removed_files) > len(sync_round.previews):
        unpreviewed_count = len(plan.removed_files) - len(sync_round.previews)
        print_line(f"What removing the last {unpreviewed_count:,} affects was not computed.")
    for document in plan.unchanged_files:
        if document.failure_reason:
            print_line(f"  ! {_get_relative_name(folder, document.source_uri)}: {document.failure_reason}")


def _show_sync_outcome(sync_round: SyncRound) -> None:
    job_outcomes = sync_round.job_outcomes
    if job_outcomes.jobs:
        noun_by_count = {"documents": "document", "chunks": "chunk", "nodes": "new node", "edges": "edge"}
        read_counts = (pluralise(job_outcomes.sum_count(name), noun) for name, noun in noun_by_count.items())
        print_line(f"Read: {', '.join(read_counts)}.")
    show_ingest_problems(job_outcomes)
    if sync_round.receipts:
        total_receipt = {
            name: sum(receipt[name] for receipt in sync_round.receipts.values())
            for name in ("chunks", "pruned_edges", "unlinked_edges", "pruned_nodes", "forgotten_nodes")
        }
        print_line(
            f"Removed {pluralise(len(sync_round.receipts), 'document')}: {_describe_receipt(total_receipt)}."
        )


def _describe_receipt(receipt: Mapping[str, Any]) -> str:
    edge_count = receipt["pruned_edges"]
    phrases = [
        pluralise(receipt["chunks"], "chunk"),
        pluralise(edge_count, "edge"),
        pluralise(receipt["pruned_nodes"], "node"),
    ]
    if unsupported_count := receipt["unlinked_edges"] - edge_count:
        phrases.append(f"{pluralise(unsupported_count, 'edge')} left without evidence")
    return ", ".join(phrases)


def _get_relative_name(folder: LocalFolder, address: str) -> str:
    return address.removeprefix(folder.address)
