"""A process knows on which nodes the application's role may bypass row security, as of a minute ago."""

import threading
from collections.abc import Callable

import psycopg
import pytest

from app.db.node_logins import ASKED_AGAIN_SECONDS, OLDEST_SECONDS, REFUSING_SECONDS, NodeLogins
from app.errors import ConfigurationError


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, in its only item."""
    time = [1_000.0]
    monkeypatch.setattr("app.db.node_logins.time.monotonic", lambda: time[0])
    return time


class Nodes:
    """The nodes, which count how often they are asked."""

    def __init__(self) -> None:
        self.bypassing: set[int] = set()
        self.error: Exception | None = None
        self.count = 0
        self.may_answer = threading.Event()
        self.may_answer.set()

    def __call__(self) -> frozenset[int]:
        assert self.may_answer.wait(30)
        self.count += 1
        if self.error:
            raise self.error
        return frozenset(self.bypassing)


def on(*groups: int) -> Callable[[], list[int]]:
    return lambda: list(groups)


def is_refused(logins: NodeLogins, nodes: Nodes, *groups: int) -> bool:
    try:
        logins.require_row_security(nodes, on(*groups))
    except ConfigurationError as error:
        return error.code == "privileged_login"
    return False


def wait_for(logins: NodeLogins) -> None:
    """Wait until the nodes have answered in the background."""
    with logins._background_lock:
        pass


def test_the_nodes_are_asked_again_in_the_background(clock: list[float]) -> None:
    nodes = Nodes()
    logins = NodeLogins(nodes)
    for _ in range(9):
        assert not is_refused(logins, nodes, 1)
    assert nodes.count == 1
    nodes.bypassing = {1}
    clock[0] += ASKED_AGAIN_SECONDS
    nodes.may_answer.clear()
    for _ in range(2):
        assert not is_refused(logins, nodes, 1)
    nodes.may_answer.set()
    wait_for(logins)
    assert is_refused(logins, nodes, 1)
    assert nodes.count == 2


def test_a_right_that_was_taken_back_is_noticed_at_once(clock: list[float]) -> None:
    nodes = Nodes()
    nodes.bypassing = {1}
    logins = NodeLogins(nodes)
    for _ in range(9):
        assert is_refused(logins, nodes, 1)
    assert nodes.count == 1
    nodes.bypassing = set()
    clock[0] += REFUSING_SECONDS
    assert not is_refused(logins, nodes, 1)


def test_an_old_answer_is_not_used(clock: list[float]) -> None:
    nodes = Nodes()
    logins = NodeLogins(nodes)
    assert not is_refused(logins, nodes, 1)
    nodes.bypassing = {1}
    clock[0] += OLDEST_SECONDS
    assert is_refused(logins, nodes, 1)


@pytest.mark.parametrize(
    ("bypassing", "groups", "refused"),
    [({1}, {1}, True), ({1}, {2}, False), ({1}, {1, 2}, True), ({0}, {2}, True), (set(), {1}, False)],
)
def test_spaces_on_such_a_node_are_refused_and_all_if_it_is_the_coordinator(
    bypassing: set[int], groups: set[int], refused: bool
) -> None:
    nodes = Nodes()
    nodes.bypassing = bypassing
    assert is_refused(NodeLogins(nodes), nodes, *groups) is refused


def test_without_an_answer_the_last_one_holds_for_a_while_and_then_nothing_is_opened(
    clock: list[float],
) -> None:
    nodes = Nodes()
    logins = NodeLogins(nodes)
    nodes.error = psycopg.OperationalError("no answer")
    with pytest.raises(psycopg.OperationalError):
        logins.require_row_security(nodes, on(1))
    nodes.error = None
    assert not is_refused(logins, nodes, 1)
    nodes.error = psycopg.OperationalError("no answer")
    clock[0] += OLDEST_SECONDS - 1
    for _ in range(2):
        assert not is_refused(logins, nodes, 1)
        wait_for(logins)
    assert nodes.count == 4
    clock[0] += 1
    with pytest.raises(psycopg.OperationalError):
        logins.require_row_security(nodes, on(1))


def test_a_transaction_asks_itself_and_waits_for_nobody_outside_of_one(clock: list[float]) -> None:
    """Whoever asks outside of a transaction may wait until this one gives its connection back."""
    nodes, apart = Nodes(), Nodes()
    logins = NodeLogins(apart)
    assert not is_refused(logins, nodes, 1)
    assert (nodes.count, apart.count) == (1, 0)
    clock[0] += ASKED_AGAIN_SECONDS
    apart.may_answer.clear()
    assert not is_refused(logins, nodes, 1)
    nodes.bypassing = {1}
    clock[0] += OLDEST_SECONDS
    assert is_refused(logins, nodes, 1)
    assert (nodes.count, apart.count) == (2, 0)
    apart.may_answer.set()
    wait_for(logins)
    # What it answers is as old as its question.
    assert is_refused(logins, nodes, 1)


def test_an_answer_is_as_old_as_its_question(clock: list[float]) -> None:
    def answer_late() -> frozenset[int]:
        clock[0] += OLDEST_SECONDS
        return frozenset()

    nodes = Nodes()
    logins = NodeLogins(nodes)
    assert not logins.list_groups_without_row_security(answer_late)
    nodes.bypassing = {1}
    assert is_refused(logins, nodes, 1)
