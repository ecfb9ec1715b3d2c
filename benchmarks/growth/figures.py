"""Figures of a growth report as values: what was measured at which size, when and on what; kept as JSON."""

import json
import math
import os
import platform
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Figure:
    """One number with its unit."""

    name: str
    unit: str
    value: float


@dataclass(frozen=True, slots=True)
class Machine:
    """Where figures were taken. `load` is the load average when their measurement began."""

    processor: str
    cores: int
    memory_gb: int
    load: float
    revision: str


@dataclass(frozen=True, slots=True)
class Measured:
    """All figures of a group at one size."""

    group: str
    size: int
    date: str
    machine: Machine
    minutes: float
    figures: tuple[Figure, ...]

    def value(self, name: str) -> float | None:
        """The figure of that name; None where it was not taken."""
        return next((figure.value for figure in self.figures if figure.name == name), None)


def this_machine() -> Machine:
    """This machine now, and the commit that is measured."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.is_file() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    here = Path(__file__).resolve().parents[2]
    found = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=here, capture_output=True, text=True, check=False
    )
    return Machine(
        named[0] if named else platform.machine(),
        os.cpu_count() or 1,
        round(memory / 2**30),
        round(os.getloadavg()[0], 1),
        found.stdout.strip() or "unknown",
    )


def today() -> str:
    """The date in UTC."""
    return datetime.now(UTC).date().isoformat()


def load(path: Path) -> list[Measured]:
    """What a file of results holds; nothing where there is none."""
    if not path.is_file():
        return []
    return [
        Measured(
            **{
                **stored_figure,
                "machine": Machine(**stored_figure["machine"]),
                "figures": tuple(Figure(**figure) for figure in stored_figure["figures"]),
            }
        )
        for stored_figure in json.loads(path.read_text())
    ]


def save(path: Path, new: Measured) -> list[Measured]:
    """Put figures into the file, in place of those of the same group and size; all that it holds then."""
    kept = [
        stored_figure
        for stored_figure in load(path)
        if (stored_figure.group, stored_figure.size) != (new.group, new.size)
    ]
    every = sorted([*kept, new], key=lambda figure: (figure.group, figure.size))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([asdict(figure) for figure in every], indent=1) + "\n")
    return every


def doubling(points: Sequence[tuple[int, float]]) -> float | None:
    """By what a figure is multiplied when the size doubles: the slope of a line through the logarithms.

    None for fewer than two sizes, or where a figure is nothing.
    """
    sizes = [math.log2(size) for size, _ in points]
    if len(points) < 2 or any(value <= 0 for _, value in points):
        return None
    values = [math.log2(value) for _, value in points]
    middle, mean = sum(sizes) / len(sizes), sum(values) / len(values)
    spread = sum((size - middle) ** 2 for size in sizes)
    rise = sum((size - middle) * (value - mean) for size, value in zip(sizes, values, strict=True))
    return float(2 ** (rise / spread)) if spread else None
