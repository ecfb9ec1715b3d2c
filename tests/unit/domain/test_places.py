"""Places that are counted alike are one range; others are both named."""

import pytest

from app.domain.file_locations import format_place_of_range, format_range_of_places


@pytest.mark.parametrize(
    ("first", "last", "label"),
    [
        ("line 34", "line 40", "lines 34 to 40"),
        ("lines 34 to 36", "lines 38 to 40", "lines 34 to 40"),
        ("line 34", "line 34", "line 34"),
        ("page 1", "page 2", "pages 1 to 2"),
        ("slide 3", "slide 4", "slides 3 to 4"),
        ("sheet Prices, row 2", "sheet Prices, row 5", "sheet Prices, rows 2 to 5"),
        ("sheet Prices, row 2", "sheet Costs, row 5", "sheet Prices, row 2 to sheet Costs, row 5"),
        ("page 1, section Ends", "page 2, section Ends", "page 1, section Ends to page 2, section Ends"),
        # A heading's own number is part of its name.
        ("section Chapter 1", "section Chapter 2", "section Chapter 1 to section Chapter 2"),
        ("message 1", "message 1, quoted text", "message 1"),
        ("slide 3, notes", "slide 4", "slide 3, notes to slide 4"),
    ],
)
def test_two_places_are_one_label(first: str, last: str, label: str) -> None:
    assert format_range_of_places(first, last) == label


def test_a_label_that_an_earlier_version_stored_reads_like_a_new_one() -> None:
    assert format_place_of_range("line 3 to line 4", 0, 10) == "lines 3 to 4"
    assert format_place_of_range([(0, "line 3 to line 4"), (20, "line 6")], 0, 30) == "lines 3 to 6"
