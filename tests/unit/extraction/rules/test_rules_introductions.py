"""What a definite noun refers back to: the only thing of a chunk that was introduced by it."""

from dataclasses import replace

import pytest

from app.extraction.vocabulary import DEFAULT_VOCABULARY
from tests.support.rules_reading import read_by_rules

STATING = replace(DEFAULT_VOCABULARY, statements=True)
NOUNS = ["gripper", "sensor", "contract", "bakery", "turbine"]


def said_of(name: str, text: str, title: str = "Report") -> set[tuple[str, str, str]]:
    """(subject as written, predicate, rest) of each statement about a name."""
    reading = read_by_rules(text.encode(), "text", title, vocabulary=STATING)
    return {
        (said.subject, said.name, str(said.value))
        for entities in reading.entities
        for entity in entities
        for said in entity.attributes
        if entity.name == name
    }


@pytest.mark.parametrize("noun", NOUNS)
@pytest.mark.parametrize(
    "introduction",
    [
        "Bob Stone bought a {noun} in May.",
        "A new {noun} came to Westland in May.",
        "The {noun} of Ostland failed in May.",
    ],
)
def test_an_object_is_understood_after_its_introduction(noun: str, introduction: str) -> None:
    text = f"{introduction.format(noun=noun)} Marta Kowalik inspected the {noun} on Monday."
    assert ("", "inspected", f"the {noun} on Monday") in said_of("Marta Kowalik", text)


@pytest.mark.parametrize("noun", NOUNS)
@pytest.mark.parametrize(
    "before",
    [
        "",
        "They bought a {noun} in May. A second {noun} came in June.",
        "They bought two {noun}s in May.",
        "They have an old {noun} and a new {noun}.",
        "If a {noun} fails, nobody comes.",
        "Bring a {noun}?",
    ],
)
def test_an_object_says_nothing_where_none_or_several_may_be_meant(noun: str, before: str) -> None:
    text = f"{before.format(noun=noun)} Marta Kowalik inspected the {noun} on Monday."
    assert not any(predicate == "inspected" for _, predicate, _ in said_of("Marta Kowalik", text))


@pytest.mark.parametrize("noun", NOUNS)
@pytest.mark.parametrize(
    "introduction", ["A {noun} from Ostland came in May.", "The {noun} of Ostland failed in May."]
)
def test_a_subject_is_said_of_what_its_introduction_names(noun: str, introduction: str) -> None:
    text = f"{introduction.format(noun=noun)} The {noun} needed two months of repairs."
    assert (f"The {noun}", "needed", "two months of repairs") in said_of("Ostland", text)


@pytest.mark.parametrize("noun", NOUNS)
def test_a_subject_of_two_introductions_is_said_of_neither(noun: str) -> None:
    text = (
        f"A {noun} from Ostland came in May. A {noun} from Westland came in June. "
        f"The {noun} needed two months of repairs."
    )
    for name in ("Ostland", "Westland"):
        assert not any(predicate == "needed" for _, predicate, _ in said_of(name, text))


@pytest.mark.parametrize("noun", NOUNS)
def test_a_thing_that_names_nothing_is_not_said_of_the_topic(noun: str) -> None:
    text = f"Ostland is small. A {noun} came in May. The {noun} needed two months of repairs."
    assert not any(predicate == "needed" for _, predicate, _ in said_of("Ostland", text, "Ostland"))


@pytest.mark.parametrize("noun", NOUNS)
def test_a_thing_that_names_nothing_is_said_of_the_names_behind_it(noun: str) -> None:
    text = f"Ostland is small. A {noun} came in May. The {noun} belongs to Marta Kowalik."
    assert (f"The {noun}", "belongs", "to Marta Kowalik") in said_of("Marta Kowalik", text, "Ostland")


