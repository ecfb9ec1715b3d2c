"""ODP: slide by slide, the text of shapes, tables and notes."""

from collections.abc import Iterator
from typing import Any

from app.documents.parsers import parse_errors
from app.documents.parsers.assembly import Assembly
from app.documents.parsers.limits import ParseLimits
from app.documents.parsers.office import check_and_read_container
from app.documents.parsers.opendocument import (
    DRAW,
    OFFICE,
    PRESENTATION,
    TABLE,
    FlowTextReader,
    OpenDocument,
    OpenDocumentFormat,
    iter_descriptions,
    read_comment,
    render_table,
)
from app.documents.shapes import ParsedDocument
from app.limits import DOCUMENT_PAGES

_TITLE_CLASS = "title"
_MARGIN_CLASSES = ("header", "footer", "date-time", "page-number")


class Odp(OpenDocumentFormat):
    """A presentation of LibreOffice Impress and other programs."""

    name = "odp"
    label = "ODP"
    description = (
        "Slide by slide, hidden ones called so: titles as headings, text, tables and charts, then its notes"
        " and the comments by their authors; citations name the slide."
    )
    extensions = ("odp", "otp")
    media_types = (
        "application/vnd.oasis.opendocument.presentation",
        "application/vnd.oasis.opendocument.presentation-template",
    )

    def parse(self, file_bytes: bytes, limits: ParseLimits) -> ParsedDocument:  # noqa: ARG002
        """Return the text of the slides."""
        return check_and_read_container(file_bytes, self.label, _read_presentation, checks_parts=False)


def _read_presentation(file_bytes: bytes) -> ParsedDocument:
    document = OpenDocument(file_bytes)
    slides = document.get_body("presentation").findall(f"{DRAW}page")
    if len(slides) > DOCUMENT_PAGES.maximum:
        raise parse_errors.build_too_many_pages_error(DOCUMENT_PAGES.maximum)
    assembly = Assembly()
    hidden_styles = document.list_names_of_styles_with_attribute(
        "drawing-page-properties", f"{PRESENTATION}visibility", "hidden"
    )
    for number, slide in enumerate(slides, start=1):
        hidden_prefix = "hidden " if slide.get(f"{DRAW}style-name") in hidden_styles else ""
        place = f"{hidden_prefix}slide {number}"
        assembly.set_next_place(place)
        shapes = list(_iter_shapes(slide))
        # The title comes first, wherever it was drawn.
        shapes.sort(key=lambda shape: shape.get(f"{PRESENTATION}class") != _TITLE_CLASS)
        for shape in shapes:
            _add_shape(assembly, shape)
        for text in (text for shape in shapes for text in document.iter_charts(shape)):
            assembly.add_block(text)
        for text in (text for shape in shapes for text in iter_descriptions(shape)):
            assembly.add_block(text)
        for notes in slide.iterfind(f"{PRESENTATION}notes"):
            assembly.set_next_place(f"{place}, notes")
            for shape in _iter_shapes(notes):
                for text in FlowTextReader().list_texts(shape):
                    assembly.add_block(text)
        for annotation in slide.iterfind(f"{OFFICE}annotation"):
            comment = read_comment(annotation)
            assembly.set_next_place(f"{place}, comment")
            assembly.add_unsplittable_section(comment.text, speaker=comment.author, said_at=comment.said_at)
    document.record_count_of_unread_pictures(assembly)
    title, metadata = document.read_title_and_author()
    return assembly.build(title=title or assembly.first_heading, metadata=metadata)


def _iter_shapes(container: Any) -> Iterator[Any]:
    """Yield shapes in file order, including those in groups, but not margins and empty placeholders."""
    for shape in container:
        if shape.tag in (f"{DRAW}g", f"{DRAW}a"):
            yield from _iter_shapes(shape)
        elif (
            shape.tag.startswith(DRAW)
            and shape.get(f"{PRESENTATION}class") not in _MARGIN_CLASSES
            and shape.get(f"{PRESENTATION}placeholder") != "true"
        ):
            yield shape


def _add_shape(assembly: Assembly, shape: Any) -> None:
    table = shape.find(f"{TABLE}table")
    if table is not None:
        assembly.add_block(render_table(table))
        return
    texts = FlowTextReader().list_texts(shape)
    if shape.get(f"{PRESENTATION}class") == _TITLE_CLASS:
        assembly.add_heading(1, " ".join(texts))
        return
    for text in texts:
        assembly.add_block(f"- {text}" if len(texts) > 1 else text, list_item=len(texts) > 1)
