"""The base class of file formats: recognising, checking and parsing files.

A format is one subclass in one file of `app/documents/formats/`; `format_registry` finds it, and everything
that lists formats asks the registry.
"""

import importlib
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from app.documents.parsers import archive, parse_errors
from app.documents.parsers.assembly import is_blank
from app.documents.parsers.decoding import detect_unicode_encoding
from app.documents.parsers.json_reader import refuse_escapes_that_cannot_be_stored
from app.documents.parsers.limits import ParseLimits
from app.documents.shapes import ParsedDocument
from app.errors import UnsupportedFormat

# Binaries contain many control characters; prose contains none.
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_SAMPLE_BYTES = 8_192
_MIN_BINARY_SHARE = 0.02
_NOT_TEXT_STARTS = (b"{\\rtf", b"\x7fELF", b"%!PS-Adobe")


@dataclass(frozen=True)
class FileContent:
    """The bytes of a file, and the format declared by its name or media type."""

    raw: bytes
    declared_format: str | None = None

    @cached_property
    def entries(self) -> frozenset[str]:
        """The names in a ZIP container; empty if the bytes are not one.

        Raises InvalidInput `damaged_document` if its directory cannot be read.
        """
        return archive.list_entry_names(self.raw) if archive.is_zip(self.raw) else frozenset()


class FileFormat(ABC):
    """A file format. Instances have no state: everything that varies between formats is in the class."""

    name: ClassVar[str]
    """Its name in the API, in exports and in the database."""
    label: ClassVar[str]
    """Its display name."""
    description: ClassVar[str]
    """One sentence for the documentation: what becomes text, and how it is divided."""
    extensions: ClassVar[tuple[str, ...]] = ()
    media_types: ClassVar[tuple[str, ...]] = ()
    sent_as: ClassVar[str] = ""
    """The media type for documents whose format the caller declares, if `media_types` is empty."""
    seconds: ClassVar[int] = 15
    """Maximum processor time for reading one document."""
    is_record: ClassVar[bool] = False
    """Whether its sections are records of fields, such as table rows."""
    holds_files: ClassVar[bool] = False
    """Whether a file may contain other files, which become separate documents."""
    is_container: ClassVar[bool] = False
    """Whether a file has no text of its own besides the files in it."""
    libraries: ClassVar[tuple[str, ...]] = ()
    """Modules needed for reading, imported before a process limits its resources."""

    @property
    def media_type(self) -> str:
        """The media type for files of this format."""
        return self.sent_as or self.media_types[0]

    def import_libraries(self) -> None:
        """Import the modules needed for reading."""
        for library in self.libraries:
            importlib.import_module(library)

    def recognizes(self, content: FileContent) -> bool:  # noqa: ARG002
        """Return whether the bytes can only be of this format, whatever the file's name."""
        return False

    @abstractmethod
    def check(self, content: FileContent) -> None:
        """Refuse hopeless files without parsing. Raises UnsupportedFormat, InvalidInput."""

    @abstractmethod
    def parse(self, file_bytes: bytes, limits: ParseLimits) -> ParsedDocument:
        """Return the file as plain text with sections. Raises InvalidInput with a code of `parse_errors`."""

    def iter_inner_files(
        self,
        file_bytes: bytes,  # noqa: ARG002
        budget: archive.InnerBudget,  # noqa: ARG002
    ) -> Iterator[archive.InnerFile]:
        """Yield each file inside; most formats contain none.

        Raises InvalidInput if the whole file is refused.
        """
        return iter(())


class TextFormat(FileFormat):
    """A format whose files are human-readable text."""

    libraries: ClassVar[tuple[str, ...]] = ("chardet",)

    def check(self, content: FileContent) -> None:
        """Refuse binary data, NUL characters and blank files."""
        file_bytes = content.raw
        sample = file_bytes[:_SAMPLE_BYTES]
        if archive.is_zip(file_bytes):
            raise UnsupportedFormat(
                "The file is named as text, but its content is an archive: give it its extension."
            )
        if file_bytes.startswith(_NOT_TEXT_STARTS):
            raise UnsupportedFormat(
                "The file is named as text, but its content is of another format: give it its extension."
            )
        unicode_encoding = detect_unicode_encoding(file_bytes)
        if unicode_encoding is None and len(_CONTROL.findall(sample)) > _MIN_BINARY_SHARE * len(sample):
            raise UnsupportedFormat(
                "The file is named as text, but its content is binary: give it the extension of its format."
            )
        try:
            text = file_bytes.decode(unicode_encoding or "utf-8")
        except UnicodeDecodeError:
            if unicode_encoding is not None:
                raise UnsupportedFormat(
                    f"The file begins as {unicode_encoding}, but its content is not: save it again as UTF-8."
                ) from None
            # Guessing the encoding takes time, so it is left to the child process.
            return
        if "\x00" in text:
            raise parse_errors.build_invalid_character_error("a NUL character")
        if is_blank(text):
            raise parse_errors.build_empty_document_error()


class JsonFormat(TextFormat):
    """A format whose files are JSON or JSON lines."""

    def check(self, content: FileContent) -> None:
        """Refuse binary data, and escapes of characters that are not allowed in text."""
        super().check(content)
        refuse_escapes_that_cannot_be_stored(content.raw)


class ZipFormat(FileFormat):
    """A format whose files are ZIP containers with a certain entry."""

    main_part: ClassVar[str]
    seconds = 60

    def recognizes(self, content: FileContent) -> bool:
        """Return whether the container has the format's main entry."""
        return self.main_part in content.entries

    def check(self, content: FileContent) -> None:
        """Refuse other files, and containers without the format's main entry."""
        if not archive.is_zip(content.raw):
            raise parse_errors.build_misnamed_file_error(self.label)
        archive.check_directory_and_list_names(content.raw)
        if self.main_part not in content.entries:
            raise parse_errors.build_damaged_document_error(
                f"The {self.label} document has no {self.main_part}"
            )
