"""Documents get other addresses: nothing is read again, nobody else's moves, and two statements do it."""

import pytest

from app.db.database import Database
from app.documents import service as documents
from app.errors import Conflict, NotFound
from app.ids import DocumentId
from app.settings import Settings
from tests.conftest import Home, make_home
from tests.support.ingest import ingest_now, text
from tests.support.sent_statements import sent_statements


def ids_of(database: Database, home: Home) -> dict[str, DocumentId]:
    with database.open_space(home.tenant_id, home.space_id) as space:
        return {
            file.source_uri: file.id
            for file in documents.list_stored_files_below_address(space, "file:papers/")
        }


@pytest.fixture
def twin(database: Database, settings: Settings, home: Home) -> Home:
    """Another tenant's space with documents at the same addresses."""
    twin = make_home(database, "tenant-twin")
    for owner in (home, twin):
        ingest_now(
            database,
            settings,
            owner,
            [text(f"Paper {name}.", title="", source_uri=f"file:papers/{name}.txt") for name in "abc"],
        )
    return twin


def test_addresses_are_traded_by_two_statements_however_many_there_are(
    database: Database, home: Home, twin: Home
) -> None:
    ids = ids_of(database, home)
    before = ids_of(database, twin)
    counts = []
    for addresses in (["b", "a"], ["b", "c", "a"]):
        wanted = dict(zip(sorted(ids), (f"file:papers/{name}.txt" for name in addresses), strict=False))
        with database.open_space(home.tenant_id, home.space_id) as space, sent_statements() as sent:
            documents.change_document_addresses(space, {ids[old]: new for old, new in wanted.items()})
        moved = ids_of(database, home)
        assert {moved[new]: new for new in wanted.values()} == {ids[old]: new for old, new in wanted.items()}
        counts.append(len([statement for statement in sent if "UPDATE document" in statement]))
        ids = moved
    assert counts == [2, 2]
    assert ids_of(database, twin) == before


def test_a_title_that_was_the_name_of_the_file_follows_it(database: Database, home: Home, twin: Home) -> None:
    document_id = ids_of(database, home)["file:papers/a.txt"]
    with database.open_space(home.tenant_id, home.space_id) as space:
        documents.change_document_addresses(space, {document_id: "file:papers/below/z.txt"})
        row = documents.get_document(space, document_id)
        assert (row.title, row.source_uri, row.state) == ("z.txt", "file:papers/below/z.txt", "ready")


def test_another_s_document_and_a_taken_address_are_refused(
    database: Database, home: Home, twin: Home
) -> None:
    ours, theirs = ids_of(database, home), ids_of(database, twin)
    with database.open_space(home.tenant_id, home.space_id) as space:
        with pytest.raises(NotFound):
            documents.change_document_addresses(space, {theirs["file:papers/a.txt"]: "file:papers/x.txt"})
        with pytest.raises(Conflict):
            documents.change_document_addresses(space, {ours["file:papers/a.txt"]: "file:papers/b.txt"})
    assert ids_of(database, twin) == theirs
