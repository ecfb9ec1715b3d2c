"""A distributed database of an earlier version is upgraded, and what is new is distributed too."""

import psycopg
import pytest
from sqlalchemy import URL

from app.db.database import Database
from app.db.doctor.cluster import examine_cluster
from app.db.engine import convert_to_conninfo
from app.db.scaling.distribute import distribute_database
from app.settings import Settings
from tests.conftest import Home
from tests.migrations.test_schema_history import run_alembic
from tests.support.citus import SHARDS, only_on_a_cluster
from tests.support.ingest import corpus, ingest_now, picture

EARLIEST = "0042"
"""It adds the anchor, without which no database can be distributed."""
COUNTS = """
SELECT (SELECT count(*) FROM document WHERE knowledge_space_id = %(space_id)s),
    (SELECT count(*) FROM knowledge_chunk WHERE knowledge_space_id = %(space_id)s),
    (SELECT count(*) FROM graph_node WHERE knowledge_space_id = %(space_id)s),
    (SELECT count(*) FROM node_name WHERE knowledge_space_id = %(space_id)s),
    (SELECT count(*) FROM graph_edge WHERE knowledge_space_id = %(space_id)s)
"""


@pytest.fixture(autouse=True)
def cluster_alone(pytestconfig: pytest.Config) -> None:
    only_on_a_cluster(pytestconfig)


def problems(url: URL) -> set[tuple[str, str]]:
    """What the doctor says of the cluster's tables, nodes, shards and statements, by subject."""
    with psycopg.connect(convert_to_conninfo(url), autocommit=True) as connection:
        return {
            (verdict.table, problem)
            for verdict in examine_cluster(connection)
            for problem in verdict.problems
        }


def test_new_tables_and_columns_of_an_upgrade_are_like_those_of_a_new_cluster(
    privileged_url: URL, database: Database, settings: Settings, home: Home
) -> None:
    """From migration 0065, which has neither `model_answer_lease` nor `graph_edge.ends_at`, with data."""
    assert problems(privileged_url) == set()
    ingest_now(database, settings, home, corpus()[:1])
    before = picture(database, home)
    database.dispose()
    run_alembic(privileged_url, "downgrade", "0065")
    run_alembic(privileged_url, "upgrade", "head")
    assert {subject for subject, _ in problems(privileged_url)} == {"model_answer_lease"}
    address = privileged_url.render_as_string(hide_password=False)
    steps = distribute_database(address, shard_count=SHARDS)
    assert any("create_distributed_table('public.model_answer_lease'" in step.sql for step in steps)
    assert problems(privileged_url) == set()
    assert picture(database, home) == before
    ingest_now(database, settings, home, corpus()[1:2])
    assert picture(database, home) != before


def test_every_migration_from_the_earliest_keeps_the_content(
    privileged_url: URL, database: Database, settings: Settings, home: Home
) -> None:
    ingest_now(database, settings, home, corpus()[:2])
    database.dispose()
    run_alembic(privileged_url, "downgrade", EARLIEST)
    with psycopg.connect(convert_to_conninfo(privileged_url)) as admin:
        counts = admin.execute(COUNTS, {"space_id": home.space_id}).fetchone()
    run_alembic(privileged_url, "upgrade", "head")
    address = privileged_url.render_as_string(hide_password=False)
    distribute_database(address, shard_count=SHARDS)
    assert problems(privileged_url) == set()
    with psycopg.connect(convert_to_conninfo(privileged_url)) as admin:
        assert admin.execute(COUNTS, {"space_id": home.space_id}).fetchone() == counts
    assert counts is not None
    assert min(counts) > 0
    before = picture(database, home)
    ingest_now(database, settings, home, corpus()[2:3])
    assert picture(database, home) != before
