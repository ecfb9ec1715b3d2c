"""Strong words that head what follows them in the same paragraph stand on a line of their own."""

import pytest

from app.documents.parsing import parse_document

RUN_IN = [
    ("**Early years** She was born in Graz.", "Early years\nShe was born in Graz."),
    ("They left. **Hell ships** It became clear.", "They left.\nHell ships\nIt became clear."),
    ("He said so.” **After the war** He left.", "He said so.”\nAfter the war\nHe left."),
]
WITHIN = [
    ("**Ada Lovelace** wrote programs.", "Ada Lovelace wrote programs."),
    ("**Note:** The door is shut.", "Note: The door is shut."),
    ("The **Bank of England** Act is old.", "The Bank of England Act is old."),
    ("It is **very old** and **Graz** is large.", "It is very old and Graz is large."),
    ("**T**he door", "The door"),
    ("**早年** 她出生在格拉茨。", "早年 她出生在格拉茨。"),
]


@pytest.mark.parametrize(("source", "text"), RUN_IN + WITHIN)
@pytest.mark.parametrize("format", ["markdown", "html"])
def test_strong_words(source: str, text: str, format: str) -> None:
    if format == "html":
        parts = source.split("**")
        tagged = "".join(f"<b>{part}</b>" if at % 2 else part for at, part in enumerate(parts))
        source = f"<html><body><p>{tagged}</p></body></html>"
    assert parse_document(source.encode(), format).text == text


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<b><p>Early years</p><p>In Graz</p></b>", "Early years\n\nIn Graz"),
        ("<p>In Graz</b> she lived.</p>", "In Graz she lived."),
        ("<b>Early<table><tr><td>In</b></td><td>Graz</td></tr></table>", "EarlyIn | Graz"),
        ("<pre><b>Early</b> In Graz</pre>", "Early In Graz"),
    ],
)
def test_marks_that_blocks_part_leave_nothing(body: str, text: str) -> None:
    read = parse_document(f"<html><body>{body}</body></html>".encode(), "html").text
    assert "".join(read.split()) == "".join(text.split())


def test_a_heading_stays_one_line() -> None:
    """A title of strong words and others is no paragraph."""
    assert (
        parse_document(b"# **Early years** In Graz\n\nText.", "markdown").text
        == "Early years In Graz\n\nText."
    )
    page = b"<html><body><h1><b>Early years</b> In Graz</h1><p>Text.</p></body></html>"
    assert parse_document(page, "html").text == "Early years In Graz\n\nText."


def test_an_image_stands_on_a_line_of_its_own() -> None:
    """Its alternative text is no part of the sentence beside it."""
    source = b"![A letter in a shadow](t.gif) The Roma came late. ![](x.gif)"
    assert parse_document(source, "markdown").text == "A letter in a shadow\nThe Roma came late."


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("![Image 1](a.gif)\n\nThey came. ![Image 2: A crane](b.gif)", "They came.\nA crane"),
        ("[![Image 2: A crane](b.gif)](b) ![Image 4: A ship: at sea](c.gif)", "A crane\nA ship: at sea"),
        ("![Bild 1: Ein Kran](a.gif)", "Ein Kran"),
        ("![Apollo 11](a.gif) ![Apollo 13: The crew](b.gif)", "Apollo 11\nApollo 13: The crew"),
        ("![Image 1: A crane](a.gif) ![Python 3](b.gif)", "Image 1: A crane\nPython 3"),
        ("![Gate 2: Closed](a.gif)", "Gate 2: Closed"),
        ("![Image 1: A crane](a.gif) ![Gate 2: Closed][b]\n\n[b]: b.gif", "A crane\nGate 2: Closed"),
    ],
)
def test_the_number_that_a_converter_gives_an_image_is_no_text(source: str, text: str) -> None:
    """Its label is on each image of the document, and counts them from the first."""
    assert parse_document(source.encode(), "markdown").text == text
