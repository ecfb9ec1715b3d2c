"""Tables in a text, "a | b" line by line, as records: the first row contains the names of the columns, or the
first column those of the rows.
"""

import re
from collections.abc import Iterator, Sequence

from app.domain.table_headers import to_header_key
from app.extraction.rules.records.headers import NAMING_KEYS, find_column
from app.extraction.rules.records.lines import MIN_FIELDS, Record, Value, find_heading_above

# Escaped within a cell as "\\|".
_BAR = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"[\s|:=+-]+")
# A table needs a header and a row; one with more columns than this is not meant for readers.
_MIN_ROWS, _MAX_COLUMNS = 2, 30
_COLUMNS_OF_FIELDS = 2
_Cell = tuple[str, int]
_Row = tuple[int, list[_Cell]]


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
        if _is_table_of_fields(rows):
            records += _read_fields(text, rows)
            continue
        header, *body = rows
        for line_start, cells in body:
            if len(cells) == len(header[1]):
                values = tuple(
                    Value(
                        name,
                        cell,
                        start,
                        start + len(cell),
                        line_start,
                        None if header[0] < 0 else label_start,
                    )
                    for (name, label_start), (cell, start) in zip(header[1], cells, strict=True)
                    if name and cell
                )
                records.append(Record(None, values, 0))
    return records


def _is_table_of_fields(rows: Sequence[_Row]) -> bool:
    """Return whether the first of two columns are keys: "Director | Ann Lee" above "Location | York".

    At least two keys and half of all are headers that state something, and the first value is none: "Name |
    Director" is the header of two columns.
    """
    if any(len(cells) != _COLUMNS_OF_FIELDS for _, cells in rows):
        return False
    known_count = sum(_is_known(cells[0][0]) for _, cells in rows)
    return known_count >= max(MIN_FIELDS, len(rows) / 2) and not _is_known(rows[0][1][1][0])


def _is_known(header: str) -> bool:
    key = to_header_key(header)
    return key in NAMING_KEYS or find_column(key, None) is not None


def _read_fields(text: str, rows: Sequence[_Row]) -> list[Record]:
    """Return the record of a table of fields; [] if nothing above names it."""
    heading = find_heading_above(text, rows[0][0])
    values = tuple(
        Value(label, value, start, start + len(value), line_start, label_start)
        for line_start, ((label, label_start), (value, start)) in rows
        if label and value
    )
    return [] if heading is None else [Record(heading, values, 0)]


def _find_tables(text: str, header_above: str) -> Iterator[list[_Row]]:
    """Yield the tables: adjacent lines with a bar between their cells, without the rule below the header.

    Each line has its offset in the text, -1 for `header_above`.
    """
    rows: list[_Row] = [(-1, _split_cells(header_above, 0))] if header_above else []
    offset = 0
    for line in [*text.split("\n"), ""]:
        if "|" not in line:
            if len(rows) >= _MIN_ROWS and 1 < len(rows[0][1]) <= _MAX_COLUMNS:
                yield rows
            rows = []
        elif not _RULE.fullmatch(line):
            rows.append((offset, _split_cells(line, offset)))
        offset += len(line) + 1


def _split_cells(line: str, offset: int) -> list[_Cell]:
    """Return the cells of a line with their offsets in the text; bars at the edges are not separators."""
    cell_texts = _BAR.split(line)
    piece_start = offset
    cells: list[_Cell] = []
    for cell_text in cell_texts:
        cells.append((cell_text.strip(), piece_start + len(cell_text) - len(cell_text.lstrip())))
        piece_start += len(cell_text) + 1
    if line.startswith("|"):
        cells = cells[1:]
    is_closed = line.startswith("|") and not cell_texts[-1].strip()
    return cells[:-1] if is_closed else cells
