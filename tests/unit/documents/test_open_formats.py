"""Texts, sheets and slides of LibreOffice, and rich text: what is read of them, and what is refused."""

import pytest

from app.documents.chunker import split_into_chunks
from app.documents.format_detection import detect_format_or_refuse
from app.documents.parsing import parse_document
from app.errors import CitegraphError
from tests.support.opendocument_files import opendocument, rows_of

RICH = rb"""{\rtf1\ansi\ansicpg1252\uc1{\fonttbl{\f0\fcharset0 Times;}{\f1\fcharset204 Arial Cyr;}}
{\stylesheet{\s0 Normal;}{\s1\sbasedon0 heading 1;}}{\info{\title Report}{\author Ada}}
{\header Confidential\par}
\pard\s1 Company\par
\pard Acme{\super\chftn{\footnote\pard See the register.}} of Gr\'fc\'dfau \u8364?5 {\v hidden}
{\f1 \'cf\'f0\'e8}\par
{\*\atnauthor Bob}{\*\annotation\pard Is it?}
{\listtext\bullet\tab}one\par {\listtext\bullet\tab}two\par
\pard\trowd\clvmgf\cellx1\cellx2\intbl Name\cell Role\cell\row
\trowd\clvmgf\cellx1\cellx2\intbl Ada\cell CEO\cell\row
\trowd\clvmrg\cellx1\cellx2\intbl\cell CTO\cell\row
\pard After {\field{\*\fldinst{HYPERLINK "http://x.example/"}}{\fldrslt a link}}{\pict 89504e47}\par
{\shp{\*\shpinst{\sp{\sn a}{\sv 3}}{\shptxt\pard In a box\par}}{\shprslt not this}}}"""
NOTE = (
    '<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body>'
    "<text:p>See the register.</text:p></text:note-body></text:note>"
)
COMMENT = "<office:annotation><dc:creator>Bob</dc:creator><text:p>Is it?</text:p></office:annotation>"


def places_of(name: str, raw: bytes) -> dict[str, str]:
    """Each chunk's place by its text."""
    document = parse_document(raw, detect_format_or_refuse(name, None, raw))
    return {draft.text: draft.place or "" for draft in split_into_chunks(document, max_tokens=400)}


def style_of(name: str, properties: str) -> str:
    """A style of that name."""
    return f'<style:style style:name="{name}">{properties}</style:style>'


def code_of(name: str, raw: bytes) -> str:
    """The code with which the file is refused."""
    with pytest.raises(CitegraphError) as refused:
        parse_document(raw, detect_format_or_refuse(name, None, raw))
    return refused.value.code


def test_rich_text_with_its_table_notes_and_margins() -> None:
    document = parse_document(RICH, detect_format_or_refuse("a.rtf", None, RICH))
    assert document.text.split("\n\n") == [
        "Company",
        "Acme of Grüßau €5 При",
        "- one\n- two",
        "Name | Role\nAda | CEO\nAda | CTO",
        "After a link",
        "In a box",
        "See the register.",
        "Is it?",
        "Confidential",
    ]
    assert (document.title, document.metadata) == ("Report", {"author": "Ada"})
    assert [place.name for place in document.places] == [
        "section Company", "footnote 1", "comment 1", "header",
    ]  # fmt: skip
    assert [section.speaker for section in document.sections if section.speaker] == ["Bob"]
    assert document.left_out == ("1 picture: of it no text is read.",)


@pytest.mark.parametrize("name", ["a.rtf", "a.doc", "a.txt", "a"])
def test_rich_text_is_known_by_its_content(name: str) -> None:
    assert detect_format_or_refuse(name, None, RICH) == "rtf"


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (rb"{\rtf1 a{{{{", "a"),
        (rb"{\rtf1 a}}}} b", "a b"),
        (rb"{\rtf1 a\bin999999999 b}", "a"),
        (rb"{\rtf1\uc999999 \u8364 abcdefghijkl}", "€kl"),
        (rb"{\rtf1 \u-10179?\u-8694?\u-10179?}", "\U0001f60a�"),
        (rb"{\rtf1\ansicpg99999 caf\'e9}", "café"),
        (rb"{\rtf1{\object\objocx{\*\objdata 0105}{\result Shown}}}", "Shown"),
    ],
)
def test_broken_rich_text_is_read_as_far_as_it_goes(raw: bytes, text: str) -> None:
    assert parse_document(raw, "rtf").text == text


