"""Which format the bytes are in, and whether they may come in: cheap checks, no parsing.

The HTTP door runs this before it stores anything, so that a hopeless upload is refused with
its reason at once instead of failing later as a job.
"""

import re

from app.documents.parsers import archive, faults
from app.documents.parsers.assembly import is_blank
from app.documents.parsers.text import decode
from app.documents.shapes import DocumentFormat
from app.errors import PayloadTooLarge, UnsupportedFormat

_PDF_END, _PDF_TAIL = b"%%EOF", 2_048
MAX_BYTES = 25 * 1024 * 1024

_BY_EXTENSION = {
    extension: format
    for format, extensions in {
        DocumentFormat.TEXT: "txt text log",
        DocumentFormat.MARKDOWN: "md markdown mdown mkd",
        DocumentFormat.HTML: "html htm xhtml",
        DocumentFormat.PDF: "pdf",
        DocumentFormat.DOCX: "docx",
        DocumentFormat.JSON: "json",
        DocumentFormat.JSONL: "jsonl ndjson",
        DocumentFormat.CSV: "csv tsv",
    }.items()
    for extension in extensions.split()
}
_BY_MEDIA_TYPE = {
    "text/plain": DocumentFormat.TEXT,
    "text/markdown": DocumentFormat.MARKDOWN,
    "text/x-markdown": DocumentFormat.MARKDOWN,
    "text/html": DocumentFormat.HTML,
    "application/xhtml+xml": DocumentFormat.HTML,
    "application/pdf": DocumentFormat.PDF,
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": DocumentFormat.DOCX,
    "application/json": DocumentFormat.JSON,
    "application/jsonl": DocumentFormat.JSONL,
    "application/x-ndjson": DocumentFormat.JSONL,
    "text/csv": DocumentFormat.CSV,
    "text/tab-separated-values": DocumentFormat.CSV,
}
_PDF_START = b"%PDF-"
_ZIP_STARTS = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_ZIP_END = b"PK\x05\x06"
_OLE_START = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_NOT_TEXT_STARTS = (_PDF_START, b"{\\rtf", b"\x7fELF", b"%!PS-Adobe")
# Text in two-byte units and binaries are full of control characters; prose holds none.
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_SAMPLE_BYTES = 8_192
_BINARY_SHARE = 0.02
_JSON_ESCAPE = re.compile(rb"\\(?:u([0-9a-fA-F]{4})|.)", re.DOTALL)
_TURNS = re.compile(rb'\s*(?:\{\s*"turns"\s*:|\[\s*\{[^{}\[\]]{0,4000}?"speaker"\s*:)')


def has_known_name(file_name: str) -> bool:
    """Return whether the file's extension is one of a format that can be read."""
    return _declared(file_name, None) is not None


def detect_format(
    file_name: str | None, media_type: str | None, raw: bytes, *, max_bytes: int = MAX_BYTES
) -> DocumentFormat:
    """The format, by file extension, then by media type, and confirmed by the bytes themselves.

    Raises PayloadTooLarge (413) over `max_bytes`; UnsupportedFormat (415) for an unknown format,
    for binary data that is called text and for text that is not UTF-8; InvalidInput (422) with
    the codes `empty_document`, `invalid_character`, `archive_refused`, `encrypted_document` and
    `damaged_document`. What only parsing can find is found by `read_isolated`.
    """
    if len(raw) > max_bytes:
        raise PayloadTooLarge(f"The document is over the limit of {max_bytes:,} bytes.")
    if not raw.strip():
        raise faults.empty_document()
    declared = _declared(file_name, media_type)
    if raw.startswith(_OLE_START):
        raise _refuse_ole(raw)
    if declared is None and raw.startswith(_PDF_START):
        declared = DocumentFormat.PDF
    if declared is DocumentFormat.PDF:
        _check_pdf(raw)
    elif raw.startswith(_ZIP_STARTS) or declared is DocumentFormat.DOCX:
        declared = _check_zip(raw, declared)
    elif declared is not None:
        _check_text(raw)
        if declared is DocumentFormat.JSON and _TURNS.match(raw.removeprefix(b"\xef\xbb\xbf")):
            declared = DocumentFormat.CONVERSATION
        if declared in (DocumentFormat.JSON, DocumentFormat.JSONL, DocumentFormat.CONVERSATION):
            _check_json_escapes(raw)
    if declared is None:
        raise UnsupportedFormat("The document's format is not known; name the file or its media type.")
    return declared


