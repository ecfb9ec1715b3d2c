"""Ten citations of each format with places, against the files: each names the place where its words stand."""

import csv
import email.policy
import io
import json
import mailbox
import zipfile
from collections.abc import Callable, Iterable
from contextlib import closing
from email.message import EmailMessage
from pathlib import Path
from typing import Any, TypeVar

import docx
import openpyxl
import pptx
import pytest
from pypdf import PdfReader

from app.answers.citations import update_position_of_citation
from app.answers.repository import get_existing_chunks
from app.answers.shapes import Citation
from app.db.database import Database
from app.db.session import SpaceSession
from app.documents import service as documents
from app.documents.shapes import Submission
from app.domain.file_locations import format_range_of_places
from app.graph import service as graph
from app.graph.invalidation import service as invalidation
from app.graph.shapes import Edge, Evidence
from app.graph.write.curation import service as curation
from app.graph.write.curation.shapes import ChunkMention
from app.ids import DocumentId
from app.settings import Settings
from app.space_settings import SpaceSettings
from app.tenancy.spaces import service as spaces
from app.transfer.export import service as exports
from app.transfer.export.shapes import ExportFormat
from app.transfer.space_import import service as imports
from tests.conftest import Home, make_home
from tests.support.document_samples import book_of, pdf_of
from tests.support.ingest import ingest_now
from tests.support.sampling import sampled

Value = TypeVar("Value")
PEOPLE = (
    "Vera Lund", "Omar Reyes", "Ines Falk", "Jonas Brandt", "Petra Novak",
    "Hugo Almeida", "Clara Vogel", "Samuel Okoye", "Marta Kowalski", "Erik Strand",
)  # fmt: skip
COMPANIES = (
    "Tidewater Press", "Orrery Systems", "Falkenberg Motors", "Larkspur Foods", "Nordlicht Energy",
    "Brightwell Labs", "Kestrel Aviation", "Sandpiper Media", "Quarry Bank", "Meadow Textiles",
)  # fmt: skip
CLAIMS = [f"{person} founded {company}." for person, company in zip(PEOPLE, COMPANIES, strict=True)]
FILLER = "The weather of that year was mild, and nothing else of note was written down."
# Two claims to a place, with places between that hold none.
PLACES = [[FILLER], *([*CLAIMS[at : at + 2], FILLER] for at in range(0, 10, 2)), [FILLER]]


def pdf() -> bytes:
    return pdf_of(*PLACES)


def pdf_place(raw: bytes, quote: str) -> str:
    pages = enumerate(PdfReader(io.BytesIO(raw)).pages, start=1)
    return next(f"page {number}" for number, page in pages if quote in page.extract_text())


def slides() -> bytes:
    show = pptx.Presentation()
    for number, lines in enumerate(PLACES):
        slide = show.slides.add_slide(show.slide_layouts[1])
        slide.shapes.title.text = f"Part {number}"
        slide.placeholders[1].text = "\n".join(lines)
    stored = io.BytesIO()
    show.save(stored)
    return stored.getvalue()


def slide_of(raw: bytes, quote: str) -> str:
    for number, slide in enumerate(pptx.Presentation(io.BytesIO(raw)).slides, start=1):
        if any(quote in shape.text_frame.text for shape in slide.shapes if shape.has_text_frame):
            return f"slide {number}"
    raise AssertionError(quote)


def workbook() -> bytes:
    book = openpyxl.Workbook()
    for number, lines in enumerate(PLACES):
        sheet = book.create_sheet(f"Part {number}")
        sheet.append(["Number", "Text"])
        for at, line in enumerate(lines):
            sheet.append([at, line])
            sheet.append([])
    stored = io.BytesIO()
    book.save(stored)
    return stored.getvalue()


def row_of(raw: bytes, quote: str) -> str:
    for sheet in openpyxl.load_workbook(io.BytesIO(raw)):
        for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
            if quote in row:
                return f"sheet {sheet.title}, row {number}"
    raise AssertionError(quote)


def book() -> bytes:
    return book_of(*("".join(f"<p>{line}</p>" for line in lines) for lines in PLACES))


def chapter_of(raw: bytes, quote: str) -> str:
    with zipfile.ZipFile(io.BytesIO(raw)) as container:
        names = [f"OEBPS/c{number}.xhtml" for number in range(len(PLACES))]
        return next(
            f"chapter {number}"
            for number, name in enumerate(names, start=1)
            if quote in container.read(name).decode()
        )


