"""Examine the nodes, tables, shards and query routes of a cluster for `citegraph doctor`."""

import re
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import psycopg

from app.db.doctor.node_walls import NODE, examine_nodes
from app.db.doctor.table_verdicts import TableVerdict
from app.db.sql import list_statement_files, load_statement, split_statements
from app.db.table_distribution import DISTRIBUTED, SHARDED, SPACE_ID

Connection = psycopg.Connection[tuple[Any, ...]]
# Any space will do: the query must go to one shard.
EXAMPLE_SPACE_ID = UUID(int=1)
# Statements across spaces, which no single shard can answer.
CROSS_SPACE_STATEMENTS = {"tenancy.tenants.read_sizes_of_tenants"}
_REPAIR = "see docs/citus.md, and the statements of `citegraph distribute`"


def examine_cluster(connection: Connection) -> list[TableVerdict]:
    """Return a verdict on each node, shard and route, read on the coordinator by any role.

    Reads within the connection's transaction. Policies, keys, triggers and functions of the coordinator
    itself are compared with what `distribute` creates by the rest of `citegraph doctor`.
    """
    verdicts = [
        *_examine_node_list(connection),
        *_examine_distributed_tables(connection),
        *examine_nodes(connection),
    ]
    if not any(verdict.problems for verdict in verdicts if verdict.wall == NODE):
        # A dead node would fail every statement.
        verdicts += _examine_query_routes(connection)
    return verdicts


def list_statements_on_distributed_tables() -> list[str]:
    """Return the names of all named SQL statements that use distributed tables."""
    table = re.compile(rf"\b(?:{'|'.join(sorted(DISTRIBUTED))})\b")
    return [
        name
        for name in list_statement_files()
        if not name.startswith("db.")
        and name not in CROSS_SPACE_STATEMENTS
        and table.search(load_statement(name))
    ]


def build_explain_queries(statement_name: str) -> list[str]:
    """Return the parts of a named statement for EXPLAIN, with a space's id and NULL for other parameters.

    Booleans are false and `tag` has a value: where NULL removes a table from the plan, its shard is unknown.
    """
    example_id = f"'{EXAMPLE_SPACE_ID}'::uuid"
    example_values = {
        **dict.fromkeys(("space_id", "tenant_id", "job"), example_id),
        "dimensions": "256",
        "tag": "'mark'",
    }
    text = re.sub(r"%\(\w+\)s(?=::bool\b(?!\[))", "false", load_statement(statement_name))
    text = re.sub(r"%\((\w+)\)s", lambda match: example_values.get(match[1], "NULL"), text).replace("%%", "%")
    return [
        command for command in split_statements(text) if not command.startswith(("SET ", "SELECT set_config"))
    ]


def find_max_shard_tasks(plan: object) -> int:
    """Return the most shard tasks of the plan: 1 is one shard, more several, 0 the coordinator itself."""
    if isinstance(plan, dict):
        children = [find_max_shard_tasks(child) for child in plan.values()]
        return max([int(plan.get("Task Count", 0)), *children])
    if isinstance(plan, list):
        return max(map(find_max_shard_tasks, plan), default=0)
    return 0


def _examine_node_list(connection: Connection) -> Iterator[TableVerdict]:
    nodes = connection.execute(
        "SELECT nodename, nodeport, isactive FROM pg_dist_node ORDER BY nodeid"
    ).fetchall()
    if not nodes:
        yield TableVerdict("nodes", NODE, ("the cluster has no nodes: SELECT citus_add_node(host, port)",))
    for name, port, is_active in nodes:
        problems = () if is_active else ("is not active: SELECT citus_activate_node(…)",)
        yield TableVerdict(f"node {name}:{port}", NODE, problems)


def _examine_distributed_tables(connection: Connection) -> Iterator[TableVerdict]:
    tables = sorted(SHARDED)
    rows = connection.execute(load_statement("db.cluster_tables").encode(), {"tables": tables}).fetchall()
    colocation_id = next((row[3] for row in rows if row[0] == "graph_node"), None)
    for table, method, column, colocation, local_bytes in rows:
        problems = []
        if method != "h":
            problems.append(f"is not distributed: {_REPAIR}")
        else:
            if column != SPACE_ID:
                problems.append(f"is distributed by {column}, not by {SPACE_ID}: {_REPAIR}")
            if colocation != colocation_id:
                problems.append(f"is not colocated with graph_node: {_REPAIR}")
            if local_bytes:
                problems.append(
                    f"{local_bytes} bytes of it remain on the coordinator, including erased data:"
                    f" SELECT truncate_local_data_after_distributing_table('public.{table}')"
                )
        yield TableVerdict(table, "distributed", tuple(problems))


def _examine_query_routes(connection: Connection) -> Iterator[TableVerdict]:
    """Check that every statement on content goes only to the shard of its space."""
    for name in list_statements_on_distributed_tables():
        problems = []
        for query in build_explain_queries(name):
            try:
                with connection.transaction():
                    plan_row = connection.execute(f"EXPLAIN (FORMAT JSON) {query}".encode()).fetchone()
            except psycopg.DatabaseError as error:
                problems.append(f"is refused: {str(error).splitlines()[0]}")
                continue
            tasks = find_max_shard_tasks(list(plan_row or ()))
            if tasks > 1:
                problems.append(f"goes to {tasks} shards, although one has all the rows that it needs")
        yield TableVerdict(name, "route", tuple(problems))
