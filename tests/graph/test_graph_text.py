"""The pure parts: names and verbs read out of a question, and a subgraph told as text."""

from datetime import UTC, datetime

import pytest

from app.graph.narrative import estimate_tokens, write_entity_list, write_narrative
from app.graph.questions import (
    choose_known_nonoverlapping_mentions,
    guess_relation_types,
    list_word_runs_that_may_name_nodes,
)
from app.graph.shapes import Edge, Evidence, Node
from app.ids import ChunkId, DocumentId, EdgeId, NodeId, create_id

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def node(name: str) -> Node:
    return Node(NodeId(create_id()), name, "Product", 1, 0, 0, 1.0, False, "extraction", NOW, NOW)


def edge(source: Node, relation_type: str, target: Node) -> Edge:
    said = Evidence(ChunkId(create_id()), DocumentId(create_id()), "Notes", "It says so.", 0, 11)
    return Edge(EdgeId(create_id()), source.id, target.id, relation_type, 1.0, 0.9, "staged", said)


HERON, KESTREL = node("Heron"), node("Kestrel")
EDGES = [edge(HERON, "depends_on", KESTREL), edge(HERON, "depends_on", KESTREL), edge(KESTREL, "uses", HERON)]


class TestQuestions:
    @pytest.mark.parametrize(
        ("question", "known", "expected"),
        [
            (
                "Who runs Kestrel Search Team?",
                {"kestrel", "kestrel search", "team"},
                ["Kestrel Search", "Team"],
            ),
            ("Is KESTREL's owner in Oslo?", {"kestrel", "oslo"}, ["KESTREL", "Oslo"]),
            ("Kestrel/Heron", {"kestrel", "heron"}, ["Kestrel", "Heron"]),
            ("What does it do for us?", {"it", "us", "what"}, []),
            ("Does it run in the US?", {"us", "it"}, ["US"]),
            ("", {"x"}, []),
        ],
    )
    def test_the_longest_known_names_win(self, question: str, known: set[str], expected: list[str]) -> None:
        found = choose_known_nonoverlapping_mentions(
            list_word_runs_that_may_name_nodes(question), frozenset(known)
        )
        assert [mention.surface for mention in found] == expected

    @pytest.mark.parametrize(
        ("question", "hint"),
        [
            ("Who owns Kestrel?", "owns"),
            ("Which products depend on Kestrel?", "depends_on"),
            ("What does Heron integrate well with?", "integrates_with"),
            ("Which team is using Heron?", "uses"),
            ("What was replaced by Heron?", "replaces"),
            ("Where is Oslo located in?", "located_in"),
            ("Who works for Ann?", "works_for"),
        ],
    )
    def test_verbs_are_recognised_in_their_usual_forms(self, question: str, hint: str) -> None:
        assert hint in guess_relation_types(question)

    @pytest.mark.parametrize(
        ("question", "relation"),
        [
            ("Where is the head office of Kestrel?", "head_of"),
            ("Which member states of the union use Heron?", "member_of"),
            ("What is the part number of Heron?", "part_of"),
            ("When was the capital stock of Kestrel raised?", "capital_of"),
        ],
    )
    def test_of_belongs_to_the_word_before_it(self, question: str, relation: str) -> None:
        assert relation not in guess_relation_types(question)
        words, preposition = relation.split("_")
        assert relation in guess_relation_types(f"Who is the {words} {preposition} Kestrel?")


class TestNarrative:
    def test_the_entity_list_shows_each_relation_once_under_its_node(self) -> None:
        told = write_entity_list([HERON, KESTREL], EDGES, token_budget=100)
        assert told.text == "Heron (Product)\n  - depends on Kestrel\nKestrel (Product)\n  - uses Heron"
        assert not told.is_truncated

    def test_the_narrative_cites_every_edge_behind_a_claim(self) -> None:
        numbers = {other_edge.id: place for place, other_edge in enumerate(EDGES, start=1)}
        told = write_narrative([HERON, KESTREL], EDGES, number_by_edge_id=numbers, token_budget=100)
        assert told.text == (
            "## Heron (Product)\ndepends on: Kestrel [1] [2]\n\n## Kestrel (Product)\nuses: Heron [3]"
        )

    @pytest.mark.parametrize("budget", range(40))
    def test_it_stays_within_its_budget_and_never_ends_with_a_heading(self, budget: int) -> None:
        for told in (
            write_narrative([HERON, KESTREL], EDGES, token_budget=budget),
            write_entity_list([HERON], EDGES, token_budget=budget),
        ):
            assert estimate_tokens([told.text]) <= [budget]
            assert not told.text.splitlines()[-1:] or not told.text.splitlines()[-1].startswith("##")
