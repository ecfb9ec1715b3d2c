"""Requirement 18.1: whatever work on one item does, only it is lost; bounded from outside, by the kernel."""

import gc
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from enum import Enum
from pathlib import Path

import pytest

from app.sandbox import wire
from app.sandbox.process_sandbox import ForkServer, ProcessSandbox, ProcessSession
from app.sandbox.shapes import Fault, FaultKind
from tests.support.reading import get_fork_server
from tests.support.sandboxed import answer_with_code, look_around, refuse, rest, work

PROJECT = Path(__file__).resolve().parents[3]


@pytest.fixture
def session() -> Iterator[ProcessSession]:
    with ProcessSandbox(memory_bytes=1 << 28, fork_server=get_fork_server()).open_session() as opened:
        yield opened


def test_each_culprit_is_named_and_the_others_are_done(session: ProcessSession) -> None:
    items = ["a", "LOOPS", "b", "RAISES", "c", "RECURS", "EATS", "d", "CRASHES", "e"]
    answers = list(session.map(work, "x", [(item, 1) for item in items]))
    assert [answer.kind if isinstance(answer, Fault) else answer for answer in answers] == [
        *("xa", FaultKind.TIME, "xb", FaultKind.RAISED, "xc", FaultKind.RAISED),
        *(FaultKind.MEMORY, "xd", FaultKind.CRASH, "xe"),
    ]


