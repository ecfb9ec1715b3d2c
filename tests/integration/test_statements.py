"""Requirement 19.2: clauses are statements where no model reads; a deletion ends them with their document."""

import pytest

from app.db.session import Database
from app.documents import service as documents
from app.graph import service as graph
from app.ids import DocumentId
from app.ingest import service as ingest
from app.settings import Settings
from app.space_settings import SpaceSettings
from app.spaces import service as spaces
from tests.conftest import Home
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
        spaces.update_space(tenant, home.space_id, actor="test", settings=SpaceSettings(statements=False))
    ingest_now(database, settings, home, [text(BODY)])
    with database.open_space(home.tenant_id, home.space_id) as space:
        assert {edge.relation_type for edge in graph.list_edges(space)} == {"works_for"}


def test_a_deletion_ends_a_statement(database: Database, settings: Settings, home: Home) -> None:
    ingest_now(database, settings, home, [text(BODY)])
    with database.open_space(home.tenant_id, home.space_id) as space:
        (document,) = documents.list_documents(space)
        ingest.remove_document(space, DocumentId(document.id), prune=True)
        assert graph.list_edges(space) == []
