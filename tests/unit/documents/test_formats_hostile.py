"""Files of the formats that are containers or nest, made to do harm: refused by name, in bounded time."""

import io
import socket
import time
import zipfile
from collections.abc import Callable
from contextlib import closing, suppress
from email.message import EmailMessage

import docx
import openpyxl
import pptx
import pytest

from app.documents.format_detection import detect_format_or_refuse
from app.documents.format_registry import FORMATS, is_text_format
from app.documents.formats.html import parse_html
from app.documents.parsing import parse_document
from app.documents.unpacking import PackedFile, unpack_container_in_child_process
from app.errors import CitegraphError
from app.limits import MAIL_DEPTH
from tests.support.document_samples import book_of, zip_of
from tests.support.reading import parse_isolated
from tests.support.sampling import sampled

ENTITIES = (
    '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">'
    '<!ENTITY c SYSTEM "file:///etc/hostname">]>'
)


def code_of(call: Callable[[], object]) -> str:
    with pytest.raises(CitegraphError) as caught:
        call()
    assert len(caught.value.message) < 200
    return caught.value.code


def saved(document: object) -> bytes:
    stored = io.BytesIO()
    document.save(stored)  # type: ignore[attr-defined]
    return stored.getvalue()


def workbook_of(*rows: list[object]) -> bytes:
    book = openpyxl.Workbook()
    for row in rows:
        assert book.active is not None
        book.active.append(row)
    return saved(book)


def with_entry(raw: bytes, name: str, content: bytes) -> bytes:
    """The container with one entry more, or with this content in place of the entry's own."""
    with zipfile.ZipFile(io.BytesIO(raw)) as container:
        entries = {entry: container.read(entry) for entry in container.namelist()}
    return zip_of({**entries, name: content})


CONTAINERS = {
    "xlsx": workbook_of(["a"], [1]),
    "pptx": saved(pptx.Presentation()),
    "epub": book_of("<p>Text.</p>"),
}
PARTS = {"xlsx": "xl/workbook.xml", "pptx": "ppt/presentation.xml", "epub": "OEBPS/book.opf"}


@pytest.mark.parametrize("format", CONTAINERS)
def test_containers_that_do_harm_are_refused(format: str) -> None:
    raw = CONTAINERS[format]
    bomb = with_entry(raw, "x/bomb.bin", bytes(20_000_000))
    assert code_of(lambda: detect_format_or_refuse(f"a.{format}", None, bomb)) == "archive_refused"
    inside = with_entry(raw, "x/inner.zip", raw)
    assert code_of(lambda: detect_format_or_refuse(f"a.{format}", None, inside)) == "archive_refused"
    disguised = with_entry(raw, "x/inner.bin", raw)
    assert code_of(lambda: parse_document(disguised, format)) == "archive_refused"
    entities = with_entry(raw, PARTS[format], f"{ENTITIES}<x>&b;&c;</x>".encode())
    assert code_of(lambda: parse_document(entities, format)) == "archive_refused"
    broken = with_entry(raw, PARTS[format], b"<x")
    assert code_of(lambda: parse_document(broken, format)) == "damaged_document"
    assert code_of(lambda: detect_format_or_refuse(f"a.{format}", None, raw[:-30])) == "damaged_document"
    assert code_of(lambda: detect_format_or_refuse(f"a.{format}", None, b"Hello")) == "unsupported_format"


@pytest.mark.parametrize("text", ["<x>&b;</x>", "<x>&c;</x>", "<x/>"])
def test_xml_that_declares_entities_is_refused(text: str) -> None:
    assert code_of(lambda: parse_document(f"{ENTITIES}{text}".encode(), "xml")) == "entities_refused"


@pytest.mark.parametrize("before", ["", '<?xml version="1.0"?>\n'])
def test_a_page_shows_nothing_of_the_entities_that_it_declares(before: str) -> None:
    assert parse_html(f"{before}{ENTITIES}<html><body><p>Text.</p></body></html>".encode()).text == "Text."


def test_xml_nested_without_end_is_refused() -> None:
    raw = b"<r><x>" + b"<a>" * 200 + b"</a>" * 200 + b"</x></r>"
    assert code_of(lambda: parse_document(raw.replace(b"<x>", b"<x><b>y</b>"), "xml")) == "too_deep"


