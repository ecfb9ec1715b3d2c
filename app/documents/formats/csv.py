"""CSV: every row under the header is one indivisible section."""

import csv
import io

from app.documents.parsers import faults
from app.documents.parsers.assembly import Assembly
from app.documents.parsers.decoding import decode
from app.documents.parsers.file_format import TextFormat
from app.documents.parsers.limits import ParseLimits
from app.documents.parsers.records import add_record, name_cells, name_columns
from app.documents.shapes import ParsedDocument

_DELIMITERS = ",;\t|"


class Csv(TextFormat):
    """A table as text, its columns apart by commas, semicolons, tabs or bars."""

    name = "csv"
    label = "CSV"
    reads = "A chunk for each row, as lines of `column: value` by the names in the first row."
    extensions = ("csv", "tsv")
    media_types = ("text/csv", "text/tab-separated-values")
    is_record = True

    def parse(self, raw: bytes, limits: ParseLimits) -> ParsedDocument:
        """One section for each row under the header row; the delimiter is read off the header."""
        text = decode(raw)
        header_line = text.lstrip("\r\n").partition("\n")[0]
        delimiter = max(_DELIMITERS, key=header_line.count)
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        assembly = Assembly()
        header: list[str] | None = None
        count = 0
        try:
            for row in rows:
                if not any(cell.strip() for cell in row):
                    continue
                if header is None:
                    header = name_columns(row)
                    continue
                count += 1
                if count > limits.rows:
                    raise faults.too_many_rows(limits.rows)
                assembly.set_place(f"row {count + 1}")
                add_record(assembly, name_cells(header, row))
        except csv.Error:
            raise faults.damaged_document(f"The CSV is not valid at line {rows.line_num}.") from None
        return assembly.build()
