"""The `key: value` lines of a record in the format of app/documents/parsers/records.py."""

import re
from dataclasses import dataclass, replace

from app.domain.table_headers import to_header_key

_LINE = re.compile(r"(?P<path>[^:\n]{1,200}): (?P<value>[^\n]+)")
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
