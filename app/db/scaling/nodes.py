"""The nodes of a Citus cluster: their state and content, and adding one."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import psycopg

from app.db.engine import build_timeout_command, convert_to_conninfo, convert_to_psycopg_url, send_commands
from app.db.roles import HAS_CITUS_CONDITION, OWNER
from app.db.sql import load_statement
from app.errors import ConfigurationError

Connection = psycopg.Connection[tuple[Any, ...]]
CONNECT_SECONDS = 2.0
"""Seconds in which a node must accept the coordinator's connection; Citus itself waits half a minute."""
ANSWER_SECONDS = 10.0
"""Seconds in which all nodes must answer: a frozen node reports nothing."""
# The last setting ends a running command if its client was killed.
_SESSION_COMMANDS = (
    "SET statement_timeout = 0",
    "SET lock_timeout = 0",
    "SET client_min_messages = error",
    "SET client_connection_check_interval = '2s'",
)


_CLOSED_FUNCTIONS_QUERY = """
SELECT p.oid::regprocedure::text FROM pg_proc AS p
WHERE p.pronamespace = 'public'::regnamespace AND p.prokind = 'f'
  AND NOT has_function_privilege('public', p.oid, 'EXECUTE')
ORDER BY 1
"""


@dataclass(frozen=True, slots=True)
class ClusterNode:
    """One node; `reason` says why it does not answer, in which case `bytes` and `logical` are None.

    `spaces` is None unless the reader is a superuser, because row-level security hides them. `logical` says
    whether wal_level allows moves during writes, `owner_bypasses` whether a move to it is running, or was
    killed before it revoked BYPASSRLS.
    """

    id: int
    name: str
    coordinator: bool
    answers: bool
    reason: str
    takes_shards: bool
    shards: int
    spaces: int | None
    bytes: int | None
    logical: bool | None
    owner_bypasses: bool


@contextmanager
def connect_to_coordinator(url: str) -> Iterator[Connection]:
    """Connect to the coordinator of a distributed database, in autocommit mode, as a superuser.

    Raises ConfigurationError if the login is not a superuser or the database is not a cluster's, and for
    errors of Citus inside the block.
    """
    try:
        connection = psycopg.connect(
            convert_to_conninfo(convert_to_psycopg_url(url)), autocommit=True, connect_timeout=5
        )
    except psycopg.OperationalError as error:
        reason = str(error).splitlines()[0]
        raise ConfigurationError(
            f"The coordinator at CITEGRAPH_CLUSTER_URL cannot be reached: {reason}"
        ) from error
    with connection:
        try:
            _check_cluster_and_prepare_session(connection)
            yield connection
        except psycopg.DatabaseError as error:
            reason = str(error).splitlines()[0]
            raise ConfigurationError(f"The coordinator refused this: {reason}.") from error


def _check_cluster_and_prepare_session(connection: Connection) -> None:
    query = (
        f"SELECT {HAS_CITUS_CONDITION}, rolname::text, rolsuper"  # noqa: S608
        " FROM pg_roles WHERE rolname = current_user"
    )
    row = connection.execute(query.encode()).fetchone()
    assert row is not None
    has_citus, login, is_superuser = row
    if not has_citus:
        raise ConfigurationError(
            "That database is not a Citus cluster. docs/citus.md says when a cluster helps and how to set"
            " one up."
        )
    if not is_superuser:
        raise ConfigurationError(
            f"The login {login} of CITEGRAPH_CLUSTER_URL is not a superuser, which Citus requires to manage"
            " nodes."
        )
    for command in _SESSION_COMMANDS:
        connection.execute(command.encode())
    distributed_rows = connection.execute(
        "SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass('public.graph_node')"
    )
    if distributed_rows.fetchone() is None:
        raise ConfigurationError("That database is not distributed yet: `citegraph distribute --run`.")


def read_nodes(connection: Connection) -> list[ClusterNode]:
    """Return all nodes, the coordinator first; within an open transaction, in a savepoint.

    A group of colocated shards counts once. A silent node takes two seconds.
    """
    with connection.transaction():
        rows = connection.execute(load_statement("db.read_cluster_nodes").encode(), prepare=False).fetchall()
        answer_by_node_id = _ask_nodes(connection)
    return [_build_node(row, answer_by_node_id.get(row[0])) for row in rows]


def require_nodes_that_can_move_shards(nodes: Sequence[ClusterNode]) -> None:
    """Raise ConfigurationError if a node does not answer, or cannot move shards during writes."""
    for node in nodes:
        if not node.answers:
            raise ConfigurationError(
                f"The node {node.name} does not answer ({node.reason}). Moves change metadata on every node,"
                " so nothing can be moved until it is back; see `citegraph cluster status`."
            )
        if not node.logical:
            raise ConfigurationError(
                f"The node {node.name} does not have wal_level = logical, which moves during writes need: set"
                " it in postgresql.conf and restart that server."
            )


def find_node(nodes: Sequence[ClusterNode], name: str) -> ClusterNode:
    """Return the Citus node of that name, `host:port`. Raises ConfigurationError, which lists the nodes."""
    for node in nodes:
        if node.name == name and not node.coordinator:
            return node
    names = ", ".join(node.name for node in nodes if not node.coordinator) or "none"
    raise ConfigurationError(f"No worker is called {name}; there are: {names}.")


class NodeAddress(NamedTuple):
    """The address of a node's server."""

    host: str
    port: int


