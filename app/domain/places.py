"""Where in its file a stretch of a chunk stands, in words that a person can follow: "page 7", "slide 3"."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import TypeAlias

ChunkPlaces: TypeAlias = str | Sequence[tuple[int, str]] | None
"""The place of all of a chunk; where it stands in several, each in order with its first character of the
chunk; None where its format has no such places."""

_LINES = re.compile(r"(line \d+) to (line \d+)")


def place_within(places: ChunkPlaces, start: int, end: int) -> str | None:
    """Where characters `start` to `end` of the chunk stand: "page 1 to page 2" where they stand on both."""
    if not places:
        return None
    if isinstance(places, str):
        return places
    starts = [begin for begin, _ in places]
    first = max(bisect_right(starts, start) - 1, 0)
    last = max(bisect_left(starts, end) - 1, first)
    names = [places[first][1], places[last][1]]
    return names[0] if names[0] == names[1] else _joined(*names)


def _joined(first: str, last: str) -> str:
    """From the one place to the other; of two ranges of lines from the first line to the last."""
    begin, end = _LINES.fullmatch(first), _LINES.fullmatch(last)
    return f"{begin[1] if begin else first} to {end[2] if end else last}"
