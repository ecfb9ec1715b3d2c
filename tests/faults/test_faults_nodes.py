"""Nodes of a real cluster are killed, stay dead, and are emptied under load: every graph and every export is
that of a space without faults (fault matrix 35 to 37).

Nobody else may use the cluster meanwhile; docs/citus.md says how these tests are run.
"""

import json
import random
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any

import psycopg
import pytest
from sqlalchemy import URL

from app.cli.cluster import MoveProgressPrinter
from app.db.database import Database
from app.db.engine import convert_to_conninfo
from app.db.scaling import moves
from app.db.scaling.nodes import add_or_readmit_node_and_check_added, connect_to_coordinator
from app.db.session import SpaceSession
from app.documents.shapes import Submission
from app.transfer.export.service import export_space
from app.transfer.export.shapes import ExportFormat
from tests.conftest import Home, make_home
from tests.faults.conftest import Api, Asker, make_key
from tests.faults.corpora import small_documents
from tests.faults.test_faults_chaos import Chaos
from tests.goldens.masking import masked
from tests.support.citus import SHARDS, NodeProcesses, node_of, nodes_of, only_on_a_cluster
from tests.support.ingest import picture, submit
from tests.workers.conftest import Workers, wait_until

# Kills end the sessions of every database, and during a move the owner may bypass row security on a node.
pytestmark = [pytest.mark.soak, pytest.mark.changes_server]

KILLS = 5
"""Of the coordinator and of each worker."""
DOCUMENTS = 60
"""For each space: with two workers, jobs are running at every kill."""
DEAD_SECONDS = 600.0
MOVES = 3 * SHARDS // 2
"""Half of the shards three times: off the first worker, back, and off the second."""
PATIENCE = 180.0
"""Seconds until all jobs have ended after the last fault."""
REFUSED_WITHIN = 3.0
"""Seconds until the answer that a node is dead, on a busy machine."""
ID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")


@pytest.fixture(autouse=True)
def cluster_alone(pytestconfig: pytest.Config) -> None:
    only_on_a_cluster(pytestconfig)


@pytest.fixture
def nodes(privileged_url: URL) -> Sequence[URL]:
    """This test's database on the coordinator and on each worker."""
    return nodes_of(privileged_url)


@pytest.fixture
def processes(nodes: Sequence[URL]) -> Iterator[NodeProcesses]:
    """What kills and starts nodes. All run at the end."""
    commands = NodeProcesses()
    yield commands
    for node in nodes:
        commands.start(node)


@pytest.fixture
def homes(database: Database, privileged_url: URL, nodes: Sequence[URL]) -> list[Home]:
    """A space on each worker, in the order of `nodes`."""
    by_port: dict[int, Home] = {}
    with psycopg.connect(convert_to_conninfo(privileged_url), autocommit=True) as connection:
        ports: dict[int, int] = dict(
            connection.execute("SELECT nodeid, nodeport FROM pg_dist_node").fetchall()
        )
        while len(by_port) < len(nodes) - 1:
            home = make_home(database, f"tenant-{len(by_port)}-{time.monotonic_ns()}")
            by_port.setdefault(ports[node_of(connection, home.space_id)], home)
    return [by_port[node.port] for node in nodes[1:] if node.port is not None]


def count_ended(ask: Asker, *homes: Home) -> int:
    """Jobs of these spaces that have ended."""
    query = "SELECT count(*) FROM job WHERE state IN ('done', 'failed') AND knowledge_space_id = ANY(%s)"
    return int(ask.value(query, [home.space_id for home in homes]))


def await_all_done(ask: Asker, workers: Workers, homes: Sequence[Home], jobs: int) -> None:
    """All jobs of these spaces end, and none has failed."""
    wait_until(lambda: count_ended(ask, *homes) == jobs, seconds=PATIENCE, what=f"{jobs} jobs to end")
    failed = ask.rows("SELECT id, error_code, error_message FROM job WHERE state = 'failed'")
    assert failed == [], workers.logs()[-3000:]


