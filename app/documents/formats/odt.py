"""ODT: headings, paragraphs, lists and tables in reading order, then notes, comments and margins."""

from collections.abc import Iterator
from typing import Any

from app.documents.parsers.assembly import Assembly
from app.documents.parsers.limits import ParseLimits
from app.documents.parsers.office import check_and_read_container
from app.documents.parsers.opendocument import (
    DRAW,
    FO,
    OFFICE,
    SHAPE_TAGS,
    STYLE,
    TABLE,
    TEXT,
    FlowTextReader,
    OpenDocument,
    OpenDocumentFormat,
    is_deleted_text_or_table_of_contents,
    iter_descriptions,
    iter_paragraphs,
    read_number_or_one,
    render_table,
)
from app.documents.shapes import ParsedDocument

_SOFT_BREAK = f"{TEXT}soft-page-break"
_TITLE_STYLE = "Title"
_MAX_STYLE_DEPTH = 20


class Odt(OpenDocumentFormat):
    """A document of LibreOffice Writer and other programs."""

    name = "odt"
    label = "ODT"
    description = (
        "The text of an OpenDocument text in reading order under its headings, lists, a table's rows as"
        " lines, text boxes and charts; beside it notes, comments by their authors, headers and footers;"
        " citations name the section, and the page where the program noted it."
    )
    extensions = ("odt", "ott", "oth")
    media_types = (
        "application/vnd.oasis.opendocument.text",
        "application/vnd.oasis.opendocument.text-template",
        "application/vnd.oasis.opendocument.text-web",
    )

    def parse(self, file_bytes: bytes, limits: ParseLimits) -> ParsedDocument:  # noqa: ARG002
        """Return the text of the document."""
        return check_and_read_container(file_bytes, self.label, _read_text_document, checks_parts=False)


def _read_text_document(file_bytes: bytes) -> ParsedDocument:
    document = OpenDocument(file_bytes)
    text_reader = _TextReader(document)
    text_reader.read(document.get_body("text"))
    return text_reader.add_asides_and_build()


