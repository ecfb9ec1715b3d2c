"""Runs the measurements one after the other, or one of them.

`python -m benchmarks` takes documents in, times the rules, the graph's walks, retrieval, the search for
vectors, the detection of communities, the dashboard's pages and explain over HTTP, measures the memory of
exports and bytes on disk, restarts Postgres under load, counts what the summary gate saves, compares
estimates with bills, measures what is lost of a model that reads perfectly, and counts the files that a
request crosses, each on data of its own. `python -m benchmarks NAME [options]` runs one; `--help` after its
name lists its options. The growth report, which takes hours, is run by its name alone.
"""

import argparse
from collections.abc import Callable, Sequence

from benchmarks import memory, sizes
from benchmarks.graph import communities, queries
from benchmarks.growth import run as growth
from benchmarks.ingest import estimates, extraction_speed, model, rules, summaries
from benchmarks.load import dashboard, database_restart, export_memory, http_load
from benchmarks.quality import oracle
from benchmarks.retrieval import latency, vector_layout, vectors

BENCHMARKS: dict[str, tuple[str, Callable[[Sequence[str]], None]]] = {
    "ingest": ("Taking documents in", rules.main),
    "model": ("Taking documents in through a model", model.main),
    "extraction": ("Reading by rules", extraction_speed.main),
    "graph": ("Graph queries", queries.main),
    "retrieval": ("Retrieval", latency.main),
    "vectors": ("Vectors of spaces of all sizes", vectors.main),
    "layout": ("What others' vectors cost a space", vector_layout.main),
    "communities": ("Communities", communities.main),
    "dashboard": ("Pages of the dashboard", dashboard.main),
    "http": ("Explain over HTTP", http_load.main),
    "export": ("Memory of exports", export_memory.main),
    "oracle": ("What a perfect reader loses", oracle.main),
    "estimates": ("What a model will cost", estimates.main),
    "memory": ("Memory", memory.main),
    "sizes": ("Bytes on disk", sizes.main),
    "restart": ("Clients while Postgres restarts", database_restart.main),
    "summaries": ("The summary gate", summaries.main),
    "growth": ("The same figures at every size", growth.main),
}


def main(argv: Sequence[str] | None = None) -> None:
    """Run what the first argument names with the others as its options; all of them without one."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("name", nargs="?", choices=sorted(BENCHMARKS))
    parser.add_argument("options", nargs=argparse.REMAINDER, help="options of that one")
    chosen = parser.parse_args(argv)
    for name in (
        [chosen.name] if chosen.name else [benchmark for benchmark in BENCHMARKS if benchmark != "growth"]
    ):
        title, run = BENCHMARKS[name]
        print(f"\n== {title} ({name}) ==\n", flush=True)
        run(chosen.options)


if __name__ == "__main__":
    main()