def exported(database: Database, home: Home) -> list[str]:
    """The lines of the space's export in order, with names in place of ids and without times.

    Which document was the first to name a node depends on the order in which jobs end, and each space has
    its own key that hands documents in.
    """

    def read(work: Callable[[SpaceSession], Any]) -> Any:
        with database.open_space(home.tenant_id, home.space_id) as space:
            return work(space)

    whole = b"".join(export_space(read, ExportFormat.JSON_LINES))
    _, *rows = map(json.loads, whole.splitlines())
    names: dict[str, str] = {}
    for row in rows:
        if row["kind"] == "document":
            names[row["id"]] = row["title"]
            del row["uploader"]
        elif row["kind"] == "chunk":
            names[row["id"]] = f"{names[row['document_id']]}, {row['ordinal']}"
        elif row["kind"] == "node":
            names[row["id"]] = f"{row['canonical_name']} ({row['node_type']})"
            row["metadata"].pop("firstSeenChunkId", None)

    def named(row: dict[str, Any]) -> str:
        return masked(ID.sub(lambda found: names.get(found[0], found[0]), json.dumps(row, sort_keys=True)))

    return sorted(map(named, rows))


def assert_same_graphs(database: Database, homes: Sequence[Home], undisturbed: Home) -> None:
    """Pictures and exports of these spaces are those of the undisturbed one."""
    graph, export = picture(database, undisturbed), exported(database, undisturbed)
    assert graph["edges"]
    for home in homes:
        assert picture(database, home) == graph
        assert exported(database, home) == export


def test_five_kills_of_each_node_during_an_ingest_change_no_graph(
    database: Database,
    nodes: Sequence[URL],
    processes: NodeProcesses,
    homes: Sequence[Home],
    home: Home,
    workers: Workers,
    ask: Asker,
) -> None:
    documents = small_documents(DOCUMENTS)
    for document in documents:
        for disturbed in homes:
            submit(database, disturbed, document)
    killed: list[URL] = []

    def strike(node: URL) -> None:
        processes.kill(node)
        processes.start(node)
        killed.append(node)

    jobs = DOCUMENTS * len(homes)
    chaos = Chaos(random.Random(20_26), jobs)
    for node in nodes:
        for _ in range(KILLS):
            chaos.plan(partial(strike, node))
    for _ in range(2):
        workers.start()
    chaos.run(lambda: count_ended(ask, *homes))
    await_all_done(ask, workers, homes, jobs)
    assert Counter(killed) == dict.fromkeys(nodes, KILLS)
    again = ask.value("SELECT count(*) FROM job WHERE attempt > 1")
    print(f"{jobs} jobs, {len(killed)} kills, {again} jobs begun again")
    # Kills between two jobs would prove nothing.
    assert again > 0
    for document in documents:
        submit(database, home, document)
    await_all_done(ask, workers, [home], DOCUMENTS)
    # Citus ends by itself what was prepared on a worker; it looks once a minute.
    unfinished = "SELECT count(*) FROM pg_prepared_xacts WHERE database = current_database()"
    for node in nodes:
        wait_until(partial(lambda asker: asker.value(unfinished) == 0, Asker(node)), seconds=150, what="2PC")
    database.engine.dispose()
    assert_same_graphs(database, homes, home)


