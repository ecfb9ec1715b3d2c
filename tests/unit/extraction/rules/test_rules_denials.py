"""What a sentence denies, what it says came to an end, and when: sentence by sentence."""

import uuid

import pytest

from app.extraction.grounding import (
    GroundedRelation,
    keep_entities_named_in_chunk,
    keep_relations_stated_in_chunk,
)
from app.extraction.rules.extractor import RulesExtractor
from app.extraction.shapes import ChunkText
from app.extraction.vocabulary import DEFAULT_VOCABULARY
from app.graph.validity import DatePoint, Polarity, format_date
from app.ids import ChunkId, DocumentId


def _in_words(date: DatePoint | None) -> str:
    return "" if date is None else format_date(*date)


def claims(text: str) -> set[str]:
    """Each claim in words: a denial begins with "not", and dates stand behind."""
    chunk = ChunkText(ChunkId(uuid.UUID(int=1)), DocumentId(uuid.UUID(int=2)), "", text)
    extractor = RulesExtractor()
    found = extractor.extract_entities([chunk], DEFAULT_VOCABULARY)
    entities, _ = keep_entities_named_in_chunk(chunk, found[0], DEFAULT_VOCABULARY)
    relations = extractor.extract_relations([chunk], [tuple(entities)], DEFAULT_VOCABULARY)[0]
    kept, _ = keep_relations_stated_in_chunk(chunk, entities, relations, DEFAULT_VOCABULARY)

    def in_words(claim: GroundedRelation) -> str:
        names = entities[claim.from_entity].name, entities[claim.to_entity].name
        denied = "not " if claim.polarity is Polarity.DENIED else ""
        times = [_in_words(claim.valid_from), _in_words(claim.valid_to)]
        dates = f" [{times[0]}..{times[1]}]" if any(times) else ""
        return f"{denied}{names[0]} {claim.relation_type} {names[1]}{dates}"

    return {in_words(claim) for claim in kept}


DENIED = """
Bob Stone no longer works for Acme Corporation. | not Bob Stone works_for Acme Corporation
Bob Stone does not work for Acme Corporation. | not Bob Stone works_for Acme Corporation
Bob Stone doesn't work for Acme Corporation any more. | not Bob Stone works_for Acme Corporation
Bob Stone never worked for Acme Corporation. | not Bob Stone works_for Acme Corporation
Bob Stone used to work for Acme Corporation. | not Bob Stone works_for Acme Corporation
Bob Stone formerly worked for Acme Corporation. | not Bob Stone works_for Acme Corporation
Bob Stone left Acme Corporation in 2019. | not Bob Stone works_for Acme Corporation [2019..]
Bob Stone quit Acme Corporation. | not Bob Stone works_for Acme Corporation
Bob Stone resigned from Acme Corporation on 3 May 2021. | not Bob Stone works_for Acme Corporation [2021-05-03..]
Falcon no longer depends on Redis. | not Falcon depends_on Redis
Maria Lopez moved from Madrid to Berlin in 2020. | Maria Lopez lives_in Berlin [2020..]; not Maria Lopez lives_in Madrid [2020..]
Maria Lopez left the Green Party in 2019. | not Maria Lopez member_of Green Party [2019..]
Bob Stone was let go by Acme Corporation. | not Bob Stone works_for Acme Corporation
Bob Stone is no longer with Acme Corporation. | not Bob Stone works_for Acme Corporation
Ann Lee divorced Tom Lee in 2015. | not Ann Lee married_to Tom Lee [2015..]
Ann Lee is divorced from Tom Lee. | not Ann Lee married_to Tom Lee
Bob Stone was fired by Acme Corporation in 2016. | not Bob Stone works_for Acme Corporation [2016..]
Bob Stone, former CEO of Acme Corporation, founded Zeta Labs. | not Bob Stone head_of Acme Corporation; Bob Stone created Zeta Labs
Acme Corporation's former CEO Bob Stone founded Zeta Labs. | not Bob Stone head_of Acme Corporation; Bob Stone created Zeta Labs
Nor Bob Stone works for Acme Corporation. | not Bob Stone works_for Acme Corporation
It is not true that Bob Stone works for Acme Corporation. | not Bob Stone works_for Acme Corporation
Despite what the Harbour Gazette wrote last week, it is not true that Bob Stone works for Acme Corporation. | not Bob Stone works_for Acme Corporation
Ann Lee, who owns Zeta Labs, said that it is not true that Bob Stone works for Acme Corporation. | Ann Lee owns Zeta Labs; not Bob Stone works_for Acme Corporation
Bob Stone works for Zeta Labs, not Acme Corporation. | Bob Stone works_for Zeta Labs; not Bob Stone works_for Acme Corporation
Sun Microsystems formerly owned MySQL. | not Sun Microsystems owns MySQL
Sun Microsystems no longer owns MySQL. | not Sun Microsystems owns MySQL
Ingres was not created by Larry Ellison. | not Larry Ellison created Ingres
Kestrel Freight stopped using MySQL in 2021. | not Kestrel Freight uses MySQL [2021..]
Kestrel Freight does not use MySQL. | not Kestrel Freight uses MySQL
Kestrel Freight has not used MySQL since May 2020. | not Kestrel Freight uses MySQL [2020-05..]
Kestrel Freight abandoned MySQL in 2018. | not Kestrel Freight uses MySQL [2018..]
PostgreSQL dropped support for MySQL in 2015. | not PostgreSQL integrates_with MySQL [2015..]
Acme Corporation is no longer located in Paris. | not Acme Corporation located_in Paris
Apache Cobalt is no longer part of Apache Foundation. | not Apache Cobalt part_of Apache Foundation
"""  # noqa: E501

