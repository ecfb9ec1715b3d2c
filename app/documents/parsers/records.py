"""Records of fields: each becomes one indivisible section of lines."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from app.documents.parsers import parse_errors
from app.documents.parsers.assembly import MAX_HEADING_LENGTH, Assembly, collapse_whitespace
from app.documents.parsers.limits import ParseLimits
from app.documents.parsers.sheet_tables import (
    MAX_HEADER_ROWS,
    MAX_TITLES,
    NO_SPANS,
    Row,
    SheetTable,
    Spans,
    split_sheet_into_tables,
)
from app.documents.parsers.table_lines import format_row
from app.number_words import pluralise

_PROSE_KEYS = ("text", "content", "body")
_NAME_KEYS, _TITLE_KEYS = ("name", "nom"), ("title",)
_FIRST_NAME_KEYS = ("first_name", "first name", "firstname", "given_name", "given name", "vorname", "prénom")
_LAST_NAME_KEYS = ("last_name", "last name", "lastname", "surname", "family_name", "family name", "nachname")
# An identifier, such as "report_2024.pdf" or "left-pad": a title next to it is a better name.
_IDENTIFIER = re.compile(r"\S*[._/\-]\S*")


NumberedRow = tuple[int, Sequence[str]]
"""The number of a row, and the texts of its cells."""


class SheetRecords:
    """Adds the rows of sheets as records, with one limit for all sheets of a workbook."""

    def __init__(self, assembly: Assembly, limits: ParseLimits) -> None:
        self._assembly = assembly
        self._limits = limits
        self._record_count = 0

    def add_rows(
        self,
        place: str,
        rows: Iterable[NumberedRow],
        spans: Spans = NO_SPANS,
        bold_rows: Collection[int] = frozenset(),
    ) -> None:
        """Add numbered rows below the headers of the sheet's tables; the place is "" if the sheet is the
        whole file.

        `spans` are its cells that are merged over columns, `bold_rows` the rows in bold type, known once all
        rows were read. Raises InvalidInput `too_many_rows`.
        """
        place = f"{place}, " if place else ""
        filled_rows: list[Row] = []
        for number, cells in rows:
            filled_cells = {column: cell for column, cell in enumerate(cells) if cell}
            if filled_cells:
                filled_rows.append(Row(number, filled_cells))
            if self._record_count + len(filled_rows) > self._limits.rows + MAX_TITLES + MAX_HEADER_ROWS:
                raise parse_errors.build_too_many_rows_error(self._limits.rows)
        if filled_rows:
            for table in split_sheet_into_tables(filled_rows, spans, bold_rows):
                self._add_table(place, table)

    def _add_table(self, place: str, table: SheetTable) -> None:
        for number, title in table.titles:
            self._assembly.set_next_place(f"{place}row {number}")
            self._assembly.add_block(title)
        if table.has_labels:
            self._add_labels(place, table.rows)
            return
        header = {column: collapse_whitespace(name) for column, name in table.header.items()}
        unfilled_columns = {column for column, name in header.items() if name}
        for number, cells in table.rows:
            unfilled_columns -= cells.keys()
            self._record_count += 1
            if self._record_count > self._limits.rows:
                raise parse_errors.build_too_many_rows_error(self._limits.rows)
            self._assembly.set_next_place(f"{place}row {number}")
            add_titled_record(
                self._assembly,
                [(header.get(column) or f"column {column + 1}", cell) for column, cell in cells.items()],
            )
        if not table.rows:
            # The only row of a table is content, not a header.
            self._assembly.set_next_place(f"{place}row {table.header_row}")
            self._assembly.add_block(format_row(list(table.header.values())))
        elif unfilled_columns:
            # A header cell without values may be a remark beside the table: add it as text.
            self._assembly.set_next_place(f"{place}row {table.header_row}")
            self._assembly.add_block(
                format_row([table.header[column] for column in sorted(unfilled_columns)])
            )

    def _add_labels(self, place: str, rows: Sequence[Row]) -> None:
        """Add labels with their values as one record."""
        self._record_count += 1
        self._assembly.set_next_place(f"{place}rows {rows[0].number} to {rows[-1].number}")
        add_titled_record(
            self._assembly, [(label, value) for label, value in (cells.values() for _, cells in rows)]
        )


def note_uncalculated_formulas(assembly: Assembly, place: str, count: int) -> None:
    """Record how many formulas of the sheet have no stored result, if any."""
    if count:
        assembly.note_omission(
            f"{pluralise(count, 'formula')} of the {place} without a result: open the workbook in its program"
            " and save it, so that the results are stored."
        )


FieldValue = tuple[str, Any]
"""The name of a field, and its value."""


def add_numbered_records(
    assembly: Assembly, limits: ParseLimits, noun: str, records: Iterable[Sequence[FieldValue]]
) -> None:
    """Add records, each with a place such as "event 3". Raises InvalidInput `too_many_rows`."""
    for number, fields in enumerate(records, start=1):
        if number > limits.rows:
            raise parse_errors.build_too_many_rows_error(limits.rows)
        assembly.set_next_place(f"{noun} {number}")
        add_titled_record(assembly, fields)


def list_fields_of_json_value(value: Any) -> list[FieldValue]:
    """Return the fields of a JSON value; a value that is not an object has one, called "value" or "text"."""
    if isinstance(value, dict):
        return list(value.items())
    return [("text" if isinstance(value, str) else "value", value)]


def add_titled_record(assembly: Assembly, named_values: Sequence[FieldValue]) -> None:
    """Add the record, with the name in one of its fields as heading."""
    title_index, title = _find_name_of_record(named_values)
    lines = [title] if title is not None else []
    prose_texts: list[str] = []
    for index, (key, value) in enumerate(named_values):
        if index == title_index:
            continue
        if isinstance(value, str) and key.strip().lower() in _PROSE_KEYS:
            prose_texts.append(value.strip())
        else:
            lines.extend(_iter_field_lines(collapse_whitespace(key), value))
    text_blocks = ["\n".join(lines), *prose_texts]
    heading = title if title is not None and len(title) <= MAX_HEADING_LENGTH else None
    assembly.add_unsplittable_section("\n\n".join(block for block in text_blocks if block), heading=heading)


class _RecordName(NamedTuple):
    """The name of a record and the index of its field; no field if first and last name are joined."""

    field_index: int | None
    name: str | None


def _find_name_of_record(named_values: Sequence[FieldValue]) -> _RecordName:
    name_index = next(
        (index for index, (key, value) in enumerate(named_values) if _is_named_text(key, _NAME_KEYS, value)),
        None,
    )
    title_index = next(
        (index for index, (key, value) in enumerate(named_values) if _is_named_text(key, _TITLE_KEYS, value)),
        None,
    )
    if name_index is None and (full_name := _join_person_name(named_values)) is not None:
        return _RecordName(None, full_name)
    is_name_identifier = (
        name_index is not None and _IDENTIFIER.fullmatch(named_values[name_index][1].strip()) is not None
    )
    naming_index = (
        title_index if name_index is None or (is_name_identifier and title_index is not None) else name_index
    )
    return _RecordName(
        naming_index, None if naming_index is None else collapse_whitespace(named_values[naming_index][1])
    )


def _join_person_name(named_values: Sequence[FieldValue]) -> str | None:
    """Return first and last name joined, or None unless the record has both."""
    name_parts = [
        next(
            (collapse_whitespace(value) for key, value in named_values if _is_named_text(key, keys, value)),
            None,
        )
        for keys in (_FIRST_NAME_KEYS, _LAST_NAME_KEYS)
    ]
    return " ".join(name_part for name_part in name_parts if name_part) if all(name_parts) else None


def _is_named_text(name: str, keys: Sequence[str], value: Any) -> bool:
    return name.strip().lower() in keys and isinstance(value, str) and bool(value.strip())


def _iter_field_lines(key: str, value: Any) -> Iterator[str]:
    """Yield `key: value` lines, with keys of nested objects joined by dots; nothing for an empty value."""
    if isinstance(value, dict):
        for name, inner_value in value.items():
            yield from _iter_field_lines(f"{key}.{collapse_whitespace(name)}", inner_value)
    elif isinstance(value, list):
        scalars = [_format_field_value(element) for element in value if not isinstance(element, (dict, list))]
        if text := ", ".join(element for element in scalars if element):
            yield f"{key}: {text}"
        for number, inner_value in enumerate(value, start=1):
            if isinstance(inner_value, (dict, list)):
                yield from _iter_field_lines(f"{key}.{number}", inner_value)
    elif text := _format_field_value(value):
        yield f"{key}: {text}"


def _format_field_value(value: Any) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value).strip()
