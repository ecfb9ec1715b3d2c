"""Sentences that tell a change among two or three names: what ended, what began, and what only sounds so."""

import pytest

from app.extraction.rules.extractor import RulesExtractor
from app.extraction.shapes import ChunkText
from app.extraction.vocabulary import DEFAULT_VOCABULARY
from app.ids import ChunkId, DocumentId, new_id

Stated = tuple[str, str, str, str]


def stated(text: str) -> set[Stated]:
    """(name, relation, name, + or -) of the claims that the rules read."""
    chunk = ChunkText(ChunkId(new_id()), DocumentId(new_id()), "notes", text)
    rules = RulesExtractor()
    found = rules.extract_entities([chunk], DEFAULT_VOCABULARY)
    return {
        (
            found[0][each.from_entity].name,
            each.relation_type,
            found[0][each.to_entity].name,
            "+" if each.polarity.value == "asserted" else "-",
        )
        for each in rules.extract_relations([chunk], found, DEFAULT_VOCABULARY)[0]
    }


@pytest.mark.parametrize(
    "text",
    [
        "Ann Lee succeeded Bob Ray as CEO of Acme Corporation in 2021.",
        "Bob Ray was replaced as CEO of Acme Corporation by Ann Lee in May 2021.",
        "Bob Ray was succeeded by Ann Lee as chief executive of Acme Corporation.",
        "Ann Lee became CEO of Acme Corporation in 2020, replacing Bob Ray.",
        "Acme Corporation appointed Ann Lee as its new CEO to replace Bob Ray.",
    ],
)
def test_of_a_succession_one_leads_and_the_other_does_not(text: str) -> None:
    said = {each for each in stated(text) if each[1] == "head_of"}
    assert said == {
        ("Ann Lee", "head_of", "Acme Corporation", "+"),
        ("Bob Ray", "head_of", "Acme Corporation", "-"),
    }


@pytest.mark.parametrize(
    "text",
    [
        "Acme Corporation sold its stake in Zeta Labs to Beta Group in 2021.",
        "Zeta Labs was sold by Acme Corporation to Beta Group.",
        "Beta Group bought Zeta Labs from Acme Corporation in 2021.",
        "Acme Corporation completed the sale of Zeta Labs to Beta Group.",
    ],
)
def test_of_a_sale_one_owns_and_the_other_does_not(text: str) -> None:
    assert stated(text) == {
        ("Beta Group", "owns", "Zeta Labs", "+"),
        ("Acme Corporation", "owns", "Zeta Labs", "-"),
    }


def test_bought_and_sold_again_is_both_and_each_has_its_date() -> None:
    text = "Acme Corporation acquired Zeta Labs in 2020 and sold it to Beta Group in 2023."
    assert stated(text) == {
        ("Acme Corporation", "owns", "Zeta Labs", "+"),
        ("Acme Corporation", "owns", "Zeta Labs", "-"),
        ("Beta Group", "owns", "Zeta Labs", "+"),
    }


@pytest.mark.parametrize(
    "text",
    [
        "Ann Lee and Bob Ray divorced in 2019.",
        "The marriage of Ann Lee and Bob Ray was dissolved in 2019.",
        "Ann Lee's marriage to Bob Ray ended in 2019.",
    ],
)
def test_a_divorce_of_two_who_are_named_together(text: str) -> None:
    assert stated(text) == {("Ann Lee", "married_to", "Bob Ray", "-")}


def test_who_is_dismissed_works_there_no_more() -> None:
    said = stated("The board of Acme Corporation dismissed Bob Ray on 12 May 2019.")
    assert said == {("Bob Ray", "works_for", "Acme Corporation", "-")}


@pytest.mark.parametrize(
    "text",
    [
        "Former Acme Corporation CEO Bob Ray died.",
        "In 2014 Bob Ray, then CEO of Acme Corporation, opened the plant.",
        "Bob Ray was the director of Acme Corporation until his death.",
    ],
)
def test_whose_office_is_over_leads_no_more(text: str) -> None:
    said = stated(text)
    assert ("Bob Ray", "head_of", "Acme Corporation", "-") in said
    assert not any(each[3] == "+" for each in said)


