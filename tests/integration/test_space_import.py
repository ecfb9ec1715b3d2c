"""An exported space comes back into an empty one: the same lines, or a named refusal and nothing at all."""

import json
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

import pytest

from app.db.database import Database
from app.db.models import Document, KnowledgeChunk
from app.db.session import SpaceSession
from app.db.sql import load_statement
from app.derived.embedding_change.job import change_embedding_model
from app.documents import service as documents
from app.documents.hashing import hash_chunk_text
from app.documents.shapes import Submission
from app.errors import CitegraphError, Conflict, InvalidInput, QuotaExceeded
from app.graph import service as graph
from app.graph.invalidation import service as invalidation
from app.graph.tags import service as tags
from app.ids import DocumentId
from app.jobs.kinds import ChangeEmbedding
from app.llm.embedding.embedders import Embedders
from app.settings import Settings
from app.tenancy.audit import service as audit
from app.tenancy.audit.shapes import AuditFilter
from app.tenancy.tenants import quotas
from app.transfer.export import service as exports
from app.transfer.export.shapes import AttributeRow, ExportFormat
from app.transfer.space_import import service as imports
from tests.conftest import Home, make_home
from tests.support.ingest import ingest_now, text
from workers.runner import Runner

Value = TypeVar("Value")
CORPUS = Path(__file__).parents[2] / "examples" / "corpus"


def exported(database: Database, home: Home) -> list[bytes]:
    def read(work: Callable[[SpaceSession], Value]) -> Value:
        with database.open_space(home.tenant_id, home.space_id) as space:
            return work(space)

    return b"".join(exports.export_space(read, ExportFormat.JSON_LINES)).splitlines(keepends=True)


def bring(database: Database, home: Home, lines: Iterable[bytes]) -> dict[str, int]:
    with database.open_space(home.tenant_id, home.space_id) as space:
        return dict(imports.import_space(space, lines, actor="test").rows)


def rows_of(lines: Iterable[bytes]) -> list[dict[str, Any]]:
    """The rows without the line about the space, whose id, name and revision are its own."""
    return [json.loads(line) for line in lines][1:]


@pytest.fixture
def corpus(database: Database, settings: Settings, home: Home) -> list[bytes]:
    """The example corpus, with a tag, a claim that ended and one that was given back."""
    files = sorted(path for path in CORPUS.rglob("*") if path.is_file())[:12]
    entries = [text(file.read_text(), title=file.stem, source_uri=file.name) for file in files]
    ingest_now(database, settings, home, entries)
    with database.open_space(home.tenant_id, home.space_id) as space:
        node = graph.list_nodes(space)[0]
        tags.choose_and_set_tags(space, node.id, ["database", "pioneer"])
        edges = graph.list_edges(space, limit=3)
        for edge in edges[:2]:
            at = datetime(2020, 1, 1, tzinfo=UTC)
            invalidation.end_claim_by_person(space, edge.id, reason="The archive.", actor="test", ended_at=at)
        invalidation.undo_ending_decision(space, edges[1].id, actor="test")
    return exported(database, home)


@pytest.mark.parametrize("value", ["709037", "0.1", "1e-7", "9007199254740993", "true", '"about 5"'])
def test_a_value_comes_back_as_it_was(value: str) -> None:
    """A whole number came back with a decimal point: the export of an import was another file."""
    row = {"kind": "attribute", "chunk_id": str(uuid4()), "node_id": str(uuid4()), "name": "population"}
    line = {**row, "said_of": "Oslo", "quote": "", "char_start": 0, "char_end": 0, "value": json.loads(value)}
    assert json.dumps(AttributeRow.model_validate(line).value) == value.replace("1e-7", "1e-07")


