"""PPTX: slide by slide, the text of shapes, tables and notes."""

import io
import re
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from app.documents.document_dates import parse_first_date
from app.documents.parsers import parse_errors
from app.documents.parsers.assembly import Assembly, remove_characters_refused_in_texts
from app.documents.parsers.drawings import (
    DRAWING_NAMESPACE,
    FORMULA_TAG,
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
from app.limits import DOCUMENT_PAGES

if TYPE_CHECKING:
    import pptx.opc.package
    import pptx.oxml
    import pptx.package
    import pptx.parts.presentation
else:
    pptx = LazyModule("pptx")

_LIST_MARK_TAGS = ("buChar", "buAutoNum")
_FALSE_VALUES = ("0", "false")
_PARAGRAPH_TAG = f"{DRAWING_NAMESPACE}p"
_RUN_XML = f'<a:r xmlns:a="{DRAWING_NAMESPACE[1:-1]}"><a:t/></a:r>'
_SLIDE_PATH = re.compile(r"ppt/slides/[^/]+\.xml")
_EMPTY_SLIDE = (
    b'<p:sld xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"><p:cSld><p:spTree>'
    b'<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>'
    b"</p:spTree></p:cSld></p:sld>"
)
# Content types of shows and templates with macros, which the library does not know.
_OTHER_CONTENT_TYPES = (
    "application/vnd.ms-powerpoint.slideshow.macroEnabled.main+xml",
    "application/vnd.ms-powerpoint.template.macroEnabled.main+xml",
)


class Pptx(ZipFormat):
    """A PowerPoint presentation."""

    name = "pptx"
    label = "PPTX"
    description = (
        "Slide by slide, hidden ones called so: titles as headings, text, tables, charts and diagrams, then"
        " its notes and the comments by their authors; citations name the slide."
    )
    extensions = ("pptx", "pptm", "ppsx", "ppsm", "potx", "potm")
    media_types = (
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "application/vnd.openxmlformats-officedocument.presentationml.slideshow",
        "application/vnd.openxmlformats-officedocument.presentationml.template",
        "application/vnd.ms-powerpoint.presentation.macroenabled.12",
        "application/vnd.ms-powerpoint.slideshow.macroenabled.12",
        "application/vnd.ms-powerpoint.template.macroenabled.12",
    )
    libraries = ("pptx.opc.package", "pptx.oxml", "pptx.package", "pptx.parts.presentation")
    main_part = "ppt/presentation.xml"

    def parse(self, file_bytes: bytes, limits: ParseLimits) -> ParsedDocument:  # noqa: ARG002
        """Return the text of the slides."""
        return check_and_read_container(
            file_bytes, self.label, _read_slides, separable_part_pattern=_SLIDE_PATH, empty_xml=_EMPTY_SLIDE
        )


def _read_slides(file_bytes: bytes) -> ParsedDocument:
    part_type = pptx.parts.presentation.PresentationPart
    pptx.opc.package.PartFactory.part_type_for |= dict.fromkeys(_OTHER_CONTENT_TYPES, part_type)
    presentation = pptx.package.Package.open(io.BytesIO(file_bytes)).main_document_part.presentation
    if len(presentation.slides) > DOCUMENT_PAGES.maximum:
        raise parse_errors.build_too_many_pages_error(DOCUMENT_PAGES.maximum)
    assembly = Assembly()
    author_by_id = _map_comment_authors(presentation.part)
    for number, slide in enumerate(presentation.slides, start=1):
        place = f"{'hidden ' if slide.element.get('show') in _FALSE_VALUES else ''}slide {number}"
        assembly.set_next_place(place)
        _simplify_tree(slide.element)
        title_shape = slide.shapes.title
        if title_shape is not None and title_shape.has_text_frame:
            assembly.add_heading(
                1, remove_characters_refused_in_texts(title_shape.text_frame.text.replace("\v", " "))
            )
        for shape in _iter_shapes(slide.shapes):
            if title_shape is None or shape.shape_id != title_shape.shape_id:
                _add_shape(assembly, shape)
        for text in iter_drawn_texts(slide.element, slide.part, pptx.oxml.parse_xml):
            assembly.add_block(text)
        for text in iter_descriptions(slide.element):
            assembly.add_block(text)
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            assembly.set_next_place(f"{place}, notes")
            assembly.add_block(remove_characters_refused_in_texts(slide.notes_slide.notes_text_frame.text))
        for author, said_at, text in _iter_comments(slide.part, author_by_id):
            assembly.set_next_place(f"{place}, comment")
            assembly.add_unsplittable_section(text, speaker=author, said_at=said_at)
    record_count_of_unread_pictures(assembly, *(slide.element for slide in presentation.slides))
    title_text, metadata = read_title_and_author(presentation, presentation.part.package.iter_rels())
    # PowerPoint's default title is not informative.
    stored_title = "" if title_text.lower() in ("powerpoint presentation", "presentation") else title_text
    return assembly.build(title=stored_title or assembly.first_heading, metadata=metadata)


def _simplify_tree(slide: Any) -> None:
    """Convert content that the library does not read: alternatives, and formulas to a line of text."""
    keep_newest_alternatives(slide)
    for paragraph in slide.iter(_PARAGRAPH_TAG):
        for child in list(paragraph):
            if formulas := list(child.iter(FORMULA_TAG)):
                run = pptx.oxml.parse_xml(_RUN_XML)
                run.text = remove_characters_refused_in_texts(" ".join(map(format_formula, formulas)))
                paragraph.replace(child, run)


def _iter_parts(package_part: Any, kind: str) -> Iterator[Any]:
    """Yield the root elements of the related parts of this kind."""
    for relation in package_part.rels.values():
        if not relation.is_external and relation.reltype.rpartition("/")[2] == kind:
            yield pptx.oxml.parse_xml(relation.target_part.blob)


def _map_comment_authors(package_part: Any) -> dict[str, str]:
    """Return the names of comment authors by the id that comments use."""
    return {
        author.get("id", ""): author.get("name", "")
        for kind in ("commentAuthors", "authors")
        for root in _iter_parts(package_part, kind)
        for author in root
    }


class _Comment(NamedTuple):
    author: str | None
    said_at: datetime | None
    text: str


def _iter_comments(package_part: Any, author_by_id: dict[str, str]) -> Iterator[_Comment]:
    """Yield the comments on the slide, in the old and the new format."""
    for root in _iter_parts(package_part, "comments"):
        for comment in root.iter():
            tag = str(comment.tag).rpartition("}")[2]
            if tag not in ("cm", "reply"):
                continue
            text = "".join(_iter_comment_words(comment))
            author = (
                remove_characters_refused_in_texts(author_by_id.get(comment.get("authorId", ""), "")) or None
            )
            yield _Comment(
                author,
                parse_first_date([comment.get("dt"), comment.get("created")]),
                remove_characters_refused_in_texts(text),
            )


def _iter_comment_words(comment: Any) -> Iterator[str]:
    """Yield the words of a comment, from one element or a body of paragraphs, without those of replies."""
    for child in comment:
        tag = str(child.tag).rpartition("}")[2]
        if tag == "text":
            yield child.text or ""
        elif tag == "txBody":
            yield "\n".join(
                "".join(text.text or "" for text in paragraph.iter(f"{DRAWING_NAMESPACE}t"))
                for paragraph in child.iter(f"{DRAWING_NAMESPACE}p")
            )


def _iter_shapes(shapes: Any) -> Iterator[Any]:
    """Yield shapes in reading order, including those in groups."""
    for shape in shapes:
        if hasattr(shape, "shapes"):
            yield from _iter_shapes(shape.shapes)
        else:
            yield shape


def _add_shape(assembly: Assembly, shape: Any) -> None:
    if getattr(shape, "has_table", False) and shape.has_table:
        assembly.add_block("\n".join(format_table_as_lines(_iter_rows(shape.table))))
    elif shape.has_text_frame:
        paragraphs = [
            remove_characters_refused_in_texts(paragraph.text.replace("\v", " "))
            for paragraph in shape.text_frame.paragraphs
        ]
        is_list = sum(bool(text.strip()) for text in paragraphs) > 1
        for text in paragraphs:
            if text.strip():
                assembly.add_block(f"- {text}" if is_list else text, list_item=is_list)


def _iter_rows(table: Any) -> Iterator[list[str]]:
    """Yield the cells of each row; a vertically merged cell repeats the text above."""
    cells: list[str] = []
    for row in table.rows:
        cells_above = cells
        cells = [
            cells_above[column] if cell._tc.vMerge and column < len(cells_above) else _read_cell(cell)
            for column, cell in enumerate(row.cells)
        ]
        yield cells


def _read_cell(cell: Any) -> str:
    return join_cell(
        (
            remove_characters_refused_in_texts(paragraph.text.replace("\v", " ")),
            any(
                paragraph._p.find(f"{DRAWING_NAMESPACE}pPr/{DRAWING_NAMESPACE}{mark}") is not None
                for mark in _LIST_MARK_TAGS
            ),
        )
        for paragraph in cell.text_frame.paragraphs
    )
