"""Every named statement keeps the rules of a Citus cluster (docs/citus.md), read by Postgres' own parser.

No cluster is needed, and none is here: this checks the text, as far as the text decides.
"""

import pglast
import pytest
from sqlalchemy import URL, inspect
from sqlalchemy.dialects import postgresql

from app.db.sql import list_statement_files, load_numbered_statement, load_statement, split_statements
from app.ids import JobId, SpaceId, create_id
from app.tenancy.spaces.repository import OWNED_TABLES, RowBatch
from tests.support.distributed_sql import faults_of, functions_of

NAMES = list(list_statement_files())

# Each with its reason. An entry that is no longer needed is a fault too.
ALLOWED = {
    "tenancy.tenants.read_sizes_of_tenants": (
        "the operator's page alone: sums over all spaces of a tenant, wherever they stand, beside its bills"
    ),
    "retrieval.nearest_chunks_indexed": (
        "sets how an index of one machine is searched; on a cluster no table has an index of a space's own"
    ),
    "retrieval.nearest_nodes_indexed": "the same for nodes",
    "graph.write.find_stored_pairs": "returns the age of a row, by the clock that wrote it",
}


@pytest.fixture(scope="module")
def volatility(module_url: URL) -> dict[str, str]:
    """How much each function of Postgres may change from call to call; of namesakes the one that may most."""
    return functions_of(module_url)


def test_every_statement_keeps_the_rules(volatility: dict[str, str]) -> None:
    faults = {}
    for name in NAMES:
        text, parameters = load_numbered_statement(name)
        faults[name] = faults_of(text.decode(), parameters, volatility)
    assert {name: found for name, found in faults.items() if found and name not in ALLOWED} == {}
    assert [name for name in ALLOWED if not faults[name]] == [], "allowed what they no longer do"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("SELECT 1 FROM graph_edge WHERE id = $2", "not read by its space"),
        ("SELECT 1 FROM graph_edge WHERE knowledge_space_id = $1 OR id = $2", "not read by its space"),
        (
            "SELECT 1 FROM graph_edge e JOIN graph_node n ON n.id = e.to_node_id"
            " WHERE e.knowledge_space_id = $1",
            "graph_node is not read by its space",
        ),
        (
            "SELECT 1 FROM graph_edge WHERE knowledge_space_id = $1"
            " AND EXISTS (SELECT 1 FROM graph_node n WHERE n.id = from_node_id)",
            "graph_node is not read by its space",
        ),
        ("DELETE FROM graph_edge USING graph_node n WHERE n.knowledge_space_id = $1", "graph_edge"),
        (
            "WITH gone AS (DELETE FROM graph_edge WHERE id = $2 RETURNING id) SELECT id FROM gone",
            "graph_edge is not read by its space",
        ),
        (
            "SELECT (SELECT s.id FROM knowledge_space s) FROM graph_edge WHERE knowledge_space_id = $1",
            "knowledge_space of the coordinator",
        ),
        (
            "INSERT INTO node_tag (knowledge_space_id, tag) SELECT $1, t.tag FROM unnest($2::text[]) t(tag)",
            "whose space is no column",
        ),
        (
            "INSERT INTO node_tag AS n (knowledge_space_id, node_id) SELECT a.knowledge_space_id, a.node_id"
            " FROM node_name a WHERE a.knowledge_space_id = $1 RETURNING node_id",
            "without its table",
        ),
        (
            "INSERT INTO touched_nodes (knowledge_space_id, id) SELECT knowledge_space_id, gen_random_uuid()"
            " FROM graph_node WHERE knowledge_space_id = $1",
            "gen_random_uuid() for each row",
        ),
        (
            "UPDATE graph_node SET last_seen_at = coalesce(now()) WHERE knowledge_space_id = $1",
            "now() in what an UPDATE sets",
        ),
        (
            "UPDATE graph_node SET confidence = random() WHERE knowledge_space_id = $1",
            "random() in what an UPDATE sets",
        ),
        (
            "INSERT INTO node_tag (knowledge_space_id) VALUES ($1) ON CONFLICT DO UPDATE SET a = now()",
            "now() in what a conflict sets",
        ),
        (
            "UPDATE graph_node SET confidence = 1 WHERE knowledge_space_id = $1"
            " AND concat(canonical_name, 'x') ~ 'y'",
            "concat() of a column in what chooses the rows of an UPDATE",
        ),
        ("SELECT set_config('hnsw.ef_search', '100', true)", "SET LOCAL"),
        (
            "WITH gone AS (DELETE FROM node_tag WHERE knowledge_space_id = $1)"
            " INSERT INTO node_name (knowledge_space_id, node_id)"
            " SELECT knowledge_space_id, id FROM graph_node WHERE knowledge_space_id = $1",
            "gone changes rows in a CTE",
        ),
        (
            "WITH added AS (INSERT INTO node_tag (knowledge_space_id) VALUES ($1) RETURNING 1)"
            " SELECT count(*) FROM added",
            "INSERT into node_tag in a CTE",
        ),
        (
            "UPDATE graph_node SET metadata = t.votes FROM (SELECT n.id, CASE WHEN n.id IS NULL THEN '{}'"
            " ELSE jsonb_build_object('a', n.id) END AS votes FROM graph_node AS n"
            " WHERE n.knowledge_space_id = $1) AS t"
            " WHERE graph_node.knowledge_space_id = $1 AND graph_node.id = t.id",
            "jsonb_build_object() in CASE or COALESCE",
        ),
        (
            "SELECT CASE status WHEN 'staged' THEN 1 END FROM graph_edge WHERE knowledge_space_id = $1",
            "CASE … WHEN value",
        ),
        (
            "DELETE FROM node_tag WHERE knowledge_space_id = $1 AND (knowledge_space_id, node_id) IN"
            " (SELECT knowledge_space_id, node_id FROM node_tag WHERE knowledge_space_id = $1 LIMIT 10)",
            "(a, b) IN (SELECT",
        ),
        (
            "SELECT extract(epoch FROM valid_from - now()) FROM graph_edge WHERE knowledge_space_id = $1",
            "now() in a result",
        ),
    ],
)  # fmt: skip
def test_a_statement_that_breaks_a_rule_is_seen(text: str, fault: str, volatility: dict[str, str]) -> None:
    complete = text.replace("ON CONFLICT DO UPDATE", "ON CONFLICT (node_id) DO UPDATE")
    assert any(fault in problem for problem in faults_of(complete, ("space_id", "other"), volatility))


