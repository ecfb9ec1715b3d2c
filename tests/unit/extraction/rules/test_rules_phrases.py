"""Requirement 19.2: what clauses say of one of their names, as it is written, to their end."""

import random
from dataclasses import replace

import pytest

from app.extraction.vocabulary import DEFAULT_VOCABULARY
from tests.support.rules_reading import read_by_rules

STATING = replace(DEFAULT_VOCABULARY, statements=True)


def phrases(text: str, title: str = "") -> list[tuple[str, str, str]]:
    """(name, subject as written and predicate, what follows) of all that is said of one name."""
    reading = read_by_rules(text.encode(), "text", title, vocabulary=STATING)
    return [
        (entity.name, f"{said.subject} {said.name}".strip(), str(said.value))
        for entities in reading.entities
        for entity in entities
        for said in entity.attributes
    ]


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        (
            "Marta Kowalik opened a small bakery in the old harbour.",
            ("Marta Kowalik", "opened", "a small bakery in the old harbour"),
        ),
        (
            "Helvora Systems was founded in the spring of 1998.",
            ("Helvora Systems", "was founded", "in the spring of 1998"),
        ),
        (
            "Helvora Systems did not pay any tax last year.",
            ("Helvora Systems", "did not pay", "any tax last year"),
        ),
        (
            "Marta Kowalik, a nurse from the north, opened a bakery.",
            ("Marta Kowalik", "Marta Kowalik, a nurse from the north opened", "a bakery"),
        ),
        (
            "Marta Kowalik said that the old bridge would collapse.",
            ("Marta Kowalik", "said", "that the old bridge would collapse"),
        ),
        (
            "Ostland's population is about 4,000 people.",
            ("Ostland", "Ostland's population is", "about 4,000 people"),
        ),
        ("The gripper of LR-7 is made by Schunk.", ("LR-7", "The gripper of LR-7 is made", "by Schunk")),
        (
            "In 2010 Helvora Systems moved to a larger building.",
            ("Helvora Systems", "In 2010 Helvora Systems moved", "to a larger building"),
        ),
    ],
)  # fmt: skip
def test_all_that_follows_the_predicate_is_kept(sentence: str, said: tuple[str, str, str]) -> None:
    assert said in phrases(sentence)


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        (
            "Two engineers from Oslo repaired the northern gate.",
            {("Oslo", "Two engineers from Oslo repaired", "the northern gate")},
        ),
        (
            "A spokesman told Helvora Systems that the gate was open.",
            {("Helvora Systems", "A spokesman told", "Helvora Systems that the gate was open")},
        ),
        (
            "Other Helvora Systems were sold to a rival.",
            {("Helvora Systems", "Other Helvora Systems were sold", "to a rival")},
        ),
        (
            "Marta Kowalik and Jonas Berg opened a bakery.",
            {
                ("Marta Kowalik", "Marta Kowalik and Jonas Berg opened", "a bakery"),
                ("Jonas Berg", "Marta Kowalik and Jonas Berg opened", "a bakery"),
            },
        ),
    ],
)
def test_a_subject_that_is_no_name_is_told_as_written_of_the_names_in_the_clause(
    sentence: str, said: set[tuple[str, str, str]]
) -> None:
    assert set(phrases(sentence)) == said


@pytest.mark.parametrize(
    ("sentence", "subject"),
    [
        ("147 The bridge of Ostland was repaired in May.", "The bridge of Ostland was repaired"),
        ("When the war ended, Marta Kowalik opened a bakery.", "When the war ended, Marta Kowalik opened"),
        ("Leaving her village, Marta Kowalik opened a bakery.", "Leaving her village, Marta Kowalik opened"),
        ("In her third year Marta Kowalik opened a bakery.", "In her third year Marta Kowalik opened"),
    ],
)
def test_what_stands_in_front_of_a_subject_is_told_with_it(sentence: str, subject: str) -> None:
    assert [written for _, written, _ in phrases(sentence)] == [subject]


