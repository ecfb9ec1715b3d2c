"""Files as other programs write them: what stands in unusual corners is read, or refused by name."""

import io
import json
import struct
import time
from email.message import EmailMessage
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import docx
import openpyxl
import pptx
import pypdf
import pytest
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.oxml.parser import parse_xml
from openpyxl.chart import BarChart, Reference

from app.cli.files import find_files
from app.documents.format_detection import detect_format_or_refuse
from app.documents.formats.eml import iter_attachments
from app.documents.parsers.archive import InnerBudget
from app.documents.parsing import parse_document
from app.documents.shapes import ParsedDocument
from app.documents.unpacking import PackedFile, unpack_container_in_child_process
from app.errors import InvalidInput, UnsupportedFormat
from tests.support.document_samples import book_of, pdf_of, zip_of
from tests.support.opendocument_files import opendocument, rows_of

PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000"
    "000d4944415478da6364f8cf500f00038601805a347d6b0000000049454e44ae426082"
)


def read(name: str, raw: bytes) -> ParsedDocument:
    return parse_document(raw, detect_format_or_refuse(name, None, raw))


def save(document: Any) -> bytes:
    stored = io.BytesIO()
    document.save(stored)
    return stored.getvalue()


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"sep=;\r\nName;Town\r\nAnn;Ulm\r\n", "Ann\nTown: Ulm"),
        (b'"Name, full";Town\n"Lee, Ann";Ulm\n', "Name, full: Lee, Ann\nTown: Ulm"),
        (b"Members of 2024,\n\nName,Town\nAnn,Ulm\n", "Members of 2024\n\nAnn\nTown: Ulm"),
        (b"Name,Town\n", "Name | Town"),
        (b"Name,Note\nAnn," + b"word " * 40_000 + b"\n", "Ann\nNote: " + ("word " * 40_000).strip()),
        (b"Name,Town,As of May\nAnn,Ulm,\n", "Ann\nTown: Ulm\n\nAs of May"),
    ],
    ids=["delimiter named", "delimiter in quotes", "title", "header alone", "long cell", "remark beside"],
)
def test_a_table_as_programs_write_it(raw: bytes, text: str) -> None:
    assert read("a.csv", raw).text == text


def test_empty_rows_count_as_a_program_for_tables_counts_them() -> None:
    assert [place.name for place in read("a.csv", b"Name,Town\n\n\nAnn,Ulm\n").places] == ["row 4"]


def test_of_the_alternatives_of_a_mail_the_one_with_words_is_read_and_the_invitation() -> None:
    mail = EmailMessage()
    mail["From"] = "a@x.org"
    mail.set_content("\n")
    mail.add_alternative("<p>Ann leaves.</p>", subtype="html")
    mail.add_alternative(
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\nLOCATION:Room 4\nEND:VEVENT\nEND:VCALENDAR\n", subtype="calendar"
    )
    text = read("a.eml", mail.as_bytes()).text
    assert "Ann leaves." in text
    assert "Place: Room 4" in text


def test_a_quotation_in_a_mail_of_html_is_not_of_its_sender() -> None:
    mail = EmailMessage()
    mail["From"] = "ann@x.org"
    mail.set_content(
        "<p>New words.</p><blockquote><p>Old words.</p><blockquote>Older.</blockquote></blockquote><p>Bye.",
        subtype="html",
    )
    document = read("a.eml", mail.as_bytes())
    speakers = {
        document.text[section.start : section.end].strip(): section.speaker for section in document.sections
    }
    assert speakers["New words.\n\n\n\nBye."] == "ann@x.org"
    assert speakers["Old words.\nOlder."] is None


def test_attachments_of_one_name_are_numbered() -> None:
    mail, inner = EmailMessage(), EmailMessage()
    inner.add_attachment("Three.", filename="scan.txt")
    mail.add_attachment("One.", filename="scan.txt")
    mail.add_attachment("Two.", filename="scan.txt")
    mail.add_attachment(inner)
    unpacked = unpack_container_in_child_process(None, PackedFile(mail.as_bytes(), "eml", 100_000))
    assert unpacked.refused_files == ()
    assert [(file.name, file.raw.strip()) for file in unpacked.files] == [
        ("scan.txt", b"One."),
        ("scan (2).txt", b"Two."),
        ("scan (3).txt", b"Three."),
    ]


