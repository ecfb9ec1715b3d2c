"""Lines of a file as places: a person finds a line by its number in any editor."""

import re
from collections.abc import Sequence

from app.documents.shapes import Place
from app.domain.places import place_range

_EDITOR_BREAK = re.compile("\r\n?|\n")
# What is a line break in clean text and none to an editor: a form feed between printed pages, for example.
_OTHER_BREAK = re.compile("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")


def number_lines(source: str) -> Sequence[int]:
    """The number that each line of the source's clean text has in the file, as an editor counts."""
    lines = _EDITOR_BREAK.split(source)
    if _OTHER_BREAK.search(source) is None:
        return range(1, len(lines) + 1)
    return [
        number
        for number, line in enumerate(lines, start=1)
        for _ in range(len(_OTHER_BREAK.findall(line)) + 1)
    ]


def locate_lines(text: str, numbers: Sequence[int], first: int = 0) -> tuple[Place, ...]:
    """The place of each line of a clean text that is not blank; `numbers[first:]` are those of its lines."""
    places: list[Place] = []
    start = 0
    for index, line in enumerate(text.split("\n"), start=first):
        if line.strip():
            places.append(Place(start, f"line {numbers[index]}"))
        start += len(line) + 1
    return tuple(places)


def format_line_range(first: int, last: int) -> str:
    """The place of a text whose lines were joined: its line, else its first and last."""
    return place_range(f"line {first}", f"line {last}")
