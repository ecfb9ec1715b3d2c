"""A real Citus cluster for tests: the one whose coordinator CITEGRAPH_TEST_CITUS_URL names.

The address is a superuser's, in a database that the workers have joined (`citus_add_node`); the workers are
reached from here as they are from the coordinator, with the same login. Each database of a test is on every
node, distributed as docs/citus.md says.
"""

import os
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import psycopg
import pytest
from sqlalchemy import URL

from app.db.engine import convert_to_conninfo, convert_to_psycopg_url
from app.db.migrate import migrate
from app.db.scaling.distribute import distribute_database

VARIABLE = "CITEGRAPH_TEST_CITUS_URL"
PLANS = "reads plans and pages of one server: a cluster's are those of the shard, which are no other"
"""Why tests of plans are for `one_machine`."""
NO_PARTITIONS = "no space has partitions of its own on a cluster"
AS_DISTRIBUTED = "a cluster's catalogue is what `distribute` makes, and the doctor there compares it"
LEASE_SECONDS = 10.0
"""Leases of a cluster's workers: its servers share the processors with them, and two seconds may pass
between two heartbeats where others are at work too.
"""
ABSENT = f"needs a Citus cluster ({VARIABLE})"
KILL_VARIABLE, START_VARIABLE = "CITEGRAPH_TEST_CITUS_KILL", "CITEGRAPH_TEST_CITUS_START"
"""Shell commands that kill and start the server of a node: `{host}` and `{port}` in them are the node's."""
NO_COMMANDS = f"needs commands that kill and start a node ({KILL_VARIABLE}, {START_VARIABLE})"
NODE_SECONDS = 120.0
"""Seconds within which a killed server is gone, and a started one answers."""
SHARDS = 4
"""Shards of each table: two a worker, so that spaces are beside one another and apart; each shard more is
some 250 files to copy for each test's database.
"""
# The run's coordinator with its workers. They stand here and not in the conftest: see `pooler`.
_run: list[Sequence[URL]] = []


def coordinator() -> URL:
    """The coordinator's address; from now on `nodes_of` knows its workers. Skips the test without one."""
    address = os.environ.get(VARIABLE)
    if not address:
        pytest.skip(ABSENT)
    url = convert_to_psycopg_url(address)
    if not any(nodes[0] == url for nodes in _run):
        with psycopg.connect(convert_to_conninfo(url)) as connection:
            workers = connection.execute(
                "SELECT nodename, nodeport FROM pg_dist_node WHERE groupid > 0 ORDER BY groupid"
            ).fetchall()
        assert workers, (
            "The database that CITEGRAPH_TEST_CITUS_URL names has no worker: SELECT citus_add_node(…)"
        )
        _run.append((url, *(url.set(host=host, port=port) for host, port in workers)))
    return url


def nodes_of(server: URL) -> Sequence[URL]:
    """The addresses of all servers that hold a database of this one: itself, and a cluster's workers."""
    for nodes in _run:
        if (nodes[0].host, nodes[0].port) == (server.host, server.port):
            return [node.set(database=server.database) for node in nodes]
    return [server]


def make_distributed(admin_url: URL, name: str) -> None:
    """A database of that name on every node, migrated and distributed."""
    coordinator, *workers = [node.set(database=name) for node in nodes_of(admin_url)]
    for node in (coordinator, *workers):
        with psycopg.connect(
            convert_to_conninfo(node.set(database=admin_url.database)), autocommit=True
        ) as admin:
            admin.execute(f"CREATE DATABASE {name}".encode())
        with psycopg.connect(convert_to_conninfo(node), autocommit=True) as admin:
            admin.execute("CREATE EXTENSION citus")
            admin.execute("CREATE EXTENSION vector")
    with psycopg.connect(convert_to_conninfo(coordinator), autocommit=True) as admin:
        admin.execute("SELECT citus_set_coordinator_host(%s, %s)", [coordinator.host, coordinator.port])
        for node in workers:
            admin.execute("SELECT citus_add_node(%s, %s)", [node.host, node.port])
    address = coordinator.render_as_string(hide_password=False)
    migrate(address)
    distribute_database(address, shard_count=SHARDS)


