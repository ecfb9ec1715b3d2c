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


@pytest.mark.parametrize(
    "text",
    [
        "The board of Acme Corporation dismissed Bob Ray on 12 May 2019.",
        "Former Acme Corporation CEO Bob Ray died.",
        "In 2014 Bob Ray, then CEO of Acme Corporation, opened the plant.",
        "Bob Ray was the director of Acme Corporation until his death.",
    ],
)
def test_whose_post_is_over_works_there_no_more(text: str) -> None:
    said = stated(text)
    assert ("Bob Ray", "works_for", "Acme Corporation", "-") in said
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
