"""The header of a table that continues in another chunk, stored as the innermost heading of that chunk.

It is written between bars, "| Name | Role |", which distinguishes it from the headings of the text. The
chunk's text stays the slice of its document that citations point into, and whatever reads headings reads the
header too.
"""

import re
from collections.abc import Sequence

_WORD = re.compile(r"\w+")
MAX_HEADER_LENGTH = 1_000
"""Maximum length of a header; a longer one is not repeated."""


def format_header_as_heading(header: str) -> str:
    """Return the first row of a table as a heading: one line with a bar at both ends, keeping empty cells."""
    line = " ".join(header.split())
    if line.startswith("|"):
        line = line[1:].removesuffix("|").strip()
    return f"| {line} |"


def find_table_header_in_headings(heading_path: Sequence[str]) -> str:
    """Return the header of the table that the chunk continues, "" if none."""
    last_heading = heading_path[-1] if heading_path else ""
    return last_heading if last_heading.startswith("| ") and last_heading.endswith(" |") else ""


def remove_table_header_from_headings(heading_path: Sequence[str]) -> tuple[str, ...]:
    """Return the headings without a table header."""
    return tuple(heading_path[:-1] if find_table_header_in_headings(heading_path) else heading_path)


def prepend_table_header(text: str, heading_path: Sequence[str]) -> str:
    """Return the text of a chunk preceded by the header of the table that it continues, if any."""
    header = find_table_header_in_headings(heading_path)
    return f"{header}\n{text}" if header else text


def convert_header_to_snake_case(header: str) -> str:
    """Return a header of a column or record in snake case, as the registry of relation types has it."""
    return "_".join(_WORD.findall(header.lower()))
