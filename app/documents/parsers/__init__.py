"""Parsers, one per format: bytes in, plain text with sections out."""

from collections.abc import Callable
from dataclasses import replace

from app.documents.parsers import faults
from app.documents.parsers.combining import counted
from app.documents.parsers.conversation import parse_conversation
from app.documents.parsers.docx import parse_docx
from app.documents.parsers.extraction import parse_extraction
from app.documents.parsers.html import parse_html
from app.documents.parsers.limits import DEFAULT_LIMITS, ParseLimits
from app.documents.parsers.markdown import parse_markdown
from app.documents.parsers.pdf import parse_pdf
from app.documents.parsers.records import parse_csv, parse_json, parse_jsonl
from app.documents.parsers.text import parse_text
from app.documents.shapes import DocumentFormat, ParsedDocument

_PARSERS: dict[DocumentFormat, Callable[[bytes], ParsedDocument]] = {
    DocumentFormat.TEXT: parse_text,
    DocumentFormat.MARKDOWN: parse_markdown,
    DocumentFormat.HTML: parse_html,
    DocumentFormat.PDF: parse_pdf,
    DocumentFormat.DOCX: parse_docx,
    DocumentFormat.EXTRACTION: parse_extraction,
}
_RECORD_PARSERS: dict[DocumentFormat, Callable[[bytes, ParseLimits], ParsedDocument]] = {
    DocumentFormat.JSON: parse_json,
    DocumentFormat.JSONL: parse_jsonl,
    DocumentFormat.CSV: parse_csv,
    DocumentFormat.CONVERSATION: parse_conversation,
}

__all__ = ["parse"]


def parse(raw: bytes, format: DocumentFormat, limits: ParseLimits = DEFAULT_LIMITS) -> ParsedDocument:
    """The document as plain text in NFC with \\n line ends, and its sections (requirement 2.1).

    The same bytes always give the same result. Raises InvalidInput with a code from
    `parsers.faults`, or UnsupportedFormat for bytes that are not UTF-8. For bytes from outside,
    call `sandbox.parse_isolated`, which bounds time and memory.
    """
    with counted() as dropped:
        records = _RECORD_PARSERS.get(format)
        document = records(raw, limits) if records else _PARSERS[format](raw)
    if len(document.text) > limits.characters:
        raise faults.document_too_large(limits.characters)
    return replace(document, dropped_marks=sum(dropped)) if dropped else document
