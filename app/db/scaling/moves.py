"""Move shards between the nodes of a Citus cluster while writes continue.

A shard is moved together with those of all other tables for the same spaces: rows are copied, changes follow
by logical replication, and writes are blocked only at the end.

Changes are applied on the target as the tables' owner, but Postgres refuses to replicate into a table whose
row-level security applies to the subscription's owner. So the owner role bypasses row-level security on that
node during a move. This opens nothing: functions and views run with their caller's rights, and anybody who
could log in as the owner could also disable row-level security.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

import psycopg

from app.db.roles import OWNER
from app.db.scaling.nodes import (
    Connection,
    connect_to_coordinator,
    find_node,
    parse_address,
    read_nodes,
    require_nodes_that_can_move_shards,
    run_on_node,
)
from app.db.sql import load_statement
from app.errors import ConfigurationError, NotFound

POLL_SECONDS = 1.0
"""Seconds between two checks of a move's progress."""
OVERHEAD_BYTES = 100_000_000
"""The overhead of each move, counted in bytes in the estimated time: Citus adds as much per shard."""
_MOVE_LOCK_KEY = 0x6369746563
"""The advisory lock for moving shards: two processes would revoke each other's rights."""


@dataclass(frozen=True, slots=True)
class ShardTask:
    """One move or split: its SQL with values, the Citus node that shards arrive at, and their bytes."""

    description: str
    sql: str
    values: Sequence[object]
    target: str
    bytes: int


@dataclass(frozen=True, slots=True)
class MoveProgress:
    """The progress of a series of tasks: the current task by its number, and its stage in Citus' words.

    `arrived_bytes` of the `total_bytes` of all tasks have arrived; `seconds_left` is an estimate or None.
    """

    number: int
    task_count: int
    task: ShardTask
    stage: str
    arrived_bytes: int
    total_bytes: int
    bytes_per_second: float
    seconds_left: float | None


@dataclass(frozen=True, slots=True)
class ShardGroup:
    """A group of colocated shards, by the one of graph_node; `is_isolated` if only one space uses them."""

    shard: int
    node: str
    bytes: int
    is_isolated: bool
    shards: Sequence[int]


ProgressCallback = Callable[[MoveProgress], None]


def rebalance_shards_and_count_moves(url: str, on_progress: ProgressCallback) -> int:
    """Move shards until all Citus nodes hold about the same number of bytes; return the number of moved
    groups.

    Raises ConfigurationError if a node does not answer or a move fails; earlier moves persist, and another
    call continues.
    """
    with connect_to_coordinator(url) as connection:
        require_nodes_that_can_move_shards(read_nodes(connection))
        tasks = _plan_moves(connection, drain_only=False)
    return run_tasks_and_count(url, tasks, on_progress)


def drain_node_and_count_moves(url: str, name: str, on_progress: ProgressCallback) -> int:
    """Move all shards off the Citus node, which then accepts no new ones; return the number of moves.

    Raises ConfigurationError as `rebalance_shards` does, and if no other node accepts shards.
    """
    with connect_to_coordinator(url) as connection:
        nodes = read_nodes(connection)
        node = find_node(nodes, name)
        require_nodes_that_can_move_shards(nodes)
        if not any(other_node.takes_shards for other_node in nodes if other_node.name != name):
            raise ConfigurationError(f"No other worker takes shards, so {name} has nowhere to move its own.")
        if node.takes_shards:
            host, port = parse_address(name)
            connection.execute(
                "SELECT citus_set_node_property(%s, %s, 'shouldhaveshards', false)", [host, port]
            )
        tasks = _plan_moves(connection, drain_only=True)
    return run_tasks_and_count(url, tasks, on_progress)


def remove_node(url: str, name: str) -> None:
    """Remove a drained node from the cluster. Raises ConfigurationError if it holds shards."""
    with connect_to_coordinator(url) as connection:
        if find_node(read_nodes(connection), name).shards:
            raise ConfigurationError(f"{name} still holds shards: drain it first.")
        _drop_shards_left_by_moves(connection)
        connection.execute("SELECT citus_remove_node(%s, %s)", parse_address(name))


def list_spaces_to_isolate(url: str, tenant: str) -> list[str]:
    """Return the names of the tenant's spaces that share their shard with others. Raises NotFound."""
    with connect_to_coordinator(url) as connection:
        groups = {group.shard: group for group in _read_shard_groups(connection)}
        return [
            name
            for _, name, shard in _read_shards_of_spaces(connection, tenant)
            if not groups[shard].is_isolated
        ]


