"""What a clause says of somebody or something else than the two names is no claim about these."""

import pytest

from tests.unit.extraction.rules.test_rules_predicates import stated

COMPANIES = ("Acme Corporation", "Brenwick Systems", "Taldora Ltd.")


def related(text: str, first: str, second: str) -> set[str]:
    return {relation for source, relation, target in stated(text) if {source, target} == {first, second}}


@pytest.mark.parametrize("company", ["Acme Corporation", "Taldora Ltd.", "Norvik Bank"])
@pytest.mark.parametrize(
    "text",
    [
        "They read about the arrest by {} in Norway.",
        "They met after a protest against {} in Norway.",
        "They joined the protest against {} in Norway.",
        "She wrote of an attack by {} in Norway.",
        "Nobody knew of the visit by {} in Norway.",
    ],
)
def test_a_place_after_a_name_is_that_of_the_event_in_which_it_has_a_part(company: str, text: str) -> None:
    assert not related(text.format(company), company, "Norway")


@pytest.mark.parametrize("company", COMPANIES)
@pytest.mark.parametrize(
    "text",
    [
        "He worked at {} in Norway.",
        "She is the manager of {} in Norway.",
        "She met the head of {} in Norway.",
    ],
)
def test_a_place_after_a_name_is_else_its_own(company: str, text: str) -> None:
    assert related(text.format(company), company, "Norway") == {"located_in"}


@pytest.mark.parametrize("lakes", ["Great Lakes", "Alps", "Andes"])
def test_one_of_several_is_in_the_place_after_a_comma(lakes: str) -> None:
    text = f"Leeds is a town on the shores of Lake Erie, one of the {lakes}, in Norway."
    assert not related(text, lakes, "Norway")


@pytest.mark.parametrize("company", COMPANIES)
@pytest.mark.parametrize(
    "text",
    [
        "{} started a campaign to persuade users to stop using Python.",
        "{} asked the developers to use Python.",
        "{} told its clients to use Python.",
        "{} forced every supplier to adopt Python.",
        "{} wants its partners to use Python.",
    ],
)
def test_the_object_of_a_verb_is_the_subject_of_the_infinitive_after_it(company: str, text: str) -> None:
    assert not related(text.format(company), company, "Python")


@pytest.mark.parametrize("company", COMPANIES)
@pytest.mark.parametrize("text", ["{} uses Python.", "{} decided to use Python.", "{} began to use Python."])
def test_an_infinitive_without_such_an_object_is_the_subject_s(company: str, text: str) -> None:
    assert related(text.format(company), company, "Python") <= {"uses"}


@pytest.mark.parametrize("body", ["Supreme Court", "Norwegian Parliament", "Royal Society"])
@pytest.mark.parametrize(
    "text",
    [
        "The king has nominated Ann Lee to become the next member of the {}.",
        "The king asked Ann Lee to become a member of the {}.",
        "The king wants Ann Lee to be a member of the {}.",
    ],
)
def test_somebody_meant_to_become_a_member_is_none(body: str, text: str) -> None:
    assert not related(text.format(body), "Ann Lee", body)


@pytest.mark.parametrize("body", ["Supreme Court", "Royal Society"])
def test_somebody_who_became_a_member_is_one(body: str) -> None:
    assert related(f"Ann Lee became a member of the {body}.", "Ann Lee", body) == {"member_of"}


@pytest.mark.parametrize("company", COMPANIES)
@pytest.mark.parametrize("kin", ["father", "mother", "brother", "wife", "son"])
def test_what_the_kin_of_somebody_did_is_not_said_of_somebody(company: str, kin: str) -> None:
    text = f"Ann Lee was born in Oslo. Her {kin} was the head of {company}."
    assert not related(text, "Ann Lee", company)
    assert not related(f"Ann Lee's {kin} was the head of {company}.", "Ann Lee", company)


@pytest.mark.parametrize("company", COMPANIES)
def test_a_role_is_held_by_what_the_clause_names(company: str) -> None:
    assert "created" in related(f"{company}'s founder is Ann Lee.", company, "Ann Lee")


@pytest.mark.parametrize("place", ["Sweden", "France", "Italy"])
@pytest.mark.parametrize("description", ["now part of {}", "then a part of {}", "a part of {}"])
def test_a_description_belongs_to_the_name_before_it(place: str, description: str) -> None:
    text = f"Ann Lee was born in Lund, in the duchy of Scania, {description.format(place)}."
    assert not related(text, "Ann Lee", place) & {"part_of", "within"}


@pytest.mark.parametrize("people", ["Rohingya", "Uyghur", "Mohawk"])
def test_one_of_a_people_is_not_the_people(people: str) -> None:
    text = f"The report quotes a 40-year-old {people} living in exile in Thailand."
    assert not related(text, people, "Thailand")


@pytest.mark.parametrize("show", ["Wrecking Ball", "Glass Hill", "Red Harbour"])
def test_a_name_in_an_adjective_is_no_end(show: str) -> None:
    text = f'Ann Lee played Eva Berg in a "{show}"-inspired part of the show.'
    assert not related(text, "Ann Lee", show)
    assert not related(text, "Eva Berg", show)


