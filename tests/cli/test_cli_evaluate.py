"""`citegraph eval` as a person runs it: a small pack, on embedded servers in a fresh folder."""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Call, read_json

PACK: dict[str, Any] = {
    "version": 1,
    "sets": [
        {
            "name": "engines",
            "passages": [
                {"id": "p1", "title": "Notes", "text": "Ada Lovelace wrote the Notes on the engine of Charles Babbage."},  # noqa: E501
                {"id": "p2", "title": "Charles Babbage", "text": "Charles Babbage was born in London."},
                {"id": "p3", "title": "Bees", "text": "Bees make honey out of nectar."},
                {"id": "p4", "title": "Tides", "text": "Tides follow the moon twice a day."},
            ],
            "questions": [
                {"id": "q1", "question": "Where was the man born on whose engine Ada Lovelace wrote?", "gold": ["p1", "p2"]}  # noqa: E501
            ],
            "extraction": {
                "p1": {
                    "entities": ["Ada Lovelace", "Notes", "Charles Babbage"],
                    "triples": [["Ada Lovelace", "wrote", "Notes"], ["Notes", "about", "Charles Babbage"], ["x"]],  # noqa: E501
                },
                "p2": {"entities": ["Charles Babbage", "London"], "triples": [["Charles Babbage", "born in", "London"]]},  # noqa: E501
            },
        }
    ],
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.soak
def test_loads_a_pack_asks_its_questions_and_writes_the_ranked_passages(
    citegraph: Call, tmp_path: Path
) -> None:
    pack, out = tmp_path / "pack.json.gz", tmp_path / "run.json"
    pack.write_bytes(gzip.compress(json.dumps(PACK).encode()))
    done = _measure(tmp_path, pack, "--out", str(out))
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert [row["strategy"] for row in rows] == ["hybrid", "knowledge_only", "graph_only"]
    assert all(row["passages"] == 4 and row["questions"] == 1 for row in rows)
    assert rows[0]["recall@2"] == 100.0
    assert "hybrid_ahead@5" in rows[1]
    assert json.loads(out.read_text())["q1"][:2] in (["p1", "p2"], ["p2", "p1"])
    # The same passages as an ingest reads them, into a space of their own; of one in another language no
    # graph is drawn, and the figures are told all the same (review A8).
    tales = {
        "id": "p5",
        "title": "Märchen",
        "text": "Die Märchen der Stadt erzählen, dass sich die alte Mühle nachts ohne den Nordwind drehte.",
    }
    engines = PACK["sets"][0]
    german = {"sets": [{**engines, "passages": [*engines["passages"], tales]}]}
    pack.write_bytes(gzip.compress(json.dumps(german).encode()))
    measured = citegraph(
        "eval", "retrieval", pack, "--json", "--extraction", "own", "--strategy", "graph_only"
    )
    (row,) = read_json(measured)
    assert (row["passages"], row["strategy"], row["set_aside"]) == (5, "graph_only", {"other_language": 1})
    assert row["recall@2"] > 0


@pytest.mark.soak
@pytest.mark.slow
def test_asks_questions_and_says_which_were_answered_and_which_refused(
    citegraph: Call, tmp_path: Path
) -> None:
    bees = {"id": "b", "title": "Bees", "text": "Bees make honey out of nectar."}
    tides = {"id": "t", "title": "Tides", "text": "Tides follow the moon.", "left_out": True}
    questions = [
        {"id": "1", "document": "b", "question": "What do bees make out of nectar?", "answers": ["honey"]},
        {"id": "2", "document": "t", "question": "What do Zorblaxes of Quonset follow?", "answers": ["moon"]},
    ]
    pack = tmp_path / "pack.json"
    part = {"language": "en", "documents": [bees, tides], "questions": questions}
    pack.write_text(json.dumps({"sets": [part]}))
    (row,) = read_json(citegraph("eval", "answers", pack, "--json"))
    assert (row["set"], row["documents"], row["answerable"], row["unanswerable"]) == ("pack-en", 1, 1, 1)
    assert (row["first_sentence"], row["refused_rightly"], row["refused_wrongly"]) == (100.0, 100.0, 0.0)


def _measure(folder: Path, pack: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """What the command does as a person runs it, who has no server of his own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CITEGRAPH_")}
    return subprocess.run(
        [sys.executable, "-m", "app.cli.main", "eval", "retrieval", str(pack), "--json", *options],
        env={**kept, "CITEGRAPH_HOME": str(folder / "home")},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"[1]", b'{"sets": []}', b'{"sets": [{"name": "a"}]}', b"\x1f\x8bxx"]
)
def test_a_file_that_is_no_pack_is_refused(citegraph: Call, tmp_path: Path, content: bytes) -> None:
    pack = tmp_path / "pack"
    pack.write_bytes(content)
    for measure in ("retrieval", "answers"):
        done = citegraph("eval", measure, pack)
        assert done.exit_code == 1
        assert "Traceback" not in done.output
    assert "pack" in done.output


def test_an_unknown_embedding_and_a_missing_file_are_said(citegraph: Call, tmp_path: Path) -> None:
    pack = tmp_path / "pack.json"
    pack.write_text(json.dumps(PACK))
    assert "hashed, minilm or openai" in citegraph("eval", "retrieval", pack, "--embedding", "bert").output
    assert "cannot be read" in citegraph("eval", "retrieval", tmp_path / "none").output


def test_a_folder_stands_for_the_one_pack_in_it(citegraph: Call, tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text('{"docs": []}')
    (tmp_path / "broken.json").write_text("{")
    assert "must hold exactly one pack; it holds: none." in citegraph("eval", "retrieval", tmp_path).output
    (tmp_path / "first.json.gz").write_bytes(gzip.compress(json.dumps({"sets": []}).encode()))
    assert "has no such set" in citegraph("eval", "retrieval", tmp_path).output
    (tmp_path / "second.json").write_text(json.dumps(PACK))
    assert "first.json.gz, second.json" in citegraph("eval", "retrieval", tmp_path).output
