"""Find files on disk and read them as submissions, each with an address that stays the same."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from app.cli.ignore_rules import IgnoreRules
from app.documents.format_detection import (
    detect_format_or_refuse,
    do_bytes_show_only_one_format,
    explain_why_file_is_not_read,
    has_extension,
    may_file_of_name_be_read,
)
from app.documents.parsers.json_reader import load_json_numbers_as_text
from app.documents.shapes import RefusedFile, Submission
from app.documents.unpacking import iter_submission_and_files_inside
from app.domain.address_text import replace_control_characters
from app.errors import CitegraphError, InvalidInput
from app.http.input_text import Address
from app.sandbox.process_sandbox import Sandbox

PASSED_OVER_CODES = frozenset({"hidden", "ignored", "no_file", "symbolic_link", "unknown_format"})
"""Codes of files that are evidently not meant to be ingested; they are listed but are not failures."""

_ADDRESS_ADAPTER: TypeAdapter[str] = TypeAdapter(Address)
_LOCK_PREFIX = "~$"
_CIRCULAR_LINK_REASON = "It is a link that leads back to itself."


@dataclass(frozen=True)
class SkippedFile:
    """A file that was not submitted, and why."""

    path: str
    code: str
    reason: str


@dataclass
class FoundFiles:
    """Files with their addresses, paths that cannot be read, and what was passed over in folders."""

    files: list[tuple[Path, str]] = field(default_factory=list)
    skipped_files: list[SkippedFile] = field(default_factory=list)
    passed_over_files: list[SkippedFile] = field(default_factory=list)


def find_files(
    paths: Iterable[Path], *, exclude_patterns: Sequence[str] = (), read_ignore_files: bool = True
) -> FoundFiles:
    """Find the files at these paths, each once; in folders, those with a known extension or none.

    An address is `file:` and the path relative to the parent of the folder named, so that the same folder has
    the same addresses on another disk or machine. Patterns of `exclude_patterns` and of ignore files apply
    within folders.
    """
    found_files = FoundFiles()
    file_by_address: dict[str, Path] = {}
    for path in paths:
        resolved_path = _resolve_links(path)
        if resolved_path is None:
            found_files.skipped_files.append(
                SkippedFile(replace_unstorable_bytes(str(path)), "unreadable", _CIRCULAR_LINK_REASON)
            )
            continue
        if resolved_path.is_dir():
            paths_below = list(
                _walk_files(
                    resolved_path,
                    found_files,
                    IgnoreRules(resolved_path, exclude_patterns, read_files=read_ignore_files),
                )
            )
            root = resolved_path.parent
        elif resolved_path.is_file():
            paths_below = [resolved_path]
            root = resolved_path.parent.parent
        else:
            reason = (
                "It is not a file or folder."
                if resolved_path.exists()
                else "There is no such file or folder."
            )
            found_files.skipped_files.append(
                SkippedFile(replace_unstorable_bytes(str(path)), "unreadable", reason)
            )
            continue
        for file in paths_below:
            try:
                address = format_file_address(file, root)
            except InvalidInput as error:
                found_files.skipped_files.append(
                    SkippedFile(replace_unstorable_bytes(str(file)), error.code, error.message)
                )
                continue
            if address not in file_by_address:
                file_by_address[address] = file
                found_files.files.append((file, address))
            elif file_by_address[address] != file:
                # Submitting it would replace the first file's document as a newer version.
                reason = f"Another of these files has the address {address} already; ingest it alone."
                found_files.skipped_files.append(
                    SkippedFile(replace_unstorable_bytes(str(file)), "same_address", reason)
                )
    return found_files


def format_file_address(path: Path, root: Path) -> str:
    """Return the address of a path below `root`.

    It is normalised in the same way as addresses sent to the API, so that a file is the same document
    whoever submits it. Raises InvalidInput if it cannot be stored.
    """
    name = replace_control_characters(replace_unstorable_bytes(path.relative_to(root).as_posix()))
    try:
        return _ADDRESS_ADAPTER.validate_python(f"file:{name}")
    except ValidationError as error:
        (fault, *_) = error.errors(include_url=False)
        raise InvalidInput(
            f"Its path cannot be an address: {fault['msg']} Rename it.", code="invalid_address"
        ) from None


def _walk_files(folder: Path, found_files: FoundFiles, rules: IgnoreRules) -> Iterator[Path]:
    """Yield the files below the folder that may be read, sorted; record the others in `found_files`."""

    def record_unreadable(error: OSError) -> None:
        found_files.skipped_files.append(
            SkippedFile(replace_unstorable_bytes(str(error.filename)), "unreadable", f"{error.strerror}.")
        )

    for directory_name, folder_names, file_names in os.walk(folder, onerror=record_unreadable):
        directory = Path(directory_name)
        rules.load_directory_rules(directory)
        entered_folders = []
        for name in sorted(folder_names):
            refusal = _find_skip_reason(directory / name, folder, rules, is_directory=True)
            if refusal is None:
                entered_folders.append(name)
            else:
                found_files.passed_over_files.append(refusal)
        folder_names[:] = entered_folders
        for name in sorted(file_names):
            path = directory / name
            refusal = _find_skip_reason(path, folder, rules, is_directory=False)
            if refusal is None:
                yield path
            else:
                found_files.passed_over_files.append(refusal)


def _find_skip_reason(
    path: Path, folder: Path, rules: IgnoreRules, *, is_directory: bool
) -> SkippedFile | None:
    """Return why a path below the folder is passed over, or None if it is read or entered."""
    if path.name.startswith("."):
        refusal = "hidden", "Its name begins with a dot."
    elif path.name.startswith(_LOCK_PREFIX):
        refusal = "hidden", "It marks a document that an office program has open."
    elif rules.is_ignored(path, is_directory=is_directory):
        refusal = "ignored", "An ignore rule matches it."
    elif path.is_symlink() and is_directory:
        refusal = "symbolic_link", "Links to folders are not followed."
    elif path.is_symlink() and (target := _resolve_links(path)) is None:
        refusal = "symbolic_link", _CIRCULAR_LINK_REASON
    elif path.is_symlink() and target is not None and not target.is_relative_to(folder):
        refusal = "symbolic_link", "It is a link out of the folder."
    elif is_directory:
        return None
    elif not path.is_file():
        refusal = "no_file", "It is not a regular file."
    elif not may_file_of_name_be_read(path.name) and not _holds_known_format(path):
        refusal = "unknown_format", explain_why_file_is_not_read(path.name)
    else:
        return None
    return SkippedFile(replace_unstorable_bytes(str(path)), *refusal)


def _holds_known_format(path: Path) -> bool:
    """Return whether the content identifies a known format, whatever the name (a web page named .xls)."""
    try:
        with path.open("rb") as file:
            return do_bytes_show_only_one_format(file)
    except OSError:
        return False


def _resolve_links(path: Path) -> Path | None:
    """Return the path with links resolved, or None if they lead in a circle."""
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        return None


def read_file(path: Path, address: str, *, max_bytes: int) -> Submission | SkippedFile:
    """Read a file as a submission, or return why it cannot be submitted."""
    try:
        # One byte over the limit is enough to refuse a file, however large it is.
        with path.open("rb") as file:
            file_bytes = file.read(max_bytes + 1)
        format = detect_format_or_refuse(path.name, None, file_bytes, max_bytes=max_bytes)
    except OSError as error:
        return SkippedFile(replace_unstorable_bytes(str(path)), "unreadable", f"{error.strerror}.")
    except CitegraphError as error:
        # A file without an extension was never known to be a document: pass it over.
        code = error.code if has_extension(path.name) else "unknown_format"
        return SkippedFile(replace_unstorable_bytes(str(path)), code, error.message)
    # With an empty title, the title in the document is used, else the file name.
    return Submission(file_bytes, format, "", source_uri=address)


@dataclass(frozen=True)
class FileReader:
    """Reads files as documents, including those inside archives and mails."""

    max_bytes: int
    sandbox: Callable[[], Sandbox]

    def read(self, path: Path, address: str) -> Iterator[Submission | SkippedFile]:
        """Yield the documents of a file, and a SkippedFile for each file inside it that cannot be read."""
        submission = read_file(path, address, max_bytes=self.max_bytes)
        if isinstance(submission, SkippedFile):
            yield submission
            return
        try:
            for unpacked_file in iter_submission_and_files_inside(
                submission, self.sandbox, max_bytes=self.max_bytes
            ):
                if isinstance(unpacked_file, RefusedFile):
                    yield SkippedFile(
                        replace_unstorable_bytes(f"{path}/{unpacked_file.name}"),
                        unpacked_file.code,
                        unpacked_file.reason,
                    )
                else:
                    yield unpacked_file
        except CitegraphError as error:
            yield SkippedFile(replace_unstorable_bytes(str(path)), error.code, error.message)


def read_extractions(path: Path, address: str, *, max_bytes: int) -> Iterator[Submission | SkippedFile]:
    """Yield one document for each line of a file of extractions (docs/importing.md).

    The address of a line is its own `source_uri`, else the file's address and the line number.
    """
    try:
        with path.open("rb") as file:
            for line_number, line in enumerate(iter(lambda: file.readline(max_bytes + 1), b""), start=1):
                if line.strip():
                    yield _parse_extraction(path, f"{address}#{line_number}", line, max_bytes)
    except OSError as error:
        yield SkippedFile(replace_unstorable_bytes(str(path)), "unreadable", f"{error.strerror}.")


def _parse_extraction(path: Path, address: str, line: bytes, max_bytes: int) -> Submission | SkippedFile:
    try:
        detect_format_or_refuse("line.json", None, line, max_bytes=max_bytes)
        extraction = load_json_numbers_as_text(line.decode())
    except UnicodeDecodeError:
        return SkippedFile(
            replace_unstorable_bytes(str(path)), "unsupported_format", f"{address} is not UTF-8."
        )
    except CitegraphError as error:
        return SkippedFile(replace_unstorable_bytes(str(path)), error.code, f"{address}: {error.message}")
    source_uri = extraction.get("source_uri") if isinstance(extraction, dict) else None
    return Submission(
        line, "extraction", "", source_uri=source_uri if isinstance(source_uri, str) else address
    )


def replace_unstorable_bytes(name: str) -> str:
    """Return the name as text that can be stored and printed; invalid bytes become replacement characters."""
    return os.fsencode(name).decode(errors="replace")
