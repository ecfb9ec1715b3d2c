"""The queue's numbers for metrics: right, by buckets that name nobody, and cheap where thousands wait."""

import json
import time
from typing import Any

import psycopg
import pytest
from sqlalchemy import URL

from app.db.database import Database
from app.db.engine import convert_to_conninfo
from app.db.sql import load_numbered_statement
from app.jobs import queue
from tests.conftest import Home

TENANTS, JOBS = 400, 50


@pytest.fixture
def crowd(database: Database, privileged_url: URL, home: Home) -> Database:
    """Four hundred tenants with fifty waiting jobs each."""
    with psycopg.connect(convert_to_conninfo(privileged_url), autocommit=True) as connection:
        connection.execute(
            "INSERT INTO tenant (id, name) SELECT gen_random_uuid(), 'crowd ' || n"
            " FROM generate_series(1, %s) n",
            [TENANTS],
        )
        connection.execute(
            "INSERT INTO knowledge_space (id, tenant_id, name, embedding_model, embedding_dimensions)"
            " SELECT gen_random_uuid(), id, 'library', 'none', 8 FROM tenant WHERE name LIKE 'crowd %%'"
        )
        connection.execute(
            "INSERT INTO job (knowledge_space_id, id, tenant_id, kind, run_after)"
            " SELECT s.id, gen_random_uuid(), s.tenant_id, 'ingest.documents',"
            " now() - n * interval '1 minute'"
            " FROM knowledge_space s JOIN tenant t ON t.id = s.tenant_id CROSS JOIN generate_series(1, %s) n"
            " WHERE t.name LIKE 'crowd %%'",
            [JOBS],
        )
        connection.execute("ANALYZE job")
    return database


def test_nothing_waits(database: Database) -> None:
    with database.open_platform() as platform:
        assert queue.count_jobs_by_kind(platform) == []
        assert queue.read_longest_wait_seconds_by_tenant_bucket(platform, buckets=16) == {}


def test_thousands_are_counted_up_to_a_bound_and_aged_by_the_index(crowd: Database) -> None:
    with crowd.open_platform() as platform:
        platform.prefer_index_order()
        begun = time.process_time()
        sizes = queue.count_jobs_by_kind(platform)
        ages = queue.read_longest_wait_seconds_by_tenant_bucket(platform, buckets=16)
        assert time.process_time() - begun < 0.5
        text, names = load_numbered_statement("jobs.read_longest_wait_by_bucket")
        cursor = psycopg.RawCursor(platform.connection)
        cursor.execute(b"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + text, [16 for _ in names])
        row = cursor.fetchone()
    assert sizes == [("ingest.documents", "waiting", 10_000)]
    # Of 400 tenants some fall into each of the buckets.
    assert sorted(ages) == list(range(16))
    assert all(JOBS * 60 <= seconds < JOBS * 60 + 60 for seconds in ages.values())
    assert row is not None
    plan = row[0][0]["Plan"]
    scans = [node for node in nodes(plan) if node.get("Relation Name") == "job"]
    assert {scan.get("Index Name") for scan in scans} == {"ix_job_ready"}, json.dumps(scans, indent=1)[:3_000]
    # One row for each tenant and way of asking, not one for each job.
    assert sum(scan["Actual Rows"] * scan["Actual Loops"] for scan in scans) <= 3 * TENANTS


def nodes(plan: dict[str, Any]) -> list[dict[str, Any]]:
    """The node and all below it."""
    return [plan, *(node for child in plan.get("Plans", ()) for node in nodes(child))]
