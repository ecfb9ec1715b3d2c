"""Output of commands: tables for people, JSON for programs, failures on stderr.

Names and quotes come from documents: they are never parsed as markup, and their control characters
are replaced before they reach the terminal.
"""

import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import fields, is_dataclass

import orjson
from pydantic import BaseModel
from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from app.number_words import pluralise
from app.tenancy.spaces.shapes import Deletion, DeletionState

PIPED_WIDTH = 100
# Ids are copied or read by programs, so they are never wrapped.
_ID_PATTERN = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ID_WIDTH = 36
# A column of words narrower than this is unreadable: a terminal then prints each value on its own line, and a
# pipe gets a wider table.
_MIN_COLUMN_WIDTH, _MIN_PIPED_COLUMN_WIDTH = 8, 24
# C0 and C1 control characters, and bidirectional formatting characters.
_UNSAFE_CHARACTER = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def format_value(value: object) -> str:
    """Return the value as text that is safe on a terminal; None is empty, booleans are yes and no."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    # A file name may contain bytes that are not valid text.
    text = str(value).encode(errors="replace").decode()
    return _UNSAFE_CHARACTER.sub("\N{REPLACEMENT CHARACTER}", text)


def format_one_line(value: object) -> str:
    """Like `format_value`, with each run of white space replaced by one space."""
    return " ".join(format_value(value).split())


def create_console(*, stderr: bool = False) -> Console:
    """Return a console as wide as the terminal, or 100 columns wide and without colour in a pipe."""
    stream = sys.stderr if stderr else sys.stdout
    return Console(
        stderr=stderr, width=None if stream.isatty() else PIPED_WIDTH, highlight=False, markup=False
    )


def print_line(message: str = "") -> None:
    """Print a line on stdout."""
    create_console().print(Text(message), soft_wrap=True)


def print_indented(text: Text, indent: int) -> None:
    """Print the text on stdout with every line indented, without trailing blanks."""
    console = create_console()
    for line in text.wrap(console, max(_ID_WIDTH, console.width - indent)):
        line.rstrip()
        console.print(Text(" " * indent).append_text(line), soft_wrap=True)


def print_note(message: str) -> None:
    """Print a line on stderr that is not part of the result."""
    create_console(stderr=True).print(Text(format_value(message)), soft_wrap=True)


def print_error(message: str) -> None:
    """Print the sentence of a failure on stderr."""
    create_console(stderr=True).print(
        Text.assemble(("Error: ", "bold red"), format_value(message)), soft_wrap=True
    )


def describe_deletion(deletion: Deletion) -> str:
    """Return the receipt of a deletion in one line."""
    if deletion.state is DeletionState.DELETING:
        return "its content is removed in the background; the audit records the receipt when that is done"
    return f"{pluralise(sum(deletion.rows.values()), 'row')} of {pluralise(len(deletion.rows), 'table')}"


def show_json(value: object) -> None:
    """Print the value as indented JSON on stdout; models, dataclasses and named tuples become objects."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS | orjson.OPT_SORT_KEYS
    # Pass dataclasses to `default`, so that their fields are sorted too.
    options |= orjson.OPT_PASSTHROUGH_DATACLASS
    sys.stdout.write(orjson.dumps(value, default=_to_json_value, option=options).decode() + "\n")


def _to_json_value(value: object) -> object:
    """Return the fields of a model, dataclass or named tuple by name; for anything else, its text."""
    if isinstance(value, BaseModel):
        return dict(value)
    field_names: Iterable[str] = getattr(value, "_fields", ())
    if is_dataclass(value):
        field_names = (field.name for field in fields(value))
    return {name: getattr(value, name) for name in field_names} or str(value)


def show_table(
    columns: Sequence[str], rows: Iterable[Sequence[object]], *, empty_message: str = "Nothing found."
) -> None:
    """Print the rows under their column names; a column whose name ends in # is right-aligned."""
    cell_rows = [[format_value(cell) for cell in row] for row in rows]
    if not cell_rows:
        print_line(empty_message)
        return
    column_names = [column.removesuffix("#") for column in columns]
    cells_by_column = [[row[index] for row in cell_rows] for index in range(len(columns))]
    natural_widths = [
        max(map(cell_len, (name, *(line for cell in column for line in cell.splitlines()))))
        for name, column in zip(column_names, cells_by_column, strict=True)
    ]
    console = create_console()
    min_word_width = _MIN_COLUMN_WIDTH if console.is_terminal else _MIN_PIPED_COLUMN_WIDTH
    min_widths = [
        width if any(map(_ID_PATTERN.fullmatch, column)) else min(width, min_word_width)
        for width, column in zip(natural_widths, cells_by_column, strict=True)
    ]
    # Between two columns: one blank on each side and the separator of the box.
    gap_width = 3 * (len(columns) - 1)
    if sum(min_widths) + gap_width > console.width and console.is_terminal:
        for row in cell_rows:
            _show_unwrapped_pairs(zip(column_names, row, strict=True))
            print_line()
        return
    console.width = max(console.width, sum(min_widths) + gap_width)
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    widths = _fit_column_widths(natural_widths, min_widths, console.width - gap_width)
    for column, name, width in zip(columns, column_names, widths, strict=True):
        is_right_aligned = column.endswith("#")
        table.add_column(name, justify="right" if is_right_aligned else "left", overflow="fold", width=width)
    for row in cell_rows:
        table.add_row(*(Text(cell) for cell in row))
    console.print(table)


def _fit_column_widths(
    natural_widths: Sequence[int], min_widths: Sequence[int], available_width: int
) -> list[int]:
    """Return column widths: the natural width where there is room, and never less than the least width."""
    widths = list(min_widths)
    spare_width = available_width - sum(min_widths)
    # Columns that lack the least width come first, so that they leave their share to the others.
    columns_by_need = sorted(
        range(len(natural_widths)), key=lambda column: natural_widths[column] - min_widths[column]
    )
    for position, index in enumerate(columns_by_need):
        added_width = min(
            natural_widths[index] - min_widths[index], spare_width // (len(columns_by_need) - position)
        )
        widths[index] += added_width
        spare_width -= added_width
    return widths


def show_pairs(pairs: Iterable[tuple[str, object]]) -> None:
    """Print names and values, one pair a line."""
    cleaned_pairs = [(name, format_value(value)) for name, value in pairs]
    console = create_console()
    if max((len(name) for name, _ in cleaned_pairs), default=0) + 2 + _ID_WIDTH > console.width:
        _show_unwrapped_pairs(cleaned_pairs)
        return
    table = Table.grid(padding=(0, 2))
    for name, value in cleaned_pairs:
        table.add_row(Text(name, style="bold"), Text(value))
    console.print(table)


def _show_unwrapped_pairs(pairs: Iterable[tuple[str, str]]) -> None:
    """Print names and values, one pair a line, without wrapping."""
    for name, value in pairs:
        create_console().print(Text.assemble((f"{name}: ", "bold"), value), soft_wrap=True)
