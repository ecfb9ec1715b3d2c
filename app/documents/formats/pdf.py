"""PDF: the text of its pages."""

import io
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from app.documents.parsers import parse_errors
from app.documents.parsers.assembly import (
    Assembly,
    clean_text,
    collapse_whitespace,
    is_blank,
    remove_characters_refused_in_texts,
)
from app.documents.parsers.broken_parts import BrokenParts
from app.documents.parsers.file_format import FileContent, FileFormat
from app.documents.parsers.limits import ParseLimits
from app.documents.shapes import ParsedDocument, Place
from app.errors import CitegraphError
from app.lazy import LazyModule
from app.limits import DOCUMENT_PAGES

if TYPE_CHECKING:
    import pypdf
else:
    pypdf = LazyModule("pypdf")

_PDF_START, _PDF_END, _TAIL_BYTES = b"%PDF-", b"%%EOF", 2_048
# PDF readers look for the header within this many bytes: downloads may put lines before it.
_HEAD_BYTES = 1_024
_ZIP_END = b"PK\x05\x06"
# A word hyphenated at a line break: a letter, a hyphen, and a letter on the next line.
_CUT_WORD = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010]\n(?=[^\W\d_])")
# Form fields that are read: text and choice, not signatures or buttons.
_FIELD_TYPES = ("/Tx", "/Ch")
# Annotations for programs, or that repeat text of the page.
_UNREAD_SUBTYPES = ("/Link", "/Popup")
_SENTENCE_END = re.compile(r"[.!?:;…。！？][\"'”’)\]]*\Z")


class Pdf(FileFormat):
    """A PDF with a text layer."""

    name = "pdf"
    label = "PDF"
    description = (
        f"The text of its pages, at most {DOCUMENT_PAGES.maximum:,}, then notes on them and the fields of"
        " forms; a scan without a layer of text is refused."
    )
    extensions = ("pdf",)
    media_types = ("application/pdf",)
    seconds = 60
    libraries = ("pypdf",)

    def recognizes(self, content: FileContent) -> bool:
        """Return whether the bytes begin like a PDF."""
        return content.raw[:_HEAD_BYTES].lstrip().startswith(_PDF_START)

    def check(self, content: FileContent) -> None:
        """Refuse a file that is not a PDF, is also an archive, or is truncated."""
        file_bytes = content.raw
        if _PDF_START not in file_bytes[:_HEAD_BYTES]:
            raise parse_errors.build_misnamed_file_error(self.label)
        zip_end = file_bytes.rfind(_ZIP_END, -65_558)
        if (
            zip_end >= 0
            and len(file_bytes) >= zip_end + 22
            and zip_end + 22 + int.from_bytes(file_bytes[zip_end + 20 : zip_end + 22], "little")
            == len(file_bytes)
        ):
            raise parse_errors.build_archive_refused_error("the file is a PDF and an archive at once")
        _require_end_mark(file_bytes)

    def parse(self, file_bytes: bytes, limits: ParseLimits) -> ParsedDocument:  # noqa: ARG002
        """Return the text of the pages."""
        return parse_pdf(file_bytes)


def _require_end_mark(file_bytes: bytes) -> None:
    """Raise InvalidInput `damaged_document` for a PDF without an end mark, which is truncated.

    A reader would repair such a file and silently drop pages.
    """
    if _PDF_END not in file_bytes[-_TAIL_BYTES:]:
        raise parse_errors.build_damaged_document_error("The PDF is cut off before its end")


def parse_pdf(file_bytes: bytes) -> ParsedDocument:
    """Return the text of the pages, joined where a sentence continues; metadata holds `page_count`.

    Raises InvalidInput: `encrypted_document`, `too_many_pages` beyond 2,000, `damaged_document`, or
    `empty_document` for a scan without text.
    """
    _require_end_mark(file_bytes)
    try:
        return _read_pages(file_bytes)
    except (CitegraphError, MemoryError):
        raise
    except pypdf.errors.FileNotDecryptedError:
        raise parse_errors.build_encrypted_document_error() from None
    except pypdf.errors.LimitReachedError:
        raise parse_errors.build_too_large_to_parse_error() from None
    except Exception:
        # pypdf raises nearly any exception for a broken file, with messages that quote the file.
        raise parse_errors.build_damaged_document_error("The PDF is damaged and cannot be read") from None


_Annotation = tuple[str, str]
"""The noun of an annotation, and its text."""


