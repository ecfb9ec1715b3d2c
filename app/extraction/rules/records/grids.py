"""Tables in a text, "a | b" line by line, as records: the first row contains the names of the columns, or the
first column those of the rows.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from app.domain.table_headers import convert_header_to_snake_case
from app.extraction.rules.records.headers import NAMING_KEYS, find_column
from app.extraction.rules.records.lines import MIN_FIELDS, Record, Value, find_name_in_line_above

# Escaped within a cell as "\\|".
_BAR = re.compile(r"(?<!\\)\|")
_HORIZONTAL_RULE = re.compile(r"[\s|:=+-]+")
# A table needs a header and a row; one with more columns than this is not meant for readers.
_MIN_ROWS, _MAX_COLUMNS = 2, 30
_COLUMNS_OF_FIELDS = 2


class _Cell(NamedTuple):
    text: str
    start: int


class _Row(NamedTuple):
    """The cells of a line; `line_start` is its offset in the text, -1 for a header in another chunk."""

    line_start: int
    cells: list[_Cell]


def read_tables_as_records(text: str, header_above: str = "") -> list[Record]:
    """Return the rows of the tables in a text as records, without empty cells; [] without tables.

    A row with more or fewer cells than the header is skipped, because its cells cannot be assigned. A text
    that begins inside a table is read with that table's header, `header_above`. A table of two columns, the
    first of which are keys, is one record about the heading above it; without one it is none.
    """
    if "|" not in text:
        return []
    records: list[Record] = []
    for rows in _find_tables(text, header_above):
        if _are_first_cells_of_two_columns_keys(rows):
            records += _read_fields(text, rows)
            continue
        header, *body = rows
        for line_start, cells in body:
            if len(cells) == len(header.cells):
                values = tuple(
                    Value(
                        label.text,
                        cell.text,
                        cell.start,
                        cell.start + len(cell.text),
                        line_start,
                        None if header.line_start < 0 else label.start,
                    )
                    for label, cell in zip(header.cells, cells, strict=True)
                    if label.text and cell.text
                )
                records.append(Record(None, values, 0))
    return records


def _are_first_cells_of_two_columns_keys(rows: Sequence[_Row]) -> bool:
    """Return whether the first of two columns are keys: "Director | Ann Lee" above "Location | York".

    At least two keys and half of all are headers that state something, and the first value is none: "Name |
    Director" is the header of two columns.
    """
    if any(len(row.cells) != _COLUMNS_OF_FIELDS for row in rows):
        return False
    known_count = sum(_is_known_header(row.cells[0].text) for row in rows)
    return known_count >= max(MIN_FIELDS, len(rows) / 2) and not _is_known_header(rows[0].cells[1].text)


def _is_known_header(header: str) -> bool:
    key = convert_header_to_snake_case(header)
    return key in NAMING_KEYS or find_column(key, None) is not None


def _read_fields(text: str, rows: Sequence[_Row]) -> list[Record]:
    """Return the record of a table of fields; [] if nothing above names it."""
    heading = find_name_in_line_above(text, rows[0].line_start)
    values = tuple(
        Value(label.text, cell.text, cell.start, cell.start + len(cell.text), line_start, label.start)
        for line_start, (label, cell) in rows
        if label.text and cell.text
    )
    return [] if heading is None else [Record(heading, values, 0)]


def _find_tables(text: str, header_above: str) -> Iterator[list[_Row]]:
    """Yield the tables: adjacent lines with a bar between their cells, without the rule below the header."""
    rows: list[_Row] = [_Row(-1, _split_cells(header_above, 0))] if header_above else []
    offset = 0
    for line in [*text.split("\n"), ""]:
        if "|" not in line:
            if len(rows) >= _MIN_ROWS and 1 < len(rows[0].cells) <= _MAX_COLUMNS:
                yield rows
            rows = []
        elif not _HORIZONTAL_RULE.fullmatch(line):
            rows.append(_Row(offset, _split_cells(line, offset)))
        offset += len(line) + 1


def _split_cells(line: str, offset: int) -> list[_Cell]:
    """Return the cells of a line with their offsets in the text; bars at the edges are not separators."""
    cell_texts = _BAR.split(line)
    cell_start = offset
    cells: list[_Cell] = []
    for cell_text in cell_texts:
        cells.append(_Cell(cell_text.strip(), cell_start + len(cell_text) - len(cell_text.lstrip())))
        cell_start += len(cell_text) + 1
    if line.startswith("|"):
        cells = cells[1:]
    has_bars_at_both_edges = line.startswith("|") and not cell_texts[-1].strip()
    return cells[:-1] if has_bars_at_both_edges else cells