def mails() -> bytes:
    parts = []
    for number, lines in enumerate(PLACES):
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"] = "Ada <ada@a.example>", "b@b.example", f"Part {number}"
        mail["Date"] = f"Mon, {number + 1:02} Jan 2024 10:00:00 +0000"
        mail.set_content("\n\n".join(lines))
        parts.append(b"From ada@a.example Mon Jan  1 10:00:00 2024\n" + mail.as_bytes() + b"\n")
    return b"".join(parts)


def message_of(raw: bytes, quote: str, folder: Path) -> str:
    path = folder / "inbox.mbox"
    path.write_bytes(raw)
    with closing(mailbox.mbox(path)) as box:
        texts = [str(mail.get_payload()) for mail in box]
    return next(f"message {number}" for number, text in enumerate(texts, start=1) if quote in text)


def notebook() -> bytes:
    cells = [{"cell_type": "markdown", "source": "\n\n".join(lines)} for lines in PLACES]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def cell_of(raw: bytes, quote: str) -> str:
    cells = enumerate(json.loads(raw)["cells"], start=1)
    return next(f"cell {number}" for number, cell in cells if quote in cell["source"])


def table() -> bytes:
    stored = io.StringIO()
    writer = csv.writer(stored)
    writer.writerow(["number", "text"])
    writer.writerows((number, line) for number, line in enumerate(line for lines in PLACES for line in lines))
    return stored.getvalue().encode()


def csv_row_of(raw: bytes, quote: str) -> str:
    rows = enumerate(csv.reader(io.StringIO(raw.decode())), start=1)
    return next(f"row {number}" for number, row in rows if quote in row)


def lines_of_json() -> bytes:
    return "\n".join(json.dumps({"text": " ".join(lines)}) for lines in PLACES).encode()


def line_of(raw: bytes, quote: str) -> str:
    lines = enumerate(raw.decode().split("\n"), start=1)
    return next(f"line {number}" for number, line in lines if quote in line)


def turns() -> bytes:
    return json.dumps([{"speaker": "Ada", "text": " ".join(lines)} for lines in PLACES]).encode()


def turn_of(raw: bytes, quote: str) -> str:
    said = enumerate(json.loads(raw), start=1)
    return next(f"turn {number}" for number, turn in said if quote in turn["text"])


def lines_of_text() -> bytes:
    # Windows' line ends, blank lines, and a form feed, at which no editor counts a line.
    return "\r\n\r\n".join("\f\r\n".join(lines) for lines in PLACES).encode()


def text_line_of(raw: bytes, quote: str) -> str:
    lines = raw.decode().split("\r\n")
    return next(f"line {number}" for number, line in enumerate(lines, start=1) if quote in line)


def markdown() -> bytes:
    front_matter = ["---", "author: Nobody", "---", ""]
    parts = [f"## Part {number}\n\n" + "\n\n".join(lines) for number, lines in enumerate(PLACES)]
    table = "| Text |\n| --- |\n" + "\n".join(f"| {line} |" for line in CLAIMS[:2])
    return "\n".join([*front_matter, *parts[2:], table, *parts[:1]]).encode()


def plain_line_of(raw: bytes, quote: str) -> str:
    lines = raw.decode().split("\n")
    return next(f"line {number}" for number, line in enumerate(lines, start=1) if quote in line)


def restructured() -> bytes:
    parts = (f"Part {number}\n======\n\n" + "\n\n".join(lines) for number, lines in enumerate(PLACES))
    return "\n\n\n".join(parts).encode()


def source_code() -> bytes:
    parts = (
        f"def part_{number}():\n    return {number}\n\n" + "".join(f"# {line}\n\n" for line in lines)
        for number, lines in enumerate(PLACES)
    )
    return "\n".join(parts).encode()


def page() -> bytes:
    parts = (
        f"<h2>Part {number}</h2>" + "".join(f"<p>{line}</p>" for line in lines)
        for number, lines in enumerate(PLACES)
    )
    return f"<html><body>{''.join(parts)}</body></html>".encode()


def section_of_page(raw: bytes, quote: str) -> str:
    before = raw.decode().partition(quote)[0]
    return f"section {before.rpartition('<h2>')[2].partition('</h2>')[0]}"


def word() -> bytes:
    document = docx.Document()
    for number, lines in enumerate(PLACES):
        document.add_heading(f"Part {number}", level=1)
        for line in lines:
            document.add_paragraph(line)
    stored = io.BytesIO()
    document.save(stored)
    return stored.getvalue()


def section_of_word(raw: bytes, quote: str) -> str:
    heading = ""
    for paragraph in docx.Document(io.BytesIO(raw)).paragraphs:
        if paragraph.style is not None and paragraph.style.name == "Heading 1":
            heading = paragraph.text
        if quote in paragraph.text:
            return f"section {heading}"
    raise AssertionError(quote)


