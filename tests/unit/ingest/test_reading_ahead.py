"""Working ahead: results in order, a bounded number in hand, and no thread left however it ends."""

import threading
import time
from contextlib import closing

import pytest

from app.ingest.ahead import in_order


def test_results_come_in_order_while_others_are_worked_on() -> None:
    running, most = set[int](), [0]
    lock = threading.Lock()

    def work(item: int) -> int:
        with lock:
            running.add(item)
            most[0] = max(most[0], len(running))
        # The first of each three takes longest, so that others are done before it.
        time.sleep(0.03 if item % 3 == 0 else 0.01)
        with lock:
            running.remove(item)
        return item * 10

    over = threading.Event()
    found = in_order(work, range(9), at_once=3, size=lambda _: 1, room=100, over=over)
    assert list(found) == [item * 10 for item in range(9)]
    assert most == [3]
    assert over.is_set()


def test_one_at_once_begins_nothing_before_it_is_wanted() -> None:
    begun: list[int] = []
    found = in_order(begun.append, range(3), at_once=1, size=lambda _: 1, room=1, over=threading.Event())
    next(found)
    assert begun == [0]


def test_large_items_are_worked_on_alone() -> None:
    begun: list[int] = []
    together: list[tuple[int, ...]] = []

    def work(size: int) -> int:
        begun.append(size)
        together.append(tuple(begun))
        time.sleep(0.02)
        begun.remove(size)
        return size

    sizes = [1, 50, 1, 1]
    assert list(in_order(work, sizes, at_once=4, size=int, room=10, over=threading.Event())) == sizes
    assert all(50 not in each or each == (50,) for each in together)


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
        closing(in_order(work, range(9), at_once=3, size=lambda _: 1, room=100, over=over)) as found,
    ):
        got.extend(found)
    assert got == [0]
    assert not [each for each in threading.enumerate() if each.name.startswith("ahead")]


def test_a_caller_that_stops_early_ends_the_others() -> None:
    over = threading.Event()

    def work(item: int) -> int:
        if item:
            assert over.wait(5)
        return item

    with closing(in_order(work, range(9), at_once=3, size=lambda _: 1, room=100, over=over)) as found:
        assert next(found) == 0
    assert over.is_set()
    assert not [each for each in threading.enumerate() if each.name.startswith("ahead")]
