"""OpenDocument files (odt, ods, odp): their parts, and the text of their elements."""

import io
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, NamedTuple

from defusedxml.ElementTree import fromstring

from app.documents.document_dates import parse_first_date
from app.documents.parsers import parse_errors
from app.documents.parsers.assembly import Assembly, remove_characters_refused_in_texts
from app.documents.parsers.drawings import extract_alternative_text, format_mathml
from app.documents.parsers.file_format import FileContent, ZipFormat
from app.documents.parsers.office import TitleAndMetadata
from app.documents.parsers.table_lines import format_row, format_table_as_lines, join_cell

_URN = "urn:oasis:names:tc:opendocument:xmlns:"
OFFICE, TEXT, TABLE = f"{{{_URN}office:1.0}}", f"{{{_URN}text:1.0}}", f"{{{_URN}table:1.0}}"
DRAW, STYLE = f"{{{_URN}drawing:1.0}}", f"{{{_URN}style:1.0}}"
FO = f"{{{_URN}xsl-fo-compatible:1.0}}"
PRESENTATION = f"{{{_URN}presentation:1.0}}"
_CHART_NAMESPACE = f"{{{_URN}chart:1.0}}"
_SVG_NAMESPACE = f"{{{_URN}svg-compatible:1.0}}"
_DESCRIPTION_TAGS = (f"{_SVG_NAMESPACE}desc", f"{_SVG_NAMESPACE}title")
_FORMULA_TAG = "{http://www.w3.org/1998/Math/MathML}math"
_DC_NAMESPACE = "{http://purl.org/dc/elements/1.1/}"
_XLINK_NAMESPACE = "{http://www.w3.org/1999/xlink}"
_MAX_DEPTH = 60
# More columns and spaces than a person writes; a hostile file may declare a billion.
_MAX_COLUMNS, _MAX_SPACES = 2_000, 100
_MANIFEST_ENTRY, _MEDIA_TYPE_ENTRY = "META-INF/manifest.xml", "mimetype"
_MANIFEST_BYTES = 1024 * 1024
_TRACKED_CHANGES_TAG = f"{TEXT}tracked-changes"
# The table of contents only repeats headings.
_CONTENTS_TAG = f"{TEXT}table-of-content"
_SHAPE_NAMES = (
    "custom-shape",
    "rect",
    "ellipse",
    "line",
    "connector",
    "polygon",
    "path",
    "caption",
    "text-box",
)
SHAPE_TAGS = tuple(f"{DRAW}{name}" for name in _SHAPE_NAMES)
_ROW_GROUP_TAGS = tuple(f"{TABLE}{name}" for name in ("table-header-rows", "table-rows", "table-row-group"))
_CELL_TAG, _COVERED_CELL_TAG = f"{TABLE}table-cell", f"{TABLE}covered-table-cell"
CELL_TAGS = (_CELL_TAG, _COVERED_CELL_TAG)


class OpenDocumentFormat(ZipFormat):
    """A format of the OpenDocument family: ZIP containers with their media type in one entry."""

    main_part: ClassVar[str] = "content.xml"

    def recognizes(self, content: FileContent) -> bool:
        """Return whether the container declares this format's media type."""
        if not {self.main_part, _MEDIA_TYPE_ENTRY} <= content.entries:
            return False
        return (
            _read_start_of_entry(content.raw, _MEDIA_TYPE_ENTRY, 200).decode("ascii", "replace").strip()
            in self.media_types
        )

    def check(self, content: FileContent) -> None:
        """Refuse other files and containers, and encrypted ones."""
        super().check(content)
        if b"encryption-data" in _read_start_of_entry(content.raw, _MANIFEST_ENTRY, _MANIFEST_BYTES):
            raise parse_errors.build_encrypted_document_error()
        if _MEDIA_TYPE_ENTRY in content.entries and not self.recognizes(content):
            raise parse_errors.build_misnamed_file_error(self.label)


def _read_start_of_entry(file_bytes: bytes, name: str, size: int) -> bytes:
    """Return the first bytes of an entry; b"" if it is missing or cannot be unpacked."""
    try:
        with zipfile.ZipFile(io.BytesIO(file_bytes)) as container, container.open(name) as entry:
            return entry.read(size)
    except (KeyError, OSError, RuntimeError, ValueError, zipfile.BadZipFile, EOFError, zlib.error):
        return b""


