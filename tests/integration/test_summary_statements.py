"""What a refresh of summaries sends: statements that do not grow with the nodes, and plans that read no table
whole.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from sqlalchemy import URL

from app.db.database import Database
from app.db.engine import convert_to_conninfo
from app.db.session import OpenSession
from app.db.sql import load_statement
from app.derived.summaries import repository
from app.settings import Settings
from tests.conftest import Home
from tests.support.citus import PLANS
from tests.support.summaries import NOON, refresh_now, rows, take_in

pytestmark = pytest.mark.new_database("plans depend on the pages that deleted rows leave")

Call = tuple[str, dict[str, Any]]

# 5,000 nodes and 25,000 edges, one node in ten with a summary and one in a hundred changed; a hub of 1,500
# edges.
FILL = """
INSERT INTO graph_node (knowledge_space_id, id, canonical_name, node_type, mention_count, out_degree, in_degree)
SELECT %(space)s::uuid, md5(%(space)s || 'n' || i)::uuid, 'Node ' || i, 'Concept', 3, 3, 3 FROM generate_series(0, 4999) AS i;
INSERT INTO graph_edge (knowledge_space_id, id, from_node_id, to_node_id, relation_type, weight, metadata, extraction_key,
    evidence_chunk_id)
SELECT %(space)s::uuid, md5(%(space)s || 'e' || i)::uuid,
    md5(%(space)s || 'n' || CASE WHEN i < 1500 THEN 0 ELSE i %% 5000 END)::uuid,
    md5(%(space)s || 'n' || 1 + (i * 7) %% 4999)::uuid, 'uses', 0.5, '{"confidence": 0.9, "quote": "q"}', md5('k' || i)::uuid,
    md5(%(space)s || 'c' || i)::uuid
FROM generate_series(0, 24999) AS i;
INSERT INTO node_summary (knowledge_space_id, node_id, text, citations, written_by, facts_hash, vector_of,
    summarised_at, last_reason, looked_at, seen_claims, episodes, refreshed, skipped, due_at)
SELECT %(space)s::uuid, md5(%(space)s || 'n' || i)::uuid, 'x', '[]', 'rules', '', 0, now(), 'first', now(), '', 1, 1, 0,
    CASE WHEN i = 10 THEN '2026-01-01'::timestamptz END
