"""Validation of text and ids in input (rules A5 and A6 of docs/reliability.md): clean, bounded in bytes,
refused with fixed sentences.

Every refusal is a pydantic error whose type is one of INPUT_ERROR_CODES and whose message never contains the
value.
"""

import re
import unicodedata
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import AfterValidator, AwareDatetime, BeforeValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from app.domain.address_text import INVISIBLE_CHARACTERS
from app.json_schema import DescribedAnnotation
from app.limits import ADDRESS_BYTES, MARKS, NAME_BYTES, REMARK_BYTES, SEARCH_BYTES, TYPE_NAME_BYTES, Limit

INPUT_ERROR_CODES = frozenset(
    {
        "invalid_character",
        "too_long",
        "too_many_marks",
        "empty_name",
        "invalid_id",
        "invalid_time",
        "too_deep",
        "too_many_keys",
        "too_many_values",
    }
)


# C0 without tab and line feed, DEL, C1, and lone surrogates, which no database stores.
_CONTROL_RANGES = r"\u0000-\u0008\u000b-\u001f\u007f-\u009f"
_CONTROLS = re.compile(f"[{_CONTROL_RANGES}\ud800-\udfff]")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?([Zz]|[+-]\d\d:\d\d)")


def is_storable(value: str) -> bool:
    """Return whether Postgres can store the text: no NUL and no lone surrogate."""
    if "\x00" in value:
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def clean_text(value: str) -> str:
    """Return the text in NFC with line feeds as line ends.

    Refuses control characters and long runs of combining marks.
    """
    value = value.replace("\r\n", "\n")
    if _CONTROLS.search(value):
        raise PydanticCustomError("invalid_character", "Text may not hold control characters.")
    if value.isascii():
        return value
    _check_combining_marks(value)
    return unicodedata.normalize("NFC", value)


def _check_combining_marks(value: str) -> None:
    """Refuse long runs of combining marks: normalising takes quadratic time in their length (CPython
    gh-149079).
    """
    mark_count = 0
    for character in value:
        mark_count = mark_count + 1 if unicodedata.combining(character) else 0
        if mark_count > MARKS.maximum:
            raise PydanticCustomError(
                "too_many_marks",
                "Text may not hold more than {limit} combining marks in a row.",
                {"limit": MARKS.maximum},
            )


def clean_name(value: str) -> str:
    """Return the name on one line, trimmed, without invisible characters. Refuses a name of which nothing is
    left.
    """
    value = clean_text(INVISIBLE_CHARACTERS.sub("", value))
    value = " ".join(value.split())
    if not value:
        raise PydanticCustomError("empty_name", "A name needs at least one visible character.")
    return value


def _build_cleaning_validator(limit: Limit, clean_text: Callable[[str], str]) -> AfterValidator:
    """Return a validator that checks the length of a text and cleans it."""

    def require_length(value: str) -> str:
        # Characters first: counting them needs no copy of a possibly large text.
        if len(value) > limit.maximum or len(value.encode(errors="replace")) > limit.maximum:
            raise PydanticCustomError("too_long", "The text is over {limit} bytes.", {"limit": limit.maximum})
        return value

    # The length is checked before anything else reads the text, and again after cleaning: normalising may
    # have made it longer.
    return AfterValidator(lambda value: require_length(clean_text(require_length(value))))


def _build_text_schema(limit: Limit, *, min_length: int = 0) -> DescribedAnnotation:
    """Return the JSON schema of a text; it counts characters, each of which has at least one byte."""
    min_length_schema = {"minLength": min_length} if min_length else {}
    return DescribedAnnotation(
        {**min_length_schema, "maxLength": limit.maximum, "pattern": rf"^[^{_CONTROL_RANGES}]*$"}
    )


def _parse_uuid(value: Any) -> Any:
    # Only the canonical form, though Python and Postgres accept braces and URNs too.
    if isinstance(value, UUID):
        return value
    if not isinstance(value, str) or not _UUID.fullmatch(value):
        raise PydanticCustomError("invalid_id", "An id is a uuid with hyphens.")
    return UUID(value)


def _parse_time(value: Any) -> Any:
    if not isinstance(value, str) or not _TIME.fullmatch(value):
        raise PydanticCustomError("invalid_time", "A time is ISO 8601 with its zone: 2026-01-31T12:00:00Z.")
    try:
        # Times before the year 1 in UTC cannot be stored.
        return datetime.fromisoformat(value.upper()).astimezone(UTC)
    except (ValueError, OverflowError):
        raise PydanticCustomError("invalid_time", "There is no such time.") from None


Name = Annotated[
    str, _build_cleaning_validator(NAME_BYTES, clean_name), _build_text_schema(NAME_BYTES, min_length=1)
]
"""A name or title of one line."""

Address = Annotated[
    str, _build_cleaning_validator(ADDRESS_BYTES, clean_name), _build_text_schema(ADDRESS_BYTES, min_length=1)
]
"""The source address of a document, which is a key of an index."""

Remark = Annotated[str, _build_cleaning_validator(REMARK_BYTES, clean_text), _build_text_schema(REMARK_BYTES)]
"""Text of several lines."""

SearchText = Annotated[
    str, _build_cleaning_validator(SEARCH_BYTES, clean_text), _build_text_schema(SEARCH_BYTES)
]
"""A question or search words."""

TypeName = Annotated[
    str,
    _build_cleaning_validator(TYPE_NAME_BYTES, clean_name),
    _build_text_schema(TYPE_NAME_BYTES, min_length=1),
]
"""A node type or relation type."""

Language = Annotated[str, Field(pattern=r"^[a-z]{2}$", description="ISO 639-1 code.")]

Id = Annotated[UUID, BeforeValidator(_parse_uuid), WithJsonSchema({"type": "string", "format": "uuid"})]
"""A uuid written with hyphens."""

Moment = Annotated[
    AwareDatetime, BeforeValidator(_parse_time), WithJsonSchema({"type": "string", "format": "date-time"})
]
"""A time with its zone, as ISO 8601."""


def check_question_or_both_ends(question: str | None, start: str | None, end: str | None) -> None:
    """Raise PydanticCustomError unless there is either a question or both ends of an explanation."""
    has_ends = (start is not None, end is not None)
    if has_ends != ((False, False) if question is not None else (True, True)):
        raise PydanticCustomError("question_or_ends", "Give either a question, or both from and to.")
