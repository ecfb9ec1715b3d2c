"""Roles that a text states without a verb: titles in front of names, and lines of people and of a CV."""

from dataclasses import replace

import pytest

from app.documents.sentences import is_each_line_an_entry
from app.extraction.vocabulary import DEFAULT_VOCABULARY
from tests.support.rules_reading import read_by_rules

STATING = replace(DEFAULT_VOCABULARY, statements=True)


def read(text: str, title: str = "Notes") -> tuple[set[str], set[tuple[str, str, str]]]:
    """Return the names of a text, and its statements without a subject of their own."""
    reading = read_by_rules(text.encode(), "markdown", title, vocabulary=STATING)
    entities = [entity for found in reading.entities for entity in found]
    statements = {
        (entity.name, said.name, str(said.value))
        for entity in entities
        for said in entity.attributes
        if not said.subject
    }
    return {entity.name for entity in entities}, statements


def roles(text: str, title: str = "Notes") -> set[tuple[str, str]]:
    return {(name, value) for name, predicate, value in read(text, title)[1] if predicate == "as"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Borough Surveyor Nils Aker repaired the quay in May.",
            {("Nils Aker", "Borough Surveyor")},
        ),
        (
            "Present: Councillors Otto Brandt and Ruth Moss, Chief Executive Ann Hale.",
            {("Otto Brandt", "Councillor"), ("Ruth Moss", "Councillor"), ("Ann Hale", "Chief Executive")},
        ),
        ("The skipper Jonas Vik left the quay.", {("Jonas Vik", "skipper")}),
        ("The rector thanked Harbour Master Mrs Ada Moss.", {("Ada Moss", "Harbour Master")}),
        # "Later" is when, not what he is, and whose brother he is, is not said by "brother".
        ("Later President Ulrich Thode left Oslo.", {("Ulrich Thode", "President")}),
        ("His brother Tom Reed left Oslo.", set()),
        ("Mr Tom Reed left Oslo.", set()),
        ("The newspaper Ann Lee read was old.", set()),
        ("On Monday Ann Lee left Oslo.", set()),
    ],
)
def test_a_title_is_no_part_of_a_name_but_said_of_it(text: str, expected: set[tuple[str, str]]) -> None:
    assert roles(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Borough Surveyor Nils Aker repaired the quay in May.", {"Nils Aker"}),
        ("Then Borough Surveyor Nils Aker came. Surveyor Aker left.", {"Nils Aker"}),
        ("She sleeps in Villa Anna Keller every May.", {"Villa Anna Keller"}),
        ("The statue of Saint John Fisher is old.", {"Saint John Fisher"}),
        ("D. Richard Hipp lives here.", {"D. Richard Hipp"}),
        # Amounts, scores and roles are no names.
        ("Melt 150 g of butter. Serves 8.", set()),
        ("Vale Rovers beat Brinley United 3–1 on Sunday.", {"Vale Rovers", "Brinley United"}),
        ("Co-author Nils Aker lives in Oslo.", {"Nils Aker", "Oslo"}),
    ],
)
def test_names_are_cut_where_the_reader_cuts_them(text: str, expected: set[str]) -> None:
    assert read(text)[0] - {"Notes"} == expected


def test_a_title_is_no_part_of_the_topic() -> None:
    names, _ = read("He was born in Exeter.\n", "Professor Sir John Bellamy")
    assert "John Bellamy" in names
    assert "Professor Sir John Bellamy" not in names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Jane Doe – Head of Sales\nRita Moss, keeper of the quay\nTom Reed (Support Engineer)",
            {
                ("Jane Doe", "Head of Sales"),
                ("Rita Moss", "keeper of the quay"),
                ("Tom Reed", "Support Engineer"),
            },
        ),
        (
            "- Jane Doe: Chief Designer\n- Tom Reed: Treasurer",
            {("Jane Doe", "Chief Designer"), ("Tom Reed", "Treasurer")},
        ),
        (
            "Treasurer: Tom Reed\nQuay Keeper: Jane Doe",
            {("Tom Reed", "Treasurer"), ("Jane Doe", "Quay Keeper")},
        ),
        # Votes, titles of books, places and sentences are no roles.
        ("Jane Doe: Yes\nTom Reed: No", set()),
        ("Jane Doe, The Garden of Stones\nTom Reed, Night Trains", set()),
        ("Jane Doe – Leeds\nTom Reed – Oslo", set()),
        ("Jane Doe – she left\nTom Reed – he was ill", set()),
        ("To: Tom Reed\nFrom: Jane Doe", set()),
    ],
)  # fmt: skip
def test_lines_of_people_state_their_roles(text: str, expected: set[tuple[str, str]]) -> None:
    assert roles(text) == expected


