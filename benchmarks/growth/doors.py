"""Figures of what a caller meets: explain over HTTP, and how long commands and the API take to start."""

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from app.db.migrate import migrate
from app.db.roles import APP
from app.runtime.supervisor import EmbeddedServers
from app.settings import Settings
from app.wiring import build_citegraph
from benchmarks.growth.figures import Figure
from benchmarks.load.http_load import EXAMPLES, explain_load
from benchmarks.place import new_space, serving

CLIENTS, REQUESTS, PORT = 16, 3_000, 8797
STARTS = 5
"""Times that each process is started; the median counts. One start before them compiles."""
KEEPS_BYTECODE = {"PYTHONDONTWRITEBYTECODE": ""}
"""Python keeps what it compiled unless it is told otherwise, as some build machines do."""
COMPLETION = {
    **KEEPS_BYTECODE,
    "_CITEGRAPH_COMPLETE": "complete_bash",
    "_TYPER_COMPLETE_ARGS": "citegraph su",
    "COMP_WORDS": "citegraph su",
    "COMP_CWORD": "1",
}


def figures_of_http(sizes: Sequence[int]) -> Iterator[tuple[int, list[Figure]]]:
    """Explain by one process of the API and 16 clients, by the documents in the space."""
    for size in sizes:
        copies = max(size // len(list((EXAMPLES / "corpus").iterdir())), 1)
        figures: list[Figure] = []
        for load in explain_load(copies, CLIENTS, REQUESTS, PORT):
            figures += [
                Figure(f"{load.kind}: Python", "ms of processor", load.python),
                Figure(f"{load.kind}: Postgres", "ms of processor", load.postgres),
                Figure(f"{load.kind}: both", "ms of processor", load.python + load.postgres),
                Figure(f"{load.kind}: rate", "requests a second", load.rate),
                Figure(f"{load.kind}: p50", "ms", load.p50),
                Figure(f"{load.kind}: p99", "ms", load.p99),
                Figure(f"{load.kind}: memory of the process", "MB", load.memory[1]),
            ]
        yield size, figures


def figures_of_starts(sizes: Sequence[int]) -> Iterator[tuple[int, list[Figure]]]:
    """Processor seconds of commands, and how long a process of the API takes until it answers."""
    for size in sizes:
        with (
            tempfile.TemporaryDirectory() as home,
            EmbeddedServers(Path(home), postgres=True, valkey=True, keeps_data=False) as servers,
        ):
            migrate(servers.database_url())
            environment = {
                **KEEPS_BYTECODE,
                "CITEGRAPH_DATABASE_URL": servers.database_url(user=APP),
                "CITEGRAPH_REDIS_URL": servers.redis_url(),
                "CITEGRAPH_HOME": home,
                "CITEGRAPH_PORT": str(PORT),
                "CITEGRAPH_LOG_LEVEL": "WARNING",
            }
            citegraph = build_citegraph(
                Settings(database_url=servers.database_url(user=APP), redis_url=servers.redis_url())
            )
            for number in range(size):
                new_space(citegraph.database, f"bench-{number}")
            citegraph.close()
            ready = []
            for _ in range(STARTS + 1):
                with serving(environment, PORT) as api:
                    ready.append(api.ready)
            list_spaces = ["space", "list", "--tenant", "bench-0"]
            yield (
                size,
                [
                    Figure("citegraph --help", "s of processor", _processor(["--help"], KEEPS_BYTECODE)),
                    Figure("a key of completion", "s of processor", _processor([], COMPLETION)),
                    Figure("citegraph space list", "s of processor", _processor(list_spaces, environment)),
                    Figure("API: ready", "s", statistics.median(ready[1:])),
                ],
            )


def _processor(arguments: Sequence[str], environment: dict[str, str]) -> float:
    """Seconds of processor of a command, the median of some starts; the first, which compiles, is left out.

    Raises RuntimeError where it fails.
    """
    command = [str(Path(sys.executable).with_name("citegraph")), *arguments]
    spent = []
    for _ in range(STARTS + 1):
        with subprocess.Popen(
            command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        ) as process:
            assert process.stderr is not None
            said = process.stderr.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise RuntimeError(f"{' '.join(command)}: {said.decode()[-500:]}")
        spent.append(usage.ru_utime + usage.ru_stime)
    return statistics.median(spent[1:])
