"""Records of fields: each becomes one indivisible section of lines."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from app.documents.parsers import faults
from app.documents.parsers.assembly import Assembly, collapse_whitespace
from app.documents.parsers.limits import ParseLimits
from app.documents.parsers.table_lines import format_row
from app.number_words import pluralise

_PROSE_KEYS = ("text", "content", "body")
_NAME, _TITLE = ("name", "nom"), ("title",)
_FIRST_NAMES = ("first_name", "first name", "firstname", "given_name", "given name", "vorname", "prénom")
_LAST_NAMES = ("last_name", "last name", "lastname", "surname", "family_name", "family name", "nachname")
# An identifier, such as "report_2024.pdf" or "left-pad": a title next to it is a better name.
_IDENTIFIER = re.compile(r"\S*[._/\-]\S*")
_LONGEST_HEADING = 300
_MOST_TITLES = 3


class SheetRecords:
    """Adds the rows of sheets as records, with one limit for all sheets of a workbook."""

    def __init__(self, assembly: Assembly, limits: ParseLimits) -> None:
        self._assembly = assembly
        self._limits = limits
        self._count = 0

    def add(self, place: str, rows: Iterable[tuple[int, Sequence[str]]]) -> None:
        """Add numbered rows below the header of the sheet at this place, "" if it is the whole file.

        Raises InvalidInput `too_many_rows`.
        """
        place = f"{place}, " if place else ""
        titles, rows = _split_titles((number, cells) for number, cells in rows if any(cells))
        for number, title in titles:
            self._assembly.set_place(f"{place}row {number}")
            self._assembly.add_block(title)
        first_row = next(rows, None)
        if first_row is None:
            return
        header = name_columns(first_row[1])
        count_before = self._count
        unfilled_columns = {column for column, name in enumerate(first_row[1]) if name}
        for number, cells in rows:
            unfilled_columns -= {column for column, cell in enumerate(cells) if cell}
            self._count += 1
            if self._count > self._limits.rows:
                raise faults.too_many_rows(self._limits.rows)
            self._assembly.set_place(f"{place}row {number}")
            add_record(self._assembly, name_cells(header, cells))
        if self._count == count_before:
            # The only row of a sheet is content, not a header.
            self._assembly.set_place(f"{place}row {first_row[0]}")
            self._assembly.add_block(format_row(list(filter(None, first_row[1]))))
        elif unfilled_columns:
            # A header cell without values may be a remark beside the table: add it as text.
            self._assembly.set_place(f"{place}row {first_row[0]}")
            self._assembly.add_block(
                format_row([first_row[1][column] for column in sorted(unfilled_columns)])
            )


def note_uncalculated(assembly: Assembly, place: str, count: int) -> None:
    """Record how many formulas of the sheet have no stored result, if any."""
    if count:
        assembly.note_omission(
            f"{pluralise(count, 'formula')} of the {place} without a result: open the workbook in its program"
            " and save it, so that the results are stored."
        )


def _split_titles(
    rows: Iterator[tuple[int, Sequence[str]]],
) -> tuple[list[tuple[int, str]], Iterator[tuple[int, Sequence[str]]]]:
    """Split off the titles above the header of a table; return them and the remaining rows.

    A title is a row with one cell, above two rows with several; above only one it may be a list's header.
    """
    leading_rows: list[tuple[int, Sequence[str]]] = []
    for row in rows:
        leading_rows.append(row)
        is_table = len(leading_rows) > 1 and all(_count_filled(cells) > 1 for _, cells in leading_rows[-2:])
        if is_table or len(leading_rows) > _MOST_TITLES + 1:
            break
    else:
        is_table = False
    titles = leading_rows[:-2]
    if not is_table or any(_count_filled(cells) > 1 for _, cells in titles):
        titles = []
    remaining_rows = chain(leading_rows[len(titles) :], rows)
    return [(number, next(filter(None, cells))) for number, cells in titles], remaining_rows


def _count_filled(cells: Sequence[str]) -> int:
    return sum(map(bool, cells))


def name_columns(cells: Sequence[str]) -> list[str]:
    """Return column names from the first row; a column without a name is numbered."""
    return [collapse_whitespace(cell) or f"column {number}" for number, cell in enumerate(cells, start=1)]


def name_cells(header: Sequence[str], cells: Sequence[str]) -> list[tuple[str, str]]:
    """Return the cells of a row with their column names; cells beyond the header are numbered."""
    extra_columns = [f"column {number}" for number in range(len(header) + 1, len(cells) + 1)]
    return list(zip([*header, *extra_columns], cells, strict=False))


def add_numbered_records(
    assembly: Assembly, limits: ParseLimits, noun: str, records: Iterable[Sequence[tuple[str, Any]]]
) -> None:
    """Add records, each with a place such as "event 3". Raises InvalidInput `too_many_rows`."""
    for number, fields in enumerate(records, start=1):
        if number > limits.rows:
            raise faults.too_many_rows(limits.rows)
        assembly.set_place(f"{noun} {number}")
        add_record(assembly, fields)


def list_fields(value: Any) -> list[tuple[str, Any]]:
    """Return the fields of a JSON value; a value that is no object has one, called "value" or "text"."""
    if isinstance(value, dict):
        return list(value.items())
    return [("text" if isinstance(value, str) else "value", value)]


def add_record(assembly: Assembly, named_values: Sequence[tuple[str, Any]]) -> None:
    """Add the record, with the name in one of its fields as heading."""
    title_index, title = _find_title(named_values)
    lines = [title] if title is not None else []
    prose_texts: list[str] = []
    for index, (key, value) in enumerate(named_values):
        if index == title_index:
            continue
        if isinstance(value, str) and key.strip().lower() in _PROSE_KEYS:
            prose_texts.append(value.strip())
        else:
            lines.extend(_iter_lines(collapse_whitespace(key), value))
    parts = ["\n".join(lines), *prose_texts]
    heading = title if title is not None and len(title) <= _LONGEST_HEADING else None
    assembly.add_indivisible("\n\n".join(name_part for name_part in parts if name_part), heading=heading)


def _find_title(named_values: Sequence[tuple[str, Any]]) -> tuple[int | None, str | None]:
    """Return the index of the field that names the record (None for first and last name), and the name."""
    name_index = next(
        (index for index, (key, value) in enumerate(named_values) if _is_named_text(key, _NAME, value)), None
    )
    title_index = next(
        (index for index, (key, value) in enumerate(named_values) if _is_named_text(key, _TITLE, value)), None
    )
    if name_index is None and (full_name := _join_person_name(named_values)) is not None:
        return None, full_name
    is_identified = (
        name_index is not None and _IDENTIFIER.fullmatch(named_values[name_index][1].strip()) is not None
    )
    position = (
        title_index if name_index is None or (is_identified and title_index is not None) else name_index
    )
    return position, None if position is None else collapse_whitespace(named_values[position][1])


def _join_person_name(named_values: Sequence[tuple[str, Any]]) -> str | None:
    """Return first and last name joined, or None unless the record has both."""
    parts = [
        next(
            (collapse_whitespace(value) for key, value in named_values if _is_named_text(key, keys, value)),
            None,
        )
        for keys in (_FIRST_NAMES, _LAST_NAMES)
    ]
    return " ".join(name_part for name_part in parts if name_part) if all(parts) else None


def _is_named_text(name: str, keys: Sequence[str], value: Any) -> bool:
    return name.strip().lower() in keys and isinstance(value, str) and bool(value.strip())


def _iter_lines(key: str, value: Any) -> Iterator[str]:
    """Yield `key: value` lines, with keys of nested objects joined by dots; nothing for an empty value."""
    if isinstance(value, dict):
        for name, inner_value in value.items():
            yield from _iter_lines(f"{key}.{collapse_whitespace(name)}", inner_value)
    elif isinstance(value, list):
        scalars = [_format_field_value(element) for element in value if not isinstance(element, (dict, list))]
        if text := ", ".join(element for element in scalars if element):
            yield f"{key}: {text}"
        for number, inner_value in enumerate(value, start=1):
            if isinstance(inner_value, (dict, list)):
                yield from _iter_lines(f"{key}.{number}", inner_value)
    elif text := _format_field_value(value):
        yield f"{key}: {text}"


def _format_field_value(value: Any) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value).strip()