def isolate_spaces_of_tenant(
    url: str, tenant: str, on_progress: ProgressCallback, *, target: str | None = None
) -> int:
    """Give each space of the tenant its own shards, and move those to the Citus node `target` if it is set.

    Return the number of splits and moves; those already done are skipped. Raises NotFound for the tenant, and
    ConfigurationError as `rebalance_shards` does.
    """
    with connect_to_coordinator(url) as connection:
        nodes = read_nodes(connection)
        require_nodes_that_can_move_shards(nodes)
        if target is not None and not find_node(nodes, target).takes_shards:
            raise ConfigurationError(f"{target} takes no shards: `citegraph cluster add-node` lets it.")
        groups = {group.shard: group for group in _read_shard_groups(connection)}
        tasks = [
            ShardTask(
                f"space {name} out of shard {shard} on {groups[shard].node}",
                "SELECT isolate_tenant_to_new_shard('public.graph_node', %s::uuid, 'CASCADE',"
                " shard_transfer_mode => 'force_logical')",
                [space_id],
                groups[shard].node,
                groups[shard].bytes,
            )
            for space_id, name, shard in _read_shards_of_spaces(connection, tenant)
            if not groups[shard].is_isolated
        ]
    done_count = run_tasks_and_count(url, tasks, on_progress)
    if target is None:
        return done_count
    with connect_to_coordinator(url) as connection:
        groups = {group.shard: group for group in _read_shard_groups(connection)}
        shards = {shard for _, _, shard in _read_shards_of_spaces(connection, tenant)}
        moves = [
            _build_move(groups[shard], target) for shard in sorted(shards) if groups[shard].node != target
        ]
    return done_count + run_tasks_and_count(url, moves, on_progress)


def run_tasks_and_count(url: str, tasks: Sequence[ShardTask], on_progress: ProgressCallback) -> int:
    """Run the tasks one after another, reporting progress every second; return their number.

    An exception in this thread, such as Ctrl-C, aborts the current task, and Citus removes what it had
    copied. Raises ConfigurationError if a task fails.
    """
    if not tasks:
        return 0
    series = _TaskSeries(tasks, on_progress)
    with connect_to_coordinator(url) as watcher, connect_to_coordinator(url) as mover, _lock_moves(watcher):
        _revoke_leftover_bypass(watcher)
        _drop_shards_left_by_moves(watcher)
        for task in tasks:
            series.begin_next_task()
            try:
                with _drop_leftovers_on_failure(watcher):
                    _run_task(task, watcher, mover, series.report_progress)
            except psycopg.DatabaseError as error:
                raise ConfigurationError(
                    f"{series.number} of {len(tasks)} ({task.description}) failed:"
                    f" {str(error).splitlines()[0]}. Earlier ones are done; run the same command again to"
                    " continue, and see `citegraph cluster status` for the nodes."
                ) from error
    return len(tasks)


class _TaskSeries:
    """Runs through the tasks and reports their progress."""

    def __init__(self, tasks: Sequence[ShardTask], on_progress: ProgressCallback) -> None:
        self.number = 0
        self._tasks, self._on_progress = tasks, on_progress
        self._total_bytes = sum(task.bytes for task in tasks)
        self._total_work_bytes = self._total_bytes + len(tasks) * OVERHEAD_BYTES
        self._bytes_before = 0
        self._started_at = time.monotonic()

    def begin_next_task(self) -> None:
        """Advance to the next task."""
        self._bytes_before += self._tasks[self.number - 1].bytes if self.number else 0
        self.number += 1
        self.report_progress("", 0)

    def report_progress(self, stage: str, arrived_bytes: int) -> None:
        """Report the current task, of which `arrived_bytes` are on the target."""
        task = self._tasks[self.number - 1]
        total_arrived_bytes = self._bytes_before + min(arrived_bytes, task.bytes)
        seconds = time.monotonic() - self._started_at
        done_work_bytes = total_arrived_bytes + (self.number - 1) * OVERHEAD_BYTES
        self._on_progress(
            MoveProgress(
                self.number,
                len(self._tasks),
                task,
                stage,
                total_arrived_bytes,
                self._total_bytes,
                total_arrived_bytes / seconds if seconds else 0.0,
                # Below the overhead of one move there is no useful estimate.
                seconds * (self._total_work_bytes - done_work_bytes) / done_work_bytes
                if done_work_bytes >= OVERHEAD_BYTES
                else None,
            )
        )


def _run_task(
    task: ShardTask, watcher: Connection, mover: Connection, report_progress: Callable[[str, int], None]
) -> None:
    with _bypass_row_security_in_block(watcher, task.target), ThreadPoolExecutor(1) as pool:
        running_task = pool.submit(mover.execute, task.sql.encode(), task.values)
        try:
            while True:
                try:
                    running_task.result(POLL_SECONDS)
                    return
                except TimeoutError:
                    row = watcher.execute(load_statement("db.move_progress").encode()).fetchone()
                    report_progress(*(row if row is not None else ("", 0)))
        except BaseException:
            # This has no effect on a task that has already failed.
            with suppress(psycopg.Error):
                mover.cancel_safe(timeout=5)
            raise


