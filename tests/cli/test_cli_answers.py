"""`citegraph ask` and `citegraph retrieve`: cited sentences on a terminal, JSON for programs."""

from collections.abc import Iterator

import pytest

from app.ingest.model_double_answers import RulesAnswerer
from app.llm.testing import Fault, Mode, ModelDouble
from tests.cli.conftest import Call, read_json
from tests.conftest import Home

QUESTION = "What did Ada Lovelace create?"
LIBRARY = ("--space", "library")


@pytest.fixture
def double(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelDouble]:
    with ModelDouble(RulesAnswerer()) as running:
        monkeypatch.setenv("OPENAI_BASE_URL", running.base_url)
        yield running


def test_without_a_model_it_quotes_says_so_and_shows_where(
    citegraph: Call, filled: tuple[Home, Home]
) -> None:
    shown = citegraph("ask", QUESTION, *LIBRARY)
    assert shown.exit_code == 0
    assert "Ada Lovelace created Analytical Engine Notes. [1]" in shown.stdout
    assert "SOURCES" in shown.stdout
    assert "Notes, line 1, characters 0–45" in shown.stdout
    assert "No model is set up" in shown.stderr
    found = read_json(citegraph("ask", QUESTION, *LIBRARY, "--json"))
    assert (found["mode"], found["usage"]["calls"]) == ("extractive", 0)
    assert found["citations"][0]["quote"].startswith("Ada Lovelace created Analytical Engine Notes.")
    assert found["context"]["sources"][0]["chunk_id"] == found["citations"][0]["chunk_id"]


def test_a_model_answers_and_a_broken_one_is_a_note(
    citegraph: Call, filled: tuple[Home, Home], double: ModelDouble
) -> None:
    found = read_json(citegraph("ask", QUESTION, *LIBRARY, "--json"))
    assert (found["mode"], found["usage"]["calls"], found["warnings"]) == ("model", 2, [])
    double.when(lambda prompt: QUESTION in prompt, "Ada created Analytical Engine Notes [1]. " * 9)
    double.faults.add(Fault(Mode.CUT_STREAM))
    shown = citegraph("ask", QUESTION, *LIBRARY)
    assert shown.exit_code == 0
    assert "Ada created Analytical Engine Notes. [1]" in shown.stdout
    assert "stopped before the end" in shown.stderr


def test_an_empty_space_has_no_answer(citegraph: Call, home: Home) -> None:
    shown = citegraph("ask", QUESTION, *LIBRARY)
    assert (shown.exit_code, shown.stdout.strip()) == (0, "There is no answer.")
    assert "Nothing found." in citegraph("retrieve", QUESTION, *LIBRARY).stdout


def test_retrieve_shows_passages_reasons_and_facts(citegraph: Call, filled: tuple[Home, Home]) -> None:
    shown = citegraph("retrieve", QUESTION, *LIBRARY, "--top-k", "1")
    assert shown.exit_code == 0
    assert shown.stdout.startswith("1. Notes")
    assert "Ada Lovelace --created--> Analytical Engine Notes" in shown.stdout
    found = read_json(
        citegraph("retrieve", QUESTION, *LIBRARY, "--scoring", "hybrid", "--strategy", "graph_only", "--json")
    )
    assert (found["scoring"], found["strategy"]) == ("hybrid", "graph_only")
    assert found["anchors"][0]["node"]["canonical_name"] == "Ada Lovelace"
    assert found["passages"][0]["breakdown"]
    assert {fact["edge"]["relation_type"] for fact in found["facts"]} >= {"created"}