class OpenDocument:
    """The parts of a container that was already checked."""

    def __init__(self, file_bytes: bytes) -> None:
        self._container = zipfile.ZipFile(io.BytesIO(file_bytes))
        self._entry_names = frozenset(self._container.namelist())
        self.content = self._parse_entry("content.xml")
        self.styles = self._parse_entry("styles.xml") if "styles.xml" in self._entry_names else None

    def _parse_entry(self, name: str) -> Any:
        return fromstring(self._container.read(name), forbid_dtd=True)

    def get_body(self, kind: str) -> Any:
        """Return the element with the text, sheets or slides. Raises `damaged_document`."""
        body = self.content.find(f"{OFFICE}body/{OFFICE}{kind}")
        if body is None:
            raise parse_errors.build_damaged_document_error("The document has no body of its format")
        return body

    def iter_styles(self) -> Iterator[Any]:
        """Yield the styles of the document, automatic ones last."""
        for root in (self.styles, self.content):
            if root is not None:
                yield from root.iter(f"{STYLE}style")

    def list_names_of_styles_with_attribute(
        self, property_element: str, attribute: str, value: str
    ) -> set[str | None]:
        """Return the names of styles in whose element of properties the attribute has this value."""
        return {
            style.get(f"{STYLE}name")
            for style in self.iter_styles()
            for element in style.iterfind(f"{STYLE}{property_element}")
            if element.get(attribute) == value
        }

    def read_title_and_author(self) -> TitleAndMetadata:
        """Return the title and the author that the file's properties name."""
        if "meta.xml" not in self._entry_names:
            return TitleAndMetadata("", {})
        meta = self._parse_entry("meta.xml")
        title = remove_characters_refused_in_texts(meta.findtext(f".//{_DC_NAMESPACE}title") or "").strip()
        author = remove_characters_refused_in_texts(meta.findtext(f".//{_DC_NAMESPACE}creator") or "").strip()
        return TitleAndMetadata(title, {"author": author} if author else {})

    def iter_charts(self, element: Any) -> Iterator[str]:
        """Yield the words and numbers of the charts below the element."""
        for draw_object in element.iter(f"{DRAW}object"):
            path = draw_object.get(f"{_XLINK_NAMESPACE}href", "").removeprefix("./") + "/content.xml"
            if path not in self._entry_names:
                continue
            for chart in self._parse_entry(path).iter(f"{_CHART_NAMESPACE}chart"):
                title = chart.find(f"{_CHART_NAMESPACE}title")
                lines = [] if title is None else [" ".join(FlowTextReader().list_texts(title))]
                for table in chart.iter(f"{TABLE}table"):
                    lines += [format_row(cells, has_columns=True) for cells in iter_plain_rows(table)]
                yield "\n".join(line for line in lines if line)

    def iter_formulas(self, element: Any) -> Iterator[str]:
        """Yield the formulas below the element, each in one line."""
        for draw_object in element.iter(f"{DRAW}object"):
            path = (
                draw_object.get(f"{_XLINK_NAMESPACE}href", "").removeprefix("./").rstrip("/") + "/content.xml"
            )
            if path in self._entry_names and (root := self._parse_entry(path)).tag == _FORMULA_TAG:
                yield remove_characters_refused_in_texts(format_mathml(root))

    def record_count_of_unread_pictures(self, assembly: Assembly) -> None:
        """Record how many pictures were not read."""
        # A picture beside a table or a chart is only a preview of it.
        picture_frames = [
            frame
            for frame in self.content.iter(f"{DRAW}frame")
            if frame.find(f"{DRAW}image") is not None
            and all(frame.find(other_tag) is None for other_tag in (f"{DRAW}object", f"{TABLE}table"))
        ]
        assembly.note_unread_objects("picture", len(picture_frames))


@dataclass(frozen=True)
class Comment:
    """A comment on a place in the document."""

    author: str | None
    said_at: datetime | None
    text: str


@dataclass
class FlowTextReader:
    """Reads text and collects what is beside it: notes (noun and text), comments and text boxes."""

    notes: list[tuple[str, str]] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    boxes: list[Any] = field(default_factory=list)

    def read_text(self, element: Any) -> str:
        """Return the text of a paragraph."""
        return remove_characters_refused_in_texts("".join(self._iter_pieces(element, 0))).strip()

    def list_texts(self, element: Any) -> list[str]:
        """Return the paragraphs below the element, including those in lists and tables."""
        texts = (self.read_text(paragraph) for paragraph in iter_paragraphs(element))
        return [text for text in texts if text]

    def _iter_pieces(self, element: Any, depth: int) -> Iterator[str]:
        if depth > _MAX_DEPTH:
            raise parse_errors.build_too_deep_error(_MAX_DEPTH)
        yield (element.text or "").replace("\n", " ")
        for child in element:
            yield from self._iter_text_and_collect_asides(child, depth)
            yield (child.tail or "").replace("\n", " ")

    def _iter_text_and_collect_asides(self, child: Any, depth: int) -> Iterator[str]:
        if child.tag == f"{TEXT}s":
            yield " " * min(read_number_or_one(child, f"{TEXT}c"), _MAX_SPACES)
        elif child.tag == f"{TEXT}tab":
            yield "\t"
        elif child.tag == f"{TEXT}line-break":
            yield "\n"
        elif child.tag == f"{TEXT}note":
            note_body = child.find(f"{TEXT}note-body")
            if note_body is not None:
                noun = child.get(f"{TEXT}note-class", "footnote")
                self.notes.append((noun, "\n".join(FlowTextReader().list_texts(note_body))))
        elif child.tag == f"{OFFICE}annotation":
            self.comments.append(read_comment(child))
        elif child.tag in (f"{DRAW}frame", f"{DRAW}g", f"{DRAW}a", *SHAPE_TAGS):
            self.boxes.append(child)
        elif child.tag != f"{TEXT}ruby-text":
            yield from self._iter_pieces(child, depth + 1)


