"""Takes the same figures at every size and writes them, with their slope and all targets, into the docs.

`python -m benchmarks growth [--quick] [--only graph chunks …] [--sizes 10000 …]`. A full run takes hours; a
quick one the two smallest sizes of each group, in minutes. Every size is kept as soon as it is measured, in
place of what stood there for it, so that a run may be ended and gone on with.
"""

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchmarks.growth import tables
from benchmarks.growth.chunks import figures_of_chunks
from benchmarks.growth.documents import figures_by_model, figures_by_rules
from benchmarks.growth.doors import figures_of_http, figures_of_starts
from benchmarks.growth.figures import Figure, Measured, load, save, this_machine, today
from benchmarks.growth.graphs import figures_of_graphs
from benchmarks.growth.neighbors import figures_beside_large, figures_of_spaces

PROJECT = Path(__file__).resolve().parents[2]
RESULTS = PROJECT / "benchmarks" / "results" / "growth.json"
DOCUMENT = PROJECT / "docs" / "benchmarks.md"
QUICK = 2
"""Sizes of each group, the smallest, that a quick run takes."""

GROUPS: dict[str, tuple[Callable[[Sequence[int]], Iterator[tuple[int, list[Figure]]]], tuple[int, ...]]] = {
    "graph": (figures_of_graphs, (10_000, 100_000, 1_000_000, 5_000_000)),
    "chunks": (figures_of_chunks, (1_000, 10_000, 100_000, 500_000)),
    "spaces": (figures_of_spaces, (1, 100, 10_000)),
    "large spaces": (figures_beside_large, (1, 20, 200, 2_000)),
    "rules": (figures_by_rules, (1_000, 2_000, 10_000, 50_000)),
    "model": (figures_by_model, (1_000, 2_000, 10_000, 50_000)),
    "http": (figures_of_http, (21, 315)),
    "starts": (figures_of_starts, (1,)),
}


def main(argv: Sequence[str] | None = None) -> None:
    """Measure, keep, print, and write the tables into the docs."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks growth",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--quick", action="store_true", help="the two smallest sizes of each group")
    parser.add_argument("--only", nargs="+", choices=list(GROUPS), default=list(GROUPS), help="these groups")
    parser.add_argument("--sizes", type=int, nargs="+", help="other sizes than a group's own")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where figures are kept")
    parser.add_argument("--document", type=Path, default=DOCUMENT, help="whose tables are written")
    parser.add_argument("--tables", action="store_true", help="measure nothing: write what is kept")
    options = parser.parse_args(argv)
    for group in [] if options.tables else options.select:
        measure, sizes = GROUPS[group]
        chosen = sorted(options.sizes or sizes)[: QUICK if options.quick else None]
        take(group, measure(chosen), options.results)
    every = load(options.results)
    text = tables.report(every, {group: sizes for group, (_, sizes) in GROUPS.items()})
    tables.write_between(options.document, text)
    print(text)
    print(f"\n{len(tables.missed(every))} targets missed; kept in {options.results}")


def take(group: str, measured: Iterator[tuple[int, list[Figure]]], results: Path) -> None:
    """Keep what each size gives as soon as it is there."""
    machine, begun = this_machine(), time.monotonic()
    for size, figures in measured:
        minutes = (time.monotonic() - begun) / 60
        save(results, Measured(group, size, today(), machine, round(minutes, 1), tuple(figures)))
        print(f"{group}, {size:,}: {len(figures)} figures in {minutes:.1f} minutes", flush=True)
        machine, begun = this_machine(), time.monotonic()
