"""Format detection: the format of a file by its bytes, its name and its media type, before it is parsed."""

from typing import BinaryIO

from app.documents.format_registry import FORMATS
from app.documents.parsers import archive, parse_errors
from app.documents.parsers.file_format import FileContent, FileFormat, TextFormat
from app.documents.parsers.other_files import (
    OFFICE_ADVICE,
    describe_unsupported_content,
    get_conversion_advice,
)
from app.errors import InvalidInput, PayloadTooLarge, UnsupportedFormat

MAX_BYTES = 25 * 1024 * 1024
# Enough to see how a file begins.
_START_LENGTH = 8_192
_OLE_START = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")


def has_known_extension(file_name: str) -> bool:
    """Return whether the file's extension is one of a format that can be read."""
    return _get_declared_format(file_name, None) is not None


def may_file_of_name_be_read(file_name: str) -> bool:
    """Return whether a file of this name is looked at; one without an extension is for its content."""
    return has_known_extension(file_name) or not has_extension(file_name)


def do_bytes_show_only_one_format(file: BinaryIO) -> bool:
    """Return whether the bytes of an open file can be of one format only, whatever it is called."""
    file_bytes = file.read(_START_LENGTH)
    if archive.is_zip(file_bytes):
        # What an archive holds stands at its end.
        file_bytes += file.read(MAX_BYTES)
    try:
        return (
            not file_bytes.startswith(_OLE_START)
            and _recognize_format_by_content(FileContent(file_bytes)) is not None
        )
    except InvalidInput:
        return False


def _recognize_format_by_content(content: FileContent) -> FileFormat | None:
    return next((format for format in FORMATS.values() if format.recognizes(content)), None)


def explain_why_file_is_not_read(file_name: str) -> str:
    """Return why a file of this name is not read, and what to do where that is known."""
    return get_conversion_advice(file_name) or (
        "No format that can be read has files of this name: save it as one of those of docs/formats.md, or"
        " call it .txt where it is text."
    )


def detect_format_or_refuse(
    file_name: str | None, media_type: str | None, file_bytes: bytes, *, max_bytes: int = MAX_BYTES
) -> str:
    """Return the name of the format: by content where that can be only one, else by extension or media type.

    Bytes that cannot be what they are called are read as what they are, if that can be only one format
    (`describe_misleading_file_name`).

    These are cheap checks without parsing: a door runs them before it stores anything, so that a hopeless
    file is refused at once and does not fail later as a job. Raises PayloadTooLarge (413) over `max_bytes`;
    UnsupportedFormat (415) for an unknown format and for bytes that are not what they are called;
    InvalidInput (422) with the codes `empty_document`, `invalid_character`, `archive_refused`,
    `encrypted_document` and `damaged_document`. What only parsing can find is found by
    `parse_and_split_document_in_child`.
    """
    if len(file_bytes) > max_bytes:
        raise PayloadTooLarge(f"The document is over the limit of {max_bytes:,} bytes; send it in parts.")
    if not file_bytes.strip():
        raise parse_errors.build_empty_document_error()
    advice = get_conversion_advice(file_name or "")
    if file_bytes.startswith(_OLE_START):
        raise _build_ole_error(file_bytes, advice)
    declared_format = _get_declared_format(file_name, media_type)
    content = FileContent(file_bytes, declared_format.name if declared_format else None)
    format = _recognize_format_by_content(content) or declared_format
    if format is None and file_name and not media_type and not has_extension(file_name):
        # README, LICENSE, minutes: whoever gives a file no extension writes text.
        format = FORMATS["text"]
    other_content = describe_unsupported_content(file_bytes)
    if format is None:
        if other_content is not None:
            raise parse_errors.build_unreadable_content_error(*other_content)
        raise _build_unknown_format_error(file_bytes, advice)
    try:
        format.check(content)
    except UnsupportedFormat:
        content = FileContent(file_bytes)
        recognized_format = _recognize_format_by_content(content) if format is declared_format else None
        if recognized_format is None:
            if other_content is None:
                raise
            raise parse_errors.build_unreadable_content_error(*other_content) from None
        format = recognized_format
        format.check(content)
    return format.name


def describe_misleading_file_name(file_name: str, format: str) -> str | None:
    """Return a sentence for a file that was not read as the format of its name; None for any other.

    Formats of text are not told apart: what a text is called decides how it is read.
    """
    named_format, read_format = _get_declared_format(file_name, None), FORMATS[format]
    if named_format is None or named_format is read_format:
        return None
    if isinstance(named_format, TextFormat) and isinstance(read_format, TextFormat):
        return None
    return (
        f"The file is named as {named_format.label}, but its content is {read_format.label}: it was read as"
        f" {read_format.label}."
    )


def _get_declared_format(file_name: str | None, media_type: str | None) -> FileFormat | None:
    # Browsers send Markdown and CSV under many media types, so the extension speaks first.
    _, _, extension = (file_name or "").rpartition(".")
    content_type = (media_type or "").partition(";")[0].strip().lower()
    return _FORMAT_BY_EXTENSION.get(extension.strip().lower()) or _FORMAT_BY_MEDIA_TYPE.get(content_type)


def has_extension(file_name: str) -> bool:
    """Return whether the file's name says a format at all, known or not."""
    return "." in file_name.rpartition("/")[2].strip(".")


def _build_unknown_format_error(file_bytes: bytes, advice: str | None) -> Exception:
    if archive.is_zip(file_bytes):
        return UnsupportedFormat(
            "The bytes are an archive; of these only ZIP files called .zip are read."
            f" {advice or OFFICE_ADVICE}"
        )
    known_formats = f"Known are: {', '.join(FORMATS)}."
    return UnsupportedFormat(f"The document's format is not known. {advice or known_formats}")


def _build_ole_error(file_bytes: bytes, advice: str | None) -> Exception:
    """Return the error for an OLE container: an encrypted DOCX is one, with the zip file inside."""
    if _ENCRYPTED_PACKAGE in file_bytes:
        return parse_errors.build_encrypted_document_error()
    return UnsupportedFormat(f"The old binary office format cannot be read. {advice or OFFICE_ADVICE}")


_FORMAT_BY_EXTENSION = {extension: format for format in FORMATS.values() for extension in format.extensions}
_FORMAT_BY_MEDIA_TYPE = {
    media_type: format for format in FORMATS.values() for media_type in format.media_types
}