def test_the_same_lines_come_out_of_the_copy(database: Database, corpus: list[bytes], twin: Home) -> None:
    counts = bring(database, twin, corpus)
    again = exported(database, twin)
    assert rows_of(again) == rows_of(corpus)
    assert min(counts[name] for name in ("document", "chunk", "node", "mention", "edge", "ending")) >= 1
    assert sum(counts.values()) == len(corpus) - 2
    with database.open_tenant(twin.tenant_id) as tenant:
        (entry,) = audit.list_entries(tenant, AuditFilter(action="space.import"))
    assert (entry.target_id, entry.details) == (twin.space_id, counts)


@pytest.mark.soak
def test_a_job_gives_the_copy_its_vectors_and_names_are_found_as_before(
    database: Database, settings: Settings, corpus: list[bytes], home: Home, twin: Home
) -> None:
    bring(database, twin, corpus)
    handlers = {ChangeEmbedding.kind: partial(change_embedding_model, embedders=Embedders())}
    Runner(database, settings, handlers).drain()

    def seen(place: Home) -> Any:
        with database.open_space(place.tenant_id, place.space_id) as space:
            nodes = graph.list_nodes(space, limit=200)
            named = [graph.find_nodes(space, node.canonical_name) for node in nodes[:20]]
            rows = space.connection.execute(
                "SELECT (SELECT count(*) FROM chunk_vector WHERE knowledge_space_id = %(id)s),"
                " (SELECT count(*) FROM node_vector WHERE knowledge_space_id = %(id)s),"
                " (SELECT count(*) FROM fact_vector WHERE knowledge_space_id = %(id)s),"
                " (SELECT count(*) FROM knowledge_chunk"
                " WHERE knowledge_space_id = %(id)s AND lexemes IS NULL)",
                {"id": place.space_id},
            ).fetchone()
            keys = space.connection.execute(
                "SELECT key, node_id FROM node_name_key WHERE knowledge_space_id = %s", [place.space_id]
            ).fetchall()
            return nodes, named, rows, set(keys)

    ours, theirs = seen(home), seen(twin)
    assert ours[:3] == theirs[:3]
    assert min(ours[2][:3]) > 0
    assert ours[2][3] == 0
    # A sure key of a name that no mention has any more is not made again; none is made up.
    assert theirs[3] <= ours[3]
    assert len(theirs[3]) > 0.95 * len(ours[3])


def altered(lines: list[bytes], kind: str, **changes: Any) -> list[bytes]:
    """The file with the first row of that kind changed; a change may be a function of the old value."""
    place = next(at for at, line in enumerate(lines) if json.loads(line)["kind"] == kind)
    row = json.loads(lines[place])
    row |= {name: new(row[name]) if callable(new) else new for name, new in changes.items()}
    return [*lines[:place], json.dumps(row).encode() + b"\n", *lines[place + 1 :]]


def without(lines: list[bytes], kind: str) -> list[bytes]:
    place = next(at for at, line in enumerate(lines) if json.loads(line)["kind"] == kind)
    return [*lines[:place], *lines[place + 1 :]]


def repeated(lines: list[bytes], kind: str) -> list[bytes]:
    place = next(at for at, line in enumerate(lines) if json.loads(line)["kind"] == kind)
    return [*lines[: place + 1], lines[place], *lines[place + 1 :]]


