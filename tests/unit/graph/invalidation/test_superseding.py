"""What a later dated source ends (issue 5, point 5): decided by dates, confidence and words, never by
order.
"""

from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID

import pytest

from app.graph.invalidation.endings import compute_endings
from app.graph.invalidation.shapes import DatedClaim
from app.ids import ChunkId, EdgeId, NodeId

NOW = datetime(2026, 6, 1, tzinfo=UTC)
ADA = NodeId(UUID(int=1))


def year(number: int) -> datetime:
    return datetime(number, 1, 1, tzinfo=UTC)


def claim(number: int, value: int, dated: datetime | None, **other: Any) -> DatedClaim:
    fields = {
        "confidence": 0.9,
        "chunk_id": ChunkId(UUID(int=1_000 + number)),
        "quote": "Ada was born in London.",
        **other,
    }
    return DatedClaim(
        EdgeId(UUID(int=100 + number)), ADA, "born_in", NodeId(UUID(int=10 + value)), date=dated, **fields
    )


def ended(*claims: DatedClaim) -> dict[int, int]:
    """Number of the ended row → year in which it ended."""
    return {key.int - 100: ending.until.year for key, ending in compute_endings(claims, now=NOW).items()}


class TestWhatEnds:
    def test_another_value_of_a_later_date_ends_the_earlier_one_at_its_date(self) -> None:
        assert ended(claim(1, 1, year(2019)), claim(2, 2, year(2021))) == {1: 2021}

    def test_the_source_is_named_with_its_passage(self) -> None:
        chunk = UUID(int=7)
        claims = [claim(1, 1, year(2019)), claim(2, 2, year(2021), chunk_id=chunk)]
        (found,) = compute_endings(claims, now=NOW).values()
        assert (found.source_edge_id, found.source_chunk_id) == (claims[1].id, chunk)
        assert found.claim_dated_at == year(2019)

    def test_the_nearest_later_source_ends_it(self) -> None:
        assert ended(claim(1, 1, year(2019)), claim(2, 2, year(2023)), claim(3, 3, year(2021))) == {
            1: 2021,
            3: 2023,
        }

    def test_a_value_that_returns_ends_what_came_between(self) -> None:
        assert ended(claim(1, 1, year(2019)), claim(2, 2, year(2021)), claim(3, 1, year(2023))) == {
            1: 2021,
            2: 2023,
        }


class TestWhatStands:
    @pytest.mark.parametrize(
        "pair",
        [
            pytest.param([claim(1, 1, None), claim(2, 2, year(2021))], id="an undated one is not ended"),
            pytest.param([claim(1, 1, year(2019)), claim(2, 2, None)], id="an undated one ends nothing"),
            pytest.param(
                [claim(1, 1, year(2021)), claim(2, 2, year(2021))], id="the same date decides nothing"
            ),
            pytest.param([claim(1, 1, year(2019)), claim(2, 1, year(2021))], id="the same value again"),
            pytest.param(
                [claim(1, 1, year(2019)), claim(2, 2, year(2021), confidence=0.8)], id="a less sure source"
            ),
            pytest.param(
                [claim(1, 1, year(2019)), claim(2, 2, year(2021), quote="Ada was not born in Paris.")],
                id="a denial",
            ),
            pytest.param(
                [claim(1, 1, year(2019)), claim(2, 2, NOW + timedelta(days=1))], id="a date to come"
            ),
            pytest.param(
                [claim(1, 1, year(2019)), claim(2, 2, year(2021), kind="person")],
                id="a source that a person ended",
            ),
            pytest.param(
                [claim(1, 1, year(2019), is_spared=True), claim(2, 2, year(2021))],
                id="a row that a person took back",
            ),
            pytest.param(
                [claim(1, 1, year(2019), kind="person"), claim(2, 2, year(2021))],
                id="a row that a person ended has its end",
            ),
        ],
    )
    def test_it_stays(self, pair: list[DatedClaim]) -> None:
        assert compute_endings(pair, now=NOW) == {}

    def test_another_relation_or_node_is_another_matter(self) -> None:
        other = claim(2, 2, year(2021))
        assert (
            compute_endings([claim(1, 1, year(2019)), other._replace(relation_type="died_in")], now=NOW) == {}
        )
        assert (
            compute_endings([claim(1, 1, year(2019)), other._replace(from_node_id=other.to_node_id)], now=NOW)
            == {}
        )


def test_the_order_of_the_rows_does_not_matter() -> None:
    random = Random(5)
    for _ in range(100):
        claims = [
            claim(
                number,
                random.randrange(3),
                random.choice([None, *map(year, range(2015, 2020))]),
                confidence=random.choice([0.6, 0.9]),
            )
            for number in range(8)
        ]
        expected = compute_endings(claims, now=NOW)
        random.shuffle(claims)
        assert compute_endings(claims, now=NOW) == expected
        # What ended already is still there to be counted: worked out again it is the same.
        known = [
            shown_claim._replace(kind="source" if shown_claim.id in expected else None)
            for shown_claim in claims
        ]
        assert compute_endings(known, now=NOW) == expected
