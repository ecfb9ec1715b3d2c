"""Times the detection of communities: read from Postgres, Leiden, written back; once more; then partial runs.

`python -m benchmarks communities [--nodes 200000] [--url postgresql://… --space ID]`. Processor seconds are
this process's and those of all processes of the Postgres server, its parallel workers included. A partial run
follows 1,000 changed edges: some ended, some taken out, some new. The generated graph has hubs and no
communities of its own, which is the hardest case: nothing aggregates early. Without a URL an embedded server
is made and thrown away.
"""

import argparse
import contextlib
import os
import resource
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from app.db.database import Database
from app.db.engine import convert_to_conninfo, convert_to_psycopg_url
from app.db.migrate import migrate
from app.db.session import SpaceSession
from app.derived.communities import repository
from app.derived.communities import service as communities
from app.derived.communities.incremental.run import (
    PartialBounds,
    detect_communities_around_changes_unless_whole_run_due,
    is_partial_run_sufficient,
)
from app.derived.communities.job import compute_communities_of_graph
from app.derived.communities.leiden import compute_modularity
from app.derived.communities.shapes import DetectionOptions
from app.derived.communities.writer import store_partial_run_unless_outdated, store_run_unless_outdated
from app.ids import SpaceId, TenantId
from app.settings import Settings
from app.tenancy.spaces import service as spaces
from app.wiring import open_database
from benchmarks.data.graph import generate
from benchmarks.graph.queries import sample
from benchmarks.place import server


@dataclass
class Spent:
    """Processor seconds of steps, ours and the server's."""

    ours: float = 0.0
    backend: float = 0.0

    @contextlib.contextmanager
    def step(self, label: str, backend: int | None = None) -> Iterator[None]:
        """Measure what is done inside, print and add it."""
        wall, ours, theirs = time.perf_counter(), time.process_time(), server_seconds(backend)
        yield
        ours, theirs = time.process_time() - ours, server_seconds(backend) - theirs
        self.ours += ours
        self.backend += theirs
        wall = time.perf_counter() - wall
        print(f"{label:<44} ours {ours:6.2f}   server {theirs:6.2f}   wall {wall:6.2f} s", flush=True)


def server_seconds(pid: int | None) -> float:
    """Processor seconds that a Postgres backend's whole server, ended processes included, used so far
    (Linux).
    """
    if pid is None:
        return 0.0
    server = int(_fields(pid)[1])
    ticks = sum(int(field) for field in _fields(server)[11:15])
    for path in Path("/proc").iterdir():
        if path.name.isdigit():
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                fields = _fields(int(path.name))
                if int(fields[1]) == server:
                    ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def _fields(pid: int) -> list[str]:
    """The process's state and numbers: parent's id second, from the twelfth on ticks, own and of ended
    children.
    """
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()


def pid_of(space: SpaceSession) -> int:
    """The process that serves this session."""
    row = space.connection.execute("SELECT pg_backend_pid()").fetchone()
    assert row is not None
    return int(row[0])


def peak_bytes() -> float:
    """The most memory this process ever had, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


@dataclass(frozen=True, slots=True)
class WholeRun:
    """What a whole run cost, in processor seconds of ours and the server's and GB of ours at most."""

    ours: float
    server: float
    gigabytes: float
    modularity: float
    pairs: int


def run_once(database: Database, where: tuple[TenantId, SpaceId], wanted: DetectionOptions) -> WholeRun:
    """One whole run, step by step."""
    spent = Spent()
    with (
        database.open_space(*where, by_index=True, snapshot=True) as space,
        spent.step("read the graph", pid_of(space)),
    ):
        read = repository.read_graph(space)
    with spent.step("pairs, Leiden, hashes"):
        found, pairs = compute_communities_of_graph(read, wanted)
    with (
        database.open_space(*where, by_index=True) as space,
        spent.step("write the difference", pid_of(space)),
    ):
        plan = store_run_unless_outdated(space, read, found, wanted, pairs)
    assert plan is not None
    levels = ", ".join(f"{len(parent):,}" for parent in found.hierarchy.parents)
    print(
        f"{len(read.graph.ids):,} nodes, {len(read.graph.source):,} edges, {len(pairs):,} pairs; communities"
        f" by level {levels}; {len(plan.community_rows):,} rows, {len(plan.moved_members):,} members written"
    )
    result = WholeRun(
        spent.ours,
        spent.backend,
        peak_bytes(),
        compute_modularity(found.totals[0], found.inner_weights[0]),
        len(pairs),
    )
    print(f"modularity {result.modularity:.4f}")
    print(
        f"together {spent.ours + spent.backend:.1f} processor seconds, at most {result.gigabytes:.2f} GB;"
        f" load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n"
    )
    return result


