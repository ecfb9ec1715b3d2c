"""Pages of a PDF are one text: a sentence that runs over the end of a page goes on in the next."""

import pytest

from app.documents.formats.pdf import parse_pdf
from tests.support.document_samples import pdf_of


@pytest.mark.parametrize(
    ("end", "beginning", "joint"),
    [
        ("The plan was", "never carried out.", "\n"),
        ("The plan was carried out.", "it ended well.", "\n\n"),
        ("The plan was", "Never carried out.", "\n\n"),
        ("The plan ended.", "Then it began.", "\n\n"),
    ],
)
def test_pages_are_joined_by_how_their_sentences_go_on(end: str, beginning: str, joint: str) -> None:
    assert parse_pdf(pdf_of([end], [beginning])).text == f"{end}{joint}{beginning}"


def test_a_page_without_text_does_not_part_a_sentence() -> None:
    assert parse_pdf(pdf_of(["The plan was"], [" "], ["dropped."])).text == "The plan was\ndropped."
