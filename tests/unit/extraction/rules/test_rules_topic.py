"""A document's title is a node of its document where it names what the text is about (issue 11, D17)."""

import uuid

import pytest

from app.extraction.grounding import keep_entities_named_in_chunk
from app.extraction.rules.extractor import RulesExtractor
from app.extraction.rules.topic import read_topic
from app.extraction.shapes import SURFACE_OF_UNNAMED_TOPIC, ChunkText, FoundEntity, Surface
from app.extraction.vocabulary import DEFAULT_VOCABULARY
from app.ids import ChunkId, DocumentId

DOCUMENT = DocumentId(uuid.UUID(int=1))


def entities(title: str, *texts: str) -> list[list[FoundEntity]]:
    """The grounded entities of each chunk of one document."""
    chunks = [
        ChunkText(ChunkId(uuid.UUID(int=at)), DOCUMENT, title, text) for at, text in enumerate(texts, start=1)
    ]
    found = RulesExtractor().extract_entities(chunks, DEFAULT_VOCABULARY)
    return [
        keep_entities_named_in_chunk(chunk, here, DEFAULT_VOCABULARY)[0]
        for chunk, here in zip(chunks, found, strict=True)
    ]


@pytest.mark.parametrize(
    "title",
    [
        "notes-2024-final",
        "notes_final",
        "report.pdf",
        "hr/bob",
        "Meeting notes 12 March 2024",
        "README",
        "Draft v2",
        "2024-05-01",
        "How we moved to Kafka",
        "Why is the sky blue?",
        "Bob Stone works for Acme.",
        "Monday",
        "",
        "!!!",
        "x" * 5_000,
    ],
)
def test_a_title_that_names_nothing_is_no_topic(title: str) -> None:
    assert read_topic(title) is None


@pytest.mark.parametrize(
    ("title", "name", "kind"),
    [
        ("PostgreSQL", "PostgreSQL", None),
        ("Heat (1995 film)", "Heat", "Document"),
        ("Brian Kennedy (gallery director)", "Brian Kennedy", "Person"),
        ("Deer Plain, Illinois", "Deer Plain, Illinois", "Location"),
        ("PostGIS: maps for everybody", "PostGIS", None),
        ("Alien: Romulus", "Alien: Romulus", None),
        ("Simon &amp; Simon", "Simon & Simon", None),
    ],
)
def test_a_title_names_a_topic(title: str, name: str, kind: str | None) -> None:
    topic = read_topic(title)
    assert topic is not None
    assert (topic.name, topic.kind, topic.is_certain) == (name, kind, True)


def test_the_topic_is_a_node_where_the_document_opens() -> None:
    first, second = entities("Rudolf Palme", "He took 14th at Vienna in 1933.", "He left Paris.")
    assert [entity.surfaces for entity in first if entity.name == "Rudolf Palme"] == [
        (SURFACE_OF_UNNAMED_TOPIC,)
    ]
    assert "Rudolf Palme" not in {entity.name for entity in second}


@pytest.mark.parametrize(
    ("title", "text", "alias"),
    [
        ("Barry Pepper", "Barry Robert Pepper (born 1970) is a Canadian actor.", "Barry Robert Pepper"),
        ("Sam Butler", "Samuel Butler is a footballer from Perth.", "Samuel Butler"),
        ("Deer Plain, Illinois", "Deer Plain is a community in Calhoun County.", "Deer Plain"),
    ],
)
def test_the_first_subject_in_another_form_is_the_topic(title: str, text: str, alias: str) -> None:
    [found] = entities(title, text)
    topic = next(entity for entity in found if title in (entity.name, *entity.aliases))
    assert alias in (topic.name, *topic.aliases)
    assert topic.surfaces[0].text == alias


def test_another_opening_subject_is_not_the_topic() -> None:
    [found] = entities("Aichi E3A", "The Heinkel HD 56 was a seaplane developed in Germany.")
    assert {"Aichi E3A", "Heinkel HD 56"} <= {entity.name for entity in found}
    assert all(not entity.aliases for entity in found)


def test_a_title_with_a_verb_is_a_name_only_where_the_text_uses_it() -> None:
    [unused] = entities("Kestrel acquires Bar Labs", "Kestrel acquires Bar Labs\n\nIt paid in Oslo.")
    assert "Kestrel acquires Bar Labs" not in {entity.name for entity in unused}
    [used] = entities("My Name Is Modesty", "My Name Is Modesty is a 2004 film from Romania.")
    assert "My Name Is Modesty" in {entity.name for entity in used}


def test_the_cut_beginning_of_a_text_is_no_topic() -> None:
    text = (
        "Ann Lee and Bob Stone of Kestrel Freight in the old harbour of Rotterdam and its many docks in Oslo."
    )
    [found] = entities(text[:80], text)
    assert all(len(entity.name) < 40 for entity in found)


def test_only_the_title_may_stay_unwritten() -> None:
    chunk = ChunkText(ChunkId(uuid.UUID(int=1)), DOCUMENT, "Acme", "Nothing is said.")
    claimed = [FoundEntity(name, "Concept", (SURFACE_OF_UNNAMED_TOPIC,)) for name in ("Acme", "Globex")]
    kept, drops = keep_entities_named_in_chunk(chunk, claimed, DEFAULT_VOCABULARY)
    assert [entity.name for entity in kept] == ["Acme"]
    assert drops.by_reason["not_in_text"] == 1
    assert Surface("", 0, 0) == SURFACE_OF_UNNAMED_TOPIC


@pytest.mark.parametrize(
    "text",
    [
        "In 1941 victims were killed by the guards. Many victims, who had no graves, died in Dachau.",
        "One of the victims was a singer. He was born in Oslo.",
    ],
)
def test_a_title_in_the_plural_is_no_person(text: str) -> None:
    (topic, *_), *_ = entities("Victims", text)
    assert (topic.name, topic.node_type, topic.is_type_certain) == ("Victims", "Concept", False)
    (person, *_), *_ = entities("Banks", "Banks was born in Oslo. He met Ann Lee.")
    assert (person.name, person.node_type) == ("Banks", "Person")