@pytest.mark.parametrize(
    ("names", "numbered"),
    [
        (["a.txt", "a.txt", "a (2).txt"], ["a.txt", "a (2).txt", "a (2) (2).txt"]),
        (["a (2).txt", "a.txt", "a.txt"], ["a (2).txt", "a.txt", "a (3).txt"]),
        (["notes", "notes", ".env", ".env"], ["notes", "notes (2)", ".env", ".env (2)"]),
    ],
)
def test_a_numbered_name_is_that_of_no_other_attachment(names: list[str], numbered: list[str]) -> None:
    mail = EmailMessage()
    for number, name in enumerate(names):
        mail.add_attachment(f"Text {number}.", filename=name)
    attachments = iter_attachments(mail, InnerBudget())
    assert [name for name, _ in attachments] == numbered


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    "text", ["Name;Town\r\nJörg;Ulm\r\n", "Марта Фогель живёт в Ульме.", "Ελένη ζει εδώ."]
)
def test_utf_16_without_a_mark(text: str, encoding: str) -> None:
    document = read("a.txt", text.encode(encoding))
    assert document.text == text.replace("\r\n", "\n")
    assert document.encoding == encoding


@pytest.mark.parametrize(
    "raw",
    [b"A line\0B line\0\n" * 9, b"ab\0d" * 50, struct.pack("<99h", *range(-49, 50)), bytes(range(256)) * 2],
    ids=["stray NULs", "NULs in every other place", "numbers", "all bytes"],
)
def test_bytes_with_nuls_that_are_no_utf_16(raw: bytes) -> None:
    with pytest.raises((UnsupportedFormat, InvalidInput)):
        read("a.txt", raw)


@pytest.mark.parametrize(
    ("raw", "encoding", "damaged"),
    [
        ("Ärger über Öl. ".encode() * 5 + b"caf\xe9", "utf-8", "1 character"),
        ("Zuse — Ada. ".encode() * 30 + b"\xff\xfe\xfd", "utf-8", "3 characters"),
        ("Ärger \ufffd ".encode(), "utf-8", None),
    ],
)
def test_a_text_of_utf_8_with_damaged_bytes_stays_utf_8(
    raw: bytes, encoding: str, damaged: str | None
) -> None:
    document = parse_document(raw, "text")
    assert document.encoding == encoding
    expected = () if damaged is None else (f"The text is UTF-8 but for {damaged}, whose bytes are damaged.",)
    assert document.left_out == expected


def test_a_page_of_frames_says_so() -> None:
    document = read(
        "a.html", b"<html><frameset><frame src=a.html><frame src=b.html><noframes>Frames.</noframes>"
    )
    assert document.left_out == ("2 frames: of them no text is read.",)


def test_a_pdf_without_pages_is_no_scan() -> None:
    stored = io.BytesIO()
    pypdf.PdfWriter().write(stored)
    with pytest.raises(InvalidInput, match="no pages"):
        read("a.pdf", stored.getvalue())


def test_a_mailbox_of_old_line_ends() -> None:
    mails = b"From a Mon\rFrom: a@x.org\r\rOne.\r>From Ann.\r\rFrom b Tue\rFrom: b@x.org\r\rTwo.\r"
    document = read("a.mbox", mails)
    assert [place.name for place in document.places] == ["message 1", "message 2"]
    assert "From Ann." in document.text


