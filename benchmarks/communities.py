"""Times the detection of communities: read from Postgres, Leiden, written back; then once more without a change.

`python -m benchmarks communities [--nodes 200000] [--url postgresql://… --space ID]`. Processor seconds are
this process's and its Postgres backend's together. The generated graph has hubs and no communities of its own,
which is the hardest case: nothing aggregates early. Without a URL an embedded server is made and thrown away.
"""

import argparse
import contextlib
import os
import resource
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from app.communities import repository
from app.communities.detecting import find, store
from app.communities.shapes import Wanted
from app.db.engine import as_conninfo, as_psycopg, create_app_engine
from app.db.migrate import migrate
from app.db.session import Database, SpaceSession
from app.ids import SpaceId, TenantId
from app.runtime.supervisor import EmbeddedServers
from app.settings import Settings
from benchmarks.graph_data import generate
from benchmarks.graph_queries import sample


@dataclass
class Spent:
    """Processor seconds of steps, ours and the backend's."""

    ours: float = 0.0
    backend: float = 0.0

    @contextlib.contextmanager
    def step(self, label: str, backend: int | None = None) -> Iterator[None]:
        """Measure what is done inside, print and add it."""
        wall, ours, theirs = time.perf_counter(), time.process_time(), backend_seconds(backend)
        yield
        ours, theirs = time.process_time() - ours, backend_seconds(backend) - theirs
        self.ours += ours
        self.backend += theirs
        wall = time.perf_counter() - wall
        print(f"{label:<44} ours {ours:6.2f}   backend {theirs:6.2f}   wall {wall:6.2f} s", flush=True)


def backend_seconds(pid: int | None) -> float:
    """Processor seconds of a Postgres backend on this machine so far (Linux)."""
    if pid is None:
        return 0.0
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def pid_of(space: SpaceSession) -> int:
    """The process that serves this session."""
    row = space.connection.execute("SELECT pg_backend_pid()").fetchone()
    assert row is not None
    return int(row[0])


def peak_bytes() -> float:
    """The most memory this process ever had, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def run_once(database: Database, where: tuple[TenantId, SpaceId], wanted: Wanted) -> None:
    """One whole run, step by step."""
    spent = Spent()
    with database.open_space(*where) as space, spent.step("read the graph", pid_of(space)):
        read = repository.read_graph(space)
    with spent.step("pairs, Leiden, hashes"):
        found, pairs = find(read, wanted)
    with (
        database.open_space(*where, by_index=True) as space,
        spent.step("write the difference", pid_of(space)),
    ):
        plan = store(space, read, found, wanted, pairs)
    assert plan is not None
    levels = ", ".join(f"{len(each):,}" for each in found.hierarchy.parents)
    print(
        f"{len(read.graph.ids):,} nodes, {len(read.graph.source):,} edges, {len(pairs):,} pairs; communities by level"
        f" {levels}; {len(plan.rows):,} rows, {len(plan.moved):,} members written"
    )
    print(
        f"together {spent.ours + spent.backend:.1f} processor seconds, at most {peak_bytes():.2f} GB;"
        f" load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n"
    )


def main(argv: Sequence[str] | None = None) -> None:
    """Generate unless a space is given, then detect twice."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", help="superuser URL of an empty database")
    parser.add_argument("--nodes", type=int, default=200_000, help="nodes; edges are five times as many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--min-weight", type=float, default=0.5)
    parser.add_argument("--levels", type=int, default=3)
    parser.add_argument("--space", type=UUID, help="measure this space of an earlier run")
    options = parser.parse_args(argv)
    with contextlib.ExitStack() as stack:
        url = options.url
        if url is None:
            home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            servers = stack.enter_context(EmbeddedServers(home, postgres=True, valkey=False, keep=False))
            url = servers.postgres.url(database="postgres")
        conninfo = as_conninfo(as_psycopg(url))
        space_id = options.space
        if space_id is None:
            migrate(url)
            space_id = generate(conninfo, nodes=options.nodes, small_spaces=3, seed=options.seed).space_id
        tenant_id, _, _ = sample(conninfo, space_id)
        database = Database(create_app_engine(url, Settings(database_url=url, statement_timeout=120.0)))
        wanted = Wanted(options.min_weight, options.levels, options.seed)
        for title in ("first run", "again, nothing changed"):
            print(title)
            run_once(database, (tenant_id, SpaceId(space_id)), wanted)
        database.dispose()


if __name__ == "__main__":
    main()