@pytest.mark.parametrize("actor", ["Ann Lee", "Eva Berg", "Tom Reed"])
@pytest.mark.parametrize("verb", ["revealed", "announced", "presented", "praised"])
def test_a_participle_after_a_name_is_said_of_that_name(actor: str, verb: str) -> None:
    text = f"Feldmar {verb} Glass Hill, starring {actor} and Bob Ray, on Monday."
    assert not related(text, "Feldmar", actor)
    assert not related(text, "Feldmar", "Bob Ray")


@pytest.mark.parametrize("company", COMPANIES)
def test_a_participle_after_a_name_of_another_kind_is_the_subject_s(company: str) -> None:
    text = f"Ann Lee left Northwind Bank, joining {company}."
    assert related(text, "Northwind Bank", company) == set()


@pytest.mark.parametrize("other", ["Tom Reed", "Karl Berg", "Max Holm"])
def test_a_pronoun_in_a_clause_about_another_person_is_unclear(other: str) -> None:
    text = f"Bob Ray promised {other}, who stayed away from his daughter, Eva Lind, that he would come."
    assert not related(text, "Bob Ray", "Eva Lind")


@pytest.mark.parametrize("body", ["Security Council", "Royal Society", "European Union"])
@pytest.mark.parametrize("verb", ["backed", "described", "proposed", "saw", "imagined"])
def test_what_a_verb_takes_its_object_for_is_not_what_it_is(body: str, verb: str) -> None:
    text = f"The king {verb} India as a permanent member of the {body}."
    assert not related(text, "India", body)


@pytest.mark.parametrize("company", COMPANIES[:2])
def test_an_appointment_is_still_read(company: str) -> None:
    assert "head_of" in related(f"Northwind Bank appointed Ann Lee as CEO of {company}.", "Ann Lee", company)


@pytest.mark.parametrize("company", COMPANIES)
@pytest.mark.parametrize(
    "fiction", ["the film", "the latest Heron movie", "the second novel", "a play", "the show"]
)
def test_what_happens_in_fiction_is_not_said_of_the_actor(company: str, fiction: str) -> None:
    assert not related(f"Ann Lee works at {company} in {fiction}.", "Ann Lee", company)


@pytest.mark.parametrize("company", COMPANIES)
@pytest.mark.parametrize("place", ["Oslo", "the old town", "the north"])
def test_a_place_of_work_is_no_fiction(company: str, place: str) -> None:
    assert related(f"Ann Lee works at {company} in {place}.", "Ann Lee", company) == {"works_for"}


@pytest.mark.parametrize("product", ["Falcon", "Vexil", "Heron"])
@pytest.mark.parametrize("rest", ["look good in comparison", "work", "seem old", "run faster", "fail"])
def test_who_makes_a_thing_do_something_has_not_made_it(product: str, rest: str) -> None:
    assert not related(f"Ann Lee makes {product} {rest}.", "Ann Lee", product)


@pytest.mark.parametrize("company", COMPANIES)
def test_who_makes_a_thing_has_made_it(company: str) -> None:
    assert related(f"{company} makes Falcon.", company, "Falcon") <= {"created"}


@pytest.mark.parametrize("kin", ["daughter", "son", "brother", "wife", "nephew"])
def test_the_nation_of_somebody_s_kin_is_not_their_own(kin: str) -> None:
    text = f"Ann Lee was the {kin} of Italian actors performing in France."
    assert not related(text, "Ann Lee", "Italy")


@pytest.mark.parametrize("company", COMPANIES)
@pytest.mark.parametrize(
    "text",
    [
        "The Penn Line is the successor to the services provided by {}.",
        "The Penn Line is older than the trains built by {}.",
        "The Penn Line is part of a plan for a network designed by {}.",
    ],
)
def test_a_participle_describes_the_noun_before_it(company: str, text: str) -> None:
    assert not related(text.format(company), company, "Penn Line")


@pytest.mark.parametrize("company", COMPANIES[:2])
def test_a_participle_after_what_the_name_is_describes_the_name(company: str) -> None:
    text = f"Quandel is a database developed by {company}."
    assert related(text, company, "Quandel") == {"created"}


@pytest.mark.parametrize("title", ["Red Harbour", "Glass Hill", "Tides"])
@pytest.mark.parametrize("noun", ["film", "series", "novel"])
def test_a_noun_before_a_title_is_that_of_the_title(title: str, noun: str) -> None:
    text = f"Ann Lee, who worked on the upcoming Marvel {noun} '{title}', is writing the script."
    assert not related(text, "Ann Lee", "Marvel")


@pytest.mark.parametrize("film", ["Glass Hill", "Red Harbour"])
@pytest.mark.parametrize("noun", ["co-stars", "co-writers", "co-producers"])
def test_a_name_before_a_compound_noun_is_no_object(film: str, noun: str) -> None:
    text = f"Eva Berg directed {film} {noun} Tom Reed and Max Holm in another work last year."
    assert not related(text, "Eva Berg", film)
