"""Requirement 5, issue 23: statements of sentences in languages that no rules are written for."""

import uuid
from dataclasses import replace

import pytest

from app.extraction.chunk_extraction import extract_grounded_entities, extract_grounded_statements
from app.extraction.rules.extractor import RulesExtractor
from app.extraction.shapes import ChunkText
from app.extraction.vocabulary import DEFAULT_VOCABULARY
from app.ids import ChunkId, DocumentId

OPEN = replace(DEFAULT_VOCABULARY, statements=True)
Statement = tuple[str, str, str, str]
PEOPLE = ("Katrin Vogel", "Claire Moreau", "Luisa Marchetti")
GERMAN = (
    ("leitet", "seit dem Frühjahr die Abteilung für Einkauf"),
    ("hat", "den Bericht über die neue Halle geschrieben"),
    ("darf", "nicht in das Lager gehen"),
)
FRENCH = (
    ("dirige", "le service informatique de la ville"),
    ("a remplacé", "les machines de la salle principale"),
    ("n'a pas signé", "le contrat de la société"),
)


def stated(text: str, language: str) -> set[Statement]:
    """Name, words before the verb, verb, and words after it."""
    chunk = ChunkText(ChunkId(uuid.UUID(int=1)), DocumentId(uuid.UUID(int=2)), "", text, language=language)
    extractor = RulesExtractor(), OPEN
    entities = extract_grounded_entities(extractor, [chunk]).entities[0]
    phrases = extract_grounded_statements(extractor, (chunk, entities))[0][1]
    for phrase in phrases:
        quote = phrase.statement.quote
        assert chunk.text[quote.start : quote.end] == quote.text
    return {
        (
            entities[phrase.entity].name,
            phrase.statement.subject,
            phrase.statement.name,
            str(phrase.statement.value),
        )
        for phrase in phrases
    }


@pytest.mark.parametrize("person", PEOPLE)
@pytest.mark.parametrize(("verb", "rest"), GERMAN)
@pytest.mark.parametrize("heading", ["", "3. Personal\n"])
def test_a_german_sentence_is_divided_at_its_second_position(
    person: str, verb: str, rest: str, heading: str
) -> None:
    text = f"{heading}{person} {verb} {rest}."
    assert stated(text, "de") == {(person, "", verb, rest)}


@pytest.mark.parametrize("person", PEOPLE)
@pytest.mark.parametrize(("verb", "rest"), FRENCH)
@pytest.mark.parametrize("heading", ["", "3. Personnel\n"])
def test_a_french_sentence_is_divided_at_the_root_of_its_tree(
    person: str, verb: str, rest: str, heading: str
) -> None:
    assert stated(f"{heading}{person} {verb} {rest}.", "fr") == {(person, "", verb, rest)}


@pytest.mark.parametrize("person", PEOPLE)
def test_a_sentence_whose_front_names_nothing_is_about_the_first_names_behind_its_verb(person: str) -> None:
    german = f"Die Schulung der Mitarbeiter übernimmt {person}, die bisher in Leipzig gearbeitet hat."
    assert {statement[:3] for statement in stated(german, "de")} == {
        (person, "Die Schulung der Mitarbeiter", "übernimmt")
    }
    french = f"Les travaux de la salle sont confiés à {person}, qui habite Lyon."
    assert {statement[:3] for statement in stated(french, "fr")} == {
        (person, "Les travaux de la salle", "sont confiés")
    }


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Sie leitet mit {person} die Abteilung.", "de"),
        ("Wenn {person} kommt, schließt die Halle.", "de"),
        ("Leitet {person} die Abteilung?", "de"),
        ("{person} traf ihn in der Halle.", "de"),
        ("„Morgen kommt {person}“, sagte der Bote.", "de"),
        ("Die Abteilung von {person} im zweiten Stock", "de"),
        ("Elle dirige le service avec {person}.", "fr"),
        ("Si {person} quitte la ville, la société ferme la salle.", "fr"),
        ("{person} dirige-t-il le service ?", "fr"),
        ("{person} les posera le 14 novembre.", "fr"),
        ("Le service de {person} au deuxième étage", "fr"),
    ],
)
@pytest.mark.parametrize("person", PEOPLE)
def test_what_is_asked_supposed_or_about_another_sentence_states_nothing(
    text: str, language: str, person: str
) -> None:
    assert stated(text.format(person=person), language) == set()


def test_a_capital_within_a_german_sentence_is_no_verb() -> None:
    """The tagger takes "Traoré" for a verb."""
    assert stated("Moussa Traoré hat den Bericht über die neue Halle geschrieben.", "de") == set()


@pytest.mark.parametrize("language", ["pt", "ru"])
def test_languages_whose_main_verb_is_not_found_state_nothing(language: str) -> None:
    text = {
        "pt": "Luisa Marchetti dirige o serviço da cidade.",
        "ru": "Анна Петрова руководит отделом города.",
    }
    assert stated(text[language], language) == set()


@pytest.mark.parametrize("amount", ["340.000 Euro", "12 Prozent"])
def test_the_unit_of_an_amount_and_the_month_of_a_date_are_no_names(amount: str) -> None:
    chunk = ChunkText(
        ChunkId(uuid.UUID(int=1)),
        DocumentId(uuid.UUID(int=2)),
        "",
        f"Katrin Vogel zahlt am 25. Juni rund {amount} an die Stadt Kassel. Die Reise begann 1931. Kassel"
        " war eine Stadt.",
        language="de",
    )
    entities = extract_grounded_entities((RulesExtractor(), OPEN), [chunk]).entities[0]
    mention_counts = {entity.name: len(entity.surfaces) for entity in entities}
    assert (mention_counts["Katrin Vogel"], mention_counts["Kassel"]) == (1, 2)
    assert not {"Juni", amount.split()[1]} & mention_counts.keys()
