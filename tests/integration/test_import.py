"""Importing extractions (issue 3, item 8): what somebody else found, grounded and written like our own."""

import json

from app.db.database import Database
from app.documents import service as documents
from app.documents.shapes import Submission
from app.jobs import queue
from app.settings import Settings
from app.space_settings import SpaceSettings
from app.tenancy.spaces import service as spaces
from tests.conftest import Home
from tests.support.ingest import ingest_now, picture

PASSAGE = (
    "Ingres\nIngres is a database. It was written at Berkeley. Much later Actian bought Ingres. Berkeley is a"
    " rather old town by now."
)
CHUNK = {
    "text": PASSAGE,
    "entities": ["Ingres", {"name": "Actian", "type": "Organization"}, "Atlantis"],
    "triples": [
        ["Ingres", "written at", "Berkeley"],
        {"from": "Actian", "relation": "bought", "to": "Ingres", "quote": "Much later Actian  bought INGRES.", "confidence": 0.9},  # noqa: E501
        ["Ingres", "drowned in", "Atlantis"],
        ["Actian", "bought", "Ingres", "Actian was bought by Ingres."],
        ["Ingres", "is", None],
        ["Ingres", "only two"],
    ],
}  # fmt: skip


def extraction(*chunks: object, title: str = "Ingres") -> Submission:
    body = json.dumps({"title": title, "extractor": "someone", "chunks": chunks})
    return Submission(body.encode(), "extraction", title)


def open_vocabulary(database: Database, home: Home) -> None:
    with database.open_tenant(home.tenant_id) as tenant:
        spaces.update_space_row(
            tenant, home.space_id, actor="test", settings=SpaceSettings(open_relations=True)
        )


def test_triples_become_cited_edges_and_what_the_chunk_does_not_name_is_counted(
    database: Database, settings: Settings, home: Home
) -> None:
    open_vocabulary(database, home)
    job_id = ingest_now(database, settings, home, [extraction(CHUNK)])
    assert job_id is not None
    with database.open_space(home.tenant_id, home.space_id) as space:
        rows = space.connection.execute(
            "SELECT from_name, relation_type, to_name, quote, confidence FROM inspect_edges"
            " WHERE knowledge_space_id = %s ORDER BY 1",
            [home.space_id],
        ).fetchall()
        counts = queue.get_job(space, job_id).counts
        (document,) = documents.list_documents(space)
        ungrounded = space.connection.execute("SELECT count(*) FROM inspect_ungrounded_edges").fetchone()
    assert [(row[0], row[1], row[2]) for row in rows] == [
        ("Actian", "owns", "Ingres"),
        ("Ingres", "written_at", "Berkeley"),
    ]
    assert rows[0][3] == "Much later Actian bought Ingres."
    assert rows[1][3].endswith("It was written at Berkeley.")
    assert ungrounded == (0,)
    assert document.chunk_count == 1
    assert {key: counts[key] for key in counts if key.startswith("dropped")} == {
        "dropped_malformed": 2,
        "dropped_not_in_text": 1,
        "dropped_end_not_named": 1,
        "dropped_ungrounded": 1,
    }


def test_each_passage_is_one_chunk_and_a_second_import_changes_nothing(
    database: Database, settings: Settings, home: Home
) -> None:
    long = {"text": "Berkeley is old. " * 200, "entities": ["Berkeley"], "triples": []}
    ingest_now(database, settings, home, [extraction(CHUNK, long)])
    before = picture(database, home)
    assert [row[1] for row in before["chunks"]] == [0, 1]
    assert before["chunks"][1][5] > settings.chunk_tokens, "not split, though over the limit for chunks"
    ingest_now(database, settings, home, [extraction(CHUNK, long)])
    assert picture(database, home) == before


def test_without_a_list_of_chunks_the_document_is_failed_with_the_reason(
    database: Database, settings: Settings, home: Home
) -> None:
    bad = [
        Submission(raw, "extraction", raw.decode())
        for raw in (b'{"chunks": 7}', b'{"chunks": [{}]}', b"{", b'{"chunks": []}')
    ]
    ingest_now(database, settings, home, bad)
    with database.open_space(home.tenant_id, home.space_id) as space:
        codes = {document.title: document.failure_code for document in documents.list_documents(space)}
    assert codes == {
        '{"chunks": 7}': "damaged_document",
        '{"chunks": [{}]}': "damaged_document",
        "{": "damaged_document",
        '{"chunks": []}': "empty_document",
    }