ENDED = """
Bob Stone worked for Acme Corporation until 2019. | Bob Stone works_for Acme Corporation [..2019]
Bob Stone worked for Acme Corporation from 2010 to 2014. | Bob Stone works_for Acme Corporation [2010..2014]
Bob Stone worked for Acme Corporation between May 2010 and June 2014. | Bob Stone works_for Acme Corporation [2010-05..2014-06]
Bob Stone worked for Acme Corporation (2010–2014). | Bob Stone works_for Acme Corporation [2010..2014]
Bob Stone formerly worked for Acme Corporation, from 2010 to 2014. | Bob Stone works_for Acme Corporation [2010..2014]
Acme Corporation was located in Paris until 3 May 2018. | Acme Corporation located_in Paris [..2018-05-03]
Bob Stone has worked for Acme Corporation since March 2015. | Bob Stone works_for Acme Corporation [2015-03..]
The lease began in May 2020, and until 31 January 2023 Acme Corporation was located in Paris. | Acme Corporation located_in Paris [..2023-01-31]
In 2019, Bob Stone left Acme Corporation, and in 2020 Ann Lee joined Zeta Labs. | not Bob Stone works_for Acme Corporation [2019..]; Ann Lee works_for Zeta Labs [2020..]
Bob Stone did not work for Acme Corporation until 2019. | Bob Stone works_for Acme Corporation [2019..]
In 2012 Bob Stone joined Acme Corporation. | Bob Stone works_for Acme Corporation [2012..]
Oracle acquired Sun Microsystems on 2010-01-27. | Oracle owns Sun Microsystems [2010-01-27..]
Acme Corporation, founded by Bob Stone in 1998, is located in Berlin. | Bob Stone created Acme Corporation [1998..]; Acme Corporation located_in Berlin
"""  # noqa: E501

EXCHANGED = """
Bob Stone left Acme Corporation for Zeta Corporation in 2020. | not Bob Stone works_for Acme Corporation [2020..]; Bob Stone works_for Zeta Corporation [2020..]
Sun Microsystems sold MySQL to Oracle Corporation in 2010. | not Sun Microsystems owns MySQL [2010..]; Oracle Corporation owns MySQL [2010..]
Kestrel Freight switched from MySQL to Postgres in 2022. | not Kestrel Freight uses MySQL [2022..]; Kestrel Freight uses Postgres [2022..]
Kestrel Freight replaced MySQL with Postgres. | not Kestrel Freight uses MySQL; Kestrel Freight uses Postgres
Kestrel Freight dropped MySQL in favour of Postgres. | not Kestrel Freight uses MySQL; Kestrel Freight uses Postgres
Kestrel Freight uses Postgres, not MySQL. | Kestrel Freight uses Postgres; not Kestrel Freight uses MySQL
Acme Corporation moved from Paris to London in 2018. | not Acme Corporation located_in Paris [2018..]; Acme Corporation located_in London [2018..]
MySQL was replaced by Postgres. | Postgres replaces MySQL
MySQL is deprecated in favour of Postgres. | Postgres replaces MySQL
"""  # noqa: E501


def rows(table: str) -> list[tuple[str, str]]:
    return [
        (left.strip(), right.strip())
        for left, _, right in (row.partition("|") for row in table.split("\n") if row)
    ]


@pytest.mark.parametrize(("text", "expected"), rows(DENIED + ENDED + EXCHANGED))
def test_a_sentence_denies_or_dates_what_it_states(text: str, expected: str) -> None:
    found = claims(text)
    assert set(expected.split("; ")) <= found
    # Nothing that is denied is asserted beside it.
    assert not {claim.removeprefix("not ") for claim in found if claim.startswith("not ")} & found


@pytest.mark.parametrize(
    "text",
    [
        "If Bob Stone works for Acme Corporation, he is rich.",
        "Does Bob Stone no longer work for Acme Corporation?",
        "Bob Stone may have worked for Acme Corporation.",
        "Bob Stone would have left Acme Corporation.",
        "Bob Stone did not leave Acme Corporation.",
        "Ann Lee left Paris.",
        "Bob Stone was left by Acme Corporation.",
        "Bob Stone denied that Larry Ellison no longer owns Acme Corporation.",
    ],
)
def test_what_is_supposed_or_denied_twice_is_no_claim(text: str) -> None:
    assert {claim for claim in claims(text) if "related_to" not in claim} == set()


def test_a_denial_and_what_it_denies_are_two_claims_of_a_chunk() -> None:
    text = "Bob Stone works for Acme Corporation. Later Bob Stone left Acme Corporation in 2019."
    assert claims(text) == {
        "Bob Stone works_for Acme Corporation",
        "not Bob Stone works_for Acme Corporation [2019..]",
    }


