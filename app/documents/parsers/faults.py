"""Refusals of parsers, each with its stable code. Messages never hold text out of the document."""

from app.errors import InvalidInput


def empty_document() -> InvalidInput:
    """Nothing to read: no characters, or white space and zero-width characters only."""
    return InvalidInput("The document holds no readable text.", code="empty_document")


def no_text_layer() -> InvalidInput:
    """A PDF of pictures."""
    return InvalidInput(
        "The PDF has no layer of text, as a scan has none; run text recognition (OCR) over it first.",
        code="empty_document",
    )


def invalid_character(description: str) -> InvalidInput:
    """A character that no text may hold; `description` names it."""
    return InvalidInput(f"The document holds {description}, which is not text.", code="invalid_character")


def damaged_document(message: str) -> InvalidInput:
    """The bytes break the rules of their format; the message says where."""
    return InvalidInput(message, code="damaged_document")


def encrypted_document() -> InvalidInput:
    """The document opens only with a password."""
    return InvalidInput("The document is encrypted; send it without a password.", code="encrypted_document")


def archive_refused(why: str) -> InvalidInput:
    """A zip container that is dangerous to unpack."""
    return InvalidInput(f"The document's zip container is refused: {why}.", code="archive_refused")


def archive_bomb(why: str) -> InvalidInput:
    """An archive that unpacks to more than it may: nothing of it is taken."""
    return InvalidInput(f"The archive is refused whole: {why}.", code="archive_bomb")


def entities_refused() -> InvalidInput:
    """XML that declares entities of any kind."""
    return InvalidInput(
        "The XML declares or names entities, which are refused; save it with them written out.",
        code="entities_refused",
    )


def too_deep(limit: int) -> InvalidInput:
    """A document nested deeper than the limit of its format."""
    return InvalidInput(
        f"The document is nested more than {limit:,} levels deep; save it with fewer.", code="too_deep"
    )


def nested_without_end() -> InvalidInput:
    """A document nested deeper than any program writes one."""
    return damaged_document("The document is damaged: it is nested without end; save it again.")


def too_many_pages(limit: int) -> InvalidInput:
    """A PDF with more pages than are read."""
    return InvalidInput(f"The document has more than {limit:,} pages.", code="too_many_pages")


def document_too_large(limit: int) -> InvalidInput:
    """More text than one document may hold."""
    return InvalidInput(
        f"The document holds more than {limit:,} characters of text; send it in parts.",
        code="document_too_large",
    )


def too_many_rows(limit: int) -> InvalidInput:
    """A CSV or JSON lines file, or a JSON array, of more records than are read."""
    return InvalidInput(f"The document has more than {limit:,} rows; send it in parts.", code="too_many_rows")


def too_many_values(limit: int) -> InvalidInput:
    """JSON of more keys and values than are read."""
    return InvalidInput(
        f"The JSON holds more than {limit:,} values; send it in parts.", code="too_many_values"
    )


def too_many_chunks(limit: int) -> InvalidInput:
    """More chunks than one document may have."""
    return InvalidInput(
        f"The document would have more than {limit:,} chunks; send it in parts.", code="too_many_chunks"
    )


def too_large_to_parse() -> InvalidInput:
    """Reading the document takes more memory than one document may."""
    return InvalidInput(
        "The document needs more memory than one may take; send it in parts.", code="too_large_to_parse"
    )


def parse_timeout(seconds: int) -> InvalidInput:
    """Reading the document takes longer than one document may."""
    return InvalidInput(
        f"The document could not be read within {seconds} seconds; send it in parts.", code="parse_timeout"
    )