def test_rich_text_without_end_or_text_is_refused() -> None:
    assert code_of("a.rtf", b"{\\rtf1 " + b"{" * 100_000) == "too_deep"
    assert code_of("a.rtf", b"{\\rtf1 }") == "empty_document"
    assert code_of("a.rtf", b"Hello") == "unsupported_format"


def test_a_text_with_its_table_notes_and_pages() -> None:
    merged = '<table:table-row><table:covered-table-cell/><table:table-cell office:value-type="string">'
    table = rows_of(("Name", "Role")) + rows_of(("Ada", "CEO")).replace(
        "<table:table-cell", '<table:table-cell table:number-rows-spanned="2"', 1
    )
    raw = opendocument(
        "odt",
        "<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes>"
        '<text:h text:outline-level="1">Company</text:h>'
        f'<text:p>Acme<text:s text:c="2"/>was {NOTE}<text:span>founded</text:span>.{COMMENT}</text:p>'
        "<text:list><text:list-item><text:p>one</text:p><text:list><text:list-item><text:p>two</text:p>"
        "</text:list-item></text:list></text:list-item></text:list>"
        f"<table:table>{table}{merged}<text:p>CTO</text:p></table:table-cell></table:table-row></table:table>"
        "<text:soft-page-break/><text:p>On two.<draw:frame><draw:text-box><text:p>In a box</text:p>"
        '</draw:text-box></draw:frame></text:p><text:p text:style-name="P1">On three.</text:p>'
        "<text:p><text:soft-page-break/>On four,<text:soft-page-break/> and five.</text:p>"
        "<text:p>On five.</text:p>",
        styles=style_of("P1", '<style:paragraph-properties fo:break-before="page"/>'),
        **{"Basic/script-lb.xml": "<!DOCTYPE x><x/>", "Configurations2/accelerator/current.xml": ""},
    )
    document = parse_document(raw, detect_format_or_refuse("a.odt", None, raw))
    assert document.text.split("\n\n") == [
        "Company",
        "Acme  was founded.",
        "- one\n- two",
        "Name | Role\nAda | CEO\nAda | CTO",
        "On two.",
        "In a box",
        "On three.",
        "On four, and five.",
        "On five.",
        "See the register.",
        "Is it?",
    ]
    assert [place.name for place in document.places] == [
        "page 1, section Company", "page 2, section Company", "page 3, section Company",
        "page 4, section Company", "page 5, section Company", "footnote 1",
        "comment 1",
    ]  # fmt: skip


def test_rows_of_sheets_are_records_and_titles_above_stand_alone() -> None:
    cell = (
        '<table:table-cell office:value-type="{}" office:value="{}" office:date-value="{}">'
        "<text:p>1.234,50</text:p></table:table-cell>"
    )
    values = (("float", "1234.5", ""), ("percentage", "0.25", ""), ("date", "", "2024-01-02"))
    filled = "".join(cell.format(*value) for value in values)
    twice = rows_of(("Bob",)).replace("row>", "row table:number-rows-repeated='2'>", 1)
    raw = opendocument(
        "ods",
        '<table:table table:name="People" table:style-name="H">'
        f"{rows_of(('Staff',), (), ('Name', 'Salary', 'Share', 'Since'))}"
        f"<table:table-row><table:table-cell>{COMMENT}<text:p>Ada</text:p></table:table-cell>{filled}"
        f"</table:table-row>{twice}<table:table-row table:number-rows-repeated='1048000'>"
        "<table:table-cell table:number-columns-repeated='16384'/></table:table-row></table:table>",
        styles=style_of("H", '<style:table-properties table:display="false"/>'),
    )
    assert places_of("a.ods", raw) == {
        "Staff": "hidden sheet People, row 1",
        "Ada\nSalary: 1.234,50\nShare: 1.234,50\nSince: 2024-01-02": "hidden sheet People, row 4",
        "Bob": "hidden sheet People, row 6",
        "Is it?": "hidden sheet People, comment at A4",
    }


