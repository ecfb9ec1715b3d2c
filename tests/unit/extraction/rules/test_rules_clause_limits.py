"""Claims within one clause or noun phrase: not across the limits that the tree shows (issue 23, item 4)."""

import pytest

from tests.unit.extraction.rules.test_rules_predicates import stated

COMPANIES = ("Brenwick Systems", "Acme Corporation", "Taldora Ltd.")
PLACE_NOUNS = ("city of Oslo", "region of Tuscany", "island of Malta", "province of Alberta")


def place_claims(text: str) -> set[tuple[str, str, str]]:
    return {claim for claim in stated(text) if claim[1] in ("within", "located_in", "lives_in")}


@pytest.mark.parametrize("company", COMPANIES)
@pytest.mark.parametrize("place", PLACE_NOUNS)
@pytest.mark.parametrize(
    "text",
    [
        "{} sued the {}.",
        "{} competes with the {}.",
        "{} wrote a report about the future of the {}.",
        "{} launched attacks on the {}.",
        "{} built a factory in the {}.",
        "{} was flying 20 kilometres off the {}.",
    ],
)
def test_a_place_that_an_object_or_another_noun_has_is_not_the_subject_s(
    company: str, place: str, text: str
) -> None:
    assert not {claim for claim in place_claims(text.format(company, place)) if claim[0] == company}


@pytest.mark.parametrize("place", PLACE_NOUNS)
@pytest.mark.parametrize(
    "text",
    [
        "Kitevale is in the {}.",
        "Kitevale is a village located in the {}.",
        "Kitevale, a small village in the {}, has a church.",
        "Kitevale is the largest city of the {}.",
    ],
)
def test_a_place_that_the_subject_is_in_or_part_of_is_claimed(place: str, text: str) -> None:
    name = place.rsplit(maxsplit=1)[-1]
    assert name in {target for source, _, target in place_claims(text.format(place)) if source == "Kitevale"}


@pytest.mark.parametrize(("first", "second"), [("Japan", "Norway"), ("France", "Spain"), ("Turkey", "Cuba")])
@pytest.mark.parametrize(
    "text",
    [
        "{0}'s rise concerned {1}, Italy and other nations.",
        "The commander was fighting against {0} in {1}.",
        "The treaty was signed in the office of {0}, in {1}.",
    ],
)
def test_two_countries_of_one_sentence_are_in_no_other(first: str, second: str, text: str) -> None:
    assert not place_claims(text.format(first, second))


@pytest.mark.parametrize(
    "text",
    [
        "Ann Lee flew to Lisbon, and the British ambassador met her.",
        "We gave aid to Portugal, the British were in favor of more.",
        "The treaty holds for Portugal, the French Republic, the Swiss Confederation and Norway.",
        "It saw extremism in Sintra, a large French territory bordering Portugal and several other states.",
        "The army talked with British officers while Ann Lee was on leave.",
        "Portugal, the Dutch said, ignored Acme Ltd.",
        "Portugal, the Chinese wrote, refused Globex Corp.",
        "Portugal, the Spanish believed, was Globex territory.",
    ],
)
def test_an_adjective_of_nationality_of_others_is_not_a_name_s(text: str) -> None:
    assert not {claim for claim in stated(text) if claim[2] in ("United Kingdom", "France", "Switzerland")}


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("Ann Lee, a French singer, lives in Oslo.", ("Ann Lee", "citizen_of", "France")),
        ("Ann Lee is an actor and French politician.", ("Ann Lee", "citizen_of", "France")),
        ("The French singer Ann Lee left.", ("Ann Lee", "citizen_of", "France")),
        ("A Dutch doctor called Jan Smit came.", ("Jan Smit", "citizen_of", "Netherlands")),
    ],
)
def test_an_adjective_of_nationality_of_a_description_stays(text: str, claim: tuple[str, str, str]) -> None:
    assert claim in stated(text)


@pytest.mark.parametrize("name", ["Karl Stone", "Max Weber", "Ben Ray"])
@pytest.mark.parametrize(
    "text",
    [
        "They asked some priests like Tom Berg, and my father {}, to come.",
        "He counts his parents—Tom Berg and Eva Berg—and sister {} among them.",
        "Gen. Tom Berg, the Army Service Forces chief, and {} were to inform her.",
    ],
)
def test_the_next_member_of_a_list_has_no_role_of_the_last_one(name: str, text: str) -> None:
    assert not {claim for claim in stated(text.format(name)) if name in (claim[0], claim[2])}


