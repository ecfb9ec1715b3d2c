"""Times explain over HTTP: one process of `citegraph serve`, and clients that keep their connections.

`python -m benchmarks http [--copies 15] [--clients 16] [--requests 4000]`. The space holds the example corpus
so many times (21 documents each), read by rules; every client goes through the example questions. Printed are
requests a second, median and 99th percentile by the clock, and processor milliseconds a request of the API's
process and of Postgres, which do not go by how busy the machine is; and the API's memory before and after.
"""

import argparse
import http.client
import itertools
import json
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from app.db.migrate import migrate
from app.db.roles import APP
from app.documents import service as documents
from app.documents.shapes import DocumentFormat, Submission
from app.ids import SpaceId, TenantId
from app.runtime.supervisor import EmbeddedServers
from app.settings import Settings
from app.tenants import service as tenants
from app.wiring import Citegraph, connect
from benchmarks.ingest.rules import PROJECT, cpu_seconds, resident_memory
from benchmarks.place import new_space, serving
from workers.kinds import handlers
from workers.runner import Runner

EXAMPLES = PROJECT / "examples"
TARGETS = {"Python": 3.5, "Postgres": 2.0, "a second": 300.0, "p99": 50.0}
"""Milliseconds of processor a request, requests a second, and milliseconds by the clock."""
WARM = 200
FREE = "1000000"


def main(argv: Sequence[str] | None = None) -> None:
    """Print what a request costs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--copies", type=int, default=15)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--requests", type=int, default=4_000)
    parser.add_argument("--port", type=int, default=8797)
    given = parser.parse_args(argv)
    with (
        tempfile.TemporaryDirectory() as home,
        EmbeddedServers(Path(home), postgres=True, valkey=True, keep=False) as servers,
    ):
        migrate(servers.database_url())
        environment = {
            "CITEGRAPH_DATABASE_URL": servers.database_url(user=APP),
            "CITEGRAPH_REDIS_URL": servers.redis_url(),
            "CITEGRAPH_HOME": home,
            "CITEGRAPH_PORT": str(given.port),
            "CITEGRAPH_LOG_LEVEL": "WARNING",
            # Taken from Valkey as ever, and never empty.
            **{
                f"CITEGRAPH_{each}_{limit}": FREE for each in ("KEY", "TENANT") for limit in ("RATE", "BURST")
            },
        }
        settings = Settings(
            database_url=environment["CITEGRAPH_DATABASE_URL"],
            redis_url=environment["CITEGRAPH_REDIS_URL"],
            home=Path(home),
        )
        citegraph = connect(settings)
        try:
            tenant_id, space_id = new_space(citegraph.database, "bench")
            _ingest(citegraph, tenant_id, space_id, given.copies)
            with citegraph.database.open_tenant(tenant_id) as tenant:
                _, key = tenants.create_key(tenant, name="bench", scopes=["read"], actor="bench")
        finally:
            citegraph.close()
        postmaster = servers.postgres.pid()
        assert postmaster is not None
        with serving(environment, given.port) as api:
            questions = [json.loads(line) for line in (EXAMPLES / "questions.jsonl").read_text().splitlines()]
            for kind, bodies in (
                ("ends", [{"from": each["from"], "to": each["to"]} for each in questions]),
                ("question", [{"question": each["question"]} for each in questions]),
            ):
                _measure(kind, bodies, (space_id, key.token), (api, postmaster), given)


def _ingest(citegraph: Citegraph, tenant_id: TenantId, space_id: SpaceId, copies: int) -> None:
    formats = {".md": DocumentFormat.MARKDOWN, ".txt": DocumentFormat.TEXT, ".html": DocumentFormat.HTML}
    for copy in range(copies):
        read = [
            Submission(each.read_bytes() + f"\n\nCopy {copy}.".encode(), formats[each.suffix], each.stem)
            for each in sorted((EXAMPLES / "corpus").iterdir())
        ]
        with citegraph.database.open_space(tenant_id, space_id) as space:
            documents.submit(space, read)
    Runner(citegraph.database, citegraph.settings, handlers(citegraph)).drain()
    print(f"{copies * len(read):,} documents")


def _measure(
    kind: str,
    bodies: Sequence[dict[str, str]],
    where: tuple[SpaceId, str],
    pids: tuple[int, int],
    given: argparse.Namespace,
) -> None:
    space_id, key = where
    path = f"/v1/spaces/{space_id}/graph/explain"
    headers = {"authorization": f"Bearer {key}", "content-type": "application/json"}
    spent: list[float] = []
    failures: list[str] = []

    def ask_all(numbers: Iterator[int], until: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", given.port)
        while (number := next(numbers)) < until and not failures:
            began = time.perf_counter()
            connection.request("POST", path, json.dumps(bodies[number % len(bodies)]), headers)
            answer = connection.getresponse()
            text = answer.read()
            spent.append(time.perf_counter() - began)
            if answer.status != 200:
                failures.append(f"{answer.status}: {text[:200]!r}")
        connection.close()

    def run(requests: int) -> float:
        numbers = itertools.count()
        clients = [threading.Thread(target=ask_all, args=(numbers, requests)) for _ in range(given.clients)]
        began = time.perf_counter()
        for each in clients:
            each.start()
        for each in clients:
            each.join()
        if failures:
            raise RuntimeError(failures[0])
        return time.perf_counter() - began

    run(WARM)
    spent.clear()
    memory, before = resident_memory(pids[0]), [cpu_seconds(each) for each in pids]
    seconds = run(given.requests)
    python, postgres = (
        1000 * (cpu_seconds(each) - earlier) / len(spent) for each, earlier in zip(pids, before, strict=True)
    )
    spent.sort()
    p50, p99 = (1000 * spent[int(len(spent) * part)] for part in (0.5, 0.99))
    print(
        f"{kind:<9} Python {python:.2f} ms ({TARGETS['Python']}), Postgres {postgres:.2f} ms"
        f" ({TARGETS['Postgres']:.1f}), {len(spent) / seconds:.0f} a second ({TARGETS['a second']:.0f}),"
        f" p50 {p50:.1f} ms, p99 {p99:.1f} ms ({TARGETS['p99']:.0f}),"
        f" memory {memory:.0f} to {resident_memory(pids[0]):.0f} MB; wished in brackets",
        flush=True,
    )
