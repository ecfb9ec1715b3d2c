"""Golden questions on the command line: files as editors and other programs write them."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Call, read_json
from tests.conftest import Home
from tests.support.sampling import sampled


@pytest.mark.parametrize(
    "text",
    [
        '[{"question": "Who?"}, {"question": "When?"}]',
        '{"question": "Who?"}\n{"question": "When?"}',
        '{"question": "Who?"}\r\n\r\n  {"question": "When?"}\r\n',
        '\ufeff[{"question": "Who?"}, {"question": "When?"}]',
        '\ufeff{"question": "Who?"}\n{"question": "When?"}\n',
        # Line ends of Unicode within a text; white space in a question counts as a space.
        '{"question": "Who?", "answers": ["Ada\u2028Lind"]}\n{"question": "When?", "answers": ["1\x85May"]}',
    ],
)
def test_a_file_is_a_list_or_an_object_a_line(
    citegraph: Call, filled: tuple[Home, Home], tmp_path: Path, text: str
) -> None:
    file = tmp_path / "questions.json"
    file.write_bytes(text.encode())
    added = citegraph("golden", "add", file, "--space", "library", "--json")
    assert read_json(added) == {"added": 2, "changed": 0}
    listed = read_json(citegraph("golden", "list", "--space", "library", "--json"))
    assert [row["question"] for row in listed] == ["Who?", "When?"]


@pytest.mark.parametrize(
    "raw",
    sampled([b"", b"[]", b"Who?", b'{"question": "Who?"} x', b"[" * 50_000, b"\xff\xfe{"], every=3),
)
def test_what_is_no_such_file_is_said_in_a_sentence(
    citegraph: Call, filled: tuple[Home, Home], tmp_path: Path, raw: bytes
) -> None:
    file = tmp_path / "questions.json"
    file.write_bytes(raw)
    refused = citegraph("golden", "add", file, "--space", "library")
    assert refused.exit_code == 1
    assert "Traceback" not in refused.stderr
    assert "questions.json" in refused.stderr.replace("\n", "")


def test_a_check_without_a_stored_run_exits_with_1_unless_all_pass(
    citegraph: Call, filled: tuple[Home, Home], tmp_path: Path
) -> None:
    """A gate that has nothing to compare with does not open."""
    file = tmp_path / "questions.json"
    file.write_text(json.dumps({"question": "Which planet is the largest?", "answers": ["Jupiter"]}))
    citegraph("golden", "add", file, "--space", "library")
    check = ("golden", "check", "--space", "library")
    checked = citegraph(*check, "--json")
    assert checked.exit_code == 1
    assert json.loads(checked.stdout) == {
        "questions": 1,
        "passed": 0,
        "worse": [],
        "better": [],
        "failed_without_comparison": ["Which planet is the largest?"],
    }
    assert "Not passed, and not asked before: Which planet is the largest?" in citegraph(*check).stdout
    assert citegraph(*check, "--force").exit_code == 0
    file.write_text(json.dumps({"question": "Which planet is the largest?"}))
    citegraph("golden", "add", file, "--space", "library")
    assert citegraph(*check).exit_code == 0
