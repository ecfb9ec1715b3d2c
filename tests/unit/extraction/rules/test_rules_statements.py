"""Requirement 5: statements of clauses that no rule is written for, in spaces that keep any verb."""

import random
from dataclasses import replace
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.extraction.reader.pipeline import Parse
from app.extraction.rules.claims.units import Unit
from app.extraction.rules.joined_names import find_names_joined_by_clauses
from app.extraction.rules.syntax import MAX_SENTENCE_LENGTH, Tree
from app.extraction.vocabulary import DEFAULT_VOCABULARY
from tests.support.rules_reading import read_by_rules

OPEN = replace(DEFAULT_VOCABULARY, statements=True)
NAMES = ("Marta Kowalik", "Jonas Berg", "Helvora Systems", "Tarn Robotics", "Ostland Bank", "Ravi Menon")
# None of them means a relation type.
VERBS = ("audited", "sued", "criticised", "visited", "contacted", "praised", "ignored", "warned")
RELATIONS = (
    "root",
    "conj",
    "acl",
    "acl:relcl",
    "nsubj",
    "nsubj:pass",
    "obj",
    "obl",
    "nmod",
    "case",
    "cc",
    "cop",
)


def stated(text: str, *, title: str = "Notes") -> set[tuple[str, str, str]]:
    """Source, relation type and target of all that is read in the text."""
    reading = read_by_rules(text.encode(), "text", title, vocabulary=OPEN)
    return {
        (entities[relation.from_entity].name, relation.relation_type, entities[relation.to_entity].name)
        for entities, relations in zip(reading.entities, reading.relations, strict=True)
        for relation in relations
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Helvora Systems sponsors the Tarn Robotics team.", set()),
        ("Jonas Berg criticised Ostland Bank.", {("Jonas Berg", "criticised", "Ostland Bank")}),
        (
            "Ostland Bank was audited by Helvora Systems.",
            {("Ostland Bank", "was_audited_by", "Helvora Systems")},
        ),
        (
            "Ravi Menon is the auditor of Ostland Bank.",
            {("Ravi Menon", "is_auditor_of", "Ostland Bank")},
        ),
        (
            "Ravi Menon gave a lecture at Ostland Bank.",
            {("Ravi Menon", "gave_lecture_at", "Ostland Bank")},
        ),
        (
            "Ravi Menon had been praised in May 2019 by Ostland Bank.",
            {("Ravi Menon", "had_been_praised_by", "Ostland Bank")},
        ),
        ("Ravi Menon is in the pay of Ostland Bank.", {("Ravi Menon", "is_in_pay_of", "Ostland Bank")}),
        (
            "Ravi Menon is an auditor who criticised Ostland Bank.",
            {("Ravi Menon", "criticised", "Ostland Bank")},
        ),
        (
            "Ravi Menon returned to Ostland Bank with two auditors.",
            {("Ravi Menon", "returned_to", "Ostland Bank")},
        ),
        ("Ravi Menon returned to Ostland Bank without success.", set()),
        (
            "Ravi Menon, an auditor of Ostland Bank, was ill.",
            {("Ravi Menon", "auditor_of", "Ostland Bank")},
        ),
        (
            "Marta Kowalik visited Helvora Systems and Tarn Robotics.",
            {
                ("Marta Kowalik", "visited", "Helvora Systems"),
                ("Marta Kowalik", "visited", "Tarn Robotics"),
            },
        ),
    ],
)
def test_a_clause_joins_what_it_names(text: str, expected: set[tuple[str, str, str]]) -> None:
    assert stated(text) == expected