def test_a_member_of_an_enumeration_is_read_whatever_python_wrote_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Until 3.11.4 one was pickled by `getattr`, which no answer may hold: each was taken for a crash."""
    monkeypatch.setattr(
        Enum, "__reduce_ex__", lambda member, _protocol: (getattr, (type(member), member.name))
    )
    inbox = wire.Inbox()
    inbox.add_bytes(wire.encode_frame(Fault(FaultKind.TIME)))
    assert inbox.take_value() == (Fault(FaultKind.TIME),)


def test_a_loop_is_ended_by_its_processor_time(session: ProcessSession) -> None:
    before = time.monotonic()
    (answer,) = session.map(work, "", [("LOOPS", 1)])
    assert answer == Fault(FaultKind.TIME)
    # Two seconds at most by its own clock; by that of a busy machine several times as much.
    assert 0.9 < time.monotonic() - before < 20


def test_many_items_that_take_their_time_are_no_culprits(session: ProcessSession) -> None:
    """The bound is one of each item, not of the process that reads them all."""
    items = [("a" * 2_000_000, 1)] * 30
    assert not any(isinstance(answer, Fault) for answer in session.map(work, "", items))


def test_a_refusal_keeps_its_code_and_sentence(session: ProcessSession) -> None:
    (answer,) = session.map(refuse, None, [("This", 5)])
    assert answer == Fault(FaultKind.REFUSED, "bad_value", "This is not liked.", 422)


def test_the_child_has_nothing_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key in its environment, and no connection but its own: none of our process, nor another child's."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    own = ForkServer(())
    sandbox = ProcessSandbox(memory_bytes=1 << 28, fork_server=own)
    try:
        with closing(own), sandbox.open_session() as first, sandbox.open_session() as second:
            (one,) = first.map(look_around, None, [(None, 5)])
            (other,) = second.map(look_around, None, [(None, 5)])
    finally:
        sandbox.close()
    assert not isinstance(one, Fault)
    assert not isinstance(other, Fault)
    _, descriptors, environment = other
    assert one[0] != other[0]
    assert "OPENAI_API_KEY" not in environment
    assert [name for name in descriptors if name.startswith("socket")] != []
    assert len([name for name in descriptors if name.startswith("socket")]) == 1
    assert {name for name in descriptors if not name.startswith("socket")} <= {"/dev/null"}


def test_what_a_child_says_is_no_code(session: ProcessSession) -> None:
    """A parser that somebody has taken over answers with what it likes; nothing of it is carried out."""
    assert list(session.map(answer_with_code, None, [(None, 5)])) == [Fault(FaultKind.CRASH)]
    inbox = wire.Inbox()
    body = pickle.dumps(subprocess.Popen)
    inbox.add_bytes(len(body).to_bytes(8, "big") + body)
    with pytest.raises(pickle.UnpicklingError):
        inbox.take_value()


def test_whoever_waits_may_end_it(session: ProcessSession) -> None:
    def give_up() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(session.map(work, "", [("LOOPS", 60)], while_waiting=give_up))
    assert list(session.map(work, "x", [("a", 5)])) == ["xa"]


def test_others_are_looked_for_also_while_answers_come_fast(session: ProcessSession) -> None:
    """By time, not by what the child leaves waiting: a neighbour waits for no end of many short items."""
    looks: list[float] = []
    items = [(0.03, 1)] * 20
    list(session.map(rest, None, items, while_waiting=lambda: looks.append(time.monotonic())))
    assert len(looks) >= 3


@pytest.mark.soak
def test_short_work_does_not_wait_for_long_work(session: ProcessSession) -> None:
    """A child that lives on has the processor that others leave, a new one its normal share."""
    usual = os.getpriority(os.PRIO_PROCESS, 0)
    (child,) = session.map(look_around, None, [(None, 5)])
    assert not isinstance(child, Fault)
    assert os.getpriority(os.PRIO_PROCESS, child[0]) == usual
    list(session.map(rest, None, [(3.0, 5)]))
    assert os.getpriority(os.PRIO_PROCESS, child[0]) == min(19, usual + 10)
    with ProcessSandbox(memory_bytes=1 << 28, fork_server=get_fork_server()).open_session() as other:
        (new,) = other.map(look_around, None, [(None, 5)])
        assert not isinstance(new, Fault)
        assert os.getpriority(os.PRIO_PROCESS, new[0]) == usual


def test_what_was_not_asked_for_does_not_answer_the_next_question(session: ProcessSession) -> None:
    with closing(session.map(work, "x", [("a", 5), ("b", 5), ("c", 5)])) as answers:
        assert next(answers) == "xa"
    assert list(session.map(work, "y", [("d", 5)])) == ["yd"]


def test_a_fork_server_that_nobody_holds_any_more_is_gone() -> None:
    """Whoever forgets to close its sandbox leaves no process behind."""
    forgotten = ForkServer(())
    pid = forgotten.pid
    del forgotten
    gc.collect()
    assert not Path(f"/proc/{pid}").exists()


HOLDER = """
import sys, time
from app.sandbox.process_sandbox import ProcessSandbox
from tests.support.sandboxed import look_around, work
sandbox = ProcessSandbox(memory_bytes=1 << 28)
with sandbox.open_session() as session:
    ((pid, *_),) = session.map(look_around, None, [(None, 5)])
    print(pid, sandbox._own_fork_server.pid, flush=True)
    list(session.map(work, "", [("LOOPS", 1000)]))
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_no_orphan_is_left(number: signal.Signals) -> None:
    """The child is in an endless loop when its worker dies, and the fork server is told by nobody."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER],
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": "."},
    )
    assert process.stdout is not None
    pids = [int(pid) for pid in process.stdout.readline().split()]
    assert len(pids) == 2
    assert all(is_alive(pid) for pid in pids)
    os.kill(process.pid, number)
    process.wait(10)
    process.stdout.close()
    deadline = time.monotonic() + 10
    while any(is_alive(pid) for pid in pids):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # Whoever is dead and not buried yet is no orphan that works.
    return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"


def test_a_fork_server_that_died_is_replaced() -> None:
    lost = ForkServer(())
    lost.close()
    sandbox = ProcessSandbox(memory_bytes=1 << 28, fork_server=lost)
    try:
        with sandbox.open_session() as session:
            assert list(session.map(work, "x", [("a", 5)])) == ["xa"]
            os.kill(sandbox._own_fork_server.pid, signal.SIGKILL)  # type: ignore[union-attr]
            time.sleep(0.2)
            assert list(session.map(work, "x", [("a", 5)])) == [Fault(FaultKind.CRASH)]
            assert list(session.map(work, "x", [("b", 5)])) == ["xb"]
    finally:
        sandbox.close()