def change_edges(space: SpaceSession, count: int, seed: int) -> None:
    """Change so many edges: two fifths new, as the graph was made, two fifths taken out, the rest ended."""
    spaces.lock_graph_and_increment_revision(space)
    space.connection.execute("SELECT setseed(%s)", [seed / 1000])
    # A few blocks of the table spread over it, then single rows of these.
    picked = space.connection.execute(
        "SELECT id, from_node_id, to_node_id FROM graph_edge TABLESAMPLE SYSTEM (1)"
        " WHERE knowledge_space_id = %s AND invalidated_at IS NULL ORDER BY random() LIMIT %s",
        [space.space_id, count],
    ).fetchall()
    new, gone = count * 2 // 5, count * 4 // 5
    space.connection.execute(
        "INSERT INTO graph_edge (knowledge_space_id, id, from_node_id, to_node_id, relation_type, weight,"
        " metadata, extraction_key) SELECT %s, gen_random_uuid(), t.one, t.other, 'knows', 0.9,"
        " '{\"confidence\": 0.9}'::jsonb, gen_random_uuid() FROM unnest(%s::uuid[], %s::uuid[]) AS t(one,"
        " other) WHERE t.one <> t.other",
        [space.space_id, [row[1] for row in picked[:new]], [row[2] for row in reversed(picked[:new])]],
    )
    space.connection.execute(
        "DELETE FROM graph_edge WHERE knowledge_space_id = %s AND id = ANY(%s)",
        [space.space_id, [row[0] for row in picked[new:gone]]],
    )
    space.connection.execute(
        "UPDATE graph_edge SET invalidated_at = now() WHERE knowledge_space_id = %s AND id = ANY(%s)",
        [space.space_id, [row[0] for row in picked[gone:]]],
    )


def run_partial(database: Database, where: tuple[TenantId, SpaceId], wanted: DetectionOptions) -> bool:
    """One partial run, step by step; False where the changes call for a whole run, and says so."""
    spent = Spent()
    with (
        database.open_space(*where, by_index=True, snapshot=True) as space,
        spent.step("read what is around, Leiden", pid_of(space)),
    ):
        latest = communities.find_latest_run(space)
        assert latest is not None
        result = None
        if is_partial_run_sufficient(space, latest, wanted, PartialBounds()):
            result = detect_communities_around_changes_unless_whole_run_due(
                space, latest, wanted, PartialBounds()
            )
    if result is None:
        print(
            f"No partial run: so many changes in {latest.pairs:,} pairs call for a whole one. Give fewer"
            f" --changes or more --nodes (it needs {PartialBounds().min_pairs:,} pairs, which some 8,000"
            " generated nodes have)."
        )
        return False
    with (
        database.open_space(*where, by_index=True) as space,
        spent.step("write the difference", pid_of(space)),
    ):
        plan = store_partial_run_unless_outdated(space, result, wanted)
        run = communities.find_latest_run(space)
    assert plan is not None
    assert run is not None
    print(
        f"{result.changed_edge_count:,} edges changed, {int(result.neighborhood.is_free.sum()):,} nodes free,"
        f" {len(result.neighborhood.first):,} pairs around; {len(plan.community_rows):,} communities and"
        f" {len(plan.moved_members):,} members written, {len(plan.events):,} events;"
        f" modularity {run.modularity:.4f}"
    )
    print(f"together {spent.ours + spent.backend:.2f} processor seconds, at most {peak_bytes():.2f} GB\n")
    return True


def main(argv: Sequence[str] | None = None) -> None:
    """Generate unless a space is given, then detect twice, then after changes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", help="superuser URL of an empty database")
    parser.add_argument("--nodes", type=int, default=200_000, help="nodes; edges are five times as many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--min-weight", type=float, default=0.5)
    parser.add_argument("--levels", type=int, default=3)
    parser.add_argument("--space", type=UUID, help="measure this space of an earlier run")
    parser.add_argument(
        "--changes", type=int, help="changed edges before a partial run (as many as it allows, at most 1000)"
    )
    parser.add_argument("--partials", type=int, default=2, help="how many partial runs")
    parser.add_argument("--whole", type=int, default=2, help="how many whole runs come before them")
    options = parser.parse_args(argv)
    # A partial run may read a fifth of the pairs: in a small graph a few changes have that many around them.
    changes = options.changes or max(5, min(1000, options.nodes // 1000))
    with contextlib.ExitStack() as stack:
        url = stack.enter_context(server(options.url))
        conninfo = convert_to_conninfo(convert_to_psycopg_url(url))
        space_id = options.space
        if space_id is None:
            migrate(url)
            space_id = generate(conninfo, nodes=options.nodes, small_spaces=3, seed=options.seed).space_id
        tenant_id, _, _ = sample(conninfo, space_id)
        settings = Settings(database_url=url, statement_timeout=120.0, allow_privileged_login=True)
        database = open_database(url, settings)
        wanted = DetectionOptions(options.min_weight, options.levels, options.seed)
        for title in ("first run", "again, nothing changed")[: options.whole]:
            print(title)
            run_once(database, (tenant_id, SpaceId(space_id)), wanted)
        for number in range(options.partials):
            print(f"partial run after {changes:,} changed edges")
            with database.open_space(tenant_id, SpaceId(space_id)) as space:
                change_edges(space, changes, options.seed + number)
            if not run_partial(database, (tenant_id, SpaceId(space_id)), wanted):
                break
        database.dispose()


if __name__ == "__main__":
    main()