@pytest.mark.parametrize(
    "frame",
    [
        "{} did not criticise {}.",
        "{} never criticised {}.",
        "{} may have criticised {}.",
        "{} would criticise {}.",
        "{} will criticise {}.",
        "{} allegedly criticised {}.",
        "{} wanted to criticise {}.",
        "If {} criticised {}, nobody noticed.",
        "Has {} criticised {}?",
        "According to the report, {} criticised {}.",
        "The report says that {} criticised {}.",
        "{} or somebody else criticised no {}.",
        "Nobody at {} criticised {}.",
        "{} is no longer audited by {}.",
        "{} hardly ever criticised {}.",
        "{} probably criticised {}.",
        "Perhaps {} criticised {}.",
        "{} or somebody else criticised {}.",
        "{} criticised {} or somebody else.",
    ],
)
def test_what_is_not_said_to_hold_is_no_statement(frame: str) -> None:
    for one, other in product(NAMES[:3], NAMES[3:]):
        assert stated(frame.format(one, other)) == set()


@pytest.mark.parametrize(
    "frame",
    [
        "{one} invited {other} to criticise {third}.",
        "{one} decided to criticise {other}.",
        "{one} regarded {other} as a threat.",
        "{one} mediated between {other} and {third}.",
        "The war between {third} and {one} annoyed {other}.",
        "The minister said: “{one} criticised {other}.”",
        "“We know well that {one} criticised {other} for a long time and with reason,” the minister said.",
        "{one} criticised the friends of the {other} team.",
    ],
)
def test_a_clause_with_words_that_are_not_understood_joins_no_two(frame: str) -> None:
    for one, other in product(NAMES[:3], NAMES[3:]):
        text = frame.format(one=one, other=other, third="Borg Motors")
        assert not any({statement[0], statement[2]} == {one, other} for statement in stated(text)), text


@pytest.mark.parametrize("longer", ["{}: The Winter Soldier", "‘{} and the Lanterns’", "the {} committee"])
def test_a_part_of_a_longer_name_is_no_end(longer: str) -> None:
    for one, other in product(NAMES[:2], ("Tarn Robotics", "Ostland Bank")):
        assert not any(fact[2] == other for fact in stated(f"{one} criticised {longer.format(other)}."))


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("Helvora Systems audited Ostland Bank in May 2019.", "2019-05-01", None),
        ("Helvora Systems audited Ostland Bank from 2010 to 2015.", "2010-01-01", "2015-01-01"),
        ("Helvora Systems was audited by Ostland Bank until 2018.", None, "2018-01-01"),
        ("Ravi Menon, who was born in 1960, criticised Ostland Bank.", None, None),
    ],
)
def test_a_statement_has_the_date_that_hangs_on_its_verb(
    text: str, since: str | None, until: str | None
) -> None:
    reading = read_by_rules(text.encode(), "text", "Notes", vocabulary=OPEN)
    (found,) = (relation for relations in reading.relations for relation in relations)
    dates = [
        None if stated_date is None else f"{stated_date.at:%Y-%m-%d}"
        for stated_date in (found.valid_from, found.valid_to)
    ]
    assert dates == [since, until]


@pytest.mark.parametrize("version", ["", " 3.2", " 15", " v7", " 12.0.1"])
@pytest.mark.parametrize(
    ("frame", "predicate"),
    [
        ("Tarn Robotics contacted Helvora{0}.", "contacted"),
        ("Tarn Robotics praised Helvora{0} in May.", "praised"),
    ],
)
def test_a_version_is_a_part_of_the_name_before_it(version: str, frame: str, predicate: str) -> None:
    ((source, relation, target),) = stated(frame.format(version))
    assert (source, relation, target.split()[0]) == ("Tarn Robotics", predicate, "Helvora")


@pytest.mark.parametrize("things", ["15 trucks", "3.2 tonnes", "20 times"])
def test_a_number_of_things_is_no_version(things: str) -> None:
    assert not stated(f"Tarn Robotics sent Helvora {things}.")


@pytest.mark.parametrize("mark", ["5. ", "- ", "* ", "12) "])
def test_the_mark_of_a_list_item_opens_no_subject(mark: str) -> None:
    text = f"{mark}Marta Kowalik was asked to review the old contract.\n{mark}Jonas Berg agreed at once."
    reading = read_by_rules(text.encode(), "text", "Notes", vocabulary=OPEN)
    subjects = {said.subject for found in reading.entities for entity in found for said in entity.attributes}
    assert subjects == {""}


