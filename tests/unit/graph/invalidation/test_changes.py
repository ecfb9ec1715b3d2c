"""What a source ends by saying that it changed: all that was before, whatever its value."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from app.domain.relation_types import HEADQUARTERED_IN, OWNS, USES
from app.graph.invalidation.endings import CHANGE_REASON, compute_endings
from app.graph.invalidation.shapes import DatedClaim
from app.ids import ChunkId, EdgeId, NodeId

NOW = datetime(2026, 6, 1, tzinfo=UTC)
FIRM, LEEDS, YORK, ENGLAND = (NodeId(UUID(int=number)) for number in range(1, 5))
MOVED: dict[str, Any] = {"chunk_id": ChunkId(UUID(int=900)), "quote": "The firm moved to York."}


def row(
    number: int,
    source: NodeId,
    target: NodeId,
    dated: int | None,
    relation: str = HEADQUARTERED_IN.name,
    **other: Any,
) -> DatedClaim:
    moment = None if dated is None else datetime(dated, 1, 1, tzinfo=UTC)
    fields = {"chunk_id": ChunkId(UUID(int=1_000 + number)), "quote": "It is there.", **other}
    return DatedClaim(EdgeId(UUID(int=100 + number)), source, relation, target, 0.9, date=moment, **fields)


def moved(dated: int | None, **other: Any) -> list[DatedClaim]:
    """A source that says that the firm moved to York, and what it denies by it."""
    return [
        row(8, FIRM, YORK, dated, **MOVED, **other),
        row(9, FIRM, FIRM, dated, polarity="denied", **MOVED, **other),
    ]


def ended(*claims: DatedClaim, **settings: Any) -> dict[int, tuple[int, str]]:
    """Number of the ended row → year in which it ended, and the reason."""
    endings = compute_endings(claims, now=NOW, single_valued_relations=(), **settings)
    return {key.int - 100: (ending.until.year, ending.reason) for key, ending in endings.items()}


def test_a_change_ends_what_was_before_it_and_not_what_it_states() -> None:
    assert ended(row(1, FIRM, LEEDS, 2014), *moved(2021)) == {1: (2021, CHANGE_REASON)}


def test_without_a_change_both_stand() -> None:
    assert ended(row(1, FIRM, LEEDS, 2014), moved(2021)[0]) == {}


def test_what_is_stated_after_the_change_stands() -> None:
    assert ended(row(1, FIRM, LEEDS, 2023), *moved(2021)) == {}


def test_another_source_of_the_new_value_stands_too() -> None:
    """By the year alone it may have changed later in it than the other source says that it was so."""
    may = datetime(2021, 5, 1, tzinfo=UTC)
    other = row(1, FIRM, YORK, 2021)._replace(date=may)
    earlier = row(2, FIRM, LEEDS, 2021)._replace(date=may)
    assert ended(other, earlier, *moved(2021, precision="year")) == {2: (2022, CHANGE_REASON)}


def test_a_place_in_which_the_new_value_lies_stands() -> None:
    claims = [row(1, FIRM, ENGLAND, 2014), *moved(2021)]
    assert ended(*claims, nested_pairs={frozenset((YORK, ENGLAND))}) == {}


def test_a_change_without_a_date_or_with_one_to_come_ends_nothing() -> None:
    assert ended(row(1, FIRM, LEEDS, 2014), *moved(None)) == {}
    assert ended(row(1, FIRM, LEEDS, 2014), *moved(2027)) == {}


def test_a_less_trusted_source_ends_nothing() -> None:
    assert ended(row(1, FIRM, LEEDS, 2014), *moved(2021, trust=0.2)) == {}


def test_a_sale_ends_the_earlier_owners_of_the_same_thing() -> None:
    seller, buyer, thing, other = LEEDS, YORK, FIRM, ENGLAND
    sold: dict[str, Any] = {"chunk_id": ChunkId(UUID(int=900)), "quote": "It was sold to the buyer."}
    claims = [
        row(1, seller, thing, 2014, OWNS.name),
        row(2, seller, other, 2014, OWNS.name),
        row(8, buyer, thing, 2021, OWNS.name, **sold),
        row(9, thing, thing, 2021, OWNS.name, polarity="denied", **sold),
    ]
    assert ended(*claims) == {1: (2021, CHANGE_REASON)}


def test_a_relation_of_many_values_is_not_changed() -> None:
    claims = [
        row(1, FIRM, LEEDS, 2014, USES.name),
        row(9, FIRM, FIRM, 2021, USES.name, polarity="denied", **MOVED),
    ]
    assert ended(*claims) == {}
