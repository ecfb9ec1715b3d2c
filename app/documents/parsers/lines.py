"""Line numbers of a file as places, as an editor shows them."""

import re
from collections.abc import Sequence

from app.documents.shapes import Place
from app.domain.file_locations import format_range_of_places

_EDITOR_BREAK = re.compile("\r\n?|\n")
# Line breaks in clean text that editors do not count, such as form feeds between pages.
_OTHER_BREAK = re.compile("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")


def number_lines(source: str) -> Sequence[int]:
    """Return, for each line of the source's clean text, its line number in an editor."""
    lines = _EDITOR_BREAK.split(source)
    if _OTHER_BREAK.search(source) is None:
        return range(1, len(lines) + 1)
    return [
        number
        for number, line in enumerate(lines, start=1)
        for _ in range(len(_OTHER_BREAK.findall(line)) + 1)
    ]


def locate_lines(text: str, line_numbers: Sequence[int], first_line: int = 0) -> tuple[Place, ...]:
    """Return the places of the non-blank lines of a clean text; `line_numbers[first_line:]` are their
    numbers.
    """
    places: list[Place] = []
    start = 0
    for index, line in enumerate(text.split("\n"), start=first_line):
        if line.strip():
            places.append(Place(start, f"line {line_numbers[index]}"))
        start += len(line) + 1
    return tuple(places)


def format_line_range(first_line: int, last_line: int) -> str:
    """Return the place of a text made of joined lines: one line, or the first and last."""
    return format_range_of_places(f"line {first_line}", f"line {last_line}")