def test_what_names_are_made_of_decides_little() -> None:
    """A name such as "Ostland Bank" behind a participle was an audited bank to the parser."""
    names = ("Helvora Systems", "Ostland Bank", "Tarn Robotics", "Borg Motors", "Falcon Software")
    pairs = list(product(names, names, VERBS))
    asked = [(one, verb, other) for one, other, verb in pairs if one != other]
    read = sum((one, verb, other) in stated(f"{one} {verb} {other}.") for one, verb, other in asked)
    assert read > 0.8 * len(asked)


def test_no_statement_is_turned_round() -> None:
    found = 0
    for verb, (one, other) in product(VERBS, pairwise(NAMES)):
        active, passive = stated(f"{one} {verb} {other}."), stated(f"{one} was {verb} by {other}.")
        assert {fact[0] for fact in active | passive} <= {one}
        assert {relation for _, relation, _ in active} <= {verb}
        assert {relation for _, relation, _ in passive} <= {f"was_{verb}_by"}
        found += len(active) + len(passive)
    assert found > 0.8 * 2 * len(VERBS) * (len(NAMES) - 1)


def test_a_space_that_keeps_no_other_verbs_has_none() -> None:
    text = b"Jonas Berg criticised Ostland Bank."
    reading = read_by_rules(text, "text", "Notes", vocabulary=DEFAULT_VOCABULARY)
    assert [relation for relations in reading.relations for relation in relations] == []


def test_what_was_once_so_is_no_claim_that_it_is() -> None:
    """Requirement 19.3: nothing says that she works for him still, and the rules did not say so."""
    assert stated("Ada Lovelace worked for Charles Babbage.") == set()


def test_a_claim_of_the_rules_goes_before() -> None:
    """One fact is one edge: of a pair that a claim joins no statement is read."""
    relations = {relation for _, relation, _ in stated("Jonas Berg works for Ostland Bank.")}
    assert relations == {"works_for"}


@settings(max_examples=300)
@given(
    size=st.integers(1, MAX_SENTENCE_LENGTH + 20),
    seed=st.integers(0, 2**32 - 1),
    one_relation=st.sampled_from((None, *RELATIONS)),
)
def test_whatever_tree_and_relations_the_network_gives_reading_ends(
    size: int, seed: int, one_relation: str | None
) -> None:
    """Trees have no cycle; relations are free: the root may be labelled as something that hangs on it."""
    chance = random.Random(seed)
    heads = [at and chance.randrange(at) for at in range(size)]
    relations = [one_relation or chance.choice(RELATIONS) for _ in range(size)]
    parse = Parse(
        [chance.choice(("VERB", "NOUN", "PROPN", "ADP")) for _ in range(size)],
        ["x"] * size,
        heads,
        relations,
        [1.0] * size,
    )
    units = {
        at: Unit(at, at + 1, [at], "Concept", is_certain=False) for at in range(size) if chance.random() < 0.4
    }
    assert len(list(find_names_joined_by_clauses(Tree.from_parse(["x"] * size, parse, units)))) <= size**3


@pytest.mark.parametrize(
    ("number", "predicate"), [("9", "holds_9_percent_of"), ("nine", "holds_nine_percent_of")]
)
def test_a_number_stays_in_the_predicate(number: str, predicate: str) -> None:
    sentence = f"Helvora Systems holds {number} percent of Ostland Bank."
    assert stated(sentence) == {("Helvora Systems", predicate, "Ostland Bank")}


@pytest.mark.parametrize("number", ["9.5", "1,200", "½", "24/7"])
def test_a_number_that_a_predicate_cannot_hold_joins_no_two(number: str) -> None:
    assert stated(f"Helvora Systems holds {number} shares of Ostland Bank.") == set()


def test_a_predicate_that_reaches_the_beginning_of_its_subject_has_none() -> None:
    """The network takes "were" for a part of the verb, and the words before it for the subject."""
    sentence = (
        "So far were the Americans now willing to go in order to win firm British agreement to a definite"
        " cross-Channel operation with a definite target date."
    )
    assert stated(sentence) == set()
