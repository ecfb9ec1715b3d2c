"""Parse untrusted JSON: limited depth, numbers as written, NaN as null."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from app.documents.parsers import parse_errors
from app.documents.parsers.limits import DEFAULT_LIMITS
from app.limits import DOCUMENT_DEPTH

_ESCAPE = re.compile(rb"\\(?:u([0-9a-fA-F]{4})|.)", re.DOTALL)


def _read_unknown_number(name: str) -> str | None:
    """Return the text of a number that JSON does not know; None for NaN, by which programs mean a gap."""
    return None if name == "NaN" else name


# Numbers stay text: "9.60" is not 9.6, and 5,000 digits cost nothing.
_DECODER = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=_read_unknown_number)
_WHITE_SPACE = re.compile(r"[ \t\n\r]*")


def load_json_numbers_as_text(
    text: str, *, first_line: int = 1, max_values: int = DEFAULT_LIMITS.values
) -> Any:
    """Return the parsed value, with numbers as strings.

    `first_line` is the document's line on which the text starts. Raises InvalidInput `damaged_document` with
    the line of the fault, `too_deep` beyond 20 levels, or `too_many_values` for more than `max_values`.
    """
    with _raise_parse_error_for_damage(first_line):
        value = _DECODER.decode(text)
    _check_depth_and_size([value], max_values)
    return value


def load_json_values(text: str, *, max_values: int = DEFAULT_LIMITS.values) -> list[Any]:
    """Return the values of a text, one after another, with numbers as strings.

    A text of JSON has one value; programs that append to a file write more. Raises InvalidInput as
    `load_json_numbers_as_text`.
    """
    values: list[Any] = []
    position = _skip_white_space(text, 0)
    with _raise_parse_error_for_damage(1):
        while not values or position < len(text):
            value, position = _DECODER.raw_decode(text, position)
            values.append(value)
            position = _skip_white_space(text, position)
    _check_depth_and_size(values, max_values)
    return values


def _skip_white_space(text: str, start: int) -> int:
    match = _WHITE_SPACE.match(text, start)
    return start if match is None else match.end()


@contextmanager
def _raise_parse_error_for_damage(first_line: int) -> Iterator[None]:
    try:
        yield
    except json.JSONDecodeError as error:
        line = first_line + error.lineno - 1
        raise parse_errors.build_damaged_document_error(
            f"The JSON is not valid at line {line}", "correct it"
        ) from None
    except RecursionError:
        raise parse_errors.build_too_deep_error(DOCUMENT_DEPTH.maximum) from None


def _check_depth_and_size(values: list[Any], max_values: int) -> None:
    level_values = values
    value_count = 0
    for _ in range(DOCUMENT_DEPTH.maximum):
        children: list[Any] = []
        for element in level_values:
            if isinstance(element, dict):
                children.extend(element.values())
            elif isinstance(element, list):
                children.extend(element)
        if not children:
            return
        value_count += len(children)
        if value_count > max_values:
            raise parse_errors.build_too_many_values_error(max_values)
        level_values = [element for element in children if isinstance(element, (dict, list))]
    if level_values:
        raise parse_errors.build_too_deep_error(DOCUMENT_DEPTH.maximum)


def refuse_escapes_that_cannot_be_stored(file_bytes: bytes) -> None:
    """Raise InvalidInput for escaped NULs and lone surrogates, which cannot be stored."""
    if b"\\u" not in file_bytes:
        return
    awaited_position: int | None = None  # where the second half of a pair must stand
    for match in _ESCAPE.finditer(file_bytes):
        code_point = int(match[1], 16) if match[1] else -1
        is_second_surrogate = 0xDC00 <= code_point <= 0xDFFF
        completes_pair = awaited_position == match.start() and is_second_surrogate
        if (is_second_surrogate or awaited_position is not None) and not completes_pair:
            raise parse_errors.build_invalid_character_error("a lone surrogate")
        if code_point == 0:
            raise parse_errors.build_invalid_character_error("a NUL character")
        awaited_position = match.end() if 0xD800 <= code_point <= 0xDBFF else None
    if awaited_position is not None:
        raise parse_errors.build_invalid_character_error("a lone surrogate")
