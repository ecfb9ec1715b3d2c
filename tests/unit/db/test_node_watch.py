"""The thread that watches transactions of a cluster is there whenever one begins, and ends them in time."""

import threading
from contextlib import nullcontext
from typing import Any, cast

import psycopg
import pytest
from sqlalchemy import create_engine

from app.db.node_watch import (
    CLOSED_SECONDS,
    NODE_TIMEOUT_MS,
    PROBE_AFTER_SECONDS,
    PROBE_INTERVAL_SECONDS,
    NodeWatch,
    compute_seconds_to_next_probe,
)


class Ended(NodeWatch):
    """A watch whose thread ends at once, as by an error that nobody foresaw."""

    def __init__(self) -> None:
        super().__init__(create_engine("postgresql+psycopg://"))
        self.begun: list[threading.Thread] = []

    def _watch_transactions(self) -> None:
        self.begun.append(threading.current_thread())


def test_a_watch_whose_thread_ended_begins_anew() -> None:
    watch = Ended()
    for number in (1, 2):
        with watch.watch_transaction(cast(Any, None), None):
            for thread in list(watch.begun):
                thread.join()
        for thread in threading.enumerate():
            if thread.name == "node_watch":
                thread.join(5)
        assert len(watch.begun) == number


@pytest.mark.parametrize("is_busy", [False, True])
def test_a_probe_answers_within_the_bound_whenever_a_transaction_begins(is_busy: bool) -> None:
    """Played by the clock: others that are long let the watch probe all the time, or none is there."""
    probe_seconds = NODE_TIMEOUT_MS / 1_000
    for start in (step / 20 for step in range(200, 260)):
        now, probed_at = 0.0, -1e9
        while True:
            starts = [now - 60.0] * is_busy + [start] * (start <= now)
            wait = compute_seconds_to_next_probe(
                now, first_start=min(starts, default=now), probed_at=probed_at, is_any_silent=False
            )
            if wait > 0:
                now += wait
                continue
            probed_at, now = now, now + probe_seconds
            # What falls silent as it begins is found by a probe that begins then or later.
            if probed_at >= start and now - start >= PROBE_AFTER_SECONDS:
                break
        assert now - start <= PROBE_INTERVAL_SECONDS + probe_seconds + 1e-6


def test_a_watch_without_anything_long_probes_nothing() -> None:
    for age in (0.0, 0.1, 0.49):
        assert (
            compute_seconds_to_next_probe(7.0, first_start=7.0 - age, probed_at=-1e9, is_any_silent=False) > 0
        )


class Probed(Ended):
    """A watch whose probes answer what the test says."""

    def answer(self, monkeypatch: pytest.MonkeyPatch, *groups: int) -> None:
        monkeypatch.setattr("app.db.node_watch.open_own_connection", lambda _engine: nullcontext())
        monkeypatch.setattr(
            "app.db.node_watch.read_integer_rows_or_close_connection",
            lambda *_arguments: [(group,) for group in groups],
        )
        self._probe_nodes_and_cut_transactions()

    def is_refused(self, group: int) -> bool:
        try:
            self.require_answering_node(group)
        except psycopg.errors.ConnectionFailure:
            return True
        return False


def test_a_node_is_closed_after_two_probes_until_one_reaches_it(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr("app.db.node_watch.time.monotonic", lambda: clock[0])
    watch = Probed()
    for probed, refused in (((1,), False), ((1, 2), True), ((2,), False), ((1,), False), ((1,), True)):
        watch.answer(monkeypatch, *probed)
        assert watch.is_refused(1) is refused, probed
    assert not watch.is_refused(2)
    clock[0] += CLOSED_SECONDS
    assert not watch.is_refused(1), "nothing has probed it since"


def test_an_idle_watch_goes_on_while_a_node_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.db.node_watch._IDLE_SECONDS", 0.0)
    monkeypatch.setattr("app.db.node_watch.PROBE_INTERVAL_SECONDS", 0.01)
    monkeypatch.setattr("app.db.node_watch.PROBE_AFTER_SECONDS", 0.0)
    monkeypatch.setattr("app.db.node_watch.open_own_connection", lambda _engine: nullcontext())
    watch = NodeWatch(create_engine("postgresql+psycopg://"))
    is_closed, probes = threading.Event(), 0

    def answer(*_arguments: object) -> list[tuple[int]]:
        nonlocal probes
        probes += 1
        if watch.list_silent_node_groups():
            is_closed.set()
        return [(1,)] if probes < 20 else []

    monkeypatch.setattr("app.db.node_watch.read_integer_rows_or_close_connection", answer)
    monkeypatch.setattr(watch, "_cut_transactions_on_silent_nodes", lambda *_arguments: None)
    with watch.watch_transaction(cast(Any, None), None):
        thread = watch._thread
        assert thread is not None
        assert is_closed.wait(10)
    thread.join(10)
    assert not thread.is_alive()
    assert probes == 20, "it ends with the probe that reaches the node"
    assert not watch.list_silent_node_groups()
