"""The exceptions of parsers, each with a stable code. Messages never contain text of the document."""

from xml.etree.ElementTree import ParseError
from xml.parsers.expat import errors as expat_errors

from app.errors import InvalidInput, UnsupportedFormat

_EXPAT_NO_MEMORY = expat_errors.codes[expat_errors.XML_ERROR_NO_MEMORY]
# XML_ERR_NO_MEMORY of libxml2.
_LIBXML_NO_MEMORY = 2


def is_out_of_memory_error(error: Exception) -> bool:
    """Return whether memory ran out; the parsers of XML report that as a fault in the XML."""
    if isinstance(error, ParseError):
        return error.code == _EXPAT_NO_MEMORY
    if type(error).__module__ == "lxml.etree":
        return getattr(error, "code", None) == _LIBXML_NO_MEMORY
    return isinstance(error, MemoryError)


def build_unreadable_content_error(description: str, advice: str) -> UnsupportedFormat:
    """Return the error for a file of a known kind that is not read, whatever its name: "a picture"."""
    return UnsupportedFormat(f"The content of the file is {description}. {advice}")


def build_misnamed_file_error(label: str) -> UnsupportedFormat:
    """Return the error for a file whose name says this format and whose content does not."""
    return UnsupportedFormat(
        f"The file is named as {label}, but its content is not {label}: give it the extension of its format."
    )


def build_empty_document_error() -> InvalidInput:
    """Return the error for a document without characters, or with only white space and zero-width ones."""
    return InvalidInput(
        "The document holds no readable text: save it again with its text, or leave it out.",
        code="empty_document",
    )


def build_no_text_layer_error() -> InvalidInput:
    """Return the error for a PDF that contains only pictures."""
    return InvalidInput(
        "The PDF has no layer of text, as a scan has none; run text recognition (OCR) over it first.",
        code="empty_document",
    )


def build_no_pages_error() -> InvalidInput:
    """Return the error for a PDF without pages."""
    return InvalidInput(
        "The PDF has no pages: save it again from the program that made it.", code="empty_document"
    )


def build_invalid_character_error(description: str) -> InvalidInput:
    """Return the error for a text with a forbidden character, which `description` names."""
    return InvalidInput(
        f"The document holds {description}, which is not text: save it again as text in UTF-8.",
        code="invalid_character",
    )


def build_damaged_document_error(fault: str, advice: str = "copy or save it again") -> InvalidInput:
    """Return the error for bytes that violate the rules of their format.

    `fault` says where, `advice` what the owner of the file can do; neither ends with a period.
    """
    return InvalidInput(f"{fault}: {advice}.", code="damaged_document")


def build_encrypted_document_error() -> InvalidInput:
    """Return the error for a document that can be opened only with a password."""
    return InvalidInput("The document is encrypted; send it without a password.", code="encrypted_document")


def build_archive_refused_error(reason: str, *, advice: str = "save the document again") -> InvalidInput:
    """Return the error for a ZIP container that is dangerous to unpack, with what its owner can do."""
    return InvalidInput(
        f"The document's zip container is refused: {reason}; {advice}.", code="archive_refused"
    )


def build_archive_too_deep_error(limit: int) -> InvalidInput:
    """Return the error for an archive that lies in more archives or mails than the limit."""
    return InvalidInput(
        f"The archive lies more than {limit} archives or mails deep: take it out and submit it by itself.",
        code="archive_refused",
    )


def build_linked_entry_error() -> InvalidInput:
    """Return the error for an entry of an archive that is a symbolic link."""
    return InvalidInput(
        "Links in archives are not followed: put the file itself into the archive.", code="symbolic_link"
    )


def build_duplicate_entry_error() -> InvalidInput:
    """Return the error for an entry whose name an earlier entry of the archive has."""
    return InvalidInput("Another entry of the archive has its name: rename it.", code="archive_refused")


def build_unsafe_entry_error(reason: str, advice: str = "submit it without the archive") -> InvalidInput:
    """Return the error for an entry of an archive that is dangerous to unpack."""
    return InvalidInput(f"It is not unpacked, since {reason}: {advice}.", code="archive_refused")


def build_archive_bomb_error(reason: str) -> InvalidInput:
    """Return the error for an archive whose files exceed the limits, of which none is unpacked."""
    return InvalidInput(
        f"Its files are not unpacked, since {reason}: submit them without it.", code="archive_bomb"
    )


def build_entities_refused_error() -> InvalidInput:
    """Return the error for XML that declares entities."""
    return InvalidInput(
        "The XML declares or names entities, which are refused; save it with them written out.",
        code="entities_refused",
    )


def build_too_deep_error(limit: int) -> InvalidInput:
    """Return the error for a document that is nested deeper than the limit of its format."""
    return InvalidInput(
        f"The document is nested more than {limit:,} levels deep; save it with fewer.", code="too_deep"
    )


def build_recursion_error() -> InvalidInput:
    """Return the error for a document that is nested deeper than any program would write."""
    return build_damaged_document_error("The document is damaged, since it is nested without end")


def build_too_many_pages_error(limit: int) -> InvalidInput:
    """Return the error for a document with more pages than allowed."""
    return InvalidInput(
        f"The document has more than {limit:,} pages; send it in parts.", code="too_many_pages"
    )


def build_document_too_large_error(limit: int) -> InvalidInput:
    """Return the error for a document with more characters of text than allowed."""
    return InvalidInput(
        f"The document holds more than {limit:,} characters of text; send it in parts.",
        code="document_too_large",
    )


def build_too_many_rows_error(limit: int, nouns: str = "rows") -> InvalidInput:
    """Return the error for a table, a mailbox or a file of records with more records than allowed."""
    return InvalidInput(
        f"The document has more than {limit:,} {nouns}; send it in parts.", code="too_many_rows"
    )


def build_too_many_values_error(limit: int) -> InvalidInput:
    """Return the error for a JSON file with more keys and values than allowed."""
    return InvalidInput(
        f"The JSON holds more than {limit:,} values; send it in parts.", code="too_many_values"
    )


def build_too_many_chunks_error(limit: int) -> InvalidInput:
    """Return the error for a document that would have more chunks than allowed."""
    return InvalidInput(
        f"The document would have more than {limit:,} chunks; send it in parts.", code="too_many_chunks"
    )


def build_too_large_to_parse_error() -> InvalidInput:
    """Return the error for a document whose reading takes more memory than allowed."""
    return InvalidInput(
        "The document needs more memory than one may take; send it in parts.", code="too_large_to_parse"
    )


def build_parse_timeout_error(seconds: int) -> InvalidInput:
    """Return the error for a document whose reading takes longer than allowed."""
    return InvalidInput(
        f"The document could not be read within {seconds} seconds; send it in parts.", code="parse_timeout"
    )
