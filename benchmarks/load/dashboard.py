"""Times pages of the dashboard on the server: 100,000 documents in one space, 50,000 nodes in another.

Usage: python -m benchmarks dashboard [--documents 100000] [--nodes 50000]. Each page is asked for in this
process, over the real application on an embedded Postgres. Printed are the median by the clock, and the
processor time of this process for one request: the clock says how busy the machine is, too. Before, the
graph's page is opened in a browser (`dashboard_browser.py`); `--only` chooses one of the two.
"""

import argparse
import logging
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import psycopg
import structlog
from starlette.testclient import TestClient

from app.db.engine import convert_to_conninfo, convert_to_psycopg_url
from app.db.migrate import migrate
from app.db.roles import APP
from app.http.authentication import SESSION_COOKIE
from app.ids import SpaceId
from app.main import create_app
from app.runtime.supervisor import EmbeddedServers
from app.settings import Settings
from app.tenancy.accounts import service as accounts
from app.tenancy.accounts import sign_in
from app.wiring import assemble_citegraph, open_database
from benchmarks.data.dashboard import write_documents, write_nodes
from benchmarks.load.dashboard_browser import run
from benchmarks.place import new_space
from workers.broker import Broker

TIMES = 15
NOWHERE = "redis://127.0.0.1:1/0"
"""A page waits for no broker."""
BASE = "https://localhost"


def main(argv: Sequence[str] | None = None) -> None:
    """Print a line for each page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--nodes", type=int, default=50_000)
    parser.add_argument("--only", choices=("server", "browser"), help="Leave the other half out.")
    parser.add_argument("--port", type=int, default=8793, help="Where the browser's pages are served.")
    given = parser.parse_args(argv)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    with (
        tempfile.TemporaryDirectory() as home,
        EmbeddedServers(Path(home), postgres=True, valkey=False, keeps_data=False) as servers,
    ):
        url = servers.postgres.url(database="postgres")
        migrate(url)
        app_url = servers.postgres.url(database="postgres", user=APP)
        settings = Settings(database_url=app_url, redis_url=NOWHERE, home=Path(home))
        database = open_database(app_url, settings)
        citegraph = assemble_citegraph(settings, database, Broker(NOWHERE))
        try:
            if given.only != "server":
                own = {
                    "CITEGRAPH_DATABASE_URL": app_url,
                    "CITEGRAPH_REDIS_URL": NOWHERE,
                    "CITEGRAPH_HOME": home,
                }
                run(
                    database,
                    convert_to_conninfo(convert_to_psycopg_url(url)),
                    own | {"CITEGRAPH_PORT": str(given.port)},
                    given.port,
                )
            if given.only == "browser":
                return
            tenant, documents = new_space(database, "documents")
            other, nodes = new_space(database, "nodes")
            with psycopg.connect(
                convert_to_conninfo(convert_to_psycopg_url(url)), autocommit=True
            ) as connection:
                write_documents(connection, documents, given.documents)
                write_nodes(connection, nodes, given.nodes)
            app = create_app(citegraph)
            for owner, pages in (
                (tenant, _pages_of_documents(documents)),
                (other, _pages_of_nodes(nodes)),
            ):
                with database.open_tenant(owner) as session:
                    link = accounts.create_operator_link_token(
                        session, email="bench@localhost.example", actor="bench"
                    )
                token = sign_in.sign_in_or_join_with_link(database, link, "a password of the benchmark")
                with TestClient(app, base_url=BASE, cookies={SESSION_COOKIE: token}) as http:
                    for name, path in pages:
                        _measure(http, name, path)
        finally:
            citegraph.close()


def _pages_of_documents(space: SpaceId) -> list[tuple[str, str]]:
    at = f"/dashboard/spaces/{space}"
    return [
        ("home", at),
        ("what needs a look", f"{at}/attention"),
        ("documents", f"{at}/documents"),
        ("documents that failed", f"{at}/documents?state=failed"),
        ("documents that are queued (none)", f"{at}/documents?state=queued"),
        ("documents in PDF", f"{at}/documents?format=pdf"),
        ("search, many found", f"{at}/documents?q=cobalt"),
        ("search, one found", f"{at}/documents?q=Report+4321+of"),
        ("search, none found", f"{at}/documents?q=nothing+of+that+name"),
        ("jobs", f"{at}/jobs"),
        ("usage", f"{at}/usage"),
        ("spaces", "/dashboard?all=1"),
    ]


def _pages_of_nodes(space: SpaceId) -> list[tuple[str, str]]:
    at = f"/dashboard/spaces/{space}"
    return [
        ("50,000 nodes: home", at),
        ("50,000 nodes: what needs a look", f"{at}/attention"),
        ("50,000 nodes: doubtful pairs", f"{at}/curation"),
        ("50,000 nodes: conflicts", f"{at}/curation/conflicts"),
        ("50,000 nodes: table", f"{at}/graph/table"),
        ("50,000 nodes: search", f"{at}/graph/find?q=Ada"),
    ]


def _measure(http: TestClient, name: str, path: str) -> None:
    seconds, ours = [], []
    for turn in range(TIMES + 1):
        began, worked = time.perf_counter(), time.process_time()
        answer = http.get(path)
        if turn == 0:
            first = time.perf_counter() - began
            continue
        seconds.append(time.perf_counter() - began)
        ours.append(time.process_time() - worked)
        assert answer.status_code == 200, (path, answer.status_code)
    print(
        f"{name:36} first {first * 1000:7.0f} ms   p50 {statistics.median(seconds) * 1000:7.1f} ms"
        f"   processor of ours {statistics.median(ours) * 1000:6.1f} ms"
        f"   {len(answer.content) / 1000:6.1f} kB",
        flush=True,
    )


if __name__ == "__main__":
    main()
