"""CSV that a spreadsheet may open: no cell begins what would be read as a formula."""

import csv
import io
from collections.abc import Iterable
from decimal import Decimal

_FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n")


def formula_safe_cell(value: object) -> str:
    """The value as text; what a spreadsheet would run as a formula gets an apostrophe before it, a number
    does not.
    """
    cell = "" if value is None else str(value)
    runs = cell.startswith(_FORMULAS) and not isinstance(value, int | float | Decimal)
    return f"'{cell}" if runs else cell


def csv_lines(rows: Iterable[Iterable[object]]) -> str:
    """A line for each row, ended as RFC 4180 has it."""
    buffer = io.StringIO(newline="")
    lines = csv.writer(buffer, lineterminator="\r\n")
    lines.writerows([formula_safe_cell(cell) for cell in row] for row in rows)
    return buffer.getvalue()
