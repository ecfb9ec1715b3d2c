"""The walls on each node of a cluster: privileges of its shards, functions, roles and settings.

Each node reads its own catalogues, in one call. Shards are compared with the coordinator's table, which
`catalogue_comparison` compares with the migrations and with what `distribute` creates; functions, roles and
settings are compared with the coordinator's.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import psycopg

from app.db.doctor.table_verdicts import TableVerdict
from app.db.inspection import LOGIN_PREFIX
from app.db.roles import APP, INSPECT_ROLE, ROLES
from app.db.sql import load_statement
from app.db.table_distribution import SHARDED

NODE = "node"
_SHELL_SHARD_ID = 0
_MAX_VALUE_LENGTH, _MAX_NAMED_SHARDS = 200, 3
_PROPAGATION = "citus.propagate_set_commands"


@dataclass(frozen=True)
class NodeWalls:
    """The walls of one node: (table, aspect, value, shards) rows; functions, roles and settings by name.

    `answers_early` says whether it reports a commit before it is on disk.
    """

    name: str
    shards: tuple[tuple[str, str, str, tuple[int, ...]], ...]
    functions: Mapping[str, str]
    roles: Mapping[str, str]
    settings: frozenset[tuple[str, str]]
    answers_early: bool

    @classmethod
    def parse(cls, name: str, text: str) -> "NodeWalls":
        """Parse the JSON that `db.node_walls` returned for a node."""
        walls = json.loads(text)
        return cls(
            name,
            tuple((table, aspect, value, tuple(shards)) for table, aspect, value, shards in walls["shards"]),
            walls["functions"],
            walls["roles"],
            frozenset((role, setting) for role, setting in walls["settings"]),
            walls["answersEarly"],
        )


def examine_nodes(connection: psycopg.Connection[tuple[Any, ...]]) -> Iterator[TableVerdict]:
    """Yield a verdict on each node and on each distributed table, read through the coordinator."""
    client = psycopg.ClientCursor(connection)
    query = client.mogrify(
        load_statement("db.node_walls"), {"tables": sorted(SHARDED), "roles": sorted(ROLES)}
    )
    (text,) = connection.execute(query.encode()).fetchone() or ("{}",)
    coordinator = NodeWalls.parse("coordinator", text)
    answers = connection.execute(
        "SELECT nodename || ':' || nodeport, answer.success, answer.result, node.groupid"
        " FROM run_command_on_all_nodes(%s, give_warning_for_connection_errors => true) AS answer"
        " JOIN pg_dist_node AS node ON node.nodeid = answer.nodeid ORDER BY node.groupid",
        [query],
    ).fetchall()
    # A login for psql may have been created after the coordinator was read and before a node was.
    newest_logins = connection.execute(
        "SELECT rolname::text FROM pg_roles WHERE starts_with(rolname, %s)"
        " AND coalesce(rolvaliduntil > now(), true)",
        [LOGIN_PREFIX],
    ).fetchall()
    new_logins = {name for (name,) in newest_logins} - coordinator.roles.keys()
    problems: dict[str, list[str]] = {table: [] for table in sorted(SHARDED)}
    yield TableVerdict("coordinator", NODE, tuple(_find_coordinator_problems(coordinator)))
    for name, has_succeeded, result, group in answers:
        if group == 0:
            continue
        if not has_succeeded:
            reason = str(result).splitlines()[0] if result else "no answer"
            sentence = f"does not answer, so its spaces are unavailable: {reason}"
            yield TableVerdict(f"node {name}", NODE, (sentence,))
            continue
        node = NodeWalls.parse(f"node {name}", result)
        differences = _compare_node_with_coordinator(coordinator, new_logins, node)
        yield TableVerdict(node.name, NODE, (*_find_commit_problems(node), *differences))
        for table, sentence in _compare_shards(coordinator, node):
            problems[table].append(sentence)
    for table, sentences in problems.items():
        yield TableVerdict(table, "shards", tuple(sentences))


def _find_commit_problems(node: NodeWalls) -> list[str]:
    if not node.answers_early:
        return []
    return ["has synchronous_commit = off: a crash loses commits that other nodes rely on. Set it to on"]


def _find_coordinator_problems(coordinator: NodeWalls) -> list[str]:
    return _find_commit_problems(coordinator) + [
        f"{role} has {setting}: the space of its transactions does not reach the workers. Remove the setting"
        for role, setting in sorted(coordinator.settings)
        if setting.startswith(_PROPAGATION)
        and (role not in (APP, INSPECT_ROLE) or setting != f"{_PROPAGATION}=local")
    ]


def _compare_node_with_coordinator(
    coordinator: NodeWalls, new_logins: Collection[str], node: NodeWalls
) -> Iterator[str]:
    """Yield differences of the node from the coordinator, and from psql logins that it has had since.

    Functions that only use the platform's tables exist only on the coordinator.
    """
    for function, value in sorted(node.functions.items()):
        if (expected_value := coordinator.functions.get(function)) != value:
            expected_text = _shorten_value(expected_value or "none")
            yield f"{function} is {_shorten_value(value)}, where the coordinator has {expected_text}"
    for role, rights in sorted(coordinator.roles.items()):
        if role.startswith(LOGIN_PREFIX) and role not in node.roles:
            # It was just created or is about to expire; it gives no access on this node.
            continue
        if (node_rights := node.roles.get(role)) != rights:
            description = "missing" if node_rights is None else node_rights or "without rights"
            yield f"role {role} is {description}, where the coordinator has {rights or 'no right'}"
    for role in sorted(node.roles.keys() - coordinator.roles.keys() - set(new_logins)):
        yield f"role {role} may still log in there, but the coordinator has dropped it: drop it on that node"
    for role, setting in sorted(node.settings ^ coordinator.settings):
        location = "only there" if (role, setting) in node.settings else "only on the coordinator"
        yield f"{role} has the setting {setting} {location}"


class _ShardDifference(NamedTuple):
    """A table whose shards differ from its definition on the coordinator, and a sentence about them."""

    table: str
    sentence: str


def _compare_shards(coordinator: NodeWalls, node: NodeWalls) -> Iterator[_ShardDifference]:
    expected_values = {(table, aspect): value for table, aspect, value, _ in coordinator.shards}
    for table, aspect, value, shards in node.shards:
        expected_value = expected_values.get((table, aspect))
        if value != expected_value:
            shard_names = ", ".join(
                "the table" if shard == _SHELL_SHARD_ID else f"{table}_{shard}"
                for shard in shards[:_MAX_NAMED_SHARDS]
            )
            if len(shards) > _MAX_NAMED_SHARDS:
                shard_names += f" and {len(shards) - _MAX_NAMED_SHARDS} more"
            expected_text = _shorten_value(expected_value or "none")
            yield _ShardDifference(
                table,
                f"on {node.name} {aspect} of {shard_names}: {_shorten_value(value)},"
                f" where {expected_text} is expected",
            )


def _shorten_value(value: str) -> str:
    return value if len(value) <= _MAX_VALUE_LENGTH else f"{value[:_MAX_VALUE_LENGTH]}…"
