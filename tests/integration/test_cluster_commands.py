"""`citegraph cluster` on a real cluster: moves while a space is written to, ended, and taken up again."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import psycopg
import pytest
from sqlalchemy import URL

from app.cli.cluster import MoveProgressPrinter
from app.db.database import Database
from app.db.doctor.examination import examine_database
from app.db.doctor.node_walls import examine_nodes
from app.db.engine import convert_to_conninfo, convert_to_psycopg_url
from app.db.scaling import moves
from app.db.scaling.nodes import (
    ClusterNode,
    add_or_readmit_node_and_check_added,
    connect_to_coordinator,
    read_nodes,
)
from app.documents.shapes import Submission
from app.errors import ConfigurationError, NotFound
from app.settings import Settings
from tests.conftest import Home
from tests.support.citus import SHARDS, coordinator, nodes_of, only_on_a_cluster
from tests.support.ingest import corpus, ingest_now, picture

# During a move the owner may bypass row security on the target, for every database of that server.
pytestmark = pytest.mark.changes_server
PAUSE_SECONDS = 0.3
"""Between two documents: a move takes longer than all of them would at once."""


@pytest.fixture(autouse=True)
def cluster_alone(pytestconfig: pytest.Config) -> None:
    only_on_a_cluster(pytestconfig)


@pytest.fixture
def url(privileged_url: URL) -> str:
    return privileged_url.render_as_string(hide_password=False)


def workers(url: str) -> dict[str, ClusterNode]:
    """The workers by name."""
    with connect_to_coordinator(url) as connection:
        return {node.name: node for node in read_nodes(connection) if not node.coordinator}


@contextmanager
def written_to(database: Database, settings: Settings, home: Home) -> Iterator[list[Submission]]:
    """Documents go into the space one after another until the block ends: those that are in."""
    documents: list[Submission] = []
    ended = threading.Event()

    def write() -> None:
        for document in corpus():
            ingest_now(database, settings, home, [document])
            documents.append(document)
            if ended.wait(PAUSE_SECONDS):
                return

    with ThreadPoolExecutor(1) as pool:
        writer = pool.submit(write)
        try:
            yield documents
        finally:
            ended.set()
        writer.result()


def faults(url: str) -> list[str]:
    """What the doctor says of shards and nodes."""
    with psycopg.connect(convert_to_conninfo(convert_to_psycopg_url(url)), autocommit=True) as connection:
        return [sentence for verdict in examine_nodes(connection) for sentence in verdict.problems]


def test_shards_move_off_a_worker_and_back_while_a_space_is_written_to(
    url: str, database: Database, settings: Settings, home: Home, twin: Home
) -> None:
    with written_to(database, settings, home) as documents:
        first, second = workers(url).values()
        assert (first.shards, second.shards) == (SHARDS // 2, SHARDS // 2)
        assert (first.spaces or 0) + (second.spaces or 0) == 2
        told: list[moves.MoveProgress] = []
        assert moves.drain_node_and_count_moves(url, first.name, told.append) == SHARDS // 2
        assert documents
        assert [node.shards for node in workers(url).values()] == [0, SHARDS]
        with connect_to_coordinator(url) as connection:
            assert not add_or_readmit_node_and_check_added(connection, first.name)
        assert moves.rebalance_shards_and_count_moves(url, told.append) == SHARDS // 2
    assert [node.shards for node in workers(url).values()] == [SHARDS // 2, SHARDS // 2]
    assert {progress.number for progress in told} == set(range(1, SHARDS // 2 + 1))
    assert all(progress.arrived_bytes <= progress.total_bytes for progress in told)
    assert told[-1].seconds_left is not None
    assert faults(url) == []
    for document in documents:
        ingest_now(database, settings, twin, [document])
    assert picture(database, home) == picture(database, twin)


def test_a_worker_is_taken_out_and_a_new_server_added_while_a_space_is_written_to(
    url: str, privileged_url: URL, database: Database, settings: Settings, home: Home, twin: Home
) -> None:
    """The server that comes has nothing of this database: neither tables, functions nor their rights."""
    server = nodes_of(privileged_url)[1]
    name = f"{server.host}:{server.port}"
    with written_to(database, settings, home) as documents:
        assert "is no longer a node" in cluster_command(url, "drain", name, "--remove")
        assert name not in workers(url)
        make_empty(server)
        assert f"{name} is a worker now." in cluster_command(url, "add-node", name)
        assert workers(url)[name].shards == 0
        assert faults(url) == []
        assert f"{SHARDS // 2} shards moved" in cluster_command(url, "rebalance")
        assert documents
    assert [node.shards for node in workers(url).values()] == [SHARDS // 2, SHARDS // 2]
    # Connections that the coordinator had to what was dropped are said of whoever has them next.
    database.engine.dispose()
    report = examine_database(database, migration_url=url)
    assert [verdict for verdict in report.verdicts if verdict.sentences] == []
    for document in documents:
        ingest_now(database, settings, twin, [document])
    assert picture(database, home) == picture(database, twin)


def cluster_command(url: str, *arguments: str) -> str:
    """What the command says on stdout; it must succeed."""
    done = subprocess.run(
        [sys.executable, "-m", "app.cli.main", "cluster", *arguments],
        env={**os.environ, "CITEGRAPH_CLUSTER_URL": url},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def make_empty(server: URL) -> None:
    """Make the database anew on this server, with the extensions alone."""
    admin_url = coordinator().set(host=server.host, port=server.port)
    with psycopg.connect(convert_to_conninfo(admin_url), autocommit=True) as admin:
        admin.execute(f"DROP DATABASE {server.database} WITH (FORCE)".encode())
        admin.execute(f"CREATE DATABASE {server.database}".encode())
    with psycopg.connect(convert_to_conninfo(server), autocommit=True) as connection:
        connection.execute("CREATE EXTENSION citus")
        connection.execute("CREATE EXTENSION vector")


def test_a_tenant_gets_shards_of_its_own(
    url: str, database: Database, settings: Settings, home: Home, twin: Home
) -> None:
    ingest_now(database, settings, home, corpus()[:4])
    before = picture(database, home)
    assert len(moves.list_spaces_to_isolate(url, str(home.tenant_id))) == 1
    target = list(workers(url))[-1]
    assert moves.isolate_spaces_of_tenant(url, str(home.tenant_id), MoveProgressPrinter(), target=target) >= 1
    assert moves.list_spaces_to_isolate(url, str(home.tenant_id)) == []
    assert moves.isolate_spaces_of_tenant(url, str(home.tenant_id), MoveProgressPrinter(), target=target) == 0
    assert picture(database, home) == before
    assert faults(url) == []
    with pytest.raises(NotFound):
        moves.list_spaces_to_isolate(url, "nobody")


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_move_that_is_ended_is_taken_up_again(url: str, home: Home, ending: signal.Signals) -> None:
    """After a kill the right that the move had given is named, and the next one takes it back."""
    name = next(iter(workers(url)))
    before = workers(url)[name].shards
    with subprocess.Popen(
        [sys.executable, "-m", "app.cli.main", "cluster", "drain", name],
        env={**os.environ, "CITEGRAPH_CLUSTER_URL": url},
        # Whoever runs the tests in the background has its children ignore Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        stderr=subprocess.PIPE,
        text=True,
    ) as command:
        assert command.stderr is not None
        assert command.stderr.readline().startswith(f"1 of {before}")
        time.sleep(0.5)
        command.send_signal(ending)
        # Its code and its words, whatever they are, are there within the time of a look or two.
        said = command.stderr.read()
    assert command.returncode != 0
    assert ("Stopped." in said) == (ending is signal.SIGINT), said
    if ending is signal.SIGKILL:
        assert any("citegraph_owner" in sentence and "BYPASSRLS" in sentence for sentence in faults(url))
        # The server looks every two seconds whether somebody waits.
        time.sleep(4)
    else:
        assert faults(url) == []
    assert 0 < workers(url)[name].shards <= before
    moves.drain_node_and_count_moves(url, name, MoveProgressPrinter())
    assert workers(url)[name].shards == 0
    assert faults(url) == []


def test_a_dead_node_a_poor_login_and_a_full_name_are_said(url: str, privileged_url: URL) -> None:
    with psycopg.connect(convert_to_conninfo(privileged_url), autocommit=True) as connection:
        row = connection.execute("SELECT max(nodeid), max(nodeport) FROM pg_dist_node").fetchone()
        assert row is not None
        connection.execute("UPDATE pg_dist_node SET nodeport = 9 WHERE nodeid = %s", row[:1])
        try:
            dead = workers(url)["127.0.0.1:9"]
            assert (dead.answers, dead.bytes) == (False, None)
            assert "9" in dead.reason
            with pytest.raises(ConfigurationError, match=r"127\.0\.0\.1:9 does not answer"):
                moves.rebalance_shards_and_count_moves(url, MoveProgressPrinter())
        finally:
            connection.execute("UPDATE pg_dist_node SET nodeport = %s WHERE nodeid = %s", [row[1], row[0]])
    with (
        pytest.raises(ConfigurationError, match="cannot connect to 127"),
        connect_to_coordinator(url) as opened,
    ):
        add_or_readmit_node_and_check_added(opened, "127.0.0.1:9")
    with (
        pytest.raises(ConfigurationError, match=r"a node of this cluster"),
        connect_to_coordinator(url) as opened,
    ):
        add_or_readmit_node_and_check_added(opened, next(iter(workers(url))))
    with pytest.raises(ConfigurationError, match="there are: 127"):
        moves.drain_node_and_count_moves(url, "127.0.0.1:10", MoveProgressPrinter())
    poor = privileged_url.set(username="citegraph_app").render_as_string(hide_password=False)
    with pytest.raises(ConfigurationError, match="not a superuser"), connect_to_coordinator(poor):
        pass


def test_two_do_not_move_at_once(url: str, home: Home) -> None:
    name = next(iter(workers(url)))
    refusals: list[object] = []

    def tell(progress: moves.MoveProgress) -> None:
        if progress.number == 1 and not refusals:
            with pytest.raises(ConfigurationError, match="is moving shards") as refused:
                moves.drain_node_and_count_moves(url, name, MoveProgressPrinter())
            refusals.append(refused)

    moves.drain_node_and_count_moves(url, name, tell)
    assert refusals
