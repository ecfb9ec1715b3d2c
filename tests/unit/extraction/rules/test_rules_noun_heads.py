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


@pytest.mark.parametrize("name", ["Falcon", "Kestrel", "Ostrava"])
@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("The {} search engine uses Redis.", ("{}", "uses", "Redis")),
        ("The {} billing service depends on Kafka.", ("{}", "depends_on", "Kafka")),
        ("The {} mail client was written by Ann Lee.", ("Ann Lee", "created", "{}")),
        ("Brenwick acquired the {} insurance company.", ("Brenwick", "owns", "{}")),
        ("Brenwick developed the {} web browser.", ("Brenwick", "created", "{}")),
        ("Brenwick created the {} optimizer generator.", ("Brenwick", "created", "{}")),
        ("Ann Lee founded the {} music festival.", ("Ann Lee", "created", "{}")),
    ],
)
def test_a_longer_noun_phrase_says_what_an_unknown_name_is(
    name: str, text: str, claim: tuple[str, str, str]
) -> None:
    source, relation, target = claim
    assert (source.format(name), relation, target.format(name)) in stated(text.format(name))


@pytest.mark.parametrize(
    "text",
    [
        "The {} authorities acquired Globex.",
        "The {} finance team uses Redis.",
        "The {} sales manager founded Globex.",
        "An {} engineer founded Globex.",
        "The {} annual report was written by Ann Lee.",
        "Ann Lee owns the {} office building.",
        "{} customer accounts were bought by Globex.",
        "Eva Lind is the director of the {} licensing office in Dorval.",
        "{} writer and creator of Nightfall, Ann Lee, resigned.",
    ],
)
@pytest.mark.parametrize("name", ["Acme", "Osmark", "Tarvale"])
def test_what_somebody_or_a_part_of_a_name_does_is_not_claimed_of_it(name: str, text: str) -> None:
    claims = stated(text.format(name))
    assert not {claim for claim in claims if name in (claim[0], claim[2])}


@pytest.mark.parametrize(
    "text",
    [
        "Ann Lee owns the Leeds office building.",
        "Ann Lee owns the Oslo harbour building.",
        "Acme bought the Berlin hotel.",
        "Acme Ltd owns the Texas cattle ranch.",
        "Acme Ltd owns the Paris airport.",
        "Acme owns the Leeds building.",
        "Acme Ltd bought the Utah desert.",
        "Ann Lee bought the Vienna castle.",
        "Ann Lee owns the Rome square.",
        "Acme Ltd acquired the Boston mansion.",
        "The Leeds office building is owned by Acme Ltd.",
    ],
)
def test_who_owns_a_place_does_not_own_the_place_that_it_is_in(text: str) -> None:
    assert not {claim for claim in stated(text) if claim[1] == "owns"}


def test_a_noun_after_a_known_technology_is_something_of_it() -> None:
    assert ("Redis", "uses", "Python") not in stated("The Redis client library uses Python.")


def test_what_a_company_has_is_not_its_country_s() -> None:
    claims = stated("Globex is a U.S. corporation with headquarters in San Francisco.")
    assert not {claim for claim in claims if claim[0] == "U.S."}


@pytest.mark.parametrize(
    "text",
    [
        "The Japanese quickly overran Nanjing, Shanghai and Wuhan.",
        "The Polish wanted Danzig within the country.",
        '"There are more believers," an Uzbek lawyer told Northgate Bank.',
        '"In Uzbekistan there are more believers," an Uzbek lawyer told Northgate Bank.',
    ],
)
def test_what_people_of_a_nation_do_to_something_is_not_its_origin(text: str) -> None:
    assert not {claim for claim in stated(text) if claim[1] in ("located_in", "originates_in", "citizen_of")}


@pytest.mark.parametrize(
    "text",
    [
        "The company doctor, a Dutch man called Jan Smit, retired.",
        "Jan Smit is a Dutch doctor.",
        "The Dutch doctor Jan Smit retired.",
    ],
)
def test_an_adjective_of_nationality_of_a_description_is_its_name_s(text: str) -> None:
    assert ("Jan Smit", "citizen_of", "Netherlands") in stated(text)


@pytest.mark.parametrize("name", ["Nomura", "Jens Holt"])
def test_to_whom_somebody_writes_is_nobody_s_work(name: str) -> None:
    assert not stated(f"{name} wrote Minister Soemu Toyoda that there was no chance.")
    assert (name, "created", "Silent Harbour") in stated(f"{name} wrote Silent Harbour in 1990.")
