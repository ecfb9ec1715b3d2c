"""Cells keep their columns: what spans rows or columns, and corners that are empty, move no other cell."""

import io
from time import process_time

import docx
import pptx
import pytest

from app.documents.chunker import chunk
from app.documents.formats import detect_format, parse
from app.documents.formats.html import visible_text
from app.documents.parsers.table_lines import table_line
from app.extraction.rules.records.grids import records_of_tables


def page(*rows: str) -> str:
    """A page with one table of these rows."""
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


HEADER = "<th>Name</th><th>City</th><th>Role</th>"


@pytest.mark.parametrize(
    ("rows", "lines"),
    [
        (
            [HEADER, "<td rowspan=2>Ann</td><td>Oslo</td><td>CEO</td>", "<td>Rome</td><td>CFO</td>"],
            ["Name | City | Role", "Ann | Oslo | CEO", "Ann | Rome | CFO"],
        ),
        (
            [HEADER, "<td>Ann</td><td rowspan='2'>Oslo</td><td>CEO</td>", "<td>Bob</td><td>CFO</td>"],
            ["Name | City | Role", "Ann | Oslo | CEO", "Bob | Oslo | CFO"],
        ),
        (
            [HEADER, "<td>Ann</td><td>Oslo</td><td rowspan=3>CEO</td>", "<td>Bob</td><td>Kiel</td>"],
            ["Name | City | Role", "Ann | Oslo | CEO", "Bob | Kiel | CEO"],
        ),
        (
            [HEADER, "<td colspan=2>Ann of Oslo</td><td>CEO</td>"],
            ["Name | City | Role", "Ann of Oslo | | CEO"],
        ),
        (
            [HEADER, "<td colspan=2 rowspan=2>Both</td><td>CEO</td>", "<td>CFO</td>"],
            ["Name | City | Role", "Both | | CEO", "Both | | CFO"],
        ),
        (
            ["<td></td><th>2019</th><th>2020</th>", "<th>North</th><td>5</td><td>6</td>"],
            ["| | 2019 | 2020", "North | 5 | 6"],
        ),
        ([HEADER, "<td colspan=3>All of them</td>"], ["Name | City | Role", "All of them"]),
        (["<td></td><td><p>A page is</p><p>arranged.</p></td>"], ["A page is arranged."]),
        (["<td rowspan=9>k</td><td>1</td>", "", "<td>2</td>"], ["k | 1", "k | 2"]),
        (["<td rowspan='many'>k</td><td>1</td>", "<td>2</td><td>3</td>"], ["k | 1", "2 | 3"]),
        (
            ["<td>outer" + page("<td>a</td><td>b</td>") + "after</td><td>x</td>"],
            ["outer", "", "a | b", "", "after | x"],
        ),
    ],
)
def test_rows_of_a_page(rows: list[str], lines: list[str]) -> None:
    assert visible_text(page(*rows)).split("\n") == lines


def test_a_span_ends_with_its_table() -> None:
    text = visible_text(page("<td rowspan=5>k</td><td>1</td>") + page("<td>2</td><td>3</td>"))
    assert text.split("\n\n") == ["k | 1", "2 | 3"]


@pytest.mark.parametrize(
    "html",
    [
        "<table><tr>" + "<td rowspan=65000>a" * 5_000 + "<tr>" * 100_000,
        "<table><tr><td rowspan=65000>" + "a" * 5_000 + "<tr><td>b" * 50_000,
        "<table><tr>" + "<td colspan=65000>a" * 25_000,
    ],
)
def test_few_bytes_become_no_megabytes(html: str) -> None:
    begin = process_time()
    assert len(visible_text(html)) < 3 * len(html)
    assert process_time() - begin < 10


def test_an_empty_corner_and_merged_cells_of_word_and_slides() -> None:
    cells = [["", "2019", "2020"], ["North", "5", "6"]]
    document = docx.Document()
    table = document.add_table(3, 3)
    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[5])
    shown = slide.shapes.add_table(2, 3, 0, 0, 100, 100).table
    for row, words in enumerate(cells):
        for column, word in enumerate(words):
            table.cell(row, column).text = word
            shown.cell(row, column).text = word
    table.cell(2, 0).merge(table.cell(2, 1)).text = "South"
    table.cell(2, 2).text = "7"
    for name, source, lines in (
        ("a.docx", document, ["| | 2019 | 2020", "North | 5 | 6", "South | | 7"]),
        ("a.pptx", show, ["| | 2019 | 2020", "North | 5 | 6"]),
    ):
        stored = io.BytesIO()
        source.save(stored)
        raw = stored.getvalue()
        drafts = chunk(parse(raw, detect_format(name, None, raw)), max_tokens=200)
        assert "\n".join(lines) in "\n".join(draft.text for draft in drafts)


def test_a_reader_of_tables_finds_the_columns_of_such_a_line() -> None:
    """A name over two rows is the name of both, and what stands behind an empty cell is none of it."""
    rows = [
        HEADER.replace("Role", "Employer"),
        "<td rowspan=2>Ann Lee</td><td></td><td>Acme</td>",
        "<td>Oslo</td><td>Zeta</td>",
    ]
    records = records_of_tables(visible_text(page(*rows)))
    assert [[(value.path, value.text) for value in record.values] for record in records] == [
        [("Name", "Ann Lee"), ("Employer", "Acme")],
        [("Name", "Ann Lee"), ("City", "Oslo"), ("Employer", "Zeta")],
    ]


def test_lines() -> None:
    assert table_line(["a", "", "c"]) == "a | | c"
    assert table_line(["", "b", "c"]) == "| | b | c"
    assert table_line(["a", "", ""]) == "a | |"
    assert table_line(["", "b", ""]) == "b"
    assert table_line(["", ""]) == ""