def only_on_a_cluster(config: pytest.Config) -> None:
    """Skip the running test where the run is on one machine."""
    if not config.getoption("--citus"):
        pytest.skip(ABSENT)


@contextmanager
def table_locked(server: URL, table: str) -> Iterator[None]:
    """Inside the block nobody reads or writes that table; of a cluster its shards, which readers name."""
    lock = "LOCK TABLE {} IN ACCESS EXCLUSIVE MODE"
    with ExitStack() as connections:
        for group, node in enumerate(nodes := nodes_of(server)):
            connection = connections.enter_context(psycopg.connect(convert_to_conninfo(node)))
            if len(nodes) == 1:
                connection.execute(lock.format(table).encode())
                continue
            connection.execute("SET citus.enable_manual_changes_to_shards = on")
            shards = connection.execute(
                "SELECT shard_name(logicalrelid, shardid) FROM pg_dist_shard JOIN pg_dist_placement"
                " USING (shardid) WHERE logicalrelid = %s::regclass AND groupid = %s",
                [table, group],
            ).fetchall()
            for (shard,) in shards:
                connection.execute(lock.format(shard).encode())
        yield


@contextmanager
def unreachable(coordinator: psycopg.Connection[Any], node: int) -> Iterator[None]:
    """For this database that node is at a port where nobody listens."""
    row = coordinator.execute("SELECT nodeport FROM pg_dist_node WHERE nodeid = %s", [node]).fetchone()
    assert row is not None
    coordinator.execute("UPDATE pg_dist_node SET nodeport = 9 WHERE nodeid = %s", [node])
    try:
        yield
    finally:
        coordinator.execute("UPDATE pg_dist_node SET nodeport = %s WHERE nodeid = %s", [row[0], node])


def node_of(coordinator: psycopg.Connection[Any], space_id: object) -> int:
    """The id of the node with the space's shard."""
    row = coordinator.execute(
        "SELECT node.nodeid FROM pg_dist_node AS node JOIN pg_dist_placement USING (groupid)"
        " WHERE shardid = get_shard_id_for_distribution_column('public.graph_node', %s::uuid)",
        [str(space_id)],
    ).fetchone()
    assert row is not None
    return int(row[0])


class NodeProcesses:
    """Kills and starts the servers of the nodes, with the commands that the environment has for that."""

    def __init__(self) -> None:
        """Skips the test without commands."""
        try:
            self._kill_command, self._start_command = os.environ[KILL_VARIABLE], os.environ[START_VARIABLE]
        except KeyError:
            pytest.skip(NO_COMMANDS)

    def kill(self, node: URL) -> None:
        """The server refuses connections afterwards."""
        assert self._run(self._kill_command, node) == 0, "the command that kills a node failed"
        _await(lambda: not _answers(node), f"the death of {node.host}:{node.port}")

    def start(self, node: URL) -> None:
        """The server answers afterwards; one that runs already is left alone.

        The command may fail at first: what is left of a killed server takes a moment to end.
        """
        _await(lambda: self._has_started(node), f"an answer of {node.host}:{node.port}")

    def _has_started(self, node: URL) -> bool:
        if not _answers(node):
            self._run(self._start_command, node)
        return _answers(node)

    def _run(self, command: str, node: URL) -> int:
        command = command.replace("{host}", str(node.host)).replace("{port}", str(node.port))
        # A server must not hold the pipes of this process, nor end with it.
        return subprocess.run(
            command, shell=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True
        ).returncode


def _answers(node: URL) -> bool:
    try:
        with psycopg.connect(convert_to_conninfo(node), connect_timeout=2):
            return True
    except psycopg.OperationalError:
        return False


def _await(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + NODE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, f"waited {NODE_SECONDS} s for {what}"
        time.sleep(0.2)
