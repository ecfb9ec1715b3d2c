"""The demo's check is a real one: a quote that does not stand at its range is found out."""

import json
from pathlib import Path
from typing import Any

from app.cli.demo_answer import list_quote_faults, pick_demo_answer
from app.db.database import Database
from app.graph import service as graph
from app.graph.shapes import Edge
from app.settings import Settings
from tests.conftest import Home
from tests.support.ingest import ingest_now, text


def moved(edge: Edge, *, by: int) -> Edge:
    """The edge with its range a little further on."""
    assert edge.evidence is not None
    evidence = edge.evidence
    return edge._replace(
        evidence=evidence._replace(char_start=evidence.char_start + by, char_end=evidence.char_end + by),
    )


def test_only_literal_quotes_pass(database: Database, filled: tuple[Home, Home]) -> None:
    with database.open_space(filled[0].tenant_id, filled[0].space_id) as space:
        edges = graph.list_edges(space)
        assert edges
        assert list_quote_faults(space, edges) == []
        assert len(list_quote_faults(space, [moved(edge, by=1) for edge in edges])) == len(edges)
        assert len(list_quote_faults(space, [edge._replace(evidence=None) for edge in edges])) == len(edges)


def test_a_question_counts_only_with_its_own_path_from_two_documents(
    database: Database, settings: Settings, home: Home, tmp_path: Path
) -> None:
    one = "Ada Lovelace created Analytical Engine Notes."
    two = "Ada Lovelace worked on Difference Engine Number Two."
    asked: dict[str, Any] = {
        "question": "Who of Analytical Engine Notes worked on Difference Engine Number Two?",
        "path": [
            ["Ada Lovelace", "created", "Analytical Engine Notes"],
            ["Ada Lovelace", "works_on", "Difference Engine Number Two"],
        ],
    }
    questions = tmp_path / "questions.jsonl"
    questions.write_text(json.dumps(asked) + "\n")
    ingest_now(database, settings, home, [text(f"{one} {two}", source_uri="both")])
    with database.open_space(home.tenant_id, home.space_id) as space:
        assert pick_demo_answer(space, questions) is None, "one document is not two"
    ingest_now(database, settings, home, [text(two, source_uri="second")])
    with database.open_space(home.tenant_id, home.space_id) as space:
        found = pick_demo_answer(space, questions)
        assert found is not None
        assert [node.canonical_name for node in found.path.nodes][1] == "Ada Lovelace"
        assert len(found.edges) == 3
        asked["path"][1][1] = "owns"
        questions.write_text(json.dumps(asked) + "\n")
        assert pick_demo_answer(space, questions) is None, "another claim is not the expected one"
