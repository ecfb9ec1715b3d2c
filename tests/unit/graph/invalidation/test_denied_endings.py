"""Rows that a denial or a stated end ends, and when: by dates, never by order."""

from datetime import UTC, datetime
from random import Random
from typing import Any
from uuid import UUID

import pytest

from app.graph.invalidation.endings import compute_endings
from app.graph.invalidation.shapes import DatedClaim
from app.graph.validity import Polarity
from app.ids import ChunkId, EdgeId, NodeId

NOW = datetime(2026, 6, 1, tzinfo=UTC)
BOB, ACME, ZETA = (NodeId(UUID(int=number)) for number in (1, 2, 3))


def day(year: int, month: int = 1, day_: int = 1) -> datetime:
    return datetime(year, month, day_, tzinfo=UTC)


def claim(number: int, dated: datetime | None, **other: Any) -> DatedClaim:
    value = other.pop("value", ACME)
    fields = {
        "confidence": 0.9,
        "chunk_id": ChunkId(UUID(int=number)),
        "quote": "",
        "stated_at": dated,
        **other,
    }
    return DatedClaim(EdgeId(UUID(int=100 + number)), BOB, "works_for", value, date=dated, **fields)


def denial(number: int, dated: datetime | None, **other: Any) -> DatedClaim:
    return claim(number, dated, polarity=Polarity.DENIED, **other)


def ended(*claims: DatedClaim, **given: Any) -> dict[int, str]:
    """Number of the ended row → the day on which it ended."""
    found = compute_endings(claims, now=NOW, **{"single_valued_relations": (), **given})
    return {key.int - 100: ending.until.date().isoformat() for key, ending in found.items()}


def test_who_left_leads_no_more() -> None:
    leads = claim(1, day(2020))._replace(relation_type="head_of")
    assert ended(leads, denial(2, day(2024))) == {1: "2024-01-01"}
    assert ended(claim(1, day(2020)), denial(2, day(2024))._replace(relation_type="head_of")) == {}


def test_who_leads_no_more_may_work_on_but_where_that_was_said_with_it() -> None:
    no_more = denial(3, day(2024))._replace(relation_type="head_of")
    leads = claim(1, day(2020), quote="Bob leads Acme.")._replace(relation_type="head_of")
    implied = claim(1, day(2020), quote="Bob leads Acme.")._replace(id=EdgeId(UUID(int=102)))
    assert ended(leads, implied, no_more) == {1: "2024-01-01", 2: "2024-01-01"}
    other = claim(2, day(2010), quote="Bob works for Acme.")
    assert ended(leads, other, no_more) == {1: "2024-01-01"}


def test_what_exists_no_more_ends_what_it_was_and_not_what_it_made() -> None:
    died = denial(3, day(2024), value=BOB)._replace(relation_type="exists")
    gone = denial(4, day(2022), value=ACME)._replace(relation_type="exists", from_node_id=ACME)
    job, work = claim(1, day(2020)), claim(2, day(2020))._replace(relation_type="created")
    assert ended(job, work, died) == {1: "2024-01-01"}
    assert ended(job, work, gone) == {1: "2022-01-01"}
    home = claim(1, day(2020))._replace(relation_type="lives_in")
    assert ended(home, gone) == {}


