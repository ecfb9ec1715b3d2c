"""What taking documents in costs: passages a second through one real Celery worker, and its memory.

Usage: python -m benchmarks.ingest.rules [--passages 50000] [--processes 1]

Each passage (about 400 characters, written from a seed) is a document of its own, 50 to a job, read by
`rules`, embedded and written to the embedded Postgres by as many processes as a worker has unless told
otherwise. Submitting runs before the clock starts.
"""

import argparse
import contextlib
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.db.migrate import migrate
from app.documents import service as documents
from app.documents.shapes import Submission
from app.ids import SpaceId, TenantId
from app.runtime.supervisor import EmbeddedServers
from app.settings import Settings
from app.wiring import Citegraph, build_citegraph
from benchmarks.ingest.extraction_speed import FIRST, LAST, PATTERNS, PLACES
from benchmarks.place import new_space

SEED = 11
PROJECT = Path(__file__).resolve().parents[2]
DOCUMENTS_PER_JOB = 50
DEFAULT_PROCESSES: int = Settings.model_fields["worker_concurrency"].default


def passages(count: int) -> Iterator[str]:
    """Passages that share names as documents of one trade do: new names come ever more rarely."""
    source = random.Random(SEED)
    for number in range(count):
        pool = 40 + int(number**0.6)
        text = ""
        while len(text) < 360:
            pattern = source.choice(PATTERNS)
            while "{" in pattern:
                pick = int(pool * source.random() ** 2)
                for slot, value in (
                    (
                        "{person}",
                        f"{FIRST[pick % 10]} {LAST[pick // 10 % 10]}{'' if pick < 100 else pick // 100}",
                    ),
                    ("{firm}", f"Firm{pick} Systems"),
                    ("{place}", PLACES[pick % len(PLACES)]),
                    ("{program}", f"Program{pick}DB"),
                ):
                    pattern = pattern.replace(slot, value, 1)
            text += (" " if text else "") + pattern
        yield text


def submit(citegraph: Citegraph, tenant_id: TenantId, space_id: SpaceId, count: int) -> None:
    """Hand all passages in, 50 to a job."""
    batch: list[Submission] = []
    for number, text in enumerate(passages(count)):
        batch.append(Submission(f"{text} No. {number}.".encode(), "text", f"passage {number}"))
        if len(batch) == DOCUMENTS_PER_JOB or number == count - 1:
            with citegraph.database.open_space(tenant_id, space_id) as space:
                documents.submit_documents(space, batch)
            batch = []


def process_tree(pid: int) -> list[int]:
    """The process and all its descendants."""
    found = [pid]
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        # One that has ended meanwhile has no children and counts nothing.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            for child in task.read_text().split():
                found += process_tree(int(child))
    return found


def resident_memory(pid: int) -> float:
    """MB of resident memory of one process, now; 0 for one that has ended and is not yet waited for."""
    status = Path(f"/proc/{pid}/status").read_text()
    return sum(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS"))


def measure_peak_memory(pid: int) -> float:
    """MB of resident memory of the largest process of the tree, now."""
    sizes = []
    for process_id in process_tree(pid):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            sizes.append(resident_memory(process_id))
    return max(sizes)


def cpu_seconds(pid: int) -> float:
    """Processor seconds that the tree has used."""
    ticks = 0
    for process_id in process_tree(pid):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            fields = Path(f"/proc/{process_id}/stat").read_text().rsplit(")", 1)[1].split()
            ticks += sum(int(fields[index]) for index in (11, 12, 13, 14))
    return ticks / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Step:
    """What passages cost since the step before: `rate` a second, milliseconds of processor each."""

    passages: int
    rate: float
    megabytes: float
    worker_ms: float
    postgres_ms: float


def main(argv: Sequence[str] | None = None) -> None:
    """Run and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, default=5_000)
    parser.add_argument(
        "--processes", type=int, default=DEFAULT_PROCESSES, help="jobs that the worker runs at once"
    )
    options = parser.parse_args(argv)
    count = options.passages
    print(f"{options.processes} processes of one worker")
    print(
        f"{'passages':>10} {'a second':>9} {'worker MB':>10} {'worker ms each':>15} {'postgres ms each':>17}"
    )
    marks = [count * tenth // 10 for tenth in range(1, 11)]
    for step in ingest(count, marks, options.processes):
        print(
            f"{step.passages:>10,} {step.rate:>9.0f} {step.megabytes:>10.0f} {step.worker_ms:>15.2f}"
            f" {step.postgres_ms:>17.2f}",
            flush=True,
        )


def ingest(count: int, marks: Sequence[int], processes: int = DEFAULT_PROCESSES) -> Iterator[Step]:
    """Take so many passages in by one worker, and tell of each mark's since the one before."""
    with (
        tempfile.TemporaryDirectory() as folder,
        EmbeddedServers(Path(folder) / "servers", keeps_data=False) as servers,
    ):
        migrate(servers.postgres.url())
        settings = Settings(
            database_url=servers.postgres.url(user="citegraph_app"),
            redis_url=servers.valkey.url(),
            worker_concurrency=processes,
        )
        citegraph = build_citegraph(settings)
        tenant, space_id = new_space(citegraph.database, "bench")
        submit(citegraph, tenant, space_id, count)
        environment = {
            **os.environ,
            "CITEGRAPH_DATABASE_URL": settings.database_url or "",
            "CITEGRAPH_REDIS_URL": settings.redis_url or "",
            "CITEGRAPH_WORKER_CONCURRENCY": str(processes),
            "CITEGRAPH_LOG_LEVEL": "WARNING",
            # Detecting communities and refreshing summaries are jobs of their own, and none of these.
            "CITEGRAPH_COMMUNITIES": "false",
            "CITEGRAPH_SUMMARIES": "false",
        }
        worker = subprocess.Popen([sys.executable, "-m", "workers.main"], cwd=PROJECT, env=environment)
        try:
            server = servers.postgres.pid()
            assert server is not None
            yield from watch(citegraph, tenant, space_id, (worker.pid, server), marks)
        finally:
            worker.terminate()
            worker.wait()
            citegraph.close()


def watch(
    citegraph: Citegraph,
    tenant: TenantId,
    space_id: SpaceId,
    pids: tuple[int, int],
    marks: Sequence[int],
) -> Iterator[Step]:
    """Wait for each mark, and yield rate, memory and processor time since the one before."""
    worker, server = pids
    left = list(marks)
    before: tuple[int, float, float, float] | None = None
    while left:
        done = _done(citegraph, tenant, space_id)
        now = (done, time.perf_counter(), cpu_seconds(worker), cpu_seconds(server))
        if before is None and done:
            before = now
        if before is not None and done >= left[0] and done > before[0]:
            while left and done >= left[0]:
                left.pop(0)
            passed, seconds, ours, theirs = (new - old for new, old in zip(now, before, strict=True))
            yield Step(
                done,
                passed / seconds,
                measure_peak_memory(worker),
                1000 * ours / passed,
                1000 * theirs / passed,
            )
            before = now
        time.sleep(0.2)


def _done(citegraph: Citegraph, tenant: TenantId, space_id: SpaceId) -> int:
    with citegraph.database.open_space(tenant, space_id) as space:
        # Not counted in the documents: reading 50,000 rows five times a second is no small part of the load.
        row = space.connection.execute(
            "SELECT coalesce(sum((counts ->> 'documents')::int), 0) FROM job WHERE knowledge_space_id = %s",
            [space_id],
        ).fetchone()
    return int(row[0]) if row else 0


if __name__ == "__main__":
    main()