def _read_pages(file_bytes: bytes) -> ParsedDocument:
    reader = pypdf.PdfReader(io.BytesIO(file_bytes), strict=False)
    if reader.is_encrypted:
        _open_without_password(reader)
    if not reader.pages:
        raise parse_errors.build_no_pages_error()
    if len(reader.pages) > DOCUMENT_PAGES.maximum:
        raise parse_errors.build_too_many_pages_error(DOCUMENT_PAGES.maximum)
    text_parts: list[str] = []
    text_length = 0
    places: list[Place] = []
    asides: list[_Annotation] = []
    picture_pages: list[int] = []
    broken_parts = BrokenParts(
        "page", reraised_errors=(pypdf.errors.FileNotDecryptedError, pypdf.errors.LimitReachedError)
    )
    for page_number in range(1, len(reader.pages) + 1):
        page_text, annotations, is_picture = "", [], False
        with broken_parts.tolerate_failure_of_part(f"page {page_number}"):
            page = reader.pages[page_number - 1]
            page_text = clean_text(_clean_page_text(page.extract_text())).strip()
            is_picture = is_blank(page_text) and _has_pictures(page)
        with broken_parts.tolerate_failure_of_part(
            f"the notes and forms of page {page_number}", counts=False
        ):
            annotations = list(_iter_annotations(reader.pages[page_number - 1]))
        asides += [(f"page {page_number}, {annotation_kind}", text) for annotation_kind, text in annotations]
        if is_blank(page_text):
            if is_picture:
                picture_pages.append(page_number)
            continue
        if text_parts:
            continues_sentence = not _SENTENCE_END.search(text_parts[-1]) and page_text[:1].islower()
            text_parts.append("\n" if continues_sentence else "\n\n")
            text_length += len(text_parts[-1])
        places.append(Place(text_length, f"page {page_number}"))
        text_parts.append(page_text)
        text_length += len(page_text)
    broken_parts.raise_if_most_are_broken()
    if not text_parts and not asides:
        raise parse_errors.build_no_text_layer_error()
    assembly = Assembly()
    assembly.add_block("".join(text_parts), places=places)
    for place, text in asides:
        assembly.set_next_place(place)
        assembly.add_unsplittable_section(text)
    for page_number in picture_pages:
        assembly.note_omission(
            f"Page {page_number} is a picture without text: run text recognition (OCR) over the file."
        )
    with broken_parts.tolerate_failure_of_part("attached files", counts=False):
        assembly.note_unread_objects("attached file", sum(1 for _ in reader.attachment_list))
    broken_parts.note_failures_on_document(assembly)
    title = reader.metadata.title if reader.metadata is not None else None
    return assembly.build(
        title=remove_characters_refused_in_texts(str(title)) if title else None,
        metadata={"page_count": str(len(reader.pages))},
    )


def _has_pictures(page: "pypdf.PageObject") -> bool:
    resources = page["/Resources"] if "/Resources" in page else None  # noqa: SIM401
    return isinstance(resources, dict) and "/XObject" in resources


def _iter_annotations(page: "pypdf.PageObject") -> Iterator[_Annotation]:
    """Yield the annotations that a person wrote on the page, and the filled form fields."""
    # pypdf's `get` returns a reference, indexing the referenced object.
    annotations: object = ()
    if "/Annots" in page:
        annotations = page["/Annots"]
    for reference in annotations if isinstance(annotations, list) else ():
        annotation = reference.get_object()
        if not isinstance(annotation, dict):
            continue
        subtype, field_name, field_value = (annotation.get(key) for key in ("/Subtype", "/T", "/V"))
        if subtype != "/Widget":
            contents = annotation.get("/Contents")
            if subtype not in _UNREAD_SUBTYPES and isinstance(contents, str):
                yield "note", remove_characters_refused_in_texts(contents)
        elif (
            annotation.get("/FT") in _FIELD_TYPES
            and isinstance(field_name, str)
            and isinstance(field_value, str)
            and field_value.strip()
        ):
            clean_field_name = collapse_whitespace(remove_characters_refused_in_texts(field_name))
            yield "form", f"{clean_field_name}: {remove_characters_refused_in_texts(field_value)}"


def _open_without_password(reader: "pypdf.PdfReader") -> None:
    """Open the file with an empty password, with which many PDFs are only locked against changes."""
    try:
        decryption = reader.decrypt("")
    except Exception:
        # Includes ciphers that pypdf supports only with an extra package.
        raise parse_errors.build_encrypted_document_error() from None
    if not decryption:
        raise parse_errors.build_encrypted_document_error()


def _clean_page_text(text: str) -> str:
    lines = (
        line.rstrip() for line in remove_characters_refused_in_texts(text).replace("\r\n", "\n").split("\n")
    )
    return _CUT_WORD.sub("", "\n".join(lines)).strip()