DEEP_PAGES = {
    "closed": "<div>" * 60_000 + "Text." + "</div>" * 60_000,
    "left open": "<p><div>" * 60_000 + "Text.",
    "ended in itself": "<div/>" * 60_000 + "Text.",
    "with wrong ends": "<div><br></b>" * 60_000 + "Text.",
    "a list": "<ul><li>" * 30_000 + "Text.",
    "a formula": f"<math>{'<mrow>' * 60_000}x</math> Text.",
}


@pytest.mark.parametrize("page", DEEP_PAGES.values(), ids=DEEP_PAGES)
def test_a_page_nested_without_end_is_refused_at_once(page: str) -> None:
    """Building its tree takes quadratic time: a quarter of a minute here."""
    begin = time.process_time()
    assert code_of(lambda: parse_html(page.encode())) == "too_deep"
    assert time.process_time() - begin < 2


@pytest.mark.parametrize(
    "page",
    [
        "<p>One.\n" * 25_000,
        "<table>" + "<tr><td><font color=red>One<td><font>two\n" * 8_000,
        "<ul>" + "<li>One<ul><li>Two</ul>" * 8_000,
        f"<svg>{'<path d=a />' * 25_000}</svg>One.",
        f"<script>{'if(a<b)x=1;' * 25_000}</script>One.",
    ],
)
def test_a_long_page_is_not_taken_for_a_deep_one(page: str) -> None:
    assert "One" in parse_html(page.encode()).text


def test_formulas_and_tables_are_read_however_deep_they_are() -> None:
    assert parse_html(f"<math>{'<mrow>' * 3_000}x</math> Text.".encode()).text == "x Text."
    document = docx.Document()
    cell = document.add_table(1, 1).cell(0, 0)
    for depth in range(20):
        cell.paragraphs[0].text = f"Table {depth}."
        cell = cell.add_table(1, 1).cell(0, 0)
    assert "Table 19." in parse_document(saved(document), "docx").text


def test_a_cell_far_away_costs_no_more_than_its_row() -> None:
    book = openpyxl.Workbook()
    assert book.active is not None
    book.active["A1"], book.active["A2"], book.active["XFD1048576"] = "Name", "Bolt", "far"
    begin = time.monotonic()
    assert parse_isolated(saved(book), "xlsx", seconds=60).text.startswith("Bolt")
    assert time.monotonic() - begin < 50


@pytest.mark.soak
def test_a_row_beyond_the_last_is_refused() -> None:
    """The library yields every row before it: a number of fifteen digits took all of the time."""
    name = "xl/worksheets/sheet1.xml"
    with zipfile.ZipFile(io.BytesIO(CONTAINERS["xlsx"])) as container:
        sheet = container.read(name).replace(b'<row r="2"', b'<row r="999999999999999"')
    raw = with_entry(CONTAINERS["xlsx"], name, sheet)
    assert code_of(lambda: parse_isolated(raw, "xlsx", seconds=60)) == "damaged_document"


def test_formulas_are_neither_run_nor_changed() -> None:
    """What comes in is text; exports put an apostrophe before it."""
    raw = workbook_of(["Name", "Link"], ["Bolt", "'=HYPERLINK(1)"], ["Nut", '=CMD|"/c calc"!A0'])
    assert parse_document(raw, "xlsx").text == "Bolt\nLink: '=HYPERLINK(1)\n\nNut"


