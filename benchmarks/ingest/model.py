"""What a model-driven ingest costs beside the model: our processor time, calls and tokens per passage.

Usage: python -m benchmarks.ingest.model [--passages 300 1200] [--growing 10000]

Passages of about 400 characters, each a document, read by a runner in this process through the model double,
which runs in a process of its own; Postgres is the embedded one. First with a model that answers at once
(what costs is ours), then with 300 ms a call (what waits is the model), in one job and in jobs of 50, then 40
passages at 500 ms. With `--growing` instead one space grows to so many passages of ever new names, as texts
of many subjects do, and what a passage costs is printed for each fifth of them.
"""

import argparse
import logging
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import httpx2
import structlog

from app.db.database import Database
from app.db.migrate import migrate
from app.documents import service as documents
from app.documents.shapes import Submission
from app.ingest.extractor_choice import Extractors
from app.ingest.job import ingest_documents
from app.jobs import queue
from app.jobs.kinds import IngestDocuments
from app.llm.client import ModelClient
from app.runtime.supervisor import EmbeddedServers
from app.settings import Settings
from app.wiring import open_database
from benchmarks.ingest.extraction_speed import PATTERNS
from benchmarks.ingest.rules import cpu_seconds, passages, resident_memory
from benchmarks.place import new_space
from workers.runner import Runner

PROJECT = Path(__file__).resolve().parents[2]
# As the command line submits documents without a model; with one it submits up to 400 at once.
JOB_SIZE = 50


