"""The sense of a name in a text: what says it, what does not, and which two senses are two things."""

import pytest

from app.extraction.sense_detection import are_different_things, build_entities_with_senses, build_sense_label
from app.extraction.shapes import ChunkText, FoundEntity, Surface
from app.ids import ChunkId, DocumentId, create_id


def chunk(text: str, *, title: str = "Note", document: DocumentId | None = None) -> ChunkText:
    return ChunkText(ChunkId(create_id()), document or DocumentId(create_id()), title, text)


def entity(text: str, name: str, node_type: str = "Concept") -> FoundEntity:
    start = text.index(name)
    return FoundEntity(name, node_type, (Surface(name, start, start + len(name)),))


def sense_of(text: str, name: str, *, title: str = "Note", node_type: str = "Concept") -> str:
    return build_entities_with_senses([chunk(text, title=title)], [(entity(text, name, node_type),)])[0][
        0
    ].sense


@pytest.mark.parametrize(
    ("text", "name", "sense"),
    [
        ("Mercury is the planet closest to the Sun.", "Mercury", "planet"),
        ("Mercury, a liquid metal, was mined there.", "Mercury", "metal"),
        ("The probe passed the planet Mercury twice.", "Mercury", "planet"),
        ("Paris is the capital and largest city of France.", "Paris", "city"),
        ("Springfield is a city in Illinois.", "Springfield", "city in Illinois"),
        ("Georgia is a state in the southeastern United States.", "Georgia", "U.S. state"),
        ("They sailed to the island of Java.", "Java", "island"),
        ("In 1984 basketball player Michael Jordan signed.", "Michael Jordan", "athlete"),
        ("Queen are a British rock band.", "Queen", "band"),
        # The head of the phrase decides, and nothing that only stands near it.
        ("Freddie Mercury was a band member.", "Freddie Mercury", ""),
        ("Paris is the largest city of France.", "France", ""),
        ("Mercury orbits the Sun.", "Mercury", ""),
        ("Acme is a maker of planets.", "Acme", ""),
        ("Mercury's moon is a planet of its own.", "Mercury", ""),
    ],
)
def test_what_a_text_says_that_a_name_means(text: str, name: str, sense: str) -> None:
    assert sense_of(text, name) == sense


def test_a_title_says_it_in_brackets() -> None:
    text = "Mercury orbits the Sun."
    assert sense_of(text, "Mercury", title="Mercury (planet)") == "planet"
    # A bracket of no known kind may be a version or a draft of one thing.
    assert sense_of(text, "Mercury", title="Mercury (second draft)") == ""


def test_a_person_is_told_by_the_year_of_birth_where_nothing_else_tells() -> None:
    text = "John Smith (1580–1631) was an explorer."
    assert sense_of(text, "John Smith", node_type="Person") == "born 1580"
    assert sense_of("John Smith (born 9 May 1938) spoke.", "John Smith", node_type="Person") == "born 1938"
    assert sense_of("John Smith (2001, 2009) spoke.", "John Smith", node_type="Person") == ""


def test_what_a_document_says_once_holds_for_all_of_it() -> None:
    document = DocumentId(create_id())
    texts = ["Mercury is a planet.", "Mercury was mapped in 2015."]
    chunks = [chunk(text, document=document) for text in texts]
    found = build_entities_with_senses(chunks, [(entity(text, "Mercury"),) for text in texts])
    assert [pair[0].sense for pair in found] == ["planet", "planet"]


def test_a_document_that_says_two_senses_says_them_chunk_by_chunk() -> None:
    document = DocumentId(create_id())
    texts = ["Mercury is a planet.", "Mercury is a metal.", "Mercury came up."]
    chunks = [chunk(text, document=document) for text in texts]
    found = build_entities_with_senses(chunks, [(entity(text, "Mercury"),) for text in texts])
    assert [pair[0].sense for pair in found] == ["planet", "metal", ""]


def test_another_document_says_nothing_about_this_one() -> None:
    texts = ["Mercury is a planet.", "Mercury was mined."]
    found = build_entities_with_senses(
        [chunk(text) for text in texts], [(entity(text, "Mercury"),) for text in texts]
    )
    assert [pair[0].sense for pair in found] == ["planet", ""]


@pytest.mark.parametrize(
    ("a", "b", "two"),
    [
        ("planet", "metal", True),
        ("planet", "planet", False),
        ("city", "country", False),
        ("city in Illinois", "city in Massachusetts", True),
        ("city in Illinois", "city", False),
        ("born 1580", "born 1938", True),
        ("born 1580", "athlete", False),
        ("athlete", "scientist", True),
        ("Trojan prince", "city", False),
    ],
)
def test_two_senses_are_two_things_where_nothing_can_be_both(a: str, b: str, two: bool) -> None:
    assert are_different_things(a, b) is two
    assert are_different_things(b, a) is two


def test_a_sense_is_kept_by_its_kind_where_that_is_known() -> None:
    assert build_sense_label("American basketball player") == "athlete"
    assert build_sense_label("  Trojan   prince ") == "Trojan prince"
    assert build_sense_label("(...)") == ""