@pytest.mark.parametrize(
    "sentence",
    [
        "Nor did Marta Kowalik open a bakery.",
        "Never did Marta Kowalik open a bakery.",
        "Neither Marta Kowalik nor Jonas Berg opened a bakery.",
        "Either Marta Kowalik or Jonas Berg opened a bakery.",
        "But for the rain, Marta Kowalik opened a bakery.",
        "Rather than Jonas Berg, Marta Kowalik opened a bakery.",
        "Only Marta Kowalik opened a bakery.",
        "7 Days is a novel by Marta Kowalik.",
    ],
)
def test_no_word_is_lost_in_front_of_a_predicate(sentence: str) -> None:
    said = phrases(sentence)
    assert said
    assert {f"{words} {rest}." for _, words, rest in said} == {sentence}


@pytest.mark.parametrize(
    "sentence",
    [
        "Marta Kowalik never opened a bakery and sold the old mill.",
        "Marta Kowalik did not open a bakery and sold the old mill.",
        "Marta Kowalik may have opened a bakery and sold the old mill.",
        "Marta Kowalik never opened a bakery nor sold the old mill.",
        "Marta Kowalik opened a bakery or sold the old mill.",
    ],
)
def test_a_verb_that_shares_a_denial_or_is_an_alternative_is_not_told_alone(sentence: str) -> None:
    assert not [rest for _, words, rest in phrases(sentence) if words == "sold" or rest == "the old mill"]


@pytest.mark.parametrize("number", ["147 ", "[147] ", "12) ", "3.2 ", "§ 12 "])
def test_the_number_of_a_paragraph_is_no_part_of_its_sentence(number: str) -> None:
    assert phrases(f"{number}The bridge of Ostland was repaired in May.") == [
        ("Ostland", "The bridge of Ostland was repaired", "in May")
    ]


def test_clauses_that_and_joins_are_two() -> None:
    said = phrases("Marta Kowalik opened a bakery in 1998 and later sold its recipes to a rival.")
    assert [(name, predicate, text) for name, predicate, text in said] == [
        ("Marta Kowalik", "opened", "a bakery in 1998"),
        ("Marta Kowalik", "later sold", "its recipes to a rival"),
    ]


@pytest.mark.parametrize(
    "sentence",
    [
        "If Marta Kowalik opened a bakery, the town would be glad.",
        "Unless Marta Kowalik sold it, the bakery would be a ruin.",
        "Did Marta Kowalik open a bakery in the harbour?",
        "“Marta Kowalik opened a bakery in the harbour.”",
        "It is not true that Marta Kowalik opened a bakery.",
        "Questions about Marta Kowalik considered in this chapter",
        "Marta Kowalik sold it to them.",
        "Marta Kowalik saw the film.",
        "The film was made by Marta Kowalik.",
        "He said that Marta Kowalik would open a bakery.",
    ],
)
def test_what_is_not_plainly_said_of_a_name_is_not_said(sentence: str) -> None:
    assert phrases(sentence) == []


def test_a_line_that_a_page_cuts_off_says_nothing() -> None:
    assert phrases("Marta Kowalik has approved the new plan f or") == []


def test_an_entry_of_a_list_needs_no_full_stop_where_its_verb_is_finite() -> None:
    text = (
        "Notes of May:\n\n- Marta Kowalik runs the northern bakery\n- Tadeusz Wolny is on leave until June\n"
    )
    reading = read_by_rules(text.encode(), "markdown", vocabulary=STATING)
    said = {
        (entity.name, attribute.name, attribute.value)
        for entities in reading.entities
        for entity in entities
        for attribute in entity.attributes
    }
    assert ("Marta Kowalik", "runs", "the northern bakery") in said