def _declared(file_name: str | None, media_type: str | None) -> DocumentFormat | None:
    # Browsers send Markdown and CSV under many media types, so the extension speaks first.
    _, _, extension = (file_name or "").rpartition(".")
    kind = (media_type or "").partition(";")[0].strip().lower()
    return _BY_EXTENSION.get(extension.strip().lower()) or _BY_MEDIA_TYPE.get(kind)


def _refuse_ole(raw: bytes) -> Exception:
    """An encrypted DOCX is not a zip but an old-style container around one."""
    if _ENCRYPTED_PACKAGE in raw:
        return faults.encrypted_document()
    return UnsupportedFormat("The old binary office format cannot be read; save it as DOCX or PDF.")


def _check_pdf(raw: bytes) -> None:
    if not raw.startswith(_PDF_START):
        raise UnsupportedFormat("The document is called a PDF and its bytes are not one.")
    end = raw.rfind(_ZIP_END, -65_558)
    if (
        end >= 0
        and len(raw) >= end + 22
        and end + 22 + int.from_bytes(raw[end + 20 : end + 22], "little") == len(raw)
    ):
        raise faults.archive_refused("the file is a PDF and an archive at once")
    check_pdf_ends(raw)


def check_pdf_ends(raw: bytes) -> None:
    """Raise InvalidInput `damaged_document` for a PDF without its end mark: the rest was lost.

    A reader would repair such a file, and silently drop pages.
    """
    if _PDF_END not in raw[-_PDF_TAIL:]:
        raise faults.damaged_document("The PDF is cut off before its end.")


def _check_zip(raw: bytes, declared: DocumentFormat | None) -> DocumentFormat:
    if not raw.startswith(_ZIP_STARTS):
        raise UnsupportedFormat("The document is called DOCX and its bytes are not one.")
    names = archive.check_directory(raw)
    if declared not in (None, DocumentFormat.DOCX):
        raise UnsupportedFormat("The document is called text and its bytes are an archive.")
    if archive.MAIN_PART in names:
        return DocumentFormat.DOCX
    if declared is DocumentFormat.DOCX:
        raise faults.damaged_document("The Word document has no text part.")
    raise UnsupportedFormat("Archives cannot be read; send the documents one by one.")


def _check_text(raw: bytes) -> None:
    sample = raw[:_SAMPLE_BYTES]
    if raw.startswith((*_NOT_TEXT_STARTS, *_UTF16_MARKS)):
        raise UnsupportedFormat("The document is called text and its bytes are not UTF-8 text.")
    if len(_CONTROL.findall(sample)) > _BINARY_SHARE * len(sample):
        raise UnsupportedFormat("The document is called text and its bytes are binary.")
    text = decode(raw)
    if "\x00" in text:
        raise faults.invalid_character("a NUL character")
    if is_blank(text):
        raise faults.empty_document()


def _check_json_escapes(raw: bytes) -> None:
    """Find escaped NULs and halves of surrogate pairs, which no database stores."""
    if b"\\u" not in raw:
        return
    awaited_at: int | None = None  # where the second half of a pair must stand
    for found in _JSON_ESCAPE.finditer(raw):
        point = int(found[1], 16) if found[1] else -1
        is_second = 0xDC00 <= point <= 0xDFFF
        completes = awaited_at == found.start() and is_second
        if (is_second or awaited_at is not None) and not completes:
            raise faults.invalid_character("a lone surrogate")
        if point == 0:
            raise faults.invalid_character("a NUL character")
        awaited_at = found.end() if 0xD800 <= point <= 0xDBFF else None
    if awaited_at is not None:
        raise faults.invalid_character("a lone surrogate")