def test_addresses_inside_of_files_are_never_opened() -> None:
    """A listener on this machine sees no connection, whatever the real child reads."""
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/x"
        relation = (
            '<Relationship Id="x{}" Target="{}" Type="http://schemas.openxmlformats.org/officeDocument/2006/'
            'relationships/{}"{}/>'
        )
        relations = "".join(
            relation.format(number, url, kind, ' TargetMode="External"')
            for number, kind in enumerate(["image", "attachedTemplate", "aFChunk", "header", "comments"])
        )

        def linked(raw: bytes, name: str) -> bytes:
            with zipfile.ZipFile(io.BytesIO(raw)) as container:
                part = container.read(name).replace(
                    b"</Relationships>", f"{relations}</Relationships>".encode()
                )
            return with_entry(raw, name, part)

        words = docx.Document()
        words.add_paragraph("Text.")
        include = f'<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="{url}"/>'
        files: dict[str, str | bytes] = {
            "html": f'<base href="{url}"><link rel=stylesheet href="{url}"><img src="{url}"><p>Text.',
            "markdown": f"![p]({url}) Text.",
            "rst": f".. include:: {url}\n\n.. raw:: html\n   :url: {url}\n\nText.",
            "xml": f'<?xml-stylesheet href="{url}"?><!DOCTYPE a SYSTEM "{url}"><a><b>Text.{include}</b></a>',
            "rtf": f'{{\\rtf1{{\\field{{\\*\\fldinst INCLUDEPICTURE "{url}"}}}} Text.}}',
            "eml": f"From: a@x.org\nContent-Type: text/html\n\n<img src={url}><p>Text.",
            "ics": f"BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Text.\nATTACH:{url}\nEND:VEVENT\nEND:VCALENDAR",
            "epub": book_of(f'<img src="{url}"/><p>Text.</p>'),
            "docx": linked(saved(words), "word/_rels/document.xml.rels"),
            "xlsx": linked(CONTAINERS["xlsx"], "xl/_rels/workbook.xml.rels"),
        }
        for format, content in files.items():
            raw = content.encode() if isinstance(content, str) else content
            assert parse_isolated(raw, format).text, format
        listener.settimeout(0)
        with pytest.raises(BlockingIOError):
            listener.accept()


def test_macros_are_not_looked_at() -> None:
    raw = with_entry(CONTAINERS["xlsx"], "xl/vbaProject.bin", b"\xd0\xcf\x11\xe0" + bytes(500))
    assert parse_document(raw, detect_format_or_refuse("a.xlsm", None, raw)).text == "a: 1"


def test_mails_in_mails_end() -> None:
    mail = EmailMessage()
    mail.set_content("The innermost text.")
    mail["From"] = "0@x.org"
    for depth in range(1, MAIL_DEPTH.maximum + 3):
        outer = EmailMessage()
        outer["From"] = f"{depth}@x.org"
        outer.set_content(f"Text of {depth}.")
        outer.add_attachment(mail)
        mail = outer
    document = parse_document(mail.as_bytes(), "eml")
    assert "Text of 7." in document.text
    assert "The innermost text." not in document.text
    assert any("mails deep" in sentence for sentence in document.left_out)


def test_parts_without_end_are_refused() -> None:
    begin = b"From: a@x.org\nSubject: x\n"
    nested = b"".join(
        b'Content-Type: multipart/mixed; boundary="b%d"\n\n--b%d\n' % (at, at) for at in range(3_000)
    )
    code = code_of(lambda: parse_isolated(begin + nested + b"\nText.", "eml", seconds=15))
    assert code in ("damaged_document", "parse_timeout", "empty_document")
    unpacked = PackedFile(begin + nested + b"\nText.", "eml", 1_000_000)
    assert code_of(lambda: unpack_container_in_child_process(None, unpacked)) == "damaged_document"
    wide = b'Content-Type: multipart/mixed; boundary="b"\n\n' + b"--b\n\nx\n" * 5_000 + b"--b--\n"
    assert code_of(lambda: parse_document(begin + wide, "eml")) == "damaged_document"


def test_a_chapter_outside_of_the_book_is_left_out() -> None:
    raw = book_of("<p>Text.</p>")
    with zipfile.ZipFile(io.BytesIO(raw)) as container:
        package = container.read("OEBPS/book.opf").replace(b"c0.xhtml", b"../../../etc/passwd")
    assert (
        code_of(lambda: parse_document(with_entry(raw, "OEBPS/book.opf", package), "epub"))
        == "empty_document"
    )


REPEATED = (
    "# a\n",
    "@x\n",
    "> q\n",
    "- a\n",
    "-----\n",
    "a\n---\n",
    "A: b\n",
    "[",
    "`",
    "<b>",
    "..",
    "_",
    "a:: b\n",
)


@pytest.mark.parametrize("name", sampled([name for name in FORMATS if is_text_format(name)], every=3))
def test_time_stays_linear_on_what_repeats_itself(name: str) -> None:
    """Whatever is written again and again, and whether or not that is the format's own syntax."""
    for piece in REPEATED:
        raw = (piece * (100_000 // len(piece))).encode()
        begin = time.process_time()
        with suppress(CitegraphError):
            parse_document(raw, name)
        assert time.process_time() - begin < 5, piece
