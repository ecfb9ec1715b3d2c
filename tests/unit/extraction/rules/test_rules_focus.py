"""For whom "he" and "her" stand beyond the sentence that names somebody, and where for nobody."""

import random

import pytest

from tests.unit.extraction.rules.test_rules_phrases import phrases

WOMEN = ("Marta Kowalik", "Anna Berg", "Julia Menon")
MEN = ("Jonas Berg", "Peter Holt", "Thomas Ray")
OPENINGS = (
    "{name} founded the Ostland Choir in 1990.",
    "{name} was a painter in Ostland.",
    "{name} has called on the council to mend the roofs of Ostland.",
)
BETWEEN = ("The rehearsals were held in a barn.", "Four concerts were sold out in two days.", "")


@pytest.mark.parametrize("seed", range(12))
def test_a_pronoun_stands_for_the_only_person_told_of(seed: int) -> None:
    draw = random.Random(seed)
    pronoun, owner, people = draw.choice((("She", "Her", WOMEN), ("He", "His", MEN)))
    name = draw.choice(people)
    opening, between = draw.choice(OPENINGS).format(name=name), draw.choice(BETWEEN)
    said = phrases(
        f"{opening} {between} {pronoun} moved to a larger house in 1999. {owner} first book was a success."
    )
    assert (name, "moved", "to a larger house in 1999") in said
    assert (name, f"{owner} first book was", "a success") in said


@pytest.mark.parametrize("seed", range(12))
def test_it_stands_for_nobody_where_two_may_be_meant(seed: int) -> None:
    draw = random.Random(seed)
    pronoun, people = draw.choice((("She", WOMEN), ("He", MEN)))
    first, second = draw.sample(people, 2)
    opening = draw.choice(OPENINGS).format(name=first)
    rival = draw.choice(
        (
            f"The concerts were opened by {second}.",
            "A reporter asked for the minutes.",
            "The spokesman left the hall.",
            "One witness saw the fire.",
            f"Four clerks met {second}.",
        )
    )
    said = phrases(f"{opening} {rival} {pronoun} moved to a larger house in 1999.")
    assert not any(rest == "to a larger house in 1999" for _, _, rest in said)


@pytest.mark.parametrize(
    "rival",
    [
        "Somebody broke in.",
        "Someone left the hall.",
        "One of the guards slept.",
        "Next came the minister.",
        "Ostland Bank sued the minister.",
        "Ostland Bank gave the minister a loan.",
        "The branch is led by its founder.",
        "The hero of the town is a sailor.",
    ],
)
def test_it_stands_for_nobody_where_somebody_without_a_name_was_told_of(rival: str) -> None:
    said = phrases(f"Jonas Berg leads Ostland Bank. {rival} He moved to a larger house in 1999.")
    assert not any(rest == "to a larger house in 1999" for _, _, rest in said)


@pytest.mark.parametrize(
    "between", ["He sued the minister.", "He was a sailor.", "One was sold.", "Two branches were opened."]
)
def test_it_stands_for_the_person_told_of_where_that_one_did_it(between: str) -> None:
    said = phrases(f"Jonas Berg leads Ostland Bank. {between} He moved to a larger house in 1999.")
    assert ("Jonas Berg", "moved", "to a larger house in 1999") in said


def test_other_sex_and_other_people_of_the_sentence_are_told_apart() -> None:
    said = phrases(
        "Marta Kowalik met Peter Holt. The concerts were sold out. He moved to a larger house in 1999."
    )
    assert ("Peter Holt", "moved", "to a larger house in 1999") in said
    said = phrases("Marta Kowalik was a nurse. In his speech Peter Holt praised her plan for the north.")
    assert not any(name == "Marta Kowalik" and "praised" in verb for name, verb, _ in said)


def test_who_said_it_may_be_a_pronoun() -> None:
    said = phrases('Marta Kowalik leads the council. "The town has four hundred poor families," she said.')
    assert ("Marta Kowalik", "said", "“The town has four hundred poor families”") in said


def test_what_somebody_claims_is_told_with_the_claim() -> None:
    said = phrases(
        "Marta Kowalik claimed that the bridge would fall. He believes that Ostland Bank was sold."
    )
    assert [(name, verb) for name, verb, _ in said] == [("Marta Kowalik", "claimed")]
