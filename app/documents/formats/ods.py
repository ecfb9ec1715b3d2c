"""ODS: each row of each sheet is a record below the sheet's header."""

from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from app.documents.parsers import parse_errors
from app.documents.parsers.assembly import Assembly
from app.documents.parsers.limits import ParseLimits
from app.documents.parsers.office import check_and_read_container
from app.documents.parsers.opendocument import (
    CELL_TAGS,
    DRAW,
    FO,
    OFFICE,
    TABLE,
    TEXT,
    FlowTextReader,
    OpenDocument,
    OpenDocumentFormat,
    iter_descriptions,
    iter_rows,
    iter_rows_of_values,
    read_comment,
    read_number_or_one,
)
from app.documents.parsers.records import NumberedRow, SheetRecords, note_uncalculated_formulas
from app.documents.parsers.sheet_tables import ColumnSpan
from app.documents.shapes import ParsedDocument


class Ods(OpenDocumentFormat):
    """A workbook of LibreOffice Calc and other programs."""

    name = "ods"
    label = "ODS"
    description = (
        "A chunk for each row, as lines of `column: value` by the header of its table, hidden sheets"
        " called so; comments by their authors, charts and text boxes; citations name sheet and row."
    )
    extensions = ("ods", "ots")
    media_types = (
        "application/vnd.oasis.opendocument.spreadsheet",
        "application/vnd.oasis.opendocument.spreadsheet-template",
    )
    is_record = True

    def parse(self, file_bytes: bytes, limits: ParseLimits) -> ParsedDocument:
        """Return the rows of all sheets. Macros are ignored, and nothing is calculated."""
        return check_and_read_container(
            file_bytes,
            self.label,
            lambda checked_raw: _read_workbook_of_calc(checked_raw, limits),
            checks_parts=False,
        )


def _read_workbook_of_calc(file_bytes: bytes, limits: ParseLimits) -> ParsedDocument:
    document = OpenDocument(file_bytes)
    assembly = Assembly()
    records = SheetRecords(assembly, limits)
    hidden_styles = document.list_names_of_styles_with_attribute(
        "table-properties", f"{TABLE}display", "false"
    )
    bold_styles = document.list_names_of_styles_with_attribute("text-properties", f"{FO}font-weight", "bold")
    for sheet in document.get_body("spreadsheet").iterfind(f"{TABLE}table"):
        hidden_prefix = "hidden " if sheet.get(f"{TABLE}style-name") in hidden_styles else ""
        place = f"{hidden_prefix}sheet {sheet.get(f'{TABLE}name', '')}"
        records.add_rows(
            place,
            _iter_rows(sheet, limits),
            _map_column_spans_by_last_row(sheet),
            _list_bold_rows(sheet, bold_styles),
        )
        for row, column, cell in _iter_cells(sheet):
            for annotation in cell.iterfind(f"{OFFICE}annotation"):
                comment = read_comment(annotation)
                assembly.set_next_place(f"{place}, comment at {_format_column(column)}{row}")
                assembly.add_unsplittable_section(
                    comment.text, speaker=comment.author, said_at=comment.said_at
                )
        drawn_texts = ("\n".join(FlowTextReader().list_texts(shape)) for shape in _iter_shapes(sheet))
        for text in (*document.iter_charts(sheet), *drawn_texts, *iter_descriptions(sheet)):
            assembly.set_next_place(f"{place}, drawing")
            assembly.add_unsplittable_section(text)
        uncalculated_count = sum(
            cell.get(f"{TABLE}formula") is not None and cell.get(f"{OFFICE}value-type") is None
            for _, _, cell in _iter_cells(sheet)
        )
        note_uncalculated_formulas(assembly, place, uncalculated_count)
    document.record_count_of_unread_pictures(assembly)
    title, metadata = document.read_title_and_author()
    return assembly.build(title=title, metadata=metadata)


def _iter_rows(sheet: Any, limits: ParseLimits) -> Iterator[NumberedRow]:
    """Yield number and values of each non-empty row; a repeated row is yielded as often.

    Raises InvalidInput `too_many_rows` and `document_too_large` for excessive repetition.
    """
    character_count = 0
    for row_number, repeat_count, values in iter_rows_of_values(sheet, _format_cell):
        if any(values):
            character_count += repeat_count * sum(map(len, values))
            if repeat_count > limits.rows:
                raise parse_errors.build_too_many_rows_error(limits.rows)
            if character_count > limits.characters:
                raise parse_errors.build_document_too_large_error(limits.characters)
            for repeat_index in range(repeat_count):
                yield row_number + repeat_index, values


def _map_column_spans_by_last_row(sheet: Any) -> dict[int, list[ColumnSpan]]:
    """Return first and last column of the cells merged over columns, by the last of their rows."""
    spans_by_row: dict[int, list[ColumnSpan]] = {}
    for row_number, column, cell in _iter_cells(sheet):
        column_count = read_number_or_one(cell, f"{TABLE}number-columns-spanned")
        if column_count > 1:
            last_row = row_number + read_number_or_one(cell, f"{TABLE}number-rows-spanned") - 1
            spans_by_row.setdefault(last_row, []).append((column, column + column_count - 1))
    return spans_by_row


def _list_bold_rows(sheet: Any, bold_styles: Collection[str | None]) -> set[int]:
    """Return the numbers of the rows of which all filled cells are in bold type."""
    bold_rows: set[int] = set()
    other_rows: set[int] = set()
    for row_number, _, cell in _iter_cells(sheet):
        if len(cell):
            is_bold = cell.get(f"{TABLE}style-name") in bold_styles
            (bold_rows if is_bold else other_rows).add(row_number)
    return bold_rows - other_rows


class _StoredCell(NamedTuple):
    """The position and the element of a cell; rows are counted from one, columns from zero."""

    row_number: int
    column: int
    element: Any


def _iter_cells(sheet: Any) -> Iterator[_StoredCell]:
    """Yield each stored cell, once if it is repeated."""
    row_number = 1
    for row in iter_rows(sheet):
        column = 0
        for cell in row:
            if cell.tag in CELL_TAGS:
                yield _StoredCell(row_number, column, cell)
                column += read_number_or_one(cell, f"{TABLE}number-columns-repeated")
        row_number += read_number_or_one(row, f"{TABLE}number-rows-repeated")


def _iter_shapes(sheet: Any) -> Iterator[Any]:
    """Yield the drawings of the sheet, anchored to the page or to a cell."""
    for shape_container in (*sheet.iterfind(f"{TABLE}shapes"), *(cell for _, _, cell in _iter_cells(sheet))):
        yield from (child for child in shape_container if child.tag.startswith(DRAW))


def _format_column(column: int) -> str:
    letters = ""
    column += 1
    while column:
        column, letter = divmod(column - 1, 26)
        letters = chr(65 + letter) + letters
    return letters


def _format_cell(cell: Any) -> str:
    """Return the cell's text: dates and truth values as stored, anything else as shown."""
    value_type = cell.get(f"{OFFICE}value-type")
    # A text box anchored to the cell is not part of its text.
    displayed_text = " ".join(" ".join(map(FlowTextReader().read_text, cell.iterfind(f"{TEXT}p"))).split())
    if value_type == "date":
        date = cell.get(f"{OFFICE}date-value", "")
        return date.removesuffix("T00:00:00").replace("T", " ") or displayed_text
    if value_type == "boolean":
        return cell.get(f"{OFFICE}boolean-value", "") or displayed_text
    return displayed_text or cell.get(f"{OFFICE}value", "")
