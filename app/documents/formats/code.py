"""Source code: unchanged, with one section for each definition at the left margin and each member of a long
class.
"""

import re
from itertools import pairwise

from app.documents.parsers.assembly import Assembly, clean_text
from app.documents.parsers.decoding import decode_with_detected_encoding
from app.documents.parsers.file_format import TextFormat
from app.documents.parsers.limits import ParseLimits
from app.documents.parsers.lines import locate_lines, number_lines
from app.documents.shapes import ParsedDocument

_DEFINITION = re.compile(
    r"^(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|pub(?:\([a-z]+\))?|unsafe"
    r"|open|data|sealed|inline|extern|const)\s+)*"
    r"(?:(?P<container>class|struct|enum|trait|impl|interface|module|namespace|object|record|mod)"
    r"|def|func|fn|function|fun|type|CREATE\s+(?:OR\s+REPLACE\s+)?\w+)\b[^\n]*",
    re.MULTILINE | re.IGNORECASE,
)
# A variable at the margin may have a function as its value: const area = (width) => {
_VARIABLE = re.compile(r"^(?:export\s+)?(?:const|let|var|default)\b[^\n]{0,500}", re.MULTILINE)
_FUNCTION_VALUE = re.compile(r"=>|=\s{0,9}(?:async\s{1,9})?function\b|\($")
# Characters of a class from which each member is a section of its own: more than a chunk holds by default.
_MIN_LONG_CLASS_LENGTH = 1_600
_INDENTED_LINE = re.compile(r"^([ \t]+)(?=\S)([^\n]*)", re.MULTILINE)
# Lines directly above a definition that belong to it: decorators and comments of its indentation.
_LINE_BEFORE_DEFINITION = re.compile(r"@\w|#|//|--|/\*")


class Code(TextFormat):
    """Source code of common languages."""

    name = "code"
    label = "source code"
    description = (
        "The text as it is, a section for each definition at the margin and each member of a long class;"
        " citations name the line."
    )
    extensions = (
        "py",
        "pyi",
        "js",
        "mjs",
        "jsx",
        "ts",
        "tsx",
        "vue",
        "svelte",
        "java",
        "kt",
        "scala",
        "groovy",
        "gradle",
        "clj",
        "swift",
        "m",
        "mm",
        "go",
        "rs",
        "zig",
        "nim",
        "dart",
        "c",
        "h",
        "cc",
        "cpp",
        "hpp",
        "cs",
        "fs",
        "vb",
        "rb",
        "php",
        "pl",
        "lua",
        "r",
        "jl",
        "f",
        "f90",
        "pas",
        "hs",
        "ml",
        "ex",
        "exs",
        "erl",
        "el",
        "lisp",
        "scm",
        "proto",
        "graphql",
        "tf",
        "sh",
        "bash",
        "ps1",
        "sql",
    )
    media_types = ("text/x-python", "application/javascript", "text/javascript", "application/sql")

    def parse(self, file_bytes: bytes, limits: ParseLimits) -> ParsedDocument:  # noqa: ARG002
        """Return the definitions, and the text before and between them."""
        source = decode_with_detected_encoding(file_bytes)
        text = clean_text(source)
        line_numbers = number_lines(source)
        definition_by_start: dict[int, re.Match[str] | None] = {
            _find_definition_start(text, match.start()): None
            for match in _VARIABLE.finditer(text)
            if _FUNCTION_VALUE.search(match[0])
        }
        for match in _DEFINITION.finditer(text):
            definition_by_start[_find_definition_start(text, match.start())] = match
        assembly = Assembly()
        line_index = 0
        for section_start, section_end in pairwise(sorted({0, *definition_by_start, len(text)})):
            definition = definition_by_start.get(section_start)
            is_container = definition is not None and definition["container"] is not None
            member_starts = (
                _find_member_starts_of_long_class(text, section_start, section_end) if is_container else []
            )
            heading = " ".join(definition[0].split()) if definition is not None and member_starts else None
            for block_start, block_end in pairwise([section_start, *member_starts, section_end]):
                block_text = text[block_start:block_end]
                assembly.add_unsplittable_section(
                    block_text, heading=heading, places=locate_lines(block_text, line_numbers, line_index)
                )
                line_index += block_text.count("\n")
        return assembly.build()


def _find_member_starts_of_long_class(text: str, class_start: int, class_end: int) -> list[int]:
    """Return where the members of a long class begin: lines of its own level that open a block.

    The level is the indentation of its first indented line. A short class has no members of its own, and the
    first member stays with the head of the class.
    """
    if class_end - class_start < _MIN_LONG_CLASS_LENGTH:
        return []
    member_indentation: str | None = None
    member_starts: list[int] = []
    for match in _INDENTED_LINE.finditer(text, class_start, class_end):
        member_indentation = match[1] if member_indentation is None else member_indentation
        line = match[2].rstrip()
        if match[1] == member_indentation and "(" in line and line.endswith(("{", ":", "(", "=>")):
            member_starts.append(_find_definition_start(text, match.start(), member_indentation))
    return sorted({member_start for member_start in member_starts[1:] if member_start > class_start})


def _find_definition_start(text: str, start: int, indentation: str = "") -> int:
    """Return where a definition of this indentation begins, including the decorators and comments above the
    line at `start`.

    The lines above are scanned upwards once: a pattern that began with them would retry a long comment from
    each of its lines.
    """
    while start:
        line_above = text.rfind("\n", 0, start - 1) + 1
        is_indented = text.startswith(indentation, line_above)
        if not is_indented or _LINE_BEFORE_DEFINITION.match(text, line_above + len(indentation)) is None:
            break
        start = line_above
    return start
