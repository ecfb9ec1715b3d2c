"""Plain text: kept as it is, with underlined lines read as headings."""

import re

from app.documents.parsers import faults
from app.documents.parsers.assembly import clean_text, is_blank
from app.documents.shapes import ParsedDocument, Section
from app.errors import UnsupportedFormat

# A line after a blank line (or at the start), underlined over its whole length by = or -.
_UNDERLINED = re.compile(
    r"(?:\A|(?<=\n\n))(?P<line>[^\s=\-][^\n]{0,200})\n(?P<rule>={3,}|-{3,})[^\S\n]*(?=\n|\Z)"
)


def decode(raw: bytes) -> str:
    """The bytes as UTF-8 with or without a byte order mark; raises UnsupportedFormat otherwise."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UnsupportedFormat("The document is not UTF-8 text; save it as UTF-8.") from None


def parse_text(raw: bytes) -> ParsedDocument:
    """The text as it was sent, in NFC with \\n line ends, one section for each underlined heading."""
    text = clean_text(decode(raw))
    if is_blank(text):
        raise faults.empty_document()
    sections: list[Section] = []
    path: tuple[str, ...] = ()
    top: tuple[str, ...] = ()
    start = 0
    for found in _UNDERLINED.finditer(text):
        if text[start : found.start()].strip():
            sections.append(Section(start, found.start(), path))
        line = " ".join(found["line"].split())
        # As in Markdown: = underlines the first level and - the second.
        if found["rule"][0] == "=":
            top = path = (line,)
        else:
            path = (*top, line)
        start = found.start()
    sections.append(Section(start, len(text), path))
    opens_with_heading = bool(sections[0].heading_path) and sections[0].start == 0
    return ParsedDocument(text, tuple(sections), sections[0].heading_path[-1] if opens_with_heading else None)
