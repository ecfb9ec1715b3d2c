"""What texts of lives, works and places state besides plain verbs, and what they must not state."""

import pytest

from tests.unit.extraction.rules.test_rules_relations import triples

# title | text | what is stated; a "not" before what must not be.
TALES = """
The Pact | "The Pact" is the tenth episode of the season and the 41st overall episode of Bluecast's series "Glass Hill". | The Pact, part_of, Glass Hill
Red Sky | "Red Sky" is a song by Korrin. It was a single, debuting in an episode of the series "Glass Hill", entitled "The Pact". | The Pact, uses, Red Sky; The Pact, part_of, Glass Hill
Rose Lee | Rose Lee is an American actress who played Mia in "The Long Way" and Tess Moran in "The Pact". | not Rose Lee, acted_in, Tess Moran
Tom Ray | Tom Ray is a retired American player and a sports show host on BTV's Late Look. | Tom Ray, works_on, Late Look
Tom Ray | Tom Ray is an Australian politician. He served as chief of staff to Tasmania Senator Bob Stone. | Tom Ray, reports_to, Bob Stone
Avaria | Tom Ray of the Land party was the last Chief Minister of Avaria. | Tom Ray, head_of, Avaria
Eva Lee | Eva Lee was married to then-Governor of Ohio Tom Ray until their divorce. | not then-Governor, married_to, Eva Lee
Bob Ray | Bob Ray is the third child of Eva Stone, founder of the Oslo Winter Festival, and Tom Ray, who founded Acme. | Eva Stone, parent_of, Bob Ray; Tom Ray, parent_of, Bob Ray; Tom Ray, created, Acme
Bob Ray | Bob Ray is the child of Eva Stone, and Tom Gray founded Acme. | not Tom Gray, parent_of, Bob Ray
Bob Cabot | Bob Cabot (June 18, 1821 – January 16, 1903) was an author, born in Boston to Samuel Cabot and Eliza Cabot. | Bob Cabot, born_in, Boston; Eliza Cabot, parent_of, Bob Cabot
Battle of Elm Creek | The Battle of Elm Creek, also known as the Battle of the Oak, was a battle that occurred on October 25, 1864, in Kansas. | Battle of Elm Creek, located_in, Kansas
Chess Games | The Chess Games, organized by Acme and comprising an open and a closed part, took place between November 18 and December 5, 1984, in Oslo, Norway. | Chess Games, located_in, Oslo
Osso, Nigeria | Osso is a Local Government Area in Katsina State, Nigeria. | Osso, Nigeria, located_in, Katsina State
Osland | The name "" was taken from the Oss River. | Osland, related_to, Oss River; not Osland, depends_on, Oss River
Osso Lake | Osso Lake is a lake in Oregon. The lake is named for pioneer rancher Thomas Ray. | Osso Lake, related_to, Thomas Ray
Loud Lies | Loud Lies is an album by Eva Lee. The album features guest appearances from Tom Ray and Bob Stone. | Tom Ray, works_on, Loud Lies; Bob Stone, works_on, Loud Lies
The Leap | The Leap is a British television series. Norway's first ski jumper, Ole "The Owl" Dahl, appears live on the show. | Ole "The Owl" Dahl, acted_in, The Leap; not Norway, acted_in, The Leap
Glass Hill | Glass Hill is an American band. Ann Lee and Tom Ray are former members of the band. | not Ann Lee, member_of, Glass Hill
Ann Lee | Ann Lee is a former tennis player from Cuba. | Ann Lee, citizen_of, Cuba
Ann Lee | Ann Lee (born 1988) is an American singer and model from the Elmwood neighborhood of Manhattan, New York. | Ann Lee, originates_in, Elmwood; Elmwood, within, Manhattan
Ann Lee | She was born in Young, New South Wales and grew up in Ballina. | Young, within, New South Wales
Elm Falls | The Elm Falls is a waterfall in the Far Hills region of Queensland, Australia. | Far Hills, within, Queensland; not Queensland, within, Far Hills
Nets | The Elm Nets are a team based in the New York City borough of Brooklyn. | Brooklyn, within, New York City; not New York City, within, Brooklyn
Eva Lee | Through her marriage to Karl, Duke of Oss, Eva Lee was a sister of Tom Dahl. | Eva Lee, married_to, Karl, Duke of Oss
Otto, Duke of Oss | Otto was the second son of Otto Karl, Duke of Oss, and a brother of Christian IX of Denmark. | Otto Karl, Duke of Oss, parent_of, Otto, Duke of Oss
Why to Eat | Why to Eat is a 1998 book of English cuisine by the celebrity cook Ann Lee. | Ann Lee, created, Why to Eat
Coffea | The genus Coffea is native to Ethiopia. | Coffea, originates_in, Ethiopia
Elm City | The city is bisected by the Oss River. Elm City is a city. | Oss River, located_in, Elm City
Elm Sea | The Elm Sea, an arm of the Southern Ocean off Antarctica, is cold. | Elm Sea, part_of, Southern Ocean
Eva Lee | Eva Lee is a swimmer from Peru who represented her native country at the 2004 Summer Olympics. | Eva Lee, took_part_in, Summer Olympics
Greta Lang | Greta Lang is an engineer. Her brother, Felix Huber, founded Huber Robotics in Linz. | Felix Huber, created, Huber Robotics; Felix Huber, sibling_of, Greta Lang; not Greta Lang, created, Huber Robotics
Globex | Ann Lee runs Globex. Her father, Tom Lee, was born in Leeds. | Tom Lee, born_in, Leeds; Tom Lee, parent_of, Ann Lee; not Ann Lee, born_in, Leeds
Globex | Ann Lee runs Globex. Her husband, Paul Lang, works for Siemens. | Paul Lang, works_for, Siemens; not Ann Lee, works_for, Siemens
Umbra | Initech, which Globex acquired in 2019, was founded by Bill Lumbergh. | Bill Lumbergh, created, Initech; Globex, owns, Initech; not Bill Lumbergh, created, Globex
Umbra | Globex, which Ann Lee founded, acquired Initech. | Ann Lee, created, Globex; Globex, owns, Initech; not Ann Lee, owns, Initech
Umbra | Bill Lumbergh, whom Globex hired in 2019, founded Initech. | Bill Lumbergh, created, Initech; not Globex, created, Initech
"""  # noqa: E501


