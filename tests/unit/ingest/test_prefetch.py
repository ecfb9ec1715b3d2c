"""Working ahead: results in order, a bounded number in hand, and no thread left however it ends."""

import threading
from contextlib import closing

import pytest

from app.ingest.prefetch import map_ahead_in_order


def test_results_come_in_order_while_others_are_worked_on() -> None:
    three = threading.Barrier(3)
    last_of_three = threading.Event()

    def work(item: int) -> int:
        # Nobody passes before three are at work; then the first of them is made to end last.
        three.wait(5)
        if item == 0:
            assert last_of_three.wait(5)
        elif item == 2:
            last_of_three.set()
        return item * 10

    over = threading.Event()
    found = map_ahead_in_order(
        work, range(9), concurrency=3, measure_size=lambda _: 1, max_total_size=100, ended_event=over
    )
    assert list(found) == [item * 10 for item in range(9)]
    assert over.is_set()


def test_one_at_once_begins_nothing_before_it_is_wanted() -> None:
    begun: list[int] = []
    found = map_ahead_in_order(
        begun.append,
        range(3),
        concurrency=1,
        measure_size=lambda _: 1,
        max_total_size=1,
        ended_event=threading.Event(),
    )
    next(found)
    assert begun == [0]


def test_large_items_are_worked_on_alone() -> None:
    ended: list[int] = []
    seen: dict[int, set[int]] = {}
    sizes = [1, 50, 1, 1]

    def work(item: int) -> int:
        seen[item] = set(ended)
        ended.append(item)
        return sizes[item]

    found = map_ahead_in_order(
        work,
        range(4),
        concurrency=4,
        measure_size=lambda item: sizes[item],
        max_total_size=10,
        ended_event=threading.Event(),
    )
    assert list(found) == sizes
    # The large one began after those before it had ended, and those behind it after itself.
    assert seen[1] == {0}
    assert {0, 1} <= seen[2] & seen[3]


def test_a_fault_comes_in_its_turn_and_leaves_no_thread_behind() -> None:
    over = threading.Event()

    def work(item: int) -> int:
        if item == 1:
            raise ValueError("the second")
        if item > 1:
            assert over.wait(5)
        return item

    got: list[int] = []
    with (
        pytest.raises(ValueError, match="the second"),
        closing(
            map_ahead_in_order(
                work, range(9), concurrency=3, measure_size=lambda _: 1, max_total_size=100, ended_event=over
            )
        ) as found,
    ):
        got.extend(found)
    assert got == [0]
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("ahead")]


def test_a_caller_that_stops_early_ends_the_others() -> None:
    over = threading.Event()

    def work(item: int) -> int:
        if item:
            assert over.wait(5)
        return item

    with closing(
        map_ahead_in_order(
            work, range(9), concurrency=3, measure_size=lambda _: 1, max_total_size=100, ended_event=over
        )
    ) as found:
        assert next(found) == 0
    assert over.is_set()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("ahead")]
