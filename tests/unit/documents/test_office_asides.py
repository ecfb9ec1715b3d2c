"""What stands beside the text of office documents is read, each at its own place, or named as left out."""

import io
import json
import time
from datetime import datetime
from typing import Any

import docx
import openpyxl
import pptx
import pytest
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml.parser import parse_xml
from openpyxl.comments import Comment
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.opc.package import Part as SlidePart
from pptx.opc.packuri import PackURI as SlideUri
from pptx.util import Inches
from pypdf import PdfWriter
from pypdf.annotations import Text as Note
from pypdf.generic import DictionaryObject, NameObject, TextStringObject

from app.documents.parsing import parse_document
from app.documents.shapes import ParsedDocument
from tests.support.document_samples import pdf_of

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
NAMESPACES = (
    f'xmlns:w="{WORD}" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    ' xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
    ' xmlns:v="urn:schemas-microsoft-com:vml"'
)


def places_of(document: ParsedDocument) -> dict[str, str]:
    """The first line that stands at each place, by the place."""
    ends = [place.start for place in document.places[1:]] + [len(document.text)]
    return {
        place.name: document.text[place.start : end].strip().partition("\n")[0]
        for place, end in zip(document.places, ends, strict=True)
    }


def word(*body: str, parts: dict[str, str] | None = None) -> ParsedDocument:
    """What is read of a Word document with these elements in its body and these parts beside it."""
    document = docx.Document()
    end: Any = document.element.body[-1]
    for xml in body:
        end.addprevious(parse_xml(xml.replace(">", f" {NAMESPACES}>", 1)))
    for kind, xml in (parts or {}).items():
        name = PackURI(f"/word/{kind}.xml")
        root = f"<w:{kind} {NAMESPACES}>{xml}</w:{kind}>".encode()
        part = Part(name, f"application/vnd.openxmlformats-officedocument.wordprocessingml.{kind}+xml", root)
        document.part.relate_to(part, getattr(RELATIONSHIP_TYPE, kind.upper()))
    return saved(document)


def saved(document: Any) -> ParsedDocument:
    """What is read of the document once it is saved."""
    stored = io.BytesIO()
    document.save(stored)
    return parse_document(stored.getvalue(), "docx")


def run(text: str) -> str:
    """A run of Word's text."""
    return f"<w:r><w:t>{text}</w:t></w:r>"


