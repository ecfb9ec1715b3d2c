"""CSV: each row below the header is one indivisible section."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from app.documents.parsers import parse_errors
from app.documents.parsers.assembly import Assembly
from app.documents.parsers.decoding import decode_with_detected_encoding
from app.documents.parsers.file_format import TextFormat
from app.documents.parsers.limits import ParseLimits
from app.documents.parsers.records import NumberedRow, SheetRecords
from app.documents.shapes import ParsedDocument

_DELIMITERS = ",;\t|"
# A line that Excel writes above the header to declare the delimiter.
_DELIMITER_DIRECTIVE = re.compile(r"sep=(.)\s*[\r\n]+", re.IGNORECASE)
_SAMPLE_CHARACTERS, _SAMPLE_ROWS = 65_536, 20


class Csv(TextFormat):
    """A table as text with columns separated by commas, semicolons, tabs or bars."""

    name = "csv"
    label = "CSV"
    description = (
        "A chunk for each row, as lines of `column: value` by the names in the first row below the titles;"
        " citations name the row."
    )
    extensions = ("csv", "tsv")
    media_types = ("text/csv", "text/tab-separated-values")
    is_record = True

    def parse(self, file_bytes: bytes, limits: ParseLimits) -> ParsedDocument:
        """Return one section for each row below the header; the delimiter is detected from the first rows."""
        text = decode_with_detected_encoding(file_bytes)
        # The csv module's default field limit is far below the longest allowed text.
        csv.field_size_limit(max(csv.field_size_limit(), len(text)))
        directive = _DELIMITER_DIRECTIVE.match(text)
        if directive is not None:
            text = text[directive.end() :]
        rows = csv.reader(
            io.StringIO(text, newline=""), delimiter=directive[1] if directive else _find_delimiter(text)
        )
        assembly = Assembly()
        try:
            SheetRecords(assembly, limits).add_rows("", _number_rows(rows))
        except csv.Error:
            raise parse_errors.build_damaged_document_error(
                f"The CSV is not valid at line {rows.line_num}", "correct it"
            ) from None
        return assembly.build()


def _number_rows(rows: Iterator[list[str]]) -> Iterator[NumberedRow]:
    """Yield the number and values of each row; empty rows count, as in spreadsheet programs."""
    for number, row in enumerate(rows, start=1):
        yield number, [cell.strip() for cell in row]


def _find_delimiter(text: str) -> str:
    """Return the delimiter with which most of the first rows have the same number of cells, preferring more.

    Quoted text does not matter, since the rows are parsed with each delimiter.
    """
    return max(
        _DELIMITERS, key=lambda delimiter: _find_most_common_width(text[:_SAMPLE_CHARACTERS], delimiter)
    )


class _CommonWidth(NamedTuple):
    """How many rows have this number of cells; the more rows, the better, then the more cells."""

    row_count: int
    cell_count: int


def _find_most_common_width(sample: str, delimiter: str) -> _CommonWidth:
    """Return the most common number of cells of the rows with several."""
    rows = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
    try:
        row_count_by_width = Counter(len(row) for row in islice(rows, _SAMPLE_ROWS) if len(row) > 1)
    except csv.Error:
        return _CommonWidth(0, 0)
    return max(
        (_CommonWidth(row_count, width) for width, row_count in row_count_by_width.items()),
        default=_CommonWidth(0, 0),
    )
