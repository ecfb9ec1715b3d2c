"""DOCX: paragraphs and tables in reading order under their headings, then notes, comments and margins."""

import io
import re
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.documents.document_dates import parse_first_date
from app.documents.formats.html import extract_visible_text
from app.documents.parsers import archive, parse_errors
from app.documents.parsers.assembly import Assembly, remove_characters_refused_in_texts
from app.documents.parsers.decoding import decode_with_detected_encoding
from app.documents.parsers.drawings import (
    FORMULA_TAG,
    MATH_NAMESPACE,
    format_formula,
    iter_descriptions,
    iter_drawn_texts,
    keep_newest_alternatives,
    record_count_of_unread_pictures,
)
from app.documents.parsers.file_format import ZipFormat
from app.documents.parsers.limits import ParseLimits
from app.documents.parsers.office import check_and_read_container, read_title_and_author
from app.documents.parsers.table_lines import format_table_as_lines, join_cell
from app.documents.shapes import ParsedDocument
from app.lazy import LazyModule

if TYPE_CHECKING:
    import docx.opc.part
    import docx.oxml.parser
    import docx.package
    import docx.parts.document
    import docx.styles
    import docx.table
    import docx.text.paragraph
    from docx.table import Table
    from docx.text.paragraph import Paragraph
else:
    docx = LazyModule("docx")

_HEADING_STYLE = re.compile(r"heading ([1-9])", re.IGNORECASE)
# More columns than Word allows; a hostile file may declare a billion.
_MAX_COLUMNS_OF_CELL = 100
# Content types with macros, and of templates, which the library would refuse.
_OTHER_CONTENT_TYPES = (
    "application/vnd.ms-word.document.macroEnabled.main+xml",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml",
    "application/vnd.ms-word.template.macroEnabledTemplate.main+xml",
)
_NAMESPACE = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_PAGE_BREAK_TAG = f"{_NAMESPACE}lastRenderedPageBreak"
_TEXT_TAG = f"{_NAMESPACE}t"
_RELATION_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_TEXT_BOX_TAG = f"{_NAMESPACE}txbxContent"
# Elements that are replaced by their content: fields, content controls, tracked insertions.
_CONTAINER_TAGS = (
    *(f"{_NAMESPACE}{tag}" for tag in ("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag")),
    *(f"{_NAMESPACE}{tag}" for tag in ("fldSimple", "dir", "bdo")),
    f"{MATH_NAMESPACE}oMathPara",
)
_DELETED_TAGS = tuple(f"{_NAMESPACE}{tag}" for tag in ("del", "moveFrom", "sdtPr", "sdtEndPr"))
_MAX_SUBJECT_LENGTH = 80
# The paragraph styles of the document being read, by id.
_styles_of_document: ContextVar[dict[str | None, "_Style"]] = ContextVar("styles_of_document")


class Docx(ZipFormat):
    """A Word document."""

    name = "docx"
    label = "DOCX"
    description = (
        "The text of a Word document in reading order under its headings, a table's rows as lines, text boxes"
        " and charts; beside it footnotes, comments by their authors, headers and footers, named as such;"
        " citations name the section, and the page where Word noted it."
    )
    extensions = ("docx", "docm", "dotx", "dotm")
    media_types = (
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.template",
        "application/vnd.ms-word.document.macroenabled.12",
        "application/vnd.ms-word.template.macroenabled.12",
    )
    libraries = ("docx", "docx.opc.part", "docx.oxml.parser", "docx.package", "docx.parts.document")
    main_part = "word/document.xml"

    def parse(self, file_bytes: bytes, limits: ParseLimits) -> ParsedDocument:  # noqa: ARG002
        """Return the text of the document."""
        return parse_docx(file_bytes)


def parse_docx(file_bytes: bytes) -> ParsedDocument:
    """Return the text of the document; title styles and headings become sections, table rows become lines.

    Raises InvalidInput: `archive_refused` for a hostile container or XML that declares entities,
    `damaged_document`, or `empty_document`.
    """
    if Docx.main_part not in archive.check_directory_and_list_names(file_bytes):
        raise parse_errors.build_damaged_document_error("The Word document has no text part")
    return check_and_read_container(file_bytes, "Word", _read_document)