class TestWord:
    @pytest.mark.parametrize(
        ("body", "text"),
        [
            (f"<w:sdt><w:sdtContent><w:p>{run('Ada')}</w:p></w:sdtContent></w:sdt>", "Ada"),
            (f'<w:p>{run("Ada")}<w:ins w:id="1">{run(" met")}</w:ins>{run(" Bob.")}</w:p>', "Ada met Bob."),
            (f'<w:p>{run("Ada")}<w:del w:id="1"><w:r><w:delText> x</w:delText></w:r></w:del></w:p>', "Ada"),
            (f'<w:p>{run("On ")}<w:fldSimple w:instr="DATE">{run("1 May")}</w:fldSimple></w:p>', "On 1 May"),
            (f"<w:p><w:smartTag>{run('Ada')}</w:smartTag>{run(' met')}</w:p>", "Ada met"),
            (
                "<w:p><m:oMath><m:r><m:t>E=m</m:t></m:r><m:sSup><m:e><m:r><m:t>c</m:t></m:r></m:e>"
                "<m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath></w:p>",
                "E=mc^2",
            ),
            (
                f"<w:tbl><w:tr><w:trPr><w:del/></w:trPr><w:tc><w:p>{run('Gone')}</w:p></w:tc></w:tr>"
                f"<w:sdt><w:sdtContent><w:tr><w:tc><w:p>{run('Ada')}</w:p></w:tc></w:tr></w:sdtContent></w:sdt>"
                "</w:tbl>",
                "Ada",
            ),
        ],
        ids=["content control", "inserted", "deleted", "field", "smart tag", "formula", "rows"],
    )
    def test_text_is_read_whatever_stands_around_it(self, body: str, text: str) -> None:
        assert word(body).text == text

    def test_a_text_box_is_read_once_after_its_paragraph(self) -> None:
        box = f"<w:txbxContent><w:p>{run('In a box.')}</w:p></w:txbxContent>"
        document = word(
            f"<w:p>{run('Around it.')}<w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing>"
            f"<wps:txbx>{box}</wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox>{box}</v:textbox></w:pict>"
            "</mc:Fallback></mc:AlternateContent></w:r></w:p>",
            f"<w:p>{run('Below it.')}</w:p>",
        )
        assert document.text == "Around it.\n\nIn a box.\n\nBelow it."
        assert places_of(document)["text box 1"] == "In a box."

    def test_notes_are_numbered_as_the_text_refers_to_them(self) -> None:
        notes = "".join(
            f'<w:footnote w:id="{number}"><w:p>{run(text)}</w:p></w:footnote>'
            for number, text in [(7, "The second."), (9, "The first.")]
        )
        marks = "".join(f'<w:r><w:footnoteReference w:id="{number}"/></w:r>' for number in (9, 7))
        document = word(
            f"<w:p>{run('Text.')}{marks}<w:r><w:endnoteReference w:id='2'/></w:r></w:p>",
            parts={
                "footnotes": f'<w:footnote w:type="separator" w:id="0"><w:p/></w:footnote>{notes}',
                "endnotes": f"<w:endnote w:id='2'><w:p>{run('The end.')}</w:p></w:endnote>",
            },
        )
        assert places_of(document) == {
            "paragraph 1": "Text.",
            "footnote 1": "The first.",
            "footnote 2": "The second.",
            "endnote 1": "The end.",
        }

    def test_a_comment_is_what_its_author_said_of_these_words(self) -> None:
        document = docx.Document()
        paragraph = document.add_paragraph("The price is ")
        words = paragraph.add_run("nine dollars")
        document.add_comment(words, text="It was ten.", author="Ana Ruiz", initials="AR")
        parsed = saved(document)
        assert places_of(parsed)["comment 1 on “nine dollars”"] == "It was ten."
        assert parsed.sections[-1].speaker == "Ana Ruiz"
        assert parsed.sections[-1].said_at is not None

    def test_headers_and_footers_are_read_once_and_below_no_heading(self) -> None:
        document = docx.Document()
        document.add_heading("Scope", 1)
        document.add_paragraph("The scope is small.")
        document.sections[0].header.paragraphs[0].text = "Harbour Works Ltd, confidential"
        document.sections[0].footer.paragraphs[0].text = "3 / 4"
        second = document.add_section()
        second.header.is_linked_to_previous = False
        second.header.paragraphs[0].text = "Harbour Works Ltd, confidential"
        parsed = saved(document)
        assert parsed.text.count("confidential") == 1
        assert places_of(parsed)["header"] == "Harbour Works Ltd, confidential"
        assert parsed.sections[-1].heading_path == ()
        assert "footer" not in places_of(parsed)


