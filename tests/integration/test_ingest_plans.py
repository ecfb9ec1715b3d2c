"""Plans of ingest where Postgres knows nothing of its tables, as in a space that grows fast (issue 14, 2)."""

import json
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import URL

from app.db.database import Database
from app.db.engine import convert_to_conninfo
from app.db.session import SpaceSession
from app.db.sql import load_numbered_statements_of_file
from tests.conftest import Home
from tests.integration.test_ingest_statements import FILL
from tests.support.citus import PLANS
from tests.support.sampling import sampled

pytestmark = [
    pytest.mark.slow,
    pytest.mark.one_machine(PLANS),
    pytest.mark.new_database("plans depend on the pages that deleted rows leave"),
]

# A hub that 3,000 nodes use, a claim that 3,000 passages state, three keys for each node, a verdict for
# each tenth; nothing is analysed.
MORE = """
INSERT INTO graph_edge (knowledge_space_id, id, from_node_id, to_node_id, relation_type, weight,
    evidence_chunk_id, metadata, extraction_key, status)
SELECT %(space)s::uuid, md5('h' || i)::uuid, md5('n' || i)::uuid, md5('n0')::uuid,
    'uses', 0.5, md5('c' || 1 + i)::uuid, '{"confidence": 0.9}', md5('hk' || i)::uuid, 'staged'
FROM generate_series(1, 3000) AS i;
INSERT INTO graph_edge (knowledge_space_id, id, from_node_id, to_node_id, relation_type, weight,
    evidence_chunk_id, metadata, extraction_key, status)
SELECT %(space)s::uuid, md5('s' || i)::uuid, md5('n1')::uuid, md5('n2')::uuid,
    'uses', 0.5, NULL, '{"confidence": 0.9}', md5('sk' || i)::uuid, 'confirmed'
FROM generate_series(1, 3000) AS i;
INSERT INTO node_name_key (knowledge_space_id, key, node_id)
SELECT %(space)s::uuid, kind || (i / 4)::text, md5('n' || i)::uuid
FROM generate_series(0, 9999) AS i, unnest('{=,@,^}'::text[]) AS kind;
INSERT INTO node_pair_verdict (knowledge_space_id, name_a, type_a, name_b, type_b, same, decided_by, reason,
    confidence)
SELECT %(space)s::uuid, 'node ' || i, 'Concept', 'node ' || i + 1, 'Concept', false, 'rules', '', 1
FROM generate_series(0, 9999, 10) AS i;
UPDATE knowledge_chunk SET message_id = '<' || id || '>' WHERE knowledge_space_id = %(space)s::uuid;
"""
SOME = 40


def some(column: str) -> list[str]:
    """Ids as the filling made them, of what the statements are asked about."""
    return [f"{column}{number}" for number in range(100, 100 + SOME)]


@pytest.fixture
def space(database: Database, home: Home, privileged_url: URL) -> Iterator[SpaceSession]:
    """A large space of whose tables nothing is known, open as ingest opens it."""
    with psycopg.connect(convert_to_conninfo(privileged_url), autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        for command in (FILL + MORE).split(";\n")[:-1]:
            connection.execute(command.encode(), {"space": str(home.space_id)})
    with database.open_space(home.tenant_id, home.space_id, by_index=True) as opened:
        yield opened
        opened.connection.rollback()


def parameters(space: SpaceSession) -> dict[str, dict[str, Any]]:
    """What each statement is sent for a batch of 40 nodes, chunks, names, or uses of the hub."""

    def ids(column: str) -> list[Any]:
        rows = space.connection.execute(
            "SELECT array_agg(md5(t)::uuid) FROM unnest(%s::text[]) AS t", [some(column)]
        )
        return list(rows.fetchone()[0])  # type: ignore[index]

    nodes, hub = ids("n"), ids("n0")
    (end, *stated) = space.connection.execute(
        "SELECT md5('n0')::uuid, md5('n1')::uuid, md5('n2')::uuid"
    ).fetchone()  # type: ignore[misc]
    hub = [end] * SOME
    names = [f"node {number}" for number in range(100, 100 + SOME)]
    return {
        "documents.find_mails": {"message_ids": [f"<{chunk_id}>" for chunk_id in ids("c")]},
        "graph.write.confirm_edges": {"keys": ids("hk")},
        "graph.find_denied_or_ended_claims": {
            "from_nodes": [*nodes, stated[0]],
            "relations": ["uses"] * (SOME + 1),
            "to_nodes": [*hub, stated[1]],
        },
        "graph.write.list_facts_without_vector": {"chunks": ids("c"), "vector_set": 0},
        "graph.write.list_pairs_with_common_likely_key": {"chunks": ids("c"), "widest": 20, "limit": 5_000},
        "graph.write.get_names_of_nodes": {"nodes": nodes},
        "graph.write.get_keys_of_nodes": {"nodes": nodes},
        "graph.write.get_nodes_with_names_and_keys": {"nodes": nodes},
        "graph.write.get_names_to_compare": {"nodes": nodes},
        "graph.write.list_nodes_by_full_name": {"names": names},
        "graph.write.list_nodes_by_spelling_key": {"keys": [f"={number}" for number in range(25, 25 + SOME)]},
        "graph.write.list_verdicts_on_names": {"names": names},
    }


def read(plan: dict[str, Any]) -> float:
    """The most rows that a node of the plan read, given or dropped, all its loops together."""
    dropped = sum(value for key, value in plan.items() if key.startswith("Rows Removed"))
    own = float((plan["Actual Rows"] + dropped) * plan["Actual Loops"])
    return max([own, *(read(child) for child in plan.get("Plans", ()))])


@pytest.mark.parametrize("mode", sampled(["force_generic_plan", "force_custom_plan"], every=2))
def test_no_look_up_reads_much_more_than_it_returns(space: SpaceSession, mode: str) -> None:
    """For its values or for all: 40 are looked up, each has some rows, and the space has 10,000 nodes."""
    space.connection.execute(f"SET LOCAL plan_cache_mode = {mode}".encode())
    faults = {}
    for name, given in parameters(space).items():
        values = {**given, "space_id": space.space_id}
        for text, order in load_numbered_statements_of_file(name):
            cursor = psycopg.ClientCursor(space.connection)
            cursor.execute(b"PREPARE looked_at AS " + text)
            literals = ", ".join(
                sql.Literal(values[parameter]).as_string(space.connection) for parameter in order
            )
            explain = f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) EXECUTE looked_at({literals})"
            (answer,) = cursor.execute(explain.encode()).fetchone() or ("",)
            cursor.execute("DEALLOCATE looked_at")
            found = answer if isinstance(answer, list) else json.loads(answer)
            if (most := read(found[0]["Plan"])) > 40 * SOME:
                faults[name] = most
    assert faults == {}