FROM generate_series(0, 4999, 10) AS i;
INSERT INTO changed_node (knowledge_space_id, node_id, change)
SELECT %(space)s::uuid, md5(%(space)s || 'n' || i)::uuid, gen_random_uuid() FROM generate_series(0, 4999, 100) AS i;
INSERT INTO touched_nodes (knowledge_space_id, id, nodes)
SELECT %(space)s::uuid, gen_random_uuid(), array_agg(md5(%(space)s || 'n' || i)::uuid)
FROM generate_series(50, 4999, 100) AS i GROUP BY i %% 1000;
"""  # noqa: E501
LARGE = ("graph_node", "graph_edge", "node_summary")


@pytest.fixture
def calls() -> Iterator[list[Call]]:
    """Every named statement that is sent, with its parameters."""
    recorded: list[Call] = []
    original = OpenSession.run

    def run(self: OpenSession, name: str, parameters: Any = None, **options: Any) -> list[tuple[Any, ...]]:
        recorded.append((name, {**(parameters or {}), **self._get_scope_parameters()}))
        return original(self, name, parameters, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OpenSession, "run", run)
        yield recorded


def facts(nodes: int, *, thing: str) -> str:
    return "\n".join(
        f"[Firm{number}|Organization] {verb} [{thing}{verb}{number}|Product]."
        for number in range(nodes)
        for verb in ("owns", "uses", "provides")
    )


def sent(database: Database, settings: Settings, home: Home, calls: list[Call]) -> Counter[str]:
    calls.clear()
    refresh_now(database, settings, home)
    return Counter(name for name, _ in calls if name.startswith(("derived.summaries.", "tenancy.spaces.")))


def test_sixty_nodes_take_as_many_statements_as_six(
    database: Database, settings: Settings, home: Home, twin: Home, calls: list[Call]
) -> None:
    first = []
    for owner, nodes in ((home, 6), (twin, 60)):
        told = []
        for thing in ("Red", "Blue"):
            take_in(database, settings, owner, facts(nodes, thing=thing))
            told.append(sent(database, settings, owner, calls))
        count = "SELECT count(*)::int, sum(refreshed)::int FROM node_summary WHERE knowledge_space_id = %s"
        assert rows(database, owner, count) == [(nodes, 2 * nodes)]
        first.append(told)
    assert first[0] == first[1]
    assert max(sum(told.values()) for told in first[0]) <= 20


def test_nodes_beyond_a_batch_are_looked_at_by_the_next(
    database: Database, settings: Settings, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (repository.BATCH_NODES, repository.BATCH_FACTS) == (500, 20_000)
    monkeypatch.setattr(repository, "BATCH_NODES", 4)
    monkeypatch.setattr(repository, "BATCH_FACTS", 9)
    take_in(database, settings, home, facts(10, thing="Red"))
    steps: list[str] = []
    job = refresh_now(database, settings, home, checkpoint=steps.append)
    assert job.counts == {"looked": 10, "refreshed": 10, "skipped": 0}
    assert steps.count("saved") == 4


@pytest.fixture
def filled(database: Database, home: Home, privileged_url: URL) -> Home:
    """A space large enough for an index to matter."""
    with psycopg.connect(convert_to_conninfo(privileged_url), autocommit=True) as connection:
        with connection.transaction():
            connection.execute("SET LOCAL session_replication_role = replica")
            psycopg.ClientCursor(connection).execute(FILL, {"space": str(home.space_id)})
        connection.execute("VACUUM ANALYZE graph_node, graph_edge, node_summary, changed_node, touched_nodes")
    return home


def plan(database: Database, home: Home, call: Call, *, run: bool) -> str:
    """How Postgres answers the call; with `run` it does so and counts rows."""
    name, parameters = call
    how = b"(ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) " if run else b"(COSTS OFF) "
    with database.open_space(home.tenant_id, home.space_id) as space:
        client = psycopg.ClientCursor(space.connection)
        client.execute(b"EXPLAIN " + how + load_statement(name).encode(), parameters)
        return "\n".join(row[0] for row in client.fetchall())


def rows_read(shown: str, table: str) -> float:
    """Rows that the scans of a table returned or threw away, all loops together."""
    read = 0.0
    lines = shown.splitlines()
    for place, line in enumerate(lines):
        scan = re.search(rf"Scan .*?on {table}\b.*\(actual rows=([\d.]+) loops=(\d+)\)", line)
        if scan:
            removed = re.search(r"Rows Removed by Filter: (\d+)", "\n".join(lines[place + 1 : place + 5]))
            read += (float(scan[1]) + (float(removed[1]) if removed else 0)) * float(scan[2])
    return read


@pytest.mark.soak
@pytest.mark.one_machine(PLANS)
def test_looking_and_saving_read_what_changed_and_no_table_whole(
    database: Database, settings: Settings, filled: Home, calls: list[Call]
) -> None:
    """51 of 5,000 nodes, one of them a hub: its strongest 500 facts are read in the order of the index."""
    with database.open_space(filled.tenant_id, filled.space_id) as space:
        calls.clear()
        nodes = repository.list_next_nodes_to_evaluate(space, after=None, now=NOON)
        found = repository.list_strongest_facts_of_nodes(space, [node.id for node in nodes])
    assert len(nodes) == 51
    assert max(map(len, found.values())) >= 500
    looked, read = (plan(database, filled, call, run=True) for call in calls)
    for table in LARGE:
        assert f"Seq Scan on {table}" not in looked + read, looked + read
    for table in ("node_summary", "graph_node"):
        assert rows_read(looked, table) <= 4 * 51, (table, looked)
    total = sum(map(len, found.values()))
    # Once in the order of weights, and once for its quote.
    assert rows_read(read, "graph_edge") <= 2 * total, read
    assert rows_read(read, "graph_node") <= 2 * total, read
    calls.clear()
    refresh_now(database, settings, filled)
    saving = {call[0]: call for call in calls if call[0].startswith("derived.summaries.")}
    assert {
        "derived.summaries.write_summaries",
        "derived.summaries.write_episodes",
        "derived.summaries.drop_notes",
    } <= set(saving)
    assert "derived.summaries.merge_change_notes_by_node" in saving
    for name, call in saving.items():
        shown = plan(database, filled, call, run=False)
        for table in (*LARGE, "summary_episode"):
            assert f"Seq Scan on {table}" not in shown, (name, shown)
