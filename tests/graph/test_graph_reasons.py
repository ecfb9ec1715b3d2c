"""Requirement 8.3, the rest of it: contested facts side by side, and why nothing was found."""

import pytest

from app.db.database import Database
from app.graph import service
from app.graph.shapes import GraphFilters
from app.space_settings import SpaceSettings
from tests.conftest import Home
from tests.graph.conftest import drawing, opened
from tests.support.contradictions import declare

pytestmark = pytest.mark.shared_database


@pytest.fixture
def birds(database: Database, home: Home, twin: Home) -> Home:
    """Heron -> Kestrel -> Falcon -> Eagle -> Owl; the twin has a shorter way."""
    for owner in (twin, home):
        with drawing(database, owner) as drawn:
            drawn.edge("Heron", "depends_on", "Kestrel", confidence=0.6)
            drawn.edge("Kestrel", "uses", "Falcon")
            drawn.edge("Falcon", "uses", "Eagle")
            drawn.edge("Eagle", "uses", "Owl")
            drawn.node("Wren", mentions=4)
            drawn.node("Swift", mentions=1)
            if owner is twin:
                drawn.edge("Heron", "uses", "Owl")
    return home


class TestContested:
    def test_another_value_of_a_single_valued_relation_is_told_beside_the_fact(
        self, database: Database, home: Home
    ) -> None:
        with drawing(database, home) as drawn:
            strong = drawn.edge("Ada", "born_in", "London", weight=0.9)
            for other in range(12):
                drawn.edge("Ada", "knows", f"Friend {other}", weight=0.8)
            weak = drawn.edge("Ada", "born_in", "Paris", weight=0.1)
        declare(database, home, SpaceSettings(single_valued_relations=[]))
        with opened(database, home) as space:
            plain = service.explain_and_record_recall(space, question="Ada", limit=5)
        declare(database, home, SpaceSettings(single_valued_relations=["born_in"]))
        with opened(database, home) as space:
            told = service.explain_and_record_recall(space, question="Ada", limit=5)
        assert weak not in {edge.id for edge in plain.edges}
        assert plain.contested == ()
        (conflict,) = told.contested
        assert conflict.reason == "single_valued"
        assert set(conflict.edge_ids) == {strong, weak}
        cited = {edge_id for citation in told.citations for edge_id in citation.edge_ids}
        assert {strong, weak} <= cited
        assert {edge.to_node_id for edge in told.edges} <= {node.id for node in told.nodes}
        # What was cited before keeps its number.
        assert told.citations[: len(plain.citations)] == plain.citations

    def test_two_documents_that_agree_contest_nothing(self, database: Database, home: Home) -> None:
        with drawing(database, home) as drawn:
            drawn.edge("Ada", "born_in", "London")
            drawn.edge("Ada", "born_in", "London", weight=0.5)
        declare(database, home, SpaceSettings(single_valued_relations=["born_in"]))
        with opened(database, home) as space:
            assert service.explain_and_record_recall(space, question="Ada").contested == ()

    def test_a_relation_that_goes_one_way_claimed_both_ways(self, database: Database, home: Home) -> None:
        with drawing(database, home) as drawn:
            edges = {drawn.edge("Acme", "owns", "Bolt"), drawn.edge("Bolt", "owns", "Acme")}
            drawn.edge("Acme", "knows", "Bolt")
            drawn.edge("Bolt", "knows", "Acme")
        with opened(database, home) as space:
            (conflict,) = service.explain_and_record_recall(space, from_="Acme", to="Bolt").contested
        assert conflict.reason == "opposite"
        assert set(conflict.edge_ids) == edges


class TestWhyNot:
    def test_a_filter_says_what_it_kept_out(self, database: Database, birds: Home) -> None:
        with opened(database, birds) as space:
            found = service.explain_and_record_recall(
                space, question="Heron", filters=GraphFilters(min_confidence=0.95), max_hops=1
            )
        assert found.edges == ()
        assert (
            "The filter min_confidence kept out one fact: Heron depends on Kestrel (0.60)." in found.why_not
        )

    def test_filters_that_only_together_keep_all_out_say_so(self, database: Database, birds: Home) -> None:
        filters = GraphFilters(min_confidence=0.95, relation_types=("owns",))
        with opened(database, birds) as space:
            found = service.explain_and_record_recall(space, question="Heron", filters=filters)
        assert any(sentence.startswith("Only all filters together") for sentence in found.why_not)

    def test_more_hops_would_find_a_way(self, database: Database, birds: Home) -> None:
        with opened(database, birds) as space:
            found = service.explain_and_record_recall(space, from_="Heron", to="Falcon", max_hops=1)
        assert any(sentence.startswith("With max_hops 2 there are 2 facts") for sentence in found.why_not)

    def test_ends_that_meet_farther_off(self, database: Database, birds: Home) -> None:
        with opened(database, birds) as space:
            far = service.explain_and_record_recall(space, from_="Heron", to="Owl")
            apart = service.explain_and_record_recall(space, from_="Heron", to="Wren")
            named_once = service.explain_and_record_recall(space, from_="Heron", to="Swift")
        assert "They meet only after 4 hops, at Falcon; a path has at most 2." in far.why_not
        assert "Wren is named in 4 chunks, and no claim is about it." in apart.why_not
        assert "Swift is named in 1 chunk, and no claim is about it." in named_once.why_not
        assert any("have none in common" in sentence for sentence in apart.why_not)

    def test_an_unknown_name_gets_those_that_begin_alike(self, database: Database, birds: Home) -> None:
        with opened(database, birds) as space:
            found = service.explain_and_record_recall(space, from_="Kestral", to="Falcon")
        assert "Names that begin like “Kestral”: Kestrel." in found.why_not

    def test_an_answer_asks_for_no_reasons(
        self, database: Database, birds: Home, statements: list[str]
    ) -> None:
        with opened(database, birds) as space:
            assert service.explain_and_record_recall(space, from_="Heron", to="Falcon").why_not == ()
        read = [
            "graph.find_nodes_by_names_or_ids",
            "graph.fetch_walks_between",
            "graph.fetch_denials",
            "graph.list_statements_of_nodes",
        ]
        assert statements == read
