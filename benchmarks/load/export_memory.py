"""Measures the API's memory while it exports one space in every format.

`python -m benchmarks export [--nodes 20000]`: five edges to a node, each with its evidence. A client takes
each export in; meanwhile the resident memory of `citegraph serve` is read every twentieth of a second.
"""

import argparse
import tempfile
import threading
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path

from app.db.engine import convert_to_conninfo, convert_to_psycopg_url
from app.db.migrate import migrate
from app.db.roles import APP
from app.ids import TenantId
from app.runtime.supervisor import EmbeddedServers
from app.settings import Settings
from app.tenancy.tenants import api_keys
from app.transfer.export.shapes import ExportFormat
from app.wiring import open_database
from benchmarks.data.graph import generate
from benchmarks.ingest.rules import resident_memory
from benchmarks.place import serving

TARGET = 300
"""Megabytes of the process that exports 100,000 edges."""
PIECE = 65_536


def main(argv: Sequence[str] | None = None) -> None:
    """Print the size of each export and the largest memory while it was written."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--nodes", type=int, default=20_000)
    parser.add_argument("--port", type=int, default=8798)
    given = parser.parse_args(argv)
    with (
        tempfile.TemporaryDirectory() as home,
        EmbeddedServers(Path(home), postgres=True, valkey=True, keeps_data=False) as servers,
    ):
        migrate(servers.database_url())
        superuser = convert_to_conninfo(convert_to_psycopg_url(servers.database_url()))
        made = generate(superuser, nodes=given.nodes, small_spaces=0, seed=1)
        url = servers.database_url(user=APP)
        environment = {
            "CITEGRAPH_DATABASE_URL": url,
            "CITEGRAPH_REDIS_URL": servers.redis_url(),
            "CITEGRAPH_HOME": home,
            "CITEGRAPH_PORT": str(given.port),
            "CITEGRAPH_LOG_LEVEL": "WARNING",
        }
        database = open_database(url, Settings(database_url=url))
        with database.open_tenant(TenantId(made.tenant_id)) as tenant:
            _, key = api_keys.create_key(tenant, name="bench", scopes=["read"], actor="bench")
        database.dispose()
        print(f"{made.nodes:,} nodes, {made.edges:,} edges; target {TARGET} MB")
        with serving(environment, given.port) as api:
            for export_format in ExportFormat:
                address = f"http://127.0.0.1:{given.port}/v1/spaces/{made.space_id}/export?format={export_format.value}"
                _take(
                    urllib.request.Request(address, headers={"authorization": f"Bearer {key.token}"}), api.pid
                )


def _take(request: urllib.request.Request, api: int) -> None:
    seen, ended = [resident_memory(api)], threading.Event()

    def watch() -> None:
        while not ended.wait(0.05):
            seen.append(resident_memory(api))

    watcher = threading.Thread(target=watch)
    watcher.start()
    began, size = time.perf_counter(), 0
    try:
        with urllib.request.urlopen(request) as answer:
            while piece := answer.read(PIECE):
                size += len(piece)
    finally:
        ended.set()
        watcher.join()
    name, seconds = request.full_url.partition("=")[2], time.perf_counter() - began
    print(
        f"{name:<10} {size / 1e6:>7.1f} MB in {seconds:>5.1f} s,"
        f" memory {seen[0]:.0f} MB before, {max(seen):.0f} at most",
        flush=True,
    )
