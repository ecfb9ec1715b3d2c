"""Columns as Postgres sends them: records of bytes, and where ids stand among others."""

import struct
from uuid import UUID, uuid4

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.db.arrays import (
    ID_FIELD,
    Ids,
    convert_ids_to_uuids,
    decode_ids,
    decode_records,
    deduplicate_ids,
    find_positions,
)


def as_columns(given: list[UUID]) -> Ids:
    return decode_ids([id_.bytes for id_ in given])


def test_records_are_read_one_after_the_other() -> None:
    first, second = uuid4(), uuid4()
    sent = struct.pack(">i16s", 7, first.bytes) + struct.pack(">i16s", -1, second.bytes)
    read = decode_records(sent, ("place", ">i4"), ID_FIELD)
    assert read["place"].tolist() == [7, -1]
    assert convert_ids_to_uuids(read["id"].astype(np.uint64)) == [first, second]


def test_nothing_sent_is_no_record() -> None:
    assert len(decode_records(None, ("place", ">i4"), ID_FIELD)) == 0
    assert convert_ids_to_uuids(decode_ids([])) == []


@given(
    st.lists(st.uuids(), unique=True, max_size=20),
    st.lists(st.integers(0, 30), max_size=30),
)
def test_places_are_those_of_the_same_id(among: list[UUID], picks: list[int]) -> None:
    unknown = UUID(int=2**128 - 1)
    wanted = [among[pick] if pick < len(among) else unknown for pick in picks]
    expected = [among.index(column) if column in among else -1 for column in wanted]
    assert find_positions(as_columns(wanted), as_columns(among)).tolist() == expected


def test_ids_that_share_one_half_are_told_apart() -> None:
    """Those of one millisecond begin alike; the key that they are looked up by mixes both halves."""
    same_begin = [UUID(int=(5 << 64) | number) for number in range(50)]
    same_end = [UUID(int=(number << 64) | 5) for number in range(50, 100)]
    among = [*same_begin, *same_end]
    assert find_positions(as_columns(among), as_columns(among)).tolist() == list(range(100))


def test_two_ids_of_one_key_are_never_taken_for_each_other() -> None:
    """The key of (first, last) is first * spread + last: these two have the same one."""
    spread = 0x9E3779B97F4A7C15
    one = UUID(int=(1 << 64) | 0)
    other = UUID(int=(0 << 64) | spread)
    assert find_positions(as_columns([other]), as_columns([one])).tolist() == [-1]


@given(st.lists(st.integers(0, 5), max_size=30))
def test_distinct_ids_are_each_there_once_and_in_their_places(picks: list[int]) -> None:
    """Also where two of them share the key by which they are sorted."""
    spread = 0x9E3779B97F4A7C15
    halves = [(1, 7), (0, 7 + spread), (2, 0), (1, spread), (0, 2 * spread), (3, 3)]
    given = np.array([halves[pick] for pick in picks], np.object_) % 2**64
    given = given.astype(np.uint64).reshape(-1, 2)
    found, again = deduplicate_ids(given)
    assert (found[again] == given).all()
    assert len(np.unique(found, axis=0)) == len(found) == len(set(picks))