def test_a_noun_of_the_title_is_what_the_document_is_about() -> None:
    text = "Marta Kowalik closed the session at nine."
    assert said_of("Marta Kowalik", text, "Notes of the council's session") == {
        ("", "closed", "the session at nine")
    }
    assert not said_of("Marta Kowalik", text, "Notes of the council")


def joined_by(verb: str, text: str, title: str = "Report") -> set[tuple[str, str]]:
    """The two ends of each relation with this verb."""
    reading = read_by_rules(text.encode(), "text", title, vocabulary=STATING)
    return {
        (entities[relation.from_entity].name, entities[relation.to_entity].name)
        for entities, relations in zip(reading.entities, reading.relations, strict=True)
        for relation in relations
        if relation.relation_type == verb
    }


HEADS = ["bridge", "laboratory", "foundry", "archive", "viaduct"]


@pytest.mark.parametrize("noun", HEADS)
@pytest.mark.parametrize(
    "sentence",
    [
        "Marta Kowalik inspected the {noun}.",
        "Marta Kowalik inspected the {noun} in 1931.",
        "In 1931 the {noun} was inspected by Marta Kowalik.",
    ],
)
def test_the_noun_of_a_name_means_the_only_thing_of_that_name(noun: str, sentence: str) -> None:
    name = f"Harrow Bay {noun.title()}"
    text = f"The {name} stands in Ostland. {sentence.format(noun=noun)}"
    verb, ends = "inspected", ("Marta Kowalik", name)
    if "was" in sentence:
        verb, ends = "was_inspected_by", ends[::-1]
    assert ends in joined_by(verb, text)


@pytest.mark.parametrize("noun", HEADS)
@pytest.mark.parametrize(
    "text",
    [
        "Harrow Bay {name} stands in Ostland. Tolman {name} stands in Westland. {sentence}",
        "Harrow Bay {name} stands in Ostland. A new {noun} came to Westland. {sentence}",
        "Harrow Bay {name} stands in Ostland. Marta Kowalik left Tolman {name} and inspected the {noun}.",
        "Harrow Bay {name} stands in Ostland. Marta Kowalik inspected the {noun} of Westland.",
        "Harrow Bay {name} stands in Ostland. Marta Kowalik inspected the old {noun}.",
        "Harrow Bay {name} stands in Ostland. Marta Kowalik inspected a {noun}.",
        "Harrow Bay {name} stands in Ostland. Marta Kowalik inspected the {noun} door.",
    ],
)
def test_the_noun_of_a_name_means_nothing_where_another_thing_may_be_meant(noun: str, text: str) -> None:
    sentence = f"Marta Kowalik inspected the {noun}."
    assert not joined_by("inspected", text.format(noun=noun, name=noun.title(), sentence=sentence))


@pytest.mark.parametrize("noun", HEADS)
def test_the_noun_of_the_title_is_not_another_thing_of_that_noun(noun: str) -> None:
    text = f"Tolman {noun.title()} stands in Westland. Marta Kowalik inspected the {noun}."
    assert joined_by("inspected", text) == {("Marta Kowalik", f"Tolman {noun.title()}")}
    assert not joined_by("inspected", text, f"Harrow Bay {noun.title()}")


def test_a_word_that_is_a_whole_name_is_another_word_without_its_capital() -> None:
    assert not joined_by("inspected", "Orchard is a firm in Ostland. Marta Kowalik inspected the orchard.")


@pytest.mark.parametrize(
    ("name", "noun"),
    [
        ("Isle of Man", "man"),
        ("Museum of Modern Art", "art"),
        ("Centre for Ecology", "ecology"),
        ("Google Glass", "glass"),
        ("Burger King", "king"),
        ("Apache Spark", "spark"),
        ("The Hound of the Baskervilles", "hound"),
    ],
)
def test_a_noun_that_does_not_say_what_the_name_is_means_something_else(name: str, noun: str) -> None:
    text = f"{name} is known in Ostland. Marta Kowalik inspected the {noun}."
    assert not joined_by("inspected", text)