def _read_document(file_bytes: bytes) -> ParsedDocument:
    docx.opc.part.PartFactory.part_type_for |= dict.fromkeys(
        _OTHER_CONTENT_TYPES, docx.parts.document.DocumentPart
    )
    document = docx.package.Package.open(io.BytesIO(file_bytes)).main_document_part.document
    document_part = document.part
    body = document.element.body
    _remove_deleted_text_and_unread_wrappers(body)
    assembly = Assembly(sections_are_places=True)
    assembly.note_unread_objects(
        "inserted file", _inline_inserted_files_and_count_unread(body, document_part)
    )
    _styles_of_document.set(_map_paragraph_styles_by_id(document.styles))
    pages = _Pages()
    for content_block in document.iter_inner_content():
        element = content_block._tbl if isinstance(content_block, docx.table.Table) else content_block._p
        pages.set_page_and_count_breaks(assembly, element)
        if isinstance(content_block, docx.table.Table):
            for block in _iter_table_blocks(content_block):
                assembly.add_block(block, noun="table")
        else:
            _add_paragraph(assembly, content_block)
        for box in element.iter(_TEXT_BOX_TAG):
            for text in _iter_texts(box):
                assembly.add_block(text, noun="text box")
        for text in iter_drawn_texts(element, document_part, docx.oxml.parser.parse_xml):
            assembly.add_block(text, noun="chart")
        for text in iter_descriptions(element):
            assembly.add_block(text, noun="picture")
    _add_footnotes_and_endnotes(assembly, document_part, body)
    _add_comments(assembly, document_part, body)
    _add_headers_and_footers(assembly, document_part)
    record_count_of_unread_pictures(assembly, body)
    title, metadata = read_title_and_author(document, document_part.package.rels.values())
    return assembly.build(title=title or assembly.first_heading, metadata=metadata)


def _inline_inserted_files_and_count_unread(body: Any, document_part: Any) -> int:
    """Replace embedded HTML and text files by paragraphs; return the number of files in other formats."""
    unread_count = 0
    for inserted_file in list(body.iter(f"{_NAMESPACE}altChunk")):
        relation = document_part.rels.get(inserted_file.get(_RELATION_ID))
        content_type = (
            "" if relation is None or relation.is_external else relation.target_part.content_type.lower()
        )
        if content_type not in ("text/html", "application/xhtml+xml", "text/plain"):
            unread_count += 1
            continue
        text = decode_with_detected_encoding(
            relation.target_part.blob, is_markup=content_type != "text/plain"
        )
        if content_type != "text/plain":
            text = extract_visible_text(text)
        for line in text.split("\n"):
            paragraph = inserted_file.makeelement(f"{_NAMESPACE}p")
            run = inserted_file.makeelement(f"{_NAMESPACE}r")
            run.append(inserted_file.makeelement(_TEXT_TAG))
            run[0].text = remove_characters_refused_in_texts(line)
            paragraph.append(run)
            inserted_file.addprevious(paragraph)
    return unread_count


@dataclass
class _Pages:
    """The page numbers at the time when Word saved the document; other programs store no page breaks."""

    number: int = 1
    _is_marked: bool | None = None

    def set_page_and_count_breaks(self, assembly: Assembly, element: Any) -> None:
        """Set the page on which the element begins, and count the page breaks inside it."""
        if self._is_marked is None:
            self._is_marked = element.getroottree().find(f".//{_PAGE_BREAK_TAG}") is not None
        if not self._is_marked:
            return
        has_text = False
        breaks_after_count = 0
        for node in element.iter(_PAGE_BREAK_TAG, _TEXT_TAG):
            if node.tag == _TEXT_TAG:
                has_text = has_text or bool((node.text or "").strip())
            elif has_text:
                breaks_after_count += 1
            else:
                self.number += 1
        assembly.set_page(self.number)
        self.number += breaks_after_count


def _add_paragraph(assembly: Assembly, paragraph: "Paragraph") -> None:
    text = remove_characters_refused_in_texts(paragraph.text)
    style = _get_style(paragraph).name
    if style.lower() == "title":
        assembly.add_heading(0, text)
    elif match := _HEADING_STYLE.fullmatch(style):
        assembly.add_heading(int(match[1]), text)
    else:
        is_item = bool(text.strip()) and _is_list_item(paragraph)
        assembly.add_block(f"- {text}" if is_item else text, list_item=is_item)


