"""reStructuredText: unchanged, under its underlined headings. Included files are not read."""

import re

from app.documents.parsers import parse_errors
from app.documents.parsers.assembly import clean_text, is_blank
from app.documents.parsers.decoding import decode_with_detected_encoding
from app.documents.parsers.file_format import TextFormat
from app.documents.parsers.limits import ParseLimits
from app.documents.parsers.lines import locate_lines, number_lines
from app.documents.shapes import ParsedDocument, Section

_UNDERLINED_HEADING = re.compile(
    r"^(?:(?P<over>[!-/:-@\[-`{-~])(?P=over){2,200}\n)?"
    r"(?P<line>[^\s][^\n]{0,200})\n(?P<mark>[!-/:-@\[-`{-~])(?P=mark){2,200}[ \t]*$",
    re.MULTILINE,
)


class Rst(TextFormat):
    """reStructuredText, the markup of Python's documentation."""

    name = "rst"
    label = "reStructuredText"
    description = (
        "The text as it is, underlined titles as sections; directives are text, and nothing is included;"
        " citations name the line."
    )
    extensions = ("rst", "rest")
    media_types = ("text/x-rst",)

    def parse(self, file_bytes: bytes, limits: ParseLimits) -> ParsedDocument:  # noqa: ARG002
        """Return the text with a section for each title; levels follow the first occurrence of marks."""
        source = decode_with_detected_encoding(file_bytes)
        text = clean_text(source)
        if is_blank(text):
            raise parse_errors.build_empty_document_error()
        sections: list[Section] = []
        underline_marks: list[str] = []
        heading_path: list[str] = []
        start = 0
        for match in _UNDERLINED_HEADING.finditer(text):
            line = " ".join(match["line"].split())
            if len(match[0].rstrip().rpartition("\n")[2]) < len(line) // 2:
                continue
            if text[start : match.start()].strip():
                sections.append(Section(start, match.start(), tuple(heading_path)))
            underline_mark = (match["over"] or "") + match["mark"]
            if underline_mark not in underline_marks:
                underline_marks.append(underline_mark)
            heading_path = [*heading_path[: underline_marks.index(underline_mark)], line]
            start = match.start("line")
        sections.append(Section(start, len(text), tuple(heading_path)))
        first_heading = next((section.heading_path[-1] for section in sections if section.heading_path), None)
        places = locate_lines(text, number_lines(source))
        return ParsedDocument(text, tuple(sections), first_heading, places=places)
