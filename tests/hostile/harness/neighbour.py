"""The tenant beside an attack: a process of its own that reads about 20 times a second and hands in a
sentence.

`python -m tests.hostile.harness.neighbour` reads what to do from the first line of stdin, says "ready", goes
on until stdin ends, and prints what it saw as JSON.
"""

import json
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, field
from http.client import HTTPException

from tests.hostile.harness.installation import Installation
from tests.hostile.harness.memory import MemoryWatch
from tests.support.http_client import Call, Target, get, post, send
from tests.support.service import FINAL, PROJECT

READS_APART = 0.2
SENTENCES_APART = 2.0
LONGEST_READ = 10.0
LONGEST_JOB = 45.0

SLOWEST_READ = 1.0
SLOWEST_JOB = 10.0
MOST_MEMORY = 600 * 1024 * 1024


@dataclass
class Report:
    """What the neighbour saw, and how much memory the service took meanwhile."""

    reads: list[float] = field(default_factory=list)
    statuses: dict[str, int] = field(default_factory=dict)
    jobs: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    memory: dict[str, int] = field(default_factory=dict)

    @property
    def p99(self) -> float:
        """Seconds that 99 of 100 reads stayed under."""
        if len(self.reads) < 2:
            return LONGEST_READ
        return statistics.quantiles(self.reads, n=100, method="inclusive")[98]

    def line(self) -> str:
        """The report in one line."""
        jobs = " ".join(f"{seconds:.1f}" for seconds in self.jobs) or "none"
        memory = " ".join(f"{name} {held / 2**20:.0f} MB" for name, held in self.memory.items())
        p50 = statistics.median(self.reads) if self.reads else 0.0
        return (
            f"{len(self.reads)} reads p50 {p50:.3f} p99 {self.p99:.3f} max {max(self.reads, default=0):.3f}; "
            f"jobs {jobs}; {self.statuses}; {memory}"
        )

    def check(self, baseline: str = "") -> None:
        """Nobody beside an attack waits, fails, or finds the service grown (issue 9, done when)."""
        told = f"{self.line()}\nbaseline: {baseline}\n{self.failures[:5]}"
        assert len(self.reads) >= 20, told
        assert self.p99 < SLOWEST_READ, told
        assert self.jobs, told
        assert max(self.jobs) < SLOWEST_JOB, told
        assert set(self.statuses) <= {"200", "202"}, told
        assert max(self.memory.values()) < MOST_MEMORY, told


Beside = Callable[[], AbstractContextManager[Report]]
"""A block through which the neighbour lives."""


@contextmanager
def neighbour(installation: Installation) -> Iterator[Report]:
    """The report, which is filled in when the block ends. A job that was handed in is waited for."""
    report = Report()
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.hostile.harness.neighbour"],
        cwd=PROJECT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(asdict(installation.neighbour)) + "\n")
        process.stdin.flush()
        assert process.stdout.readline() == "ready\n"
        with MemoryWatch(installation.roots) as watch:
            yield report
            answer, _ = process.communicate(timeout=LONGEST_JOB + 30)
        report.__dict__.update(json.loads(answer))
        report.memory = watch.most()
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


class Life:
    """What B does: each kind of read by a thread of its own, and jobs one after the other."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.ended = threading.Event()
        self.reads: list[float] = []
        self.statuses: Counter[str] = Counter()
        self.jobs: list[float] = []
        self.failures: list[str] = []
        self.lock = threading.Lock()

    def paths(self) -> list[Call]:
        """A document, a page of nodes, the sign of life, and an explanation over two hops."""
        space = self.target.space
        document = get(self.target, f"{space}/documents?limit=1").body["items"][0]["id"]
        explain = {"from": "PostGIS", "to": "Ingres", "max_hops": 2}
        return [
            Call("GET", f"{space}/documents/{document}"),
            Call("GET", f"{space}/graph/nodes?limit=20"),
            Call("GET", "/healthz"),
            Call.json("POST", f"{space}/graph/explain", explain),
        ]

    def read(self, call: Call, offset: float) -> None:
        """Reads that a slow one kept from being made count as well, with the wait that they would have
        had.
        """
        due = time.monotonic() + offset
        while not self.ended.wait(max(0.0, due - time.monotonic())):
            begun = time.monotonic()
            try:
                reply = send(self.target, call, timeout=LONGEST_READ)
                status, told = str(reply.status), f"{call.path}: {reply.raw[:200]!r}"
            except (OSError, HTTPException) as error:
                status, told = type(error).__name__, f"{call.path}: {error}"
            took = time.monotonic() - begun
            with self.lock:
                self.statuses[status] += 1
                if status not in ("200", "202"):
                    self.failures.append(f"{status} {told}")
                while took > 0:
                    self.reads.append(took)
                    took -= READS_APART
            due = max(due + READS_APART, time.monotonic())

    def work(self) -> None:
        """One sentence is handed in and waited for, again and again."""
        count = 0
        while not self.ended.wait(0.5 if not count else SENTENCES_APART):
            count += 1
            text = f"Person Number{time.monotonic_ns()} works for Company Number{count}."
            begun = time.monotonic()
            try:
                took = self.finish(text, begun)
            except (OSError, HTTPException, KeyError, TypeError) as error:
                took = time.monotonic() - begun
                with self.lock:
                    self.failures.append(f"job: {type(error).__name__} {error}")
                    self.statuses[f"job {type(error).__name__}"] += 1
            with self.lock:
                self.jobs.append(took)

    def finish(self, text: str, begun: float) -> float:
        """Seconds until the sentence's job had ended; LONGEST_JOB where it did not."""
        taken = post(self.target, f"{self.target.space}/documents", {"text": text}, timeout=LONGEST_JOB)
        with self.lock:
            self.statuses[str(taken.status)] += 1
        job_id = taken.body["job"]["id"]
        while time.monotonic() - begun < LONGEST_JOB:
            reply = get(self.target, f"{self.target.space}/jobs/{job_id}", timeout=LONGEST_READ)
            if reply.status == 200 and reply.body["state"] in FINAL:
                if reply.body["state"] != "done":
                    with self.lock:
                        self.failures.append(f"job: {reply.body}")
                        self.statuses[f"job {reply.body['state']}"] += 1
                return time.monotonic() - begun
            time.sleep(0.1)
        return LONGEST_JOB


def main() -> None:
    """Live until stdin ends, then tell."""
    life = Life(Target(**json.loads(sys.stdin.readline())))
    calls = life.paths()
    threads = [
        threading.Thread(target=life.read, args=(call, READS_APART * number / len(calls)), daemon=True)
        for number, call in enumerate(calls)
    ]
    threads.append(threading.Thread(target=life.work, daemon=True))
    for each in threads:
        each.start()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.read()
    life.ended.set()
    for each in threads:
        each.join(LONGEST_JOB + 15)
    seen = {"reads": life.reads, "statuses": life.statuses, "jobs": life.jobs, "failures": life.failures[:20]}
    sys.stdout.write(json.dumps(seen))


if __name__ == "__main__":
    main()