class TestPowerPoint:
    def test_charts_groups_notes_and_comments_are_read_at_their_slide(self) -> None:
        deck = pptx.Presentation()
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        slide.shapes.title.text = "Sales"
        data: Any = CategoryChartData()  # type: ignore[no-untyped-call]
        data.categories = ["Oslo", "Bergen"]
        data.add_series("2023", (10, 20))
        data.add_series("2024", (30, 40.5))
        size = (Inches(1), Inches(1), Inches(3), Inches(3))
        chart = slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *size, data).chart
        chart.has_title = True
        chart.chart_title.text_frame.text = "Sales by city"
        slide.shapes.add_group_shape().shapes.add_textbox(0, 0, 9, 9).text_frame.text = "In a group."
        slide.notes_slide.notes_text_frame.text = "Say this."
        hidden = deck.slides.add_slide(deck.slide_layouts[5])
        hidden.shapes.title.text = "Kept back"
        hidden._element.set("show", "0")
        self.relate(deck.part, deck, "commentAuthors", '<p:cmAuthor id="0" name="Ana"/>', "cmAuthorLst")
        comment = '<p:cm authorId="0" dt="2024-05-06T07:08:09"><p:text>Which year?</p:text></p:cm>'
        self.relate(slide.part, deck, "comments", comment, "cmLst")
        stored = io.BytesIO()
        deck.save(stored)
        parsed = parse_document(stored.getvalue(), "pptx")
        assert "Sales by city\n| | 2023 | 2024\nOslo | 10 | 30\nBergen | 20 | 40.5" in parsed.text
        assert places_of(parsed) == {
            "slide 1": "Sales",
            "slide 1, notes": "Say this.",
            "slide 1, comment": "Which year?",
            "hidden slide 2": "Kept back",
        }
        assert "In a group." in parsed.text
        assert "Ana" in [section.speaker for section in parsed.sections]

    @staticmethod
    def relate(part: Any, deck: Any, kind: str, xml: str, root: str) -> None:
        """Add a part of this kind, to which the other leads."""
        namespace = "http://schemas.openxmlformats.org/presentationml/2006/main"
        added = SlidePart(
            SlideUri(f"/ppt/{kind}.xml"),
            f"application/vnd.openxmlformats-officedocument.presentationml.{kind}+xml",
            deck.part.package,
            f'<p:{root} xmlns:p="{namespace}">{xml}</p:{root}>'.encode(),
        )
        part.relate_to(added, f"http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}")


class TestExcel:
    def test_hidden_sheets_merged_cells_comments_and_missing_results(self) -> None:
        workbook = openpyxl.Workbook()
        sheet: Any = workbook.active
        sheet.title = "Prices"
        for row in (["Region", "City", "Share", "Sum"], ["North", "Oslo", 0.255, "=C2*2"], [None, "Bergen"]):
            sheet.append(row)
        sheet.append(["South", "Rome", datetime(2024, 5, 6)])
        sheet.merge_cells("A2:A3")
        sheet["C2"].number_format = "0.0%"
        sheet["B2"].comment = Comment("Check this city.", "Ana")
        codes = workbook.create_sheet("Codes")
        codes.sheet_state = "hidden"
        codes.append(["Code", "Name"])
        codes.append(["X1", "Harbour"])
        stored = io.BytesIO()
        workbook.save(stored)
        parsed = parse_document(stored.getvalue(), "xlsx")
        assert "Region: North\nCity: Oslo\nShare: 25.5%" in parsed.text
        assert "Region: North\nCity: Bergen" in parsed.text
        assert "Region: South\nCity: Rome\nShare: 2024-05-06" in parsed.text
        assert places_of(parsed)["sheet Prices, comment at B2"] == "Check this city."
        assert places_of(parsed)["hidden sheet Codes, row 2"] == "Harbour"
        assert [section.speaker for section in parsed.sections if section.speaker] == ["Ana"]
        assert [note.partition(":")[0] for note in parsed.left_out] == [
            "1 formula of the sheet Prices without a result"
        ]


