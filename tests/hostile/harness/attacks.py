"""Two ways to be hostile, each in processes of its own and bounded: many requests, and many connections."""

import multiprocessing
import resource
import selectors
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPException
from multiprocessing.connection import Connection
from typing import Any

from tests.support.http_client import Call, Target, send

PATIENCE = 60.0
DESCRIPTORS = 4_096


@dataclass
class Outcome:
    """What an attacker saw: statuses and errors by count, the slowest answer, and answers that break a
    promise.
    """

    seen: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0
    broken: list[str] = field(default_factory=list)
    held: int = 0

    def check(self) -> None:
        """Not even the attacker gets a 5xx but 503, and whoever must wait is told how long."""
        assert self.broken == [], (self.broken[:5], self.seen)


@dataclass(frozen=True)
class Hammer:
    """These calls, round and round, by so many threads, for so many seconds."""

    target: Target
    calls: Sequence[Call]
    threads: int = 6
    seconds: float = 8.0
    most: int = 100_000
    timeout: float = 20.0

    def run(self, outcome: Outcome) -> None:
        """Until the time or the number of calls is over."""
        deadline = time.monotonic() + self.seconds
        lock = threading.Lock()
        numbers = iter(range(self.most))

        def go_on() -> None:
            while time.monotonic() < deadline:
                with lock:
                    number = next(numbers, None)
                if number is None:
                    return
                self.once(self.calls[number % len(self.calls)], outcome, lock)

        workers = [threading.Thread(target=go_on, daemon=True) for _ in range(self.threads)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join(max(0.1, deadline + self.timeout - time.monotonic()))

    def once(self, call: Call, outcome: Outcome, lock: threading.Lock) -> None:
        """One call, counted."""
        begun = time.monotonic()
        try:
            reply = send(self.target, call, timeout=self.timeout)
        except (OSError, HTTPException) as error:
            with lock:
                outcome.seen[type(error).__name__] += 1
                outcome.slowest = max(outcome.slowest, time.monotonic() - begun)
            return
        with lock:
            outcome.seen[str(reply.status)] += 1
            outcome.slowest = max(outcome.slowest, reply.seconds)
            if reply.status >= 500 and reply.status != 503:
                outcome.broken.append(f"{call.method} {call.path}: {reply.status} {reply.raw[:200]!r}")
            if reply.status in (429, 503) and "retry-after" not in reply.headers:
                outcome.broken.append(f"{call.method} {call.path}: {reply.status} without Retry-After")


@dataclass(frozen=True)
class Hold:
    """So many connections at once, each of which sends `opening` and then a `drip` now and then."""

    target: Target
    opening: bytes
    count: int
    drip: bytes = b""
    every: float = 1.0
    seconds: float = 10.0
    # Whether a connection that the server ended is opened anew.
    again: bool = False
    # From so many loopback addresses in turn, of which the first ends with this number; the target's own for
    # one.
    sources: int = 1
    first: int = 0

    def run(self, outcome: Outcome) -> None:
        """Until the time is over; `held` counts the connections that were open at the end."""
        deadline = time.monotonic() + self.seconds
        ready = selectors.DefaultSelector()
        opened = self.open_all(ready, outcome, self.count, deadline)
        next_drip = time.monotonic() + self.every
        while time.monotonic() < deadline:
            for key, _ in ready.select(0.1):
                self.listen(key, ready, outcome)
            if time.monotonic() >= next_drip:
                next_drip += self.every
                for key in list(ready.get_map().values()):
                    self.speak(key, ready, outcome)
                if self.again:
                    missing = self.count - len(ready.get_map())
                    opened += self.open_all(ready, outcome, missing, deadline)
        outcome.held = len(ready.get_map())
        for key in list(ready.get_map().values()):
            key.fileobj.close()  # type: ignore[union-attr]
        ready.close()

    def open_all(self, ready: selectors.BaseSelector, outcome: Outcome, count: int, deadline: float) -> int:
        """Open so many more; how many could be."""
        opened = 0
        for number in range(count):
            if time.monotonic() > deadline:
                break
            try:
                connection = socket.create_connection(
                    (self.target.host, self.target.port), timeout=2, source_address=(self.source(number), 0)
                )
                if self.opening:
                    connection.sendall(self.opening)
            except OSError as error:
                outcome.seen[f"opening {type(error).__name__}"] += 1
                continue
            connection.setblocking(False)
            ready.register(connection, selectors.EVENT_READ, data=[])
            opened += 1
        return opened

    def source(self, number: int) -> str:
        """The address from which this connection comes."""
        return self.target.source if self.sources == 1 else f"127.0.0.{self.first + number % self.sources}"

    def listen(self, key: selectors.SelectorKey, ready: selectors.BaseSelector, outcome: Outcome) -> None:
        """Take what the server says; a connection that it ended is counted and let go."""
        connection: socket.socket = key.fileobj  # type: ignore[assignment]
        try:
            received = connection.recv(65_536)
        except BlockingIOError:
            return
        except OSError as error:
            self.end(key, ready, outcome, type(error).__name__)
            return
        if received.startswith(b"HTTP/1.1 "):
            status = received[9:12].decode()
            outcome.seen[status] += 1
            if status[0] == "5" and status != "503":
                outcome.broken.append(f"{status}: {received[:300]!r}")
            if status in ("429", "503") and b"retry-after" not in received.lower():
                outcome.broken.append(f"{status} without Retry-After: {received[:300]!r}")
        if not received:
            self.end(key, ready, outcome, "ended by the server")

    def speak(self, key: selectors.SelectorKey, ready: selectors.BaseSelector, outcome: Outcome) -> None:
        """Send the next drip."""
        connection: socket.socket = key.fileobj  # type: ignore[assignment]
        if not self.drip:
            return
        try:
            connection.send(self.drip)
        except BlockingIOError:
            return
        except OSError as error:
            self.end(key, ready, outcome, type(error).__name__)

    def end(
        self, key: selectors.SelectorKey, ready: selectors.BaseSelector, outcome: Outcome, why: str
    ) -> None:
        """The connection is no longer held."""
        ready.unregister(key.fileobj)
        key.fileobj.close()  # type: ignore[union-attr]
        outcome.seen[why] += 1


def _attack(attack: Hammer | Hold, told: Connection) -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = DESCRIPTORS if most == resource.RLIM_INFINITY else min(DESCRIPTORS, most)
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
    outcome = Outcome()
    attack.run(outcome)
    told.send(outcome)


@contextmanager
def attacking(*attacks: Hammer | Hold) -> Iterator[list[Outcome]]:
    """The outcomes, filled in when the block ends: each attack runs in a process of its own until then."""
    processes = multiprocessing.get_context("spawn")
    outcomes: list[Outcome] = []
    started: list[tuple[Any, Connection]] = []
    for attack in attacks:
        heard, told = processes.Pipe(duplex=False)
        process = processes.Process(target=_attack, args=(attack, told), daemon=True)
        process.start()
        told.close()
        started.append((process, heard))
    try:
        yield outcomes
        for process, heard in started:
            if heard.poll(PATIENCE):
                outcomes.append(heard.recv())
            process.join(10)
        assert len(outcomes) == len(started), "an attack did not end in time"
    finally:
        for process, heard in started:
            if process.is_alive():
                process.kill()
                process.join(10)
            heard.close()
