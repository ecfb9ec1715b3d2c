"""Source code: unchanged, with one section for each definition at the left margin."""

import re
from itertools import pairwise

from app.documents.parsers.assembly import Assembly, clean_text
from app.documents.parsers.decoding import decode
from app.documents.parsers.file_format import TextFormat
from app.documents.parsers.limits import ParseLimits
from app.documents.parsers.lines import locate_lines, number_lines
from app.documents.shapes import ParsedDocument

_DEFINITION = re.compile(
    r"^(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|pub(?:\([a-z]+\))?|unsafe"
    r"|open|data|sealed|inline|extern|const)\s+)*"
    r"(?:def|class|func|fn|function|fun|struct|enum|trait|impl|interface|module|namespace|object|type|record|mod"
    r"|CREATE\s+(?:OR\s+REPLACE\s+)?\w+)\b[^\n]*",
    re.MULTILINE | re.IGNORECASE,
)
# Lines directly above a definition that belong to it: decorators and comments at the left margin.
_LINE_BEFORE_DEFINITION = re.compile(r"@\w|#|//|--|/\*")


class Code(TextFormat):
    """Source code of common languages."""

    name = "code"
    label = "source code"
    reads = "The text as it is, a section for each definition at the margin; citations name the line."
    extensions = (
        "py",
        "pyi",
        "js",
        "mjs",
        "jsx",
        "ts",
        "tsx",
        "java",
        "kt",
        "scala",
        "swift",
        "go",
        "rs",
        "c",
        "h",
        "cc",
        "cpp",
        "hpp",
        "cs",
        "rb",
        "php",
        "pl",
        "lua",
        "r",
        "jl",
        "sh",
        "bash",
        "ps1",
        "sql",
    )
    media_types = ("text/x-python", "application/javascript", "text/javascript", "application/sql")

    def parse(self, file_bytes: bytes, limits: ParseLimits) -> ParsedDocument:  # noqa: ARG002
        """Return the definitions, and the text before and between them."""
        source = decode(file_bytes)
        text = clean_text(source)
        numbers = number_lines(source)
        definitions = (_find_definition_start(text, match.start()) for match in _DEFINITION.finditer(text))
        part_starts = sorted({0, *definitions, len(text)})
        assembly = Assembly()
        line = 0
        for begin, end in pairwise(part_starts):
            block_text = text[begin:end]
            assembly.add_indivisible(block_text, places=locate_lines(block_text, numbers, line))
            line += block_text.count("\n")
        return assembly.build()


def _find_definition_start(text: str, start: int) -> int:
    """Return where a definition begins, including the decorators and comments above the line at `start`.

    The lines above are scanned upwards once: a pattern that began with them would retry a long comment from
    each of its lines.
    """
    while start:
        line_above = text.rfind("\n", 0, start - 1) + 1
        if _LINE_BEFORE_DEFINITION.match(text, line_above) is None:
            break
        start = line_above
    return start
