"""Claims about names, not about nouns that names describe, and addresses against lists (issue 23, item 4)."""

import pytest

from tests.unit.extraction.rules.test_rules_predicates import stated

COMPANIES = ("Brenwick", "Taldora Systems", "Quantix")


@pytest.mark.parametrize("company", COMPANIES)
@pytest.mark.parametrize(
    "text",
    [
        "{} investors bought Globex in 2019.",
        "The {} repair manual describes a service centre in Madrid.",
        "A {} spokesman visited a factory in the western town of Leeds.",
        "{} customers use Kafka.",
    ],
)
def test_what_a_noun_does_is_not_claimed_of_the_name_before_it(company: str, text: str) -> None:
    claims = stated(f"{company} was founded in 1990. " + text.format(company))
    assert not {claim for claim in claims if company in (claim[0], claim[2])}


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("The Falcon database was developed by Acme Corporation.", ("Acme Corporation", "created", "Falcon")),
        ("Acme Corporation bought the Globex company.", ("Acme Corporation", "owns", "Globex")),
        ("Orbis Ltd. opened its Lisbon office in 2020.", ("Orbis Ltd.", "located_in", "Lisbon")),
        ("Acme Corporation president Ann Lee resigned.", ("Ann Lee", "head_of", "Acme Corporation")),
    ],
)
def test_a_noun_that_says_what_the_name_is_or_where_leaves_the_claim(
    text: str, claim: tuple[str, str, str]
) -> None:
    assert claim in stated(text)


@pytest.mark.parametrize("first", ["Belgium", "Portugal", "Denmark"])
@pytest.mark.parametrize("noun", ["occupation", "invasion", "annexation", "loss"])
def test_what_one_country_does_to_another_places_neither_in_the_other(first: str, noun: str) -> None:
    assert not stated(f"Nobody forgot {first}'s {noun} of Norway.")


@pytest.mark.parametrize(
    "text",
    [
        "Kind: Report, Defence/Energy, Finance, Norway",
        "Heavy rains fell in the areas of Tarvale, Western Lindoro, Caraga and Muslim Mindanao.",
        "Labels: Review, Hardware, Norway",
    ],
)
def test_a_list_is_no_address(text: str) -> None:
    assert not {claim for claim in stated(text) if claim[1] in ("within", "located_in")}


@pytest.mark.parametrize("place", ["Nabern", "Tarvale", "Upper Osmark"])
def test_an_unknown_place_before_a_known_one_is_in_it(place: str) -> None:
    assert (place, "within", "Norway") in stated(f"Ann Lee lives in {place}, Norway.")


def test_whom_a_picture_or_a_film_features_acted_in_none() -> None:
    """Characters are featured as well as actors."""
    for text in ("A promotional poster for Nightfall featuring Ann Lee.", "Nightfall, featuring Ann Lee"):
        assert not {claim for claim in stated(text) if claim[1] == "acted_in"}
    assert ("Ann Lee", "acted_in", "Nightfall") in stated("Nightfall is a film starring Ann Lee.")
