"""What joins two names has to be sure where something is not understood (issue 23, item 4)."""

import random

import pytest

from app.extraction.reader.pipeline import Parse
from app.extraction.rules.claims.clause_limits import can_words_between_relate, is_about_other_person
from app.extraction.rules.claims.units import Unit
from app.extraction.rules.sentences import Sentence
from app.extraction.rules.syntax import Tree
from tests.unit.extraction.rules.test_rules_predicates import stated

COMPANIES = ("Acme Corporation", "Brenwick Systems", "Taldora Ltd.")
LONG_END = "in a long statement to the press that many people of the town have read with great interest."


def related(text: str, first: str, second: str) -> set[str]:
    return {relation for source, relation, target in stated(text) if {source, target} == {first, second}}


@pytest.mark.parametrize("thing", ["Vexil", "Zorba", "Quandel"])
@pytest.mark.parametrize(
    "text",
    [
        "The people of Oslo may join a tour of the newest rooms, the {}, hosted by Ann Lee and by Bob Ray,"
        " who both live near the harbour.",
        "Read the letters of the last year, visit the {}, and write to the office, whose chief, Ann Lee, was"
        " made responsible for this work.",
    ],
)
def test_a_long_sentence_in_doubt_states_nothing_of_a_name_of_unknown_kind(thing: str, text: str) -> None:
    assert not related(text.format(thing), "Ann Lee", thing)


@pytest.mark.parametrize("thing", ["Vexil", "Zorba", "Quandel"])
def test_a_short_sentence_states_it(thing: str) -> None:
    assert related(f"Acme Corporation uses {thing}.", "Acme Corporation", thing) == {"uses"}


@pytest.mark.parametrize("thing", ["Vexil", "Zorba"])
@pytest.mark.parametrize("verb", ["joined", "rejoined", "published"])
def test_a_verb_of_several_relations_states_none_of_a_name_of_unknown_kind(thing: str, verb: str) -> None:
    assert not related(f"The {thing} {verb} the Falcon in 2019.", thing, "Falcon")


@pytest.mark.parametrize("company", COMPANIES)
def test_a_verb_of_several_relations_states_that_of_the_kinds(company: str) -> None:
    assert related(f"Ann Lee joined {company} in 2019.", "Ann Lee", company) == {"works_for"}


@pytest.mark.parametrize("company", ["Acme Corporation", "Brenwick Systems"])
def test_what_a_speaker_is_called_is_not_the_quoted_subject_s(company: str) -> None:
    text = (
        f'"{company} is excited to bring its first ride to Oslo next year," said Ann Lee, Executive Vice'
        f" President and Managing Director of Taldora Ltd. {LONG_END}"
    )
    assert not related(text, company, "Taldora Ltd.")
    assert "works_for" in related(text, "Ann Lee", "Taldora Ltd.")


@pytest.mark.parametrize("company", COMPANIES)
def test_a_source_is_not_where_something_else_happens(company: str) -> None:
    text = f"According to {company}, most of the accidents happened in the greater Oslo area."
    assert not related(text, company, "Oslo")


def test_one_subject_does_something_to_both_names() -> None:
    text = "It adopted the Vexil Convention and established the Oslo Court, which began work in 1902."
    assert not related(text, "Vexil Convention", "Oslo Court")


@pytest.mark.parametrize(
    "text",
    [
        "They came from Egypt and Jordan, Israel's war went on.",
        "He visited Asia, Jordan and Israel.",
        "The rains hit Australia (Victoria, Queensland) and Fiji.",
    ],
)
def test_places_of_a_list_are_in_no_other(text: str) -> None:
    assert not {claim for claim in stated(text) if claim[1] in ("within", "located_in")}


def test_places_of_an_address_stay() -> None:
    assert ("Paris", "within", "France") in stated("The fair was held in Paris, France, last year.")


def test_an_owner_has_the_office_only_of_what_it_owns() -> None:
    text = "Bob Ray is head of the Netherlands' Institute for Water."
    assert not related(text, "Bob Ray", "Netherlands")
    assert related("Bob Ray is head of the Netherlands.", "Bob Ray", "Netherlands") == {"head_of"}


@pytest.mark.parametrize("person", ["Tom Hardy", "Ann Lee"])
def test_only_a_noun_says_that_a_person_made_the_work(person: str) -> None:
    bare = f"The film shows {person}'s Tides. Tides is a film."
    named = f"The film shows {person}'s film Tides. Tides is a film."
    assert not related(bare, person, "Tides")
    assert related(named, person, "Tides") == {"created"}


def test_a_spouse_after_a_comma_is_the_nearest_person_s() -> None:
    text = "Karl Berg acts as Bob Ray, his wife Eva Ray died."
    assert not related(text, "Karl Berg", "Eva Ray")


@pytest.mark.parametrize(
    "item", ["Printable version of the page", "A small image, likely a logo, icon or avatar"]
)
def test_a_line_with_room_for_the_next_word_ends_there(item: str) -> None:
    text = (
        f"Mail this to a friend\n{item}\nGovernor Ann Lee\nMr Bob Ray says that the town was slow to react to"
        " all the riots of the last three years."
    )
    assert not {source for source, _, _ in stated(text) if "Ann Lee Mr" in source}


def test_a_wrapped_line_does_not_end_a_sentence() -> None:
    text = (
        "The old firm of the town was closed, and Acme Corporation bought\n"
        "Brenwick Systems in the year 2019 for a sum that nobody knows well."
    )
    assert related(text, "Acme Corporation", "Brenwick Systems") == {"owns"}


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("one_relation", ["conj", "appos", "nsubj", "obj"])
def test_limits_are_found_in_whatever_tree_the_network_gives(seed: int, one_relation: str) -> None:
    """The root may be labelled as something that hangs on another word: nothing may look for its head."""
    chance, size = random.Random(seed), 30
    heads = [at and chance.randrange(at) for at in range(size)]
    parse = Parse(["PROPN"] * size, ["x"] * size, heads, [one_relation] * size, [1.0] * size)
    units = {at: Unit(at, at + 1, [at], "Person", is_certain=True) for at in range(0, size, 5)}
    tree = Tree.from_parse(["x"] * size, parse, units)
    sentence = Sentence(0, size, ["x"] * size, ["x"] * size, list(range(size)), list(range(1, size + 1)))
    for source in units.values():
        for target in units.values():
            is_about_other = is_about_other_person(tree, sentence, source, target)
            # All names of one list share what is said of them.
            assert not (is_about_other and one_relation == "conj")
            can_words_between_relate(tree, sentence, source, target)
    if one_relation == "conj":
        assert {tree.find_first_conjunct(word) for word in range(size)} == {0}