def _is_list_item(paragraph: "Paragraph") -> bool:
    """Return whether the paragraph has a list bullet or number, directly or by its style."""
    paragraph_properties: Any = paragraph._p.pPr
    if paragraph_properties is not None and paragraph_properties.numPr is not None:
        return _is_numbered(paragraph_properties)
    style = _get_style(paragraph)
    return style.name.lower().startswith("list") or style.is_numbered


def _is_numbered(properties: Any) -> bool:
    numbering = None if properties is None else properties.numPr
    return numbering is not None and numbering.numId is not None and numbering.numId.val != 0


@dataclass(frozen=True)
class _Style:
    """A paragraph style: its name ("" if none), and whether it adds bullets or numbers."""

    name: str = ""
    is_numbered: bool = False


def _map_paragraph_styles_by_id(styles: Any) -> dict[str | None, _Style]:
    """Return the paragraph styles by id; None is the default style.

    The library would search all styles for each paragraph.
    """
    style_by_id: dict[str | None, _Style] = {None: _Style()}
    for element in styles.element.style_lst:
        if element.get(f"{_NAMESPACE}type") == "paragraph":
            style = _Style(
                docx.styles.BabelFish.internal2ui(element.name_val or ""), _is_numbered(element.pPr)
            )
            style_by_id[element.styleId] = style
            if element.get(f"{_NAMESPACE}default") in ("1", "true", "on"):
                style_by_id[None] = style
    return style_by_id


def _get_style(paragraph: "Paragraph") -> _Style:
    style_by_id = _styles_of_document.get()
    return style_by_id.get(paragraph._p.style, style_by_id[None])


def _remove_deleted_text_and_unread_wrappers(root: Any) -> None:
    """Remove deleted text from the tree, and elements around text that the library does not read."""
    for row in list(root.iter(f"{_NAMESPACE}tr")):
        if row.find(f"{_NAMESPACE}trPr/{_NAMESPACE}del") is not None:
            row.getparent().remove(row)
    keep_newest_alternatives(root)
    for ruby in list(root.iter(f"{_NAMESPACE}ruby")):
        # Of ruby annotations only the base text is read; it is in a run within a run.
        for run in ruby.findall(f"{_NAMESPACE}rubyBase/{_NAMESPACE}r"):
            ruby.getparent().addprevious(run)
        ruby.getparent().remove(ruby)
    for element in list(root.iter(*_DELETED_TAGS)):
        element.getparent().remove(element)
    for element in list(root.iter(*_CONTAINER_TAGS)):
        for child in list(element):
            element.addprevious(child)
        element.getparent().remove(element)
    for formula in list(root.iter(FORMULA_TAG)):
        run = docx.oxml.parser.OxmlElement("w:r")
        text_element = docx.oxml.parser.OxmlElement("w:t")
        text_element.text = format_formula(formula)
        run.append(text_element)
        formula.addprevious(run)
        formula.getparent().remove(formula)


def _iter_texts(container: Any) -> Iterator[str]:
    """Yield the paragraphs and tables of a text box, note, comment or margin."""
    for element in container:
        if element.tag == f"{_NAMESPACE}p":
            text = remove_characters_refused_in_texts(docx.text.paragraph.Paragraph(element, None).text)  # type: ignore[arg-type]
            if text.strip():
                yield text
        elif element.tag == f"{_NAMESPACE}tbl":
            yield from _iter_table_blocks(docx.table.Table(element, None))  # type: ignore[arg-type]


def _iter_simplified_part_roots(document_part: Any, kind: str) -> Iterator[Any]:
    """Yield the simplified root element of each part of this kind."""
    for relation in document_part.rels.values():
        if not relation.is_external and relation.reltype.rpartition("/")[2] == kind:
            root = docx.oxml.parser.parse_xml(relation.target_part.blob)
            _remove_deleted_text_and_unread_wrappers(root)
            yield root


def _add_footnotes_and_endnotes(assembly: Assembly, document_part: Any, body: Any) -> None:
    """Add footnotes and endnotes in the order of their references in the text."""
    for noun in ("footnote", "endnote"):
        identifiers = [mark.get(f"{_NAMESPACE}id") for mark in body.iter(f"{_NAMESPACE}{noun}Reference")]
        number_by_identifier = {identifier: number for number, identifier in enumerate(identifiers, start=1)}
        for root in _iter_simplified_part_roots(document_part, f"{noun}s"):
            note_by_identifier = {note.get(f"{_NAMESPACE}id"): note for note in root}
            for identifier, number in number_by_identifier.items():
                if identifier in note_by_identifier:
                    assembly.begin_aside(f"{noun} {number}")
                    for text in _iter_texts(note_by_identifier[identifier]):
                        assembly.add_block(text)


