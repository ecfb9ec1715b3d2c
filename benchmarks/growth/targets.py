"""The targets of the growth report, each beside what was measured."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.growth.figures import Measured, doubling


@dataclass(frozen=True, slots=True)
class Target:
    """A bound for a figure at one size, for its growth at each doubling, or against that of the smallest
    size.

    `most` bounds it above, `least` below. `record` is the number of the decision record that says why it is
    missed by more than a tenth.
    """

    group: str
    figure: str
    size: int | None = None
    most: float | None = None
    least: float | None = None
    against_smallest: bool = False
    record: int | None = None

    def measured(self, every: Sequence[Measured]) -> float | None:
        """The value that the bound is about; None where it was not taken."""
        points = points_of(every, self.group, self.figure)
        values = dict(points)
        if self.size is None:
            return doubling(points)
        value = values.get(self.size)
        if self.against_smallest and value is not None:
            first = points[0]
            return value / first[1] if first[0] != self.size and first[1] else None
        return value

    def met(self, value: float) -> bool:
        """True where the value keeps the bound."""
        return (self.most is None or value <= self.most) and (self.least is None or value >= self.least)

    def nearly_met(self, value: float) -> bool:
        """True where the value misses the bound by a tenth at most, which needs no record (issue 14)."""
        if self.most is not None:
            return value <= 1.1 * self.most
        return self.least is None or value >= 0.9 * self.least

    @property
    def about(self) -> str:
        """The place of the bound, in words."""
        if self.size is None:
            return "each doubling of the size"
        of = f"at {self.size:,}"
        return f"{of}, against the smallest size" if self.against_smallest else of

    @property
    def bound(self) -> str:
        """The bound itself, in words."""
        return f"at most {self.most:g}" if self.most is not None else f"at least {self.least:g}"


def points_of(every: Sequence[Measured], group: str, figure: str) -> list[tuple[int, float]]:
    """(size, value) of a figure, smallest size first."""
    found = [
        (measured.size, value)
        for measured in every
        if (value := measured.value(figure)) is not None and measured.group == group
    ]
    return sorted(found)


STATEMENTS = (
    "open the space",
    "explain, two hops",
    "explain from A to B",
    "find by name",
    "neighborhood, two hops",
    "near vectors, exact",
    "retrieve, hybrid",
)

TARGETS = (
    Target("graph", "explain, one hop: p50", most=1.2),
    Target("graph", "explain, two hops: p50", most=1.2),
    Target("graph", "explain from A to B: p50", most=1.2),
    Target("graph", "explain, one hop: Postgres", most=1.2),
    Target("graph", "explain, two hops: Postgres", most=1.2),
    Target("graph", "explain from A to B: Postgres", most=1.2),
    Target("graph", "communities: all processors", 5_000_000, most=15, record=67),
    Target("graph", "communities: modularity", 5_000_000, least=0.43, record=67),
    Target("graph", "communities: memory of the process", 5_000_000, most=2),
    Target("chunks", "retrieve, hybrid: p50", 100_000, most=25, record=65),
    Target("chunks", "retrieve, hybrid: p95", 100_000, most=80),
    Target("chunks", "near vectors: recall@10", 100_000, least=0.98),
    Target("chunks", "near vectors: Postgres", 100_000, most=2, record=73),
    *(
        Target("spaces", f"{statement}: Postgres", 10_000, most=1.2, against_smallest=True)
        for statement in STATEMENTS
    ),
    Target("spaces", "near vectors, exact: Postgres", 10_000, most=0.6),
    Target("large spaces", "small space, search: Postgres", 2_000, most=1.2, against_smallest=True),
    Target("large spaces", "small space, look-up: Postgres", 2_000, most=1.2, against_smallest=True),
    Target("large spaces", "small space, insert 10: Postgres", 2_000, most=1.2, against_smallest=True),
    Target("large spaces", "small space, search: Postgres", 2_000, most=0.6),
    Target("rules", "rules: both", 50_000, most=5, record=75),
    Target("rules", "rules: rate", 50_000, least=200),
    Target("rules", "rules: memory of the worker", 50_000, most=300),
    Target("model", "model: both", 50_000, most=20),
    Target("model", "model: memory of the process", 50_000, most=300, record=75),
    Target("http", "between two ends: Python", 315, most=3.5, record=70),
    Target("http", "between two ends: Postgres", 315, most=2, record=70),
    Target("http", "a question: both", 315, most=10, record=70),
    Target("http", "between two ends: rate", 315, least=300, record=70),
    Target("http", "between two ends: p99", 315, most=50, record=70),
    Target("starts", "citegraph --help", 1, most=0.4),
    Target("starts", "a key of completion", 1, most=0.4),
    Target("starts", "citegraph space list", 1, most=0.4, record=71),
    Target("starts", "API: ready", 1, most=2, record=71),
)
