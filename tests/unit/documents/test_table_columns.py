"""Cells keep their columns: what spans rows or columns, and corners that are empty, move no other cell."""

import io
from collections.abc import Callable
from time import process_time

import docx
import pptx
import pytest
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsdecls, qn
from docx.table import Table

from app.documents.chunker import split_into_chunks
from app.documents.format_detection import detect_format_or_refuse
from app.documents.formats.html import extract_visible_text
from app.documents.parsers.table_lines import format_row
from app.documents.parsing import parse_document
from app.domain.table_headers import find_table_header_in_headings, format_header_as_heading
from app.extraction.rules.records.grids import read_tables_as_records
from tests.support.sampling import sampled


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
        (
            [
                "<td rowspan=2>k" + page("<td>a</td><td>b</td>") + "</td><td>1</td><td>2</td>",
                "<td>3</td><td>4</td>",
            ],
            ["k", "", "a | b", "", "| | 1 | 2", "k | 3 | 4"],
        ),
        (
            ["<td>x</td><td rowspan=2>y<ul><li>one<li>two</ul></td><td>2</td>", "<td>3</td><td>4</td>"],
            ["x | y one; two | 2", "3 | y one; two | 4"],
        ),
        (["<td rowspan=0>k</td><td>1</td>", "<td>2</td>", "<td>3</td>"], ["k | 1", "k | 2", "k | 3"]),
    ],
)
def test_rows_of_a_page(rows: list[str], lines: list[str]) -> None:
    assert extract_visible_text(page(*rows)).split("\n") == lines


def test_a_span_ends_with_its_table() -> None:
    text = extract_visible_text(page("<td rowspan=5>k</td><td>1</td>") + page("<td>2</td><td>3</td>"))
    assert text.split("\n\n") == ["k | 1", "2 | 3"]


@pytest.mark.parametrize("rows", [0, 9])
@pytest.mark.parametrize(
    ("group", "next_group"), [("thead", "tbody"), ("tbody", "tbody"), ("tbody", "tfoot"), ("thead", "tfoot")]
)
def test_a_span_ends_with_its_rows_of_head_body_or_foot(rows: int, group: str, next_group: str) -> None:
    first = f"<tr><td rowspan={rows}>k</td><td>1</td></tr><tr><td>2</td></tr>"
    text = extract_visible_text(
        f"<table><{group}>{first}</{group}><{next_group}><tr><td>h</td><td>3</td></tr></{next_group}></table>"
    )
    assert text.split("\n") == ["k | 1", "k | 2", "h | 3"]


@pytest.mark.parametrize(
    "html",
    sampled(
        [
            "<table><tr>" + "<td><ul><li>a</ul><td>b<td>c" * 30_000,
            "<table><tr><td rowspan=9>" + "<p><ul><li>a</ul>" * 50_000 + "<tr><td>b" * 9,
            "<table><tr><td rowspan=0>" + "a" * 5_000 + "<tr><td>b" * 50_000,
            "<table><tr>" + "<td rowspan=65000>a" * 5_000 + "<tr>" * 100_000,
            "<table><tr><td rowspan=65000>" + "a" * 5_000 + "<tr><td>b" * 50_000,
            "<table><tr>" + "<td colspan=65000>a" * 25_000,
        ],
        every=3,
    ),
)
def test_few_bytes_become_no_megabytes(html: str) -> None:
    begin = process_time()
    assert len(extract_visible_text(html)) < 3 * len(html)
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
        drafts = split_into_chunks(
            parse_document(raw, detect_format_or_refuse(name, None, raw)), max_tokens=200
        )
        assert "\n".join(lines) in "\n".join(draft.text for draft in drafts)


def word(rows: list[list[str]], change: Callable[[Table], object]) -> str:
    """The text of a document with a table of these rows, after the change."""
    document = docx.Document()
    table = document.add_table(len(rows), len(rows[0]))
    for row, words in enumerate(rows):
        for column, text in enumerate(words):
            table.cell(row, column).text = text
    change(table)
    stored = io.BytesIO()
    document.save(stored)
    return parse_document(stored.getvalue(), "docx").text


def begin_late(table: Table) -> None:
    """Take the first cell of the last row away, as a border that was dragged does."""
    row = table.rows[-1]._tr
    row.remove(row.tc_lst[0])
    before = OxmlElement("w:gridBefore")
    before.set(qn("w:val"), "1")
    row.get_or_add_trPr().append(before)


def empty_both_ends(table: Table) -> None:
    table.cell(1, 0).text = table.cell(1, 2).text = ""


def nest(table: Table) -> None:
    inner = table.cell(1, 1).add_table(1, 2)
    inner.cell(0, 0).text, inner.cell(0, 1).text = "a", "b"


@pytest.mark.parametrize(
    ("change", "lines"),
    [
        (begin_late, ["Name | City | Role", "Ann | Oslo | CEO", "| | Kiel | CFO"]),
        (nest, ["Name | City | Role", "Ann | Oslo | CEO", "", "a | b", "", "Bob | Kiel | CFO"]),
        (
            lambda table: table.cell(1, 0).merge(table.cell(2, 0)),
            ["Name | City | Role", "Ann Bob | Oslo | CEO", "Ann Bob | Kiel | CFO"],
        ),
        (
            lambda table: table.cell(1, 1).merge(table.cell(2, 2)),
            ["Name | City | Role", "Ann | Oslo CEO Kiel CFO |", "Bob | Oslo CEO Kiel CFO |"],
        ),
        (
            empty_both_ends,
            ["Name | City | Role", "| | Oslo | |", "Bob | Kiel | CFO"],
        ),
    ],
)
def test_rows_of_word(change: Callable[[Table], object], lines: list[str]) -> None:
    rows = [["Name", "City", "Role"], ["Ann", "Oslo", "CEO"], ["Bob", "Kiel", "CFO"]]
    assert word(rows, change).split("\n") == lines


