"""Every format gives clean text with exact sections (requirement 2.1)."""

import io
import json

import pytest
from docx import Document
from hypothesis import given
from hypothesis import strategies as st

from app.documents.parsing import parse_document
from app.documents.shapes import ParsedDocument
from tests.support.document_samples import pdf_of
from tests.support.reading import parse_isolated

MARKDOWN = b"""---
title: "The Manual"
owner: docs
---
# Top

Some **bold**, a [link](http://example.com), `code` &amp; more.
Second line.

## Sub

- one
- two
  1. inner

> quoted

| a | b |
|---|---|
| 1 | *2* |

```
x = 1
```
<div>html <b>block</b></div>
"""
HTML = b"""<html><head><title>T &amp; x</title><style>p{}</style></head><body><h1>Head</h1>
<p>A <b>b</b>
c &lt;d&gt;<br>e</p><ul><li>one<li><p>two</p></ul><script>alert(1)</script>
<table><tr><th>k<th>v</tr><tr><td><p>1</p><td>2</tr></table><pre>a
  b</pre><h2><span>Sub</span></h2>tail</body></html>"""


def sections_of(document: ParsedDocument) -> list[tuple[tuple[str, ...], str]]:
    return [
        (section.heading_path, document.text[section.start : section.end]) for section in document.sections
    ]


def test_markdown_is_read_as_a_reader_sees_it() -> None:
    document = parse_document(MARKDOWN, "markdown")
    assert document.title == "The Manual"
    assert document.metadata == {"owner": "docs"}
    assert sections_of(document) == [
        ((), 'title: "The Manual"\n\nowner: docs'),
        (("Top",), "Top\n\nSome bold, a link, code & more. Second line."),
        (
            ("Top", "Sub"),
            "Sub\n\n- one\n- two\n  1. inner\n\nquoted\n\na | b\n1 | 2\n\nx = 1\n\nhtml block",
        ),
    ]


def test_html_is_read_without_its_scripts() -> None:
    document = parse_document(HTML, "html")
    assert document.title == "T & x"
    assert sections_of(document) == [
        (("Head",), "Head\n\nA b c <d>\ne\n\n- one\n- two\n\nk | v\n1 | 2\n\na\n  b"),
        (("Head", "Sub"), "Sub\n\ntail"),
    ]


def test_html_without_a_title_is_called_by_its_first_heading() -> None:
    assert parse_document(b"<p>x</p><h2>Name</h2>", "html").title == "Name"


def test_plain_text_is_kept_as_it_is() -> None:
    raw = "\ufeffIntro.\r\n\r\nTitle\r\n=====\r\n\r\n  Body\tcafe\u0301.\r\n\r\nPart\n----\n\nEnd.".encode()
    document = parse_document(raw, "text")
    assert document.text == "Intro.\n\nTitle\n=====\n\n  Body\tcafé.\n\nPart\n----\n\nEnd."
    assert [path for path, _ in sections_of(document)] == [(), ("Title",), ("Title", "Part")]
    assert document.title is None


@pytest.mark.parametrize(
    ("format", "raw"),
    [
        (
            "json",
            (
                b'[{"name": "Acme", "id": 7, "at": {"city": "Rome"}, "text": "It makes rockets."}, {"size":'
                b" 1.50}]"
            ),
        ),
        (
            "jsonl",
            (
                b'{"name": "Acme", "id": 7, "at": {"city": "Rome"}, "text": "It makes'
                b' rockets."}\r\n\n{"size": 1.50}\n'
            ),
        ),
        (
            "csv",
            b"name,id,at.city,text,size\nAcme,7,Rome,It makes rockets.,\n,,,,1.50\n",
        ),
    ],
)
def test_each_record_is_one_indivisible_section(format: str, raw: bytes) -> None:
    document = parse_document(raw, format)
    assert sections_of(document) == [
        (("Acme",), "Acme\nid: 7\nat.city: Rome\n\nIt makes rockets."),
        ((), "size: 1.50"),
    ]
    assert all(section.indivisible for section in document.sections)


