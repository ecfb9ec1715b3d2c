"""The tenant beside an attack: a process of its own (see life), and the report of what it saw."""

import json
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, field

from tests.hostile.harness.installation import Installation
from tests.hostile.harness.life import LONGEST_JOB, LONGEST_READ
from tests.hostile.harness.memory import MemoryWatch
from tests.support.service import PROJECT

SLOWEST_READ = 1.0
SLOWEST_JOB = 10.0
MOST_MEMORY = 600 * 1024 * 1024


class TooSlow(AssertionError):
    """The neighbour waited longer than the bounds above, and nothing worse."""


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
        """Nobody beside an attack waits, fails, or finds the service grown (issue 9, done when).

        Raises TooSlow where the times alone are over their bounds.
        """
        told = f"{self.line()}\nbaseline: {baseline}\n{self.failures[:5]}"
        assert len(self.reads) >= 20, told
        assert self.jobs, told
        assert set(self.statuses) <= {"200", "202"}, told
        assert max(self.memory.values()) < MOST_MEMORY, told
        if self.p99 >= SLOWEST_READ or max(self.jobs) >= SLOWEST_JOB:
            raise TooSlow(told)


Beside = Callable[[], AbstractContextManager[Report]]
"""A block through which the neighbour lives."""


@contextmanager
def neighbour(installation: Installation) -> Iterator[Report]:
    """The report, which is filled in when the block ends. A job that was handed in is waited for."""
    report = Report()
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.hostile.harness.life"],
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
