"""Requirement 8: neighbourhoods, bulk neighbours, explanations and look-ups, always with a twin in the
room.
"""

from datetime import UTC, datetime
from uuid import uuid4

import pytest
from sqlalchemy import delete

from app.db.database import Database
from app.db.models import DocumentBody, KnowledgeChunk
from app.errors import InvalidInput, NotFound
from app.graph import service
from app.graph.shapes import Direction, GraphFilters, NodeFilters, WordMatch
from app.ids import NodeId
from app.limits import SEARCH_WORDS
from tests.conftest import Home
from tests.graph.conftest import drawing, opened

pytestmark = pytest.mark.shared_database


@pytest.fixture
def ids(database: Database, home: Home, twin: Home) -> dict[str, NodeId]:
    """Heron -> Kestrel -> Falcon -> Heron (a cycle), Ann -> Kestrel, and the same in the twin space."""
    for owner in (twin, home):
        with drawing(database, owner) as drawn:
            drawn.node("Kestrel", "Product", aliases=["Kestrel Search"], mentions=5)
            drawn.edge("Heron", "depends_on", "Kestrel", weight=0.9)
            drawn.edge("Kestrel", "uses", "Falcon", weight=0.8)
            drawn.edge("Falcon", "related_to", "Heron", weight=0.3, confidence=0.6)
            drawn.edge("Ann Lee", "owns", "Kestrel", weight=0.7)
            if owner is twin:
                drawn.edge("Kestrel", "uses", "Secret of the twin", weight=1.0)
    return {name: NodeId(node.id) for name, node in drawn.nodes.items()}


