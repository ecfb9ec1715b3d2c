"""Tables in a text, "a | b" line by line, as records: the first row contains the names of the columns."""

import re
from collections.abc import Iterator

from app.extraction.rules.records.lines import Record, Value

# Escaped within a cell as "\\|".
_BAR = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"[\s|:=+-]+")
# A table needs a header and a row; one with more columns than this is not meant for readers.
_FEWEST_ROWS, _MOST_COLUMNS = 2, 30
_Cell = tuple[str, int]


def read_tables_as_records(text: str, header_above: str = "") -> list[Record]:
    """Return the rows of the tables in a text as records, without empty cells; [] without tables.

    A row with more or fewer cells than the header is skipped, because its cells cannot be assigned. A text
    that begins inside a table is read with that table's header, `header_above`.
    """
    if "|" not in text:
        return []
    records: list[Record] = []
    for rows in _find_tables(text, header_above):
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


def _find_tables(text: str, header_above: str) -> Iterator[list[tuple[int, list[_Cell]]]]:
    """Yield the tables: adjacent lines with a bar between their cells, without the rule below the header.

    Each line has its offset in the text, -1 for `header_above`.
    """
    rows: list[tuple[int, list[_Cell]]] = [(-1, _split_cells(header_above, 0))] if header_above else []
    offset = 0
    for line in [*text.split("\n"), ""]:
        if "|" not in line:
            if len(rows) >= _FEWEST_ROWS and 1 < len(rows[0][1]) <= _MOST_COLUMNS:
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
