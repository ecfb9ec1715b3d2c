"""Output of commands: tables for people, JSON for programs, one sentence on stderr for failures.

Names and quotes come out of documents, so nothing of them is read as markup and no control
character of theirs reaches the terminal.
"""

import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import fields, is_dataclass

import orjson
from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from app.number_words import pluralise
from app.tenancy.spaces.shapes import Deletion, DeletionState

WIDTH = 100
# An id is copied or read by another program: it stands in one piece, whatever the width.
_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ID_WIDTH = 36
# A column of words that has less is unreadable: on a terminal each value then stands on a line of its own, in
# a pipe the table is wider.
_LEAST_WIDTH, _LEAST_PIPED = 8, 24
# C0 and C1 controls, and the marks that turn the direction of what follows them.
_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def format_value(value: object) -> str:
    """The value as text that is safe on a terminal; nothing for None, yes and no for truths."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    # A file name may hold bytes that are no text.
    text = str(value).encode(errors="replace").decode()
    return _UNSAFE.sub("\N{REPLACEMENT CHARACTER}", text)


def format_one_line(value: object) -> str:
    """The same with every run of white space as one space."""
    return " ".join(format_value(value).split())


def create_console(*, stderr: bool = False) -> Console:
    """A console of the moment: as wide as the terminal, or 100 columns and without colour when piped."""
    stream = sys.stderr if stderr else sys.stdout
    return Console(stderr=stderr, width=None if stream.isatty() else WIDTH, highlight=False, markup=False)


def say(message: str = "", *, style: str | None = None) -> None:
    """One line for people, on stdout."""
    create_console().print(Text(message, style=style or ""), soft_wrap=True)


def print_indented(text: Text, columns: int) -> None:
    """The text on stdout, each of its lines that far from the left, without blanks at their ends."""
    console = create_console()
    for line in text.wrap(console, max(_ID_WIDTH, console.width - columns)):
        line.rstrip()
        console.print(Text(" " * columns).append_text(line), soft_wrap=True)


def print_note(message: str) -> None:
    """One line for people that is no result, on stderr."""
    create_console(stderr=True).print(Text(format_value(message)), soft_wrap=True)


def print_error(message: str) -> None:
    """The one sentence of a failure, on stderr."""
    create_console(stderr=True).print(
        Text.assemble(("Error: ", "bold red"), format_value(message)), soft_wrap=True
    )


def describe_deletion(deletion: Deletion) -> str:
    """The receipt of a deletion in one line."""
    if deletion.state is DeletionState.DELETING:
        return "what it holds is removed in the background; the audit has the receipt once that is done"
    return f"{pluralise(sum(deletion.rows.values()), 'row')} of {pluralise(len(deletion.rows), 'table')}"


def show_json(value: object) -> None:
    """The value as indented JSON on stdout and nothing else there; values with fields as objects of these."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS | orjson.OPT_SORT_KEYS
    # Their fields are to be sorted too.
    options |= orjson.OPT_PASSTHROUGH_DATACLASS
    sys.stdout.write(orjson.dumps(value, default=_to_json_value, option=options).decode() + "\n")


def _to_json_value(value: object) -> object:
    """The fields of a dataclass or a named tuple by name; of what has none its words."""
    names: Iterable[str] = getattr(value, "_fields", ())
    if is_dataclass(value):
        names = (field.name for field in fields(value))
    return {name: getattr(value, name) for name in names} or str(value)


def show_table(
    columns: Sequence[str], rows: Iterable[Sequence[object]], *, empty: str = "Nothing found."
) -> None:
    """The rows under their column names; a column whose name ends in # stands to the right."""
    cell_rows = [[format_value(cell) for cell in row] for row in rows]
    if not cell_rows:
        say(empty)
        return
    names = [column.removesuffix("#") for column in columns]
    cells = [[row[index] for row in cell_rows] for index in range(len(columns))]
    natural = [
        max(map(cell_len, (name, *(line for cell in column for line in cell.splitlines()))))
        for name, column in zip(names, cells, strict=True)
    ]
    console = create_console()
    least_words = _LEAST_WIDTH if console.is_terminal else _LEAST_PIPED
    least = [
        width if any(map(_ID.fullmatch, column)) else min(width, least_words)
        for width, column in zip(natural, cells, strict=True)
    ]
    # Between two columns: a blank of each, and the box's own.
    between = 3 * (len(columns) - 1)
    if sum(least) + between > console.width and console.is_terminal:
        for row in cell_rows:
            _show_lines(zip(names, row, strict=True))
            say()
        return
    console.width = max(console.width, sum(least) + between)
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    widths = _fit_column_widths(natural, least, console.width - between)
    for column, name, width in zip(columns, names, widths, strict=True):
        right = column.endswith("#")
        table.add_column(name, justify="right" if right else "left", overflow="fold", width=width)
    for row in cell_rows:
        table.add_row(*(Text(cell) for cell in row))
    console.print(table)


def _fit_column_widths(natural: Sequence[int], least: Sequence[int], available: int) -> list[int]:
    """The widths of columns: what each would like where there is room, and at least the least."""
    widths = list(least)
    spare = available - sum(least)
    # Those that lack least come first, so that what they leave is for the others.
    wanting = sorted(range(len(natural)), key=lambda column: natural[column] - least[column])
    for number, index in enumerate(wanting):
        widening = min(natural[index] - least[index], spare // (len(wanting) - number))
        widths[index] += widening
        spare -= widening
    return widths


def show_pairs(pairs: Iterable[tuple[str, object]]) -> None:
    """Names with their values beneath each other."""
    cleaned_pairs = [(name, format_value(value)) for name, value in pairs]
    console = create_console()
    if max((len(name) for name, _ in cleaned_pairs), default=0) + 2 + _ID_WIDTH > console.width:
        _show_lines(cleaned_pairs)
        return
    table = Table.grid(padding=(0, 2))
    for name, value in cleaned_pairs:
        table.add_row(Text(name, style="bold"), Text(value))
    console.print(table)


def _show_lines(pairs: Iterable[tuple[str, str]]) -> None:
    """Names with their values, each on a line that only the terminal breaks."""
    for name, value in pairs:
        create_console().print(Text.assemble((f"{name}: ", "bold"), value), soft_wrap=True)
