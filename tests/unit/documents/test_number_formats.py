"""Numbers of a spreadsheet as a person sees them."""

import io
import random
import time
from datetime import datetime, timedelta

import openpyxl
import pytest

from app.documents.parsers.number_formats import format_number
from app.documents.parsing import parse_document

EUROS = '_-* #,##0.00 €_-;-* #,##0.00 €_-;_-* "-"?? €_-;_-@_-'


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        (1234.5, '"$"#,##0.00', "$1,234.50"),
        (1234.5, "[$€-407] #,##0.00", "€ 1,234.50"),
        (1234.5, '#,##0.00\\ "EUR"', "1,234.50 EUR"),
        (1234.5, "[$-409]#,##0.00", "1,234.50"),
        (-1234.5, "$#,##0.00_);($#,##0.00)", "($1,234.50)"),
        (-1234.5, "$#,##0.00_);[Red]\\-$#,##0.00", "-$1,234.50"),
        (12, EUROS, "12.00 €"),
        (-12, EUROS, "-12.00 €"),
        (0, EUROS, "- €"),
        (0.125, "0%", "13%"),
        (0.125, "0.0#%", "12.5%"),
        (-0.5, "0.0%", "-50.0%"),
        (-0.001, "0.00", "0.00"),
        (2.5, "0", "3"),
        (1.005, "0.00", "1.01"),
        (1234567, '0.0,,"M"', "1.2M"),
        (42, "00000", "00042"),
        (5551234567, "(###) ###-####", "(555) 123-4567"),
        (88, '0 "kg"', "88 kg"),
        (5, "[Blue]General", "5"),
        (3.0, "General", "3"),
        (0.1 + 0.2, "General", "0.3"),
        (3.5, None, "3.5"),
        (10**18, "General", "1000000000000000000"),
        # Not applied: nothing shown, a fraction, a power, a condition, a date, more digits than are computed.
        (5, ";;;", "5"),
        (0.5, "# ?/?", "0.5"),
        (12345, "0.00E+00", "12345"),
        (5, "[>=100]0;0.0", "5"),
        (45000, "dd/mm/yyyy", "45000"),
        (1e300, "0.00", "1e+300"),
        (float("nan"), "0", "nan"),
    ],
)
def test_a_number_is_written_as_its_format_shows_it(value: float, code: str | None, shown: str) -> None:
    assert format_number(value, code) == shown


def test_any_code_ends_soon_in_some_text() -> None:
    drawn = random.Random(1)
    begin = time.process_time()
    for _ in range(3_000):
        code = "".join(drawn.choices('0#?.,%E+-[]$€";\\_* @/ydG()A', k=drawn.randint(0, 20)))
        value = drawn.choice([0, 1, -1, 1e308, 5e-324, 0.1, 123456.789, float("inf"), 10**40])
        assert format_number(value, code)
    assert format_number(1, "0" * 100_000) == "1"
    assert time.process_time() - begin < 2


def test_a_workbook_shows_prices_shares_months_and_hours() -> None:
    book = openpyxl.Workbook()
    assert book.active is not None
    book.active.append(["Name", "Price", "Share", "Month", "Year", "Day", "Hours"])
    day = datetime(2024, 12, 1)
    book.active.append(["Bolt", 1234.5, 0.125, day, day, day, timedelta(hours=26, minutes=5)])
    codes = ('"$"#,##0.00', "0.0%", "mmm-yy", "yyyy", 'd "of" mmmm', "[h]:mm")
    for cell, code in zip(book.active[2][1:], codes, strict=True):
        cell.number_format = code
    stored = io.BytesIO()
    book.save(stored)
    assert parse_document(stored.getvalue(), "xlsx").text.split("\n")[1:] == [
        "Price: $1,234.50",
        "Share: 12.5%",
        "Month: 2024-12",
        "Year: 2024",
        "Day: 2024-12-01",
        "Hours: 26:05:00",
    ]
