"""New content at a known address: claims that only the old text made end, and return with it (2.3)."""

from typing import Any

import pytest

from app.db.database import Database
from app.documents import service as documents
from app.graph import service as graph
from app.graph.invalidation import service as invalidation
from app.ids import DocumentId
from app.ingest import service as ingest
from app.settings import Settings
from tests.conftest import Home
from tests.support.ingest import make_runner, submit, text
from tests.support.scripted_extractor import Scripted

ACME = "[Bob Stone|Person] works_for [Acme|Organization]."
GLOBEX = "[Bob Stone|Person] works_for [Globex|Organization]."
NOTHING = "There is nothing to be said."


class World:
    """One space, read by an extractor that finds what the brackets say."""

    def __init__(self, database: Database, settings: Settings, home: Home) -> None:
        self.database, self.settings, self.home = database, settings, home

    def put(self, address: str, body: str) -> None:
        submit(self.database, self.home, text(body, title=address, source_uri=address))
        make_runner(self.database, self.settings, extractor=Scripted()).drain()

    def delete(self, address: str) -> None:
        with self.database.open_space(self.home.tenant_id, self.home.space_id) as space:
            (found,) = [
                document for document in documents.list_documents(space) if document.source_uri == address
            ]
            ingest.delete_document_with_all_its_words(space, DocumentId(found.id))

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with self.database.open_space(self.home.tenant_id, self.home.space_id) as space:
            return space.connection.execute(query.encode(), [self.home.space_id]).fetchall()

    def claims(self) -> dict[tuple[str, str], tuple[bool, bool]]:
        """(subject, object) of each edge: whether it holds, and whether it has its evidence."""
        return {
            (row[0], row[1]): (row[2], row[3])
            for row in self.rows(
                "SELECT f.canonical_name, t.canonical_name, e.invalidated_at IS NULL,"
                " e.evidence_chunk_id IS NOT NULL AND e.metadata ? 'quote' FROM graph_edge e"
                " JOIN graph_node f ON f.knowledge_space_id = e.knowledge_space_id AND f.id = e.from_node_id"
                " JOIN graph_node t ON t.knowledge_space_id = e.knowledge_space_id AND t.id = e.to_node_id"
                " WHERE e.knowledge_space_id = %s"
            )
        }

    def ledger(self) -> list[tuple[Any, ...]]:
        return self.rows(
            "SELECT kind, reason, undone_at IS NULL, document_id IS NOT NULL FROM edge_invalidation"
            " WHERE knowledge_space_id = %s ORDER BY id"
        )

    def nodes(self) -> set[str]:
        with self.database.open_space(self.home.tenant_id, self.home.space_id) as space:
            return {node.canonical_name for node in graph.list_nodes(space)}

    def whole(self) -> list[tuple[Any, ...]]:
        """The rows of edges but for the times of reading."""
        return self.rows(
            "SELECT id, from_node_id, to_node_id, relation_type, weight, status, invalidated_at,"
            " metadata - 'extractedAt' FROM graph_edge WHERE knowledge_space_id = %s ORDER BY id"
        )


@pytest.fixture
def world(database: Database, settings: Settings, home: Home) -> World:
    return World(database, settings, home)


def test_a_claim_of_the_old_text_ends(world: World) -> None:
    world.put("bob", ACME)
    world.put("bob", GLOBEX)
    assert world.claims() == {("Bob Stone", "Acme"): (False, False), ("Bob Stone", "Globex"): (True, True)}
    assert world.ledger() == [("replaced", "source_replaced", True, True)]


def test_the_text_returns_and_so_does_the_claim_exactly(world: World) -> None:
    world.put("bob", ACME)
    before = world.whole()
    world.put("bob", NOTHING)
    assert world.claims() == {("Bob Stone", "Acme"): (False, False)}
    world.put("bob", ACME)
    assert world.whole() == before
    assert world.claims() == {("Bob Stone", "Acme"): (True, True)}
    assert world.ledger() == [("replaced", "source_replaced", False, True)]


def test_to_and_fro_any_number_of_times(world: World) -> None:
    for _ in range(3):
        world.put("bob", ACME)
        world.put("bob", GLOBEX)
    assert world.claims() == {("Bob Stone", "Acme"): (False, False), ("Bob Stone", "Globex"): (True, True)}
    assert [row[2] for row in world.ledger()].count(True) == 1


def test_what_another_document_says_too_holds(world: World) -> None:
    world.put("bob", ACME)
    world.put("staff", f"We know that {ACME}")
    world.put("bob", GLOBEX)
    holding = [
        row[0]
        for row in world.rows(
            "SELECT d.title FROM graph_edge e JOIN knowledge_chunk c ON c.id = e.evidence_chunk_id JOIN"
            " document d ON d.id = c.document_id WHERE e.knowledge_space_id = %s AND e.invalidated_at IS NULL"
            " ORDER BY 1"
        )
    ]
    assert holding == ["bob", "staff"]


def test_the_same_text_in_another_document_is_evidence_enough(world: World) -> None:
    world.put("bob", ACME)
    world.put("copy", ACME)
    world.put("bob", GLOBEX)
    assert world.claims()["Bob Stone", "Acme"] == (True, True)
    assert world.ledger() == []
    world.put("copy", NOTHING)
    assert world.claims()["Bob Stone", "Acme"] == (False, False)


def test_one_of_two_documents_that_agreed_leaves_the_claim_unconfirmed(world: World) -> None:
    world.put("bob", ACME)
    world.put("staff", f"We know that {ACME}")
    states = "SELECT DISTINCT status FROM graph_edge WHERE knowledge_space_id = %s"
    assert world.rows(states) == [("confirmed",)]
    world.put("staff", NOTHING)
    assert world.rows(states) == [("staged",)]


def test_a_node_that_nothing_names_or_touches_goes(world: World) -> None:
    world.put("bob", f"{ACME}\n\n[Zurich|Location] is fine.")
    world.put("bob", GLOBEX)
    assert world.nodes() == {"Bob Stone", "Acme", "Globex"}


def test_a_node_that_the_new_text_names_in_other_words_keeps_its_id(world: World) -> None:
    world.put("bob", ACME)
    ids = "SELECT id, canonical_name FROM graph_node WHERE knowledge_space_id = %s ORDER BY 2"
    before = world.rows(ids)
    world.put("bob", f"Since May {ACME}")
    assert world.rows(ids) == before


def test_a_claim_that_a_person_ended_stays_ended_when_its_text_returns(world: World) -> None:

    world.put("bob", ACME)
    with world.database.open_space(world.home.tenant_id, world.home.space_id) as space:
        (edge,) = graph.list_edges(space)
        invalidation.end_claim_by_person(space, edge.id, reason="It is wrong.", actor="a")
    world.put("bob", NOTHING)
    world.put("bob", ACME)
    assert world.claims() == {("Bob Stone", "Acme"): (False, True)}
    assert [row[0] for row in world.ledger()] == ["person"]
