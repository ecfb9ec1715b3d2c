"""The position of a part of a chunk in its file, in words: "page 7", "slide 3"."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import TypeAlias

ChunkPlaces: TypeAlias = str | Sequence[tuple[int, str]] | None
"""The place of a whole chunk; if it has several, (first character in the chunk, place) in order; None if its
format has no places.
"""

# "line 34", "sheet Prices, row 2", "lines 34 to 40", and in older rows "line 34 to line 40".
_COUNTED_PLACE = re.compile(
    r"(?P<before>(?:.*, )?)"
    r"(?P<noun>cell|chapter|item|line|message|page|paragraph|row|slide|table|turn)s? "
    r"(?P<first>\d+)(?: to (?:(?P=noun) )?(?P<last>\d+))?",
    re.DOTALL,
)


def format_place_of_range(places: ChunkPlaces, start: int, end: int) -> str | None:
    """Return the place of characters `start` to `end` of the chunk: "pages 1 to 2" if they span both."""
    if not places:
        return None
    if isinstance(places, str):
        return format_range_of_places(places, places)
    place_starts = [place_start for place_start, _ in places]
    first_index = max(bisect_right(place_starts, start) - 1, 0)
    last_index = max(bisect_left(place_starts, end) - 1, first_index)
    _, first_place = places[first_index]
    _, last_place = places[last_index]
    return format_range_of_places(first_place, last_place)


def format_range_of_places(first_place: str, last_place: str) -> str:
    """Return the range of two places: "lines 34 to 40", "sheet Prices, rows 2 to 5".

    A place includes its subplaces: "slide 3" and "slide 3, notes" are slide 3. Places of different kinds are
    both named: "chapter 1, section Dawn to chapter 2".
    """
    if last_place.startswith(f"{first_place}, "):
        return first_place
    first_match, last_match = _COUNTED_PLACE.fullmatch(first_place), _COUNTED_PLACE.fullmatch(last_place)
    if (
        first_match is None
        or last_match is None
        or first_match["before"] != last_match["before"]
        or first_match["noun"] != last_match["noun"]
    ):
        return first_place if first_place == last_place else f"{first_place} to {last_place}"
    first_number, last_number = first_match["first"], last_match["last"] or last_match["first"]
    if first_number == last_number:
        return f"{first_match['before']}{first_match['noun']} {first_number}"
    return f"{first_match['before']}{first_match['noun']}s {first_number} to {last_number}"
