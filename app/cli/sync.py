"""The command that makes a space hold exactly what a folder holds, once or whenever the folder changes."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from os import stat_result
from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.bars import counted_off
from app.cli.files import PASSED_OVER, FileReader, FoundFiles, Skipped, address_of, find_files, storable
from app.cli.ingest import Exclude, NoIgnore, tell_passed_over, tell_set_aside
from app.cli.options import AsJson, Space, Tenant, Yes
from app.cli.output import fail, note, say, show_json
from app.cli.submitting import Handed, Waited, await_jobs, hand_over
from app.cli.targets.opening import ApiKey, Server, file_target
from app.cli.targets.shapes import UNREAD, FileTarget
from app.documents.folder_plan import FolderPlan, LocalFile, plan_folder
from app.documents.hashing import content_hash
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
        return f"{address_of(self.path, self.path.parent)}/"

    def scan(self) -> list[LocalFile]:
        """Return the files that can be read, also those inside of others, with their hashes."""
        self.found_files = find_files(
            [self.path], exclude=self.exclude, read_ignore_files=self.read_ignore_files
        )
        self.files, self.unreadable, self.empty = {}, {}, {}
        files: list[LocalFile] = []
        for path, address in counted_off(
            self.found_files.files, "files compared", len(self.found_files.files)
        ):
            for file in self._files_of(path, address):
                self.files[file.address] = (path, address)
                files.append(file)
        return files

    def submissions(self, target: FileTarget, addresses: Iterable[str]) -> Iterator[Submission]:
        """The files at these addresses as they are now; one that has gone meanwhile is left out.

        Where a file goes whole, so do the documents in it that have not changed: they cost nothing.
        """
        address_set = set(addresses)
        for path, address in dict.fromkeys(self.files[address] for address in addresses):
            for submission in target.read(path, address):
                if isinstance(submission, Submission) and (
                    submission.source_uri in address_set or submission.source_uri == address
                ):
                    yield submission

    def _files_of(self, path: Path, address: str) -> list[LocalFile]:
        """Return the documents of a file, from memory where its size and time are those of before."""
        try:
            stat = _settled(path)
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
                digest = content_hash(submission.raw, submission.format)
                files.append(LocalFile(submission.source_uri or address, digest))
            elif submission.code in PASSED_OVER:
                self.found_files.passed_over.append(submission)
            else:
                complete = False
                skipped_files = self.empty if submission.code == "empty_document" else self.unreadable
                skipped_files[f"{address}{submission.path.removeprefix(storable(str(path)))}"] = submission
        if complete:
            self._known[state] = files
        return files

    def unreadable_of(self, stored_files: Sequence[StoredFile]) -> set[str]:
        """Return the addresses of documents whose file cannot be read now, but may be there."""
        addresses = set(self.unreadable)
        for skipped in self.found_files.skipped:
            # No document has an address that cannot be stored.
            with suppress(InvalidInput):
                addresses.add(address_of(Path(skipped.path), self.path.parent))
        return {
            document.source_uri
            for document in stored_files
            if document.source_uri in self.unreadable
            or any(document.source_uri.startswith(f"{address}/") for address in addresses)
        }


def _settled(path: Path) -> stat_result:
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
    handed: Handed = field(default_factory=Handed)
    waited: Waited = field(default_factory=lambda: Waited([], []))
    keeps_removed: bool = False

    def as_dict(self, folder: Folder, *, dry_run: bool) -> dict[str, Any]:
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
            "skipped": _skipped(folder, self.handed),
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
    """Make a space hold what a folder holds: new, changed, renamed and removed files.

    A worker reads them. A renamed file is not read again. Documents of the folder whose file has gone are
    removed, after what goes with them was shown and confirmed; with --watch only where --yes says so. Ended
    in between, the next run goes on. Documents of other addresses are left alone.
    """
    if not folder.is_dir():
        raise NotFound(f"folder: {folder}")
    path = folder.resolve()
    with file_target(space, tenant, server, api_key) as target:
        truth = Folder(path, tuple(exclude or ()), not no_ignore, target.reader)
        options = SyncOptions(dry_run, keep, yes, allow_empty, ask=not watch, as_json=as_json)
        complete = _round(target, truth, options)
        if watch and not dry_run:
            _watch(target, truth, replace(options, quiet=True))
    if not complete:
        fail("Not every document could be taken in.")
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


def _watch(target: FileTarget, folder: Folder, options: SyncOptions) -> None:
    """Do a round whenever the folder changes, until Ctrl-C; within a round that ends it as any command."""
    note(f"Watching {folder.path} …")
    in_round = False
    try:
        # What changed before the watcher began is seen by the look that it takes after a quiet minute.
        for _ in imported("watchfiles:watch")(folder.path, yield_on_timeout=True, rust_timeout=_LOOK_MS):
            in_round = True
            if folder.path.is_dir():
                try:
                    _round(target, folder, options)
                except Unavailable as error:
                    note(f"{error.message} The next look tries again.")
            in_round = False
    except KeyboardInterrupt:
        if in_round:
            note("Stopped within a round: the next run goes on with it.")
            raise
        note("Stopped.")


def _round(target: FileTarget, folder: Folder, options: SyncOptions) -> bool:
    """Compare once and do what there is to do; return whether all could be read."""
    files = folder.scan()
    stored_files = target.stored_below(folder.address)
    plan = plan_folder(files, stored_files, folder.unreadable_of(stored_files))
    if options.quiet and plan.is_empty:
        return True
    synced = Synced(plan, _previews(target, plan, options))
    if not options.as_json:
        _tell_plan(folder, synced)
        if not options.quiet:
            tell_passed_over(folder.found_files.passed_over)
    if not options.dry_run:
        synced.keeps_removed = bool(plan.removed) and not _may_remove(folder, plan, options)
        _act(target, folder, synced, stored_files, keep=options.keep)
    if options.as_json:
        show_json(synced.as_dict(folder, dry_run=options.dry_run))
    elif not options.dry_run:
        _tell_outcome(synced)
    skipped = _skipped(folder, synced.handed)
    for file in skipped:
        note(f"Skipped {file.path}: {file.reason}")
    return not skipped and synced.waited.complete


def _previews(target: FileTarget, plan: FolderPlan, options: SyncOptions) -> dict[str, dict[str, Any]]:
    """Return the receipts, by address, that removing the first 200 of the documents to go would have."""
    removed = plan.removed[:_MOST_PREVIEWED]
    if not removed:
        return {}
    receipts = target.preview_removals([document.id for document in removed], prune=not options.keep)
    return dict(zip((document.source_uri for document in removed), receipts, strict=True))


def _may_remove(folder: Folder, plan: FolderPlan, options: SyncOptions) -> bool:
    """Return whether documents whose file has gone are to be removed, and say so where they are not."""
    if options.yes and (folder.files or options.allow_empty):
        return True
    if options.yes:
        note("The folder holds no file that can be read: --allow-empty removes all documents of it.")
    elif options.ask and typer.confirm(
        f"Remove {pluralise(len(plan.removed), 'document')} with all their words?", err=True
    ):
        return True
    note(f"Left as they are: {pluralise(len(plan.removed), 'document')} whose file has gone.")
    return False


def _act(
    target: FileTarget, folder: Folder, synced: Synced, stored_files: list[StoredFile], *, keep: bool
) -> None:
    """Move, hand in, wait and remove, in this order: each step is whole if the next never comes."""
    plan, handed = synced.plan, synced.handed
    if plan.moved:
        target.move(plan.moved)
    addresses = [*plan.new, *plan.changed]
    hand_over(target, folder.submissions(target, addresses), handed, total=len(addresses))
    # What an earlier run that was ended handed in, and nobody has read yet.
    pending_jobs = dict.fromkeys(document.job_id for document in stored_files if document.state in UNREAD)
    handed.job_ids += [
        job_id for job_id in pending_jobs if job_id is not None and job_id not in handed.job_ids
    ]
    known_addresses = {str(document.id): document.source_uri for document in stored_files}
    synced.waited = await_jobs(target, handed, known_addresses=known_addresses)
    if synced.keeps_removed:
        return
    for document in counted_off(plan.removed, "documents removed", len(plan.removed)):
        receipt = target.remove(document.id, prune=not keep)
        # None: somebody else has removed it meanwhile.
        if receipt is not None:
            synced.receipts[document.source_uri] = receipt


def _skipped(folder: Folder, handed: Handed) -> list[Skipped]:
    unread = [*folder.unreadable.values(), *folder.empty.values()]
    return [*folder.found_files.skipped, *unread, *handed.skipped]


def _tell_plan(folder: Folder, synced: Synced) -> None:
    plan = synced.plan
    say(
        f"{folder.path.name}: {len(plan.new):,} new, {len(plan.changed):,} changed,"
        f" {len(plan.moved):,} renamed, {len(plan.removed):,} removed, {len(plan.unchanged):,} unchanged."
    )
    lines = [f"  + {_name(folder, address)}" for address in plan.new]
    lines += [f"  ~ {_name(folder, address)}" for address in plan.changed]
    lines += [
        f"  > {_name(folder, move.document.source_uri)} is now {_name(folder, move.address)}"
        for move in plan.moved
    ]
    for line in lines[:_MOST_NAMED]:
        say(line)
    if len(lines) > _MOST_NAMED:
        say(f"  and {len(lines) - _MOST_NAMED:,} more; --json names all.")
    for document in plan.removed:
        receipt = synced.previews.get(document.source_uri)
        going = "" if receipt is None else f": {_in_words(receipt)}"
        say(f"  - {_name(folder, document.source_uri)}{going}")
    if len(plan.removed) > len(synced.previews):
        say(f"  What goes with the last {len(plan.removed) - len(synced.previews):,} was not worked out.")
    for document in plan.unchanged:
        if document.failure_reason:
            say(f"  ! {_name(folder, document.source_uri)}: {document.failure_reason}")


def _tell_outcome(synced: Synced) -> None:
    waited = synced.waited
    if waited.jobs:
        nouns = {"documents": "document", "chunks": "chunk", "nodes": "new node", "edges": "edge"}
        say(f"Read: {', '.join(pluralise(waited.count(name), noun) for name, noun in nouns.items())}.")
    tell_set_aside(waited)
    if synced.receipts:
        total = {
            name: sum(receipt[name] for receipt in synced.receipts.values())
            for name in ("chunks", "pruned_edges", "unlinked_edges", "pruned_nodes", "forgotten_nodes")
        }
        say(f"Removed {pluralise(len(synced.receipts), 'document')}: {_in_words(total)}.")


def _in_words(receipt: Mapping[str, Any]) -> str:
    edges = receipt["pruned_edges"]
    parts = [
        pluralise(receipt["chunks"], "chunk"),
        pluralise(edges, "edge"),
        pluralise(receipt["pruned_nodes"], "node"),
    ]
    if unsupported := receipt["unlinked_edges"] - edges:
        parts.append(f"{pluralise(unsupported, 'edge')} left without evidence")
    return ", ".join(parts)


def _name(folder: Folder, address: str) -> str:
    return address.removeprefix(folder.address)