def _claim(written: str) -> tuple[str, str, str]:
    """Source, relation and target; a name may hold a comma."""
    parts = written.split(", ")
    at = next(
        place
        for place, part in enumerate(parts)
        if "_" in part or part in ("created", "owns", "uses", "within")
    )
    return ", ".join(parts[:at]), parts[at], ", ".join(parts[at + 1 :])


@pytest.mark.parametrize("line", TALES.strip().splitlines())
def test_what_a_text_tells(line: str) -> None:
    title, text, stated = line.split(" | ")
    found = triples(text, title)
    for expected_fact in stated.split("; "):
        if expected_fact.startswith("not "):
            assert _claim(expected_fact.removeprefix("not ")) not in found
        else:
            assert _claim(expected_fact) in found


@pytest.mark.parametrize(
    ("title", "text", "name"),
    [
        (
            'Ole "The Owl" Dahl',
            'Erik Dahl (born 1963), best known as "Ole the Owl", is a skier.',
            "Erik Dahl",
        ),
        ("Drew Ray", "Andrew Brion Ray (born 1975) is an American writer.", "Andrew Brion Ray"),
    ],
)
def test_a_life_that_opens_a_text_is_that_of_its_title(title: str, text: str, name: str) -> None:
    assert not any(
        name in (source, target) for source, _, target in triples(f"{text} He lives in Oslo.", title)
    )
    assert (title, "lives_in", "Oslo") in triples(f"{text} He lives in Oslo.", title)


def test_another_person_of_a_titles_surname_stays_another() -> None:
    text = "Erik Dahl (born 1963) is a skier. Ole Dahl is his brother, and Ole Dahl lives in Oslo."
    assert ("Erik Dahl", "lives_in", "Oslo") not in triples(text, "Ole Dahl")