def test_a_cell_of_word_over_many_rows_is_read_in_linear_time() -> None:
    """The library would look for its text through all rows above, from each row anew."""
    rows = "".join(
        f"<w:tr><w:tc><w:tcPr><w:vMerge{mark}/></w:tcPr><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>"
        f"<w:tc><w:p><w:r><w:t>row</w:t></w:r></w:p></w:tc></w:tr>"
        for mark, text in [(' w:val="restart"', "all"), *[("", "")] * 3_000]
    )
    table = parse_xml(f"<w:tbl {nsdecls('w')}><w:tblPr/><w:tblGrid/>{rows}</w:tbl>")
    document = docx.Document()
    document.element.body.insert(0, table)
    stored = io.BytesIO()
    document.save(stored)
    begin = process_time()
    assert parse_document(stored.getvalue(), "docx").text.split("\n") == ["all | row"] * 3_001
    assert process_time() - begin < 10


def test_a_merged_cell_of_a_slide_is_the_same_in_each_of_its_rows() -> None:
    show = pptx.Presentation()
    table = show.slides.add_slide(show.slide_layouts[6]).shapes.add_table(3, 3, 0, 0, 100, 100).table
    for row, words in enumerate([["Name", "City", "Role"], ["Ann", "Oslo", "CEO"], ["", "Kiel", ""]]):
        for column, text in enumerate(words):
            table.cell(row, column).text = text
    table.cell(1, 0).merge(table.cell(2, 0))
    table.cell(1, 2).merge(table.cell(2, 2))
    stored = io.BytesIO()
    show.save(stored)
    lines = parse_document(stored.getvalue(), "pptx").text.split("\n")
    assert lines == ["Name | City | Role", "Ann | Oslo | CEO", "Ann | Kiel | CEO"]


@pytest.mark.parametrize(
    "source",
    [
        "| a | b |\n|--|--|\n| | c |\n| | |\n| d | e |",
        page("<td>a</td><td>b</td>", "<td></td><td>c</td>", "<td></td><td></td>", "<td>d</td><td>e</td>"),
    ],
)
def test_a_row_with_one_filled_cell_does_not_end_a_table(source: str) -> None:
    format = "html" if source.startswith("<") else "markdown"
    assert parse_document(source.encode(), format).text.split("\n") == ["a | b", "| | c", "d | e"]


def test_a_reader_of_tables_finds_the_columns_of_such_a_line() -> None:
    """A name over two rows is the name of both, and what stands behind an empty cell is none of it."""
    rows = [
        HEADER.replace("Role", "Employer"),
        "<td rowspan=2>Ann Lee</td><td></td><td>Acme</td>",
        "<td>Oslo</td><td>Zeta</td>",
    ]
    records = read_tables_as_records(extract_visible_text(page(*rows)))
    assert [[(value.path, value.text) for value in record.values] for record in records] == [
        [("Name", "Ann Lee"), ("Employer", "Acme")],
        [("Name", "Ann Lee"), ("City", "Oslo"), ("Employer", "Zeta")],
    ]


def test_lines() -> None:
    assert format_row(["a", "", "c"]) == "a | | c"
    assert format_row(["", "b", "c"]) == "| | b | c"
    assert format_row(["a", "", ""]) == "a | |"
    assert format_row(["", "b", ""]) == "b"
    assert format_row(["", ""]) == ""
    assert format_row(["", "b", "c", ""]) == "| | b | c | |"


@pytest.mark.parametrize(
    "cells",
    [["a", "", "c"], ["", "b", "c"], ["a", "b", ""], ["", "b", "c", ""], ["a", "b"], ["", "", "c", "d"]],
)
def test_a_line_and_the_heading_made_of_it_have_all_columns(cells: list[str]) -> None:
    header = [f"column {number}" for number, _ in enumerate(cells)]
    expected = [(name, cell) for name, cell in zip(header, cells, strict=True) if cell]
    [record] = read_tables_as_records(f"{format_row(header)}\n{format_row(cells)}")
    assert [(value.path, value.text) for value in record.values] == expected
    row = [f"value {number}" for number, _ in enumerate(cells)]
    [record] = read_tables_as_records(format_row(row), format_header_as_heading(format_row(cells)))
    expected = [(name, value) for name, value in zip(cells, row, strict=True) if name]
    assert [(value.path, value.text) for value in record.values] == expected


@pytest.mark.parametrize("header", [["", "2019", "2020"], ["Region", "2019", ""]])
@pytest.mark.parametrize("name", ["a.html", "a.md"])
def test_rows_in_each_chunk_of_a_table_have_its_columns(name: str, header: list[str]) -> None:
    rows = [[f"Region {number}", str(number), "7"] for number in range(30)]
    if name == "a.html":
        source = page(*("".join(f"<td>{cell}</td>" for cell in row) for row in [header, *rows]))
    else:
        source = "\n".join(f"| {' | '.join(row)} |" for row in [header, ["---"] * 3, *rows])
    drafts = split_into_chunks(
        parse_document(source.encode(), detect_format_or_refuse(name, None, source.encode())), max_tokens=60
    )
    assert len(drafts) > 2
    values = [
        (value.path, value.text)
        for draft in drafts
        for record in read_tables_as_records(draft.text, find_table_header_in_headings(draft.heading_path))
        for value in record.values
    ]
    assert values == [(name, cell) for row in rows for name, cell in zip(header, row, strict=True) if name]
