"""The `key: value` lines of a record as app/documents/parsers/records.py writes it, and those in prose."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from app.documents.sentences import match_field_line
from app.domain.char_range import CharRange
from app.domain.table_headers import convert_header_to_snake_case

_KEY_VALUE_LINE = re.compile(r"(?P<path>[^:\n]{1,200}): (?P<value>[^\n]+)")
_HEADING = re.compile(
    r"(?:#{1,6}[ \t]+)?(?P<whole>(?P<head>[^\n]*?[^\s.!?,;:])(?P<rest>:[ \t][^\n]*[^\s.!?,;:])?)[ \t.!?,;:]*"
)
"""A line above a record: "Incident 12: no power" is about incident 12."""
_LABEL = re.compile(r"[^\W\d_]+(?:[ -](?!\w*[A-Z])[^\W\d_]+)+")
"""Words that name nothing before a colon: "Project status: Meridian rollout"."""
_UNDERLINE = re.compile(r"[ \t]*(?:=+|-+)[ \t]*")
MIN_FIELDS = 2
"""Minimum number of fields of a block; a single one may be prose."""
_SEPARATOR = re.compile(r"\s*[,;]\s+")
_ARRAY_INDEX = re.compile(r"\.\d+(?=\.|$)")


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
        return convert_header_to_snake_case(_ARRAY_INDEX.sub("", self.path).rpartition(".")[2])

    @property
    def object_path(self) -> str:
        """Return the path of the object that contains the value, "" for the record itself."""
        return self.path.rpartition(".")[0]

    def list_entries(self) -> list["Value"]:
        """Return the entries of a list in one value, "Ann Lee, Bob Stone"."""
        list_entries: list[Value] = []
        offset = 0
        for entry_text in _SEPARATOR.split(self.text):
            offset = self.text.index(entry_text, offset)
            if entry_text.strip():
                start = self.start + offset
                list_entries.append(replace(self, text=entry_text, start=start, end=start + len(entry_text)))
            offset += len(entry_text)
        return list_entries


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
    record_end = text.find("\n\n")
    record_end = len(text) if record_end < 0 else record_end
    title: Value | None = None
    values: list[Value] = []
    offset = 0
    while offset < record_end:
        line_end = text.find("\n", offset, record_end)
        line_end = record_end if line_end < 0 else line_end
        match = _KEY_VALUE_LINE.fullmatch(text, offset, line_end)
        if match is not None:
            values.append(Value(match["path"], match["value"], *match.span("value"), offset, offset))
        elif offset == 0 and heading is not None and " ".join(text[:line_end].split()) == heading:
            title = Value("name", text[offset:line_end], offset, line_end, offset, offset)
        offset = line_end + 1
    # A paragraph of prose without a key is not a record.
    return Record(title, tuple(values), record_end if values or title is not None else 0)


def read_field_blocks(text: str, headings: Collection[str]) -> list[Record]:
    """Return each block of `label: value` lines of a text as a record; its title is the line above it.

    Between the lines of a block may be blank ones. The line above is one of the `headings`, or has no final
    mark and is alone in its paragraph or the first of the block's.
    """
    records: list[Record] = []
    heading_range: CharRange | None = None
    values: list[Value] = []
    paragraphs = list(_split_into_paragraphs(text))
    for index, line_ranges in enumerate(paragraphs):
        fields = [_read_field(text, *line_range) for line_range in line_ranges]
        # "Incident 12: no power" has the form of a field.
        is_alone_above = index == 0 and len(line_ranges) == 1 < max(map(len, paragraphs[1:2]), default=0)
        if is_alone_above or " ".join(text[slice(*line_ranges[0])].split()) in headings:
            fields[0] = None
        field_values = [value for value in fields if value is not None]
        ranges_before_fields = line_ranges[: len(line_ranges) - len(field_values)]
        is_block = None not in fields[len(ranges_before_fields) :] and len(ranges_before_fields) <= 1
        if ranges_before_fields or not is_block:
            records += _build_record(text, heading_range, values)
            heading_range = ranges_before_fields[0] if is_block and ranges_before_fields else None
            values = []
        values += field_values if is_block else []
    return records + _build_record(text, heading_range, values)


def _build_record(text: str, heading_range: CharRange | None, values: Sequence[Value]) -> list[Record]:
    if len(values) < MIN_FIELDS:
        return []
    heading = None if heading_range is None else _read_name_above_fields(text, *heading_range)
    return [Record(heading, tuple(values), 0)]


def _split_into_paragraphs(text: str) -> Iterator[list[CharRange]]:
    """Yield the ranges of the lines of each paragraph, without those that only underline a heading."""
    line_ranges: list[CharRange] = []
    line_start = 0
    for line in text.split("\n"):
        if not line.strip():
            if line_ranges:
                yield line_ranges
            line_ranges = []
        elif not _UNDERLINE.fullmatch(line):
            line_ranges.append((line_start, line_start + len(line)))
        line_start += len(line) + 1
    if line_ranges:
        yield line_ranges


def _read_field(text: str, start: int, end: int) -> Value | None:
    field = match_field_line(text, start, end)
    return field and Value(field["label"], field["value"], *field.span("value"), start, field.start("label"))


def find_name_in_line_above(text: str, offset: int) -> Value | None:
    """Return the name in the line above the line at this offset; None if it is part of a longer paragraph."""
    text_before = text[: max(offset, 0)].rstrip()
    line_start = text_before.rfind("\n") + 1
    is_alone = not text_before[:line_start].strip() or text_before[:line_start].endswith("\n\n")
    return _read_name_above_fields(text, line_start, len(text_before)) if text_before and is_alone else None


def _read_name_above_fields(text: str, start: int, end: int) -> Value | None:
    """Return the name in a line above a block of fields; None for a sentence.

    It ends before a colon, unless only a label precedes that.
    """
    heading_match = _HEADING.fullmatch(text, start, end)
    if heading_match is None or (
        heading_match["rest"] is None and heading_match.end("whole") < len(text[:end].rstrip())
    ):
        return None
    group_name = "whole" if _LABEL.fullmatch(heading_match["head"]) else "head"
    return Value("name", heading_match[group_name], *heading_match.span(group_name), start, start)
