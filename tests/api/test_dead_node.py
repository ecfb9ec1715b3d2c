"""A node of a real cluster that cannot be reached stops its own spaces, and nothing else."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any
from uuid import UUID

import psycopg
import pytest
from httpx2 import Response
from sqlalchemy import URL

from app.db.engine import convert_to_conninfo
from app.db.node_watch import NodeWatch, open_own_connection
from app.tenancy.spaces import tenant_deletion
from tests.api.conftest import SHARED, World
from tests.conftest import make_home
from tests.support.citus import node_of, only_on_a_cluster, unreachable
from tests.support.relay import Relay
from tests.workers.conftest import wait_until
from workers.sweeper import sweep_and_wake_if_jobs_wait

LONGEST = 1.0
"""Seconds until an answer says that a node is gone, beyond those of the same answer of another space."""
LONGEST_SILENCE = 3.0
"""The same of a node that refuses nothing and says nothing, on a busy machine; 30 without a watch."""


@pytest.fixture(autouse=True)
def cluster_alone(pytestconfig: pytest.Config) -> None:
    only_on_a_cluster(pytestconfig)


@pytest.fixture
def coordinator(admin_url: URL, api_url: URL) -> Iterator[psycopg.Connection[Any]]:
    """A superuser's connection to the coordinator's database."""
    address = convert_to_conninfo(admin_url.set(database=api_url.database))
    with psycopg.connect(address, autocommit=True) as connection:
        yield connection


class Caller:
    """The API as the tenant A uses it."""

    def __init__(self, world: World) -> None:
        self._world = world

    def __call__(self, method: str, path: str, **options: Any) -> Response:
        return self._world.http.request(method, path, headers=self._world.a.bearer(), **options)

    def submit(self, space: str, text: str) -> Response:
        return self("POST", f"{space}/documents", json={"documents": [{"text": text, "title": text[:40]}]})


@pytest.fixture
def call(world: World) -> Caller:
    return Caller(world)


@pytest.fixture
def spaces(call: Caller, coordinator: psycopg.Connection[Any], world: World) -> tuple[str, str]:
    """Two spaces of one tenant on two nodes, each with documents."""
    by_node: dict[int, str] = {}
    while len(by_node) < 2:
        made = call("POST", "/v1/spaces", json={"name": f"beside-{time.monotonic_ns()}"})
        assert made.status_code == 201, made.text
        space_id = UUID(made.json()["id"])
        by_node.setdefault(node_of(coordinator, space_id), f"/v1/spaces/{space_id}")
    for space in by_node.values():
        assert call.submit(space, SHARED).status_code == 202
    world.drain()
    dead, other = by_node.values()
    return dead, other


@contextmanager
def relayed(coordinator: psycopg.Connection[Any], node: int) -> Iterator[Relay]:
    """For this database that node is behind a relay, which passes all on at first."""
    query = "SELECT nodename, nodeport FROM pg_dist_node WHERE nodeid = %s"
    row = coordinator.execute(query, [node]).fetchone()
    assert row is not None
    relay = Relay((row[0], row[1]))
    set_port = "UPDATE pg_dist_node SET nodeport = %s WHERE nodeid = %s"
    coordinator.execute(set_port, [relay.address[1], node])
    try:
        yield relay
    finally:
        relay.thaw()
        coordinator.execute(set_port, [row[1], node])
        relay.cut()


def refused_at_once(act: Callable[[], Response], *, seconds: float = LONGEST) -> None:
    """The answer is 503 with a time to come back, within so many seconds."""
    began = time.monotonic()
    answer = act()
    assert (answer.status_code, answer.json().get("code")) == (503, "database_unavailable"), answer.text
    assert int(answer.headers["retry-after"]) > 0
    assert time.monotonic() - began < seconds


def items(answer: Response) -> list[dict[str, Any]]:
    """The things of a list."""
    assert answer.status_code == 200, answer.text
    listed: list[dict[str, Any]] = answer.json()["items"]
    return listed


def job_of(answer: Response) -> str:
    assert answer.status_code == 202, answer.text
    job_id: str = answer.json()["job"]["id"]
    return job_id


def test_other_spaces_go_on_and_its_own_come_back(
    world: World, call: Caller, coordinator: psycopg.Connection[Any], spaces: tuple[str, str]
) -> None:
    dead, other = spaces
    # It waits as its node goes.
    waiting = job_of(call.submit(dead, "Grace Hopper created Flow-Matic."))
    closed = make_home(world.citegraph.database, f"closed-{time.monotonic_ns()}")
    while node_of(coordinator, closed.space_id) != node_of(coordinator, dead.rpartition("/")[2]):
        closed = make_home(world.citegraph.database, f"closed-{time.monotonic_ns()}")
    with unreachable(coordinator, node_of(coordinator, dead.rpartition("/")[2])):
        for path in ("graph/nodes", "graph/edges", "documents", "graph/communities"):
            began = time.monotonic()
            assert call("GET", f"{other}/{path}").status_code == 200, path
            # What a busy machine needs for any answer is no wait for the node.
            seconds = LONGEST + time.monotonic() - began
            refused_at_once(partial(call, "GET", f"{dead}/{path}"), seconds=seconds)
        refused_at_once(lambda: call.submit(dead, "Nobody reads this."))
        refused_at_once(lambda: call("POST", f"{dead}/retrieve", json={"query": "Postgres"}))
        assert call("POST", f"{other}/retrieve", json={"query": "Postgres"}).status_code == 200
        for path in ("/v1/spaces", "/v1/quotas", f"{dead}/jobs"):
            assert call("GET", path).status_code == 200, path

        # Submission and ingest, merge, rename, detection and removal.
        new = job_of(call.submit(other, "Edsger Dijkstra created THE. Dijkstra worked for Burroughs."))
        world.drain()
        assert call("GET", f"{other}/jobs/{new}").json()["state"] == "done"
        ids = {node["canonical_name"]: node["id"] for node in items(call("GET", f"{other}/graph/nodes"))}
        pair = {"winner_id": ids["Postgres"], "loser_id": ids["Ingres"]}
        for answer in (
            call("POST", f"{other}/graph/merges", json=pair),
            call("PUT", f"{other}/graph/nodes/{ids['Postgres']}/name", json={"name": "PostgreSQL"}),
            call("POST", f"{other}/graph/communities/detect"),
            call("DELETE", f"{other}/documents/{items(call('GET', f'{other}/documents'))[0]['id']}"),
        ):
            assert answer.status_code < 300, answer.text

        # Its own job is put aside and says why; an erasure that cannot end stops no sweep.
        job = call("GET", f"{dead}/jobs/{waiting}").json()
        assert (job["state"], job["stage"], job["attempt"]) == ("queued", "parked", 0)
        with pytest.raises(Exception, match="remote node"):
            tenant_deletion.delete_tenant(world.citegraph.database, closed.tenant_id, actor="test")
        sweep_and_wake_if_jobs_wait(world.citegraph.database)

    coordinator.execute("UPDATE job SET run_after = now() WHERE state = 'queued'")
    world.drain()
    assert call("GET", f"{dead}/jobs/{waiting}").json()["state"] == "done"
    assert items(call("GET", f"{dead}/graph/nodes?q=Hopper"))
    sweep_and_wake_if_jobs_wait(world.citegraph.database)
    gone = coordinator.execute("SELECT count(*) FROM tenant WHERE id = %s", [closed.tenant_id]).fetchone()
    assert gone == (0,)


def test_a_silent_node_is_answered_for_while_it_is_silent(
    world: World,
    call: Caller,
    coordinator: psycopg.Connection[Any],
    spaces: tuple[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its connections stand and say nothing, as those of a frozen machine."""
    monkeypatch.setattr("app.db.node_watch._IDLE_SECONDS", 0.1)
    silent, other = spaces
    nodes, question = "graph/nodes", {"query": "Postgres"}
    with relayed(coordinator, node_of(coordinator, silent.rpartition("/")[2])) as relay:
        world.citegraph.database.engine.dispose()
        # The connection to the node stands from here on.
        assert call("GET", f"{silent}/{nodes}").status_code == 200
        relay.freeze()
        for _ in range(2):
            refused_at_once(lambda: call("GET", f"{silent}/{nodes}"), seconds=LONGEST_SILENCE)
            assert call("GET", f"{other}/{nodes}").status_code == 200
        refused_at_once(lambda: call("POST", f"{silent}/retrieve", json=question), seconds=LONGEST_SILENCE)
        assert call("GET", f"{silent}/jobs").status_code == 200
        # Two probes in a row have found it silent by now: nobody waits for it any more.
        for path in (nodes, "graph/edges", "graph/communities"):
            refused_at_once(partial(call, "GET", f"{silent}/{path}"))
        # Nor does who reads after a time without any transaction.
        time.sleep(2)
        refused_at_once(partial(call, "GET", f"{silent}/{nodes}"))
        # Sums over all spaces of the tenant leave out those of the node.
        for path in ("/v1/spaces", "/v1/quotas"):
            assert call("GET", path).status_code == 200, path
        job_of(call.submit(other, "Barbara Liskov created CLU."))
        relay.thaw()
        refusal = call("GET", f"{silent}/{nodes}")
        if refusal.status_code != 200:
            time.sleep(int(refusal.headers["retry-after"]) + 1)
        assert call("GET", f"{silent}/{nodes}").status_code == 200


