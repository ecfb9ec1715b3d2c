"""The header of a table whose rows go on in another chunk, kept as the innermost heading of that chunk.

It stands there between bars, "| Name | Role |", which tells it from the headings of the text. So a chunk's
text stays the slice of its document that citations point into, and who reads headings reads the header too.
"""

from collections.abc import Sequence

LONGEST_HEADER = 1_000
"""Characters of a header; a longer one is repeated on no chunk."""


def header_as_heading(header: str) -> str:
    """The first row of a table as a heading: on one line, a bar at both ends, its empty cells kept."""
    line = " ".join(header.split())
    if line.startswith("|"):
        line = line[1:].removesuffix("|").strip()
    return f"| {line} |"


def table_header_in_headings(heading_path: Sequence[str]) -> str:
    """The header of the table with whose rows the chunk goes on; "" where it begins with none."""
    last = heading_path[-1] if heading_path else ""
    return last if last.startswith("| ") and last.endswith(" |") else ""


def headings_without_table_header(heading_path: Sequence[str]) -> tuple[str, ...]:
    """The headings without the header of a table."""
    return tuple(heading_path[:-1] if table_header_in_headings(heading_path) else heading_path)


def prepend_table_header(text: str, heading_path: Sequence[str]) -> str:
    """The text of a chunk behind the header of the table that it goes on with, where there is one."""
    header = table_header_in_headings(heading_path)
    return f"{header}\n{text}" if header else text
