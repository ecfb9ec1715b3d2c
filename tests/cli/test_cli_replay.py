"""`citegraph model replay`: what workers and commands recorded of a model is all that running again takes."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from app.documents.examples import EXAMPLES_FOLDER, SPACE_NAME
from app.ingest.model_double_answers import RulesAnswerer
from app.llm.testing import ModelDouble
from tests.cli.conftest import Call, read_json

PATIENCE = 240.0
QUESTION = "Who created PostGIS?"
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
_TIME = re.compile(r"20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d[^\"]*")


def call(environment: dict[str, str], *arguments: str | Path, code: int = 0) -> str:
    """What a command prints, run as a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "app.cli.main", *map(str, arguments)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + (done.stderr if code else "")


def graph(exported: str) -> list[dict[str, Any]]:
    """Nodes, mentions and edges of an export, each id by its turn."""
    turns: dict[str, str] = {}
    rows = [json.loads(line) for line in exported.splitlines()]
    kept = "\n".join(json.dumps(row) for row in rows if row["kind"] in ("node", "mention", "edge"))
    assert kept.count("\n") > 100
    in_turn = _ID.sub(lambda found: turns.setdefault(found[0], f"id-{len(turns)}"), kept)
    return [json.loads(line) for line in _TIME.sub("TIME", in_turn).splitlines()]


@pytest.mark.soak
def test_a_worker_records_and_another_installation_replays(tmp_path: Path) -> None:
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("CITEGRAPH_", "OPENAI_"))
    }
    plain = {**kept, "CITEGRAPH_HOME": str(tmp_path / "home"), "CITEGRAPH_PORT": "0"}
    folder = tmp_path / "conversation"
    with ModelDouble(RulesAnswerer()) as double:
        recording = {
            **plain,
            "OPENAI_BASE_URL": double.base_url,
            "CITEGRAPH_LLM_MODEL": "double",
            "CITEGRAPH_LLM_PASSAGES": "3",
            "CITEGRAPH_LLM_RECORD": str(folder),
        }
        call(recording, "demo")
        said = json.loads(call(recording, "ask", QUESTION, "--space", SPACE_NAME, "--json"))
        exported = call(recording, "export", "--space", SPACE_NAME, "--format", "jsonl")
    assert said["mode"] == "model"
    # No setting names a model here: the record has them. The other folder's data are not touched.
    replay = ("model", "replay", folder)
    call(plain, *replay, "space", "create", SPACE_NAME)
    call(plain, *replay, "ingest", EXAMPLES_FOLDER / "corpus", "--space", SPACE_NAME, "--wait")
    assert graph(call(plain, *replay, "export", "--space", SPACE_NAME, "--format", "jsonl")) == graph(
        exported
    )
    again = json.loads(call(plain, *replay, "ask", QUESTION, "--space", SPACE_NAME, "--json"))
    assert [sentence["text"] for sentence in again["sentences"]] == [
        sentence["text"] for sentence in said["sentences"]
    ]
    assert again["mode"] == "model"
    (tmp_path / "new.txt").write_text("Nobody recorded what Ada Lovelace created here.")
    shown = call(plain, *replay, "ingest", tmp_path / "new.txt", "--space", SPACE_NAME, "--wait", code=1)
    assert "has no answer to this request" in " ".join(shown.split()), shown


def test_lists_what_was_recorded(citegraph: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "conversation"
    with ModelDouble() as double:
        monkeypatch.setenv("OPENAI_BASE_URL", double.base_url)
        monkeypatch.setenv("CITEGRAPH_LLM_MODEL", "double")
        monkeypatch.setenv("CITEGRAPH_LLM_RECORD", str(folder))
        citegraph("model", "check")
    monkeypatch.delenv("CITEGRAPH_LLM_RECORD")
    rows = read_json(citegraph("model", "replay", "--json", folder))
    assert {(row["path"], row["model"], row["status"]) for row in rows} == {
        ("/chat/completions", "double", 200)
    }
    assert "/chat/completions" in citegraph("model", "replay", folder).stdout
    empty = citegraph("model", "replay", tmp_path)
    assert empty.exit_code == 1
    assert "holds no recorded requests" in empty.stderr
