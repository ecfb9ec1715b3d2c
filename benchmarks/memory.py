"""Times what memory costs: writing recalls, choosing what goes, and letting it go.

`python -m benchmarks memory [--chunks 100000] [--recalls 1000] [--evict 10000]`. Processor seconds are this
process's and its one Postgres backend's. The generated space has nine mentions and ten edges to a chunk, so
every chunk is the last evidence of edges: the eviction measured is the one that is asked to take these too.
"""

import argparse
import contextlib
import os
import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from app.db.database import Database
from app.db.engine import convert_to_conninfo, convert_to_psycopg_url
from app.db.migrate import migrate
from app.db.session import SpaceSession
from app.derived.eviction import policies, scheduling
from app.derived.eviction.job import evict_chunks_by_policy_and_schedule_next
from app.derived.eviction.recall_recording import RecallRecorder
from app.derived.eviction.shapes import ReturnedResults
from app.ids import ChunkId, EdgeId, SpaceId, TenantId
from app.jobs import queue
from app.jobs.kinds import EvictChunks
from app.runtime.supervisor import EmbeddedServers
from app.settings import Settings
from app.space_settings import SpaceSettings
from app.tenancy.spaces import service as spaces
from app.wiring import open_database
from benchmarks.data.spaces import generate
from workers.runner import Runner

Owner = tuple[TenantId, SpaceId]


def pid_of(space: SpaceSession) -> int:
    """The process that serves this session."""
    row = space.connection.execute("SELECT pg_backend_pid()").fetchone()
    assert row is not None
    return int(row[0])


def backend_seconds(pid: int) -> float:
    """Processor seconds of a Postgres backend on this machine so far (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Meter:
    """Measures steps on a database of one connection."""

    def __init__(self, database: Database, owner: Owner) -> None:
        self._database = database
        self._owner = owner
        with database.open_space(*owner) as space:
            self._backend = pid_of(space)

    @contextlib.contextmanager
    def step(self, label: str) -> Iterator[None]:
        """Measure what is done inside, and print it with the bytes of log that it wrote."""
        written, wall = self._log_bytes(), time.perf_counter()
        ours, theirs = time.process_time(), backend_seconds(self._backend)
        yield
        ours, theirs = time.process_time() - ours, backend_seconds(self._backend) - theirs
        wall, written = time.perf_counter() - wall, self._log_bytes() - written
        print(
            f"{label:<54} ours {ours:6.3f}   backend {theirs:6.2f}   wall {wall:6.2f} s   log"
            f" {written / 1e6:7.1f} MB",
            flush=True,
        )

    def _log_bytes(self) -> float:
        with self._database.open_space(*self._owner) as space:
            row = space.connection.execute("SELECT pg_current_wal_insert_lsn() - '0/0'").fetchone()
        assert row is not None
        return float(row[0])


def edges_of(space: SpaceSession, count: int) -> list[EdgeId]:
    """Some edges of the space."""
    rows = space.connection.execute(
        "SELECT id FROM graph_edge WHERE knowledge_space_id = %s ORDER BY md5(id::text) LIMIT %s",
        [space.space_id, count],
    ).fetchall()
    return [EdgeId(row[0]) for row in rows]


def measure_recording(database: Database, owner: Owner, meter: Meter, chunks: list[ChunkId]) -> None:
    """Recalls of these chunks and of as many edges, new and known, and beside it what wider rows would
    cost.
    """
    with database.open_space(*owner) as space:
        edges = edges_of(space, len(chunks))
    recorder = RecallRecorder(database, interval_seconds=3_600)
    for label in ("rows that are new", "rows that are known", "rows that are known, again"):
        begun = time.process_time()
        for begin in range(0, len(chunks), 20):
            part = slice(begin, begin + 20)
            recorder.record_returned_results(
                *owner, ReturnedResults(dict.fromkeys(chunks[part], 0.5), dict.fromkeys(edges[part], 0.5))
            )
        noting = (time.process_time() - begun) / (len(chunks) / 20)
        with meter.step(f"flush of {len(chunks):,} chunks and edges: {label}"):
            recorder.flush()
        print(f"  noting an answer of 20 chunks and 20 edges: {noting * 1e6:.0f} µs")
    for label in ("first", "again"):
        with (
            meter.step(f"for comparison, columns of graph_edge: {label}"),
            database.open_space(*owner) as space,
        ):
            space.connection.execute(
                "UPDATE graph_edge SET access_count = access_count + 1, last_accessed_at = now()"
                " WHERE knowledge_space_id = %s AND id = ANY(%s)",
                [space.space_id, sorted(edges)],
            )


def measure_eviction(database: Database, owner: Owner, meter: Meter, *, chunks: int, evict: int) -> None:
    """A dry run, and a real one that lets go of so many."""
    policy = SpaceSettings(eviction="capacity", eviction_max_chunks=chunks - evict)
    with database.open_tenant(owner[0]) as tenant:
        spaces.update_space_row(tenant, owner[1], actor="benchmark", settings=policy)
    for including in (False, True):
        label = "asked to take the last evidence" if including else "sparing the last evidence of edges"
        with meter.step(f"dry run, {label}"), database.open_space(*owner) as space:
            plan = policies.list_evictable_chunks(space, including_last_evidence=including, limit=100)
        print(f"  {plan.evictable:,} of {plan.chunks:,} would go, {plan.protected:,} are spared")
    with database.open_space(*owner) as space:
        scheduling.enqueue_eviction_or_run_waiting_now(space, including_last_evidence=True)
    settings = Settings(job_lease=600)
    handlers = {EvictChunks.kind: evict_chunks_by_policy_and_schedule_next}
    with meter.step(f"eviction of {evict:,} chunks"):
        Runner(database, settings, handlers).drain()
    with database.open_space(*owner) as space:
        print(f"  {max(queue.list_jobs(space), key=lambda job: job.attempt).counts}")


def main(argv: Sequence[str] | None = None) -> None:
    """Generate a space on a server of its own, measure, throw it away."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--recalls", type=int, default=1_000)
    parser.add_argument("--evict", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(argv)
    with (
        tempfile.TemporaryDirectory() as home,
        EmbeddedServers(Path(home), postgres=True, valkey=False, keeps_data=False) as servers,
    ):
        url = servers.postgres.url(database="postgres")
        migrate(url)
        begun = time.perf_counter()
        filled = generate(
            convert_to_conninfo(convert_to_psycopg_url(url)),
            chunks=options.chunks, small_spaces=20, small_chunks=100, seed=options.seed,
        ).large  # fmt: skip
        print(f"generated in {time.perf_counter() - begun:.0f} s; load average {os.getloadavg()[0]:.1f}\n")
        settings = Settings(
            database_url=url, allow_privileged_login=True, pool_size=1, pool_overflow=0, statement_timeout=300
        )
        database = open_database(url, settings)
        owner = TenantId(filled.tenant_id), SpaceId(filled.space_id)
        meter = Meter(database, owner)
        recalled = random.Random(options.seed).sample(filled.chunk_ids, options.recalls)
        measure_recording(database, owner, meter, [ChunkId(chunk_id) for chunk_id in recalled])
        measure_eviction(database, owner, meter, chunks=options.chunks, evict=options.evict)
        print(f"\nload average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        database.dispose()


if __name__ == "__main__":
    main()