@pytest.mark.parametrize("format", ["odt", "ods"])
def test_what_a_merged_cell_covers_is_not_read(format: str) -> None:
    """No program shows it; in each row stands what the merged cell says, also where that is nothing."""
    rows = "".join(
        f'<table:table-row><table:table-cell table:number-rows-spanned="2"><text:p>{above}</text:p>'
        f"</table:table-cell><table:table-cell><text:p>{first}</text:p></table:table-cell></table:table-row>"
        "<table:table-row><table:covered-table-cell><text:p>hidden</text:p></table:covered-table-cell>"
        f"<table:table-cell><text:p>{second}</text:p></table:table-cell></table:table-row>"
        for above, first, second in (("Oslo", "Ada", "Bob"), ("", "Cid", "Dan"))
    )
    table = f'<table:table table:name="S">{rows_of(("City", "Name"))}{rows}</table:table>'
    document = parse_document(opendocument(format, table), format)
    assert "hidden" not in document.text
    assert document.text.count("Oslo") == 2
    assert all(name in document.text for name in ("Ada", "Bob", "Cid", "Dan"))


def test_slides_with_titles_tables_and_their_notes() -> None:
    def frame(kind: str, *texts: str) -> str:
        paragraphs = "".join(f"<text:p>{text}</text:p>" for text in texts)
        box = f"<draw:text-box>{paragraphs}</draw:text-box>"
        return f'<draw:frame presentation:class="{kind}">{box}</draw:frame>'

    shape = "<draw:g><draw:custom-shape><text:p>In a shape</text:p></draw:custom-shape></draw:g>"
    table = f"<table:table>{rows_of(('Year', 'Sales'), ('2020', '10'))}</table:table>"
    raw = opendocument(
        "odp",
        f"<draw:page>{frame('outline', 'One', 'Two')}{frame('title', 'Plan')}{frame('footer', 'Not this')}"
        f"{shape}{COMMENT}<presentation:notes>{frame('notes', 'Slowly')}</presentation:notes></draw:page>"
        f'<draw:page draw:style-name="H"><draw:frame>{table}</draw:frame></draw:page>',
        styles=style_of("H", '<style:drawing-page-properties presentation:visibility="hidden"/>'),
    )
    document = parse_document(raw, detect_format_or_refuse("a.odp", None, raw))
    assert document.text.split("\n\n") == [
        "Plan", "- One\n- Two", "In a shape", "Slowly", "Is it?", "Year | Sales\n2020 | 10",
    ]  # fmt: skip
    assert [place.name for place in document.places] == [
        "slide 1", "slide 1, notes", "slide 1, comment", "hidden slide 2",
    ]  # fmt: skip


def test_open_documents_that_do_harm_are_refused() -> None:
    entity = opendocument("odt", "<text:p>&a;</text:p>", prologue='<!DOCTYPE d [<!ENTITY a "b">]>')
    assert code_of("a.odt", entity) == "archive_refused"
    deep = "<text:span>" * 5_000 + "x" + "</text:span>" * 5_000
    assert code_of("a.odt", opendocument("odt", f"<text:p>{deep}</text:p>")) == "too_deep"
    locked = opendocument("odt", "x", **{"META-INF/manifest.xml": "<m><encryption-data/></m>"})
    assert code_of("a.odt", locked) == "encrypted_document"
    for attribute, code in (
        ('table:number-rows-repeated="999999999"', "too_many_rows"),
        ('table:number-rows-repeated="50000"', "document_too_large"),
    ):
        row = rows_of(("x" * 101,)).replace("<table:table-row", f"<table:table-row {attribute}")
        assert code_of("a.ods", opendocument("ods", f"<table:table>{row * 2}</table:table>")) == code
    assert code_of("a.ods", opendocument("ods", "<table:table/>")) == "empty_document"
