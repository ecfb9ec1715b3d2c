"""Names are whole, and adjectives, offices and numbers are no part of them (issue 11, B7 and D21)."""

import uuid

import pytest

from app.extraction.rules.extractor import RulesExtractor
from app.extraction.shapes import ChunkText
from app.extraction.vocabulary import DEFAULT_VOCABULARY
from app.ids import ChunkId, DocumentId


def names(text: str) -> set[str]:
    chunk = ChunkText(ChunkId(uuid.UUID(int=1)), DocumentId(uuid.UUID(int=2)), "", text)
    return {entity.name for entity in RulesExtractor().extract_entities([chunk], DEFAULT_VOCABULARY)[0]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('He starred in "Death of a Salesman" in Chicago.', {"Death of a Salesman", "Chicago"}),
        ('She wrote "The Orange Eats Creeps", published in Ohio.', {"The Orange Eats Creeps", "Ohio"}),
        ("He made “Happy Hell Night” (1992) in Paris.", {"Happy Hell Night", "Paris"}),
        ('She edited "Kvinner i fellesskap" (1982) in Oslo.', {"Kvinner i fellesskap", "Oslo"}),
        ('Samuel "Sam" Schultz was born in Montana.', {'Samuel "Sam" Schultz', "Montana"}),
    ],
)
def test_what_is_quoted_as_a_title_is_one_name(text: str, expected: set[str]) -> None:
    assert names(text) == expected


def test_quoted_speech_is_read_as_prose() -> None:
    assert names('She said "I met Bob Stone in Paris" to Ann Lee.') == {"Bob Stone", "Paris", "Ann Lee"}


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        (
            "It is run by the United States Fish and Wildlife Service.",
            "United States Fish and Wildlife Service",
        ),
        (
            "She studied at the University of North Carolina at Chapel Hill.",
            "University of North Carolina at Chapel Hill",
        ),
        ("It is in the Federal Republic of Germany.", "Federal Republic of Germany"),
        ("He was made knight of the Légion d'honneur.", "Légion d'honneur"),
        ("She was a daughter of Rhys ap Tewdwr.", "Rhys ap Tewdwr"),
        ("He met Juliane of Schleswig- Holstein there.", "Schleswig- Holstein"),
    ],
)
def test_connectors_keep_a_name_whole(text: str, whole: str) -> None:
    assert whole in names(text)


@pytest.mark.parametrize(
    "text",
    [
        "The house fell after a Saxonian invasion.",
        "They met a German-speaking actor.",
        "It was led by a Baltimore-based group.",
        "It is sorted by page views.By country it varies.",
        "It was a Yugoslavian comedy with an Olympic theme.",
        "He was appointed Deputy Prime Minister again.",
        "She served as the Member for the Presidential office.",
    ],
)
def test_adjectives_and_offices_name_nothing(text: str) -> None:
    assert names(text) == set()


@pytest.mark.parametrize(
    ("text", "country"),
    [("It was shown by a South Korean band.", "South Korea"), ("A French band sang.", "France")],
)
def test_an_adjective_of_nationality_is_a_mention_of_its_country(text: str, country: str) -> None:
    assert names(text) == {country}


def test_an_office_leaves_its_place() -> None:
    assert names("He met the Chief Minister of Maharashtra.") == {"Maharashtra"}


def test_a_number_of_things_is_no_part_of_a_name() -> None:
    assert names("She won the Golden Lion 5 times in Venice.") == {"Golden Lion", "Venice"}
    assert "Sega Model 2" in names("It came to the Sega Model 2 in Japan.")


@pytest.mark.parametrize(
    ("text", "known"),
    [
        (
            "Samir Haddad founded Kestrel Freight Ltd. in 2010. Mr Haddad leads Kestrel.",
            {"Samir Haddad", "Kestrel Freight Ltd."},
        ),
        ("Samir Haddad met Lina Haddad. Mr Haddad left.", {"Samir Haddad", "Lina Haddad", "Mr Haddad"}),
        (
            "Nordic Bank Ltd. is a bank, and Nordic Air is an airline. Later Nordic was sold.",
            {"Nordic Bank Ltd.", "Nordic Air", "Nordic"},
        ),
    ],
)
def test_a_short_name_is_the_one_that_the_document_names_in_full(text: str, known: set[str]) -> None:
    assert names(text) == known


def test_a_language_behind_an_adjective_describes() -> None:
    assert "Indian Hindi" not in names("Dostana is an Indian Hindi film.")
