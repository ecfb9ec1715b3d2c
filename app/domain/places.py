"""Where in its file a stretch of a chunk stands, in words that a person can follow: "page 7", "slide 3"."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import TypeAlias

ChunkPlaces: TypeAlias = str | Sequence[tuple[int, str]] | None
"""The place of all of a chunk; where it stands in several, each in order with its first character of the
chunk; None where its format has no such places."""

# "line 34", "sheet Prices, row 2", "lines 34 to 40", and as earlier versions stored it "line 34 to line 40".
_COUNTED = re.compile(
    r"(?P<before>(?:.*, )?)"
    r"(?P<noun>cell|chapter|item|line|message|page|paragraph|row|slide|table|turn)s? "
    r"(?P<first>\d+)(?: to (?:(?P=noun) )?(?P<last>\d+))?",
    re.DOTALL,
)


def place_of_range(places: ChunkPlaces, start: int, end: int) -> str | None:
    """Where characters `start` to `end` of the chunk stand: "pages 1 to 2" where they stand on both."""
    if not places:
        return None
    if isinstance(places, str):
        return place_range(places, places)
    starts = [begin for begin, _ in places]
    first = max(bisect_right(starts, start) - 1, 0)
    last = max(bisect_left(starts, end) - 1, first)
    return place_range(places[first][1], places[last][1])


def place_range(first: str, last: str) -> str:
    """From the one place to the other: "lines 34 to 40", "sheet Prices, rows 2 to 5".

    A place holds those below it: "slide 3" and "slide 3, notes" are slide 3. Others that are not counted
    alike are both named: "chapter 1, section Dawn to chapter 2".
    """
    if last.startswith(f"{first}, "):
        return first
    begin, end = _COUNTED.fullmatch(first), _COUNTED.fullmatch(last)
    if begin is None or end is None or begin["before"] != end["before"] or begin["noun"] != end["noun"]:
        return first if first == last else f"{first} to {last}"
    first_number, last_number = begin["first"], end["last"] or end["first"]
    if first_number == last_number:
        return f"{begin['before']}{begin['noun']} {first_number}"
    return f"{begin['before']}{begin['noun']}s {first_number} to {last_number}"
