"""What is read of files as people have them: text, places that a citation can name, encodings."""

import io
import json
import socket
import zipfile
from copy import deepcopy
from datetime import datetime
from email.message import EmailMessage

import docx
import openpyxl
import pptx
import pytest
from docx.oxml import OxmlElement

from app.documents.chunker import find_unchunked_ranges, split_into_chunks
from app.documents.format_detection import detect_format_or_refuse, has_known_extension
from app.documents.parsing import parse_document
from app.documents.shapes import ChunkDraft, ParsedDocument
from app.errors import InvalidInput
from tests.support.document_samples import book_of, pdf_of

GAZPROM = "Компания была основана в 1989 году и владеет трубопроводами."


def read(name: str, raw: bytes, max_tokens: int = 100) -> tuple[ParsedDocument, list[ChunkDraft]]:
    document = parse_document(raw, detect_format_or_refuse(name, None, raw))
    return document, split_into_chunks(document, max_tokens=max_tokens)


def mail_of(text: str, **fields: str) -> EmailMessage:
    mail = EmailMessage()
    for name, value in fields.items():
        mail[name] = value
    mail.set_content(text)
    return mail


def workbook() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Prices"
    for row in (["Name", "Price", "Since"], ["Bolt", 9.5, datetime(2024, 1, 2)], [], ["Nut", 3, "=1+2"]):
        sheet.append(row)
    book.create_sheet("Remark").append(["Only this"])
    stored = io.BytesIO()
    book.save(stored)
    return stored.getvalue()


@pytest.mark.parametrize(
    ("fields", "answered_id"),
    [
        ({"In-Reply-To": "<b@x.org>", "References": "<a@x.org> <c@x.org>"}, "<b@x.org>"),
        ({"References": "<a@x.org>\n <b@x.org>"}, "<b@x.org>"),
        ({"In-Reply-To": 'Your message of Monday <b@x.org> "Plan"'}, "<b@x.org>"),
        ({"References": " ".join(f"<{number}@x.org>" for number in range(999))}, "<998@x.org>"),
        ({"In-Reply-To": "yesterday"}, None),
        ({}, None),
    ],
)
def test_a_mail_names_the_mail_that_it_answers(fields: dict[str, str], answered_id: str | None) -> None:
    header = "".join(f"{name}: {value}\n" for name, value in {"Message-ID": "<m@x.org>", **fields}.items())
    document, _ = read("a.eml", f"From: a@x.org\n{header}\nYes.\n".encode())
    assert document.metadata["message_id"] == "<m@x.org>"
    assert document.metadata.get("in_reply_to") == answered_id


def test_rows_of_a_workbook_are_records_under_their_header() -> None:
    _, chunks = read("a.xlsx", workbook())
    assert [(draft.place, draft.text) for draft in chunks] == [
        ("sheet Prices, row 2", "Bolt\nPrice: 9.5\nSince: 2024-01-02"),
        ("sheet Prices, row 4", "Nut\nPrice: 3"),
        ("sheet Remark, row 1", "Only this"),
    ]


def test_slides_with_titles_tables_and_notes() -> None:
    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[1])
    slide.shapes.title.text = "Plan"
    slide.placeholders[1].text = "First\nSecond"
    slide.notes_slide.notes_text_frame.text = "Say hello."
    slide = show.slides.add_slide(show.slide_layouts[5])
    slide.shapes.title.text = "Numbers"
    table = slide.shapes.add_table(1, 2, 0, 0, 100, 100).table
    table.cell(0, 0).text, table.cell(0, 1).text = "Price", "9.5"
    stored = io.BytesIO()
    show.save(stored)
    document, chunks = read("a.pptx", stored.getvalue())
    assert document.title == "Plan"
    assert [(draft.place, draft.heading_path, draft.text) for draft in chunks] == [
        ("slide 1", ("Plan",), "Plan\n\n- First\n- Second\n\nSay hello."),
        ("slide 2", ("Numbers",), "Numbers\n\nPrice | 9.5"),
    ]


