"""DOCX: paragraphs and tables in reading order, under their headings."""

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.documents.parsers import archive, faults
from app.documents.parsers.assembly import Assembly, scrub
from app.documents.parsers.file_format import ZipFormat
from app.documents.parsers.limits import ParseLimits
from app.documents.parsers.office import read_container
from app.documents.shapes import ParsedDocument
from app.lazy import LazyModule

if TYPE_CHECKING:
    import docx.opc.part
    import docx.package
    import docx.parts.document
    import docx.table
    from docx.table import Table
    from docx.text.paragraph import Paragraph
else:
    docx = LazyModule("docx")

_HEADING = re.compile(r"heading ([1-9])", re.IGNORECASE)
_DEEPEST_TABLE = 10
# With macros, and templates: the library would refuse them by their type alone.
_OTHER_TYPES = (
    "application/vnd.ms-word.document.macroEnabled.main+xml",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml",
    "application/vnd.ms-word.template.macroEnabledTemplate.main+xml",
)
_NAMESPACE = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_PAGE_BREAK = f"{_NAMESPACE}lastRenderedPageBreak"
_TEXT = f"{_NAMESPACE}t"


class Docx(ZipFormat):
    """A document of Word."""

    name = "docx"
    label = "DOCX"
    reads = (
        "The text of a Word document in reading order under its headings, a table's rows as lines; citations"
        " name the section, and the page where Word noted it."
    )
    extensions = ("docx", "docm", "dotx", "dotm")
    media_types = (
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.template",
        "application/vnd.ms-word.document.macroenabled.12",
        "application/vnd.ms-word.template.macroenabled.12",
    )
    libraries = ("docx", "docx.opc.part", "docx.package", "docx.parts.document")
    main_part = "word/document.xml"

    def parse(self, raw: bytes, limits: ParseLimits) -> ParsedDocument:  # noqa: ARG002
        """The body's text."""
        return parse_docx(raw)


def parse_docx(raw: bytes) -> ParsedDocument:
    """The body's text; title styles and headings become sections, table rows become lines.

    Raises InvalidInput: `archive_refused` for a hostile container or XML that declares entities,
    `damaged_document`, or `empty_document`.
    """
    if Docx.main_part not in archive.check_directory(raw):
        raise faults.damaged_document("The Word document has no text part.")
    return read_container(raw, "Word", _read)


def _read(raw: bytes) -> ParsedDocument:
    docx.opc.part.PartFactory.part_type_for |= dict.fromkeys(_OTHER_TYPES, docx.parts.document.DocumentPart)
    document = docx.package.Package.open(io.BytesIO(raw)).main_document_part.document
    assembly = Assembly(sections_are_places=True)
    pages = _Pages()
    for item in document.iter_inner_content():
        if isinstance(item, docx.table.Table):
            pages.enter(assembly, item._tbl)
            assembly.block("\n".join(_rows(item, 0)), noun="table")
        else:
            pages.enter(assembly, item._p)
            _add_paragraph(assembly, item)
    properties = document.core_properties
    metadata = {"author": scrub(properties.author)} if properties.author else {}
    return assembly.build(title=scrub(properties.title) or assembly.first_heading, metadata=metadata)


@dataclass
class _Pages:
    """The pages as they were when Word saved the document; other programs leave no marks of pages."""

    number: int = 1
    _is_marked: bool | None = None

    def enter(self, assembly: Assembly, element: Any) -> None:
        """Say the page on which the paragraph or table begins, and count those on which it goes on."""
        if self._is_marked is None:
            self._is_marked = element.getroottree().find(f".//{_PAGE_BREAK}") is not None
        if not self._is_marked:
            return
        has_text = False
        breaks_after = 0
        for node in element.iter(_PAGE_BREAK, _TEXT):
            if node.tag == _TEXT:
                has_text = has_text or bool((node.text or "").strip())
            elif has_text:
                breaks_after += 1
            else:
                self.number += 1
        assembly.page(self.number)
        self.number += breaks_after


def _add_paragraph(assembly: Assembly, paragraph: "Paragraph") -> None:
    text = scrub(paragraph.text)
    style = (paragraph.style.name or "") if paragraph.style is not None else ""
    if style.lower() == "title":
        assembly.heading(0, text)
    elif match := _HEADING.fullmatch(style):
        assembly.heading(int(match[1]), text)
    else:
        is_item = style.lower().startswith("list") and bool(text.strip())
        assembly.block(f"- {text}" if is_item else text, list_item=is_item)


def _rows(table: "Table", depth: int) -> Iterator[str]:
    if depth > _DEEPEST_TABLE:
        return
    for row in table.rows:
        cells: list[str] = []
        cell_ids: set[int] = set()
        for cell in row.cells:
            # A merged cell comes back once for each column that it spans.
            if id(cell._tc) not in cell_ids:
                cell_ids.add(id(cell._tc))
                cells.append(" ".join(scrub(cell.text).split()))
                for inner in cell.tables:
                    cells.extend(_rows(inner, depth + 1))
        if any(cells):
            yield " | ".join(cells)