def faults(lines: list[bytes]) -> dict[str, tuple[list[bytes], str]]:
    """Files that cannot be accepted, each with the code that says why."""
    other = str(uuid4())
    return {
        "another quote": (
            altered(lines, "edge", metadata=lambda old: {**old, "quote": old["quote"] + "!"}),
            "import_quote_mismatch",
        ),
        "another place": (
            altered(lines, "edge", metadata=lambda old: {**old, "charStart": old["charStart"] + 1}),
            "import_quote_mismatch",
        ),
        "other words": (altered(lines, "mention", surface_form="Somebody"), "import_quote_mismatch"),
        "another text": (altered(lines, "chunk", text=lambda old: "?" + old[1:]), "import_bad_line"),
        "no such node": (altered(lines, "edge", to_node_id=other), "import_unknown_id"),
        "no such chunk": (altered(lines, "mention", chunk_id=other), "import_unknown_id"),
        "no such document": (altered(lines, "chunk", document_id=other), "import_repeated_row"),
        "no document": (without(lines, "document"), "import_repeated_row"),
        "twice": (repeated(lines, "node"), "import_repeated_row"),
        "an edge twice": (repeated(lines, "edge"), "import_repeated_row"),
        "a foreign field": (altered(lines, "node", knowledge_space_id=other), "import_bad_line"),
        "too heavy": (altered(lines, "edge", weight=1e30), "import_bad_line"),
        "NUL": (altered(lines, "node", metadata={"a": ["\x00"]}), "import_bad_line"),
        "not normalised": (
            altered(lines, "node", names=lambda old: [{**old[0], "normalised": "elsewhere"}, *old[1:]]),
            "import_bad_line",
        ),
        "an early time": (
            altered(lines, "node", first_seen_at="0001-01-01T00:00:00+10:00"),
            "import_bad_line",
        ),
        "far away": (altered(lines, "chunk", char_end=2**31), "import_bad_line"),
        "never ended": (
            altered(lines, "ending", invalidated_at="1999-01-01T00:00:00Z"),
            "import_ledger_mismatch",
        ),
        "cut": (lines[:-1], "import_incomplete"),
        "empty": ([], "import_bad_line"),
        "headless": (lines[1:], "import_bad_line"),
        "not JSON": ([lines[0], b"{", *lines[1:]], "import_bad_line"),
        "a list": ([lines[0], b"[]\n", *lines[1:]], "import_bad_line"),
        "out of order": ([lines[0], *reversed(lines[1:-1]), lines[-1]], "import_out_of_order"),
        "more after its end": ([*lines, lines[-1]], "import_out_of_order"),
    }


def test_what_cannot_be_accepted_is_named_and_nothing_comes_in(
    database: Database, corpus: list[bytes], twin: Home
) -> None:
    for name, (lines, code) in faults(corpus).items():
        with pytest.raises(InvalidInput) as refused:
            bring(database, twin, lines)
        assert refused.value.code == code, (name, refused.value.message)
        assert "Stonebraker" not in refused.value.message
    with database.open_space(twin.tenant_id, twin.space_id) as space:
        assert graph.list_nodes(space) == []
        assert quotas.read_totals_of_space(space).chunks == 0
    assert bring(database, twin, corpus)["node"] > 0


@pytest.mark.soak
def test_a_refusal_names_its_line(database: Database, corpus: list[bytes], twin: Home) -> None:
    wrong = altered(corpus, "edge", metadata=lambda old: {**old, "quote": "x"})
    place = next(at for at, line in enumerate(corpus, 1) if json.loads(line)["kind"] == "edge")
    with pytest.raises(InvalidInput) as refused:
        bring(database, twin, wrong)
    assert refused.value.message.startswith(f"Line {place}: ")


def test_a_space_that_has_something_takes_nothing_in(
    database: Database, corpus: list[bytes], home: Home, twin: Home
) -> None:
    with pytest.raises(Conflict) as refused:
        bring(database, home, corpus)
    assert refused.value.code == "space_not_empty"
    bring(database, twin, corpus)
    with pytest.raises(CitegraphError):
        bring(database, twin, corpus)


def chunks_of_one_document(
    database: Database, settings: Settings, home: Home, ranges: Iterable[tuple[int, str]]
) -> list[bytes]:
    """The export of a document with one chunk, with further chunks of it: their starts and texts."""
    ingest_now(database, settings, home, [text("Nothing is named here.", title="Notes", source_uri="a.txt")])
    lines = exported(database, home)
    last = max(at for at, line in enumerate(lines) if json.loads(line)["kind"] == "chunk")
    chunk = json.loads(lines[last])
    further = [
        json.dumps(
            {
                **chunk,
                "id": str(uuid4()),
                "ordinal": ordinal,
                "text": words,
                "char_start": start,
                "char_end": start + len(words),
                "content_hash": hash_chunk_text(words),
                "place": None,
                "places": None,
            }
        ).encode()
        + b"\n"
        for ordinal, (start, words) in enumerate(ranges, start=chunk["ordinal"] + 1)
    ]
    return [*lines[: last + 1], *further, *lines[last + 1 :]]


