"""Numbers as a spreadsheet shows them, by the format code of their cell (ECMA-376, part 1, 18.8.31). Pure."""

import re
from contextlib import suppress
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from functools import lru_cache
from math import isfinite

_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"?'  # "kg"
    r"|\\(?P<escaped>.)"
    r"|_(?P<width>.)"  # a space as wide as this character
    r"|\*(?P<fill>.)"
    r"|\[\$(?P<currency>[^\]-]*)(?:-[^\]]*)?\]"  # [$€-407]
    r"|\[(?P<bracket>[^\]]*)\]"  # [Red], [>=100], [h]
    r"|(?P<general>General)"
    r"|(?P<exponent>E[+-])"
    r"|(?P<digit>[0#?])"
    r"|(?P<point>\.)"
    r"|(?P<comma>,)"
    r"|(?P<percent>%)"
    r"|(?P<other>.)",
    re.DOTALL | re.IGNORECASE,
)
_COLORS = re.compile(r"black|blue|cyan|green|magenta|red|white|yellow|color *\d{1,2}", re.IGNORECASE)
# Letters of dates and times, a fraction, and the place of a text: what these show is not a plain number.
_LETTERS_NOT_PLAIN = frozenset("ymdhsb/@")
_MAX_CODE_LENGTH = 255
_MAX_DECIMALS = 30
# A spreadsheet stores no more digits of a number.
_STORED_DIGITS = 15


class _UnsupportedFormatCode(Exception):
    """The format code shows something else than a number with literal text around it."""


_Token = tuple[str, str]
"""The kind and the text of a token."""


@dataclass(frozen=True)
class _Section:
    """A section of a format code: literal texts and digit places in order, and how the digits are written."""

    displayed_tokens: tuple[_Token, ...]
    is_general: bool
    quantum: Decimal
    min_digits: int
    min_decimals: int
    groups_thousands: bool
    exponent: int


def format_number(value: float, code: str | None) -> str:
    """Return the number as a cell of this format shows it, else with its stored digits.

    Dates, fractions and formats with conditions are not applied, nor one that shows no digit of the number.
    """
    if code and code != "General" and len(code) <= _MAX_CODE_LENGTH and isfinite(value):
        # A number with more digits than Decimal computes with is an InvalidOperation.
        with suppress(_UnsupportedFormatCode, InvalidOperation):
            formatted_number = _apply_sections(Decimal(repr(value)), _parse_sections(code))
            if formatted_number and (value == 0 or any(map(str.isdigit, formatted_number))):
                return formatted_number
    return _format_number_in_general_format(value)


def _format_number_in_general_format(value: float) -> str:
    if isinstance(value, int) or (value.is_integer() and abs(value) < 10**_STORED_DIGITS):
        return str(int(value))
    return f"{value:.{_STORED_DIGITS}g}"


def _apply_sections(number: Decimal, sections: tuple[_Section, ...]) -> str:
    """Choose the section for the sign of the number; only a single section writes a minus of its own."""
    if number == 0 and len(sections) > 2:
        return _apply_section(number, sections[2])
    if number < 0 and len(sections) > 1:
        return _apply_section(-number, sections[1])
    formatted_number = _apply_section(abs(number), sections[0])
    return (
        f"-{formatted_number}"
        if number < 0 and any(digit in "123456789" for digit in formatted_number)
        else formatted_number
    )


@lru_cache(maxsize=1_024)
def _parse_sections(code: str) -> tuple[_Section, ...]:
    """Parse the code's sections, of which the fourth is for texts. Raises _UnsupportedFormatCode."""
    sections: list[list[_Token]] = [[]]
    for match in _TOKEN.finditer(code):
        kind, text = str(match.lastgroup), match[str(match.lastgroup)]
        if kind == "other" and text == ";":
            sections.append([])
        else:
            sections[-1].append((kind, text))
    return tuple(_parse_section(tokens) for tokens in sections[:3])


def _parse_section(tokens: list[_Token]) -> _Section:
    displayed_tokens: list[_Token] = []
    is_general = has_thousands_groups = is_after_point = False
    decimal_count = min_decimal_count = trailing_comma_count = percent_count = 0
    for kind, text in tokens:
        match kind:
            case "bracket" if not _COLORS.fullmatch(text):
                raise _UnsupportedFormatCode
            case "exponent":
                raise _UnsupportedFormatCode
            case "other" if text.lower() in _LETTERS_NOT_PLAIN:
                raise _UnsupportedFormatCode
            case "bracket" | "fill":
                pass
            case "width":
                displayed_tokens.append(("text", " "))
            case "general":
                is_general = True
                displayed_tokens.append(("digit", "#"))
            case "digit":
                has_thousands_groups = has_thousands_groups or (
                    trailing_comma_count > 0 and not is_after_point
                )
                trailing_comma_count = 0
                decimal_count += is_after_point
                min_decimal_count += is_after_point and text == "0"
                displayed_tokens.append(("digit", text) if not is_after_point else ("decimal", text))
            case "point" if not is_after_point:
                is_after_point = True
                displayed_tokens.append(("point", text))
            case "comma":
                trailing_comma_count += any(kind == "digit" for kind, _ in displayed_tokens)
            case "percent":
                percent_count += 1
                displayed_tokens.append(("text", text))
            case _:
                displayed_tokens.append(("text", text))
    if decimal_count > _MAX_DECIMALS:
        raise _UnsupportedFormatCode
    return _Section(
        tuple(displayed_tokens),
        is_general,
        Decimal(1).scaleb(-decimal_count),
        sum(token == ("digit", "0") for token in displayed_tokens),
        min_decimal_count,
        has_thousands_groups,
        2 * percent_count - 3 * trailing_comma_count,
    )


def _apply_section(number: Decimal, section: _Section) -> str:
    """Return the section's literal texts with the digits of the number, which is not negative."""
    scaled_number = number.scaleb(section.exponent)
    if section.is_general:
        integer, decimals = _format_number_in_general_format(float(scaled_number)), ""
    else:
        integer, _, decimals = f"{scaled_number.quantize(section.quantum, ROUND_HALF_UP):f}".partition(".")
        integer = integer.lstrip("0").rjust(section.min_digits, "0")
        decimals = decimals[: section.min_decimals] + decimals[section.min_decimals :].rstrip("0")
    digit_indexes = [index for index, (kind, _) in enumerate(section.displayed_tokens) if kind == "digit"]
    if section.groups_thousands:
        integer = re.sub(r"(?<=\d)(?=(?:\d{3})+\Z)", ",", integer)
        digits_by_place = dict.fromkeys(digit_indexes, "") | (
            {digit_indexes[-1]: integer} if digit_indexes else {}
        )
    else:
        digits_by_place = _distribute_digits_from_right(digit_indexes, integer)
    decimal_digits = iter(decimals)
    formatted_parts = []
    for index, (kind, text) in enumerate(section.displayed_tokens):
        match kind:
            case "digit":
                formatted_parts.append(digits_by_place[index])
            case "decimal":
                formatted_parts.append(next(decimal_digits, ""))
            case "point":
                formatted_parts.append("." if decimals else "")
            case _:
                formatted_parts.append(text)
    return " ".join("".join(formatted_parts).split())


def _distribute_digits_from_right(digit_places: list[int], digits: str) -> dict[int, str]:
    """Return the digits of each place from the right; the first place takes all that are left."""
    digits_by_place = {}
    for digit_place in reversed(digit_places[1:]):
        digits_by_place[digit_place], digits = digits[-1:], digits[:-1]
    return digits_by_place | ({digit_places[0]: digits} if digit_places else {})
