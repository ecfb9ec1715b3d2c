"""Where in its file a chunk stands goes with it into citations, exports and new versions."""

from app.answers.repository import get_existing_chunks
from app.db.database import Database
from app.documents import service as documents
from app.documents.shapes import Submission
from app.domain.file_locations import format_place_of_range
from app.ids import ChunkId, DocumentId
from app.settings import Settings
from tests.conftest import Home
from tests.support.document_samples import pdf_of
from tests.support.ingest import ingest_now

FIRST = ["Ada Byron founded Tidewater Press."]
LAST = [f"Tidewater Press published book number {number} of the series of the sea." for number in range(60)]


def places(database: Database, home: Home) -> dict[str, str | None]:
    """The place of each chunk by the first words of its text."""
    with database.open_space(home.tenant_id, home.space_id) as space:
        (document,) = documents.list_documents(space, limit=10)
        chunks = documents.list_chunks(space, DocumentId(document.id), after=None, limit=100)
        standing = get_existing_chunks(space, [ChunkId(chunk.id) for chunk in chunks])
        assert {
            format_place_of_range(chunk_id.places, 0, len(chunk_id.text)) for chunk_id in standing.values()
        } == {chunk.place for chunk in chunks}
        return {chunk.text[:9]: chunk.place for chunk in chunks}


def test_a_chunk_knows_its_page_and_follows_it(database: Database, settings: Settings, home: Home) -> None:
    """A page put in before it moves the chunk, whose text is the same, to another page."""
    address = "file:press.pdf"
    ingest_now(database, settings, home, [Submission(pdf_of(FIRST, LAST), "pdf", "", source_uri=address)])
    before = places(database, home)
    assert before["Ada Byron"] == "pages 1 to 2"
    assert set(before.values()) == {"pages 1 to 2", "page 2"}
    ingest_now(database, settings, home, [Submission(pdf_of([], FIRST, LAST), "pdf", "", source_uri=address)])
    assert set(places(database, home).values()) == {"pages 2 to 3", "page 3"}


def test_a_document_says_how_its_bytes_were_taken_for_text(
    database: Database, settings: Settings, home: Home
) -> None:
    raw = "Müller gründete die Firma in Köln.".encode("latin-1")
    ingest_now(database, settings, home, [Submission(raw, "text", "Müller")])
    with database.open_space(home.tenant_id, home.space_id) as space:
        (document,) = documents.list_documents(space, limit=10)
        assert document.encoding == "cp1252"
        assert (
            documents.read_document_text(space, DocumentId(document.id))
            == "Müller gründete die Firma in Köln."
        )
