"""Requirement 19.2: clauses are statements where no model reads; a deletion ends them with their document."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from app.db.arrays import convert_ids_to_uuids, decode_ids
from app.db.database import Database
from app.documents import service as documents
from app.domain.layers import Layer
from app.graph import service as graph
from app.graph.mentions import list_mentions_in_chunks_naming
from app.graph.shapes import GraphFilters, NodeStatement
from app.graph.write import merges
from app.ids import DocumentId, NodeId
from app.ingest import service as ingest
from app.settings import Settings
from app.space_settings import SpaceSettings
from app.tenancy.spaces import service as spaces
from tests.conftest import Home
from tests.integration.test_merging import query
from tests.support.explain import explain
from tests.support.ingest import ingest_now, text

pytestmark = pytest.mark.shared_database

SENTENCE = "Ostland Bank was audited by Helvora Systems."
BODY = f"Marta Kowalik works for Helvora Systems. {SENTENCE}"


def test_a_statement_is_an_edge_with_its_sentence_from_either_end(
    database: Database, settings: Settings, home: Home
) -> None:
    ingest_now(database, settings, home, [text(BODY)])
    for ends in (("Ostland Bank", "Helvora Systems"), ("Helvora Systems", "Ostland Bank")):
        found = explain(database, home, *ends)
        assert [(edge.relation_type, edge.evidence.quote) for edge in found.edges if edge.evidence] == [
            ("was_audited_by", SENTENCE)
        ]
    found = explain(database, home, "Marta Kowalik", "Ostland Bank")
    assert {edge.relation_type for edge in found.edges} == {"works_for", "was_audited_by"}
    assert "was audited by: Helvora Systems" in found.narrative


def test_a_space_may_do_without(database: Database, settings: Settings, home: Home) -> None:
    with database.open_tenant(home.tenant_id) as tenant:
        spaces.update_space_row(tenant, home.space_id, actor="test", settings=SpaceSettings(statements=False))
    ingest_now(database, settings, home, [text(BODY)])
    with database.open_space(home.tenant_id, home.space_id) as space:
        assert {edge.relation_type for edge in graph.list_edges(space)} == {"works_for"}


def test_a_deletion_ends_a_statement(database: Database, settings: Settings, home: Home) -> None:
    ingest_now(database, settings, home, [text(BODY)])
    with database.open_space(home.tenant_id, home.space_id) as space:
        (document,) = documents.list_documents(space)
        ingest.delete_document_with_all_its_words(space, DocumentId(document.id), prune=True)
        assert graph.list_edges(space) == []


def said_of(database: Database, home: Home, name: str) -> list[NodeStatement]:
    """The statements about the node of this name."""
    with database.open_space(home.tenant_id, home.space_id) as space:
        (node,) = graph.find_nodes(space, name)
        return graph.list_statements_of_node(space, NodeId(node.id))


ABOUT_ONE = "Ostland Bank opened a branch in the old harbour."


def test_a_statement_about_one_node_has_its_words_and_its_sentence(
    database: Database, settings: Settings, home: Home
) -> None:
    ingest_now(database, settings, home, [text(f"{BODY} {ABOUT_ONE}")])
    (said,) = [
        statement for statement in said_of(database, home, "Ostland Bank") if statement.predicate == "opened"
    ]
    assert said.text == "a branch in the old harbour"
    assert said.evidence.quote == ABOUT_ONE
    with database.open_space(home.tenant_id, home.space_id) as space:
        body = documents.read_document_text(space, DocumentId(said.evidence.document_id))
    assert body[said.evidence.char_start : said.evidence.char_end] == ABOUT_ONE


def test_a_question_about_a_node_shows_its_statements_those_with_its_words_first(
    database: Database, settings: Settings, home: Home
) -> None:
    other = "Ostland Bank hired four clerks in May."
    ingest_now(database, settings, home, [text(f"{BODY} {other} {ABOUT_ONE}")])
    with database.open_space(home.tenant_id, home.space_id) as space:
        found = graph.explain_and_record_recall(space, question="Which branch did Ostland Bank open?")
        assert [statement.evidence.quote for statement in found.statements] == [ABOUT_ONE, other]
        numbers = {citation.evidence.quote: citation.number for citation in found.citations}
        assert ABOUT_ONE in numbers
        for filters in (
            GraphFilters(layers=(Layer.CLAIM,)),
            GraphFilters(relation_types=("works_for",)),
            GraphFilters(min_confidence=0.99),
        ):
            none = graph.explain_and_record_recall(
                space, question="Which branch did Ostland Bank open?", filters=filters
            )
            assert none.statements == ()


def test_what_a_later_source_says_is_not_said_of_before(
    database: Database, settings: Settings, home: Home
) -> None:
    dated = replace(text(ABOUT_ONE), metadata={"date": "2020-05-01"})
    ingest_now(database, settings, home, [dated])
    with database.open_space(home.tenant_id, home.space_id) as space:
        (node,) = graph.find_nodes(space, "Ostland Bank")
        for year, count in ((2019, 0), (2021, 1)):
            filters = GraphFilters(as_of=datetime(year, 1, 1, tzinfo=UTC))
            assert len(graph.list_statements_of_node(space, NodeId(node.id), filters)) == count


def test_between_two_nodes_statements_name_the_other_from_either_end(
    database: Database, settings: Settings, home: Home
) -> None:
    said = "Jonas Berg told reporters in May that Ostland Bank would close."
    ingest_now(database, settings, home, [text(f"{said} {ABOUT_ONE}")])
    for ends in (("Jonas Berg", "Ostland Bank"), ("Ostland Bank", "Jonas Berg")):
        assert [statement.evidence.quote for statement in explain(database, home, *ends).statements] == [said]


def test_a_chunk_may_say_the_same_verb_of_a_node_twice(
    database: Database, settings: Settings, home: Home
) -> None:
    ingest_now(
        database,
        settings,
        home,
        [text(f"{ABOUT_ONE} Ostland Bank opened a vault beneath the northern tower.")],
    )
    assert (
        len(
            [
                statement
                for statement in said_of(database, home, "Ostland Bank")
                if statement.predicate == "opened"
            ]
        )
        == 2
    )


def test_a_deletion_ends_statements_about_one_node_and_no_attribute_is_made_of_them(
    database: Database, settings: Settings, home: Home
) -> None:
    ingest_now(database, settings, home, [text(f"{BODY} {ABOUT_ONE}"), text("Ostland Bank sold its fleet.")])
    with database.open_space(home.tenant_id, home.space_id) as space:
        (node,) = graph.find_nodes(space, "Ostland Bank")
        assert "attributes" not in node.metadata
        assert graph.list_attributes(space, NodeId(node.id)) == []
        first = documents.list_documents(space)[0]
        quotes = {
            node_statement.evidence.document_id: node_statement.evidence.quote
            for node_statement in graph.list_statements_of_node(space, node.id)
        }
        assert len(quotes) == 2
        ingest.delete_document_with_all_its_words(space, DocumentId(first.id))
        left = graph.list_statements_of_node(space, NodeId(node.id))
        assert {node_statement.evidence.document_id for node_statement in left} == quotes.keys() - {first.id}


def test_a_merge_moves_statements_and_its_undoing_gives_them_back(
    database: Database, settings: Settings, home: Home
) -> None:
    ingest_now(database, settings, home, [text(ABOUT_ONE), text("Helvora Systems hired four clerks in May.")])
    with database.open_space(home.tenant_id, home.space_id) as space:
        (winner,), (loser,) = (graph.find_nodes(space, name) for name in ("Ostland Bank", "Helvora Systems"))
        merge = merges.merge_nodes_by_person(space, NodeId(winner.id), NodeId(loser.id), actor="test")
        assert {
            node_statement.predicate
            for node_statement in graph.list_statements_of_node(space, NodeId(winner.id))
        } == {
            "opened",
            "hired",
        }
        merges.unmerge_nodes_by_person(space, merge.id, actor="test")
    assert [statement.predicate for statement in said_of(database, home, "Ostland Bank")] == ["opened"]
    assert [statement.predicate for statement in said_of(database, home, "Helvora Systems")] == ["hired"]


def test_each_chunk_says_what_names_nothing_of_the_topic_of_its_document(
    database: Database, settings: Settings, home: Home
) -> None:
    """The topic is tied to no chunk that says nothing of it, and a deletion ends all."""
    opening = "Marta Kowalik knows Ostland Bridge. Ostland Bridge is a landmark of the old town."
    filling = " ".join(f"Marta Kowalik painted the house number {number}." for number in range(200))
    body = f"{opening}\n\n{filling}\n\nFour stone towers carry a wide road."
    ingest_now(database, settings, home, [text(body, title="Ostland Bridge")])
    said = said_of(database, home, "Ostland Bridge")
    assert ("Four stone towers", "carry", "a wide road") in {
        (statement.subject, statement.predicate, statement.text) for statement in said
    }
    with database.open_space(home.tenant_id, home.space_id) as space:
        (node,) = graph.find_nodes(space, "Ostland Bridge")
        (document,) = documents.list_documents(space)
        chunks = documents.list_chunks_without_texts(space, DocumentId(document.id))
    mentions = query(
        database,
        home,
        "SELECT chunk_id, titular, char_end > 0 FROM node_mention"
        " WHERE knowledge_space_id = %s AND node_id = %s",
        node.id,
    )
    assert {row[0] for row in mentions} == {statement.evidence.chunk_id for statement in said}
    assert len(mentions) == 2 < len(chunks)
    assert [row[1] for row in mentions].count(True) == 1, "a title to the ranking of its first chunk alone"
    (unnamed,) = {row[0] for row in mentions if not row[2]}
    with database.open_space(home.tenant_id, home.space_id) as space:
        tied, named, _ = list_mentions_in_chunks_naming(space, decode_ids([node.id.bytes]))
    beside = {
        chunk
        for chunk, name in zip(convert_ids_to_uuids(tied), convert_ids_to_uuids(named), strict=True)
        if name == node.id
    }
    assert unnamed not in beside, "named together with nothing"
    with database.open_space(home.tenant_id, home.space_id) as space:
        ingest.delete_document_with_all_its_words(space, DocumentId(document.id), prune=True)
        assert graph.find_nodes(space, "Ostland Bridge") == []


def test_a_relation_may_end_at_the_topic_of_a_chunk_that_does_not_name_it(
    database: Database, settings: Settings, home: Home
) -> None:
    """The chunk states nothing else of the topic, for which its pronoun stands."""
    filling = " ".join(f"The house number {number} was painted again." for number in range(200))
    body = (
        f"Harriet Holter was a Norwegian psychologist.\n\n{filling}\n\n"
        "In 2008 her son Alv Holter became a professor of studies."
    )
    ingest_now(database, settings, home, [text(body, title="Harriet Holter")])
    with database.open_space(home.tenant_id, home.space_id) as space:
        assert "parent_of" in {edge.relation_type for edge in graph.list_edges(space)}
