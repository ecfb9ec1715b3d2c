"""Plain text: unchanged, with underlined lines as headings, and date and subject of a mail header."""

import re
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.parser import HeaderParser
from email.utils import parsedate_to_datetime
from typing import NamedTuple

from app.documents.document_dates import DATE_KEY
from app.documents.parsers import parse_errors
from app.documents.parsers.assembly import clean_text, is_blank
from app.documents.parsers.decoding import decode_with_detected_encoding
from app.documents.parsers.file_format import TextFormat
from app.documents.parsers.limits import ParseLimits
from app.documents.parsers.lines import locate_lines, number_lines
from app.documents.shapes import ParsedDocument, Section

# A line after a blank line (or at the start), underlined over its whole length by = or -.
_UNDERLINED_HEADING = re.compile(
    r"(?:\A|(?<=\n\n))(?P<line>[^\s=\-][^\n]{0,200})\n(?P<rule>={3,}|-{3,})[^\S\n]*(?=\n|\Z)"
)
# The header fields of a mail up to a blank line; bounded, because senders control their number.
_MAIL_HEADER = re.compile(
    r"(?:[A-Za-z][A-Za-z-]{1,40}:[^\n]{0,1000}\n(?:[ \t][^\n]{0,1000}\n){0,20}){2,60}(?=\n)"
)
_QUOTE_MARKS = re.compile(r"^(?:>[ \t]?)+", re.MULTILINE)
_MAX_TITLE_LENGTH = 300
_ENCRYPTED_START = b"-----BEGIN PGP MESSAGE-----"


class Text(TextFormat):
    """Plain text."""

    name = "text"
    label = "text"
    description = (
        "The text as it is; underlined lines are headings, the head of a mail gives date and title;"
        " citations name the line."
    )
    extensions = (
        "txt",
        "text",
        "log",
        "adoc",
        "asciidoc",
        "org",
        "tex",
        "yaml",
        "yml",
        "toml",
        "ini",
        "cfg",
        "conf",
        "srt",
        "vtt",
        "wiki",
        "textile",
        "bib",
        "ris",
        "po",
        "properties",
        "diff",
        "patch",
    )
    media_types = ("text/plain",)

    def parse(self, file_bytes: bytes, limits: ParseLimits) -> ParsedDocument:  # noqa: ARG002
        """Return the text as submitted."""
        return parse_text(file_bytes)


def parse_text(file_bytes: bytes) -> ParsedDocument:
    """Return the text as submitted, in NFC with \\n line ends, with a section for each underlined heading.

    The subject of a mail becomes the title, and its date the document's; the marks of quoted lines are left
    out.
    """
    if file_bytes.lstrip().startswith(_ENCRYPTED_START):
        raise parse_errors.build_encrypted_document_error()
    source = decode_with_detected_encoding(file_bytes)
    text = clean_text(source)
    if is_blank(text):
        raise parse_errors.build_empty_document_error()
    subject, metadata = _parse_mail_header(text)
    if subject is not None or metadata:
        text = clean_text(_QUOTE_MARKS.sub("", source))
    sections: list[Section] = []
    heading_path: tuple[str, ...] = ()
    top_headings: tuple[str, ...] = ()
    start = 0
    for match in _UNDERLINED_HEADING.finditer(text):
        if text[start : match.start()].strip():
            sections.append(Section(start, match.start(), heading_path))
        line = " ".join(match["line"].split())
        # As in Markdown: = underlines the first level and - the second.
        if match["rule"][0] == "=":
            top_headings = heading_path = (line,)
        else:
            heading_path = (*top_headings, line)
        start = match.start()
    sections.append(Section(start, len(text), heading_path))
    opens_with_heading = bool(sections[0].heading_path) and sections[0].start == 0
    heading = sections[0].heading_path[-1] if opens_with_heading else None
    places = locate_lines(text, number_lines(source))
    return ParsedDocument(text, tuple(sections), heading or subject, metadata, places=places)


class _MailHeader(NamedTuple):
    """The subject of a mail, and its date as metadata."""

    subject: str | None
    metadata: dict[str, str]


def _parse_mail_header(text: str) -> _MailHeader:
    """Return subject and date of a text that begins with a mail header (From and Date)."""
    match = _MAIL_HEADER.match(text)
    fields = HeaderParser().parsestr(match[0] if match else "")
    if "from" not in fields or "date" not in fields:
        return _MailHeader(None, {})
    subject = " ".join(_decode_mail_field(fields["subject"] or "").split())[:_MAX_TITLE_LENGTH] or None
    try:
        return _MailHeader(subject, {DATE_KEY: parsedate_to_datetime(fields["date"]).isoformat()})
    except (ValueError, OverflowError):
        return _MailHeader(subject, {})


def _decode_mail_field(field: str) -> str:
    """Return a mail header field decoded ("=?utf-8?q?Gr=C3=BC=C3=9Fe?="), or unchanged if it is damaged."""
    try:
        return str(make_header(decode_header(field)))
    except (HeaderParseError, LookupError, ValueError):
        return field