@pytest.mark.parametrize(
    "text",
    [
        "Marta Kowalik runs the northern bakery\n\nHarbour news\n\nShare this",
        "### Bakery opens Marta Kowalik runs the northern bakery.",
        "News.\n\n(Letter of the mayor, file 9626 Marta Kowalik runs the northern bakery.",
    ],
)
def test_headlines_glued_headings_and_open_brackets_say_nothing(text: str) -> None:
    """Teasers of other pages, headings that a page has within a line, and what begins within a remark."""
    assert phrases(text) == []


def test_predicates_that_share_a_passive_are_told_together() -> None:
    assert phrases("Marta Kowalik was arrested and tortured.") == [
        ("Marta Kowalik", "was", "arrested and tortured")
    ]
    assert ("Helvora Systems", "bought", "a bakery in 1999") in phrases(
        "Helvora Systems was founded in 1990 and bought a bakery in 1999."
    )


def test_what_a_claim_of_the_sentence_says_whole_is_not_said_twice() -> None:
    assert phrases("Marta Kowalik works for Helvora Systems.") == []


@pytest.mark.parametrize("seed", range(40))
def test_places_are_those_of_the_text(seed: int) -> None:
    """Any text: a statement's quote is the chunk's own, and holds predicate and text in this order."""
    source = random.Random(seed)
    names = ["Marta Kowalik", "Helvora Systems", "Ostland", "She", "It"]
    parts = (
        *("opened", "bakery", "was", "not", "1998", "and", "of", "the", "a", "which", "sold", "because"),
        *("is", "to", "by", "who"),
        *",“”();-.",
        "'s",
    )
    text = " ".join(source.choice(names if source.random() < 0.3 else parts) for _ in range(60)) + "."
    reading = read_by_rules(text.encode(), "text", vocabulary=STATING)
    for chunk, entities in zip(reading.chunks, reading.entities, strict=True):
        for entity in entities:
            for said in entity.attributes:
                quote = said.quote
                assert chunk.text[quote.start : quote.end] == quote.text
                assert str(said.value) in " ".join(quote.text.split())
                assert 0.5 < (said.confidence or 0) <= 0.9


TITLE = "Ostland Bridge"


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("Four stone towers carry a wide road.", ("Four stone towers carry", "a wide road")),
        ("The toll was raised in the spring of 1998.", ("The toll was raised", "in the spring of 1998")),
        ("There is a chapel on the northern side.", ("There is", "a chapel on the northern side")),
        (
            "Two workers were hurt in a storm, officials said on Monday.",
            ("Two workers were hurt", "in a storm, officials said on Monday"),
        ),
    ],
)  # fmt: skip
def test_what_names_nothing_is_said_of_the_topic(sentence: str, said: tuple[str, str]) -> None:
    opening = "Ostland Bridge is a landmark of the old town."
    assert (TITLE, *said) in phrases(f"{opening} {sentence}", TITLE)
    # Without a topic nobody knows of what it is said.
    assert not any(said[0] == predicate for _, predicate, _ in phrases(sentence))


@pytest.mark.parametrize(
    "sentence",
    [
        "They were closed in the spring of 1998.",
        "This rule was changed in the spring of 1998.",
        "It is not true that the towers carry the road.",
    ],
)
def test_what_was_said_before_is_no_topic(sentence: str) -> None:
    said = phrases(f"Ostland Bridge is a landmark of the old town. {sentence}", TITLE)
    assert {quote for _, quote, _ in said} <= {"is"}


def test_who_says_so_stays_with_what_is_said() -> None:
    said = phrases("Helvora Systems lost nine ships in a storm, officials said on Monday.")
    assert said == [("Helvora Systems", "lost", "nine ships in a storm, officials said on Monday")]


def test_a_purpose_stays_with_what_it_leads_to() -> None:
    said = phrases("To save money, Helvora Systems sold nine old ships.")
    assert said == [("Helvora Systems", "To save money, Helvora Systems sold", "nine old ships")]


