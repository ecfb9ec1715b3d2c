"""Parsers, one per format: bytes in, plain text with sections out."""

from dataclasses import replace

from app.documents.parsers import faults
from app.documents.parsers.combining import counted
from app.documents.parsers.limits import DEFAULT_LIMITS, ParseLimits
from app.documents.shapes import DocumentFormat, ParsedDocument
from app.lazy import imported

# Each below this package: what PDF, DOCX and Markdown need takes a quarter of a second to import.
_PARSERS = {
    DocumentFormat.TEXT: "text:parse_text",
    DocumentFormat.MARKDOWN: "markdown:parse_markdown",
    DocumentFormat.HTML: "html:parse_html",
    DocumentFormat.PDF: "pdf:parse_pdf",
    DocumentFormat.DOCX: "docx:parse_docx",
    DocumentFormat.EXTRACTION: "extraction:parse_extraction",
}
# These take the limits too.
_RECORD_PARSERS = {
    DocumentFormat.JSON: "records:parse_json",
    DocumentFormat.JSONL: "records:parse_jsonl",
    DocumentFormat.CSV: "records:parse_csv",
    DocumentFormat.CONVERSATION: "conversation:parse_conversation",
}

__all__ = ["load_parser", "parse"]


def load_parser(format: DocumentFormat) -> None:
    """Import what reads this format now, before a process limits itself."""
    imported(_place_of(format))


def _place_of(format: DocumentFormat) -> str:
    return f"{__name__}.{_RECORD_PARSERS.get(format) or _PARSERS[format]}"


def parse(raw: bytes, format: DocumentFormat, limits: ParseLimits = DEFAULT_LIMITS) -> ParsedDocument:
    """The document as plain text in NFC with \\n line ends, and its sections (requirement 2.1).

    The same bytes always give the same result. Raises InvalidInput with a code from
    `parsers.faults`, or UnsupportedFormat for bytes that are not UTF-8. For bytes from outside,
    call `reading.read_isolated`, which bounds time and memory.
    """
    with counted() as dropped:
        parser = imported(_place_of(format))
        document: ParsedDocument = parser(raw, limits) if format in _RECORD_PARSERS else parser(raw)
    if len(document.text) > limits.characters:
        raise faults.document_too_large(limits.characters)
    return replace(document, dropped_marks=sum(dropped)) if dropped else document