def test_a_sum_over_spaces_does_not_wait_for_a_silent_node(
    world: World, call: Caller, coordinator: psycopg.Connection[Any], spaces: tuple[str, str]
) -> None:
    """It fails until the node is known to be silent, and then leaves out its spaces."""
    silent, _ = spaces
    with relayed(coordinator, node_of(coordinator, silent.rpartition("/")[2])) as relay:
        world.citegraph.database.engine.dispose()
        assert call("GET", "/v1/quotas").status_code == 200
        relay.freeze()
        refused_at_once(lambda: call("GET", "/v1/quotas"), seconds=LONGEST_SILENCE)
        for _ in range(3):
            if (answer := call("GET", "/v1/quotas")).status_code == 200:
                break
            assert answer.json()["code"] == "database_unavailable"
            time.sleep(int(answer.headers["retry-after"]))
        assert answer.status_code == 200
        assert call("GET", "/v1/spaces").status_code == 200


def test_a_node_that_one_read_found_silent_is_probed_again_while_nobody_reads(
    world: World,
    coordinator: psycopg.Connection[Any],
    spaces: tuple[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """So that the next who reads does not wait for it, however soon the watch is idle."""
    monkeypatch.setattr("app.db.node_watch._IDLE_SECONDS", 0.0)
    # Longer than a probe: nothing waits any more when the second one is due.
    monkeypatch.setattr("app.db.node_watch.PROBE_INTERVAL_SECONDS", 2.0)
    silent_node = node_of(coordinator, spaces[0].rpartition("/")[2])
    watch = NodeWatch(world.citegraph.database.engine)
    with (
        relayed(coordinator, silent_node) as relay,
        open_own_connection(world.citegraph.database.engine) as reader,
    ):
        relay.freeze()
        with pytest.raises(psycopg.errors.ConnectionFailure), watch.watch_transaction(reader, None):
            reader.execute("SELECT pg_sleep(30)")
        wait_until(watch.list_silent_node_groups, seconds=10, what="the second probe")
        assert len(watch.list_silent_node_groups()) == 1


def test_a_submission_elsewhere_that_waits_for_a_silent_node_holds_no_lock(
    world: World, call: Caller, coordinator: psycopg.Connection[Any], spaces: tuple[str, str]
) -> None:
    """It counts what the tenant has, also on that node: the first one fails, and those after it do not."""
    silent, other = spaces
    with relayed(coordinator, node_of(coordinator, silent.rpartition("/")[2])) as relay:
        world.citegraph.database.engine.dispose()
        job_of(call.submit(other, "Barbara Liskov created CLU."))
        relay.freeze()
        refused_at_once(partial(call.submit, other, "Liskov worked for MIT."), seconds=LONGEST_SILENCE)
        for _ in range(3):
            if (answer := call.submit(other, "Liskov worked for MIT.")).status_code == 202:
                break
            assert answer.json()["code"] == "database_unavailable"
            time.sleep(int(answer.headers["retry-after"]))
        assert answer.status_code == 202