@pytest.mark.parametrize("role", ["director", "president", "chairman"])
def test_a_role_before_a_row_of_names_is_that_of_the_first_one(role: str) -> None:
    claims = stated(f"She thanked Acme Corporation {role} Ann Lee, Bob Ray and Eva Berg.")
    assert {source for source, relation, _ in claims if relation == "head_of"} == {"Ann Lee"}


@pytest.mark.parametrize("place", ["Victoria Harbour", "Queens Park", "Lake Osmark"])
@pytest.mark.parametrize("rest", ["and the city's mountain ranges", "and old houses", ", and a new bridge"])
def test_a_place_before_and_is_the_last_but_one_of_a_list(place: str, rest: str) -> None:
    assert not place_claims(f"They fly over landmarks like Tsing Bridge, {place} {rest}.")


@pytest.mark.parametrize("agency", ["Coast Guard", "Harbour Watch"])
def test_what_follows_a_colon_has_a_subject_of_its_own(agency: str) -> None:
    assert not stated(f"{agency}: 332 stranded in Bicol due to 'Ambo'")


@pytest.mark.parametrize("country", ["China", "Norway", "Chile"])
def test_a_place_before_the_subject_is_not_where_the_subject_is(country: str) -> None:
    assert not place_claims(f"In the Pacific, {country} bore a similar relation to the others.")


@pytest.mark.parametrize("role", ["Daredevil", "Falcon", "Storm Rider"])
@pytest.mark.parametrize("verb", ["retired from", "quit"])
def test_somebody_who_stops_being_something_leaves_no_employer(role: str, verb: str) -> None:
    assert not {claim for claim in stated(f"Ann Lee has {verb} being {role}.") if claim[1] == "works_for"}


@pytest.mark.parametrize("name", ["Tarvale", "Osmark", "Lindoro"])
def test_a_capitalised_city_of_a_name_is_one_name(name: str) -> None:
    assert not {
        claim for claim in place_claims(f"Poland gained the Free City of {name}.") if claim[1] == "within"
    }


@pytest.mark.parametrize("name", ["Saint John", "Saint Mary"])
def test_a_place_within_a_longer_name_is_in_no_country(name: str) -> None:
    assert not place_claims(f"We saw the Baptistery of {name}, Italy.")


@pytest.mark.parametrize("place", ["Coastal Waters", "Northern Shores"])
def test_text_without_an_end_that_is_not_surely_a_clause_says_nothing(place: str) -> None:
    picture = "A colorful satellite image shows a cyclone on November 28 at 1147Z using HIMAWARI-9 BAND13-CA"
    assert not stated(f"Towards: {place} of Vietnam A satellite image showing the coast of India {picture}")


@pytest.mark.parametrize(
    ("text", "name_in_description"),
    [
        ("Kestrel, which uses MySQL, was created by Pia Lund.", "MySQL"),
        ("Adler Optik, which belongs to Brenner Group, was acquired by Nordwind AG.", "Brenner Group"),
        ("Gorse Rail, which operates Torrin Line, is owned by Mona Vale.", "Torrin Line"),
        ("Orion, a competitor of Sirius Corp, was created by Dana Holt.", "Sirius Corp"),
        ("Lumen Labs, whose parent is Volta Group, was founded by Amara Okafor.", "Volta Group"),
        ("Volta, which replaced Ampere, is developed by Elin Skog.", "Ampere"),
        ("QUEL, the language of Ingres, was designed by Michael Stonebraker.", "Ingres"),
        ("Postgres, the successor of Ingres, was created by Michael Stonebraker.", "Ingres"),
    ],
)
def test_who_made_or_owns_the_subject_did_not_what_describes_it(text: str, name_in_description: str) -> None:
    agent = text.removesuffix(".").rpartition(" by ")[2]
    assert not {claim for claim in stated(text) if {agent, name_in_description} <= {claim[0], claim[2]}}


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("Kestrel, which uses MySQL, was created by Pia Lund.", ("Kestrel", "uses", "MySQL")),
        ("Acme Corp, based in Oslo, owns Zeta Ltd.", ("Acme Corp", "owns", "Zeta Ltd.")),
        (
            "Mona Vale, who works for Gorse Rail, founded Torrin Mills.",
            ("Mona Vale", "created", "Torrin Mills"),
        ),
        (
            "Ingres, a database created by Michael Stonebraker, was acquired by Ask Corp.",
            ("Michael Stonebraker", "created", "Ingres"),
        ),
        (
            "Mona Vale, the daughter of Ines Vidal, founded Torrin Mills.",
            ("Ines Vidal", "parent_of", "Mona Vale"),
        ),
    ],
)
def test_what_describes_the_subject_is_still_claimed_of_it(text: str, claim: tuple[str, str, str]) -> None:
    assert claim in stated(text)
