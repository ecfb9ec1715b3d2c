"""The examination behind `citegraph doctor --citus`: nodes, roles, tables, keys, functions and routes."""

import re
from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

import psycopg

from app.db.doctor.examination import OK, PROBLEM, DoctorReport, Verdict
from app.db.doctor.snapshot import expected_catalogue
from app.db.engine import as_conninfo, as_psycopg
from app.db.roles import APP, HAS_CITUS, INSPECT, MIGRATOR, OWNER
from app.db.scaling.distribute import ANCHOR, plan, replaced_functions
from app.db.scaling.node_walls import examine_nodes
from app.db.scaling.table_classes import DISTRIBUTED, SPACE_ID
from app.db.sql import statement, statement_files, statements_of
from app.errors import ConfigurationError

Connection = psycopg.Connection[tuple[Any, ...]]
# Any space: whichever it is, its shard is one.
SOME_SPACE = UUID(int=1)
# Work across spaces, which no shard alone can answer.
ACROSS = {"tenancy.tenants.sizes_of_tenants"}
_ADDED = re.compile(r"ADD CONSTRAINT (\w+) ")
_CREATED = re.compile(r"CREATE (?:OR REPLACE )?(?:TRIGGER|FUNCTION) (?:public\.)?\"?(\w+)\"?")
_TABLE = re.compile(r" ON public\.(\w+) ")
_MEND = "see docs/citus.md, and the statements of `citegraph distribute`"


def examine_cluster(url: str) -> DoctorReport:
    """A verdict on each part of the layout, read on the coordinator at this superuser's URL.

    Raises ConfigurationError where the database is no Citus cluster.
    """
    with psycopg.connect(as_conninfo(as_psycopg(url)), autocommit=True) as connection:
        installed = connection.execute(f"SELECT {HAS_CITUS}".encode())
        if installed.fetchone() != (True,):
            raise ConfigurationError("Citus is not installed in that database.")
        verdicts = [
            *_nodes(connection),
            *_roles(connection),
            *_tables(connection),
            *_parts(connection),
            *_functions(connection),
            *examine_nodes(connection),
            *_routes(connection),
        ]
    return DoctorReport(tuple(verdicts))


def hot_statements() -> list[str]:
    """The names of all named statements that touch content."""
    table = re.compile(rf"\b(?:{'|'.join(sorted(DISTRIBUTED))})\b")
    return [
        name
        for name in statement_files()
        if not name.startswith("db.") and name not in ACROSS and table.search(statement(name))
    ]


def explainable(name: str) -> list[str]:
    """Each of its statements with a space's id in it and NULL for what is asked for, to be explained."""
    example_id = f"'{SOME_SPACE}'::uuid"
    example_values = {"space_id": example_id, "tenant_id": example_id, "job": example_id, "dimensions": "256"}
    text = re.sub(
        r"%\((\w+)\)s", lambda match: example_values.get(match[1], "NULL"), statement(name)
    ).replace("%%", "%")
    return [
        command for command in statements_of(text) if not command.startswith(("SET ", "SELECT set_config"))
    ]


def tasks_of(explained: object) -> int:
    """The tasks that the plan gives to shards: one is one shard, more are spread, none stays on the node."""
    most_tasks = 0

    def walk(node: object) -> None:
        nonlocal most_tasks
        if isinstance(node, dict):
            most_tasks = max(most_tasks, int(node.get("Task Count", 0)))
            for child in node.values():
                walk(child)
        elif isinstance(node, list):
            for child in node:
                walk(child)

    walk(explained)
    return most_tasks


def _verdict(subject: str, wall: str, problems: Sequence[str]) -> Verdict:
    return Verdict(subject, wall, PROBLEM if problems else OK, tuple(problems))


def _nodes(connection: Connection) -> Iterator[Verdict]:
    nodes = connection.execute(
        "SELECT nodename, nodeport, isactive FROM pg_dist_node ORDER BY nodeid"
    ).fetchall()
    if not nodes:
        yield _verdict("nodes", "cluster", ["the cluster has no node: SELECT citus_add_node(host, port)"])
    for name, port, active in nodes:
        problems = [] if active else ["is not active: SELECT citus_activate_node(…)"]
        yield _verdict(f"node {name}:{port}", "cluster", problems)