@pytest.mark.parametrize(
    "text",
    [
        "Rumour has it that Acme Corporation owns Zeta Labs.",
        "According to unconfirmed reports, Acme Corporation has acquired Zeta Labs.",
        "Reportedly, Acme Corporation has acquired Zeta Labs.",
        "Some people believe that Acme Corporation owns Zeta Labs.",
        "Nobody knows if Acme Corporation acquired Zeta Labs.",
        "“Acme Corporation owns Zeta Labs,” claimed a former employee.",
        "Had Acme Corporation acquired Zeta Labs, prices would be higher.",
        "Acme Corporation might have sold Zeta Labs to Beta Group.",
    ],
)
def test_what_nobody_vouches_for_is_no_claim(text: str) -> None:
    assert stated(text) == set()


def test_what_is_denied_of_either_is_denied_of_both() -> None:
    assert stated("Acme Corporation no longer owns Zeta Labs or Beta Group.") == {
        ("Acme Corporation", "owns", "Zeta Labs", "-"),
        ("Acme Corporation", "owns", "Beta Group", "-"),
    }


def test_a_title_with_such_a_word_is_no_rumour() -> None:
    assert ("Ann Lee", "created", "Dangerous Rumors", "+") in stated('Ann Lee wrote "Dangerous Rumors".')


@pytest.mark.parametrize(
    "text",
    [
        "Ann Lee died in 2019.",
        "Ann Lee passed away in Oslo on 3 May 2019.",
        "In 1999, Ann Lee was killed in Oslo.",
    ],
)
def test_a_death_is_told_of_one_name(text: str) -> None:
    assert ("Ann Lee", "exists", "Ann Lee", "-") in stated(text)


@pytest.mark.parametrize(
    "text",
    [
        "Acme Corporation was dissolved in 2003.",
        "Acme Corporation ceased operations in 2003.",
        "Acme Corporation closed its doors.",
    ],
)
def test_so_is_the_end_of_a_group(text: str) -> None:
    assert ("Acme Corporation", "exists", "Acme Corporation", "-") in stated(text)


@pytest.mark.parametrize(
    "text",
    [
        "The father of Ann Lee died in 2003.",
        "Ann Lee's father died in 2003.",
        "Ann Lee did not die in 2019.",
        "Ann Lee may have died in 2019.",
        "Acme Corporation broke up in 2015 and reunited in 2018.",
        "Acme Corporation closed its doors to visitors, rumour has it.",
        "Ann Lee and Bob Ray broke up in 2015.",
        "Ann Lee died for her country.",
    ],
)
def test_what_only_sounds_like_an_end_ends_nobody(text: str) -> None:
    assert not any(relation == "exists" for _, relation, _, _ in stated(text))


def test_who_manages_a_person_is_reported_to() -> None:
    assert ("Raj Patel", "reports_to", "Bob Ray", "+") in stated("Bob Ray manages Raj Patel.")
    found = stated("Bob Ray manages the Falcon project.")
    assert not any(relation == "reports_to" for _, relation, _, _ in found)


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("Acme Corporation sold York Buses in 2022.", True),
        ("Acme Corporation sold York Buses on 3 June 2022.", True),
        ("Acme Corporation sold York Buses to Zeta Labs Ltd. in 2022.", True),
        ("Acme Corporation sold Falcon Nine in 40 countries.", False),
        ("Acme Corporation sold Falcon Nine to schools.", False),
        ("Acme Corporation sold Falcon Nine.", False),
    ],
)
def test_what_is_sold_with_a_date_or_to_somebody_is_gone(text: str, gone: bool) -> None:
    name = "York Buses" if gone else "Falcon Nine"
    assert (("Acme Corporation", "owns", name, "-") in stated(text)) is gone


def test_a_successor_is_whose_he_is() -> None:
    said = stated("Bob Ray was the COO of Acme Corporation. His successor as COO is Ann Lee.")
    assert ("Ann Lee", "replaces", "Bob Ray", "+") in said


def test_of_a_dismissal_the_post_ends_and_of_a_succession_the_office_alone() -> None:
    said = stated("Acme Corporation dismissed Ann Lee as CEO in 2020.")
    assert ("Ann Lee", "works_for", "Acme Corporation", "-") in said
    said = stated("Bob Ray succeeded Ann Lee as CEO of Acme Corporation in 2021.")
    assert ("Ann Lee", "works_for", "Acme Corporation", "-") not in said
