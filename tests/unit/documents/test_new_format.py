"""The recipe for a file format, performed: one file in a copy of the program makes all of it know."""

from typing import Any

import pytest

from tests.support.program_copy import PROJECT, copy_program, run_in_copy

FILE = "app/documents/formats/gemtext.py"
FORMAT = '''"""Gemtext: lines of text, of which some are headings or links."""

from app.documents.parsers.assembly import Assembly
from app.documents.parsers.decoding import decode_with_detected_encoding
from app.documents.parsers.file_format import TextFormat
from app.documents.parsers.limits import ParseLimits
from app.documents.shapes import ParsedDocument


class Gemtext(TextFormat):
    """A page of the Gemini protocol."""

    name = "gemtext"
    label = "Gemtext"
    description = "The text, a section for each heading; links as their text."
    extensions = ("gmi",)
    media_types = ("text/gemini",)

    def parse(self, raw: bytes, limits: ParseLimits) -> ParsedDocument:
        """The lines, a heading for each that begins with #."""
        assembly = Assembly()
        for line in decode_with_detected_encoding(raw).splitlines():
            if line.startswith("#"):
                assembly.add_heading(len(line) - len(line.lstrip("#")), line.lstrip("# "))
            elif line.startswith("=>"):
                assembly.add_block(line[2:].split(maxsplit=1)[-1])
            else:
                assembly.add_block(line)
        return assembly.build(title=assembly.first_heading)
'''
PROGRAM = """
import json
from pathlib import Path

from app.cli.files import find_files
from app.dashboard.space.uploads import ACCEPTED_EXTENSIONS
from app.documents.format_detection import detect_format_or_refuse, has_known_extension
from app.documents.format_registry import list_format_labels
from app.documents.format_registry import list_file_extensions, render_formats_table
from app.documents.isolated_parsing import UnparsedDocument, parse_and_split_document

raw = b"# Harbour\\n\\nAnn Lee founded Acme Museum.\\n=> gemini://example.org The museum\\n"
Path("files").mkdir()
Path("files/harbour.gmi").write_bytes(raw)
document = parse_and_split_document(None, UnparsedDocument(raw, "gemtext"))
print(json.dumps({
    "detected": detect_format_or_refuse("harbour.gmi", None, raw),
    "by_media_type": detect_format_or_refuse(None, "text/gemini", raw),
    "known": has_known_extension("harbour.gmi"),
    "label": "Gemtext" in list_format_labels(),
    "documented": "| Gemtext (`gemtext`) | `.gmi` |" in render_formats_table(),
    "walked": [address for _, address in find_files([Path("files")]).files],
    "listed": ".gmi" in list_file_extensions(),
    "offered": ".gmi" in ACCEPTED_EXTENSIONS.split(","),
    "text": document.text,
    "title": document.title,
}))
"""


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """All that a copy of the program with one file more says of the new format."""
    copy = copy_program(tmp_path_factory.mktemp("copy"))
    (copy / FILE).write_text(FORMAT, "utf-8")
    return run_in_copy(copy, PROGRAM)


def test_the_program_does_not_know_it_yet() -> None:
    assert not (PROJECT / FILE).exists()


def test_it_is_recognised_listed_and_documented(known: dict[str, Any]) -> None:
    assert known["detected"] == known["by_media_type"] == "gemtext"
    assert known["known"]
    assert known["label"]
    assert known["documented"]
    assert known["listed"]
    assert known["offered"]
    assert known["walked"] == ["file:files/harbour.gmi"]


def test_it_is_read(known: dict[str, Any]) -> None:
    assert known["title"] == "Harbour"
    assert known["text"] == "Harbour\n\nAnn Lee founded Acme Museum.\n\nThe museum"