def read_comment(annotation: Any) -> Comment:
    """Return the comment of an annotation element."""
    author = remove_characters_refused_in_texts(annotation.findtext(f"{_DC_NAMESPACE}creator") or "").strip()
    text = "\n".join(FlowTextReader().list_texts(annotation))
    return Comment(author or None, parse_first_date([annotation.findtext(f"{_DC_NAMESPACE}date")]), text)


def iter_descriptions(element: Any) -> Iterator[str]:
    """Yield the alternative texts of the drawings in the element, including its own."""
    for drawing in element.iter():
        texts = (extract_alternative_text(drawing.findtext(tag)) for tag in _DESCRIPTION_TAGS)
        if description := next(filter(None, texts), None):
            yield description


def iter_paragraphs(element: Any, depth: int = 0) -> Iterator[Any]:
    """Yield paragraphs and headings below the element in reading order, but none within another."""
    if depth > _MAX_DEPTH:
        raise parse_errors.build_too_deep_error(_MAX_DEPTH)
    for child in element:
        if child.tag in (f"{TEXT}p", f"{TEXT}h"):
            yield child
        elif child.tag not in (_TRACKED_CHANGES_TAG, f"{OFFICE}annotation"):
            yield from iter_paragraphs(child, depth + 1)


def is_deleted_text_or_table_of_contents(element: Any) -> bool:
    """Return whether the element is skipped: deleted text, or a table of contents."""
    return element.tag in (_TRACKED_CHANGES_TAG, _CONTENTS_TAG)


def read_number_or_one(element: Any, attribute: str) -> int:
    """Return the number in the attribute; 1 if it has none."""
    attribute_text = element.get(attribute, "1")
    return int(attribute_text) if attribute_text.isdecimal() and len(attribute_text) < 10 else 1


def iter_rows(table: Any) -> Iterator[Any]:
    """Yield the rows of a table, including those in row groups, but not those of nested tables."""
    pending_elements = list(table)[::-1]
    while pending_elements:
        element = pending_elements.pop()
        if element.tag == f"{TABLE}table-row":
            yield element
        elif element.tag in _ROW_GROUP_TAGS:
            pending_elements += list(element)[::-1]


def list_cells_without_trailing_empty_ones(row: Any) -> list[Any]:
    """Return the cells of a row by column, without empty cells at its end, which only fill the sheet."""
    cells: list[Any] = []
    for cell in row:
        if cell.tag in CELL_TAGS:
            repeat_count = read_number_or_one(cell, f"{TABLE}number-columns-repeated")
            cells += [cell] * min(repeat_count, _MAX_COLUMNS - len(cells))
    while cells and cells[-1].tag == _CELL_TAG and len(cells[-1]) == 0 and not _has_value(cells[-1]):
        cells.pop()
    return cells


def _has_value(cell: Any) -> bool:
    return cell.get(f"{OFFICE}value-type") is not None


def read_cell_text(cell: Any) -> str:
    """Return the text of a cell on one line."""
    return join_cell(
        (text, element.tag == f"{TEXT}list")
        for element in cell
        for text in FlowTextReader().list_texts([element])
    )


class TableRow(NamedTuple):
    """The number of a row, how often it is repeated, and the values of its cells."""

    number: int
    repeat_count: int
    values: list[str]


def iter_rows_of_values(table: Any, read_cell: Callable[[Any], str] = read_cell_text) -> Iterator[TableRow]:
    """Yield the rows with what `read_cell` returns for their cells.

    A vertically merged cell repeats the value above; its own content is not shown by programs.
    """
    row_number = 1
    merged_cells: dict[int, tuple[str, int]] = {}
    for row in iter_rows(table):
        values = []
        for column, cell in enumerate(list_cells_without_trailing_empty_ones(row)):
            cell_above, last_row = merged_cells.get(column, ("", 0))
            value = (
                cell_above if cell.tag == _COVERED_CELL_TAG and row_number <= last_row else read_cell(cell)
            )
            if (spanned_rows := read_number_or_one(cell, f"{TABLE}number-rows-spanned")) > 1:
                merged_cells[column] = (value, row_number + spanned_rows - 1)
            values.append(value)
        repeat_count = read_number_or_one(row, f"{TABLE}number-rows-repeated")
        yield TableRow(row_number, repeat_count, values)
        row_number += repeat_count


def iter_plain_rows(table: Any) -> Iterator[list[str]]:
    """Yield the texts of the cells of each row, once if it is repeated."""
    return (row.values for row in iter_rows_of_values(table))


def render_table(table: Any) -> str:
    """Return the rows of a table as lines."""
    return "\n".join(format_table_as_lines(iter_plain_rows(table)))
