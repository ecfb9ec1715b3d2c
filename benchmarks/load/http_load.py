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
from dataclasses import dataclass
from pathlib import Path

from app.db.migrate import migrate
from app.db.roles import APP
from app.documents import service as documents
from app.documents.shapes import Submission
from app.ids import SpaceId, TenantId
from app.runtime.supervisor import EmbeddedServers
from app.settings import Settings
from app.tenancy.tenants import api_keys
from app.wiring import Citegraph, build_citegraph
from benchmarks.ingest.rules import PROJECT, cpu_seconds, resident_memory
from benchmarks.place import new_space, serving
from workers.handlers import build_handlers_by_kind
from workers.runner import Runner

EXAMPLES = PROJECT / "examples"
WARM = 200
FREE = "1000000"


@dataclass(frozen=True, slots=True)
class Load:
    """A request of one kind under load: milliseconds of processor and by the clock, requests a second, and MB
    of the API's process before and after.
    """

    kind: str
    documents: int
    python: float
    postgres: float
    rate: float
    p50: float
    p99: float
    memory: tuple[float, float]


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
    for load in explain_load(given.copies, given.clients, given.requests, given.port):
        print(
            f"{load.kind}, {load.documents:,} documents: Python {load.python:.2f} ms (3.5), Postgres"
            f" {load.postgres:.2f} ms (2.0), {load.rate:.0f} a second (300), p50 {load.p50:.1f} ms,"
            f" p99 {load.p99:.1f} ms (50), memory {load.memory[0]:.0f} to {load.memory[1]:.0f} MB;"
            " wished in brackets",
            flush=True,
        )


def explain_load(copies: int, clients: int, requests: int, port: int = 8797) -> Iterator[Load]:
    """What explain costs between two ends, and asked by a question."""
    with (
        tempfile.TemporaryDirectory() as home,
        EmbeddedServers(Path(home), postgres=True, valkey=True, keeps_data=False) as servers,
    ):
        migrate(servers.database_url())
        environment = {
            "CITEGRAPH_DATABASE_URL": servers.database_url(user=APP),
            "CITEGRAPH_REDIS_URL": servers.redis_url(),
            "CITEGRAPH_HOME": home,
            "CITEGRAPH_PORT": str(port),
            "CITEGRAPH_LOG_LEVEL": "WARNING",
            # Taken from Valkey as ever, and never empty.
            **{
                f"CITEGRAPH_{name}_{limit}": FREE for name in ("KEY", "TENANT") for limit in ("RATE", "BURST")
            },
        }
        settings = Settings(
            database_url=environment["CITEGRAPH_DATABASE_URL"],
            redis_url=environment["CITEGRAPH_REDIS_URL"],
            home=Path(home),
        )
        citegraph = build_citegraph(settings)
        try:
            tenant_id, space_id = new_space(citegraph.database, "bench")
            taken = _ingest(citegraph, tenant_id, space_id, copies)
            with citegraph.database.open_tenant(tenant_id) as tenant:
                _, key = api_keys.create_key(tenant, name="bench", scopes=["read"], actor="bench")
        finally:
            citegraph.close()
        postmaster = servers.postgres.pid()
        assert postmaster is not None
        questions = [json.loads(line) for line in (EXAMPLES / "questions.jsonl").read_text().splitlines()]
        with serving(environment, port) as api:
            for kind, bodies in (
                (
                    "between two ends",
                    [{"from": question["from"], "to": question["to"]} for question in questions],
                ),
                ("a question", [{"question": question["question"]} for question in questions]),
            ):
                callers = _Callers(port, clients, space_id, key.token, bodies)
                yield _measure(kind, taken, callers, requests, (api.pid, postmaster))


def _ingest(citegraph: Citegraph, tenant_id: TenantId, space_id: SpaceId, copies: int) -> int:
    formats = {".md": "markdown", ".txt": "text", ".html": "html"}
    for copy in range(copies):
        read = [
            Submission(path.read_bytes() + f"\n\nCopy {copy}.".encode(), formats[path.suffix], path.stem)
            for path in sorted((EXAMPLES / "corpus").iterdir())
        ]
        with citegraph.database.open_space(tenant_id, space_id) as space:
            documents.submit_documents(space, read)
    Runner(citegraph.database, citegraph.settings, build_handlers_by_kind(citegraph)).drain()
    return copies * len(read)


class _Callers:
    """Clients that send explain requests at once, each on a connection that it keeps."""

    def __init__(
        self, port: int, clients: int, space_id: SpaceId, key: str, bodies: Sequence[dict[str, str]]
    ) -> None:
        self._port, self._clients, self._bodies = port, clients, bodies
        self._path = f"/v1/spaces/{space_id}/graph/explain"
        self._headers = {"authorization": f"Bearer {key}", "content-type": "application/json"}
        self._failures: list[str] = []

    def send(self, requests: int) -> tuple[list[float], float]:
        """The seconds that each took, shortest first, and all of them together.

        Raises RuntimeError where one was refused.
        """
        numbers, spent = itertools.count(), list[float]()
        clients = [
            threading.Thread(target=self._send, args=(numbers, requests, spent)) for _ in range(self._clients)
        ]
        began = time.perf_counter()
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        if self._failures:
            raise RuntimeError(self._failures[0])
        return sorted(spent), time.perf_counter() - began

    def _send(self, numbers: Iterator[int], until: int, spent: list[float]) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self._port)
        while (number := next(numbers)) < until and not self._failures:
            began = time.perf_counter()
            body = json.dumps(self._bodies[number % len(self._bodies)])
            connection.request("POST", self._path, body, self._headers)
            answer = connection.getresponse()
            text = answer.read()
            spent.append(time.perf_counter() - began)
            if answer.status != 200:
                self._failures.append(f"{answer.status}: {text[:200]!r}")
        connection.close()


def _measure(kind: str, taken: int, callers: _Callers, requests: int, pids: tuple[int, int]) -> Load:
    callers.send(WARM)
    memory, before = resident_memory(pids[0]), [cpu_seconds(pid) for pid in pids]
    spent, seconds = callers.send(requests)
    python, postgres = (
        1000 * (cpu_seconds(pid) - earlier) / len(spent) for pid, earlier in zip(pids, before, strict=True)
    )
    p50, p99 = (1000 * spent[int(len(spent) * part)] for part in (0.5, 0.99))
    rate = len(spent) / seconds
    return Load(kind, taken, python, postgres, rate, p50, p99, (memory, resident_memory(pids[0])))