def test_a_mail_of_a_mailbox_names_the_one_that_it_answers() -> None:
    mails = (
        "Message-ID: <b@x.org>\nIn-Reply-To:\n <a@x.org>\nSubject: Re: Plan\n\nYes.\n",
        "message-id: <a@x.org>\nSubject: Plan\n\nShall we?\n\nMessage-ID: <c@x.org>\n",
        "In-Reply-To: <c@x.org>\nSubject: Other\n\nNo.\n",
    )
    box = "".join(f"From ann@x.org Mon Jan  1 10:00:00 2024\nFrom: ann@x.org\n{mail}\n" for mail in mails)
    document = parse_document(box.encode(), "mbox")
    assert document.text.count("In reply to:") == 1
    assert "Subject: Re: Plan\nIn reply to: message 2\n\nYes." in document.text


def test_events_and_contacts_are_records() -> None:
    calendar = (
        "BEGIN:VCALENDAR\r\nX-WR-CALNAME:Harbour\r\nBEGIN:VTIMEZONE\r\nTZID:Europe/Oslo\r\nBEGIN:STANDARD\r\n"
        "DTSTART:19700101T000000\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\nBEGIN:VEVENT\r\nSUMMARY:Go\\, again\r\n"
        'DTSTART;TZID=Europe/Oslo:20240412T093000\r\nORGANIZER;CN="Vik: Tora":mailto:t@x.org\r\n'
        "DESCRIPTION:First the bud\r\n get.\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    )
    document = read("a.ics", calendar.encode())
    assert document.title == "Harbour"
    assert document.text == (
        "Go, again\nStart: 2024-04-12 09:30 Europe/Oslo\nOrganizer: Vik: Tora\nDescription: First the budget."
    )
    contacts = (
        "BEGIN:VCARD\nVERSION:3.0\nFN:Ann Lee\nORG:Acme;Research\nitem1.ADR:;;Gate 5;Bergen;;;\nEND:VCARD\n"
        "BEGIN:VCARD\nVERSION:2.1\nN;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:M=C3=BC=\nller;J=C3=B6rg\nEND:VCARD\n"
    )
    document = read("a.vcf", contacts.encode())
    assert document.text == "Ann Lee\nOrganization: Acme, Research\nAddress: Gate 5, Bergen\n\nJörg Müller"
    assert [place.name for place in document.places] == ["contact 1", "contact 2"]


def test_a_notebook_of_before_version_4() -> None:
    cells = [
        {"cell_type": "heading", "level": 1, "source": ["Study"]},
        {"cell_type": "code", "input": ["gain = 5"], "outputs": [{"output_type": "pyout", "text": ["23"]}]},
    ]
    notebook = json.dumps({"nbformat": 3, "worksheets": [{"cells": cells}]}).encode()
    assert read("a.ipynb", notebook).text == "Study\n\ngain = 5\n\n23"


def test_what_pictures_are_said_to_show_is_text() -> None:
    report = docx.Document()
    report.add_picture(io.BytesIO(PICTURE))
    report.add_picture(io.BytesIO(PICTURE))
    first, second = report.inline_shapes
    first._inline.docPr.set("descr", "The crane of Acme")
    second._inline.docPr.set("descr", "IMG_0001.png")
    assert read("a.docx", save(report)).text == "The crane of Acme"
    slides = pptx.Presentation()
    picture = slides.slides.add_slide(slides.slide_layouts[6]).shapes.add_picture(io.BytesIO(PICTURE), 0, 0)
    picture._element.nvPicPr.cNvPr.set("descr", "The crane of Acme")
    assert read("a.pptx", save(slides)).text == "The crane of Acme"
    frame = "<text:p><draw:frame><svg:desc>The crane of Acme</svg:desc><draw:image/></draw:frame></text:p>"
    assert read("a.odt", opendocument("odt", frame)).text == "The crane of Acme"
    page = b"<p>Seen<img alt='The crane of Acme'>today <img alt='OK'>.</p>"
    assert read("a.html", page).text == "Seen\nThe crane of Acme\ntoday OK."


def test_what_a_slide_holds_for_newer_programs_is_read_with_its_formula() -> None:
    presentation = pptx.Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[6])
    box = slide.shapes.add_textbox(0, 0, 9, 9)
    box.text_frame.text = "The rate is "
    paragraph = box.text_frame.paragraphs[0]._p
    paragraph.append(
        parse_xml(
            '<a14:m xmlns:a14="urn:a14" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math">'
            "<m:oMath><m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup>"
            "</m:oMath></a14:m>"
        )
    )
    alternatives: Any = parse_xml(
        '<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
        "<mc:Choice/><mc:Fallback/></mc:AlternateContent>"
    )
    box._element.addprevious(alternatives)
    alternatives[0].append(box._element)
    assert read("a.pptx", save(presentation)).text == "The rate is x^2"


