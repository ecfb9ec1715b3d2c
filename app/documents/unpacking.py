"""Unpack files inside files: entries of archives and attachments of mails become separate documents.

Untrusted bytes are unpacked in a child process with limits. API and command line call this on submission, so
that the rest of the application never sees nested files.
"""

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from app.documents.format_detection import (
    detect_format_or_refuse,
    do_bytes_show_only_one_format,
    explain_why_file_is_not_read,
    has_extension,
    may_file_of_name_be_read,
)
from app.documents.format_registry import FORMATS
from app.documents.isolated_parsing import build_error_of_child_fault
from app.documents.parsers import archive, parse_errors
from app.documents.parsers.assembly import collapse_whitespace, remove_characters_refused_in_texts
from app.documents.shapes import InnerFile, RefusedFile, Submission, UnpackedFile
from app.domain.address_text import INVISIBLE_CHARACTERS, replace_control_characters
from app.errors import CitegraphError
from app.limits import ADDRESS_BYTES, ARCHIVE_DEPTH
from app.sandbox.process_sandbox import Sandbox
from app.sandbox.shapes import Fault

_MAX_SHOWN_CHARACTERS = 100
MAX_UNPACKING_SECONDS = 60
"""Maximum processor time for unpacking one file."""


@dataclass(frozen=True)
class PackedFile:
    """A file that may contain others: its bytes, its format, and the maximum size of a document."""

    raw: bytes
    format: str
    max_bytes: int


@dataclass
class _Unpacking:
    """The state of unpacking one file: results so far and the remaining budget."""

    max_bytes: int
    budget: archive.InnerBudget = field(default_factory=archive.InnerBudget)
    files: list[InnerFile] = field(default_factory=list)
    refused_files: list[RefusedFile] = field(default_factory=list)
    paths: set[str] = field(default_factory=set)

    def add_container(self, format: str, file_bytes: bytes, prefix: str, depth: int) -> None:
        """Add the files in a container of this format; `prefix` is its own path.

        Raises InvalidInput if a container without text of its own is refused. A mail is then read
        without its attachments.
        """
        if depth > ARCHIVE_DEPTH.maximum:
            self._record_refused_file(
                prefix.rstrip("/"), parse_errors.build_archive_too_deep_error(ARCHIVE_DEPTH.maximum)
            )
            return
        file_count, refused_count, earlier_paths = len(self.files), len(self.refused_files), set(self.paths)
        try:
            with self.budget.subtract_file_on_error():
                for entry_name, inner_file in FORMATS[format].iter_inner_files(file_bytes, self.budget):
                    self._add_entry(prefix, _clean_path(entry_name), inner_file, depth)
        except CitegraphError as error:
            del self.files[file_count:], self.refused_files[refused_count:]
            self.paths = earlier_paths
            if (
                FORMATS[format].is_container
                or error.code != archive.ARCHIVE_BOMB
                or self.budget.is_too_much_unpacked
            ):
                raise
            self.refused_files.append(RefusedFile(f"{prefix}attachments", error.code, error.message))

    def _add_entry(self, prefix: str, name: str, inner_file: bytes | CitegraphError, depth: int) -> None:
        path = f"{prefix}{name}"
        if isinstance(inner_file, CitegraphError):
            self._record_refused_file(path, inner_file)
        elif path in self.paths:
            self._record_refused_file(path, parse_errors.build_duplicate_entry_error())
        elif any(path_part.startswith(".") for path_part in name.split("/")) or name.startswith("__MACOSX/"):
            self.refused_files.append(RefusedFile(path, "hidden", "Its name begins with a dot."))
        elif not may_file_of_name_be_read(name) and not do_bytes_show_only_one_format(io.BytesIO(inner_file)):
            self.refused_files.append(RefusedFile(path, "unknown_format", explain_why_file_is_not_read(name)))
        else:
            self.paths.add(path)
            self._add_file(path, inner_file, depth)

    def _add_file(self, path: str, file_bytes: bytes, depth: int) -> None:
        try:
            format = detect_format_or_refuse(path, None, file_bytes, max_bytes=self.max_bytes)
            if not FORMATS[format].is_container:
                self.files.append(InnerFile(path, file_bytes, format))
            if FORMATS[format].holds_files:
                self.add_container(format, file_bytes, f"{path}/", depth + 1)
        except RecursionError:
            self._record_refused_file(path, parse_errors.build_recursion_error())
        except CitegraphError as error:
            if self.budget.is_too_much_unpacked:
                raise
            self._record_refused_file(path, error)

    def _record_refused_file(self, name: str, error: CitegraphError) -> None:
        code = error.code if has_extension(name) else "unknown_format"
        self.refused_files.append(RefusedFile(name, code, error.message))


def _clean_path(name: str) -> str:
    """Return the path of an inner file as addresses are written, which also removes its `.` parts."""
    cleaned_name = collapse_whitespace(
        remove_characters_refused_in_texts(INVISIBLE_CHARACTERS.sub("", replace_control_characters(name)))
    )
    return "/".join(path_part for path_part in cleaned_name.split("/") if path_part not in ("", "."))


def unpack_container_in_child_process(_common: None, packed_file: PackedFile) -> UnpackedFile:
    """Return the files inside, in the child. Raises InvalidInput for a container refused as a whole."""
    unpacker = _Unpacking(packed_file.max_bytes)
    try:
        unpacker.add_container(packed_file.format, packed_file.raw, "", 1)
    except RecursionError:
        raise parse_errors.build_recursion_error() from None
    if FORMATS[packed_file.format].is_container and not unpacker.files and not unpacker.refused_files:
        raise parse_errors.build_empty_document_error()
    return UnpackedFile(tuple(unpacker.files), tuple(unpacker.refused_files))


def iter_submission_and_files_inside(
    submission: Submission, sandbox: Callable[[], Sandbox], *, max_bytes: int
) -> Iterator[Submission | RefusedFile]:
    """Yield the document itself, unless it is only a container, then the documents inside.

    Their addresses extend its own: `file:papers/a.zip/inner.txt`. Raises InvalidInput for a file refused as a
    whole.
    """
    format = FORMATS[submission.format]
    if not format.is_container:
        yield submission
    if not format.holds_files:
        return
    with sandbox().open_session() as session:
        task = (PackedFile(submission.raw, submission.format, max_bytes), MAX_UNPACKING_SECONDS)
        (unpacked_file,) = session.map(unpack_container_in_child_process, None, [task])
    if isinstance(unpacked_file, Fault):
        raise build_error_of_child_fault(unpacked_file, MAX_UNPACKING_SECONDS)
    for inner_file in unpacked_file.files:
        address = submission.source_uri and f"{submission.source_uri}/{inner_file.name}"
        if len((address or inner_file.name).encode()) > ADDRESS_BYTES.maximum:
            shown_name = f"{inner_file.name[:_MAX_SHOWN_CHARACTERS]}…"
            reason = f"Its path is over {ADDRESS_BYTES.maximum:,} bytes: shorten it."
            yield RefusedFile(shown_name, "invalid_address", reason)
            continue
        yield replace(
            submission,
            raw=inner_file.raw,
            format=inner_file.format,
            title="" if address else inner_file.name.rpartition("/")[2],
            source_uri=address,
            language=None,
        )
    yield from unpacked_file.refused_files