def test_lines_of_a_cv_are_said_of_its_person() -> None:
    text = (
        "2014–2018 Senior Engineer, Acme Ltd, Leeds\n"
        "Since 2018 Quay Keeper, Borg Group, Oslo\n"
        "1990–1994 War in Norland, Bergen"
    )
    expected = {
        ("Ann Lee", "2014–2018", "Senior Engineer, Acme Ltd, Leeds"),
        ("Ann Lee", "Since 2018", "Quay Keeper, Borg Group, Oslo"),
    }
    assert read(text, "Curriculum Vitae: Ann Lee")[1] == expected
    assert not read(text, "Our firm")[1]


def test_a_sentence_without_a_subject_is_said_of_the_topic() -> None:
    assert ("Quay Fair", "Organised", "by the Borg Group") in read(
        "Organised by the Borg Group.", "Quay Fair"
    )[1]
    assert not read("Organised by the Borg Group, it began in May.", "Quay Fair")[1]


@pytest.mark.parametrize(
    ("lines", "is_block"),
    [
        ("2014–2018 Engineer\n2018–2021 Head of Sales", True),
        ("2014–2018: Engineer\n2018–2021 Head of Sales", True),
        ("Jane Doe – Head of Sales\nTom Reed, Engineer", True),
        ("Jane Doe – Head of Sales", False),
        ("Owner: Ann Lee\nSite: Bonn", False),
        ("The owner is Ann\nLee of Bonn", False),
        ("The owner, Ann, of\nLeeds, a town", False),
        ("Die Brücke, die alte,\nWurde, wie man hört, gebaut.", False),
        ("Jane Doe | Head\nTom Reed | Engineer", False),
    ],
)
def test_entries_are_told_from_wrapped_prose(lines: str, is_block: bool) -> None:
    assert is_each_line_an_entry(lines) is is_block


@pytest.mark.parametrize(
    ("title", "text", "is_said"),
    [
        ("Marlow Mill", "Marlow Mill stands in Leeds. The company made 40 sails.", False),
        ("Marlow Mill", "Marlow Mill stands in Leeds. The mill made 40 sails.", True),
        ("Marlow Council", "Marlow Council sits in Leeds. The council made 40 laws.", True),
    ],
)
def test_a_thing_of_another_kind_is_not_the_topic(title: str, text: str, *, is_said: bool) -> None:
    reading = read_by_rules(text.encode(), "text", title, vocabulary=STATING)
    said = [said.name for found in reading.entities for entity in found for said in entity.attributes]
    assert ("made" in said) is is_said


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        ("a company based in Leeds", {"Borg Group"}),
        ("which is based in Leeds", {"Borg Group"}),
        ("two firms based in Leeds", {"Acme Ltd", "Borg Group"}),
        ("which are based in Leeds", {"Acme Ltd", "Borg Group"}),
    ],
)
def test_a_description_of_one_is_that_of_the_last_in_a_list(clause: str, expected: set[str]) -> None:
    reading = read_by_rules(f"The prize went to Acme Ltd and Borg Group, {clause}.".encode(), "text", "Notes")
    located = {
        entities[claim.from_entity].name
        for entities, claims in zip(reading.entities, reading.relations, strict=True)
        for claim in claims
        if claim.relation_type == "located_in"
    }
    assert located == expected
