"""Commands about a Citus cluster: distribute a database, manage nodes, move shards."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from app.cli.options import AsJson, Yes, make_group
from app.cli.output import print_line, print_note, show_json, show_table
from app.db.doctor.node_walls import examine_nodes
from app.db.scaling import moves
from app.db.scaling.distribute import distribute_database, list_distribution_steps
from app.db.scaling.nodes import (
    ClusterNode,
    add_or_readmit_node_and_check_added,
    connect_to_coordinator,
    read_nodes,
)
from app.errors import ConfigurationError
from app.number_words import format_duration, format_number, format_size, pluralise
from app.settings import read_settings

cluster_app = make_group("cluster", "Show and change the nodes of a Citus cluster, and move shards.")
NodeName = Annotated[
    str, typer.Argument(metavar="HOST:PORT", help="Address of the worker for the coordinator.")
]
PROGRESS_LINE_SECONDS = 5.0
"""Seconds between two lines about the progress of a move."""


def distribute(
    run: Annotated[bool, typer.Option("--run", help="Run the statements at CITEGRAPH_CLUSTER_URL.")] = False,
    shards: Annotated[int, typer.Option(min=1, max=1024, help="Shards of each table.")] = 32,
    as_json: AsJson = False,
) -> None:
    """Print the statements that distribute spaces over a Citus cluster, in order; run them with --run."""
    if run:
        step_count = len(list_distribution_steps(shard_count=shards))
        applied_steps = distribute_database(
            get_cluster_url(),
            shard_count=shards,
            on_step=lambda number, step: print_note(f"{number} of {step_count}: {step.sql.splitlines()[0]}"),
        )
        print_note(f"{pluralise(len(applied_steps), 'step')} done; `citegraph doctor` examines the result.")
        return
    steps = list_distribution_steps(shard_count=shards)
    if as_json:
        show_json([{"phase": planned_step.phase, "sql": planned_step.sql} for planned_step in steps])
        return
    last_phase = ""
    for index, step in enumerate(steps, 1):
        if step.phase != last_phase:
            print_line(f"-- {step.phase}, from step {index} of {len(steps)}")
        last_phase = step.phase
        print_line(f"{step.sql};")


def get_cluster_url() -> str:
    """Return the coordinator's address. Raises ConfigurationError if it is not set."""
    url = read_settings().cluster_url
    if url is None:
        raise ConfigurationError(
            "Set CITEGRAPH_CLUSTER_URL to the address of the Citus coordinator, with a superuser login. A"
            " single machine needs no cluster: docs/citus.md says when one helps."
        )
    return url


@cluster_app.command("status")
def show_cluster_nodes(as_json: AsJson = False) -> None:
    """Show the nodes, whether each answers, and its shards, spaces and bytes; exit with 1 if one does not.

    A shard counts once for all distributed tables, because their shards move together.
    """
    with connect_to_coordinator(get_cluster_url()) as connection:
        nodes = read_nodes(connection)
    if as_json:
        show_json(nodes)
    else:
        show_table(
            ["NODE", "ROLE", "STATE", "SHARDS#", "SPACES#", "SIZE#"],
            (
                [
                    node.name,
                    "coordinator" if node.coordinator else "worker",
                    _describe_node_state(node),
                    format_number(node.shards),
                    format_number(node.spaces),
                    format_size(node.bytes),
                ]
                for node in nodes
            ),
        )
    if not all(node.answers for node in nodes):
        raise typer.Exit(1)


@cluster_app.command("add-node")
def add_cluster_node(node: NodeName) -> None:
    """Add a server to the cluster, or let a drained worker take shards again; this moves nothing."""
    with connect_to_coordinator(get_cluster_url()) as connection:
        was_added = add_or_readmit_node_and_check_added(connection, node)
        problems = [
            f"{verdict.table}: {sentence}"
            for verdict in examine_nodes(connection)
            for sentence in verdict.problems
        ]
    print_line(f"{node} is a worker now." if was_added else f"{node} takes shards again.")
    for problem in problems:
        print_note(problem)
    if problems:
        raise typer.Exit(1)
    print_note("It has no spaces yet: `citegraph cluster rebalance` moves some to it.")


