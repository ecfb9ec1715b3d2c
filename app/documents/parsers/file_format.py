"""A format of files: how its bytes are known, what they may hold, and how they are read.

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

from app.documents.parsers import archive, faults
from app.documents.parsers.assembly import is_blank
from app.documents.parsers.decoding import mark_of
from app.documents.parsers.json_reader import check_escapes
from app.documents.parsers.limits import ParseLimits
from app.documents.shapes import ParsedDocument
from app.errors import CitegraphError, UnsupportedFormat

# Text in two-byte units and binaries are full of control characters; prose holds none.
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_SAMPLE_BYTES = 8_192
_BINARY_SHARE = 0.02
_NOT_TEXT_STARTS = (b"{\\rtf", b"\x7fELF", b"%!PS-Adobe")


@dataclass(frozen=True)
class FileContent:
    """The bytes of a file, and the format that its name or media type declares."""

    raw: bytes
    declared: str | None = None

    @cached_property
    def entries(self) -> frozenset[str]:
        """The names in a zip container; none where the bytes are no container.

        Raises InvalidInput `damaged_document` where its directory cannot be read.
        """
        return archive.list_names(self.raw) if archive.is_zip(self.raw) else frozenset()


class FileFormat(ABC):
    """A format of files. An instance holds nothing: all that varies between formats stands in its class."""

    name: ClassVar[str]
    """Its name in the API, in exports and in the database."""
    label: ClassVar[str]
    """Its name for people."""
    reads: ClassVar[str]
    """One sentence of the documentation: what of a file becomes text, and how it is cut."""
    extensions: ClassVar[tuple[str, ...]] = ()
    media_types: ClassVar[tuple[str, ...]] = ()
    sent_as: ClassVar[str] = ""
    """The media type of a document whose format the caller says, where `media_types` has none."""
    seconds: ClassVar[int] = 15
    """Processor time that reading one document may take at most."""
    is_record: ClassVar[bool] = False
    """Say whether its sections are records of fields: tables."""
    holds_files: ClassVar[bool] = False
    """Say whether a file may hold others, which are documents of their own."""
    is_container: ClassVar[bool] = False
    """Say whether a file is nothing but those that it holds."""
    libraries: ClassVar[tuple[str, ...]] = ()
    """The modules that reading needs, imported before a process limits itself."""

    @property
    def media_type(self) -> str:
        """The media type that says this format."""
        return self.sent_as or self.media_types[0]

    def import_libraries(self) -> None:
        """Import what reading needs."""
        for library in self.libraries:
            importlib.import_module(library)

    def recognizes(self, content: FileContent) -> bool:  # noqa: ARG002
        """Return whether the bytes can be of this format only, whatever the file is called."""
        return False

    @abstractmethod
    def check(self, content: FileContent) -> None:
        """Refuse at the door what is hopeless: cheap, no parsing. Raises UnsupportedFormat, InvalidInput."""

    @abstractmethod
    def parse(self, raw: bytes, limits: ParseLimits) -> ParsedDocument:
        """The file as plain text with sections. Raises InvalidInput with a code of `faults`."""

    def iter_inner_files(
        self,
        raw: bytes,  # noqa: ARG002
        budget: archive.InnerBudget,  # noqa: ARG002
    ) -> Iterator[tuple[str, bytes | CitegraphError]]:
        """Yield name and bytes of each file inside, or why it is refused; of most formats none.

        Raises InvalidInput where the whole is refused.
        """
        return iter(())


class TextFormat(FileFormat):
    """A format whose files are text that a person could read."""

    libraries: ClassVar[tuple[str, ...]] = ("charset_normalizer",)

    def check(self, content: FileContent) -> None:
        """Refuse binary data, a NUL, and what is blank."""
        raw = content.raw
        sample = raw[:_SAMPLE_BYTES]
        if archive.is_zip(raw):
            raise UnsupportedFormat("The document is called text and its bytes are an archive.")
        if raw.startswith(_NOT_TEXT_STARTS):
            raise UnsupportedFormat("The document is called text and its bytes are another format.")
        marked_encoding = mark_of(raw)
        if marked_encoding is None and len(_CONTROL.findall(sample)) > _BINARY_SHARE * len(sample):
            raise UnsupportedFormat(
                "The document is called text and its bytes are binary: give it the extension of its format."
            )
        try:
            text = raw.decode(marked_encoding or "utf-8")
        except UnicodeDecodeError:
            if marked_encoding is not None:
                raise UnsupportedFormat(
                    f"The document's mark says {marked_encoding} and its bytes are not."
                ) from None
            # In which encoding it is takes time to find out: the child does.
            return
        if "\x00" in text:
            raise faults.invalid_character("a NUL character")
        if is_blank(text):
            raise faults.empty_document()


class JsonFormat(TextFormat):
    """A format whose files are JSON, in one piece or in lines."""

    def check(self, content: FileContent) -> None:
        """Refuse what is no text, and escaped characters that no text may hold."""
        super().check(content)
        check_escapes(content.raw)


class ZipFormat(FileFormat):
    """A format whose files are zip containers that hold one certain entry."""

    main_part: ClassVar[str]
    seconds = 60

    def recognizes(self, content: FileContent) -> bool:
        """Return whether the container holds the entry that makes it this format."""
        return self.main_part in content.entries

    def check(self, content: FileContent) -> None:
        """Refuse what is no container, and one without the entry that makes it this format."""
        if not archive.is_zip(content.raw):
            raise UnsupportedFormat(f"The document is called {self.label} and its bytes are not one.")
        archive.check_directory(content.raw)
        if self.main_part not in content.entries:
            raise faults.damaged_document(f"The {self.label} document has no {self.main_part}.")