def test_a_formula_of_a_page_or_a_text_is_read() -> None:
    power = "<mrow><mi>x</mi><mo>=</mo><msup><mi>a</mi> <mn>2</mn></msup></mrow>"
    note = "<annotation encoding='application/x-tex'>x = a^{2}</annotation>"
    page = f"<p>Where <math><semantics>{power}{note}</semantics></math> holds.</p>"
    assert read("a.html", page.encode()).text == "Where x=a^2 holds."
    formula = f"<math xmlns='http://www.w3.org/1998/Math/MathML'>{power}</math>"
    frame = "<text:p>Where:<draw:frame><draw:object xlink:href='./F'/></draw:frame></text:p>"
    assert read("a.odt", opendocument("odt", frame, **{"F/content.xml": formula})).text == "Where:\n\nx=a^2"


def test_a_bar_and_a_list_in_a_cell_make_no_other_columns() -> None:
    report = docx.Document()
    table = report.add_table(rows=2, cols=2)
    for column, text in enumerate(["Head", "Towns", "A | B", "Calls at"]):
        table.cell(column // 2, column % 2).text = text
    for town in ("Ulm", "Bonn"):
        table.cell(1, 1).add_paragraph(town, style="List Bullet")
    numbered = report.add_paragraph("Numbered by hand.")
    properties = numbered._p.get_or_add_pPr()
    numbering = properties.get_or_add_numPr()
    number = OxmlElement("w:numId")
    number.set(qn("w:val"), "3")
    numbering.append(number)
    assert read("a.docx", save(report)).text == (
        "Head | Towns\nA \\| B | Calls at Ulm; Bonn\n\n- Numbered by hand."
    )


def test_a_text_box_that_is_bound_to_a_cell_names_no_column() -> None:
    rows = rows_of(("Name", "Town", ""), ("Ann", "Ulm"))
    box = "<draw:custom-shape><text:p>Checked by Ann.</text:p></draw:custom-shape>"
    sheet = f'<table:table table:name="S">{rows.replace("<text:p></text:p>", box, 1)}</table:table>'
    document = read("a.ods", opendocument("ods", sheet))
    assert document.text == "Ann\nTown: Ulm\n\nChecked by Ann."
    assert document.places[-1].name == "sheet S, drawing"


def test_bold_headers_of_an_opendocument_sheet_are_seen() -> None:
    style = '<style:style style:name="b"><style:text-properties fo:font-weight="{}"/></style:style>'
    rows = rows_of(("Name", "Town"), ("Ann", "Ulm"), ("", ""), ("Product", "Owner"), ("Bolt", "Ann"))
    for name in ("Name", "Town", "Product", "Owner"):
        cell = f"<table:table-cell office:value-type='string'><text:p>{name}"
        rows = rows.replace(cell, cell.replace(" ", ' table:style-name="b" ', 1))
    for weight in ("bold", "normal"):
        raw = opendocument(
            "ods", f'<table:table table:name="S">{rows}</table:table>', styles=style.format(weight)
        )
        assert ("Product: Bolt\nOwner: Ann" in read("a.ods", raw).text) == (weight == "bold")


def test_a_file_is_read_by_its_content_where_its_name_says_another_format(tmp_path: Path) -> None:
    files = {
        "page.xls": b"<html><table><tr><td>Ulm</td></tr></table></html>",
        "text.doc": b"{\\rtf1 Ulm}",
        "word.doc": save(docx.Document()),
        "old.doc": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "tool.exe": b"MZ",
    }
    for name, raw in files.items():
        (tmp_path / name).write_bytes(raw)
    found_files = find_files([tmp_path])
    assert [path.name for path, _ in found_files.files] == ["page.xls", "text.doc", "word.doc"]
    assert [Path(skipped.path).name for skipped in found_files.passed_over_files] == ["old.doc", "tool.exe"]
    assert all("save it as" in skipped.reason.lower() for skipped in found_files.passed_over_files)


def test_what_is_written_above_words_of_word_is_passed_over_and_they_are_read() -> None:
    report = docx.Document()
    above, below = ("<w:r><w:t>kanji</w:t></w:r>", "<w:r><w:t>漢字</w:t></w:r>")
    ruby = f"<w:r><w:ruby><w:rt>{above}</w:rt><w:rubyBase>{below}</w:rubyBase></w:ruby></w:r>"
    word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    report.add_paragraph("Read ")._p.append(parse_xml(ruby.replace("<w:r>", f'<w:r xmlns:w="{word}">', 1)))
    assert read("a.docx", save(report)).text == "Read 漢字"


def test_a_long_document_of_word_is_read_in_linear_time() -> None:
    report = docx.Document()
    box: Any = report.add_paragraph("Boxed")._p
    table = report.add_table(rows=1, cols=2)
    table.cell(0, 0).text, table.cell(0, 1).text = "Town", "Ulm"
    word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    box.append(parse_xml(f'<w:r xmlns:w="{word}"><w:pict><w:txbxContent/></w:pict></w:r>'))
    box[-1][0][0].append(table._tbl)
    for number in range(4_000):
        box.addnext(parse_xml(f'<w:p xmlns:w="{word}"><w:r><w:t>Line {number}.</w:t></w:r></w:p>'))
    raw = save(report)
    started_at = time.process_time()
    assert "Boxed\n\nTown | Ulm\n\nLine 3999." in read("a.docx", raw).text
    assert time.process_time() - started_at < 4


def test_a_pdf_may_begin_below_other_lines() -> None:
    pdf = pdf_of(["Ann Lee founded Acme."])
    assert "Ann Lee" in read("a.pdf", b"Content-Type: application/pdf\r\n\r\n" + pdf).text
    assert detect_format_or_refuse("a.txt", None, b"About %PDF- and its like.") == "text"


def test_an_archive_of_nothing_is_refused() -> None:
    stored = io.BytesIO()
    ZipFile(stored, "w").close()
    with pytest.raises(InvalidInput, match="no readable text"):
        unpack_container_in_child_process(None, PackedFile(stored.getvalue(), "zip", 1_000))


@pytest.mark.parametrize(
    ("name", "part"),
    [("a.docx", "word/document.xml"), ("a.xlsx", "xl/workbook.xml"), ("a.pptx", "ppt/presentation.xml")],
)
def test_office_files_of_the_strict_dialect_are_read(name: str, part: str) -> None:
    if name == "a.docx":
        document: Any = docx.Document()
        document.add_paragraph("Ann lives in Ulm.")
    elif name == "a.xlsx":
        document = openpyxl.Workbook()
        document.active.append(["Ann lives in Ulm."])
    else:
        document = pptx.Presentation()
        document.slides.add_slide(document.slide_layouts[0]).shapes.title.text = "Ann lives in Ulm."
    strict = io.BytesIO()
    with ZipFile(io.BytesIO(save(document))) as container, ZipFile(strict, "w") as copy:
        for entry in container.namelist():
            content = container.read(entry)
            for family in (
                b"wordprocessingml",
                b"spreadsheetml",
                b"presentationml",
                b"drawingml",
                b"officeDocument",
            ):
                before = b"http://schemas.openxmlformats.org/" + family + b"/2006/"
                content = content.replace(before, b"http://purl.oclc.org/ooxml/" + family + b"/")
            copy.writestr(entry, content.replace(b"extended-properties", b"extendedProperties"))
    assert b"purl.oclc.org" in ZipFile(strict).read(part)
    assert read(name, strict.getvalue()).text == "Ann lives in Ulm."


def test_a_page_that_was_inserted_into_a_word_document_stands_in_its_place() -> None:
    document = docx.Document()
    document.add_paragraph("Before.")
    package = document.part.package
    page = Part(
        PackURI("/word/page.html"), "text/html", b"<p>Ann <b>lives</b> in Ulm.</p><p>Two.</p>", package
    )
    book = Part(PackURI("/word/inner.bin"), "application/octet-stream", b"x", package)
    for part in (page, book):
        inserted = OxmlElement("w:altChunk")
        kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/aFChunk"
        inserted.set(qn("r:id"), document.part.relate_to(part, kind))
        document.element.body.insert(1, inserted)
    document.add_paragraph("After.")
    result = read("a.docx", save(document))
    assert result.text == "Before.\n\nAnn lives in Ulm.\n\nTwo.\n\nAfter."
    assert result.left_out == ("1 inserted file: of it no text is read.",)


def test_mails_of_a_mailbox_need_no_header() -> None:
    mark = b"From ann@x.org Mon Jun 01 10:00:00 2009\n"
    mails = mark + b"\nOne.\n\nFrom Ulm it is far.\n\n" + mark + b"\nTwo.\n"
    document = read("a.mbox", mails)
    assert document.text == "From: ann@x.org\n\nOne.\n\nFrom Ulm it is far.\n\nFrom: ann@x.org\n\nTwo."
    assert {place.name for place in document.places} == {"message 1", "message 2"}


MAIL = b"From: ann@x.org\nMIME-Version: 1.0\n"


@pytest.mark.parametrize(
    ("name", "raw", "text"),
    [
        ("minutes", MAIL + b"Content-Transfer-Encoding: base64\n\nT25lLg==\n", "One."),
        ("a.eml", (MAIL + b"\nOne.\n").decode().encode("utf-16"), "One."),
        (
            "a.eml",
            MAIL + b"Content-Type: multipart/mixed; boundary=--=_Next\n\n----=_Next\n\nOne.\n----=_Next--\n",
            "One.",
        ),
    ],
    ids=["no extension", "UTF-16", "boundary without quotation marks"],
)
def test_a_mail_as_programs_save_it(name: str, raw: bytes, text: str) -> None:
    assert read(name, raw).text == f"From: ann@x.org\n\n{text}"


def test_what_is_encrypted_or_attached_is_named() -> None:
    message = b"-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----\n"
    with pytest.raises(InvalidInput) as caught:
        read("a.txt", message)
    assert caught.value.code == "encrypted_document"
    mail = MAIL + b"Content-Type: multipart/encrypted; boundary=b\n\n--b\n\n" + message + b"\n--b--\n"
    assert read("a.eml", mail).left_out == ("The mail is encrypted: save it decrypted for its text.",)
    assert unpack_container_in_child_process(None, PackedFile(mail, "eml", 1_000)).files == ()
    writer = pypdf.PdfWriter(io.BytesIO(pdf_of(["Ann lives in Ulm."])))
    writer.add_attachment("a.txt", b"One.")
    stored = io.BytesIO()
    writer.write(stored)
    assert read("a.pdf", stored.getvalue()).left_out == ("1 attached file: of it no text is read.",)


def test_a_title_without_a_letter_says_nothing() -> None:
    assert read("a.html", b"<title>?????</title><h1>Minutes</h1><p>One.</p>").title == "Minutes"


def test_an_office_document_in_one_xml_file_is_refused() -> None:
    raw = b'<?xml version="1.0"?><?mso-application progid="Word.Document"?><w:wordDocument/>'
    with pytest.raises(UnsupportedFormat, match="DOCX"):
        read("a.xml", raw)


@pytest.mark.parametrize("start", ["", '; start="<page@x>"'])
@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-1"])
def test_a_page_saved_with_its_pictures_is_read_as_the_page(start: str, charset: str) -> None:
    """Not as a mail from the browser; of several pages the one that the header names."""
    frame = b"<html><body><p>Advertisement of a frame.</p></body></html>"
    page = "<html><title>Café</title><body><nav>Menu</nav><h1>Café</h1><p>Anna Öz owns it.</p></body></html>"
    parts = [
        (f"text/html; charset={charset}", "<page@x>", page.encode(charset)),
        ("text/html", "<f@x>", frame),
    ]
    body = b"".join(
        f"--B\r\nContent-Type: {kind}\r\nContent-ID: {name}\r\n\r\n".encode() + content + b"\r\n"
        for kind, name, content in (reversed(parts) if start else parts)
    )
    head = (
        "From: <Saved by Blink>\r\nSnapshot-Content-Location: https://x.example/\r\nSubject: Quay\r\n"
        f'MIME-Version: 1.0\r\nContent-Type: multipart/related; type="text/html"; boundary="B"{start}\r\n\r\n'
    )
    saved = head.encode() + body + b"--B--\r\n"
    assert (
        detect_format_or_refuse("page.mhtml", None, saved)
        == detect_format_or_refuse("page.mht", None, saved)
        == "mhtml"
    )
    document = parse_document(saved, "mhtml")
    assert (document.title, document.text) == ("Café", "Café\n\nAnna Öz owns it.")


def test_a_saved_page_without_a_page_is_damaged() -> None:
    with pytest.raises(InvalidInput, match="There is no page in the file"):
        parse_document(b"From: x\r\nContent-Type: text/plain\r\n\r\nWords", "mhtml")


def test_a_file_of_word_or_powerpoint_without_properties_has_no_title_and_no_author_of_the_library() -> None:
    word = docx.Document()
    word.add_heading("Minutes of May", level=1)
    slides = pptx.Presentation()
    slides.slides.add_slide(slides.slide_layouts[0]).shapes.title.text = "Minutes of May"
    for document, name in ((word, "a.docx"), (slides, "a.pptx")):
        raw = save(document)
        with ZipFile(io.BytesIO(raw)) as container:
            entries = {entry: container.read(entry) for entry in container.namelist()}
        del entries["docProps/core.xml"]
        relations = entries["_rels/.rels"].decode()
        begin = next(
            at
            for at in range(len(relations))
            if relations.startswith("<Relationship ", at)
            and "core-properties" in relations[at : relations.index(">", at)]
        )
        end = relations.index(">", begin) + 1
        entries["_rels/.rels"] = (relations[:begin] + relations[end:]).encode()
        read_document = read(name, zip_of(entries))
        assert (read_document.title, read_document.metadata) == ("Minutes of May", {})


def test_a_cover_and_the_table_of_contents_are_no_chapters() -> None:
    """As in the reader's own program; a picture that is described in a phrase is text."""
    contents = '<nav epub:type="toc"><ol><li><a href="c1.xhtml">Dawn</a></li></ol></nav>'
    raw = book_of(
        '<img src="cover.png" alt="Cover"/>', "<p>Dawn breaks.</p>", "<p>Noon.</p>", navigation=contents
    )
    raw = raw_with(raw, "OEBPS/book.opf", b"<spine>", b'<spine><itemref idref="n"/>')
    assert [place.name for place in read("a.epub", raw).places] == ["chapter 1", "chapter 2"]
    raw = book_of('<img src="map.png" alt="A map of Kiel"/>', "<p>Dawn breaks.</p>")
    assert [place.name for place in read("a.epub", raw).places] == ["chapter 1", "chapter 2"]


def raw_with(raw: bytes, entry: str, old: bytes, new: bytes) -> bytes:
    """The container with other bytes in one of its entries."""
    with ZipFile(io.BytesIO(raw)) as container:
        entries = {name: container.read(name) for name in container.namelist()}
    assert old in entries[entry]
    return zip_of({**entries, entry: entries[entry].replace(old, new)})


def test_a_colon_in_the_name_of_a_packed_file_is_a_character_like_others() -> None:
    packed = zip_of({"Minutes 10:30.txt": b"Ann Lee was there."})
    unpacked = unpack_container_in_child_process(None, PackedFile(packed, "zip", 1_000_000))
    assert [file.name for file in unpacked.files] == ["Minutes 10:30.txt"]
    unpacked = unpack_container_in_child_process(
        None, PackedFile(zip_of({"C:/x.txt": b"Words."}), "zip", 1_000_000)
    )
    assert [(file.name, file.code) for file in unpacked.refused_files] == [("C:/x.txt", "archive_refused")]


def test_a_header_in_an_encoding_that_it_does_not_name_is_read() -> None:
    mail = "From: Jörg Möller <j@x.org>\nSubject: Grüße aus Köln\n\nBis bald.\n".encode("cp1252")
    document = read("a.eml", mail)
    assert document.title == "Grüße aus Köln"
    assert document.text == "From: Jörg Möller <j@x.org>\nSubject: Grüße aus Köln\n\nBis bald."


def test_a_mail_of_a_mailbox_begins_also_without_an_empty_line_above() -> None:
    mails = (
        b"From ann@x.org Mon Jun 01 10:00:00 2009\nFrom: Ann <ann@x.org>\n\nOne.\nFrom here it is far.\n"
        b"From bob@x.org Mon Jun 01 11:00:00 2009\nFrom: Bob <bob@x.org>\n\nTwo.\n"
    )
    document = read("a.mbox", mails)
    assert [section.speaker for section in document.sections] == [None, "Ann", None, "Bob"]


def test_json_as_programs_write_it() -> None:
    """NaN for what is missing, and one object after another in a file that is appended to."""
    assert read("a.json", b'{"name": "Ann", "age": NaN, "city": "Ulm"}').text == "Ann\ncity: Ulm"
    document = read("a.json", b'{"name": "Ann"}\n{"name":\n "Bob"}\n')
    assert document.text == "Ann\n\nBob"
    assert [place.name for place in document.places] == ["item 1", "item 2"]
    with pytest.raises(InvalidInput, match="line 2"):
        read("a.json", b'{"name": "Ann"}\n{"name":')


def test_colours_of_a_terminal_are_no_text() -> None:
    assert read("a.log", b"\x1b[1;31mAnn\x1b[0m leads Acme.\x1b[K\n").text == "Ann leads Acme.\n"


def test_how_characters_are_read_aloud_is_no_part_of_their_name() -> None:
    page = "<p>\u5c71<ruby>\u7530<rp>(</rp><rt>\u3060</rt><rp>)</rp></ruby>\u3055\u3093</p>"
    assert read("a.html", page.encode()).text == "\u5c71\u7530\u3055\u3093"


def test_a_sheet_that_is_a_chart_is_named() -> None:
    workbook = openpyxl.Workbook()
    sheet = workbook.create_sheet("Sums")
    sheet.append(["Sum", 3])
    chart = BarChart()
    chart.add_data(Reference(sheet, min_col=2, min_row=1))
    workbook.create_chartsheet("Chart").add_chart(chart)
    assert read("a.xlsx", save(workbook)).left_out == ("1 chart sheet: of it no text is read.",)


def test_a_saved_page_that_is_called_a_document_is_read_as_the_page() -> None:
    """A wiki exports its pages so, for Word."""
    raw = (
        b"Date: Tue, 7 Mar 2017 12:00:00 +0000\r\nSubject: Exported\r\nMIME-Version: 1.0\r\n"
        b'Content-Type: multipart/related;\r\n\tboundary="b"\r\n\r\nA page.\r\n'
        b"--b\r\nContent-Type: text/html; charset=UTF-8\r\n"
        b"Content-Location: file:///C:/exported.html\r\n\r\n<h1>Plan</h1><p>Ann leads it.</p>\r\n--b--\r\n"
    )
    document = read("plan.doc", raw)
    assert document.text == "Plan\n\nAnn leads it."
    assert document.places[0].name == "section Plan"
    mail = raw.replace(b"Content-Location: file:///C:/exported.html\r\n", b"")
    assert read("plan.doc", mail).text.startswith("Date:")