@cluster_app.command("rebalance")
def rebalance_shards() -> None:
    """Move shards until workers hold similar amounts of data; Ctrl-C stops, another call continues."""
    with _note_and_exit_on_interrupt():
        moved_group_count = moves.rebalance_shards_and_count_moves(get_cluster_url(), MoveProgressPrinter())
    print_line(
        f"{pluralise(moved_group_count, 'shard')} moved."
        if moved_group_count
        else "Nothing to move: the workers are balanced."
    )


@cluster_app.command("drain")
def drain_node(
    node: NodeName,
    remove: Annotated[
        bool, typer.Option("--remove", help="Then remove the worker from the cluster.")
    ] = False,
) -> None:
    """Move all shards off a worker, which takes no new ones; Ctrl-C stops, another call continues."""
    url = get_cluster_url()
    with _note_and_exit_on_interrupt():
        moved_group_count = moves.drain_node_and_count_moves(url, node, MoveProgressPrinter())
        if remove:
            moves.remove_node(url, node)
    removal_note = ", and is no longer a node" if remove else ""
    print_line(f"{pluralise(moved_group_count, 'shard')} moved; {node} holds none{removal_note}.")
    if not remove:
        print_note("`citegraph cluster add-node` lets it take shards again; `drain --remove` removes it.")


@cluster_app.command("isolate")
def isolate_tenant(
    tenant: Annotated[str, typer.Argument(help="Name or id.")],
    target: Annotated[
        str | None, typer.Option("--to", metavar="HOST:PORT", help="Move them to this worker too.")
    ] = None,
    yes: Yes = False,
) -> None:
    """Give each space of a tenant shards of its own; they cannot be joined again.

    Ctrl-C stops, another call continues.
    """
    url = get_cluster_url()
    space_names = moves.list_spaces_to_isolate(url, tenant)
    question = f"{pluralise(len(space_names), 'space')} will have shards of their own permanently. Continue?"
    if space_names and not yes:
        typer.confirm(question, abort=True)
    with _note_and_exit_on_interrupt():
        isolated_space_count = moves.isolate_spaces_of_tenant(
            url, tenant, MoveProgressPrinter(), target=target
        )
    print_line(f"{pluralise(isolated_space_count, 'step')} done: no space of {tenant} shares its shards.")


def _describe_node_state(node: ClusterNode) -> str:
    """Return the state of a node in a few words."""
    if not node.answers:
        return f"does not answer: {node.reason}"
    remarks = ["answers"]
    if not node.coordinator and not node.takes_shards:
        remarks.append("takes no shards")
    if node.logical is False:
        remarks.append("wal_level is not logical: nothing can move")
    if node.owner_bypasses:
        remarks.append("a move to it is running or was killed; the next move revokes its BYPASSRLS")
    return "; ".join(remarks)


@contextmanager
def _note_and_exit_on_interrupt() -> Iterator[None]:
    """Turn Ctrl-C into a note about what was moved, and exit code 130."""
    try:
        yield
    except KeyboardInterrupt:
        print_note("Stopped. Shards already moved stay there; run the same command again to continue.")
        raise typer.Exit(130) from None


class MoveProgressPrinter:
    """Prints the progress of moves on stderr: a line when one begins, then every PROGRESS_LINE_SECONDS."""

    def __init__(self) -> None:
        self._last_number = 0
        self._last_printed_at = 0.0

    def __call__(self, progress: moves.MoveProgress) -> None:
        """Print a line if a new move began or PROGRESS_LINE_SECONDS have passed."""
        now = time.monotonic()
        is_new_move = progress.number != self._last_number
        if not is_new_move and now - self._last_printed_at < PROGRESS_LINE_SECONDS:
            return
        self._last_number, self._last_printed_at = progress.number, now
        stage_note = f", {progress.stage.lower()}" if progress.stage else ""
        rate_note = (
            f", {format_size(round(progress.bytes_per_second))} a second" if progress.arrived_bytes else ""
        )
        remaining_time = (
            f", about {format_duration(progress.seconds_left)} left"
            if progress.seconds_left is not None
            else ""
        )
        print_note(
            f"{progress.number} of {progress.task_count}: {progress.task.description}{stage_note};"
            f" {format_size(progress.arrived_bytes)} of {format_size(progress.total_bytes)}"
            f"{rate_note}{remaining_time}"
        )