def test_a_space_is_emptied_by_statements_that_a_cluster_takes(volatility: dict[str, str]) -> None:
    """No file holds these: they are made for each table."""
    space_id = SpaceId(create_id())
    dialect = postgresql.dialect()  # type: ignore[no-untyped-call]
    faults = {}
    for owned in OWNED_TABLES:
        batch = RowBatch(owned, space_id, JobId(create_id()))
        last_key = [None for _ in inspect(owned).primary_key]
        for statement in (batch.build_last_key_query(10), batch.build_deletion(last_key)):
            text = str(statement.compile(dialect=dialect, compile_kwargs={"literal_binds": True}))
            assert text.count(f"'{space_id}'") == 1
            text = text.replace(f"'{space_id}'", "$1")
            faults[text.split()[0], owned] = faults_of(text, ("space_id",), volatility)
    assert len(faults) == 2 * len(OWNED_TABLES)
    assert {f"{verb} {owned.__name__}": found for (verb, owned), found in faults.items() if found} == {}


def test_a_space_may_come_from_a_table_that_has_it(volatility: dict[str, str]) -> None:
    text = (
        "SELECT 1 FROM graph_edge e JOIN graph_node n"
        " ON n.knowledge_space_id = e.knowledge_space_id AND n.id = e.to_node_id"
        " WHERE e.knowledge_space_id = $1::uuid"
    )
    assert faults_of(text, ("space_id",), volatility) == []


def test_files_of_several_statements_are_sent_one_by_one_there() -> None:
    """Their statements are found by the ends of lines, so each file must have them there."""
    for name in NAMES:
        text = load_statement(name)
        whole = pglast.split(load_numbered_statement(name)[0].decode())
        if len(whole) > 1:
            assert len(split_statements(text)) == len(whole), name