def parse_address(name: str) -> NodeAddress:
    """Parse `host:port`; the port defaults to 5432. Raises ConfigurationError."""
    host, colon, port = name.rpartition(":")
    if not colon:
        host, port = name, "5432"
    if not host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536:
        raise ConfigurationError(f"{name} is not a HOST:PORT.")
    return NodeAddress(host, int(port))


class NodeAnswer(NamedTuple):
    """A node's answer to a command: its value, or the reason why there is none."""

    has_succeeded: bool
    value_or_reason: str


def run_on_node(connection: Connection, host: str, port: int, command: str) -> NodeAnswer:
    """Run a command on one server, a node or not; return whether it answered, and its value or the reason."""
    row = connection.execute(
        "SELECT success, result FROM master_run_on_worker(ARRAY[%s], ARRAY[%s], ARRAY[%s], false)",
        [host, port, command],
    ).fetchone()
    has_succeeded, result = row or (False, None)
    return NodeAnswer(has_succeeded, result or "no answer")


def add_or_readmit_node_and_check_added(connection: Connection, name: str) -> bool:
    """Let the server take shards: add it, or readmit a drained node; return whether it was added.

    Raises ConfigurationError if it takes shards already, or lacks what a node needs.
    """
    host, port = parse_address(name)
    for node in read_nodes(connection):
        if node.name == f"{host}:{port}":
            if node.takes_shards or node.coordinator:
                raise ConfigurationError(f"{node.name} is a node of this cluster already.")
            connection.execute(
                "SELECT citus_set_node_property(%s, %s, 'shouldhaveshards', true)", [host, port]
            )
            return False
    has_succeeded, result = run_on_node(connection, host, port, load_statement("db.node_joins"))
    if not has_succeeded:
        raise ConfigurationError(
            f"The coordinator cannot connect to {host}:{port} ({result.splitlines()[0]}). It logs in as the"
            f" superuser {connection.info.user}, to the database {connection.info.dbname}, without a password"
            " unless pg_dist_authinfo has one."
        )
    missing_requirements = list(_list_missing_requirements(json.loads(result), connection))
    if missing_requirements:
        raise ConfigurationError(f"{host}:{port} cannot be a node yet: {'; '.join(missing_requirements)}.")
    with connection.transaction():
        connection.execute("SELECT citus_add_node(%s, %s)", [host, port])
        # Citus copies functions with explicit grants but keeps the default EXECUTE for PUBLIC, for example on
        # word search, which runs with its owner's rights.
        for (signature,) in connection.execute(_CLOSED_FUNCTIONS_QUERY).fetchall():
            connection.execute(f"REVOKE EXECUTE ON FUNCTION {signature} FROM PUBLIC".encode())
    return True


def _list_missing_requirements(state: Mapping[str, Any], connection: Connection) -> Iterator[str]:
    """Yield what a server lacks to become a node."""
    row = connection.execute(load_statement("db.node_joins").encode()).fetchone()
    (expected_state_json,) = row or ("{}",)
    expected_state = json.loads(expected_state_json)
    for extension in ("citus", "vector"):
        if state[extension] != expected_state[extension]:
            version_clause = f"has version {state[extension]}" if state[extension] else "is not there"
            expected_version = expected_state[extension]
            yield f"the extension {extension} {version_clause}, where the coordinator has {expected_version}"
    if state["server"] != expected_state["server"]:
        yield f"it is PostgreSQL {state['server']}, where the coordinator is {expected_state['server']}"
    if state["wal_level"] != "logical":
        yield f"its wal_level is {state['wal_level']}, not logical"
    if state["standby"]:
        yield "it is a standby"


def _ask_nodes(connection: Connection) -> Mapping[int, NodeAnswer]:
    """Return the answers of active nodes by id: whether there was one, and the state or the reason."""
    cursor = psycopg.ClientCursor(connection)
    query = cursor.mogrify(load_statement("db.node_state"), {"owner": OWNER})
    connection.execute("SAVEPOINT answers", prepare=False)
    send_commands(
        connection,
        (
            f"SET LOCAL citus.node_connection_timeout = {round(CONNECT_SECONDS * 1000)}",
            build_timeout_command(ANSWER_SECONDS),
        ),
        pipelined=True,
    )
    try:
        rows = connection.execute(
            load_statement("db.run_query_on_nodes").encode(), {"query": query}, prepare=False
        ).fetchall()
    except psycopg.errors.QueryCanceled:
        rows = []
    # The settings end here too.
    connection.execute("ROLLBACK TO SAVEPOINT answers", prepare=False)
    return {node_id: NodeAnswer(has_succeeded, result or "") for node_id, has_succeeded, result in rows}


def _build_node(row: Sequence[Any], answer: NodeAnswer | None) -> ClusterNode:
    """Build a node from its row of `db.read_cluster_nodes` and its answer."""
    id, name, is_coordinator, is_active, takes_shards, shards, spaces = row
    has_answered, state_json = answer or (False, "")
    state = json.loads(state_json) if has_answered else {}
    if has_answered:
        reason = ""
    elif not is_active:
        reason = "is disabled: SELECT citus_activate_node(host, port)"
    elif answer is None:
        reason = f"no answer within {ANSWER_SECONDS:.0f} s, or it waited for another node"
    else:
        reason = state_json.partition("\n")[0] or "no answer"
    return ClusterNode(
        id=id,
        name=name,
        coordinator=is_coordinator,
        answers=has_answered,
        reason=reason,
        takes_shards=takes_shards and not is_coordinator,
        shards=shards,
        spaces=spaces,
        bytes=state.get("bytes"),
        logical=state["wal_level"] == "logical" if "wal_level" in state else None,
        owner_bypasses=bool(state.get("owner_bypasses")),
    )