class TestNeighborhood:
    def test_holds_all_edges_among_its_nodes_also_off_the_traversal_path(
        self, database: Database, home: Home, ids: dict[str, NodeId]
    ) -> None:
        with opened(database, home) as space:
            found = service.fetch_neighborhood_and_record_recall(space, ids["Kestrel"])
        assert {node.node.canonical_name: node.distance for node in found.nodes} == {
            "Kestrel": 0, "Heron": 1, "Falcon": 1, "Ann Lee": 1,
        }  # fmt: skip
        assert {edge.relation_type for edge in found.edges} == {"depends_on", "uses", "related_to", "owns"}
        assert found.center is not None
        assert found.center.canonical_name == "Kestrel"
        assert [node.score for node in found.nodes] == [1, 0.5, 0.5, 0.5]
        assert found.truncated == ()

    def test_the_direction_filter_limits_edges(
        self, database: Database, home: Home, ids: dict[str, NodeId]
    ) -> None:
        reached = {}
        with opened(database, home) as space:
            for direction in Direction:
                found = service.fetch_neighborhood_and_record_recall(
                    space, ids["Kestrel"], direction=direction
                )
                reached[direction] = {node.node.canonical_name for node in found.nodes} - {"Kestrel"}
        assert reached[Direction.OUTGOING] == {"Falcon"}
        assert reached[Direction.INCOMING] == {"Heron", "Ann Lee"}

    def test_a_cycle_ends_and_keeps_the_shortest_distance(
        self, database: Database, home: Home, ids: dict[str, NodeId]
    ) -> None:
        with opened(database, home) as space:
            found = service.fetch_neighborhood_and_record_recall(
                space, ids["Kestrel"], depth=3, direction=Direction.OUTGOING
            )
        assert {node.node.canonical_name: node.distance for node in found.nodes} == {
            "Kestrel": 0, "Falcon": 1, "Heron": 2,
        }  # fmt: skip

    def test_says_what_its_bounds_cut_off(
        self, database: Database, home: Home, ids: dict[str, NodeId]
    ) -> None:
        with opened(database, home) as space:
            found = service.fetch_neighborhood_and_record_recall(
                space, ids["Kestrel"], max_nodes=2, max_edges=1
            )
        assert [node.node.canonical_name for node in found.nodes] == ["Kestrel", "Heron"]
        assert len(found.edges) == 1
        assert len(found.truncated) == 2

    @pytest.mark.parametrize(
        ("filters", "expected"),
        [
            (GraphFilters(relation_types=("uses",)), {"Kestrel", "Falcon"}),
            (GraphFilters(min_confidence=0.95), {"Kestrel"}),
            (GraphFilters(node_types=("Product",)), {"Kestrel"}),
        ],
    )
    def test_filters_limit_nodes_and_edges(
        self,
        database: Database,
        home: Home,
        ids: dict[str, NodeId],
        filters: GraphFilters,
        expected: set[str],
    ) -> None:
        with opened(database, home) as space:
            found = service.fetch_neighborhood_and_record_recall(space, ids["Kestrel"], filters=filters)
        assert {node.node.canonical_name for node in found.nodes} == expected

    def test_invalidated_and_deleted_edges_are_gone_unless_a_time_is_given(
        self, database: Database, home: Home
    ) -> None:
        ended = datetime(2026, 6, 1, tzinfo=UTC)
        with drawing(database, home) as drawn:
            kestrel = drawn.node("Kestrel")
            drawn.edge("Kestrel", "uses", "Old Falcon", invalidated_at=ended)
            drawn.edge("Kestrel", "uses", "New Falcon", valid_from=ended)
            drawn.edge("Kestrel", "uses", "Lost Falcon", deleted_at=ended)
        seen = {}
        with opened(database, home) as space:
            for month in (None, 5, 7):
                filters = GraphFilters(as_of=datetime(2026, month, 1, tzinfo=UTC) if month else None)
                found = service.fetch_neighborhood_and_record_recall(space, kestrel, filters=filters)
                walked = service.explain_and_record_recall(
                    space, question="What about Kestrel?", filters=filters
                )
                seen[month] = {node.node.canonical_name for node in found.nodes} - {"Kestrel"}
                assert {node.canonical_name for node in walked.nodes} - {"Kestrel"} == seen[month]
        assert seen == {None: {"New Falcon"}, 5: {"Old Falcon"}, 7: {"New Falcon"}}

    def test_a_twin_node_and_an_unknown_one_are_the_same_not_found(
        self, database: Database, home: Home, twin: Home, ids: dict[str, NodeId]
    ) -> None:
        """Requirement 1.3."""
        with opened(database, twin) as space:
            foreign = service.find_nodes(space, "Kestrel")[0].id
        with opened(database, home) as space:
            for node_id in (foreign, NodeId(uuid4())):
                for ask in (service.get_node, service.fetch_neighborhood_and_record_recall):
                    with pytest.raises(NotFound, match=r"^No such node\.$"):
                        ask(space, node_id)
                with pytest.raises(NotFound):
                    service.list_edges(space, node_id=node_id)

    @pytest.mark.parametrize("depth", [0, -1, 4, 10**9])
    def test_depth_is_one_to_three(self, database: Database, home: Home, depth: int) -> None:
        with opened(database, home) as space, pytest.raises(InvalidInput) as refused:
            service.fetch_neighborhood_and_record_recall(space, NodeId(uuid4()), depth=depth)
        assert refused.value.code == "depth_out_of_range"


class TestNeighbors:
    def test_one_hop_around_a_list_seeds_included(
        self, database: Database, home: Home, ids: dict[str, NodeId]
    ) -> None:
        missing = NodeId(uuid4())
        with opened(database, home) as space:
            found = service.fetch_neighbors_and_record_recall(
                space, [ids["Ann Lee"], ids["Falcon"], missing, ids["Falcon"]]
            )
        assert {node.node.canonical_name for node in found.nodes} == {"Ann Lee", "Falcon", "Kestrel", "Heron"}
        assert found.missing == (missing,)

    def test_an_empty_list_is_refused(self, database: Database, home: Home) -> None:
        with opened(database, home) as space, pytest.raises(InvalidInput) as refused:
            service.fetch_neighbors_and_record_recall(space, [])
        assert refused.value.code == "empty_list"


