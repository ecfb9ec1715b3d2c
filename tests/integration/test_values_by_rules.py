"""Values that rules read, over the history of their documents: each is there while a chunk states it."""

from app.db.database import Database
from app.documents import service as documents
from app.documents.shapes import Submission
from app.graph import service as graph
from app.graph.write import merges
from app.ids import DocumentId, NodeId
from app.ingest import service as ingest
from app.settings import Settings
from app.space_settings import SpaceSettings
from app.tenancy.spaces import service as spaces
from tests.conftest import Home
from tests.support.ingest import ingest_now, text

ASKED = SpaceSettings.model_validate({"node_attributes": {"Location": {"population": "number"}}})
LARGER = "Oslo is a city in Norway. The population of Oslo was 709,037 in 2022."
SMALLER = "Oslo is a city in Norway. The population of Oslo was 693,494 in 2020."


def declare(database: Database, home: Home) -> None:
    with database.open_tenant(home.tenant_id) as tenant:
        spaces.update_space_row(tenant, home.space_id, actor="test", settings=ASKED)


def source(body: str, name: str) -> Submission:
    return text(body, title=name, source_uri=f"{name}.txt")


def node_named(database: Database, home: Home, name: str) -> NodeId:
    with database.open_space(home.tenant_id, home.space_id) as space:
        (found,) = [
            node
            for node in graph.list_nodes(space, search_text=name, limit=50)
            if node.canonical_name == name
        ]
        return NodeId(found.id)


def stated(
    database: Database, home: Home, node: NodeId | None = None
) -> list[tuple[object, bool, str | None]]:
    """The values of Oslo's population, or of that node's: whether each holds, and its sentence."""
    node = node or node_named(database, home, "Oslo")
    with database.open_space(home.tenant_id, home.space_id) as space:
        found = graph.list_attributes(space, node)
        return [
            (attribute.value, attribute.holds, attribute.evidence.quote)
            for attribute in found
            if attribute.evidence is not None
        ]


def test_a_value_goes_with_the_text_that_states_it(
    database: Database, settings: Settings, home: Home
) -> None:
    declare(database, home)
    ingest_now(database, settings, home, [source(LARGER, "a")])
    assert stated(database, home) == [(709037, True, LARGER.partition(". ")[2])]
    # The correction at the same address, and then another document that agrees with the old text.
    ingest_now(database, settings, home, [source(SMALLER, "a")])
    assert [value for value, _, _ in stated(database, home)] == [693494]
    ingest_now(database, settings, home, [source(LARGER + " It has parks.", "b")])
    ingest_now(database, settings, home, [source(LARGER + " It has trams.", "c")])
    assert [(value, holds) for value, holds, _ in stated(database, home)] == [
        (709037, True),
        (709037, True),
        (693494, False),
    ]
    with database.open_space(home.tenant_id, home.space_id) as space:
        for document in documents.list_documents(space):
            if document.source_uri != "a.txt":
                ingest.delete_document_with_all_its_words(space, DocumentId(document.id))
    assert [(value, holds) for value, holds, _ in stated(database, home)] == [(693494, True)]


def test_a_second_reading_changes_nothing(database: Database, settings: Settings, home: Home) -> None:
    declare(database, home)
    for _ in range(2):
        ingest_now(database, settings, home, [source(LARGER, "a")])
    assert len(stated(database, home)) == 1


def test_values_go_back_where_a_merge_is_undone(database: Database, settings: Settings, home: Home) -> None:
    declare(database, home)
    ingest_now(database, settings, home, [source(LARGER, "a")])
    ingest_now(
        database, settings, home, [source("Bergen is a city in Norway. Bergen has 291,940 inhabitants.", "b")]
    )
    winner, loser = node_named(database, home, "Oslo"), node_named(database, home, "Bergen")
    with database.open_space(home.tenant_id, home.space_id) as space:
        merged = merges.merge_nodes_by_person(space, winner, loser, actor="test")
    assert {value for value, _, _ in stated(database, home, winner)} == {709037, 291940}
    with database.open_space(home.tenant_id, home.space_id) as space:
        merges.unmerge_nodes_by_person(space, merged.id, actor="test")
    assert [value for value, _, _ in stated(database, home, winner)] == [709037]
    assert [value for value, _, _ in stated(database, home, loser)] == [291940]


def test_a_space_that_asks_for_nothing_keeps_no_value(
    database: Database, settings: Settings, home: Home
) -> None:
    ingest_now(database, settings, home, [source(LARGER, "a")])
    assert stated(database, home) == []
