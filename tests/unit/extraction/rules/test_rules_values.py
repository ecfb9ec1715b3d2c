"""Values that a sentence states become attributes, where a space asks for them, and never nodes."""

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

NUMBER, TEXT = AttributeKind.NUMBER, AttributeKind.TEXT
ASKED = {
    "Location": {
        "population": NUMBER,
        "snowfall": TEXT,
        "area": TEXT,
        "elevation": TEXT,
        "length": TEXT,
        "height": TEXT,
        "currency": TEXT,
    },
    "Person": {"description": TEXT, "position": TEXT, "population": NUMBER},
    "Organization": {"employees": NUMBER, "description": TEXT, "motto": TEXT},
}


def values(text: str, title: str = "") -> set[tuple[str, str, object]]:
    """(name, attribute, value) of what stands in the text, grounded as an ingest grounds it."""
    chunk = ChunkText(ChunkId(uuid.UUID(int=1)), DocumentId(uuid.UUID(int=2)), title, text)
    asked = replace(DEFAULT_VOCABULARY, attributes=ASKED)
    found = RulesExtractor().extract_entities([chunk], asked)[0]
    drops: Counter[str] = Counter()
    kept = keep_attributes_stated_in_chunk(chunk, found, ASKED, drops)
    assert drops.total() == 0
    assert all(
        text[attribute.quote.start : attribute.quote.end] == attribute.quote.text
        for e in kept
        for attribute in e.attributes
    )
    return {
        (entity.name, attribute.name, attribute.value) for entity in kept for attribute in entity.attributes
    }


@pytest.mark.parametrize(
    ("text", "title", "expected"),
    [
        ("The population of Oslo was 709,037 in 2022.", "", {("Oslo", "population", 709037)}),
        ("Oslo has about 1.2 million inhabitants.", "", {("Oslo", "population", 1200000)}),
        ("Oslo's population is 709,037.", "", {("Oslo", "population", 709037)}),
        (
            "With a population of 709,037, Oslo is the capital of Norway.",
            "",
            {("Oslo", "population", 709037)},
        ),
        ("Oslo is a city in Norway with a population of around 2,000.", "", {("Oslo", "population", 2000)}),
        ("As of the 2010 census, the population was 562.", "Oslo", {("Oslo", "population", 562)}),
        (
            "Average annual snowfall, as measured at Fornebu Airport, is 6.8 inches (17.3 cm).",
            "Oslo",
            {("Oslo", "snowfall", "6.8 inches")},
        ),
        (
            "Norway has a total area of 385 207 square kilometres.",
            "",
            {("Norway", "area", "385 207 square kilometres")},
        ),
        ("Norway's currency is the krone.", "", {("Norway", "currency", "krone")}),
        ("The altitude of Oslo is 23 m.", "", {("Oslo", "elevation", "23 m")}),
        ("The Cheakamus River is 64 kilometres long.", "", {("Cheakamus River", "length", "64 kilometres")}),
        (
            "Ann Lee (born 1950) is an English footballer who plays as a central defender.",
            "Ann Lee",
            {("Ann Lee", "description", "English footballer"), ("Ann Lee", "position", "central defender")},
        ),
        (
            "Ann Lee, an English painter and sculptor, lived in Oslo.",
            "",
            {("Ann Lee", "description", "English painter and sculptor")},
        ),
        (
            "Acme Corporation is a Danish publishing house based in Oslo.",
            "",
            {("Acme Corporation", "description", "Danish publishing house")},
        ),
    ],
)
def test_a_stated_value_is_an_attribute(
    text: str, title: str, expected: set[tuple[str, str, object]]
) -> None:
    assert values(text, title) == expected


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("The population density of Oslo is 1,645 people per square kilometre.", "Oslo"),
        ("The metropolitan population of Oslo was 1,345,596.", "Oslo"),
        ("The population of Oslo may be 900.", ""),
        ("The population of Oslo was not 900.", ""),
        ("Snowfall is rare.", "Oslo"),
        ("Norway is rich, and the population of the Netherlands is 900.", "Oslo"),
        ("Acme Corporation moved, and the motto was changed in 1998.", ""),
        ("Ann Lee is a member of Acme Corporation.", ""),
        ("In honour of Ann Lee, the distinctive tower became a landmark.", ""),
    ],
)
def test_what_states_no_value_of_a_name_is_none(text: str, title: str) -> None:
    assert {value for value in values(text, title) if value[0] != "Netherlands"} == set()


def test_nothing_is_read_that_no_space_asks_for() -> None:
    chunk = ChunkText(
        ChunkId(uuid.UUID(int=1)),
        DocumentId(uuid.UUID(int=2)),
        "",
        "The population of Oslo was 709,037 in 2022.",
    )
    found = RulesExtractor().extract_entities([chunk], DEFAULT_VOCABULARY)[0]
    assert not any(entity.attributes for entity in found)
