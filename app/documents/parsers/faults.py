"""The exceptions of parsers, each with a stable code. Messages never contain text of the document."""

from app.errors import InvalidInput


def empty_document() -> InvalidInput:
    """Return the error for a document without characters, or with only white space and zero-width ones."""
    return InvalidInput("The document holds no readable text.", code="empty_document")


def no_text_layer() -> InvalidInput:
    """Return the error for a PDF that contains only pictures."""
    return InvalidInput(
        "The PDF has no layer of text, as a scan has none; run text recognition (OCR) over it first.",
        code="empty_document",
    )


def no_pages() -> InvalidInput:
    """Return the error for a PDF without pages."""
    return InvalidInput(
        "The PDF has no pages: save it again from the program that made it.", code="empty_document"
    )


def invalid_character(description: str) -> InvalidInput:
    """Return the error for a text with a forbidden character, which `description` names."""
    return InvalidInput(f"The document holds {description}, which is not text.", code="invalid_character")


def damaged_document(message: str) -> InvalidInput:
    """Return the error for bytes that violate the rules of their format; the message says where."""
    return InvalidInput(message, code="damaged_document")


def encrypted_document() -> InvalidInput:
    """Return the error for a document that can be opened only with a password."""
    return InvalidInput("The document is encrypted; send it without a password.", code="encrypted_document")


def archive_refused(reason: str) -> InvalidInput:
    """Return the error for a ZIP container that is dangerous to unpack."""
    return InvalidInput(f"The document's zip container is refused: {reason}.", code="archive_refused")


def archive_bomb(reason: str) -> InvalidInput:
    """Return the error for an archive that unpacks to more than allowed and is refused as a whole."""
    return InvalidInput(f"The archive is refused whole: {reason}.", code="archive_bomb")


def entities_refused() -> InvalidInput:
    """Return the error for XML that declares entities."""
    return InvalidInput(
        "The XML declares or names entities, which are refused; save it with them written out.",
        code="entities_refused",
    )


def too_deep(limit: int) -> InvalidInput:
    """Return the error for a document that is nested deeper than the limit of its format."""
    return InvalidInput(
        f"The document is nested more than {limit:,} levels deep; save it with fewer.", code="too_deep"
    )


def nested_without_end() -> InvalidInput:
    """Return the error for a document that is nested deeper than any program would write."""
    return damaged_document("The document is damaged: it is nested without end; save it again.")


def too_many_pages(limit: int) -> InvalidInput:
    """Return the error for a document with more pages than allowed."""
    return InvalidInput(f"The document has more than {limit:,} pages.", code="too_many_pages")


def document_too_large(limit: int) -> InvalidInput:
    """Return the error for a document with more characters of text than allowed."""
    return InvalidInput(
        f"The document holds more than {limit:,} characters of text; send it in parts.",
        code="document_too_large",
    )


def too_many_rows(limit: int) -> InvalidInput:
    """Return the error for a CSV or JSON lines file, or a JSON array, with more records than allowed."""
    return InvalidInput(f"The document has more than {limit:,} rows; send it in parts.", code="too_many_rows")


def too_many_values(limit: int) -> InvalidInput:
    """Return the error for a JSON file with more keys and values than allowed."""
    return InvalidInput(
        f"The JSON holds more than {limit:,} values; send it in parts.", code="too_many_values"
    )


def too_many_chunks(limit: int) -> InvalidInput:
    """Return the error for a document that would have more chunks than allowed."""
    return InvalidInput(
        f"The document would have more than {limit:,} chunks; send it in parts.", code="too_many_chunks"
    )


def too_large_to_parse() -> InvalidInput:
    """Return the error for a document whose reading takes more memory than allowed."""
    return InvalidInput(
        "The document needs more memory than one may take; send it in parts.", code="too_large_to_parse"
    )


def parse_timeout(seconds: int) -> InvalidInput:
    """Return the error for a document whose reading takes longer than allowed."""
    return InvalidInput(
        f"The document could not be read within {seconds} seconds; send it in parts.", code="parse_timeout"
    )