def test_a_mail_has_a_sender_and_a_date_and_what_it_quotes_has_not() -> None:
    quoted = "Hello Bob.\n\nOn Sun, 2 Jun 2024, Bob wrote:\n> Where is the engine?\n"
    mail = mail_of(
        quoted, From="Ada Byron <a@x.org>", Subject="Grüße", Date="Mon, 03 Jun 2024 10:00:00 +0200"
    )
    mail.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="x.pdf")
    mail.add_attachment(mail_of("Inner text.", From="z@x.org", Subject="Inner"))
    document, chunks = read("a.eml", mail.as_bytes())
    assert document.title == "Grüße"
    assert document.metadata["date"] == "2024-06-03T08:00:00+00:00"
    said = {draft.text: (draft.speaker, draft.said_at) for draft in chunks}
    new = said["Hello Bob."]
    assert new[0] == "Ada Byron"
    assert new[1] is not None
    assert new[1].isoformat() == "2024-06-03T08:00:00+00:00"
    assert said["On Sun, 2 Jun 2024, Bob wrote:\nWhere is the engine?"] == (None, None)
    assert said["Inner text."] == ("z@x.org", None)
    # What is attached is a document of its own.
    assert document.left_out == ()


def test_each_mail_of_a_mailbox_has_its_own_sender_and_date() -> None:
    """By its content, whatever the file is called."""
    mails = [
        mail_of("First text.\n\n>From here on.", From="ada@x.org", Date="Mon, 03 Jun 2024 10:00:00 +0000"),
        mail_of("Second text.", From="bob@x.org", Date="Tue, 04 Jun 2024 10:00:00 +0000"),
    ]
    raw = b"\n".join(b"From x@x.org Mon Jun  3 10:00:00 2024\n" + mail.as_bytes() for mail in mails)
    assert detect_format_or_refuse("box.txt", None, raw) == "mbox"
    _, chunks = read("box.mbox", raw)
    by_text = {draft.text: draft for draft in chunks}
    assert by_text["Second text."].place == "message 2"
    assert by_text["Second text."].speaker == "bob@x.org"
    moment = by_text["First text.\n\nFrom here on."].said_at
    assert moment is not None
    assert moment.day == 3


def test_chapters_of_a_book_stand_in_the_order_of_its_spine() -> None:
    document, chunks = read("a.epub", book_of("<h1>One</h1><p>Text one.</p>", "<h1>Two</h1><p>Text two.</p>"))
    assert (document.title, document.metadata["author"]) == ("My Book", "Ada")
    assert [(draft.place, draft.text) for draft in chunks] == [
        ("chapter 1", "One\n\nText one."),
        ("chapter 2", "Two\n\nText two."),
    ]


NAVIGATION = (
    '<nav epub:type="landmarks"><a href="c0.xhtml">Cover</a></nav><nav epub:type="toc"><ol>'
    '<li><a href="c0.xhtml">The Beginning</a></li><li><a href="c1.xhtml#top">The  End</a>'
    '<ol><li><a href="c1.xhtml#later">Later</a></li></ol></li></ol></nav>'
)
NCX = (
    '<?xml version="1.0"?><!DOCTYPE ncx PUBLIC "-//NISO//DTD ncx 2005-1//EN" "http://x.org/ncx.dtd">'
    '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>'
    '<navPoint><navLabel><text>The Beginning</text></navLabel><content src="c0.xhtml"/>'
    '<navPoint><navLabel><text>The End</text></navLabel><content src="c1.xhtml#top"/></navPoint></navPoint>'
    "</navMap></ncx>"
)


@pytest.mark.parametrize(("navigation", "ncx"), [(NAVIGATION, ""), ("", NCX), (NAVIGATION, "<broken")])
def test_a_chapter_without_a_heading_has_that_of_the_table_of_contents(navigation: str, ncx: str) -> None:
    chapters = ("<p>Text one.</p>", "<p>Text two.</p>", "<h2>Notes</h2><p>Text three.</p>")
    _, chunks = read("a.epub", book_of(*chapters, navigation=navigation, ncx=ncx))
    assert [(draft.place, draft.heading_path, draft.text) for draft in chunks] == [
        ("chapter 1", ("The Beginning",), "The Beginning\n\nText one."),
        ("chapter 2", ("The End",), "The End\n\nText two."),
        ("chapter 3", ("The End", "Notes"), "Notes\n\nText three."),
    ]