def mail_of_mails() -> bytes:
    outer = EmailMessage()
    outer["From"] = "Nora Hall <nora@example.org>"
    outer["Subject"] = "Founders"
    outer.set_content("\n".join(PLACES[1]) + "\n\n" + "\n".join(f"> {line}" for line in PLACES[2]))
    for lines in PLACES[3:]:
        inner = EmailMessage()
        inner["From"] = "Ivo Brand <ivo@example.org>"
        inner["Subject"] = "Again"
        inner.set_content("\n".join(lines))
        outer.add_attachment(inner)
    return outer.as_bytes()


def part_of_mail(raw: bytes, quote: str) -> str:
    outer = email.message_from_bytes(raw, policy=email.policy.default)
    own_text, *inner_parts = outer.iter_parts()
    for line in own_text.get_content().split("\n"):
        if quote in line:
            return "message 1, quoted text" if line.startswith(">") else "message 1"
    for number, part in enumerate(inner_parts, start=1):
        if quote in part.get_content().get_content():
            return f"message 1, attached mail {number}"
    raise AssertionError(quote)


def elements() -> bytes:
    parts = (
        "  <note>\n" + "".join(f"    <text>{line}</text>\n" for line in lines) + "  </note>\n"
        for lines in PLACES
    )
    return f"<?xml version='1.0'?>\n<!DOCTYPE notes>\n<notes>\n{''.join(parts)}</notes>".encode()


def element_of(raw: bytes, quote: str) -> str:
    before = raw.decode().partition(quote)[0]
    return f"line {before.rpartition('<note>')[0].count(chr(10)) + 1}"


FORMATS: dict[str, tuple[Callable[[], bytes], Callable[..., str]]] = {
    "pdf": (pdf, pdf_place),
    "pptx": (slides, slide_of),
    "xlsx": (workbook, row_of),
    "epub": (book, chapter_of),
    "mbox": (mails, message_of),
    "ipynb": (notebook, cell_of),
    "csv": (table, csv_row_of),
    "jsonl": (lines_of_json, line_of),
    "conversation": (turns, turn_of),
    "text": (lines_of_text, text_line_of),
    "markdown": (markdown, plain_line_of),
    "rst": (restructured, plain_line_of),
    "code": (source_code, plain_line_of),
    "html": (page, section_of_page),
    "docx": (word, section_of_word),
    "eml": (mail_of_mails, part_of_mail),
    "xml": (elements, element_of),
}


def exported(database: Database, home: Home) -> list[bytes]:
    """The lines of the space's export."""

    def read(work: Callable[[SpaceSession], Value]) -> Value:
        with database.open_space(home.tenant_id, home.space_id) as space:
            return work(space)

    return b"".join(exports.export_space(read, ExportFormat.JSON_LINES)).splitlines(keepends=True)


def rows_of(database: Database, home: Home) -> list[dict[str, Any]]:
    """The rows of the export without the lines about the space and the end."""
    return [json.loads(line) for line in exported(database, home)[1:-1]]


def stated(edges: Iterable[Edge]) -> dict[str, Edge]:
    """The edges by the claims of the files that their quotes state."""
    return {
        claim: edge
        for edge in edges
        for claim in CLAIMS
        if edge.evidence is not None and claim in (edge.evidence.quote or "")
    }


@pytest.mark.parametrize("name", sampled(FORMATS, every=2))
def test_ten_citations_of_a_file_name_their_places(
    database: Database, settings: Settings, home: Home, name: str, tmp_path: Path
) -> None:
    """Of edges, of explanations, of answers and of exports, though a chunk stands in several places."""
    make, look_up = FORMATS[name]
    raw = make()
    expected = {claim: look_up(raw, claim, *([tmp_path] if name == "mbox" else [])) for claim in CLAIMS}
    assert len(set(expected.values())) >= 5
    ingest_now(database, settings, home, [Submission(raw, name, "Founders", source_uri=f"f.{name}")])
    with database.open_space(home.tenant_id, home.space_id) as space:
        edges = stated(graph.list_edges(space, limit=200))
        assert {claim: edge.evidence.place for claim, edge in edges.items() if edge.evidence} == expected
        (document,) = documents.list_documents(space, limit=10)
        text = documents.read_document_text(space, DocumentId(document.id))
        standing = get_existing_chunks(
            space, {edge.evidence.chunk_id for edge in edges.values() if edge.evidence}
        )
        for claim, edge in edges.items():
            evidence = edge.evidence
            assert evidence is not None
            assert text[evidence.char_start : evidence.char_end] == evidence.quote
            start = evidence.char_start + (evidence.quote or "").index(claim)
            made = Citation(1, evidence.chunk_id, evidence.document_id, "", claim, start, start + len(claim))
            cited = update_position_of_citation(made, standing)
            assert cited is not None
            assert cited.place == expected[claim]
        found = graph.explain_and_record_recall(space, from_=PEOPLE[3], to=COMPANIES[3])
        assert [citation.evidence.place for citation in found.citations] == [expected[CLAIMS[3]]]
    rows = rows_of(database, home)
    places = {row["metadata"]["quote"]: row["place"] for row in rows if row["kind"] == "edge"}
    quotes = [edge.evidence.quote or "" for edge in edges.values() if edge.evidence]
    assert {places[quote] for quote in quotes} == set(expected.values())


