"""The years that texts write, in the digits and calendars of several scripts."""

import pytest

from app.extraction.written_years import is_of_other_calendar, list_numbers_that_may_be_years


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
        ("民国一百零一年", 2012),
        ("一千九百八十四年", 1984),
        ("二千零八年", 2008),
        ("两千〇三年", 2003),
        ("一千八百年", 1800),
        ("พ.ศ. 2562", 2019),
        ("ปี ๒๕๖๕", 2022),
        ("منذ عام ٢٠٢١", 2021),
        ("२०२० से", 2020),
        # Solar Hijri 1402 began on 21 March 2023 and ended on 19 March 2024.
        ("از سال ۱۴۰۲ مدیر است", 2023),
        ("تا بهمن ۱۴۰۲", 2024),
        # Islamic: 1445 began on 19 July 2023, 1400 on 21 November 1979, 1 on 16 July 622.
        ("في محرم ١٤٤٥ هـ", 2023),
        ("في رجب ١٤٤٥ هـ", 2024),
        ("سنة 1400 هـ", 1979),
        ("سنة 1400 هـ", 1980),
        ("سنة 1 هـ", 622),
        ("in the 2010s", 2010),
    ],
)
def test_a_year_is_read_in_its_own_digits_and_calendar(text: str, year: int) -> None:
    assert year in list_numbers_that_may_be_years(text)


@pytest.mark.parametrize(
    "text", ["last year", "去年", "元気な会社", "一千九百人", "三千", "ปีที่แล้ว", "", "Viime vuonna"]
)
def test_words_without_a_number_write_no_year(text: str) -> None:
    assert list_numbers_that_may_be_years(text) == frozenset()


def test_the_buddhist_calendar_counts_in_its_scripts_alone() -> None:
    assert list_numbers_that_may_be_years("in 2562") == {2562}


@pytest.mark.parametrize("text", ["قبل ٣ سنوات", "۵ سال پیش", "منذ 18 شهرا", "3 ปีที่แล้ว", "3 years ago"])
def test_a_number_of_years_is_no_year_of_any_calendar(text: str) -> None:
    assert list_numbers_that_may_be_years(text, min_number=101) == frozenset()


def test_after_the_name_of_an_era_any_number_is_a_year() -> None:
    assert list_numbers_that_may_be_years("平成26年", min_number=101) == {2014}


def test_a_very_long_number_is_no_year() -> None:
    assert list_numbers_that_may_be_years("9" * 5_000) == frozenset()


@pytest.mark.parametrize(
    ("text", "year", "near", "doubted"),
    [
        ("از سال ۱۴۰۲ مدیر است", 1402, 2024, True),
        ("منذ عام 1445 هـ", 1445, 2024, True),
        ("ปี 2567", 2567, 2024, True),
        # Gregorian years in the same scripts, and years that a model converted.
        ("منذ عام 2019", 2019, 2024, False),
        ("سنة 1798", 1798, 2024, False),
        ("ปี 2019", 2019, 2024, False),
        ("از سال ۱۴۰۲ مدیر است", 2023, 2024, False),
        # 215 of the Islamic calendar is 830: nobody wrote 830, which would be 1427 in it.
        ("سنة 215 هـ", 830, 2024, False),
        ("سنة 583 هـ / 1187 م", 1187, 2024, False),
        ("سنة 1187 هـ", 1187, 2024, True),
        ("since 1402", 1402, 2024, False),
    ],
)
def test_a_number_is_no_gregorian_year_where_another_calendar_reads_it_as_nearer(
    text: str, year: int, near: int, doubted: bool
) -> None:
    assert is_of_other_calendar(year, text, near + 10, near_year=near) is doubted


def test_the_islamic_and_the_solar_hijri_calendar_count_in_their_script_alone() -> None:
    assert list_numbers_that_may_be_years("in 1445") == {1445}
