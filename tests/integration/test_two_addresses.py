"""The same content at two addresses: two documents, of which either goes without the other (2.3, 15)."""

from app.db.database import Database
from app.documents import service as documents
from app.documents.shapes import SubmissionOutcome
from app.ids import DocumentId
from app.ingest import service as ingest
from app.settings import Settings
from tests.conftest import Home
from tests.support.ingest import ingest_now, make_runner, picture, submit, text

BODY = "Bob Stone works for Acme Corporation. Acme Corporation is located in Hull."


def addresses(database: Database, home: Home) -> list[tuple[str | None, str]]:
    with database.open_space(home.tenant_id, home.space_id) as space:
        return sorted((document.source_uri, document.state) for document in documents.list_documents(space))


def remove(database: Database, home: Home, address: str) -> None:
    with database.open_space(home.tenant_id, home.space_id) as space:
        (document,) = [
            document for document in documents.list_documents(space) if document.source_uri == address
        ]
        ingest.delete_document_with_all_its_words(space, DocumentId(document.id))


def test_both_addresses_stand(database: Database, settings: Settings, home: Home) -> None:
    ingest_now(database, settings, home, [text(BODY, source_uri="a.txt")])
    results, job_id = submit(database, home, text(BODY, source_uri="b.txt"))
    assert [entry.outcome for entry in results] == [SubmissionOutcome.CREATED]
    assert job_id is not None
    make_runner(database, settings).drain()
    assert addresses(database, home) == [("a.txt", "ready"), ("b.txt", "ready")]


def test_each_address_recognises_its_own_content(database: Database, settings: Settings, home: Home) -> None:
    ingest_now(database, settings, home, [text(BODY, source_uri="a.txt"), text(BODY, source_uri="b.txt")])
    again, job_id = submit(
        database, home, text(BODY, source_uri="a.txt"), text(BODY, source_uri="b.txt"), text(BODY)
    )
    assert {entry.outcome for entry in again} == {SubmissionOutcome.UNCHANGED}
    assert job_id is None


def test_deleting_either_leaves_the_other_whole(
    database: Database, settings: Settings, home: Home, twin: Home
) -> None:
    """The graph afterwards is that of the one document alone, whichever went."""
    ingest_now(database, settings, twin, [text(BODY, source_uri="a.txt")])
    alone = picture(database, twin)
    for gone, left in (("a.txt", "b.txt"), ("b.txt", "c.txt")):
        ingest_now(database, settings, home, [text(BODY, source_uri="a.txt")] if gone == "a.txt" else [])
        ingest_now(database, settings, home, [text(BODY, source_uri=left)])
        remove(database, home, gone)
        assert addresses(database, home) == [(left, "ready")]
        found = picture(database, home)
        for part in alone:
            assert found[part] == alone[part], (gone, part)


def test_replacing_one_leaves_the_other_whole(database: Database, settings: Settings, home: Home) -> None:
    ingest_now(database, settings, home, [text(BODY, source_uri="a.txt")])
    ingest_now(database, settings, home, [text(BODY, source_uri="b.txt")])
    before = picture(database, home)["edges"]
    ingest_now(database, settings, home, [text("Nothing is said here.", source_uri="a.txt")])
    assert picture(database, home)["edges"] == before