class TestOthers:
    def test_notes_and_filled_fields_of_a_pdf_stand_at_their_page(self) -> None:
        writer = PdfWriter(clone_from=io.BytesIO(pdf_of(["The price is nine."], ["It is fair."])))
        writer.add_annotation(1, Note(text="It was ten in May.", rect=(1, 1, 9, 9)))
        named = {"/Subtype": "/Widget", "/FT": "/Tx"}
        field = DictionaryObject({NameObject(key): NameObject(value) for key, value in named.items()})
        field |= {NameObject("/T"): TextStringObject("Owner"), NameObject("/V"): TextStringObject("Ada")}
        annotations: Any = writer.pages[1]["/Annots"]
        annotations.append(field)
        stored = io.BytesIO()
        writer.write(stored)
        parsed = parse_document(stored.getvalue(), "pdf")
        assert places_of(parsed) == {
            "page 1": "The price is nine.",
            "page 2": "It is fair.",
            "page 2, note": "It was ten in May.",
            "page 2, form": "Owner: Ada",
        }

    def test_an_invitation_is_read_as_people_see_it(self) -> None:
        lines = [
            "From: Ana <a@x.org>",
            "Content-Type: text/calendar; charset=utf-8",
            "",
            "BEGIN:VCALENDAR",
            "SUMMARY:Board meeting",
            "DTSTART:20240506T070809Z",
            "LOCATION:Room 4\\, Oslo",
            "ORGANIZER;CN=Ana Ruiz:mailto:ana@x.org",
            "DESCRIPTION:Bring the",
            "  figures.",
            "END:VCALENDAR",
        ]
        assert parse_document("\r\n".join(lines).encode(), "eml").text.split("\n\n", 1)[1] == (
            "Subject: Board meeting\nStart: 2024-05-06 07:08 UTC\nPlace: Room 4, Oslo\nOrganizer: Ana Ruiz\n"
            "Description: Bring the figures."
        )

    def test_lines_that_a_mail_program_broke_are_joined(self) -> None:
        mail = (
            "From: Ana <a@x.org>\r\nContent-Type: text/plain; format=flowed\r\n\r\n"
            "The harbour of \r\nOslo was bought \r\nby Ada.\r\n> Who \r\n> bought it?\r\n-- \r\nAna\r\n"
        )
        parsed = parse_document(mail.encode(), "eml")
        assert "The harbour of Oslo was bought by Ada.\n-- \nAna" in parsed.text
        assert parsed.text.endswith("Who bought it?")

    def test_what_nobody_sees_of_a_page_is_no_text(self) -> None:
        page = '<p>Seen.<p hidden>Secret.<p>Also<div style="color:red; display : none"><p>None</div><p>Last.'
        assert parse_document(page.encode(), "html").text == "Seen.\n\nAlso\n\nLast."

    def test_what_is_invisible_is_no_text_unless_something_in_it_shows_itself(self) -> None:
        page = '<p>Seen.<div style="Visibility: hidden"><p>Secret.</div>'
        assert parse_document(page.encode(), "html").text == "Seen."
        page = page.replace("<p>Secret", '<p style="visibility: visible">Secret')
        assert parse_document(page.encode(), "html").text == "Seen.\n\nSecret."

    @pytest.mark.parametrize("style", ["--display:none", "x-display: none", "display:inline; color:none"])
    def test_a_page_shows_what_other_properties_say(self, style: str) -> None:
        assert parse_document(f'<p style="{style}">Seen.'.encode(), "html").text == "Seen."

    def test_errors_and_tables_that_a_notebook_shows_are_read_and_its_pictures_named(self) -> None:
        outputs = [
            {"output_type": "error", "ename": "ZeroDivisionError", "evalue": "division by zero"},
            {"output_type": "display_data", "data": {"image/png": "AAAA"}},
            {"output_type": "execute_result", "data": {"text/html": "<table><tr><td>Oslo</table>"}},
        ]
        cell = {"cell_type": "code", "source": "1/0", "outputs": outputs}
        parsed = parse_document(json.dumps({"cells": [cell]}).encode(), "ipynb")
        assert parsed.text == "1/0\n\nZeroDivisionError: division by zero\n\nOslo"
        assert parsed.left_out == ("Of the picture that cell 1 shows no text is read.",)

    def test_a_long_text_of_broken_lines_is_joined_in_linear_time(self) -> None:
        head = "From: Ana <a@x.org>\r\nContent-Type: text/plain; format=flowed\r\n\r\n"
        started = time.process_time()
        assert len(parse_document((head + "word \r\n" * 300_000).encode(), "eml").text) > 1_000_000
        assert time.process_time() - started < 5