def test_values_inside_records_are_written_readably() -> None:
    record = {
        "tags": ["a", True, None],
        "parts": [{"no": 1}, {"no": 2}],
        "empty": None,
        "": "x",
        "title": "T",
    }
    document = parse_document(json.dumps(record).encode(), "json")
    assert document.text == "T\ntags: a, true\nparts.1.no: 1\nparts.2.no: 2\n: x"


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_a_csv_names_its_delimiter_by_its_header(delimiter: str) -> None:
    raw = f'b{delimiter}c\n"1, {delimiter} x"{delimiter}2{delimiter}3\n'.encode()
    assert parse_document(raw, "csv").text == f"b: 1, {delimiter} x\nc: 2\ncolumn 3: 3"


def test_turns_keep_speaker_and_time() -> None:
    turns = [
        {"speaker": " Ada ", "text": "Hi.", "time": "2024-05-01T10:00:00"},
        {"speaker": "Bob", "text": "Yes.", "time": 1700000000},
        {"text": "  "},
    ]
    for value in (turns, {"turns": turns, "title": "Talk"}):
        document = parse_document(json.dumps(value).encode(), "conversation")
        assert document.text == "Ada: Hi.\n\nBob: Yes."
        assert [section.speaker for section in document.sections] == ["Ada", "Bob"]
        assert [str(section.said_at) for section in document.sections] == [
            "2024-05-01 10:00:00+00:00",
            "2023-11-14 22:13:20+00:00",
        ]


def test_word_documents_keep_headings_lists_and_tables() -> None:
    word = Document()
    word.core_properties.title = "Report"
    word.core_properties.author = "Ada"
    word.add_heading("Start", 1)
    word.add_paragraph("First paragraph.")
    word.add_paragraph("item", style="List Bullet")
    table = word.add_table(2, 2)
    table.cell(0, 0).merge(table.cell(0, 1)).text = "wide"
    table.cell(1, 0).text, table.cell(1, 1).text = "a", "b"
    word.add_heading("Deeper", 2)
    word.add_paragraph("Last.")
    stored = io.BytesIO()
    word.save(stored)
    document = parse_isolated(stored.getvalue(), "docx")
    assert (document.title, document.metadata) == ("Report", {"author": "Ada"})
    assert sections_of(document) == [
        (("Start",), "Start\n\nFirst paragraph.\n\n- item\n\nwide\na | b"),
        (("Start", "Deeper"), "Deeper\n\nLast."),
    ]
    assert document == parse_document(stored.getvalue(), "docx")


def test_pdf_pages_are_joined_where_a_sentence_runs_on() -> None:
    raw = pdf_of(["The engine was inter-", "rupted and"], ["later repaired."], [], ["A new page."])
    document = parse_isolated(raw, "pdf")
    assert document.text == "The engine was interrupted and\nlater repaired.\n\nA new page."
    assert document.metadata == {"page_count": "4"}
    assert document == parse_document(raw, "pdf")


def test_large_html_is_read_in_the_child_with_the_same_result() -> None:
    raw = b"<h1>Big</h1>" + b"<p>A paragraph of text.</p>" * 4_000
    assert parse_isolated(raw, "html") == parse_document(raw, "html")


@given(st.text(alphabet=st.sampled_from("ab #*_[](){}<>&;|-=`~\n\r\t!\"'é漢.1"), max_size=300))
def test_sections_are_ordered_and_hold_all_the_text(source: str) -> None:
    """Requirement 2.1, for whatever markup anybody writes."""
    raw = ("x " + source).encode()
    for format in ("text", "markdown", "html"):
        document = parse_document(raw, format)
        position = 0
        for section in document.sections:
            assert position <= section.start < section.end <= len(document.text)
            assert not document.text[position : section.start].strip()
            position = section.end
        assert not document.text[position:].strip()
        assert "\r" not in document.text
        assert parse_document(raw, format) == document


def test_lines_of_fields_stay_lines_and_wrapped_prose_becomes_one() -> None:
    """A paragraph of "label: value" lines is a list to its reader, however its source breaks lines."""
    fields = parse_document(b"**Owner:** Ann Lee\nSite: Bonn\nOpens at: 9:30\n", "markdown")
    assert fields.text == "Owner: Ann Lee\nSite: Bonn\nOpens at: 9:30"
    for prose in (
        b"Note: the site in\nBonn: it is closed.",
        b"The owner is Ann\nLee of Bonn",
        b"Owner: Ann\nLee",
    ):
        assert parse_document(prose, "markdown").text == prose.decode().replace("\n", " ")