class TestExplain:
    def test_a_question_with_two_names_is_answered_by_the_path_between_them(
        self, database: Database, home: Home, ids: dict[str, NodeId], statements: list[str]
    ) -> None:
        with opened(database, home) as space:
            found = service.explain_and_record_recall(space, question="How does Ann Lee relate to falcon?")
        assert [anchor.node.canonical_name for anchor in found.anchors] == ["Ann Lee", "Falcon"]
        assert [node.canonical_name for node in found.paths[0].nodes] == ["Ann Lee", "Kestrel", "Falcon"]
        assert [edge.relation_type for edge in found.paths[0].edges] == ["owns", "uses"]
        assert found.paths[0].score == pytest.approx(0.9 * 0.7 * 0.9 * 0.8 * 0.8)
        assert statements == [
            "graph.find_nodes_by_names_or_ids",
            "graph.fetch_facts_within_two_hops",
            "graph.fetch_walks_between",
            "graph.fetch_denials",
            "graph.list_statements_of_nodes",
        ]
        assert "Secret of the twin" not in found.narrative

    def test_facts_whose_relation_the_question_names_come_first(
        self, database: Database, home: Home, ids: dict[str, NodeId]
    ) -> None:
        with opened(database, home) as space:
            found = service.explain_and_record_recall(space, question="Who owns Kestrel Search?")
            two = service.explain_and_record_recall(space, question="Who owns what Heron depends on?")
        assert found.edges[0].relation_type == "owns"
        assert [anchor.matched for anchor in found.anchors] == ["Kestrel Search"]
        assert [node.canonical_name for node in two.paths[0].nodes] == ["Heron", "Kestrel", "Ann Lee"]

    def test_every_citation_is_the_sentence_in_the_documents_text(
        self, database: Database, home: Home, ids: dict[str, NodeId]
    ) -> None:
        with opened(database, home) as space:
            found = service.explain_and_record_recall(space, question="Who owns Kestrel?")
            for citation in found.citations:
                body = space.orm.get_one(DocumentBody, (space.space_id, citation.evidence.document_id)).text
                assert body is not None
                place = citation.evidence
                assert body[place.char_start : place.char_end] == place.quote
                assert place.document_title == "The handbook"
        assert "owns: Kestrel [1]" in found.narrative
        assert found.citations[0].edge_ids == (found.edges[0].id,)

    def test_contested_facts_keep_and_cite_both_sides(self, database: Database, home: Home) -> None:
        with drawing(database, home) as drawn:
            drawn.edge("Kestrel", "located_in", "Oslo")
            drawn.edge("Kestrel", "located_in", "Bergen", weight=0.2)
            drawn.edge("Kestrel", "located_in", "Oslo", weight=0.5)
        with opened(database, home) as space:
            found = service.explain_and_record_recall(space, question="Where is Kestrel located?")
        assert len(found.edges) == len(found.citations) == 3
        assert "located in: Oslo [1] [3]" in found.narrative
        assert "located in: Bergen [2]" in found.narrative

    def test_from_one_node_to_another_by_alias_name_or_id(
        self, database: Database, home: Home, ids: dict[str, NodeId], statements: list[str]
    ) -> None:
        with opened(database, home) as space:
            by_name = service.explain_and_record_recall(space, from_="ann lee", to="FALCON")
            by_id = service.explain_and_record_recall(space, from_=str(ids["Ann Lee"]), to=str(ids["Falcon"]))
            direct = service.explain_and_record_recall(space, from_="Kestrel Search", to="Falcon", max_hops=1)
        assert [path.hops for path in by_name.paths] == [2]
        assert by_name.paths == by_id.paths
        assert [[edge.relation_type for edge in path.edges] for path in direct.paths] == [["uses"]]
        read = [
            "graph.find_nodes_by_names_or_ids",
            "graph.fetch_walks_between",
            "graph.fetch_denials",
            "graph.list_statements_of_nodes",
        ]
        assert statements == read * 3

    def test_what_is_not_found_is_a_warning_that_says_what_was_looked_for(
        self, database: Database, home: Home, ids: dict[str, NodeId]
    ) -> None:
        with opened(database, home) as space:
            nothing = service.explain_and_record_recall(space, question="Tell me about Wombats")
            blank = service.explain_and_record_recall(space, question="what is it?")
            ends = service.explain_and_record_recall(space, from_="Wombat", to="Kestrel")
        assert nothing.paths == ()
        assert "“Wombats”" in nothing.warnings[0]
        assert blank.warnings == ("The question holds no word that could name a node.",)
        assert ends.warnings == ("No node is known as “Wombat”.",)

    def test_says_when_the_limit_or_fan_out_cut_something_off(
        self, database: Database, home: Home, ids: dict[str, NodeId]
    ) -> None:
        with opened(database, home) as space:
            found = service.explain_and_record_recall(space, question="Kestrel?", fan_out=1, limit=1)
        assert len(found.edges) == 1
        assert len(found.truncated) == 2

    def test_an_edge_outlives_its_document_and_keeps_its_quote(
        self, database: Database, home: Home, ids: dict[str, NodeId]
    ) -> None:
        """Requirement 2.4."""
        with opened(database, home) as space:
            space.orm.execute(delete(KnowledgeChunk))
            found = service.explain_and_record_recall(space, question="Who owns Kestrel?")
        assert found.edges[0].evidence is None
        assert found.edges[0].quote == "Ann Lee owns Kestrel."
        assert found.citations == ()

    @pytest.mark.parametrize(
        ("arguments", "code"),
        [
            ({"question": "x", "max_hops": 3}, "max_hops_out_of_range"),
            ({"question": "x", "max_hops": 0}, "max_hops_out_of_range"),
            ({"question": "x", "limit": -1}, "limit_out_of_range"),
            ({"question": "x", "limit": 2**63}, "limit_out_of_range"),
            ({"question": "x" * 1001}, "too_long"),
            ({"question": "a\x00b"}, "invalid_characters"),
            ({"question": " "}, "blank"),
            ({"question": "\u200b"}, "blank"),
            ({}, "question_or_ends"),
            ({"from_": "x"}, "question_or_ends"),
            ({"question": "x", "to": "y"}, "question_or_ends"),
            ({"question": "x", "filters": GraphFilters(as_of=datetime(2026, 1, 1))}, "naive_time"),
            (
                {"question": "x", "filters": GraphFilters(min_confidence=float("nan"))},
                "min_confidence_out_of_range",
            ),
        ],
    )
    def test_invalid_requests_are_refused_with_their_code(
        self, database: Database, home: Home, arguments: dict[str, object], code: str
    ) -> None:
        with opened(database, home) as space, pytest.raises(InvalidInput) as refused:
            service.explain_and_record_recall(space, **arguments)  # type: ignore[arg-type]
        assert refused.value.code == code