@pytest.mark.parametrize(
    ("name", "noun"),
    [
        ("Isle of Man", "isle"),
        ("Museum of Modern Art", "museum"),
        ("Centre for Ecology", "centre"),
        ("Bank of Westland", "bank"),
        ("Treaty of Ostheim", "treaty"),
    ],
)
def test_the_noun_of_a_name_may_stand_before_a_preposition(name: str, noun: str) -> None:
    text = f"The {name} is known in Ostland. Marta Kowalik inspected the {noun}."
    assert ("Marta Kowalik", name) in joined_by("inspected", text)


@pytest.mark.parametrize(
    ("name", "noun"), [("Westland City", "city"), ("Silver Lake", "lake"), ("Iron Mountain", "mountain")]
)
@pytest.mark.parametrize(
    ("sentence", "is_place"),
    [
        ("{} signed Tom Reed in 1990.", False),
        ("{} sells jackets in forty countries.", False),
        ("{}, a company, was sold in 1990.", False),
        ("{} is a company from Leeds.", False),
        ("{} lies north of Leeds.", True),
        ("{} has two harbours.", True),
        ("Tom Reed was born near {}.", True),
    ],
)
def test_a_name_that_acts_is_no_place_of_its_noun(
    name: str, noun: str, sentence: str, is_place: bool
) -> None:
    text = f"{sentence.format(name)} Marta Kowalik painted the {noun} in 1995."
    assert (("Marta Kowalik", name) in joined_by("painted", text)) is is_place


@pytest.mark.parametrize(
    ("front", "place"),
    [
        ("Repairs are done by Novak Service in {}", "Vienna"),
        ("The bridge was sold to Tolman Steel of {}", "Leeds"),
    ],
)
def test_a_clause_behind_two_names_is_said_of_neither(front: str, place: str) -> None:
    text = f"{front.format(place)}, which also sells spare parts."
    assert not any(predicate == "also sells" for _, predicate, _ in said_of(place, text))


def test_one_sentence_describes_a_place_by_one_noun() -> None:
    text = "Harrow Bridge stands in Ostland. Marta Kowalik painted the bridge for the town."
    reading = read_by_rules(text.encode(), "text", "Harrow Bridge", vocabulary=STATING)
    assert {said.value for entities in reading.entities for entity in entities for said in entity.attributes}
    assert not joined_by("painted_bridge_for", text, "Harrow Bridge")


@pytest.mark.parametrize("verb", ["directed", "has directed"])
@pytest.mark.parametrize(
    "text",
    [
        "Marta Kowalik {verb} Harrow Institute.",
        "Harrow Institute is in Ostland. Marta Kowalik {verb} the institute.",
    ],
)
def test_a_verb_of_works_does_not_say_who_created_a_group(verb: str, text: str) -> None:
    assert not joined_by("created", text.format(verb=verb))
    assert joined_by("created", f"Blue Valley is a film. Marta Kowalik {verb} Blue Valley.")


@pytest.mark.parametrize(
    "before",
    [
        "After his brother left for Bombay, the house in Marlow had felt empty.",
        "Tom Hale moved to Bombay and bought a house.",
        "The ship to Bombay passed the old house.",
    ],
)
def test_a_noun_after_a_name_does_not_describe_it(before: str) -> None:
    """Only a copula, an apposition or the noun right after the name says what it is."""
    assert not joined_by("owns", f"{before} Ann Lee, who owned the house, wrote to him.")


@pytest.mark.parametrize(
    "before",
    [
        "Kite Corp. is a Danish bank.",
        "Kite Corp., a large bank, met Tarn Corp., a school.",
        "The Kite Corp. bank met the Tarn Corp. school.",
    ],
)
def test_a_noun_that_describes_a_name_means_it(before: str) -> None:
    assert joined_by("owns", f"{before} Ann Lee owns the bank.") == {("Ann Lee", "Kite Corp.")}
