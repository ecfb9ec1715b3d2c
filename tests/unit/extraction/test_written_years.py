"""The years that texts write, in the digits and calendars of several scripts."""

import pytest

from app.extraction.written_years import list_years


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("since 2019", 2019),
        ("自２０２１年起", 2021),
        ("二〇一九年", 2019),
        ("令和元年", 2019),
        ("平成十二年", 2000),
        ("昭和64年", 1989),
        ("民國108年", 2019),
        ("พ.ศ. 2562", 2019),
        ("ปี ๒๕๖๕", 2022),
        ("منذ عام ٢٠٢١", 2021),
        ("२०२० से", 2020),
        ("in the 2010s", 2010),
    ],
)
def test_a_year_is_read_in_its_own_digits_and_calendar(text: str, year: int) -> None:
    assert year in list_years(text)


@pytest.mark.parametrize("text", ["last year", "去年", "元気な会社", "ปีที่แล้ว", "", "Viime vuonna"])
def test_words_without_a_number_write_no_year(text: str) -> None:
    assert list_years(text) == frozenset()


def test_the_buddhist_calendar_counts_in_its_scripts_alone() -> None:
    assert list_years("in 2562") == {2562}


def test_a_very_long_number_is_no_year() -> None:
    assert list_years("9" * 5_000) == frozenset()