def _roles(connection: Connection) -> Iterator[Verdict]:
    rows = connection.execute(
        statement("db.cluster_roles").encode(), {"roles": [OWNER, MIGRATOR, APP, INSPECT]}
    ).fetchall()
    for role, may_login, propagates in rows:
        problems = []
        if role in (OWNER, MIGRATOR) and not may_login:
            problems.append(f"cannot log in, and no shard can be moved: ALTER ROLE {role} LOGIN")
        if role in (APP, INSPECT) and not propagates:
            problems.append(
                "the space of its transactions does not reach the workers: ALTER ROLE"
                f" {role} SET citus.propagate_set_commands = 'local'"
            )
        yield _verdict(f"role {role}", "cluster", problems)


def _tables(connection: Connection) -> Iterator[Verdict]:
    tables = sorted(DISTRIBUTED | {ANCHOR})
    rows = connection.execute(statement("db.cluster_tables").encode(), {"tables": tables}).fetchall()
    beside = next((row[3] for row in rows if row[0] == "graph_node"), None)
    for table, method, column, colocation, local_bytes in rows:
        problems = []
        if method != "h":
            problems.append(f"is not distributed: {_MEND}")
        else:
            if column != SPACE_ID:
                problems.append(f"is distributed by {column}, not by {SPACE_ID}: {_MEND}")
            if colocation != beside:
                problems.append(f"is not colocated with graph_node: {_MEND}")
            if local_bytes:
                problems.append(
                    f"{local_bytes} bytes of it are left on the coordinator, also of what is erased:"
                    f" SELECT truncate_local_data_after_distributing_table('public.{table}')"
                )
        yield _verdict(table, "distributed", problems)


def _parts(connection: Connection) -> Iterator[Verdict]:
    """The foreign keys and triggers of content are those of the plan: no more, no fewer."""
    tables = sorted(DISTRIBUTED | {"knowledge_space"})
    rows = connection.execute(statement("db.cluster_parts").encode(), {"tables": tables}).fetchall()
    existing_parts = {(table, name): definition for table, name, definition in rows}
    expected_parts = {}
    for step in plan():
        if step.phase == "keys" and (key := _ADDED.search(step.sql)):
            expected_parts[(step.sql.split()[2].removeprefix("public."), key[1])] = step.sql
        elif step.phase == "triggers" and (trigger_match := _CREATED.search(step.sql)):
            table_match = _TABLE.search(step.sql)
            expected_parts[(table_match[1] if table_match else "", trigger_match[1])] = step.sql
    for table in tables:
        problems = [
            f"has no {name}: {sql}"
            for (of, name), sql in sorted(expected_parts.items())
            if of == table and (of, name) not in existing_parts
        ]
        if table != "knowledge_space":
            problems += [
                f"has a {name} that no cluster can keep: {definition}"
                for (of, name), definition in sorted(existing_parts.items())
                if of == table and (of, name) not in expected_parts
            ]
        problems += [
            f"{name} empties columns of the space's key: {_MEND}"
            for (of, name), definition in sorted(existing_parts.items())
            if of == table and "ON DELETE SET NULL" in definition
        ]
        yield _verdict(table, "keys and triggers", problems)


def _functions(connection: Connection) -> Iterator[Verdict]:
    for signature, body in sorted(replaced_functions(expected_catalogue()).items()):
        row = connection.execute(
            "SELECT prosrc FROM pg_proc WHERE oid = to_regprocedure(%s)", [f"public.{signature}"]
        ).fetchone()
        source = body.split("$$", 1)[1].rsplit("$$", 1)[0]
        same = row is not None and row[0].split() == source.split()
        yield _verdict(signature, "function", [] if same else [f"is not as a worker can run it: {_MEND}"])


def _routes(connection: Connection) -> Iterator[Verdict]:
    """Every statement on content goes to the shard of its space alone."""
    for name in hot_statements():
        problems = []
        for query in explainable(name):
            try:
                (plan_of,) = connection.execute(f"EXPLAIN (FORMAT JSON) {query}".encode()).fetchone() or (
                    "[]",
                )
            except psycopg.DatabaseError as error:
                problems.append(f"is refused: {str(error).splitlines()[0]}")
                continue
            tasks = tasks_of(plan_of)
            if tasks > 1:
                problems.append(f"goes to {tasks} shards, where one has all that it asks for")
        yield _verdict(name, "route", problems)