class TestLookups:
    def test_nodes_page_by_mention_count(
        self, database: Database, home: Home, ids: dict[str, NodeId]
    ) -> None:
        names, after = [], None
        with opened(database, home) as space:
            while page := service.list_nodes(space, limit=2, after=after):
                names += [node.canonical_name for node in page]
                after = page[-1].cursor
            established = service.list_nodes(space, filters=NodeFilters(established=True))
            typed = service.list_nodes(space, filters=NodeFilters(node_type="Product"))
        assert names == ["Kestrel", "Heron", "Falcon", "Ann Lee"]
        assert established == typed
        assert [node.canonical_name for node in typed] == ["Kestrel"]

    @pytest.mark.parametrize(
        ("q", "expected"),
        [("estrel sea", ["Kestrel"]), ("%", []), ("_", []), ("\\", []), ("", None), ("lee", ["Ann Lee"])],
    )
    def test_names_are_searched_literally(
        self, database: Database, home: Home, ids: dict[str, NodeId], q: str, expected: list[str] | None
    ) -> None:
        """Bad input 35."""
        with opened(database, home) as space:
            found = [node.canonical_name for node in service.list_nodes(space, search_text=q)]
        assert found == expected or (expected is None and len(found) == 4)

    @pytest.mark.parametrize(
        ("q", "match", "expected"),
        [
            ("lee kestrel", WordMatch.PHRASE, set()),
            ("lee kestrel", WordMatch.ANY, {"Kestrel", "Ann Lee"}),
            ("lee kestrel", WordMatch.ALL, set()),
            ("search KESTREL", WordMatch.ALL, {"Kestrel"}),
            ("search search", WordMatch.ALL, {"Kestrel"}),
            ("secret twin", WordMatch.ANY, set()),
            ("% _", WordMatch.ANY, set()),
        ],
    )
    def test_a_search_of_several_words_matches_all_or_any(
        self,
        database: Database,
        home: Home,
        ids: dict[str, NodeId],
        q: str,
        match: WordMatch,
        expected: set[str],
    ) -> None:
        with opened(database, home) as space:
            found = service.list_nodes(space, search_text=q, filters=NodeFilters(match=match))
        assert {node.canonical_name for node in found} == expected

    def test_no_more_words_than_a_search_may_have(self, database: Database, home: Home) -> None:
        words = " ".join(f"w{number}" for number in range(SEARCH_WORDS.maximum + 1))
        with opened(database, home) as space, pytest.raises(InvalidInput) as refused:
            service.list_nodes(space, search_text=words, filters=NodeFilters(match=WordMatch.ANY))
        assert refused.value.code == "words_out_of_range"

    def test_nodes_by_confidence_and_by_when_they_were_seen(
        self, database: Database, home: Home, ids: dict[str, NodeId]
    ) -> None:
        with opened(database, home) as space:
            nodes = service.list_nodes(space)
            space.connection.execute(
                "UPDATE graph_node SET confidence = 0.2, first_seen_at = '2020-01-01Z',"
                " last_seen_at = '2020-02-01Z'"
                " WHERE knowledge_space_id = %s AND id = %s",
                [home.space_id, ids["Heron"]],
            )

            def named(filters: NodeFilters) -> set[str]:
                return {node.canonical_name for node in service.list_nodes(space, filters=filters)}

            old, later = datetime(2020, 1, 1, tzinfo=UTC), datetime(2020, 2, 1, tzinfo=UTC)
            others = {node.canonical_name for node in nodes} - {"Heron"}
            assert named(NodeFilters(min_confidence=0.5)) == others
            assert named(NodeFilters(first_seen_from=later)) == others
            assert named(NodeFilters(first_seen_from=old, first_seen_before=later)) == {"Heron"}
            assert named(NodeFilters(first_seen_before=old)) == set()
            assert named(NodeFilters(last_seen_from=later, last_seen_before=later.replace(day=2))) == {
                "Heron"
            }
            assert named(NodeFilters(last_seen_before=later)) == set()
            with pytest.raises(InvalidInput):
                named(NodeFilters(last_seen_from=datetime(2020, 1, 1)))

    def test_edges_by_node_relation_and_confidence(
        self, database: Database, home: Home, ids: dict[str, NodeId]
    ) -> None:
        with opened(database, home) as space:
            everything = service.list_edges(space)
            rest = service.list_edges(space, after=everything[0].id)
            of_node = service.list_edges(space, node_id=ids["Falcon"])
            sure = service.list_edges(space, node_id=ids["Falcon"], min_confidence=0.8)
            owning = service.list_edges(space, relation_type="owns")
        assert len(everything) == 4
        assert rest == everything[1:]
        assert {edge.relation_type for edge in of_node} == {"uses", "related_to"}
        assert [edge.relation_type for edge in sure] == ["uses"]
        assert [edge.quote for edge in owning] == ["Ann Lee owns Kestrel."]

    def test_parallel_edges_are_aggregated(self, database: Database, home: Home) -> None:
        """Requirement 4.2."""
        with drawing(database, home) as drawn:
            drawn.edge("Ann", "owns", "Kestrel", weight=0.75)
            drawn.edge("Ann", "owns", "Kestrel", weight=0.5)
            drawn.edge("Kestrel", "uses", "Falcon", weight=0.25)
        with opened(database, home) as space:
            relations = service.aggregate_edges_by_claim(space, node_id=NodeId(drawn.nodes["Kestrel"].id))
            counts = service.count_relation_types(space)
        assert [
            (relation.relation_type, relation.weight, relation.mention_count) for relation in relations
        ] == [
            ("owns", 1.25, 2),
            ("uses", 0.25, 1),
        ]
        assert relations[0].notes == "Ann owns Kestrel."
        assert [(count.relation_type, count.edges, count.with_evidence) for count in counts] == [
            ("owns", 2, 2),
            ("uses", 1, 1),
        ]

    def test_a_name_of_two_types_is_two_nodes(self, database: Database, home: Home) -> None:
        with drawing(database, home) as drawn:
            drawn.node("Kestrel", "Product")
            drawn.nodes.clear()
            drawn.node("Kestrel", "Organization")
        with opened(database, home) as space:
            assert {node.node_type for node in service.find_nodes(space, "kestrel")} == {
                "Product",
                "Organization",
            }
            assert service.find_nodes(space, f"{{{uuid4()}}}") == []