@pytest.mark.parametrize(
    ("second", "said"),
    [
        ("After the flood it moved to a larger building.", "After the flood it moved"),
        ("In 1998 it sold nine ships to a rival.", "In 1998 it sold"),
    ],
)
def test_a_subject_pronoun_stands_for_the_subject_before(second: str, said: str) -> None:
    first = "Helvora Systems opened a branch near Ostland."
    assert said in [
        predicate for name, predicate, _ in phrases(f"{first} {second}") if name == "Helvora Systems"
    ]


@pytest.mark.parametrize(
    "text",
    [
        # Either may be meant.
        "Helvora Systems bought Ostland Bank. After the flood it moved to a larger building.",
        # Another paragraph.
        "Helvora Systems opened a branch.\n\nAfter the flood it moved to a larger building.",
        "Helvora Systems opened a branch. The rain fell. After the flood it moved to a larger building.",
    ],
)
def test_a_pronoun_for_which_another_name_may_be_meant_stands_for_none(text: str) -> None:
    assert not any("moved" in predicate for _, predicate, _ in phrases(text))


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        (
            "Helvora Systems has closed two plants in the north, already hit by floods.",
            ("Helvora Systems", "has closed", "two plants in the north, already hit by floods"),
        ),
        (
            "Air and sea travel to Ostland was suspended, stranding hundreds of passengers.",
            ("Ostland", "Air and sea travel to Ostland was", "suspended, stranding hundreds of passengers"),
        ),
        (
            "Classes in Ostland were called off.",
            ("Ostland", "Classes in Ostland were", "called off"),
        ),
        (
            "Helvora Systems, however, refused to sell its fleet.",
            ("Helvora Systems", "however, refused", "to sell its fleet"),
        ),
        (
            "Marta Kowalik said those in custody were clerks.",
            ("Marta Kowalik", "said", "those in custody were clerks"),
        ),
        (
            "Speaking to reporters, Marta Kowalik said the bridge had been sold.",
            ("Marta Kowalik", "Speaking to reporters, Marta Kowalik said", "the bridge had been sold"),
        ),
        (
            "When she wrote the preface, Marta Kowalik opened a bakery.",
            ("Marta Kowalik", "When she wrote the preface, Marta Kowalik opened", "a bakery"),
        ),
        (
            "Some of the clerks of Ostland saw the old gate.",
            ("Ostland", "Some of the clerks of Ostland saw", "the old gate"),
        ),
    ],
)  # fmt: skip
def test_all_of_a_main_clause_is_told_whatever_the_parser_makes_of_its_parts(
    sentence: str, said: tuple[str, str, str]
) -> None:
    assert said in phrases(sentence)


def test_a_semicolon_parts_what_two_clauses_say() -> None:
    said = phrases("All mice in Ostland were dead; all rats of Helvora Systems were alive.")
    assert {(name, rest) for name, _, rest in said} == {("Ostland", "dead"), ("Helvora Systems", "alive")}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "Helvora Systems is a company in Ostland. The company has four hundred clerks.",
            ("Helvora Systems", "has", "four hundred clerks"),
        ),
        (
            "Marta Kowalik attended the Ostland School. The school has around 400 children.",
            ("Ostland School", "has", "around 400 children"),
        ),
        (
            "The U-boats were hiding in the north. In 1941 they sank many ships.",
            ("U-boats", "In 1941 they sank", "many ships"),
        ),
        (
            "Ostland Bank is a bank in the north.\n\nIt was founded in 1920 by two clerks.",
            ("Ostland Bank", "was founded", "in 1920 by two clerks"),
        ),
    ],
)
def test_what_was_named_just_before_is_meant(text: str, said: tuple[str, str, str]) -> None:
    assert said in phrases(text)


@pytest.mark.parametrize(
    "text",
    [
        "Helvora Systems is a company. Ostland Bank is a company. The company has four hundred clerks.",
        "Marta Kowalik likes the Ostland School and the Zeta School. The school has around 400 children.",
        "Ostland Bank met the clerks. They sank many ships.",
    ],
)
def test_a_description_that_fits_several_stands_for_none(text: str) -> None:
    assert not any("clerks" in rest or "children" in rest or "ships" in rest for _, _, rest in phrases(text))


