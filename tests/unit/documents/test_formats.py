"""The registry of file formats: one class in one file makes a format known everywhere."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from app.documents.format_registry import FORMATS, render_formats_table

PROJECT = Path(__file__).resolve().parents[3]
PLANTED = '''"""A format that only this test has."""

from app.documents.parsers.assembly import Assembly
from app.documents.parsers.decoding import decode_with_detected_encoding
from app.documents.parsers.file_format import TextFormat


class Planted(TextFormat):
    """Lines that begin with a mark."""

    name = "planted"
    label = "Planted lines"
    description = "A paragraph a line."
    extensions = ("planted",)
    media_types = ("text/x-planted",)

    def parse(self, raw, limits):
        assembly = Assembly()
        for line in decode_with_detected_encoding(raw).split("\\n"):
            assembly.add_block(line)
        return assembly.build()
'''
EVERYWHERE = """
import contextlib, io, json
from app.cli.main import app as commands
from app.dashboard.space.uploads import build_upload_values
from app.documents.format_detection import detect_format_or_refuse, has_known_extension
from app.documents.format_registry import render_formats_table
from app.documents.parsing import parse_document
from app.http.submissions import Description
from app.errors import CitegraphError
from app.settings import Settings

help = io.StringIO()
with contextlib.redirect_stdout(help), contextlib.suppress(SystemExit):
    commands(["ingest", "--help"], prog_name="citegraph")
try:
    detect_format_or_refuse("a.nobody", None, b"x")
except CitegraphError as error:
    refusal = error.message
values = build_upload_values(Settings(), None, {})
print(json.dumps({
    "help": help.getvalue(),
    "table": render_formats_table(),
    "schema": json.dumps(Description.model_json_schema()),
    "chooser": values["accepted"],
    "labels": values["list_format_labels"],
    "refusal": refusal,
    "folders": has_known_extension("a.planted"),
    "read": parse_document(b"one\\ntwo", detect_format_or_refuse("a.planted", None, b"one\\ntwo")).text,
}))
"""


def project_with(folder: Path, planted: str) -> None:
    """A copy of the program, by links, that has one more file among its formats."""
    for inner in ("app/documents/formats", "workers"):
        (folder / inner).mkdir(parents=True)
    for place, instead in (("app", "documents"), ("app/documents", "formats"), ("app/documents/formats", "")):
        for path in (PROJECT / place).iterdir():
            if path.name not in (instead, "__pycache__"):
                (folder / place / path.name).symlink_to(path)
    (folder / "app/documents/formats/planted.py").write_text(planted)


@pytest.mark.soak
def test_a_new_format_is_one_class_in_one_file(tmp_path: Path) -> None:
    """What lists, offers, recognises or reads formats knows it, and nothing else was changed."""
    project_with(tmp_path, PLANTED)
    done = subprocess.run(
        [sys.executable, "-c", EVERYWHERE], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert ".planted" in found["help"]
    assert "| Planted lines (`planted`) | `.planted` | A paragraph a line. |" in found["table"]
    assert "`planted`: A paragraph a line." in found["schema"]
    assert ".planted" in found["chooser"].split(",")
    assert "Planted lines" in found["labels"]
    assert "planted" in found["refusal"]
    assert found["folders"] is True
    assert found["read"] == "one\n\ntwo"


def test_extensions_and_media_types_belong_to_one_format() -> None:
    for names in ("extensions", "media_types"):
        every = [name for format in FORMATS.values() for name in getattr(format, names)]
        assert sorted(set(every)) == sorted(every)


def test_a_file_holds_one_format() -> None:
    """And is called as its class says."""
    modules = [type(format).__module__ for format in FORMATS.values()]
    assert len(set(modules)) == len(modules)
    assert all(module.endswith(f".{name}") for module, name in zip(modules, FORMATS, strict=True))


def test_every_format_has_a_row_in_the_table() -> None:
    assert len(render_formats_table().splitlines()) == len(FORMATS) + 2
