"""A process asks a worker once whether a space's tables are large, and again while they are small."""

from collections.abc import Callable

import pytest

from app.db import large_shards
from app.db.large_shards import ASKED_AGAIN_SECONDS, LargeShards
from app.ids import SpaceId, create_id

HOME, TWIN = SpaceId(create_id()), SpaceId(create_id())


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, in its only item."""
    time = [1_000.0]
    monkeypatch.setattr("app.db.large_shards.time.monotonic", lambda: time[0])
    return time


def answering(answer: bool, asked: list[bool]) -> Callable[[], bool]:
    """What answers so, and notes that it was asked."""

    def ask() -> bool:
        asked.append(answer)
        return answer

    return ask


def test_small_tables_are_asked_of_again_after_a_while(clock: list[float]) -> None:
    shards, asked = LargeShards(), list[bool]()
    for _ in range(9):
        assert not shards.are_tables_large(HOME, answering(False, asked))
    assert asked == [False]
    clock[0] += ASKED_AGAIN_SECONDS
    assert shards.are_tables_large(HOME, answering(True, asked))
    assert asked == [False, True]


def test_large_tables_stay_large(clock: list[float]) -> None:
    shards, asked = LargeShards(), list[bool]()
    assert shards.are_tables_large(HOME, answering(True, asked))
    clock[0] += 1e9
    assert shards.are_tables_large(HOME, answering(False, asked))
    assert asked == [True]


def test_a_space_is_answered_for_alone(clock: list[float]) -> None:
    shards, asked = LargeShards(), list[bool]()
    assert shards.are_tables_large(HOME, answering(True, asked))
    assert not shards.are_tables_large(TWIN, answering(False, asked))


def test_the_longest_known_answers_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_shards, "_MAX_SPACES", 1)
    shards, asked = LargeShards(), list[bool]()
    for space_id in (HOME, TWIN, HOME):
        assert shards.are_tables_large(space_id, answering(True, asked))
    assert len(asked) == 3
