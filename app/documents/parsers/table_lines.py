"""Format the rows of a table as lines of text in which each cell keeps its column."""

from collections.abc import Iterable, Sequence


def format_table_as_lines(rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the rows of a table as lines, without empty rows."""
    lines: list[str] = []
    has_columns = False
    for cells in rows:
        if line := format_row(cells, has_columns=has_columns):
            lines.append(line)
        has_columns = has_columns or sum(map(bool, cells)) > 1
    return lines


CellParagraph = tuple[str, bool]
"""The text of a paragraph, and whether it is an item of a list."""


def join_cell(paragraphs: Iterable[CellParagraph]) -> str:
    """Return the paragraphs and list items of a cell on one line: "Calls at: Ulm; Bonn"."""
    line = ""
    follows_item = False
    for paragraph, is_item in paragraphs:
        if text := " ".join(paragraph.split()):
            is_next_item = is_item and follows_item and line[-1] not in ".;:,!?"
            line += f"{'; ' if is_next_item else ' '}{text}" if line else text
            follows_item = is_item
    return line


def format_row(cells: Sequence[str], *, has_columns: bool = False) -> str:
    r"""Return the row as "a | b | c"; "" if all cells are empty.

    An empty first cell is written as "| | b", because a bar at the very beginning of a line is not a border,
    and then neither is one at the very end. A single filled cell that is not the first is only its text,
    since layout tables have empty cells beside their text, unless the table `has_columns`, that is, a row
    above with several filled cells. A bar within a cell is written "\|", as in Markdown.
    """
    filled_columns = [index for index, cell in enumerate(cells) if cell]
    if not filled_columns:
        return ""
    if len(cells) == 1 or (len(filled_columns) == 1 and filled_columns[0] > 0 and not has_columns):
        return cells[filled_columns[0]]
    line = " ".join(" | ".join(cell.replace("|", "\\|") for cell in cells).split())
    if cells[0]:
        return line
    return f"| {line}" if cells[-1] else f"| {line} |"
