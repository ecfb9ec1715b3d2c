"""Years in a text, in any digits and calendar; pure.

Calendars that begin elsewhere are those of scripts: a number in a text of the script may be a year of each.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator

# Decimal digits of any script, ideographs for single digits, and ideographs with units: "一千九百八十四年".
_NUMBER = re.compile(
    r"\d+|[〇零一二三四五六七八九]{4}|[一二两兩三四五六七八九]千[〇零一二三四五六七八九十百]*(?=年)"
    r"|(?<![〇零一二三四五六七八九])元(?=年)"
)
_DIGITS = re.compile(r"\d+|[〇零一二三四五六七八九十百]+|元")
_VARIANTS_OF_TWO = str.maketrans("两兩", "二二")
_POSSIBLE_YEARS = range(1, 10_000)


def _convert_islamic_year(year: int) -> range:
    """Return the Gregorian years in which an Islamic year lies: 30 of its years have 10,631 days."""
    # The first began on 16 July 622 (Julian); sightings of the moon move a year by a day or two.
    year_start = 622.55 + (year - 1) * 10_631 / 30 / 365.2425
    return range(int(year_start), int(year_start + 0.97) + 1)


_CALENDARS: tuple[tuple[re.Pattern[str], tuple[Callable[[int], range], ...]], ...] = (
    # The Buddhist calendar of Thailand, Laos, Burma and Cambodia.
    (
        re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]"),
        (lambda year: range(year - 543, year - 542),),
    ),
    # Arabic script: the Solar Hijri calendar, whose years begin in March, and the Islamic calendar.
    (
        re.compile("[\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufefc]"),
        (lambda year: range(year + 621, year + 623), _convert_islamic_year),
    ),
)
# The year before the first of each era; Japan's, and the republic's of Taiwan.
_YEAR_BEFORE_ERA = {
    "明治": 1867,
    "大正": 1911,
    "昭和": 1925,
    "平成": 1988,
    "令和": 2018,
    "民國": 1911,
    "民国": 1911,
}
_YEAR_OF_ERA = re.compile(f"({'|'.join(_YEAR_BEFORE_ERA)})\\s*({_DIGITS.pattern})")


def list_numbers_that_may_be_years(text: str, *, min_number: int = 1) -> frozenset[int]:
    """Return the numbers of the text that can be years; years of other calendars also as Gregorian years.

    A number that is written below `min_number` is not a year of any calendar, except after the name of an
    era.
    """
    return frozenset(year for year in _read_years(text, min_number) if year in _POSSIBLE_YEARS)


def is_of_other_calendar(year: int, text: str, latest_year: int, *, near_year: int) -> bool:
    """Return whether the text writes this number, but more likely as a year of another calendar.

    That is so where a calendar of the text's script reads it as a Gregorian year up to `latest_year` that is
    closer to the year `near_year`.
    """
    numbers = set(map(_parse_digits, _NUMBER.findall(text)))
    calendars = _list_calendars(text)
    # "583 / 1187" has the year in both calendars.
    if year not in numbers or any(year in read_year(number) for number in numbers for read_year in calendars):
        return False
    return any(
        gregorian_year <= latest_year and abs(gregorian_year - near_year) < abs(year - near_year)
        for read_year in calendars
        for gregorian_year in read_year(year)
    )


def _list_calendars(text: str) -> list[Callable[[int], range]]:
    return [read_year for script, calendars in _CALENDARS if script.search(text) for read_year in calendars]


def _read_years(text: str, min_number: int) -> Iterator[int]:
    calendars = _list_calendars(text)
    for match in _NUMBER.finditer(text):
        number = _parse_digits(match[0])
        if number < min_number:
            continue
        yield number
        for read_year in calendars:
            yield from read_year(number)
    for match in _YEAR_OF_ERA.finditer(text):
        yield _YEAR_BEFORE_ERA[match[1]] + _parse_digits(match[2])


def _parse_digits(digits: str) -> int:
    """Return the value of at most six digits, or of nine ideographs with units; "十三" is 13, "元" is 1."""
    if digits == "元":
        return 1
    digit_values = [int(unicodedata.numeric(digit)) for digit in digits[:9].translate(_VARIANTS_OF_TWO)]
    if max(digit_values) < 10:
        return int("".join(map(str, digit_values[:6])))
    total = pending_digit = 0
    for digit_value in digit_values:
        if digit_value < 10:
            pending_digit = digit_value
        else:
            total += (pending_digit or 1) * digit_value
            pending_digit = 0
    return total + pending_digit
