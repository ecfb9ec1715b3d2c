"""The row of a table as a line of text, in which each cell keeps its column."""

from collections.abc import Sequence


def table_line(cells: Sequence[str]) -> str:
    """Return the row as "a | b | c"; empty where all cells are.

    An empty first cell, as in the corner of a table, is written as "| | b": a bar at the very beginning of a
    line is no border between two cells. A single filled cell that is not the first is its text alone, since
    tables that only arrange a page have empty cells beside their text.
    """
    filled = [index for index, cell in enumerate(cells) if cell]
    if not filled:
        return ""
    if len(filled) == 1 and (filled[0] > 0 or len(cells) == 1):
        return cells[filled[0]]
    line = " ".join(" | ".join(cells).split())
    return line if cells[0] else f"| {line}"
