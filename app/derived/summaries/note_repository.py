"""Reads and writes of the change notes: which nodes to evaluate, and when."""

from collections.abc import Sequence
from datetime import datetime
from uuid import uuid4

from app.db.session import SpaceSession
from app.derived.summaries.gate_settings import MIN_FACTS
from app.ids import LOWEST_ID, NodeId

MAX_NOTED_NODES, MAX_GATHERED_NOTES = 50_000, 5_000
"""Maximum numbers of nodes that one statement notes, and of notes that it merges, within the statement
timeout.
"""


def merge_batch_of_change_notes_if_any(space: SpaceSession) -> bool:
    """Merge a batch of change notes into one for each node; return whether there were any.

    The caller holds the graph (`tenancy.spaces.lock_graph_unchanged`).
    """
    parameters = {"notes": MAX_GATHERED_NOTES, "nodes": MAX_NOTED_NODES, "mark": uuid4()}
    return bool(
        space.run("derived.summaries.merge_change_notes_by_node", parameters, should_prepare=False)[0][0]
    )


def delete_summaries_of_nodes(space: SpaceSession, node_ids: Sequence[NodeId]) -> None:
    """Delete the summaries of these nodes, whose material was deleted; they are rewritten later.

    The caller holds the graph (`tenancy.spaces.lock_graph_for_writing`).
    """
    space.run(
        "derived.summaries.delete_summaries_of_nodes",
        {"nodes": list(node_ids), "mark": uuid4()},
        should_prepare=False,
    )


def delete_notes_on_nodes_with_few_facts(space: SpaceSession) -> None:
    """Delete the notes on nodes with too few facts for a summary.

    The caller holds the graph (`tenancy.spaces.lock_graph_unchanged`).
    """
    space.run(
        "derived.summaries.delete_notes_on_nodes_with_few_facts", {"least": MIN_FACTS}, should_prepare=False
    )


def mark_all_nodes_as_changed(space: SpaceSession) -> None:
    """Note every node that has a summary or enough facts for one."""
    last_node_id = NodeId(LOWEST_ID)
    while True:
        parameters = {"least": MIN_FACTS, "after": last_node_id, "limit": MAX_NOTED_NODES, "mark": uuid4()}
        rows = space.run("derived.summaries.mark_all_nodes_as_changed", parameters, should_prepare=False)
        if not rows:
            return
        last_node_id = NodeId(rows[0][0])


def get_time_of_next_deferred_evaluation(space: SpaceSession) -> datetime | None:
    """Return when the next deferred node is to be evaluated; None if there is none."""
    ((due_at,),) = space.run("derived.summaries.get_time_of_next_deferred_evaluation")
    assert due_at is None or isinstance(due_at, datetime)
    return due_at