def test_a_worker_that_is_dead_for_ten_minutes_stops_its_own_space_alone(
    database: Database,
    nodes: Sequence[URL],
    processes: NodeProcesses,
    homes: Sequence[Home],
    home: Home,
    twin: Home,
    workers: Workers,
    ask: Asker,
    start_api: Callable[..., Api],
) -> None:
    documents = small_documents(1_000)
    api = start_api()
    for _ in range(2):
        workers.start()
    live, dead = homes[0], homes[-1]
    keys = {space: make_key(database, space) for space in (live, dead)}

    def call(space: Home, method: str, path: str, body: object = None) -> Any:
        api.key = keys[space]
        return api.call(method, f"/v1/spaces/{space.space_id}/{path}", body)

    def post(space: Home, document: Submission) -> Any:
        text = {"text": document.raw.decode(), "title": document.title}
        return call(space, "POST", "documents", {"documents": [text]})

    early, late, count = documents[:20], documents[20:40], 20
    for document in early:
        for space in (live, dead):
            assert post(space, document).status == 202
    await_all_done(ask, workers, [live, dead], 2 * len(early))
    for document in late:
        assert post(dead, document).status == 202
    processes.kill(nodes[-1])
    deadline = time.monotonic() + DEAD_SECONDS
    while time.monotonic() < deadline:
        assert post(live, documents[count]).status == 202
        count += 1
        wait_until(partial(lambda jobs: count_ended(ask, live) == jobs, count), seconds=60, what="a job")
        assert call(live, "GET", "graph/nodes").status == 200
        for answer in (call(dead, "GET", "graph/nodes"), post(dead, documents[count])):
            assert (answer.status, answer.body["code"]) == (503, "database_unavailable")
            assert int(answer.headers["retry-after"]) > 0
            assert answer.seconds < REFUSED_WITHIN
        time.sleep(4)
    waiting = ask.rows("SELECT stage, attempt FROM job WHERE state = 'queued'")
    # The job that ran when the worker died had begun; no other is counted, however often it was tried.
    assert {stage for stage, _ in waiting} == {"parked"}
    assert all(attempt <= 1 for _, attempt in waiting)
    processes.start(nodes[-1])
    await_all_done(ask, workers, [live, dead], len(early) + len(late) + count)
    assert call(dead, "GET", "graph/nodes").status == 200
    for undisturbed, texts in ((home, documents[:count]), (twin, early + late)):
        for document in texts:
            submit(database, undisturbed, document)
    await_all_done(ask, workers, [home, twin], count + len(early) + len(late))
    database.engine.dispose()
    assert_same_graphs(database, [live], home)
    assert_same_graphs(database, [dead], twin)


@contextmanager
def submitted_to(database: Database, homes: Sequence[Home]) -> Iterator[list[Submission]]:
    """Documents are handed in to all of these spaces until the block ends: those that are in all."""
    submissions: list[Submission] = []
    ended = threading.Event()

    def hand_in() -> None:
        for document in small_documents(1_000):
            for home in homes:
                submit(database, home, document)
                # Reads go to the worker that has the shard at the moment.
                picture(database, home)
            submissions.append(document)
            if ended.wait(0.3):
                return

    with ThreadPoolExecutor(1) as pool:
        writer = pool.submit(hand_in)
        try:
            yield submissions
        finally:
            ended.set()
        writer.result()


def test_six_moves_under_load_change_no_graph(
    database: Database,
    privileged_url: URL,
    nodes: Sequence[URL],
    homes: Sequence[Home],
    home: Home,
    workers: Workers,
    ask: Asker,
) -> None:
    url = privileged_url.render_as_string(hide_password=False)
    first, second = (f"{node.host}:{node.port}" for node in nodes[1:3])
    for _ in range(2):
        workers.start()
    with submitted_to(database, homes) as submissions:
        wait_until(lambda: count_ended(ask, *homes) > 0, what="the first job")
        done = moves.drain_node_and_count_moves(url, first, MoveProgressPrinter())
        with connect_to_coordinator(url) as connection:
            add_or_readmit_node_and_check_added(connection, first)
        done += moves.rebalance_shards_and_count_moves(url, MoveProgressPrinter())
        done += moves.drain_node_and_count_moves(url, second, MoveProgressPrinter())
    assert done == MOVES == 6
    await_all_done(ask, workers, homes, len(submissions) * len(homes))
    for document in submissions:
        submit(database, home, document)
    await_all_done(ask, workers, [home], len(submissions))
    assert_same_graphs(database, homes, home)