@pytest.mark.parametrize(
    "ncx",
    [
        "<broken",
        '<!DOCTYPE ncx [<!ENTITY a SYSTEM "file:///etc/passwd">]><ncx><navMap><navPoint><navLabel><text>&a;'
        '</text></navLabel><content src="c0.xhtml"/></navPoint></navMap></ncx>',
        '<ncx><navMap><navPoint><content src="c0.xhtml"/></navPoint></navMap></ncx>',
    ],
)
def test_a_book_with_a_hostile_table_of_contents_is_read_without_it(ncx: str) -> None:
    _, chunks = read("a.epub", book_of("<p>Text one.</p>", ncx=ncx))
    assert [(draft.heading_path, draft.text) for draft in chunks] == [((), "Text one.")]


def test_cells_of_a_notebook() -> None:
    output = {"output_type": "stream", "text": ["1\n"]}
    cells = [
        {"cell_type": "markdown", "source": ["# Title\n", "Some *text*."]},
        {"cell_type": "code", "source": "print(1)", "outputs": [output]},
    ]
    document, chunks = read("a.ipynb", json.dumps({"cells": cells}).encode())
    assert document.title == "Title"
    assert [(draft.place, draft.text) for draft in chunks] == [
        ("cells 1 to 2", "Title\n\nSome text.\n\nprint(1)\n\n1")
    ]


def test_titles_of_restructured_text_are_sections() -> None:
    raw = b"=====\nTitle\n=====\n\nText.\n\nSub\n---\n\n.. include:: /etc/passwd\n\nNext\n----\n\nEnd.\n"
    document, chunks = read("a.rst", raw)
    assert document.title == "Title"
    assert [draft.heading_path for draft in chunks] == [("Title",), ("Title", "Sub"), ("Title", "Next")]
    assert "root:" not in document.text


@pytest.mark.parametrize(
    ("text", "chunks"),
    [
        (
            '<people><person id="1"><name>René</name><job>cook</job></person><person><name>Bo</name></person>'
            "</people>",
            ["René\nid: 1\njob: cook", "Bo"],
        ),
        ("<person><name>René</name><job>cook</job></person>", ["René\njob: cook"]),
        ("<p>Some <b>bold</b> text</p>", ["Some bold text"]),
        # A news feed: the channel is a group, and texts are HTML.
        (
            "<rss version='2.0'><channel><title>Lab</title><link>x.org</link><item><title>One</title>"
            "<description>&lt;p&gt;Of &lt;b&gt;Bo&lt;/b&gt;.&lt;/p&gt;</description></item>"
            "<item><title>Two</title><description><![CDATA[a <br/>b]]></description></item></channel></rss>",
            ["Lab\nlink: x.org", "One\ndescription: Of Bo.", "Two\ndescription: a b"],
        ),
        (
            "<shop><customers><c><name>Bo</name></c><c><name>Cy</name></c></customers>"
            "<orders day='1'><o><id>1</id></o><o><id>2</id></o></orders></shop>",
            ["Bo", "Cy", "day: 1", "id: 1", "id: 2"],
        ),
        # No groups: several of them are records, and texts about code are as they are.
        (
            "<books><book><title>A</title><by><n>Bo</n></by><by><n>Cy</n></by></book><book><title>B</title></book>"
            "</books>",
            ["A\nby.n: Bo\nby.n: Cy", "B"],
        ),
        ("<a><b><c>List&lt;String&gt; x</c><d>1 &lt; 2</d></b></a>", ["c: List<String> x\nd: 1 < 2"]),
    ],
)
def test_xml_is_records_or_prose(text: str, chunks: list[str]) -> None:
    raw = f'<?xml version="1.0" encoding="iso-8859-1"?>{text}'.encode("latin-1")
    assert [draft.text for draft in read("a.xml", raw)[1]] == chunks


WORD, SLIDES = (
    "openxmlformats-officedocument.wordprocessingml",
    "openxmlformats-officedocument.presentationml",
)


def retyped(raw: bytes, old: str, new: str) -> bytes:
    """The Office file with a macro's part, its main part of another type."""
    stored = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as source, zipfile.ZipFile(stored, "w") as target:
        for name in source.namelist():
            part = source.read(name)
            target.writestr(
                name, part.replace(old.encode(), new.encode()) if name == "[Content_Types].xml" else part
            )
        target.writestr("word/vbaProject.bin", b"\xd0\xcf\x11\xe0")
    return stored.getvalue()