def _add_comments(assembly: Assembly, document_part: Any, body: Any) -> None:
    """Add each comment as a turn of its author; its place names the commented words."""
    words_by_comment_id = _map_commented_words(body)
    for root in _iter_simplified_part_roots(document_part, "comments"):
        for number, comment in enumerate(root.iter(f"{_NAMESPACE}comment"), start=1):
            commented_words = words_by_comment_id.get(comment.get(f"{_NAMESPACE}id", ""), "")
            assembly.begin_aside(
                f"comment {number} on “{commented_words}”" if commented_words else f"comment {number}"
            )
            assembly.add_unsplittable_section(
                "\n".join(_iter_texts(comment)),
                speaker=remove_characters_refused_in_texts(comment.get(f"{_NAMESPACE}author") or "") or None,
                said_at=parse_first_date([comment.get(f"{_NAMESPACE}date")]),
            )


def _map_commented_words(body: Any) -> dict[str, str]:
    """Return the commented words by comment id, shortened if they are many."""
    words_by_comment_id: dict[str, str] = {}
    open_identifiers: set[str] = set()
    start_tag, end_tag = f"{_NAMESPACE}commentRangeStart", f"{_NAMESPACE}commentRangeEnd"
    for element in body.iter(start_tag, end_tag, _TEXT_TAG):
        if element.tag == _TEXT_TAG:
            for identifier in list(open_identifiers):
                words_by_comment_id[identifier] += element.text or ""
                if len(words_by_comment_id[identifier]) > _MAX_SUBJECT_LENGTH:
                    words_by_comment_id[identifier] = (
                        f"{words_by_comment_id[identifier][:_MAX_SUBJECT_LENGTH].rstrip()}…"
                    )
                    open_identifiers.remove(identifier)
        elif element.tag == start_tag:
            open_identifiers.add(element.get(f"{_NAMESPACE}id", ""))
            words_by_comment_id[element.get(f"{_NAMESPACE}id", "")] = ""
        else:
            open_identifiers.discard(element.get(f"{_NAMESPACE}id", ""))
    return {
        identifier: " ".join(remove_characters_refused_in_texts(text).split())
        for identifier, text in words_by_comment_id.items()
    }


def _add_headers_and_footers(assembly: Assembly, document_part: Any) -> None:
    """Add headers and footers, each text once, omitting those without a letter."""
    for kind in ("header", "footer"):
        texts = dict.fromkeys(
            text for root in _iter_simplified_part_roots(document_part, kind) for text in _iter_texts(root)
        )
        if worded_texts := [text for text in texts if any(map(str.isalpha, text))]:
            assembly.begin_aside(kind)
            for text in worded_texts:
                assembly.add_block(text)


def _iter_table_blocks(table: "Table") -> Iterator[str]:
    """Yield the rows of a table as lines, interrupted after each row whose cells contain nested tables."""
    rows: list[list[str]] = []
    texts_above: dict[int, str] = {}
    for row in table.rows:
        cells = [""] * min(row.grid_cols_before, _MAX_COLUMNS_OF_CELL)
        texts: dict[int, str] = {}
        inner_tables: list[Table] = []
        for cell_element in row._tr.tc_lst:
            column = len(cells)
            if cell_element.vMerge == "continue":
                # Vertically merged: the text of the cell above is repeated in each row.
                texts[column] = texts_above.get(column, "")
            else:
                cell = docx.table._Cell(cell_element, table)
                texts[column] = join_cell(
                    (remove_characters_refused_in_texts(paragraph.text), _is_list_item(paragraph))
                    for paragraph in cell.paragraphs
                )
                inner_tables += cell.tables
            # The text of a cell over several columns is in the first of them.
            cells += [texts[column], *[""] * (min(cell_element.grid_span, _MAX_COLUMNS_OF_CELL) - 1)]
        cells += [""] * min(row.grid_cols_after, _MAX_COLUMNS_OF_CELL)
        rows.append(cells if len(texts) > 1 else list(texts.values()))
        texts_above = texts
        if inner_tables:
            yield "\n".join(format_table_as_lines(rows))
            rows.clear()
            for inner_table in inner_tables:
                yield from _iter_table_blocks(inner_table)
    yield "\n".join(format_table_as_lines(rows))
