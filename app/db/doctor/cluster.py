"""The nodes, tables, shards and routes of a cluster, as `citegraph doctor` examines them beside the rest."""

import re
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import psycopg

from app.db.doctor.node_walls import NODE, examine_nodes
from app.db.doctor.table_walls import TableVerdict
from app.db.sql import list_statement_files, load_statement, split_statements
from app.db.table_distribution import DISTRIBUTED, SHARDED, SPACE_ID

Connection = psycopg.Connection[tuple[Any, ...]]
# Any space: whichever it is, its shard is one.
EXAMPLE_SPACE_ID = UUID(int=1)
# Work across spaces, which no shard alone can answer.
CROSS_SPACE_STATEMENTS = {"tenancy.tenants.sizes_of_tenants"}
_REPAIR = "see docs/citus.md, and the statements of `citegraph distribute`"


def examine_cluster(connection: Connection) -> list[TableVerdict]:
    """A verdict on each node, shard and route, read on the coordinator as whoever may read the catalogue.

    Reads within the transaction that the connection is in. Policies, keys, triggers and functions of the
    coordinator itself are compared by `citegraph doctor` with what `distribute` makes.
    """
    verdicts = [*_examine_node_list(connection), *_examine_tables(connection), *examine_nodes(connection)]
    if not any(verdict.problems for verdict in verdicts if verdict.wall == NODE):
        # A dead node would be said of each statement that it answers.
        verdicts += _examine_routes(connection)
    return verdicts


def list_content_statements() -> list[str]:
    """The names of all named statements that touch content."""
    table = re.compile(rf"\b(?:{'|'.join(sorted(DISTRIBUTED))})\b")
    return [
        name
        for name in list_statement_files()
        if not name.startswith("db.")
        and name not in CROSS_SPACE_STATEMENTS
        and table.search(load_statement(name))
    ]


def build_explain_queries(name: str) -> list[str]:
    """Each of its statements with a space's id in it and NULL for what is asked for, to be explained.

    What is true or false is false, and a reader has a mark: where NULL takes a table out of the plan, nobody
    knows its shard.
    """
    example_id = f"'{EXAMPLE_SPACE_ID}'::uuid"
    example_values = {
        **dict.fromkeys(("space_id", "tenant_id", "job"), example_id),
        "dimensions": "256",
        "tag": "'mark'",
    }
    text = re.sub(r"%\(\w+\)s(?=::bool\b(?!\[))", "false", load_statement(name))
    text = re.sub(r"%\((\w+)\)s", lambda match: example_values.get(match[1], "NULL"), text).replace("%%", "%")
    return [
        command for command in split_statements(text) if not command.startswith(("SET ", "SELECT set_config"))
    ]


def max_shard_tasks(plan: object) -> int:
    """The tasks that the plan gives to shards: one is one shard, more are spread, none stays on the node."""
    if isinstance(plan, dict):
        children = [max_shard_tasks(child) for child in plan.values()]
        return max([int(plan.get("Task Count", 0)), *children])
    if isinstance(plan, list):
        return max(map(max_shard_tasks, plan), default=0)
    return 0


def _examine_node_list(connection: Connection) -> Iterator[TableVerdict]:
    nodes = connection.execute(
        "SELECT nodename, nodeport, isactive FROM pg_dist_node ORDER BY nodeid"
    ).fetchall()
    if not nodes:
        yield TableVerdict("nodes", NODE, ("the cluster has no node: SELECT citus_add_node(host, port)",))
    for name, port, active in nodes:
        problems = () if active else ("is not active: SELECT citus_activate_node(…)",)
        yield TableVerdict(f"node {name}:{port}", NODE, problems)


def _examine_tables(connection: Connection) -> Iterator[TableVerdict]:
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
                    f"{local_bytes} bytes of it are left on the coordinator, also of what is erased:"
                    f" SELECT truncate_local_data_after_distributing_table('public.{table}')"
                )
        yield TableVerdict(table, "distributed", tuple(problems))


def _examine_routes(connection: Connection) -> Iterator[TableVerdict]:
    """Every statement on content goes to the shard of its space alone."""
    for name in list_content_statements():
        problems = []
        for query in build_explain_queries(name):
            try:
                with connection.transaction():
                    explained = connection.execute(f"EXPLAIN (FORMAT JSON) {query}".encode()).fetchone()
            except psycopg.DatabaseError as error:
                problems.append(f"is refused: {str(error).splitlines()[0]}")
                continue
            tasks = max_shard_tasks(list(explained or ()))
            if tasks > 1:
                problems.append(f"goes to {tasks} shards, where one has all that it asks for")
        yield TableVerdict(name, "route", tuple(problems))
