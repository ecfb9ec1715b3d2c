"""Whose kin a possessive means, and what is no post."""

import pytest

from tests.unit.extraction.rules.test_rules_predicates import stated

PEOPLE = [("Tom Reed", "Eva Berg"), ("Max Holm", "Ida Lind"), ("Karl Stone", "Mary Field")]


def related(text: str, first: str, second: str) -> set[str]:
    return {relation for source, relation, target in stated(text) if {source, target} == {first, second}}


@pytest.mark.parametrize(("father", "mother"), PEOPLE)
@pytest.mark.parametrize(
    "text",
    [
        "His father, {}, was a geologist and his mother, {}, is a nurse.",
        "His father, {}, is a painter, and his mother, {}, a teacher.",
        "His father {} was a miller and his mother {} a baker.",
    ],
)
def test_two_kin_of_one_possessive_are_kin_of_one_person(text: str, father: str, mother: str) -> None:
    text = f"Bob Ray was born in Oslo. {text.format(father, mother)}"
    assert related(text, father, "Bob Ray") == {"parent_of"}
    assert not related(text, father, mother)


@pytest.mark.parametrize(("father", "mother"), PEOPLE)
def test_without_a_known_owner_they_are_kin_of_nobody(father: str, mother: str) -> None:
    text = f"His father, {father}, was a geologist and his mother, {mother}, is a nurse."
    assert not related(text, father, mother)


@pytest.mark.parametrize(("man", "woman"), PEOPLE)
def test_another_possessive_may_mean_the_kin(man: str, woman: str) -> None:
    text = f"Her father, {man}, was a geologist, and his mother, {woman}, is a nurse."
    assert related(text, man, woman) <= {"parent_of"}


@pytest.mark.parametrize("thing", ["Zorba", "Quandel", "Vexil", "Hadrin", "Orlum"])
def test_who_joins_something_of_unknown_kind_does_not_work_for_it(thing: str) -> None:
    assert not related(f"Ann Lee joins {thing} and the other players in the town.", "Ann Lee", thing)


@pytest.mark.parametrize("school", ["Acme Corporation", "Northwind Bank", "Taldora School"])
@pytest.mark.parametrize("day", ["May 3, 2019", "3 May 2019", "September 20, 2017"])
def test_where_somebody_is_on_a_day_is_a_venue(school: str, day: str) -> None:
    assert "works_for" not in related(f"They saw Ann Lee at {school} on {day}.", "Ann Lee", school)


@pytest.mark.parametrize("company", ["Acme Corporation", "Northwind Bank"])
def test_without_a_day_it_is_where_somebody_works(company: str) -> None:
    assert "works_for" in related(f"They wrote to Ann Lee at {company}.", "Ann Lee", company)


@pytest.mark.parametrize("general", ["Abd al-Karim Qasim", "Olu Adeyemi", "Sefa Tuilagi"])
def test_a_name_that_tells_no_sex_is_not_preferred_to_nobody(general: str) -> None:
    text = f"Max Holm was the minister of General {general}. Her mother Ida Lind was an artist."
    assert not related(text, "Ida Lind", general)
