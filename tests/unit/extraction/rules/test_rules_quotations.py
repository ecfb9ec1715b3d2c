"""Whose the words between quotation marks are, over sentences and paragraphs and in interviews."""

import random

import pytest

from tests.support.rules_reading import read_by_rules
from tests.unit.extraction.rules.test_rules_phrases import STATING, phrases

SPEAKERS = ("Marta Kowalik", "Jonas Berg", "Ravi Menon")
SAYINGS = (
    "The old bridge will be closed for two years.",
    "Two ferries of the city are broken.",
    "We have bought three houses in the harbour.",
    "Nobody repaired the northern gate last year.",
    "There is a chapel behind the market.",
)


def spoken(text: str) -> set[tuple[str, str]]:
    """Who says what, of all that is read of somebody with "said"."""
    return {(name, rest.strip("“”")) for name, said, rest in phrases(text) if said == "said"}


@pytest.mark.parametrize("seed", range(12))
def test_all_sentences_of_a_quotation_are_its_speakers(seed: int) -> None:
    draw = random.Random(seed)
    first, second = draw.sample(SAYINGS, 2)
    speaker = draw.choice(SPEAKERS)
    opening, closing = draw.choice(("“”", '""'))
    text = draw.choice(
        (
            f"{opening}{first} {second[:-1]},{closing} {speaker} said.",
            f"{opening}{first[:-1]},{closing} {speaker} said. {opening}{second}{closing}",
            f"{speaker} said: {opening}{first} {second}{closing}",
            f"{opening}{first[:-1]},{closing} {speaker} said.\n\n{opening}{second}{closing}",
        )
    )
    assert {(name, rest.rstrip(".")) for name, rest in spoken(text) if name == speaker} >= {
        (speaker, second.rstrip("."))
    }


@pytest.mark.parametrize("seed", range(6))
def test_a_line_of_an_interview_is_said_by_the_name_before_its_colon(seed: int) -> None:
    draw = random.Random(seed)
    one, other = draw.sample(SPEAKERS, 2)
    lines = draw.sample(SAYINGS, 3)
    known = f"{one} was born in 1950. {other} was born in 1960."
    text = f"{known}\n\n{one}: {lines[0]}\n\n{other}: {lines[1]}\n\n{one}: {lines[2]}"
    assert spoken(text) == {(one, lines[0]), (other, lines[1]), (one, lines[2])}


@pytest.mark.parametrize(
    "lines",
    [
        ("leads the design team in Oslo.", "joined the board of the bank in 2010."),
        ("Acme Corporation hired her in 2010.", "The city gave him a prize last year."),
        ("won two races in Bergen.", "broke the record of the club.", "sold three houses in the harbour."),
        ("Owner. The old bridge will be closed for two years.", "Guest. Two ferries are broken."),
        ("born in 1950 in Oslo, where the family ran a mill.", "taught at the school of the harbour."),
    ],
)
def test_a_list_of_people_is_no_interview(lines: tuple[str, ...]) -> None:
    """Nobody speaks again there: what a line tells is told of its name, not by it."""
    known = " ".join(f"{speaker} was born in 1950." for speaker in SPEAKERS)
    people = "\n".join(f"{name}: {line}" for name, line in zip(SPEAKERS, lines, strict=False))
    assert spoken(f"{known}\n\n{people}") == set()
    assert spoken(f"{known}\n\n{people}\n{SPEAKERS[0]}: {SAYINGS[0]}") >= {(SPEAKERS[0], SAYINGS[0])}


@pytest.mark.parametrize(
    "text",
    [
        "Marta Kowalik left. “The old bridge will be closed for two years.”",
        "“It was a bad plan of the city,” Marta Kowalik said.",
        "“Will the old bridge be closed for two years?” Marta Kowalik said.",
        "Marta Kowalik read “The Old Bridge of the City” in May.",
        "“The bridge is closed,” Marta Kowalik said.\n\n“Two ferries are broken,” a clerk said.",
    ],
)
def test_nobody_is_made_to_say_what_the_text_does_not_give_them(text: str) -> None:
    said = spoken(text)
    assert not any("ferries" in rest or "It" in rest or "will be" in rest or "?" in rest for _, rest in said)
    assert not any("Old Bridge" in rest for _, rest in said)


def test_the_quote_of_a_sentence_holds_who_says_it() -> None:
    text = "“The old bridge is closed. Two ferries of the city are broken,” Marta Kowalik said on Monday."
    reading = read_by_rules(text.encode(), "text", "", vocabulary=STATING)
    said = [
        attribute for entities in reading.entities for entity in entities for attribute in entity.attributes
    ]
    assert {claim.quote.text.rstrip(".") for claim in said} == {text[:-1], text[text.index("Two") : -1]}
    assert all(claim.quote.text == text[claim.quote.start : claim.quote.end] for claim in said)


@pytest.mark.parametrize("seed", range(8))
def test_paragraphs_of_one_quotation_have_one_speaker(seed: int) -> None:
    """Each paragraph opens with a mark, the last one alone is closed; who says it stands before or behind."""
    draw = random.Random(seed)
    speaker = draw.choice(SPEAKERS)
    first, second, third = draw.sample(SAYINGS, 3)
    text = draw.choice(
        (
            f"{speaker} said in a letter:\n\n“{first}\n\n“{second}\n\n“{third}”",
            f"“{first}\n\n“{second}\n\n“{third[:-1]},” {speaker} said.",
        )
    )
    said = {rest.rstrip(".") for name, rest in spoken(text) if name == speaker}
    assert said >= {saying.rstrip(".") for saying in (first, second, third)}


def test_a_quotation_that_is_closed_is_not_the_next_paragraphs() -> None:
    text = f"“{SAYINGS[0]}”\n\n“{SAYINGS[1][:-1]},” Marta Kowalik said."
    assert spoken(text) == {("Marta Kowalik", SAYINGS[1].rstrip("."))}


def test_the_verb_beside_the_marks_says_what_was_done() -> None:
    said = phrases(
        "Marta Kowalik met Jonas Berg and told him: “The old bridge will be closed for two years.”"
    )
    assert ("Marta Kowalik", "told", "“The old bridge will be closed for two years.”") in said