def test_what_means_the_same_both_ways_ends_both_ways() -> None:
    married = claim(1, day(2020))._replace(relation_type="married_to")
    divorced = denial(2, day(2024))._replace(
        relation_type="married_to", from_node_id=married.to_node_id, to_node_id=married.from_node_id
    )
    assert ended(married, divorced) == {1: "2024-01-01"}
    assert ended(*(claim_row._replace(relation_type="owns") for claim_row in (married, divorced))) == {}


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        pytest.param([claim(1, day(2020)), denial(2, day(2024))], {1: "2024-01-01"}, id="later"),
        pytest.param(
            [claim(1, day(2020)), denial(2, day(2024), confidence=0.5)], {1: "2024-01-01"}, id="less sure"
        ),
        pytest.param([claim(1, day(2025)), denial(2, day(2024))], {}, id="said again after it"),
        pytest.param([claim(1, day(2024)), denial(2, day(2024))], {}, id="on one day"),
        pytest.param([claim(1, None), denial(2, day(2024))], {}, id="undated claim"),
        pytest.param([claim(1, day(2020)), denial(2, None)], {}, id="undated denial"),
        pytest.param([claim(1, day(2020)), denial(2, day(2027))], {}, id="to come"),
        pytest.param([claim(1, day(2020)), denial(2, day(2024), chunk_id=None)], {}, id="without evidence"),
        pytest.param([claim(1, day(2020)), denial(2, day(2024), value=ZETA)], {}, id="of another value"),
        pytest.param([claim(1, day(2020), is_spared=True), denial(2, day(2024))], {}, id="spared"),
        pytest.param([claim(1, day(2020), kind="person"), denial(2, day(2024))], {}, id="ended by a person"),
        pytest.param(
            [claim(1, day(2020)), denial(2, day(2024)), denial(3, day(2022))],
            {1: "2022-01-01"},
            id="the first",
        ),
        pytest.param(
            [claim(1, day(2019, 5)), denial(2, day(2019), precision="year", stated_at=day(2022))],
            {1: "2020-01-01"},
            id="left in the year in which he was said to be there",
        ),
        pytest.param(
            [claim(1, day(2019, 5)), denial(2, day(2019), precision="year", stated_at=day(2019, 9))],
            {1: "2019-09-01"},
            id="and it was known in that year",
        ),
        pytest.param(
            [claim(1, None, valid_to=day(2019), valid_to_precision="year", stated_at=day(2022))],
            {1: "2020-01-01"},
            id="until 2019",
        ),
        pytest.param(
            [claim(1, None, valid_to=day(2030), valid_to_precision="year")], {}, id="until a year to come"
        ),
        pytest.param(
            [claim(1, day(2012)), claim(2, day(2010), valid_to=day(2014), valid_to_precision="year")],
            {1: "2015-01-01", 2: "2015-01-01"},
            id="until 2014, and said in 2012",
        ),
        pytest.param(
            [claim(1, day(2018)), claim(2, day(2010), valid_to=day(2014), valid_to_precision="year")],
            {2: "2015-01-01"},
            id="until 2014, and said again in 2018",
        ),
    ],
)
def test_a_row_ends_when_a_later_one_denies_it(rows: list[DatedClaim], expected: dict[int, str]) -> None:
    assert ended(*rows) == expected
    assert ended(*reversed(rows)) == expected


def test_without_supersede_by_date_only_a_stated_end_counts() -> None:
    rows = [claim(1, day(2020)), denial(2, day(2024)), claim(3, None, valid_to=day(2019))]
    assert ended(*rows, supersede_by_date=False) == {3: "2019-01-02"}


def test_a_denial_is_no_value_that_ends_another() -> None:
    assert ended(claim(1, day(2020)), denial(2, day(2024), value=ZETA), single_valued_relations=None) == {}


def test_the_order_of_the_rows_does_not_matter() -> None:
    random = Random(5)
    rows = [
        make(number, random.choice([None, *map(day, range(2015, 2022))]), value=random.choice([ACME, ZETA]))
        for number, make in enumerate([claim, denial] * 6)
    ]
    first = compute_endings(rows, now=NOW)
    for _ in range(20):
        random.shuffle(rows)
        assert compute_endings(rows, now=NOW) == first


def test_what_its_sentence_says_begins_later_holds_from_then_on_and_ends_nothing_before() -> None:
    to_come = claim(1, day(2027), begins=day(2027), value=ZETA)
    now_held = claim(2, day(2020))
    single = ("works_for",)
    assert ended(to_come, now_held, single_valued_relations=single) == {1: "2027-01-01"}
    later = compute_endings([to_come, now_held], now=day(2027, 2), single_valued_relations=single)
    assert {key.int - 100: ending.until for key, ending in later.items()} == {2: day(2027)}
    # The date of a document that is dated ahead is none that its sentence states.
    assert ended(claim(1, day(2027))) == {}


def test_values_of_which_one_lies_in_the_other_do_not_end_each_other() -> None:
    town, country = claim(1, day(2010)), claim(2, day(2015), value=ZETA)
    assert ended(town, country, single_valued_relations=("works_for",)) == {1: "2015-01-01"}
    nested = {frozenset((ACME, ZETA))}
    assert ended(town, country, single_valued_relations=("works_for",), nested_pairs=nested) == {}
