"""Dates that a sentence states become attributes, where a space asks for them, and never nodes."""

import uuid
from collections import Counter
from dataclasses import replace

import pytest

from app.extraction.attributes import keep_attributes_stated_in_chunk
from app.extraction.rules.extractor import RulesExtractor
from app.extraction.shapes import ChunkText
from app.extraction.vocabulary import DEFAULT_VOCABULARY
from app.ids import ChunkId, DocumentId
from app.space_settings import AttributeKind

DATE = AttributeKind.DATE
ASKED = {
    "Person": {"born_on": DATE, "date_of_death": DATE},
    "Organization": {"founded": DATE, "founding_year": AttributeKind.NUMBER},
    "Location": {"opened": DATE, "built": DATE},
    "Document": {"released": DATE},
    "Concept": {"released": DATE},
}


def dates(text: str, title: str = "") -> set[tuple[str, str, object]]:
    """(name, attribute, value) of what stands in the text, grounded as an ingest grounds it."""
    chunk = ChunkText(ChunkId(uuid.UUID(int=1)), DocumentId(uuid.UUID(int=2)), title, text)
    asked = replace(DEFAULT_VOCABULARY, attributes=ASKED)
    found = RulesExtractor().extract_entities([chunk], asked)[0]
    drops: Counter[str] = Counter()
    kept = keep_attributes_stated_in_chunk(chunk, found, ASKED, drops)
    assert drops.total() == 0
    assert not any(entity.name[0].isdigit() for entity in found)
    return {
        (entity.name, attribute.name, attribute.value) for entity in kept for attribute in entity.attributes
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann Lee was born on 12 May 1950 in Oslo.", {("Ann Lee", "born_on", "1950-05-12")}),
        (
            "The Elm Nets, a team based in Oslo, Norway, was founded in 1967.",
            {("Elm Nets", "founded", "1967"), ("Elm Nets", "founding_year", 1967)},
        ),
        ("Elm Bridge is a former bridge in Oslo, Norway, built in 1883.", {("Elm Bridge", "built", "1883")}),
        ("The Pact is a 1995 British film directed by Ann Lee.", {("Pact", "released", "1995")}),
        (
            "The Pact is a 1995 British film. The film was released on 4 May 1996.",
            {("Pact", "released", "1996-05-04")},
        ),
        (
            'In May 1998, Ann Lee brought out her first cookery book, "Late Soups", which sold well.',
            {("Late Soups", "released", "1998-05")},
        ),
        ("In 1998, Ann Lee met Bob Stone, who had released a book.", set()),
        ("Elm Hotel is a hotel located in Bergen, Norway that opened in 1911.", set()),
        ("Ann Lee (born May 1950) is a singer.", {("Ann Lee", "born_on", "1950-05")}),
        (
            "Ann Lee (December 31, 1918 – May 23, 2007) was a singer.",
            {("Ann Lee", "born_on", "1918-12-31"), ("Ann Lee", "date_of_death", "2007-05-23")},
        ),
        ("Ann Lee, who died in 2007, was a singer.", {("Ann Lee", "date_of_death", "2007")}),
        (
            "Acme Corporation was founded in 1998 by Ann Lee.",
            {("Acme Corporation", "founded", "1998"), ("Acme Corporation", "founding_year", 1998)},
        ),
        (
            "Ann Lee founded Acme Corporation in 1998.",
            {("Acme Corporation", "founded", "1998"), ("Acme Corporation", "founding_year", 1998)},
        ),
        ("The Tower Bridge opened in 1894.", {("Tower Bridge", "opened", "1894")}),
    ],
)
def test_a_stated_date_is_an_attribute(text: str, expected: set[tuple[str, str, object]]) -> None:
    assert dates(text) == expected


def test_a_pronoun_gives_the_date_to_what_the_text_is_about() -> None:
    text = "Ann Lee (born 1950) is a singer. She died on 3 June 2019 in Oslo."
    assert ("Ann Lee", "date_of_death", "2019-06-03") in dates(text, "Ann Lee")


@pytest.mark.parametrize(
    "text",
    [
        "Ann Lee was born in Oslo and moved in 1998.",
        "Ann Lee was not born in 1950.",
        "Ann Lee may have been born in 1950.",
        "Ann Lee joined Acme Corporation in 1998.",
        "Acme Corporation was founded by Ann Lee, who left it in 1998.",
    ],
)
def test_the_date_of_something_else_is_none(text: str) -> None:
    assert dates(text) == set()


def test_what_no_space_asks_for_is_not_read() -> None:
    text = "Ann Lee was born in 1950."
    chunk = ChunkText(ChunkId(uuid.UUID(int=1)), DocumentId(uuid.UUID(int=2)), "", text)
    (found,) = RulesExtractor().extract_entities([chunk], DEFAULT_VOCABULARY)
    assert [entity.attributes for entity in found] == [()]