@pytest.mark.parametrize(
    ("name", "main_type"),
    [
        ("a.docm", "ms-word.document.macroEnabled"),
        ("a.dotx", f"{WORD}.template"),
        ("a.dotm", "ms-word.template.macroEnabledTemplate"),
    ],
)
def test_of_documents_with_macros_and_of_templates_the_text_is_read(name: str, main_type: str) -> None:
    document = docx.Document()
    document.add_paragraph("Ada founded it.")
    stored = io.BytesIO()
    document.save(stored)
    raw = retyped(stored.getvalue(), f"{WORD}.document.main", f"{main_type}.main")
    assert has_known_extension(name)
    assert read(name, raw)[0].text == "Ada founded it."


@pytest.mark.parametrize(
    ("name", "main_type"),
    [
        ("a.pptm", "ms-powerpoint.presentation.macroEnabled"),
        ("a.ppsx", f"{SLIDES}.slideshow"),
        ("a.ppsm", "ms-powerpoint.slideshow.macroEnabled"),
        ("a.potx", f"{SLIDES}.template"),
        ("a.potm", "ms-powerpoint.template.macroEnabled"),
    ],
)
def test_of_shows_and_of_templates_the_text_is_read(name: str, main_type: str) -> None:
    presentation = pptx.Presentation()
    presentation.slides.add_slide(presentation.slide_layouts[5]).shapes.title.text = "Ada founded it."
    stored = io.BytesIO()
    presentation.save(stored)
    raw = retyped(stored.getvalue(), f"{SLIDES}.presentation.main", f"{main_type}.main")
    assert has_known_extension(name)
    assert read(name, raw)[0].text == "Ada founded it."


def test_the_line_above_a_title_is_nothing_left_out() -> None:
    document, chunks = read("a.rst", b"=====\nPlans\n=====\n\nOne.\n\n-----\nMore\n-----\n\nTwo.\n")
    assert find_unchunked_ranges(document.text, chunks) == []


def test_values_of_json_that_are_no_objects_are_read() -> None:
    _, chunks = read("a.jsonl", b'{"name": "Ann"}\n[1, {"a": "b"}]\n"just text"\n42\nnull\n')
    assert [(draft.place, draft.text) for draft in chunks] == [
        ("line 1", "Ann"),
        ("line 2", "value: 1\nvalue.2.a: b"),
        ("line 3", "just text"),
        ("line 4", "42"),
    ]
    _, chunks = read("a.json", b'["one", {"name": "two"}, 3]')
    assert [draft.text for draft in chunks] == ["one", "two", "3"]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "<rss><channel><title>Lab</title><item><title>A</title></item><item><b/></item></channel></rss>",
            "Lab",
        ),
        ("<feed xmlns='x'><title>Lab</title><entry><title>A</title></entry></feed>", "Lab"),
        ("<books><book><title>A</title></book><book><title>B</title></book></books>", None),
    ],
)
def test_the_title_of_xml_is_that_of_the_whole(text: str, title: str | None) -> None:
    assert read("a.xml", text.encode())[0].title == title


def test_words_of_neighbouring_elements_do_not_run_together() -> None:
    books = "<book><title>One</title><p>Some <em>mixed</em> prose.</p></book><book><title>Two</title></book>"
    _, chunks = read("a.xml", f"<books>{books}</books>".encode())
    assert [draft.text for draft in chunks] == ["One\np: Some mixed prose.", "Two"]


