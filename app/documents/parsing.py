"""Parsing of a document: from the bytes of a file to plain text with sections."""

from dataclasses import replace

from app.documents.format_registry import FORMATS, is_text_format
from app.documents.parsers import parse_errors
from app.documents.parsers.combining import collect_dropped_mark_counts
from app.documents.parsers.decoding import collect_encodings
from app.documents.parsers.limits import DEFAULT_LIMITS, ParseLimits
from app.documents.shapes import ParsedDocument
from app.number_words import pluralise


def parse_document(file_bytes: bytes, format: str, limits: ParseLimits = DEFAULT_LIMITS) -> ParsedDocument:
    """Return the document as plain text in NFC with \\n line ends, and its sections (requirement 2.1).

    The same bytes always give the same result. Raises InvalidInput with a code from `parse_errors`, or
    UnsupportedFormat for bytes in no known encoding. For bytes from outside, call
    `parse_and_split_document_in_child`, which bounds time and memory.
    """
    with collect_dropped_mark_counts() as dropped_mark_counts, collect_encodings() as decoded_texts:
        document = FORMATS[format].parse(file_bytes, limits)
    if len(document.text) > limits.characters:
        raise parse_errors.build_document_too_large_error(limits.characters)
    omission_notes = document.left_out
    if decoded_texts.damaged_characters:
        damaged_characters = pluralise(decoded_texts.damaged_characters, "character")
        omission_notes = (
            *omission_notes,
            f"The text is UTF-8 but for {damaged_characters}, whose bytes are damaged.",
        )
    omission_notes = (
        *omission_notes,
        *(
            f"The encoding {encoding} is a guess from few signs: save the file as UTF-8 if its text is wrong."
            for encoding in decoded_texts.unsure_encodings
        ),
    )
    encoding = decoded_texts.encodings[0] if decoded_texts.encodings and is_text_format(format) else None
    return replace(
        document, dropped_marks=sum(dropped_mark_counts), encoding=encoding, left_out=omission_notes
    )
