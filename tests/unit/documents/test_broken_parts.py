"""Broken parts of a file are named and the others are read; where most are broken, the file is refused."""

import io
import struct
import zipfile

import docx
import openpyxl
import pptx
import pytest

from app.documents.format_registry import FORMATS
from app.documents.parsers.limits import ParseLimits
from app.documents.shapes import ParsedDocument
from app.errors import InvalidInput
from tests.support.document_samples import pdf_of

LIMITS = ParseLimits(1_000_000, 10_000, 100_000)
MAIL = "From a@b.org Mon Jan  1 10:00:00 2024\nFrom: Ann <a@b.org>\nSubject: {0}\n\nWords of {0}.\n\n"


def read(format: str, raw: bytes) -> ParsedDocument:
    return FORMATS[format].parse(raw, LIMITS)


def break_stream(raw: bytes, name: str) -> bytes:
    """The container with the packed bytes of this entry changed."""
    broken = bytearray(raw)
    with zipfile.ZipFile(io.BytesIO(raw)) as container:
        entry = container.getinfo(name)
    begin = entry.header_offset + 30 + sum(struct.unpack_from("<HH", raw, entry.header_offset + 26))
    for index in range(begin, begin + entry.compress_size):
        broken[index] ^= 0xFF
    return bytes(broken)


def replace_part(raw: bytes, name: str, content: bytes) -> bytes:
    rewritten = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as container, zipfile.ZipFile(rewritten, "w") as copy:
        for entry in container.namelist():
            copy.writestr(entry, content if entry == name else container.read(entry))
    return rewritten.getvalue()


def break_pages(raw: bytes, *numbers: int) -> bytes:
    """The PDF in which the pages of these numbers show a string that is none."""
    for number in numbers:
        raw = raw.replace(b"(Page %d" % number, b"<Page %d" % number)
    return raw


def workbook() -> bytes:
    book = openpyxl.Workbook()
    del book[book.sheetnames[0]]
    for title in ("Prices", "People", "Places"):
        sheet = book.create_sheet(title)
        for row in (("Name", "Value"), (f"first of {title}", 1), (f"second of {title}", 2)):
            sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def slides() -> bytes:
    show = pptx.Presentation()
    for number in (1, 2, 3):
        show.slides.add_slide(show.slide_layouts[5]).shapes.title.text = f"Slide {number} speaks."
    out = io.BytesIO()
    show.save(out)
    return out.getvalue()


def book() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as container:
        container.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        container.writestr(
            "META-INF/container.xml",
            '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
            '<rootfile full-path="p.opf"/></rootfiles></container>',
        )
        items = "".join(
            f'<item id="c{n}" href="c{n}.xhtml" media-type="application/xhtml+xml"/>' for n in (1, 2, 3)
        )
        refs = "".join(f'<itemref idref="c{n}"/>' for n in (1, 2, 3))
        container.writestr(
            "p.opf",
            '<package xmlns="http://www.idpf.org/2007/opf"><manifest>'
            f"{items}</manifest><spine>{refs}</spine></package>",
        )
        for n in (1, 2, 3):
            container.writestr(
                f"c{n}.xhtml", f"<html><body><p>{f'Chapter {n} speaks. ' * 20}</p></body></html>"
            )
    return out.getvalue()


def test_pages_of_a_pdf() -> None:
    raw = pdf_of(*(["", f"Page {number} says something."] for number in range(1, 7)))
    document = read("pdf", break_pages(raw, 2, 5))
    assert "Page 1 says" in document.text
    assert "Page 6 says" in document.text
    assert document.left_out == ("Damaged and not read: page 2, page 5.",)
    assert [place.name for place in document.places] == ["page 1", "page 3", "page 4", "page 6"]


def test_a_pdf_of_which_most_pages_are_broken_is_refused() -> None:
    raw = pdf_of(*(["", f"Page {number} says something."] for number in range(1, 7)))
    with pytest.raises(InvalidInput, match=r"4 of its 6 pages") as refused:
        read("pdf", break_pages(raw, 1, 2, 3, 4))
    assert refused.value.code == "damaged_document"


