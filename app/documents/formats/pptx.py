"""PPTX: slide by slide, the text of its shapes, tables and notes."""

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from app.documents.parsers import faults
from app.documents.parsers.assembly import Assembly, scrub
from app.documents.parsers.file_format import ZipFormat
from app.documents.parsers.limits import ParseLimits
from app.documents.parsers.office import read_container
from app.documents.shapes import ParsedDocument
from app.lazy import LazyModule
from app.limits import DOCUMENT_PAGES

if TYPE_CHECKING:
    import pptx.opc.package
    import pptx.package
    import pptx.parts.presentation
else:
    pptx = LazyModule("pptx")

_DEEPEST_GROUP = 10
# Shows and templates with macros, which the library does not know.
_OTHER_TYPES = (
    "application/vnd.ms-powerpoint.slideshow.macroEnabled.main+xml",
    "application/vnd.ms-powerpoint.template.macroEnabled.main+xml",
)


class Pptx(ZipFormat):
    """A presentation of PowerPoint."""

    name = "pptx"
    label = "PPTX"
    reads = "Slide by slide: titles as headings, text, tables and notes; citations name the slide."
    extensions = ("pptx", "pptm", "ppsx", "ppsm", "potx", "potm")
    media_types = (
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "application/vnd.openxmlformats-officedocument.presentationml.slideshow",
        "application/vnd.openxmlformats-officedocument.presentationml.template",
        "application/vnd.ms-powerpoint.presentation.macroenabled.12",
        "application/vnd.ms-powerpoint.slideshow.macroenabled.12",
        "application/vnd.ms-powerpoint.template.macroenabled.12",
    )
    libraries = ("pptx.opc.package", "pptx.package", "pptx.parts.presentation")
    main_part = "ppt/presentation.xml"

    def parse(self, raw: bytes, limits: ParseLimits) -> ParsedDocument:  # noqa: ARG002
        """The slides' text."""
        return read_container(raw, self.label, _read)


def _read(raw: bytes) -> ParsedDocument:
    part_type = pptx.parts.presentation.PresentationPart
    pptx.opc.package.PartFactory.part_type_for |= dict.fromkeys(_OTHER_TYPES, part_type)
    presentation = pptx.package.Package.open(io.BytesIO(raw)).main_document_part.presentation
    if len(presentation.slides) > DOCUMENT_PAGES.most:
        raise faults.too_many_pages(DOCUMENT_PAGES.most)
    assembly = Assembly()
    for number, slide in enumerate(presentation.slides, start=1):
        assembly.place(f"slide {number}")
        title = slide.shapes.title
        if title is not None and title.has_text_frame:
            assembly.heading(1, scrub(title.text_frame.text.replace("\v", " ")))
        for shape in _shapes(slide.shapes, 0):
            if title is None or shape.shape_id != title.shape_id:
                _add_shape(assembly, shape)
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            assembly.block(scrub(slide.notes_slide.notes_text_frame.text))
    properties = presentation.core_properties
    metadata = {"author": scrub(properties.author)} if properties.author else {}
    title_text = scrub(properties.title or "")
    # What the program itself writes there says nothing.
    stored_title = "" if title_text.lower() in ("powerpoint presentation", "presentation") else title_text
    return assembly.build(title=stored_title or assembly.first_heading, metadata=metadata)


def _shapes(shapes: Any, depth: int) -> Iterator[Any]:
    """Shapes in reading order, those of groups among them."""
    for shape in shapes:
        if hasattr(shape, "shapes"):
            if depth < _DEEPEST_GROUP:
                yield from _shapes(shape.shapes, depth + 1)
        else:
            yield shape


def _add_shape(assembly: Assembly, shape: Any) -> None:
    if getattr(shape, "has_table", False) and shape.has_table:
        rows = ([" ".join(scrub(cell.text).split()) for cell in row.cells] for row in shape.table.rows)
        assembly.block("\n".join(" | ".join(row) for row in rows if any(row)))
    elif shape.has_text_frame:
        paragraphs = [scrub(paragraph.text.replace("\v", " ")) for paragraph in shape.text_frame.paragraphs]
        is_list = sum(bool(text.strip()) for text in paragraphs) > 1
        for text in paragraphs:
            if text.strip():
                assembly.block(f"- {text}" if is_list else text, list_item=is_list)