def test_a_noun_that_stood_before_is_not_the_topics() -> None:
    opening = "Ostland Bridge is a landmark. Two clerks sold a map of it."
    said = phrases(f"{opening} The map was burned in 1990. The bridge was closed in 1991.", "Ostland Bridge")
    assert not any("burned" in f"{predicate} {rest}" for _, predicate, rest in said)
    assert any("closed" in f"{predicate} {rest}" for _, predicate, rest in said)


def test_the_topic_is_not_told_what_another_sentence_must_explain() -> None:
    for sentence in ("Such an increase was paid by two clerks.", "Two clerks paid for this increase in May."):
        assert phrases(sentence, "Battle of Orsk") == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "Marta Kowalik, a lawyer from the north, who was elected in 2010, leads the choir of Ostland.",
            ("Marta Kowalik", "was elected", "in 2010"),
        ),
        (
            "Marta Kowalik may leave Ostland and move to a larger house.",
            ("Marta Kowalik", "may leave", "Ostland and move to a larger house"),
        ),
        (
            "Marta Kowalik told the crowds that only four hundred houses were left.",
            ("Marta Kowalik", "told", "the crowds that only four hundred houses were left"),
        ),
        (
            "Ostland Bank, built in 1911 by Jonas Berg, spans the river of the north.",
            ("Ostland Bank", "Ostland Bank, built in 1911 by Jonas Berg spans", "the river of the north"),
        ),
        (
            "The chair of the government's committee, Abdurahim Holikov, showed the amendment to deputies.",
            (
                "Abdurahim Holikov",
                "The chair of the government's committee, Abdurahim Holikov showed",
                "the amendment to deputies",
            ),
        ),
    ],
)
def test_what_stands_beside_a_name_is_told_with_its_clause(text: str, said: tuple[str, str, str]) -> None:
    assert said in phrases(text)


@pytest.mark.parametrize(
    "text",
    [
        "Roma (Gypsies) The Roma, a nomadic people believed to have come from Ostland, consisted of tribes.",
        "Though the series was able to land to cameos from Marta Kowalik, the ties were a one-way street.",
        "Stora, his historian, is a highly rated academic, but he is based in Ostland, and is not a clerk.",
        "That wave of refugees matched the 200,000 clerks who fled Ostland in 1978.",
        "SD = Standard Deviation of Ostland.",
    ],
)
def test_a_sentence_that_is_more_than_its_verb_and_names_is_not_told_whole(text: str) -> None:
    assert not any(
        verb.startswith(("Roma (", "Though", "Stora, his historian, is", "That wave", "SD"))
        for _, verb, _ in phrases(text)
    )


@pytest.mark.parametrize("name", ["Marta Kowalik", "Helvora Systems"])
@pytest.mark.parametrize(
    "verb", ["supports the old mill", "works in the harbour", "repairs ships for the fleet"]
)
@pytest.mark.parametrize("adverb", ["no longer", "never again", "almost never", "very often", "not yet"])
def test_an_adverb_with_its_own_adverb_belongs_to_the_predicate(name: str, verb: str, adverb: str) -> None:
    reading = read_by_rules(f"{name} {adverb} {verb}.".encode(), "text", "", vocabulary=STATING)
    predicates = [
        said.name for entities in reading.entities for entity in entities for said in entity.attributes
    ]
    assert all(predicate.startswith(adverb) for predicate in predicates)
    assert predicates or (adverb, verb) != ("no longer", "supports the old mill")


@pytest.mark.parametrize("opening", ["Dear Ms. Kowalik", "Marta Kowalik", "Dear Marta"])
@pytest.mark.parametrize(
    "request_text", ["thank you for your letter", "please call the office", "sign the form"]
)
def test_whom_a_letter_addresses_does_nothing(opening: str, request_text: str) -> None:
    assert phrases(f"{opening}, {request_text}.") == []
