"""XLSX: each row of each sheet is a record below the sheet's header."""

import io
import posixpath
import re
import zipfile
from collections.abc import Iterator
from datetime import datetime, timedelta
from datetime import time as day_time
from typing import TYPE_CHECKING, Any, NamedTuple

from defusedxml.ElementTree import fromstring

from app.documents.document_dates import parse_first_date
from app.documents.parsers import parse_errors
from app.documents.parsers.assembly import Assembly, remove_characters_refused_in_texts
from app.documents.parsers.drawings import (
    get_shape_text,
    iter_chart_lines,
    iter_descriptions,
    keep_newest_alternatives,
    record_count_of_unread_pictures,
)
from app.documents.parsers.file_format import ZipFormat
from app.documents.parsers.limits import ParseLimits
from app.documents.parsers.number_formats import format_number
from app.documents.parsers.office import check_and_read_container
from app.documents.parsers.records import NumberedRow, SheetRecords, note_uncalculated_formulas
from app.documents.shapes import ParsedDocument
from app.lazy import LazyModule

if TYPE_CHECKING:
    import openpyxl
else:
    openpyxl = LazyModule("openpyxl")

_UNCALCULATED_CELL = re.compile(rb"(?:</f>|<f\b[^>]*/>)\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>")
_MERGED_RANGE = re.compile(rb'<mergeCell\b[^>]*\bref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"')
_MAX_MERGED_RANGES = 10_000
# The last row of a sheet; the library yields every row before the number that a file gives a row.
_MAX_ROWS = 1_048_576
_SHEET_PATH = re.compile(r"xl/worksheets/[^/]+\.xml")
_EMPTY_SHEET = (
    b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData/></worksheet>'
)
# What a format code shows literally or as a setting, not as a part of the date.
_LITERAL_IN_FORMAT = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|[_*].')
_SHAPE_TAG = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}sp"


def parse_column_letters(letters: str) -> int:
    """Return the number of a column, from 0: A is 0, AA is 26."""
    column_number = 0
    for letter in letters:
        column_number = column_number * 26 + ord(letter) - 64
    return column_number - 1


class Xlsx(ZipFormat):
    """An Excel workbook."""

    name = "xlsx"
    label = "XLSX"
    description = (
        "A chunk for each row, as lines of `column: value` by the header of its table, hidden sheets"
        " called so; comments by their authors, charts and text boxes; citations name sheet and row."
    )
    extensions = ("xlsx", "xlsm", "xltx", "xltm")
    media_types = (
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.template",
        "application/vnd.ms-excel.sheet.macroenabled.12",
        "application/vnd.ms-excel.template.macroenabled.12",
    )
    libraries = ("openpyxl",)
    is_record = True
    main_part = "xl/workbook.xml"

    def parse(self, file_bytes: bytes, limits: ParseLimits) -> ParsedDocument:
        """Return the rows of all sheets. Macros are ignored, and nothing is calculated."""
        return check_and_read_container(
            file_bytes,
            self.label,
            lambda checked_raw: _read_workbook(checked_raw, limits),
            separable_part_pattern=_SHEET_PATH,
            empty_xml=_EMPTY_SHEET,
        )


def _read_workbook(file_bytes: bytes, limits: ParseLimits) -> ParsedDocument:
    workbook = openpyxl.load_workbook(
        io.BytesIO(file_bytes), read_only=True, data_only=True, keep_links=False
    )
    assembly = Assembly()
    sheet_records = SheetRecords(assembly, limits)
    with zipfile.ZipFile(io.BytesIO(file_bytes)) as container:
        for sheet in workbook.worksheets:
            # A sheet may declare a billion cells; without dimensions, rows are as long as their cells.
            sheet.reset_dimensions()
            read_only_sheet: Any = sheet
            ignored_parts = _IgnoredSheetParts(container, read_only_sheet._worksheet_path)
            hidden_prefix = "" if sheet.sheet_state == "visible" else "hidden "
            sheet_place = f"{hidden_prefix}sheet {sheet.title}"
            if ignored_parts.is_damaged:
                assembly.note_omission(f"The {sheet_place} is damaged and was not read.")
            bold_rows: set[int] = set()
            sheet_records.add_rows(
                sheet_place,
                _iter_rows_and_collect_bold_ones(sheet, ignored_parts, bold_rows),
                ignored_parts.spans_by_row,
                bold_rows,
            )
            _add_ignored_parts(assembly, ignored_parts, sheet_place)
    assembly.note_unread_objects("chart sheet", len(workbook.chartsheets))
    title = remove_characters_refused_in_texts(workbook.properties.title or "")
    return assembly.build(title=title or None)