def test_the_places_of_a_chunk_come_back_from_an_export(
    database: Database, settings: Settings, home: Home
) -> None:
    ingest_now(database, settings, home, [Submission(pdf(), "pdf", "Founders")])
    before = rows_of(database, home)
    assert [0, "page 1"] in [part for row in before if row["kind"] == "chunk" for part in row["places"]]
    other = make_home(database, "places-again")
    with database.open_space(other.tenant_id, other.space_id) as space:
        imports.import_space(space, exported(database, home), actor="test")
    assert rows_of(database, other) == before


def test_all_that_is_cited_of_the_graph_says_its_page(
    database: Database, settings: Settings, home: Home
) -> None:
    """Values, statements, neighbours, what is named together, mentions and contradictions."""
    wishes = {
        "single_valued_relations": ["located_in"],
        "supersede_by_date": False,
        "node_attributes": {"Location": {"population": "number"}},
    }
    with database.open_tenant(home.tenant_id) as tenant:
        asked = SpaceSettings.model_validate(wishes)
        spaces.update_space_row(tenant, home.space_id, actor="test", settings=asked)
    pages = [
        ["Oslo is a city in Norway."],
        ["The population of Oslo was 709,037 in 2022."],
        ["Helvora Systems is located in Oslo."],
        ["Helvora Systems is located in Bergen."],
        ["Ostland Bank was audited by Helvora Systems.", "Marta Kowalik was born in Tromso."],
        ["Marta Kowalik and Ostland Bank were seen in one room."],
    ]
    raw = pdf_of(*pages)
    ingest_now(database, settings, home, [Submission(raw, "pdf", "Notes")])
    seen: dict[str, list[Evidence | ChunkMention]] = {}
    with database.open_space(home.tenant_id, home.space_id) as space:
        for node in graph.list_nodes(space, limit=50):
            seen.setdefault("values", []).extend(
                attribute.evidence for attribute in graph.list_attributes(space, node.id)
            )
            seen.setdefault("statements", []).extend(
                node_statement.evidence for node_statement in graph.list_statements_of_node(space, node.id)
            )
            around = graph.fetch_neighborhood_and_record_recall(space, node.id)
            seen.setdefault("edges", []).extend(edge.evidence for edge in around.edges if edge.evidence)
            own = graph.list_edges(space, node_id=node.id)
            seen.setdefault("own edges", []).extend(edge.evidence for edge in own if edge.evidence)
            seen.setdefault("by id", []).extend(
                other_edge.evidence
                for other_edge in graph.get_edges(space, [edge.id for edge in own])
                if other_edge.evidence
            )
            seen.setdefault("beside", []).extend(
                named_with.evidence
                for named_with in graph.find_cooccurring_nodes(space, node)
                if named_with.evidence
            )
            mentions = curation.list_mentions(space, node.id, after=None, limit=50)
            seen.setdefault("mentions", []).extend(mentions)
        sets = invalidation.list_conflicts(space)
        rows = [row for found in sets for value in found.values for row in value.rows]
        seen["conflicts"] = [row.edge.evidence for row in rows if row.edge.evidence]
        found = graph.explain_and_record_recall(space, question="What is the population of Oslo?")
        seen["explained values"] = [attribute.evidence for attribute in found.attributes]
        found = graph.explain_and_record_recall(space, from_="Marta Kowalik", to="Norway")
        seen["named together"] = [edge.evidence for edge in found.named_together]
        (document,) = documents.list_documents(space, limit=10)
        text = documents.read_document_text(space, DocumentId(document.id))
    for name, found_here in seen.items():
        assert found_here, name
        for evidence in found_here:
            words = text[evidence.char_start : evidence.char_end]
            lines = words.split("\n")
            expected = format_range_of_places(pdf_place(raw, lines[0]), pdf_place(raw, lines[-1]))
            assert evidence.place == expected, (name, words)
