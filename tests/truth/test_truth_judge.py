"""The judge of scenarios notices a wrong answer: each expectation is missed by a planted one."""

from typing import Any

import pytest

from tests.truth.judge import faults_of
from tests.truth.scenario import EXPECTATIONS, Scenario

NODES = [
    {"id": "1", "canonical_name": "Bob Stone", "aliases": ["Bob"]},
    {"id": "2", "canonical_name": "Acme", "aliases": []},
]
EDGE = {
    "from_node_id": "1",
    "to_node_id": "2",
    "relation_type": "works_for",
    "quote": "Bob Stone works for Acme.",
    "invalidated_at": None,
    "evidence": {"quote": "Bob Stone works for Acme."},
}
GRAPH: dict[str, Any] = {"nodes": NODES, "edges": [EDGE], "citations": []}
ANSWER: dict[str, Any] = {
    "answer": "Bob Stone works for Acme. [1]",
    "sentences": [{"text": "Bob Stone works for Acme.", "citations": [1]}],
    "citations": [{"number": 1, "quote": "Bob Stone works for Acme."}],
    "warnings": ["No model is set up."],
    "truncated": [],
    "context": {"facts": "Carol Hill works for Acme."},
}


def _named(name: str) -> list[dict[str, Any]]:
    return [node for node in NODES if name in (node["canonical_name"], *node["aliases"])]


@pytest.mark.parametrize(
    ("answer", "right", "wrong"),
    [
        (ANSWER, {"says": ["works  for acme", "no model"]}, {"says": ["Carol Hill"]}),
        (ANSWER, {"says_any": ["Carol", "Bob"]}, {"says_any": ["Carol", "Dan"]}),
        (ANSWER, {"never_says": ["Carol"]}, {"never_says": ["bob stone"]}),
        (ANSWER, {"quotes": ["Bob Stone works"]}, {"quotes": ["Carol"]}),
        (ANSWER, {"never_quotes": ["Carol"]}, {"never_quotes": ["works for Acme"]}),
        (ANSWER, {"abstains": False}, {"abstains": True}),
        (GRAPH, {"edges": [["bob", "works_for", "Acme"]]}, {"edges": [["Acme", "works_for", "Bob"]]}),
        (GRAPH, {"no_edges": [["Bob Stone", "owns", "Acme"]]}, {"no_edges": [["Bob Stone", None, "Acme"]]}),
        (GRAPH, {"nodes": ["Acme"]}, {"nodes": ["Borealis"]}),
        (GRAPH, {"no_nodes": ["Borealis"]}, {"no_nodes": ["Acme"]}),
        (GRAPH, {"separate": [["Acme", 1]]}, {"separate": [["Acme", 2]]}),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) and len(value) == 1 else "",
)
def test_each_expectation_can_be_missed(
    answer: dict[str, Any], right: dict[str, Any], wrong: dict[str, Any]
) -> None:
    """What holds has no fault, what does not hold has one."""
    assert faults_of(answer, right, _named) == []
    assert len(faults_of(answer, wrong, _named)) == 1


@pytest.mark.parametrize(
    "change", [{"invalidated_at": "2024-01-01"}, {"evidence": None}, {"polarity": "denied"}], ids=str
)
def test_an_edge_that_does_not_hold_is_not_shown_as_holding(change: dict[str, Any]) -> None:
    """Ended, unsupported and denied edges are no answer."""
    answer = {**GRAPH, "edges": [{**EDGE, **change}]}
    assert len(faults_of(answer, {"edges": [["Bob Stone", "works_for", "Acme"]]}, _named)) == 1


def test_a_scenario_that_nobody_would_check_is_refused() -> None:
    """A misspelt expectation would hold for ever."""
    raw = {
        "name": "x",
        "about": "denial",
        "history": [{"put": "a", "text": "b"}],
        "question": {"ask": "c"},
        "expect": {"say": ["d"]},
    }
    assert "say" not in EXPECTATIONS
    with pytest.raises(ValueError, match="say"):
        Scenario.of(raw)