def _iter_rows_and_collect_bold_ones(
    sheet: Any, ignored_parts: "_IgnoredSheetParts", bold_rows: set[int]
) -> Iterator[NumberedRow]:
    """Yield number and values of each row, and add the numbers of those in bold type to `bold_rows`.

    Raises `damaged_document` for a row beyond the last of a sheet.
    """
    is_bold_by_style: dict[int, bool] = {}
    for row_number, cells in enumerate(sheet.iter_rows(), start=1):
        if row_number > _MAX_ROWS:
            raise parse_errors.build_damaged_document_error(
                "A sheet of the workbook numbers more rows than one can have"
            )
        cell_texts = [_format_cell(cell) for cell in cells]
        filled_cells = [cell for cell, cell_text in zip(cells, cell_texts, strict=True) if cell_text]
        if filled_cells and all(_is_bold(cell, is_bold_by_style) for cell in filled_cells):
            bold_rows.add(row_number)
        ignored_parts.fill_merged_cells(row_number, cell_texts)
        yield row_number, cell_texts


def _is_bold(cell: Any, is_bold_by_style: dict[int, bool]) -> bool:
    """Return whether the filled cell is in bold type; a style that the workbook lacks is not."""
    style_id = cell._style_id
    if style_id not in is_bold_by_style:
        try:
            is_bold_by_style[style_id] = bool(cell.font.b)
        except (IndexError, AttributeError, TypeError):
            is_bold_by_style[style_id] = False
    return is_bold_by_style[style_id]


def _add_ignored_parts(assembly: Assembly, ignored_parts: "_IgnoredSheetParts", sheet_place: str) -> None:
    """Add the sheet's comments and drawings at this place, and note what is omitted."""
    for cell, author, said_at, text in ignored_parts.iter_comments():
        assembly.set_next_place(f"{sheet_place}, comment at {cell}")
        assembly.add_unsplittable_section(text, speaker=author or None, said_at=said_at)
    for drawn_text in ignored_parts.iter_drawn_texts():
        assembly.set_next_place(f"{sheet_place}, drawing")
        assembly.add_unsplittable_section(drawn_text)
    record_count_of_unread_pictures(assembly, *ignored_parts.list_drawing_roots())
    note_uncalculated_formulas(assembly, sheet_place, ignored_parts.uncalculated_count)


class _Comment(NamedTuple):
    cell: str
    author: str
    said_at: datetime | None
    text: str