@contextmanager
def double(latency_ms: int) -> Iterator[str]:
    """The address of a model double in a process of its own."""
    process = subprocess.Popen(
        [
            sys.executable, "-m", "app.llm.testing", "--latency-ms", str(latency_ms),
            "--answerer", "app.ingest.model_double_answers:RulesAnswerer",
        ],
        cwd=PROJECT, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        # Its first answer loads a vocabulary, which is not what is measured.
        httpx2.post(f"{address}/chat/completions", json={"messages": [{"role": "user", "content": "Hello."}]})
        yield address
    finally:
        process.terminate()
        process.wait()


def measure(
    database: Database, settings: Settings, server: int, count: int, latency_ms: int, job_size: int
) -> None:
    """Ingest into a new tenant's space and print one line."""
    name = f"bench-{latency_ms}-{count}-{job_size}"
    tenant, space_id = new_space(database, name)
    submissions = [
        Submission(f"{text} No. {number}.".encode(), "text", f"p{number}")
        for number, text in enumerate(passages(count))
    ]
    for begin in range(0, count, job_size):
        with database.open_space(tenant, space_id) as space:
            documents.submit_documents(space, submissions[begin : begin + job_size])
    with double(latency_ms) as address:
        client = ModelClient(api_key="unused", base_url=address, model="double")
        extractors = Extractors(database, client)
        runner = Runner(
            database, settings, {IngestDocuments.kind: partial(ingest_documents, extractors=extractors)}
        )
        ours, theirs, begun = time.process_time(), cpu_seconds(server), time.perf_counter()
        runner.drain()
        wall = time.perf_counter() - begun
        ours, theirs = time.process_time() - ours, cpu_seconds(server) - theirs
        extractors.close()
    with database.open_space(tenant, space_id) as space:
        row = space.connection.execute(
            "SELECT count(*), sum(prompt_tokens) FROM model_call WHERE NOT cached AND knowledge_space_id"
            " = %s",
            [space_id],
        ).fetchone()
        done = space.connection.execute(
            "SELECT count(*) FROM document WHERE knowledge_space_id = %s AND state = 'ready'", [space_id]
        ).fetchone()
    assert row is not None
    if done != (count,):
        with database.open_space(tenant, space_id) as space:
            ends = {(job.state, job.stage, job.error_code) for job in queue.list_jobs(space)}
        raise SystemExit(f"only {done} of {count} documents are ready: {ends}")
    calls, tokens = int(row[0]), int(row[1])
    bound = calls * latency_ms / 1000 / settings.llm_parallel
    print(
        f"{count:>8,} {min(job_size, count):>7} {latency_ms:>8} {wall:>7.1f} {bound:>7.1f}"
        f" {1000 * ours / count:>9.2f} {1000 * theirs / count:>9.2f} {1000 * (ours + theirs) / count:>7.2f}"
        f" {calls / count:>6.2f} {tokens / count:>7.0f}",
        flush=True,
    )


SYLLABLES = (
    "ka",
    "ro",
    "mi",
    "ten",
    "sol",
    "var",
    "dun",
    "bel",
    "os",
    "pra",
    "ni",
    "hol",
    "gre",
    "tam",
    "lu",
    "fen",
)


def new_word(number: int, kind: int) -> str:
    """A made-up name, the same for the same number: some share their first syllables, as names do."""
    source = random.Random(number * 7 + kind)
    return "".join(source.choice(SYLLABLES) for _ in range(3)).capitalize()


def growing_passages(count: int) -> Iterator[str]:
    """Passages of about 400 characters that name some 3 to 4 new things each, and others again."""
    source = random.Random(5)
    for number in range(count):
        text = ""
        while len(text) < 360:
            pattern = source.choice(PATTERNS)
            while "{" in pattern:
                pick = int((40 + number * 3) * source.random() ** 2)
                for slot, value in (
                    ("{person}", f"{new_word(pick % 997, 1)} {new_word(pick, 2)}"),
                    ("{firm}", f"{new_word(pick, 3)} Systems"),
                    ("{place}", new_word(pick % 4001, 4)),
                    ("{program}", f"{new_word(pick, 5)}DB"),
                ):
                    pattern = pattern.replace(slot, value, 1)
            text += (" " if text else "") + pattern
        yield f"{text} No. {number}."


@dataclass(frozen=True, slots=True)
class Step:
    """What a passage cost since the step before, in milliseconds of processor, and the process's memory."""

    passages: int
    nodes: int
    edges: int
    ours_ms: float
    postgres_ms: float
    megabytes: float


def grow(marks: Sequence[int]) -> Iterator[Step]:
    """Let one space of an embedded server grow to each of these numbers of passages; a passage of each
    step.
    """
    texts, done = growing_passages(marks[-1]), 0
    with (
        embedded() as (database, settings, server),
        double(0) as address,
        closing(
            Extractors(database, ModelClient(api_key="unused", base_url=address, model="double"))
        ) as extractors,
    ):
        tenant, space_id = new_space(database, "bench-growing")
        runner = Runner(
            database, settings, {IngestDocuments.kind: partial(ingest_documents, extractors=extractors)}
        )
        for mark in marks:
            step, start = mark - done, done
            for begin in range(start, mark, JOB_SIZE):
                batch = [
                    Submission(next(texts).encode(), "text", f"p{begin + number}")
                    for number in range(min(JOB_SIZE, mark - begin))
                ]
                with database.open_space(tenant, space_id) as space:
                    documents.submit_documents(space, batch)
            ours, theirs = time.process_time(), cpu_seconds(server)
            runner.drain()
            ours, theirs = time.process_time() - ours, cpu_seconds(server) - theirs
            with database.open_space(tenant, space_id) as space:
                row = space.connection.execute(
                    "SELECT (SELECT count(*) FROM graph_node WHERE knowledge_space_id = %(space)s),"
                    " (SELECT count(*) FROM graph_edge WHERE knowledge_space_id = %(space)s)",
                    {"space": space_id},
                ).fetchone()
            assert row is not None
            done = mark
            yield Step(
                mark, row[0], row[1], 1000 * ours / step, 1000 * theirs / step, resident_memory(os.getpid())
            )


@contextmanager
def embedded() -> Iterator[tuple[Database, Settings, int]]:
    """An embedded Postgres with the schema, settings for it, and its process id."""
    with (
        tempfile.TemporaryDirectory() as folder,
        EmbeddedServers(Path(folder) / "servers", valkey=False, keeps_data=False) as servers,
    ):
        migrate(servers.postgres.url())
        settings = Settings(
            database_url=servers.postgres.url(user="citegraph_app"),
            redis_url="unused",
            communities=False,
            summaries=False,
        )
        assert settings.database_url is not None
        database = open_database(settings.database_url, settings)
        server = servers.postgres.pid()
        assert server is not None
        yield database, settings, server
        database.dispose()


def print_growth(count: int) -> None:
    """Print what a passage of each fifth costs."""
    print(f"{'passages':>8} {'nodes':>8} {'edges':>8} {'ours':>9} {'postgres':>9} {'both':>7} {'MB':>5}")
    for step in grow(range(max(count // 5, JOB_SIZE), count + 1, max(count // 5, JOB_SIZE))):
        print(
            f"{step.passages:>8,} {step.nodes:>8,} {step.edges:>8,} {step.ours_ms:>9.2f}"
            f" {step.postgres_ms:>9.2f} {step.ours_ms + step.postgres_ms:>7.2f} {step.megabytes:>5.0f}",
            flush=True,
        )


def main(arguments: Sequence[str] | None = None) -> None:
    """Run and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, nargs="+", default=[300, 1200])
    parser.add_argument("--growing", type=int)
    options = parser.parse_args(arguments)
    counts = options.passages
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    if options.growing:
        print_growth(options.growing)
        return
    with embedded() as (database, settings, server):
        print(
            "CPU milliseconds per passage: ours, Postgres', together; bound = calls x latency / parallel"
            " calls"
        )
        print(f"{'passages':>8} {'per job':>7} {'ms/call':>8} {'wall s':>7} {'bound s':>7} {'ours':>9} {'postgres':>9} {'both':>7} {'calls':>6} {'tokens':>7}")  # fmt: skip  # noqa: E501
        for count in counts:
            measure(database, settings, server, count, 0, JOB_SIZE)
        measure(database, settings, server, counts[0], 300, counts[0])
        measure(database, settings, server, counts[0], 300, JOB_SIZE)
        measure(database, settings, server, 40, 500, JOB_SIZE)
    os.sync()


if __name__ == "__main__":
    main()
