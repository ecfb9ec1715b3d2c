"""Plans of memory's statements on data large enough to matter, as the application's role under row
security.
"""

import re
import secrets
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from sqlalchemy import URL

from app.db.database import Database
from app.db.engine import convert_to_conninfo, create_app_engine
from app.db.session import OpenSession
from app.db.sql import load_statement
from app.derived.eviction import policies, repository
from app.derived.eviction.shapes import Recalls
from app.ids import ChunkId, EdgeId
from app.settings import Settings
from benchmarks.data.retrieval import Space
from tests.conftest import Home, make_home
from tests.integration.test_retrieval_plans import rows_read
from tests.support.citus import PLANS
from tests.support.evictions import set_policy
from tests.support.pooler import as_app

pytestmark = [
    pytest.mark.slow,
    pytest.mark.one_machine(PLANS),
    pytest.mark.new_database("plans depend on the pages that deleted rows leave"),
]

CHUNKS, OTHERS, RECALLED = 600, 500, 100


@pytest.fixture(scope="module")
def library(admin_url: URL, template: str) -> Iterator[tuple[Database, Home]]:
    """A filled space beside another of like size."""
    name = f"citegraph_memory_{secrets.token_hex(6)}"
    with psycopg.connect(convert_to_conninfo(admin_url), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}".encode())
    url = admin_url.set(database=name)
    app_url = as_app(url).render_as_string(hide_password=False)
    database = Database(
        create_app_engine(app_url, Settings(database_url=app_url)), Settings(database_url=app_url)
    )
    homes = [make_home(database, tenant) for tenant in ("tenant-a", "tenant-b")]
    with psycopg.connect(convert_to_conninfo(url), autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        for home, chunks in zip(homes, (CHUNKS, OTHERS), strict=True):
            with connection.transaction():
                Space(connection, home.tenant_id, home.space_id, chunks=chunks, seed=chunks).fill()
        connection.execute(
            "INSERT INTO chunk_recall SELECT knowledge_space_id, id, 1, 0.5, now() FROM knowledge_chunk"
        )
        connection.execute(
            "INSERT INTO edge_recall SELECT knowledge_space_id, id, 1, 0.5, now() FROM graph_edge"
        )
        connection.execute("VACUUM ANALYZE")
    set_policy(database, homes[0], eviction="hybrid", eviction_ttl_days=1.0, eviction_max_chunks=400)
    yield database, homes[0]
    database.dispose()
    with psycopg.connect(convert_to_conninfo(admin_url), autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@pytest.fixture(scope="module")
def sent(library: tuple[Database, Home]) -> dict[str, dict[str, Any]]:
    """The parameters of every statement of memory, by its name."""
    database, home = library
    sent: dict[str, dict[str, Any]] = {}
    run = OpenSession.run

    def recorded(self: OpenSession, name: str, parameters: Any = None, **options: Any) -> Any:
        sent[name] = {**dict(parameters or {}), "space_id": home.space_id, "tenant_id": home.tenant_id}
        return run(self, name, parameters, **options)

    with pytest.MonkeyPatch.context() as patch, database.open_space(home.tenant_id, home.space_id) as space:
        patch.setattr(OpenSession, "run", recorded)
        ids = {
            table: [
                row[0]
                for row in space.connection.execute(
                    f"SELECT id FROM {table} WHERE knowledge_space_id = %s ORDER BY id LIMIT {RECALLED}".encode(),  # noqa: E501
                    [home.space_id],
                )
            ]
            for table in ("knowledge_chunk", "graph_edge")
        }
        repository.add_chunk_recalls(
            space, {ChunkId(chunk_id): Recalls(1, 1.0, 0.0) for chunk_id in ids["knowledge_chunk"]}
        )
        repository.add_edge_recalls(
            space, {EdgeId(edge_id): Recalls(1, 1.0, 0.0) for edge_id in ids["graph_edge"]}
        )
        chunks = [ChunkId(chunk_id) for chunk_id in ids["knowledge_chunk"]]
        repository.select_still_evictable_chunks(space, chunks, including_last_evidence=False)
        assert policies.list_evictable_chunks(space, including_last_evidence=True).evictable >= CHUNKS - 400
        assert policies.list_evictable_chunks(space).chunks == CHUNKS
    return sent


def plan_of(connection: psycopg.Connection[Any], name: str, parameters: dict[str, Any]) -> str:
    """What the statement does, as Postgres tells it."""
    client = psycopg.ClientCursor(connection)
    client.execute(
        b"EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) " + load_statement(name).encode(), parameters
    )
    return "\n".join(row[0] for row in client.fetchall())


@pytest.fixture(scope="module")
def plans(library: tuple[Database, Home], sent: dict[str, dict[str, Any]]) -> dict[str, str]:
    """What every statement of memory did, by its name."""
    database, home = library
    with database.open_space(home.tenant_id, home.space_id) as space:
        return {name: plan_of(space.connection, name, parameters) for name, parameters in sent.items()}


@pytest.mark.parametrize("name", ["record_chunks", "record_edges"])
def test_recalls_are_written_by_probes_in_the_order_of_their_ids(plans: dict[str, str], name: str) -> None:
    plan = plans[f"derived.eviction.{name}"]
    table = {"record_chunks": "knowledge_chunk", "record_edges": "graph_edge"}[name]
    assert rows_read(plan)[table] == RECALLED, plan
    assert f"Seq Scan on {table}" not in plan
    # Sorted before they are locked, one after the other: two flushes meet in one order.
    assert re.search(r"Nested Loop.*\n.*\n? *->  Sort", plan), plan
    assert plan.index("Sort Key: noted.id") < plan.index("LockRows"), plan


def test_choosing_reads_what_it_examines_and_of_its_edges_one_for_each_chunk(plans: dict[str, str]) -> None:
    """Chunks are counted, put in order, read, and each looks for a newer one and for one with an edge of its
    text.

    All but the count is bounded by what one plan examines: the space is smaller than that here.
    """
    plan = plans["derived.eviction.list_evictable_chunks"]
    read = rows_read(plan)
    assert "Seq Scan on graph_edge" not in plan, plan
    assert read["graph_edge"] <= 1.5 * CHUNKS, plan
    assert read["knowledge_chunk"] <= 7.5 * CHUNKS, plan
    assert read["chunk_recall"] <= 1.5 * (CHUNKS + OTHERS), plan


def test_a_batch_is_looked_at_by_probes(plans: dict[str, str]) -> None:
    plan = plans["derived.eviction.select_still_evictable_chunks"]
    read = rows_read(plan)
    assert read["knowledge_chunk"] <= 4 * RECALLED, plan
    assert read["graph_edge"] <= 1.5 * RECALLED, plan
    assert not re.search(r"Seq Scan on (knowledge_chunk|graph_edge)", plan), plan


@pytest.mark.parametrize(
    "name", ["derived.eviction.list_evictable_chunks", "derived.eviction.select_still_evictable_chunks"]
)
def test_edges_that_rest_on_one_chunk_are_not_gone_through_for_every_other(
    library: tuple[Database, Home], admin_url: URL, sent: dict[str, dict[str, Any]], name: str
) -> None:
    """A sample of edges in which all have one evidence must not lead the planner to look at all of them."""
    database, _ = library
    url = admin_url.set(database=database.engine.url.database)
    with psycopg.connect(convert_to_conninfo(url)) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute(
            "UPDATE graph_edge SET evidence_chunk_id = (SELECT min(id::text)::uuid FROM knowledge_chunk"
            " WHERE knowledge_space_id = %s)",
            [sent[name]["space_id"]],
        )
        connection.execute("ANALYZE graph_edge")
        plan = plan_of(connection, name, sent[name])
        connection.rollback()
    assert rows_read(plan)["graph_edge"] <= 1.5 * CHUNKS, plan


# Instead of all chunks of the space, many that share a few texts, some of the newest with an edge.
EQUAL = """
DELETE FROM graph_edge WHERE knowledge_space_id = %(space_id)s;
DELETE FROM chunk_recall WHERE knowledge_space_id = %(space_id)s;
DELETE FROM knowledge_chunk WHERE knowledge_space_id = %(space_id)s;
INSERT INTO knowledge_chunk (knowledge_space_id, id, document_id, ordinal, text, char_start, char_end, heading_path,
    token_count, content_hash, created_at)
SELECT %(space_id)s, uuidv7(), d.id, n, 'Page left blank.', n, n + 1, '{}', 4, md5((n %% %(texts)s)::text),
    now() - interval '2 days'
FROM (SELECT id FROM document WHERE knowledge_space_id = %(space_id)s LIMIT 1) AS d, generate_series(1, %(equal)s) AS n
ORDER BY n;
INSERT INTO graph_edge (knowledge_space_id, id, from_node_id, to_node_id, relation_type, weight, metadata,
    extraction_key, evidence_chunk_id)
SELECT %(space_id)s, uuidv7(), uuidv7(), uuidv7(), 'uses', 1, '{"confidence": 0.5}', uuidv7(), newest.id
FROM (SELECT id FROM knowledge_chunk WHERE knowledge_space_id = %(space_id)s ORDER BY id DESC LIMIT %(borne)s) AS newest;
ANALYZE knowledge_chunk;
ANALYZE graph_edge;
"""  # noqa: E501


@pytest.mark.parametrize("texts", [1, 20])
@pytest.mark.parametrize(
    "name", ["derived.eviction.list_evictable_chunks", "derived.eviction.select_still_evictable_chunks"]
)
def test_a_text_that_stands_in_many_chunks_is_read_once(
    library: tuple[Database, Home], admin_url: URL, sent: dict[str, dict[str, Any]], name: str, texts: int
) -> None:
    """Each of 3,000 equal chunks read all others: 13,500,000 rows. The newest of each text bears an edge."""
    database, home = library
    equal = 3_000
    with psycopg.connect(
        convert_to_conninfo(admin_url.set(database=database.engine.url.database))
    ) as connection:
        connection.execute("SET session_replication_role = replica")
        client = psycopg.ClientCursor(connection)
        client.execute(
            EQUAL.encode(), {"space_id": home.space_id, "equal": equal, "texts": texts, "borne": texts}
        )
        last = client.execute(
            "SELECT id FROM knowledge_chunk WHERE knowledge_space_id = %s ORDER BY id DESC LIMIT %s",
            [home.space_id, RECALLED],
        ).fetchall()
        parameters = {
            **sent[name],
            "chunks": [chunk_id for (chunk_id,) in last],
            "including_last_evidence": False,
        }
        plan = plan_of(connection, name, parameters)
        found = client.execute(load_statement(name).encode(), parameters).fetchall()
        connection.rollback()
    read = rows_read(plan)
    most = {"derived.eviction.list_evictable_chunks": 8, "derived.eviction.select_still_evictable_chunks": 3}[
        name
    ] * equal
    assert read["knowledge_chunk"] <= most, plan
    assert read["graph_edge"] <= 1.5 * texts, plan
    if name == "derived.eviction.list_evictable_chunks":
        assert found[0][:3] == (equal, equal - texts, texts)
    else:
        assert [chunk_id for (chunk_id,) in found] == sorted(chunk_id for (chunk_id,) in last[texts:])
