"""Rules read the languages they know; other text is searched, and job and answer say so (issue 11, B9)."""

from app.db.database import Database
from app.documents.shapes import Submission
from app.ids import JobId
from app.jobs import queue
from app.llm.embedding.embedders import Embedders
from app.retrieval.service import Retriever
from app.retrieval.shapes import Query, RetrievalResult
from app.settings import Settings
from tests.conftest import Home
from tests.support.ingest import ingest_now, picture, text

POLISH = "Firma Kestrel Fracht została założona w 1990 roku przez Annę Nowak w Krakowie i należy do Bar."
ENGLISH = "Kestrel Freight was founded in 1990 by Anna Miller in Hamburg, and Bob Stone works for it."


def errors(database: Database, home: Home, job: JobId | None) -> list[tuple[str, str]]:
    assert job is not None
    with database.open_space(home.tenant_id, home.space_id) as space:
        return [(job_error.code, job_error.message) for job_error in queue.list_job_errors(space, job)]


def test_no_graph_is_drawn_of_polish_and_job_and_answer_say_so(
    database: Database, settings: Settings, home: Home
) -> None:
    job = ingest_now(database, settings, home, [text(POLISH, title="Kestrel Fracht")])
    assert picture(database, home)["nodes"] == []
    [(code, message)] = errors(database, home, job)
    assert code == "other_language"
    assert "no graph was drawn" in message
    found = _retrieve(database, settings, home, "Anna Nowak Krakowie")
    assert [passage.text for passage in found.passages] == [POLISH]
    assert any("in Polish" in warning for warning in found.warnings)


FRENCH = (
    "Claire Besson travaille à Nantes. Elle a été nommée par Paul Martin, qui dirige la"
    " filiale depuis des années et qui connaît bien la région."
)


def test_of_french_the_names_are_read_and_job_and_answer_say_so(
    database: Database, settings: Settings, home: Home
) -> None:
    job = ingest_now(database, settings, home, [text(FRENCH, title="Une note")])

    drawn = picture(database, home)
    assert {row[0] for row in drawn["nodes"]} == {"Claire Besson", "Nantes", "Paul Martin"}
    assert drawn["edges"] == []
    assert all(FRENCH[row[5] : row[6]] == row[4] for row in drawn["mentions"])
    [(code, message)] = errors(database, home, job)
    assert code == "names_only"
    assert message.endswith("A model reads claims in any language.")
    found = _retrieve(database, settings, home, "Claire Besson")
    assert [anchor.node.canonical_name for anchor in found.anchors] == ["Claire Besson"]
    assert any(warning.startswith("Names, and no claims, were read in 1") for warning in found.warnings)


def test_of_a_mixed_document_the_english_chunks_are_read(
    database: Database, settings: Settings, home: Home
) -> None:
    lines = "".join(f'{{"text": "{source_text}"}}\n' for source_text in (POLISH, ENGLISH))
    mixed = Submission(lines.encode(), "jsonl", "Both", source_uri="both.jsonl")
    job = ingest_now(database, settings, home, [mixed])
    names = {row[0] for row in picture(database, home)["nodes"]}
    assert {"Kestrel Freight", "Anna Miller", "Bob Stone"} <= names
    assert not {"Annę Nowak", "Kestrel Fracht", "Krakowie"} & names
    [(_, message)] = errors(database, home, job)
    assert "English only: 1." in message


def test_short_english_notes_are_read_without_a_word(
    database: Database, settings: Settings, home: Home
) -> None:
    job = ingest_now(database, settings, home, [text("Bob Stone works for Acme."), text("Acme owns Globex.")])
    assert {"Bob Stone", "Acme", "Globex"} <= {row[0] for row in picture(database, home)["nodes"]}
    assert errors(database, home, job) == []
    assert not any(
        "No graph" in warning for warning in _retrieve(database, settings, home, "Bob Stone").warnings
    )


def _retrieve(database: Database, settings: Settings, home: Home, question: str) -> RetrievalResult:
    retriever = Retriever(database, Embedders(), settings)
    return retriever.retrieve_and_record_recalls(home.tenant_id, home.space_id, Query(question))
