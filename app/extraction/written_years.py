"""Years in a text, in any digits and calendar; pure."""

import re
import unicodedata
from collections.abc import Iterator

# Decimal digits of any script, and ideographs for single digits.
_NUMBER = re.compile(r"\d+|[〇零一二三四五六七八九]{4}|(?<![〇零一二三四五六七八九])元(?=年)")
_DIGITS = re.compile(r"\d+|[〇零一二三四五六七八九十]+|元")
_YEAR = range(1, 10_000)
_BUDDHIST = 543
"""Offset of the calendar of Thailand, Laos, Cambodia and Burma; applied to their scripts only."""
_BUDDHIST_SCRIPTS = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
# The year before the first of each era; Japan's, and the republic's of Taiwan.
_ERAS = {
    "明治": 1867,
    "大正": 1911,
    "昭和": 1925,
    "平成": 1988,
    "令和": 2018,
    "民國": 1911,
    "民国": 1911,
}
_OF_ERA = re.compile(f"({'|'.join(_ERAS)})\\s*({_DIGITS.pattern})")


def list_years(text: str) -> frozenset[int]:
    """Return the numbers of the text that can be years; years of other calendars also as Gregorian years."""
    return frozenset(year for year in _read_years(text) if year in _YEAR)


def _read_years(text: str) -> Iterator[int]:
    buddhist = _BUDDHIST_SCRIPTS.search(text) is not None
    for match in _NUMBER.finditer(text):
        number = _parse_digits(match[0])
        yield number
        if buddhist:
            yield number - _BUDDHIST
    for match in _OF_ERA.finditer(text):
        yield _ERAS[match[1]] + _parse_digits(match[2])


def _parse_digits(digits: str) -> int:
    """Return the value of at most six digits; "十三" is 13, "元" is 1."""
    if digits == "元":
        return 1
    if "十" in digits:
        tens, _, ones = digits.partition("十")
        return 10 * (_parse_digits(tens) if tens else 1) + (_parse_digits(ones) if ones else 0)
    return int("".join(str(int(unicodedata.numeric(digit))) for digit in digits[:6]))