class _TextReader:
    """Reads the elements of a text in order."""

    def __init__(self, document: OpenDocument) -> None:
        self._document = document
        self._assembly = Assembly(sections_are_places=True)
        self._flow_text_reader = FlowTextReader()
        self._parent_by_style: dict[str, str] = {}
        self._styles_with_page_break: set[str] = set()
        for style in document.iter_styles():
            style_name = style.get(f"{STYLE}name", "")
            self._parent_by_style[style_name] = style.get(f"{STYLE}parent-style-name", "")
            properties = style.find(f"{STYLE}paragraph-properties")
            is_break = properties is not None and properties.get(f"{FO}break-before") == "page"
            if is_break or style.get(f"{STYLE}master-page-name"):
                self._styles_with_page_break.add(style_name)
        # Programs that store no page breaks give no page numbers.
        self._has_pages = next(document.content.iter(_SOFT_BREAK), None) is not None
        self._page_number = 1
        self._is_first = True

    def read(self, container: Any) -> None:
        """Add the content of the body, a section or an index."""
        for element in container:
            if element.tag == f"{TEXT}p":
                self._add_paragraph(element)
            elif element.tag == f"{TEXT}h":
                self._set_page_and_count_breaks(element)
                self._assembly.add_heading(
                    read_number_or_one(element, f"{TEXT}outline-level"),
                    self._flow_text_reader.read_text(element),
                )
            elif element.tag == f"{TEXT}list":
                for paragraph in iter_paragraphs(element):
                    self._set_page_and_count_breaks(paragraph)
                    if text := self._flow_text_reader.read_text(paragraph):
                        if paragraph.tag == f"{TEXT}h":
                            self._assembly.add_heading(
                                read_number_or_one(paragraph, f"{TEXT}outline-level"), text
                            )
                        else:
                            self._assembly.add_block(f"- {text}", list_item=True)
            elif element.tag == f"{TABLE}table":
                self._set_page_and_count_breaks(element)
                self._assembly.add_block(render_table(element), noun="table")
            elif element.tag == _SOFT_BREAK:
                self._page_number += 1
            elif element.tag in (f"{DRAW}frame", f"{DRAW}g", *SHAPE_TAGS):
                self._add_box(element)
            elif not is_deleted_text_or_table_of_contents(element) and element.tag != f"{OFFICE}annotation":
                self.read(element)

    def add_asides_and_build(self) -> ParsedDocument:
        """Return the document with its notes, comments, headers and footers."""
        assembly = self._assembly
        for number, (noun, text) in enumerate(self._flow_text_reader.notes, start=1):
            assembly.begin_aside(f"{noun} {number}")
            assembly.add_block(text)
        for number, comment in enumerate(self._flow_text_reader.comments, start=1):
            assembly.begin_aside(f"comment {number}")
            assembly.add_unsplittable_section(comment.text, speaker=comment.author, said_at=comment.said_at)
        for noun in ("header", "footer"):
            if texts := [text for text in self._iter_margin_texts(noun) if any(map(str.isalpha, text))]:
                assembly.begin_aside(noun)
                for text in dict.fromkeys(texts):
                    assembly.add_block(text)
        self._document.record_count_of_unread_pictures(assembly)
        title, metadata = self._document.read_title_and_author()
        return assembly.build(title=title or assembly.first_heading, metadata=metadata)

    def _add_paragraph(self, element: Any) -> None:
        self._set_page_and_count_breaks(element)
        text = self._flow_text_reader.read_text(element)
        if self._is_title(element):
            self._assembly.add_heading(0, text)
        else:
            self._assembly.add_block(text)
        text_boxes, self._flow_text_reader.boxes = self._flow_text_reader.boxes, []
        for box in text_boxes:
            self._add_box(box)

    def _add_box(self, element: Any) -> None:
        for text in FlowTextReader().list_texts(element):
            self._assembly.add_block(text, noun="text box")
        for text in self._document.iter_charts(element):
            self._assembly.add_block(text, noun="chart")
        for text in self._document.iter_formulas(element):
            self._assembly.add_block(text)
        for text in iter_descriptions(element):
            self._assembly.add_block(text, noun="picture")

    def _set_page_and_count_breaks(self, element: Any) -> None:
        """Set the page on which the element begins, and count the page breaks inside it."""
        if not self._has_pages:
            return
        style = element.get(f"{TEXT}style-name", "")
        if not self._is_first and any(
            name in self._styles_with_page_break for name in self._iter_style_ancestry(style)
        ):
            self._page_number += 1
        self._is_first = False
        has_text = False
        breaks_after_count = 0
        for node in element.iter():
            if node.tag != _SOFT_BREAK:
                has_text = has_text or bool((node.text or "").strip())
            elif has_text:
                breaks_after_count += 1
            else:
                # A page break before the element's text: it begins on the next page.
                self._page_number += 1
            has_text = has_text or (node is not element and bool((node.tail or "").strip()))
        self._assembly.set_page(self._page_number)
        self._page_number += breaks_after_count

    def _iter_style_ancestry(self, style_name: str) -> Iterator[str]:
        """Yield the style and its ancestors."""
        for _ in range(_MAX_STYLE_DEPTH):
            if not style_name:
                return
            yield style_name
            style_name = self._parent_by_style.get(style_name, "")

    def _is_title(self, element: Any) -> bool:
        return _TITLE_STYLE in self._iter_style_ancestry(element.get(f"{TEXT}style-name", ""))

    def _iter_margin_texts(self, noun: str) -> Iterator[str]:
        """Yield the texts of all headers or footers."""
        if self._document.styles is not None:
            for kind in ("", "-first", "-left"):
                for margin in self._document.styles.iter(f"{STYLE}{noun}{kind}"):
                    yield from FlowTextReader().list_texts(margin)