@pytest.mark.parametrize(
    "text", ["Bob Stone joined Acme Corporation on 31 February 2020.", "Acme 4020 was sold."]
)
def test_a_day_that_no_calendar_has_is_no_date(text: str) -> None:
    assert not any("[" in claim for claim in claims(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann Lee and not Bob Ray founded Acme Labs.", {"Ann Lee created Acme Labs"}),
        ("Bob Ray, not Ann Lee, founded Acme Labs.", {"Bob Ray created Acme Labs"}),
        (
            "Acme Labs uses PostgreSQL, not Oracle.",
            {"Acme Labs uses PostgreSQL", "not Acme Labs uses Oracle"},
        ),
        ("We regret that an earlier version said Bob Ray is the CEO of Acme Labs.", set()),
        ("The article wrongly said that Bob Ray founded Acme Labs.", {"not Bob Ray created Acme Labs"}),
        ("Ann Lee was fired by Acme Labs, then rehired in 2020.", set()),
        ("Acme Labs was once owned by Globex.", {"not Globex owns Acme Labs"}),
        ("Acme Labs was once again owned by Globex.", {"Globex owns Acme Labs"}),
        ("Acme Labs once used Oracle.", {"not Acme Labs uses Oracle"}),
    ],
)
def test_who_is_set_apart_taken_back_or_once_was(text: str, expected: set[str]) -> None:
    assert claims(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "It was never true that Acme acquired Globex.",
        "That Acme bought Globex is a myth.",
        "The suggestion that Acme bought Globex is absurd.",
        "Nobody believes that Acme bought Globex.",
        "No one has shown that Acme owns Globex.",
        "We were told Acme bought Globex.",
        "A hoax said that Acme bought Globex.",
        "A friend's records show that Acme bought Globex.",
        "Nobody's records show that Acme bought Globex.",
        "Carl Dunn imagined that Acme bought Globex.",
        "Carl Dunn was wrong to think that Acme owned Globex.",
        "Acme pretended to have bought Globex.",
        "Acme bought Globex, or so Carl Dunn imagines.",
        "According to an old joke, Acme bought Globex.",
        "Few people think that Bob Stone left Acme Corporation.",
        "The towers (built by Acme were sold to Globex.",
        "Falcon, built by Acme), was sold to Globex.",
        'Carl Dunn wrote "Acme bought Globex.',
    ],
)
def test_what_nobody_vouches_for_is_claimed_of_nobody(text: str) -> None:
    assert claims(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "The Kestrel Regiment left Oslo.",
        "The Oslo Orchestra has left Norway.",
        "The Kestrel Regiment left Hainan in two convoys.",
        "She was the former Vanity Fair reporter that interviewed Bob Stone.",
        "He studies the writings of the late Sunni Muslim theologian Bob Stone.",
    ],
)
def test_who_leaves_a_place_or_meets_somebody_ends_nothing(text: str) -> None:
    assert claims(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "Reuters reported that Acme bought Globex.",
        "It is known that Acme bought Globex.",
        "The company confirmed that Acme had bought Globex.",
        "Our supplier list says that Acme bought Globex.",
        "Initech's records show that Acme bought Globex.",
        "Acme bought Globex, Carl Dunn said.",
        "Because Acme bought Globex, prices rose.",
        "According to the company, Acme bought Globex.",
        "In May the board announced that Acme bought Globex.",
        "Carl Dunn imagined that Initech is a friend of Acme, which owns Globex.",
        "Acme bought Globex (and some say that it paid 5 million.",
        "The firm (not the one in Oslo) was bought by nobody, and Acme bought Globex.",
    ],
)
def test_what_somebody_vouches_for_or_a_description_says_is_claimed(text: str) -> None:
    assert "Acme owns Globex" in claims(text)


@pytest.mark.parametrize("movers", ["Bob Stone", "Zorans", "The Varn family", "Ines Aldo"])
@pytest.mark.parametrize(
    "verb", ["migrated from", "switched from", "transitioned from", "abandoned", "moved off", "got rid of"]
)
@pytest.mark.parametrize(("origin", "target"), [("Wenzel", "Karsk"), ("Moravel", "Tessin Vale")])
def test_who_may_have_moved_between_places_uses_neither(
    movers: str, verb: str, origin: str, target: str
) -> None:
    """Requirement 5.2: nothing tells whether the names are places or programs, so nothing is claimed."""
    assert not {claim for claim in claims(f"{movers} {verb} {origin} to {target}.") if "uses" in claim}


@pytest.mark.parametrize("firm", ["Northwind Ltd", "Kestrel Labs Inc."])
@pytest.mark.parametrize(("origin", "target"), [("Wenzel", "Karsk"), ("Zendesk", "Freshdesk")])
def test_a_company_that_migrates_gives_up_what_it_used(firm: str, origin: str, target: str) -> None:
    used = {
        claim for claim in claims(f"{firm} migrated from {origin} to {target} in 2021.") if "uses" in claim
    }
    assert len(used) == 2