@contextmanager
def _lock_moves(connection: Connection) -> Iterator[None]:
    if connection.execute("SELECT pg_try_advisory_lock(%s)", [_MOVE_LOCK_KEY]).fetchone() != (True,):
        raise ConfigurationError("Another `citegraph cluster` command is moving shards: wait until it ends.")
    yield


@contextmanager
def _bypass_row_security_in_block(connection: Connection, node: str) -> Iterator[None]:
    _set_bypass(connection, node, "BYPASSRLS")
    try:
        yield
    finally:
        _set_bypass(connection, node, "NOBYPASSRLS")


@contextmanager
def _drop_leftovers_on_failure(connection: Connection) -> Iterator[None]:
    """Drop what an aborted move leaves at once: Citus would do so later, and its role on the target, with
    rights of the owner of the tables, has a name that moves of other databases also use.
    """
    try:
        yield
    except BaseException:
        with suppress(psycopg.Error):
            _drop_shards_left_by_moves(connection)
        raise


def _drop_shards_left_by_moves(connection: Connection) -> None:
    """Drop the shards that earlier moves left on their sources, and the copies of aborted ones.

    Citus does not move a shard while its list of leftovers contains it, and does not drop those of a node
    that was removed since.
    """
    connection.execute("CALL citus_cleanup_orphaned_resources()")
    connection.execute(
        "DELETE FROM pg_dist_cleanup WHERE node_group_id NOT IN (SELECT groupid FROM pg_dist_node)"
    )


def _revoke_leftover_bypass(connection: Connection) -> None:
    """Revoke BYPASSRLS from the owner where a killed command left it."""
    for node in read_nodes(connection):
        if node.owner_bypasses:
            _set_bypass(connection, node.name, "NOBYPASSRLS")


def _set_bypass(connection: Connection, node: str, role_attribute: str) -> None:
    # Only on that node: changing a role on the coordinator changes it on all nodes.
    command = (
        "DO $$ BEGIN PERFORM set_config('citus.enable_ddl_propagation', 'off', true);"
        f" ALTER ROLE {OWNER} {role_attribute}; END $$"
    )
    has_succeeded, result = run_on_node(connection, *parse_address(node), command)
    if not has_succeeded:
        raise ConfigurationError(
            f"{OWNER} could not be made {role_attribute} on {node}: {result}. `citegraph"
            " cluster status` shows such nodes; the next move revokes it."
        )


def _plan_moves(connection: Connection, *, drain_only: bool) -> list[ShardTask]:
    rows = connection.execute(
        load_statement("db.plan_shard_moves").encode(), {"drain_only": drain_only}, prepare=False
    ).fetchall()
    # Citus may list any shards of a group; moving one of them moves the group.
    groups = {shard: group for group in _read_shard_groups(connection) for shard in group.shards}
    targets = {groups[shard].shard: f"{host}:{port}" for shard, host, port in rows}
    return [_build_move(groups[shard], target) for shard, target in targets.items()]


def _build_move(group: ShardGroup, target: str) -> ShardTask:
    return ShardTask(
        f"shard {group.shard} from {group.node} to {target}",
        "SELECT citus_move_shard_placement(%s, %s, %s, %s, %s, shard_transfer_mode => 'force_logical')",
        [group.shard, *parse_address(group.node), *parse_address(target)],
        target,
        group.bytes,
    )


def _read_shard_groups(connection: Connection) -> list[ShardGroup]:
    rows = connection.execute(load_statement("db.read_shard_groups").encode(), prepare=False).fetchall()
    return [ShardGroup(shard, f"{host}:{port}", *columns) for shard, host, port, *columns in rows]


class _SpaceShard(NamedTuple):
    """A space and the shard that has its rows."""

    space_id: UUID
    name: str
    shard: int


def _read_shards_of_spaces(connection: Connection, tenant: str) -> list[_SpaceShard]:
    """Return the spaces of the tenant of that name or id with their shards. Raises NotFound."""
    row = connection.execute(
        "SELECT id FROM public.tenant WHERE name = %(tenant)s OR id::text = %(tenant)s", {"tenant": tenant}
    ).fetchone()
    if row is None:
        raise NotFound(f"tenant: {tenant} (`citegraph tenant list` shows all)")
    query = load_statement("db.shards_of_tenant").encode()
    rows = connection.execute(query, {"tenant_id": row[0]}, prepare=False)
    return [_SpaceShard(*space_row) for space_row in rows]