def test_a_mail_of_a_mailbox() -> None:
    too_many_parts = (
        "From a@b.org Mon Jan  1 10:00:00 2024\nFrom: Ann <a@b.org>\nMIME-Version: 1.0\n"
        'Content-Type: multipart/mixed; boundary="x"\n\n' + "--x\n\nword\n" * 1_200 + "--x--\n\n"
    )
    document = read("mbox", (MAIL.format("one") + too_many_parts + MAIL.format("three")).encode())
    assert "Words of one." in document.text
    assert "Words of three." in document.text
    assert document.left_out == ("Damaged and not read: message 2.",)


@pytest.mark.parametrize("break_part", [break_stream, lambda raw, name: replace_part(raw, name, b"<sheet")])
def test_a_sheet_of_a_workbook(break_part: object) -> None:
    document = read("xlsx", break_part(workbook(), "xl/worksheets/sheet2.xml"))  # type: ignore[operator]
    assert "first of Prices" in document.text
    assert "second of Places" in document.text
    assert document.left_out == (
        "Damaged and not read: xl/worksheets/sheet2.xml.",
        "The sheet People is damaged and was not read.",
    )


def test_a_slide() -> None:
    document = read("pptx", break_stream(slides(), "ppt/slides/slide2.xml"))
    assert "Slide 1 speaks." in document.text
    assert "Slide 3 speaks." in document.text
    assert document.left_out == ("Damaged and not read: ppt/slides/slide2.xml.",)


def test_a_chapter_of_a_book() -> None:
    document = read("epub", break_stream(book(), "c2.xhtml"))
    assert "Chapter 1 speaks." in document.text
    assert "Chapter 3 speaks." in document.text
    assert document.left_out == ("Damaged and not read: c2.xhtml.",)


@pytest.mark.parametrize(
    ("format", "raw", "names"),
    [
        ("xlsx", workbook(), ["xl/worksheets/sheet1.xml", "xl/worksheets/sheet2.xml"]),
        ("xlsx", workbook(), ["xl/workbook.xml"]),
        ("pptx", slides(), ["ppt/slides/slide1.xml", "ppt/slides/slide2.xml"]),
        ("epub", book(), ["c1.xhtml", "c3.xhtml"]),
    ],
)
def test_what_is_mostly_broken_is_refused(format: str, raw: bytes, names: list[str]) -> None:
    for name in names:
        raw = break_stream(raw, name)
    with pytest.raises(InvalidInput) as refused:
        read(format, raw)
    assert refused.value.code == "damaged_document"


def test_a_word_document_without_its_text_is_refused() -> None:
    document = docx.Document()
    document.add_paragraph("Words.")
    out = io.BytesIO()
    document.save(out)
    with pytest.raises(InvalidInput) as refused:
        read("docx", break_stream(out.getvalue(), "word/document.xml"))
    assert refused.value.code == "damaged_document"


def test_entities_in_one_part_refuse_the_whole() -> None:
    hostile = b'<!DOCTYPE w [<!ENTITY e "x">]><worksheet>&e;</worksheet>'
    with pytest.raises(InvalidInput) as refused:
        read("xlsx", replace_part(workbook(), "xl/worksheets/sheet2.xml", hostile))
    assert refused.value.code == "archive_refused"


def test_a_line_of_json_lines() -> None:
    document = read("jsonl", b'{"name": "Ann"}\n{"name": broken\n[1\n{"name": "Ben"}\n')
    assert document.text == "Ann\n\nBen"
    assert document.left_out == ("Damaged and not read: line 2, line 3.",)


def test_of_many_broken_parts_fifty_are_named() -> None:
    lines = b'{"name": "Ann"}\n' * 60 + b"{\n" * 60
    (sentence,) = read("jsonl", lines).left_out
    assert sentence.endswith("line 110 and 10 further parts.")