@pytest.mark.parametrize(
    ("ranges", "is_refused"),
    [
        ([(8, "is named here."), (11, "named here. More.")], False),
        ([(8, "is namely here")], True),
        ([(22, " Now a long part of it."), (29, "long"), (29, "lost"), (34, "part of it. End.")], True),
        ([(22, " Now a long part of it."), (29, "long"), (34, "part of it. End.")], False),
    ],
    ids=["agree", "contradict", "contradict inside another", "agree beyond another"],
)
def test_chunks_that_overlap_must_say_the_same(
    database: Database,
    settings: Settings,
    home: Home,
    twin: Home,
    ranges: list[tuple[int, str]],
    is_refused: bool,
) -> None:
    # Requirement 17.3.
    lines = chunks_of_one_document(database, settings, home, ranges)
    if not is_refused:
        assert bring(database, twin, lines)["chunk"] == len(ranges) + 1
        return
    with pytest.raises(InvalidInput) as refused:
        bring(database, twin, lines)
    assert refused.value.code == "import_chunk_mismatch"


@pytest.mark.one_machine("the plan of the coordinator does not count what its workers read")
def test_a_long_document_in_many_chunks_is_checked_without_reading_it_for_each(
    database: Database, settings: Settings, home: Home, twin: Home
) -> None:
    # Requirement 17.3: of a table of 10,000 rows, this check took longer than a statement may.
    words = [f"{number} " + " ".join(str(uuid4()) for _ in range(27)) for number in range(1_000)]
    further = [(100 + 1_010 * number, words[number]) for number in range(1_000)]
    bring(database, twin, chunks_of_one_document(database, settings, home, further))
    with database.open_space(twin.tenant_id, twin.space_id) as space:
        explained = space.connection.execute(
            b"EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) "
            + load_statement("transfer.space_import.misplaced_chunks").encode(),
            {"space_id": twin.space_id},
        ).fetchone()
    assert explained is not None
    plan = explained[0][0]["Plan"]
    # A megabyte of text, read a few times. Read again for each chunk, it was 115,269 pages.
    assert plan["Shared Hit Blocks"] + plan["Shared Read Blocks"] < 5_000


@pytest.mark.soak
def test_counts_of_the_file_are_not_believed(database: Database, corpus: list[bytes], twin: Home) -> None:
    true = next(row for row in rows_of(corpus) if row["kind"] == "node")
    bring(database, twin, altered(corpus, "node", mention_count=1_000_000))
    found = next(row for row in rows_of(exported(database, twin)) if row.get("id") == true["id"])
    assert found["mention_count"] == true["mention_count"]


@pytest.mark.soak
def test_a_short_range_far_away_does_not_fill_the_disk(
    database: Database, corpus: list[bytes], twin: Home
) -> None:
    lines = altered(
        corpus, "chunk", char_start=lambda old: old + 1_500_000_000, char_end=lambda old: old + 1_500_000_000
    )
    with pytest.raises(InvalidInput) as refused:
        bring(database, twin, lines)
    assert refused.value.code == "import_too_large"


@pytest.mark.soak
def test_quotas_hold_for_what_comes_back(database: Database, corpus: list[bytes], twin: Home) -> None:
    for quota in ("documents", "bytes", "chunks", "nodes"):
        with database.open_platform() as platform:
            quotas.change_quotas_and_unpark_jobs(platform, twin.tenant_id, {quota: 3}, actor="test")
        with pytest.raises(QuotaExceeded) as refused:
            bring(database, twin, corpus)
        assert refused.value.quota == quota
        with database.open_platform() as platform:
            quotas.change_quotas_and_unpark_jobs(platform, twin.tenant_id, {quota: None}, actor="test")


