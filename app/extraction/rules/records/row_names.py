"""The value that names a row of a record, or the clause that it has in place of a name; pure."""

from collections.abc import Sequence

from app.domain.node_types import PEOPLE
from app.domain.relation_type import WORK
from app.extraction.rules.english.date_patterns import ANY_DATE
from app.extraction.rules.name_kinds import decide_kind, vote_for_kind_by_name
from app.extraction.rules.records.clause_cells import is_clause
from app.extraction.rules.records.headers import (
    CATEGORY_BY_HEADER,
    CATEGORY_BY_NAMING_KEY,
    IDENTIFIER_WORDS,
    LOCATION_KEYS,
    NAMING_KEYS,
    NON_NAMING_WORDS,
    find_column,
)
from app.extraction.rules.records.lines import Record, Value
from app.extraction.rules.records.states import VALUES_WITHOUT_NAME
from app.graph.names import may_node_have_name, normalise_name

_MAX_NAME_LENGTH = 120
_YEAR_DIGITS = 4
NAME_KEYS = ("name", "title")
_NAME_KEYS_OF_THINGS = [key for key in NAMING_KEYS if key not in LOCATION_KEYS]
_NAME_KEYS_OF_PLACES = [key for key in NAMING_KEYS if key in LOCATION_KEYS]


def find_row_name(record: Record, object_path: str = "") -> Value | None:
    """Return the value that names the record, or the object at path `object_path`; None if none does.

    "Sign the contract with Acme" names nothing, unless the record has an identifier or is a work.
    """
    naming_value = _find_naming_value(record, object_path)
    return (
        None if naming_value is None or _is_clause_of_row(record, object_path, naming_value) else naming_value
    )


def find_row_clause(record: Record, object_path: str = "") -> Value | None:
    """Return the clause that a record has in place of its name; None if it has none."""
    naming_value = _find_naming_value(record, object_path)
    return (
        naming_value
        if naming_value is not None and _is_clause_of_row(record, object_path, naming_value)
        else None
    )


def _is_clause_of_row(record: Record, object_path: str, value: Value) -> bool:
    """Return whether the value in the place of a row's name is a clause, and no title of a ticket or work."""
    headers = [value.header for value in record.values if value.object_path == object_path]
    has_identifier = bool(headers) and not IDENTIFIER_WORDS.isdisjoint(headers[0].split("_"))
    categories = {CATEGORY_BY_NAMING_KEY.get(value.header), *map(CATEGORY_BY_HEADER.get, headers)}
    return not has_identifier and WORK not in categories and is_clause(value.text)


def _find_naming_value(record: Record, object_path: str) -> Value | None:
    """Return the value of the key or column that names the record; None if there is none."""
    if not object_path and record.title is not None:
        # "December 1, 2015" above fields is their date; "2015 Budget" names something.
        date_match = ANY_DATE.match(record.title.text.lower())
        is_date = date_match is not None and date_match.end() > _YEAR_DIGITS
        return record.title if can_be_name(record.title.text) and not is_date else None
    object_values = [value for value in record.values if value.object_path == object_path]
    naming_value = _find_name_under_headers(
        (*NAME_KEYS, *_NAME_KEYS_OF_THINGS), object_values
    ) or _find_first_column_name(object_values)
    if naming_value is not None or object_path:
        return naming_value
    # "office,city": a location names a row only if nothing else may.
    place_value = _find_name_under_headers(_NAME_KEYS_OF_PLACES, object_values)
    values_before = (
        object_values if place_value is None else object_values[: object_values.index(place_value)]
    )
    return None if any(map(_is_name_below_header_without_relation, values_before)) else place_value


def _find_name_under_headers(preferred_headers: Sequence[str], values: Sequence[Value]) -> Value | None:
    """Return the value that can name the row under the first of these headers that has one, or None."""
    value_by_header = {value.header: value for value in reversed(values)}
    naming_values = (value_by_header[header] for header in preferred_headers if header in value_by_header)
    return next((value for value in naming_values if can_be_name(value.text)), None)


def _find_first_column_name(values: Sequence[Value]) -> Value | None:
    """Return the first value of a row that may be its name, if another column states something; else None.

    A header that relates rows to things names the row only if no other column may: "Department, Supervisor".
    """
    candidates = [value for value in values if NON_NAMING_WORDS.isdisjoint(value.header.split("_"))]
    if not candidates or not _is_capitalised_name(candidates[0]):
        return None
    first_candidate, *other_candidates = candidates
    column = find_column(first_candidate.header, None)
    if column is not None and (
        column.value_kind in ("", *PEOPLE)
        or any(map(_is_name_below_header_without_relation, other_candidates))
    ):
        return None
    is_described = any(
        find_column(value.header, None) is not None or find_kind_by_name(value.text) in PEOPLE
        for value in values
        if value is not first_candidate
    )
    return first_candidate if is_described else None


def _is_capitalised_name(value: Value) -> bool:
    return value.text[:1].isupper() and can_be_name(value.text)


def _is_name_below_header_without_relation(value: Value) -> bool:
    """Return whether a value may be what its row is about: a name below a header that relates nothing."""
    has_non_naming_header = not NON_NAMING_WORDS.isdisjoint(value.header.split("_"))
    return (
        not has_non_naming_header and _is_capitalised_name(value) and find_column(value.header, None) is None
    )


def find_kind_by_name(text: str) -> str | None:
    """Return the kind that a name itself shows; None if it shows none."""
    words = text.split()
    kind, is_certain = decide_kind(
        vote_for_kind_by_name(normalise_name(text), words, [word.lower() for word in words])
    )
    return kind if is_certain else None


def can_be_name(text: str) -> bool:
    return (
        len(text) <= _MAX_NAME_LENGTH and may_node_have_name(text) and text.lower() not in VALUES_WITHOUT_NAME
    )
