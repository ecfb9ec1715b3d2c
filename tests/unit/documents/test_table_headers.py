"""A table that is cut keeps its header in each chunk, as its innermost heading: the text stays a slice."""

import io

import docx
import openpyxl
import pptx
import pytest
from pptx.util import Inches

from app.answers.candidates import list_quotable_sentences
from app.answers.shapes import Source
from app.documents.chunker import split_into_chunks
from app.documents.parsing import parse_document
from app.documents.sentences import append_table_header
from app.documents.shapes import ChunkDraft
from app.domain.table_headers import (
    find_table_header_in_headings,
    prepend_table_header,
    remove_table_header_from_headings,
)
from app.ids import ChunkId, DocumentId, create_id

HEADER = ["Employee", "Office", "Since"]
ROWS = [[f"Person Number{at}", f"Room {at}", f"20{at:02}"] for at in range(10, 60)]
CELLS = "| Employee | Office | Since |"


def docx_table() -> bytes:
    document = docx.Document()
    document.add_heading("Staff", 1)
    document.add_paragraph("All who work here.")
    table = document.add_table(0, len(HEADER))
    for row in [HEADER, *ROWS]:
        for cell, value in zip(table.add_row().cells, row, strict=True):
            cell.text = value
    document.add_paragraph("Nobody else does.")
    stored = io.BytesIO()
    document.save(stored)
    return stored.getvalue()


def pptx_table() -> bytes:
    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[5])
    slide.shapes.title.text = "Staff"
    size = (Inches(1), Inches(1), Inches(6), Inches(4))
    table = slide.shapes.add_table(len(ROWS) + 1, len(HEADER), *size).table
    for at, row in enumerate([HEADER, *ROWS]):
        for column, value in enumerate(row):
            table.cell(at, column).text = value
    stored = io.BytesIO()
    show.save(stored)
    return stored.getvalue()


def html_table() -> bytes:
    rows = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in [HEADER, *ROWS])
    return f"<h1>Staff</h1><p>All who work here.</p><table>{rows}</table><p>Nobody else does.</p>".encode()


def markdown_table() -> bytes:
    rows = "\n".join(f"| {' | '.join(row)} |" for row in [HEADER, ["---"] * len(HEADER), *ROWS])
    return f"# Staff\n\nAll who work here.\n\n{rows}\n\nNobody else does.\n".encode()


TABLES = {"docx": docx_table, "pptx": pptx_table, "html": html_table, "markdown": markdown_table}


def continued(drafts: list[ChunkDraft]) -> list[ChunkDraft]:
    """The chunks that begin inside of the table."""
    return [draft for draft in drafts if draft.text.lstrip("| ").startswith("Person Number")]


@pytest.mark.parametrize("name", TABLES)
def test_each_chunk_of_a_table_knows_its_header(name: str) -> None:
    document = parse_document(TABLES[name](), name)
    drafts = split_into_chunks(document, max_tokens=100)
    found = continued(drafts)
    assert len(found) >= 3
    assert {draft.heading_path for draft in found} == {("Staff", CELLS)}
    assert {remove_table_header_from_headings(draft.heading_path) for draft in drafts} == {("Staff",)}
    assert all(
        find_table_header_in_headings(draft.heading_path) == "" for draft in drafts if draft not in found
    )
    # What is cited stays the document's own text.
    assert all(draft.text == document.text[draft.char_start : draft.char_end] for draft in drafts)
    assert prepend_table_header(found[0].text, found[0].heading_path) == f"{CELLS}\n{found[0].text}"


@pytest.mark.parametrize("name", ["csv", "xlsx"])
def test_a_row_of_a_file_of_rows_says_the_names_of_its_columns(name: str) -> None:
    if name == "csv":
        raw = "\n".join(",".join(row) for row in [HEADER, *ROWS]).encode()
    else:
        book = openpyxl.Workbook()
        for row in [HEADER, *ROWS]:
            book.active.append(row)  # type: ignore[union-attr]
        stored = io.BytesIO()
        book.save(stored)
        raw = stored.getvalue()
    drafts = split_into_chunks(parse_document(raw, name), max_tokens=100)
    assert len(drafts) == len(ROWS)
    assert all(f"{column}: " in draft.text for draft in drafts for column in HEADER)


def test_the_first_row_of_a_chunk_is_no_header_of_the_others() -> None:
    draft = continued(split_into_chunks(parse_document(markdown_table(), "markdown"), max_tokens=100))[0]
    first, second = draft.text.split("\n")[:2]
    assert append_table_header(second, draft.text, draft.heading_path) == f"{second} {CELLS}"
    assert append_table_header(first, draft.text, draft.heading_path) == f"{first} {CELLS}"
    source = Source(
        1,
        ChunkId(create_id()),
        DocumentId(create_id()),
        "Staff",
        draft.heading_path,
        draft.text,
        draft.char_start,
    )
    assert first in [sentence.text for sentence in list_quotable_sentences([source], [])]


def test_lines_without_a_second_cell_and_long_headers_are_not_repeated() -> None:
    options = "\n".join(f"|option {at} of those that there are" for at in range(60))
    assert {
        draft.heading_path
        for draft in split_into_chunks(parse_document(options.encode(), "text"), max_tokens=60)
    } == {()}
    wide = "\n".join(" | ".join(f"cell {at} {column}" for column in range(120)) for at in range(5))
    assert {
        draft.heading_path
        for draft in split_into_chunks(parse_document(wide.encode(), "text"), max_tokens=60)
    } == {()}