class _IgnoredSheetParts:
    """Parts of a sheet that the library ignores: merged cells, comments, drawings, missing results."""

    def __init__(self, container: zipfile.ZipFile, sheet_path: str) -> None:
        self._container = container
        self._part_names = frozenset(container.namelist())
        self._sheet_path = sheet_path
        sheet_xml = container.read(sheet_path)
        self.is_damaged = sheet_xml == _EMPTY_SHEET
        self.uncalculated_count = len(_UNCALCULATED_CELL.findall(sheet_xml))
        # Only the first column of a vertical merge: a title over many columns is not a value of each.
        self._merged_columns_by_row: dict[int, list[tuple[int, int]]] = {}
        self.spans_by_row: dict[int, list[tuple[int, int]]] = {}
        for first_letters, first_row, last_letters, last_row in _MERGED_RANGE.findall(sheet_xml)[
            :_MAX_MERGED_RANGES
        ]:
            first_column, last_column = map(
                parse_column_letters, (first_letters.decode(), last_letters.decode())
            )
            self._merged_columns_by_row.setdefault(int(first_row), []).append((first_column, int(last_row)))
            if last_column > first_column:
                self.spans_by_row.setdefault(int(last_row), []).append((first_column, last_column))
        self._open_merges: dict[int, tuple[str, int]] = {}

    def fill_merged_cells(self, row_number: int, cell_texts: list[str]) -> None:
        """Copy the value of a vertically merged cell into this row's cells that belong to it."""
        for column, (merged_text, last_row) in list(self._open_merges.items()):
            if row_number > last_row:
                del self._open_merges[column]
            elif any(cell_texts) and not (column < len(cell_texts) and cell_texts[column]):
                cell_texts.extend([""] * (column + 1 - len(cell_texts)))
                cell_texts[column] = merged_text
        for column, last_row in self._merged_columns_by_row.get(row_number, ()):
            if column < len(cell_texts) and cell_texts[column]:
                self._open_merges[column] = (cell_texts[column], last_row)

    def iter_comments(self) -> Iterator[_Comment]:
        """Yield the comments: a cell's conversation, else its note."""
        name_by_id = {
            person.get("id", ""): person.get("displayName", "")
            for part_name in self._part_names
            if part_name.startswith("xl/persons/")
            for person in self._parse_part(part_name)
        }
        threaded_cells: set[str] = set()
        for root in self._iter_related("threadedComment"):
            for comment in root:
                cell = comment.get("ref", "")
                threaded_cells.add(cell)
                author = name_by_id.get(comment.get("personId", ""), "")
                text = comment.findtext("{*}text") or ""
                yield _Comment(
                    cell,
                    remove_characters_refused_in_texts(author),
                    parse_first_date([comment.get("dT")]),
                    remove_characters_refused_in_texts(text),
                )
        for root in self._iter_related("comments"):
            authors = [author.text or "" for author in root.iterfind("{*}authors/{*}author")]
            for comment in root.iterfind("{*}commentList/{*}comment"):
                cell = comment.get("ref", "")
                author_index = comment.get("authorId", "")
                is_known_author = author_index.isdecimal() and int(author_index) < len(authors)
                author = authors[int(author_index)] if is_known_author else ""
                if cell not in threaded_cells:
                    text = "".join(
                        text_element.text or ""
                        for text_element in comment.iter()
                        if text_element.tag.endswith("}t")
                    )
                    yield _Comment(
                        cell,
                        remove_characters_refused_in_texts(author),
                        None,
                        remove_characters_refused_in_texts(text),
                    )

    def list_drawing_roots(self) -> list[Any]:
        """Return the root elements of the sheet's drawings."""
        return list(self._iter_related("drawing"))

    def iter_drawn_texts(self) -> Iterator[str]:
        """Yield the text of charts and text boxes, and the descriptions of drawings."""
        for drawing_path in self._iter_related_paths(self._sheet_path, "drawing"):
            for chart_path in self._iter_related_paths(drawing_path, "chart"):
                yield "\n".join(iter_chart_lines(self._parse_part(chart_path)))
            drawing = self._parse_part(drawing_path)
            keep_newest_alternatives(drawing)
            for shape in drawing.iter(_SHAPE_TAG):
                yield get_shape_text(shape)
            yield from iter_descriptions(drawing)

    def _iter_related(self, relation_kind: str) -> Iterator[Any]:
        for part_path in self._iter_related_paths(self._sheet_path, relation_kind):
            yield self._parse_part(part_path)

    def _iter_related_paths(self, part_path: str, relation_kind: str) -> Iterator[str]:
        """Yield the paths of the related parts of this kind."""
        folder, part_name = posixpath.split(part_path)
        relations_path = posixpath.join(folder, "_rels", f"{part_name}.rels")
        if relations_path not in self._part_names:
            return
        for relation in self._parse_part(relations_path):
            target_path = posixpath.normpath(posixpath.join("/", folder, relation.get("Target", ""))).lstrip(
                "/"
            )
            if (
                relation.get("Type", "").rpartition("/")[2] == relation_kind
                and target_path in self._part_names
            ):
                yield target_path

    def _parse_part(self, part_path: str) -> Any:
        return fromstring(self._container.read(part_path), forbid_dtd=True)


def _format_cell(cell: Any) -> str:
    """Return the cell's text: numbers as shown, dates in ISO 8601 as far as they are shown."""
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime):
        return _format_moment_without_hidden_day_or_month(value, cell.number_format or "")
    if isinstance(value, timedelta):
        return _format_duration(value)
    if isinstance(value, (int, float)):
        return format_number(value, cell.number_format)
    return remove_characters_refused_in_texts(str(value)).strip()


def _format_moment_without_hidden_day_or_month(moment: datetime, format_code: str) -> str:
    """Return the date, without the day or month if the format code shows years without these."""
    if moment.time() != day_time():
        return moment.isoformat(" ")
    date_code = _LITERAL_IN_FORMAT.sub("", format_code).lower()
    if "y" in date_code and "d" not in date_code:
        return f"{moment:%Y-%m}" if "m" in date_code else str(moment.year)
    return moment.date().isoformat()


def _format_duration(duration: timedelta) -> str:
    """Return the duration in hours, minutes and seconds, as a cell shows it: 26:00:00."""
    sign = "-" if duration < timedelta() else ""
    minutes, seconds = divmod(round(abs(duration).total_seconds()), 60)
    return f"{sign}{minutes // 60}:{minutes % 60:02}:{seconds:02}"
