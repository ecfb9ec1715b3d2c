"""A hundred submissions to one space of a real cluster, and no row of it on a shard once it is deleted."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import psycopg
import pytest
from sqlalchemy import URL

from app.db.engine import convert_to_conninfo
from app.db.table_distribution import SHARDED
from app.tenancy.spaces import tenant_deletion
from tests.api.conftest import World
from tests.conftest import make_home
from tests.support.citus import only_on_a_cluster
from tests.support.ingest import submit, text
from workers.sweeper import sweep_and_wake_if_jobs_wait

SUBMISSIONS = 100
"""More than `space_size` is written to before a fold: what was refused there was refused for good."""
PEOPLE = ("Ada Lovelace", "Grace Hopper", "Edsger Dijkstra", "Alan Turing")


@pytest.fixture(autouse=True)
def cluster_alone(pytestconfig: pytest.Config) -> None:
    only_on_a_cluster(pytestconfig)


@pytest.fixture
def coordinator(admin_url: URL, api_url: URL) -> Iterator[psycopg.Connection[Any]]:
    """A superuser's connection to the coordinator's database."""
    address = convert_to_conninfo(admin_url.set(database=api_url.database))
    with psycopg.connect(address, autocommit=True) as connection:
        yield connection


def rows_on_shards(coordinator: psycopg.Connection[Any], space_id: UUID) -> dict[str, int]:
    """Rows of the space by table, counted on each shard by itself; only tables that hold any."""
    rows = {}
    for table in sorted(SHARDED):
        counts = coordinator.execute(
            "SELECT success, result FROM run_command_on_shards(%s, %s)",
            [f"public.{table}", f"SELECT count(*) FROM %s WHERE knowledge_space_id = '{space_id}'"],
        ).fetchall()
        assert all(success for success, _ in counts), counts
        if total := sum(int(count) for _, count in counts):
            rows[table] = total
    return rows


def test_a_space_takes_a_hundred_submissions_and_leaves_no_row_on_any_shard(
    world: World, coordinator: psycopg.Connection[Any]
) -> None:
    def call(method: str, path: str, **options: Any) -> Any:
        answer = world.http.request(method, path, headers=world.a.bearer(), **options)
        assert answer.status_code < 300, (path, answer.text)
        return answer.json() if answer.content else None

    space_id = UUID(call("POST", "/v1/spaces", json={"name": "hundred"})["id"])
    for number in range(SUBMISSIONS):
        body = f"{PEOPLE[number % 4]} created Machine {number}. Machine {number} uses Postgres."
        call("POST", f"/v1/spaces/{space_id}/documents", json={"documents": [{"text": body}]})
    world.drain()
    ready = coordinator.execute(
        "SELECT count(*) FROM document WHERE knowledge_space_id = %s AND state = 'ready'", [space_id]
    ).fetchone()
    assert ready == (SUBMISSIONS,)
    assert {"graph_node", "graph_edge", "knowledge_chunk", "space_anchor"} <= set(
        rows_on_shards(coordinator, space_id)
    )
    call("DELETE", f"/v1/spaces/{space_id}")
    world.drain()
    assert rows_on_shards(coordinator, space_id) == {}


def test_a_tenant_leaves_no_row_on_any_shard(world: World, coordinator: psycopg.Connection[Any]) -> None:
    database = world.citegraph.database
    home = make_home(database, "leaving")
    submit(database, home, text("Ada Lovelace worked for Charles Babbage. DuckDB uses SQL."))
    world.drain()
    assert "graph_edge" in rows_on_shards(coordinator, home.space_id)
    tenant_deletion.delete_tenant(database, home.tenant_id, actor="test")
    world.drain()
    sweep_and_wake_if_jobs_wait(world.citegraph.database)
    assert rows_on_shards(coordinator, home.space_id) == {}
