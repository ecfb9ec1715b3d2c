"""CSV that a spreadsheet may open: no cell begins what would be read as a formula."""

import csv
import io
from collections.abc import Iterable
from decimal import Decimal

# What OWASP lists under "CSV injection". Programs that open the file may leave out spaces before it.
_FORMULAS = tuple("=+-@＝＋－＠")
_CONTROLS = ("\t", "\r", "\n")


def escape_formula(value: object) -> str:
    """Return the value as text. An apostrophe is put before text that a spreadsheet would run as a formula,
    but not before numbers.
    """
    cell = "" if value is None else str(value)
    runs = cell.startswith(_CONTROLS) or cell.lstrip().startswith(_FORMULAS)
    is_number = isinstance(value, int | float | Decimal)
    return f"'{cell}" if runs and not is_number else cell


def format_csv_lines(rows: Iterable[Iterable[object]]) -> str:
    """Return a line for each row, ended as RFC 4180 has it."""
    buffer = io.StringIO(newline="")
    lines = csv.writer(buffer, lineterminator="\r\n")
    lines.writerows([escape_formula(cell) for cell in row] for row in rows)
    return buffer.getvalue()