@pytest.mark.soak
def test_a_copy_in_another_tenant_leaves_the_original_alone(
    database: Database, corpus: list[bytes], home: Home
) -> None:
    other = make_home(database, "tenant-of-the-copy")
    bring(database, other, corpus)
    with database.open_space(other.tenant_id, other.space_id) as space:
        node = graph.list_nodes(space)[0]
        tags.choose_and_set_tags(space, node.id, ["elsewhere"])
    assert exported(database, home) == corpus


def test_warnings_and_the_answered_mail_of_a_document_come_back(
    database: Database, settings: Settings, home: Home
) -> None:
    question = b"From: Ada <a@x.org>\nMessage-ID: <1@x.org>\nSubject: Plan\n\nShall we?\n"
    mailbox = b"".join(
        b"From a Mon Jan  1 10:00:0%d 2024\nFrom: a@x.org\nMessage-ID: <box-%d@x.org>\n%s\nPlease.\n\n"
        % (number, number, b"" if number == 0 else b"In-Reply-To: <2@x.org>\n")
        for number in range(2)
    )
    answer = b"From: Bo <b@x.org>\nMessage-ID: <2@x.org>\nIn-Reply-To: <1@x.org>\nSubject: Re: Plan\n\nYes.\n"
    lines = b'{"name": "Nora Field"}\n{"name": "Ann<b>\n'
    ingest_now(
        database,
        settings,
        home,
        [
            Submission(question, "eml", "", source_uri="file:question.eml"),
            Submission(answer, "eml", "", source_uri="file:answer.eml"),
            Submission(mailbox, "mbox", "Box", source_uri="file:box.mbox"),
            Submission(
                b"From: c@x.org\nIn-Reply-To: <box-1@x.org>\n\nDone.\n", "eml", "", source_uri="file:done.eml"
            ),
            Submission(lines, "jsonl", "Lines", source_uri="file:lines.jsonl"),
        ],
    )
    copy = make_home(database, "tenant-copy")
    bring(database, copy, exported(database, home))
    for owner in (home, copy):
        with database.open_space(owner.tenant_id, owner.space_id) as space:
            by_address = {row.source_uri: row for row in documents.list_documents(space)}
            assert by_address["file:lines.jsonl"].warnings == ["Damaged and not read: line 2."]
            box = by_address["file:box.mbox"]
            (reply,) = (
                row for row in documents.list_chunks(space, DocumentId(box.id)) if row.in_reply_to is not None
            )
            mails: dict[str | None, Document | KnowledgeChunk] = {**by_address, "reply": reply}
            locations = {
                address: (mail.source_uri, mail.place)
                for address, row in mails.items()
                for mail in documents.find_answered_mails(space, [row]).values()
            }
            assert locations == {
                "file:answer.eml": ("file:question.eml", None),
                "file:done.eml": ("file:box.mbox", "message 2"),
                "reply": ("file:answer.eml", None),
            }


def test_a_mail_of_another_space_is_not_the_answered_one(
    database: Database, settings: Settings, home: Home, twin: Home
) -> None:
    question = b"From: a@x.org\nMessage-ID: <1@x.org>\nSubject: Plan\n\nShall we?\n"
    answer = b"From: b@x.org\nReferences: <0@x.org> <1@x.org>\nSubject: Re: Plan\n\nYes.\n"
    mailbox = b"From a Mon Jan  1 10:00:00 2024\n" + question
    ingest_now(
        database,
        settings,
        twin,
        [
            Submission(question, "eml", "", source_uri="file:q.eml"),
            Submission(mailbox, "mbox", "", source_uri="file:q.mbox"),
        ],
    )
    ingest_now(database, settings, home, [Submission(answer, "eml", "", source_uri="file:a.eml")])
    with database.open_space(home.tenant_id, home.space_id) as space:
        (document,) = documents.list_documents(space)
        assert document.in_reply_to == "<1@x.org>"
        assert documents.find_answered_mails(space, [document]) == {}
