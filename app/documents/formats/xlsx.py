"""XLSX: every row of every sheet is a record under the sheet's header."""

import io
from datetime import datetime
from datetime import time as day_time
from typing import TYPE_CHECKING, Any

from app.documents.parsers import faults
from app.documents.parsers.assembly import Assembly, scrub
from app.documents.parsers.file_format import ZipFormat
from app.documents.parsers.limits import ParseLimits
from app.documents.parsers.office import read_container
from app.documents.parsers.records import add_record, fields_of, header_of
from app.documents.shapes import ParsedDocument
from app.lazy import LazyModule

if TYPE_CHECKING:
    import openpyxl
else:
    openpyxl = LazyModule("openpyxl")


class Xlsx(ZipFormat):
    """A workbook of Excel."""

    name = "xlsx"
    label = "XLSX"
    reads = "A chunk for each row, as lines of `column: value`; citations name sheet and row."
    extensions = ("xlsx", "xlsm", "xltx", "xltm")
    media_types = (
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.template",
        "application/vnd.ms-excel.sheet.macroenabled.12",
        "application/vnd.ms-excel.template.macroenabled.12",
    )
    libraries = ("openpyxl",)
    is_record = True
    main_part = "xl/workbook.xml"

    def parse(self, raw: bytes, limits: ParseLimits) -> ParsedDocument:
        """The rows of all sheets. Macros are not looked at, and nothing is calculated."""
        return read_container(raw, self.label, lambda checked_raw: _read(checked_raw, limits))


def _read(raw: bytes, limits: ParseLimits) -> ParsedDocument:
    workbook = openpyxl.load_workbook(io.BytesIO(raw), read_only=True, data_only=True, keep_links=False)
    assembly = Assembly()
    count = 0
    for sheet in workbook.worksheets:
        # What a sheet says of its size may be a billion cells: rows are as long as their cells.
        sheet.reset_dimensions()
        header: list[str] | None = None
        before = count
        for number, cells in enumerate(sheet.iter_rows(values_only=True), start=1):
            values = [_written(value) for value in cells]
            if not any(values):
                continue
            if header is None:
                header = header_of(values)
                heading_row = number
                continue
            count += 1
            if count > limits.rows:
                raise faults.too_many_rows(limits.rows)
            assembly.place(f"sheet {sheet.title}, row {number}")
            add_record(assembly, fields_of(header, values))
        if header is not None and count == before:
            # A sheet of one row has no records under it: the row is what it says.
            assembly.place(f"sheet {sheet.title}, row {heading_row}")
            assembly.block(" | ".join(name for name in header if not name.startswith("column ")))
    title = scrub(workbook.properties.title or "")
    return assembly.build(title=title or None)


def _written(value: Any) -> str:
    """The cell as a person reads it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == day_time() else value.isoformat(" ")
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return scrub(str(value)).strip()
