"""Claims of places, works and kin by a description or a pronoun, and what stands next to them."""

import pytest

from tests.unit.extraction.rules.test_rules_relations import triples

Triple = tuple[str, str, str]


@pytest.mark.parametrize(
    ("title", "text", "expected"),
    [
        (
            "Ruzova Falls",
            "Ruzova Falls is a waterfall in eastern Europe on the Vistrel River at the border between Poland"
            " and Ukraine.",
            {("Ruzova Falls", "located_in", "Poland"), ("Ruzova Falls", "located_in", "Ukraine")},
        ),
        (
            "Kombe River",
            "The Kombe River, also known as Kumbi River, is a tributary of the Kasai River in Lunda District,"
            " Angola.",
            {("Kombe River", "located_in", "Lunda District"), ("Kombe River", "located_in", "Angola")},
        ),
        (
            "Mount Sul",
            "Mount Sul is a mountain on West Terra, Canary Islands, not far from the coast.",
            {("Mount Sul", "located_in", "West Terra"), ("Mount Sul", "located_in", "Canary Islands")},
        ),
        (
            "Iceland",
            "The northernmost point of Iceland is Cape Rifstangi.",
            {("Cape Rifstangi", "located_in", "Iceland")},
        ),
        (
            "Lusaka",
            "There are a number of notable museums in Lusaka such as Copper Heritage Museum and Zambezi Folk"
            " Museum.",
            {
                ("Copper Heritage Museum", "located_in", "Lusaka"),
                ("Zambezi Folk Museum", "located_in", "Lusaka"),
            },
        ),
        (
            "The Kettles",
            "The Kettles are an American rock band formed in 1990 in Portland, Oregon.",
            {("The Kettles", "located_in", "Portland"), ("The Kettles", "located_in", "Oregon")},
        ),
        (
            "Prince (book)",
            "Prince is a biography by English author Martin Lowe.",
            {("Martin Lowe", "created", "Prince")},
        ),
        (
            "Night Moves",
            'Bob Ray starred in "Night Moves", directed by Ann Lee.',
            {("Ann Lee", "created", "Night Moves")},
        ),
        (
            "Anna Hesse",
            "Anna Hesse was a German painter. Through her marriage to Frederick Lane, Anna came to Leeds.",
            {("Anna Hesse", "married_to", "Frederick Lane")},
        ),
        (
            "Paul Renard",
            'Paul Renard was a French critic. He edited the influential journal, "Revue du Soir", from 1957.',
            {("Paul Renard", "works_on", "Revue du Soir")},
        ),
        (
            "Dora Klein",
            'Dora Klein is an American author. Her first novel, "The Apple Thief" was published in 2010.',
            {("Dora Klein", "created", "The Apple Thief")},
        ),
    ],
)
def test_what_a_description_states(title: str, text: str, expected: set[Triple]) -> None:
    assert expected <= triples(text, title)


@pytest.mark.parametrize(
    ("title", "text", "wrong"),
    [
        (
            "Marlow",
            "Marlow is a city on the northern shore of Lake Erie in western Ohio.",
            ("Marlow", "located_in", "Lake Erie"),
        ),
        (
            "David Stern",
            "David Stern (Hebrew: X; 15 June 1924 – 24 April 2005) was the President of Israel.",
            ("David Stern", "born_in", "Hebrew"),
        ),
        (
            "Penn House",
            "Penn House is a publisher, formed as the joinder of Bell Books, founded 1921 by Ann Lee.",
            ("Ann Lee", "created", "Penn House"),
        ),
        (
            "The Lost Ring",
            'The Lost Ring is a comedy and a sequel to the film "Chasing the Ring", directed by Lewis Grant.',
            ("Lewis Grant", "created", "Chasing the Ring"),
        ),
        (
            "Dora Klein",
            'Dora Klein is an American actress. Her first film, "The Apple Thief" was shown in 2010.',
            ("Dora Klein", "created", "The Apple Thief"),
        ),
        (
            "Lusaka",
            "There are few museums in Lusaka, and Copper Heritage Museum is not one of them.",
            ("Copper Heritage Museum", "located_in", "Lusaka"),
        ),
    ],
)
def test_what_stands_next_to_it_and_is_not_said(title: str, text: str, wrong: Triple) -> None:
    assert wrong not in triples(text, title)


@pytest.mark.parametrize("part", ["theatre 2", "Room 14", "Hall 3"])
def test_a_numbered_part_contains_no_place(part: str) -> None:
    found = triples(f"The accident happened in Brookfield Hospital, {part}.")
    assert not any(relation == "within" and target == part for _, relation, target in found)


@pytest.mark.parametrize("verb", ["is operated by", "was sold to", "was bought from", "is meant for"])
@pytest.mark.parametrize("noun", ["city", "island", "region"])
def test_by_or_for_whom_something_is_done_is_not_where_it_is(verb: str, noun: str) -> None:
    found = triples(f"The portal MediPath {verb} the {noun} of Oslo.")
    assert ("MediPath", "located_in", "Oslo") not in found
    place_relations = {relation for _, relation, _ in triples(f"Kitevale is a town in the {noun} of Oslo.")}
    assert "located_in" in place_relations