def test_a_document_type_is_no_entity(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it names is never fetched, and what it would have declared is refused where it is used."""
    monkeypatch.setattr(socket, "socket", None)
    opening = '<?xml version="1.0"?>\n<!DOCTYPE article PUBLIC "-//X//Y" "http://127.0.0.1:9/article.dtd">\n'
    _, chunks = read("a.xml", f"{opening}<article>\n<p>Ada <b>founded</b> it.</p>\n</article>".encode())
    assert [(draft.place, draft.text) for draft in chunks] == [("line 4", "Ada founded it.")]
    with pytest.raises(InvalidInput):
        read("a.xml", f"{opening}<article><p>Ada&owned; founded it.</p></article>".encode())


def test_definitions_of_source_code_are_chunks_with_their_line() -> None:
    raw = b"import os\n\n\n@cache\ndef first():\n    return 1\n\n\nclass Second:\n    x = 1\n"
    assert [(draft.place, draft.text) for draft in read("a.py", raw)[1]] == [
        ("line 1", "import os"),
        ("lines 4 to 6", "@cache\ndef first():\n    return 1"),
        ("lines 9 to 10", "class Second:\n    x = 1"),
    ]


MODULE = """import React from "react";
const LIMIT = (3 + 4) * 2;

// Shows a title.
export const Card = ({ title }: Props) => {
  return <h1>{title}</h1>;
};
const sum = async function (a, b) {
  return a + b;
};
export const Wide = React.memo(
  (props) => <p>{props.text}</p>,
);
export default () => <Card title="x" />;
"""


def test_functions_that_are_values_are_definitions() -> None:
    assert [(draft.place, draft.text.partition("\n")[0]) for draft in read("a.tsx", MODULE.encode())[1]] == [
        ("lines 1 to 2", 'import React from "react";'),
        ("lines 4 to 7", "// Shows a title."),
        ("lines 8 to 10", "const sum = async function (a, b) {"),
        ("lines 11 to 13", "export const Wide = React.memo("),
        ("line 14", 'export default () => <Card title="x" />;'),
    ]


@pytest.mark.parametrize(
    ("head", "member", "end"),
    [
        ("export class Store {", "  /** {0} */\n  async {0}(item: Item) {{\n    {1}\n  }}\n", "}\n"),
        ("class Store(Base):", "    @cache\n    def {0}(self) -> int:\n        {1}\n", ""),
        ("public class Store {", "    public int {0}(int item) {{\n        {1}\n    }}\n", "}\n"),
        ("class Store {", "  {0} = (item) => {{\n    {1}\n  }}\n", "}\n"),
    ],
)
def test_members_of_a_long_class_are_definitions_below_its_name(head: str, member: str, end: str) -> None:
    words = ("first", "second", "third")
    members = [member.format(word, "call(item);" * 60) for word in words]
    document = parse_document("\n".join((head, *members, end)).encode(), "code")
    texts = [document.text[section.start : section.end] for section in document.sections]
    assert [section.heading_path for section in document.sections] == [(head,)] * 3
    assert texts[0].startswith(head)
    for text, word in zip(texts, words, strict=True):
        assert word in text
        assert text.count("call(") == 60
    short_members = [member.format(word, "call(item);") for word in words]
    assert len(parse_document("\n".join((head, *short_members, end)).encode(), "code").sections) == 1


def places_of(name: str, raw: bytes) -> dict[str, str]:
    """The place of each block by its first word."""
    document = parse_document(raw, detect_format_or_refuse(name, None, raw))
    return {document.text[place.start :].split()[0]: place.name for place in document.places}


def test_lines_are_those_that_an_editor_counts() -> None:
    raw = b"One.\r\n\r\nTwo.\x0c\r\nThree.\rFour.\nFive.\n"
    assert places_of("a.txt", raw) == {
        "One.": "line 1", "Two.": "line 3", "Three.": "line 4", "Four.": "line 5", "Five.": "line 6"
    }  # fmt: skip


def test_lines_of_markdown_are_those_of_the_file() -> None:
    raw = (
        b"---\nauthor: Nobody\n---\n# Top\n\nOne *goes*\n**over** two lines.\n\n- Two\n- Three\n\n| A | B |\n"
        b"|---|---|\n| Four | 4 |\n\n```\nFive = 5\n\nSix = 6\n```\n\n> Seven.\n"
    )
    assert places_of("a.md", raw) == {
        "author:": "line 2", "Top": "line 4", "One": "line 6", "over": "line 7", "-": "line 10",
        "A": "line 12", "Four": "line 14", "Five": "line 17", "Six": "line 19", "Seven.": "line 22",
    }  # fmt: skip
    _, chunks = read("a.md", raw)
    assert [draft.place for draft in chunks] == ["line 2", "lines 4 to 22"]


def test_lines_of_deep_markdown_are_those_of_the_file() -> None:
    deep = "> " * 20
    document = parse_document(f"Top.\n\n{deep}Deep.\n{deep}More.\n\nLast.\n".encode(), "markdown")
    assert [place.name for place in document.places] == ["line 1", "line 3", "line 4", "line 6"]


@pytest.mark.parametrize(
    "letters", ["e&#x301;", "&#x7f;&#xfeff;o", "&#13;&#10;o", f"o{'&#x301;' * 40}", "&#x1b;o&#x1b;"]
)
def test_lines_of_markdown_hold_beside_letters_written_as_numbers(letters: str) -> None:
    """What is written so is cleaned like the rest, and may be shorter then."""
    table = f"| A | B |\n|---|---|\n| {letters} | 1 |\n| Two | 2 |\n".encode()
    assert places_of("a.md", table)["Two"] == "line 4"
    paragraph = f"One {letters} here.\nTwo.\n\nThree.\n".encode()
    assert places_of("a.md", paragraph).keys() <= {"One", "Two.", "Three."}


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_the_lines_of_the_declaration_of_xml_are_counted(line_end: str) -> None:
    lines = ["<?xml", "  version='1.0'", "?>", "<notes>", "<p>One.</p>", "<p><q>Two.</q></p>", "</notes>"]
    assert places_of("a.xml", line_end.join(lines).encode()) == {"One.": "line 5", "q:": "line 6"}


def test_what_stands_under_no_heading_is_counted() -> None:
    raw = b"<p>One.</p><table><tr><td>Two</td></tr></table><p>Three.</p><h2>Four</h2><p>Five.</p>"
    assert places_of("a.html", raw) == {
        "One.": "paragraph 1", "Two": "table 1", "Three.": "paragraph 2", "Four": "section Four"
    }  # fmt: skip


def test_the_pages_of_word_are_those_that_it_noted() -> None:
    document = docx.Document()
    for text in ("One.", "Two.", "Three."):
        document.add_paragraph(text)
    document.add_heading("Four", level=1)
    document.add_paragraph("Five.")
    mark = OxmlElement("w:lastRenderedPageBreak")
    document.paragraphs[1].runs[0]._r.append(mark)
    document.paragraphs[4].runs[0]._r.insert(0, deepcopy(mark))
    stored = io.BytesIO()
    document.save(stored)
    assert places_of("a.docx", stored.getvalue()) == {
        "One.": "page 1", "Three.": "page 2", "Four": "page 2, section Four", "Five.": "page 3, section Four"
    }  # fmt: skip


def test_pages_of_a_pdf() -> None:
    raw = pdf_of(["The first page."], ["The second page."], ["The third page."])
    document, chunks = read("a.pdf", raw)
    assert [draft.place for draft in chunks] == ["pages 1 to 3"]
    assert [document.text[place.start :][:9] for place in document.places] == [
        "The first",
        "The secon",
        "The third",
    ]
    assert [place.name for place in document.places] == ["page 1", "page 2", "page 3"]


def test_a_scan_is_refused_with_what_to_do() -> None:
    with pytest.raises(InvalidInput, match="OCR"):
        parse_document(pdf_of([]), "pdf")


@pytest.mark.parametrize(
    ("name", "file", "told", "text"),
    [
        ("utf-8", "a.txt", "utf-8", "Müller gründete die Firma."),
        ("utf-16", "a.txt", "utf-16", "Müller gründete die Firma."),
        ("latin-1", "a.txt", "cp1252", "Le café est à côté de la gare, où François a été élevé."),
        ("cp1252", "a.csv", "cp1252", "name,ort\nMüller,„Köln“ – groß"),
        (
            "cp1250",
            "a.txt",
            "cp1250",
            "Łukasz Żółć mieszka w Łodzi i pracuje w firmie Węgiel. Źródło jest nieznane, ćma leci.",
        ),
        ("cp1251", "a.txt", "cp1251", f"Газпром объявил о строительстве нового завода в Москве. {GAZPROM}"),
        ("koi8-r", "a.md", "koi8-r", f"Газпром объявил о строительстве нового завода в Москве. {GAZPROM}"),
        (
            "shift_jis",
            "a.txt",
            "cp932",
            "東京に本社を置くソニーは井深大によって設立されました。ゲーム機を作っています。",
        ),
        ("gbk", "a.txt", "gb18030", "马云创立了阿里巴巴。阿里巴巴总部位于杭州。公司成立于一九九九年。"),
        ("euc-kr", "a.txt", "cp949", "삼성전자는 이병철이 설립하였다. 본사는 수원에 있다."),
    ],
)
def test_encodings_are_told_apart_and_named(name: str, file: str, told: str, text: str) -> None:
    """By the mark, as UTF-8, else by what the bytes look like."""
    raw = text.encode(name)
    document = parse_document(raw, detect_format_or_refuse(file, None, raw))
    assert document.encoding == told
    assert (
        document.text
        == parse_document(text.encode(), detect_format_or_refuse(file, None, text.encode())).text
    )


def test_a_page_says_its_encoding_itself() -> None:
    raw = b'<meta charset="gbk"><p>' + "马云创立了阿里巴巴".encode("gbk")
    document = parse_document(raw, "html")
    assert (document.text, document.encoding) == ("马云创立了阿里巴巴", "gb18030")


def test_a_declaration_that_is_untrue_does_no_harm() -> None:
    document = parse_document('<meta charset="iso-8859-1"><p>Müller'.encode(), "html")
    assert (document.text, document.encoding) == ("Müller", "utf-8")


def test_the_table_behind_a_chart_is_no_reason_to_refuse() -> None:
    """A presentation carries the workbook of each of its charts."""
    show = pptx.Presentation()
    show.slides.add_slide(show.slide_layouts[5]).shapes.title.text = "Numbers"
    stored = io.BytesIO()
    show.save(stored)
    with zipfile.ZipFile(stored, "a") as container:
        container.writestr("ppt/embeddings/Sheet1.xlsx", workbook())
    assert read("a.pptx", stored.getvalue())[0].text == "Numbers"


@pytest.mark.parametrize(
    ("items", "text"),
    [
        ("<dt>Owner</dt><dd>Ann Lee</dd><dt>State</dt><dd>open</dd>", "Owner: Ann Lee\nState: open"),
        (
            "<dt>Pump</dt><dd>It lifts water.</dd><dt>Well</dt><dd>A hole.</dd>",
            "Pump\n\nIt lifts water.\n\nWell\n\nA hole.",
        ),
        ("<dt>A</dt><dt>B</dt><dd>one</dd><dt>C</dt><dd>two</dd>", "A\n\nB\n\none\n\nC\n\ntwo"),
        ("<dt>A</dt><dd><ul><li>x</li></ul></dd><dt>B</dt><dd>y</dd>", "A\n\n- x\n\nB\n\ny"),
        ("<dt>A</dt><dd><h2>H</h2>x</dd><dt>B</dt><dd>y</dd>", "A\n\nH\n\nx\n\nB\n\ny"),
        ("<dt>A</dt><dd>x<dl><dt>B</dt><dd>y</dd><dt>C</dt><dd>z</dd></dl></dd>", "A\n\nx\n\nB: y\nC: z"),
        ("<dt hidden>A</dt><dd>x</dd><dt>B</dt><dd>y</dd>", "x\n\nB\n\ny"),
    ],
)
def test_a_description_list_is_lines_of_fields_if_each_is_a_term_and_its_value(items: str, text: str) -> None:
    document = parse_document(f"<html><dl>{items}</dl><p>End.</p></html>".encode(), "html")
    assert document.text == f"{text}\n\nEnd."


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        # Beside another cell the list is the value of a column.
        (
            "<tr><td>Pump</td><td><dl><dt>Owner:</dt><dd>Ann</dd><dd>Bo</dd><dt>State</dt><dd>open</dd></dl></td>"
            "<td>Ulm</td></tr>",
            "Pump | Owner: Ann, Bo; State: open | Ulm",
        ),
        (
            "<tr><td>Pump</td><td>Has <dl><dt>A</dt><dd><ul><li>x</li><li>y</li></ul></dd><dt>B</dt></dl>",
            "Pump | Has A: x; y; B",
        ),
        ("<tr><td>Pump</td><td><dl><dd>x</dd><dt></dt><dd>y</dd></dl></td></tr>", "Pump | x; y"),
        # A table that only arranges the page leaves it as it is.
        (
            "<tr><td><dl><dt>Owner</dt><dd>Ann</dd><dt>State</dt><dd>open</dd></dl></td></tr>",
            "Owner: Ann\nState: open",
        ),
        ("<tr><td><dl><dt>Pump</dt><dd>Lifts.</dd></dl></td><td>Ulm</td></tr>", "Pump\n\nLifts.\n\nUlm"),
    ],
)
def test_a_description_list_in_a_cell(rows: str, text: str) -> None:
    document = parse_document(f"<html><table>{rows}</table><p>End.</p></html>".encode(), "html")
    assert document.text == f"{text}\n\nEnd."
