"""The `key: value` lines of a record as app/documents/parsers/records.py writes it, and those in prose."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from app.documents.sentences import is_field_block
from app.domain.table_headers import to_header_key

_LINE = re.compile(r"(?P<path>[^:\n]{1,200}): (?P<value>[^\n]+)")
_FIELD = re.compile(r"(?:[-*+•‣▪–—][ \t]+)?(?P<path>[^:\n]{1,60}):[ \t]+(?P<value>[^\n]+)")
_HEADING = re.compile(r"(?:#{1,6}[ \t]+)?(?P<name>[^\n]*?[^\s.!?,;:])(?::[ \t][^\n]*)?[ \t]*")
"""A line above a record: "Incident 12: no power" is about incident 12."""
_SEPARATOR = re.compile(r"\s*[,;]\s+")
_NUMBERED = re.compile(r"\.\d+(?=\.|$)")


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a record, `text[start:end]`; `path` is its key with the enclosing keys, joined by dots.

    The path is written at `label_start`; None if that is in another chunk.
    """

    path: str
    text: str
    start: int
    end: int
    line_start: int
    label_start: int | None

    @property
    def header(self) -> str:
        """Return the last key of the path in snake case, without an array index."""
        return to_header_key(_NUMBERED.sub("", self.path).rpartition(".")[2])

    @property
    def group(self) -> str:
        """Return the path of the object that contains the value, "" for the record itself."""
        return self.path.rpartition(".")[0]

    def parts(self) -> list["Value"]:
        """Return the entries of a list in one value, "Ann Lee, Bob Stone"."""
        parts: list[Value] = []
        offset = 0
        for piece in _SEPARATOR.split(self.text):
            offset = self.text.index(piece, offset)
            if piece.strip():
                start = self.start + offset
                parts.append(replace(self, text=piece, start=start, end=start + len(piece)))
            offset += len(piece)
        return parts


@dataclass(frozen=True, slots=True)
class Record:
    """A record's lines; `title` is its first line if that is not `key: value`, `end` the offset at which
    prose begins.
    """

    title: Value | None
    values: tuple[Value, ...]
    end: int


def read_record(text: str, heading: str | None = None) -> Record:
    """Return the title and the values of a record: all lines before the first blank one; `heading` is its
    title.
    """
    end = text.find("\n\n")
    end = len(text) if end < 0 else end
    title: Value | None = None
    values: list[Value] = []
    offset = 0
    while offset < end:
        line_end = text.find("\n", offset, end)
        line_end = end if line_end < 0 else line_end
        match = _LINE.fullmatch(text, offset, line_end)
        if match is not None:
            values.append(Value(match["path"], match["value"], *match.span("value"), offset, offset))
        elif offset == 0 and heading is not None and " ".join(text[:line_end].split()) == heading:
            title = Value("name", text[offset:line_end], offset, line_end, offset, offset)
        offset = line_end + 1
    # A paragraph of prose without a key is not a record.
    return Record(title, tuple(values), end if values or title is not None else 0)


def read_field_blocks(text: str) -> list[Record]:
    """Return each paragraph of `label: value` lines of a text as a record, named by the line above it.

    The line above is a heading of one line without a final mark; without one a label has to name the record.
    """
    records: list[Record] = []
    line_above: Value | None = None
    offset = 0
    for paragraph in text.split("\n\n"):
        lines = paragraph.strip("\n")
        start = text.index(lines, offset)
        if is_field_block(lines):
            records.append(Record(line_above, tuple(_read_fields(text, start, start + len(lines))), 0))
            line_above = None
        elif lines:
            heading = _HEADING.fullmatch(lines)
            line_above = None
            if heading is not None:
                first, last = (start + position for position in heading.span("name"))
                line_above = Value("name", heading["name"], first, last, start, start)
        offset = start + len(lines)
    return records


def _read_fields(text: str, start: int, end: int) -> Iterator[Value]:
    """Yield the values of the lines of a block."""
    while start < end:
        line_end = text.find("\n", start, end)
        line_end = end if line_end < 0 else line_end
        field = _FIELD.fullmatch(text, start, line_end)
        if field is not None:
            yield Value(field["path"], field["value"], *field.span("value"), start, field.start("path"))
        start = line_end + 1
