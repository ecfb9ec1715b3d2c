"""Reads and writes of the notes that say which nodes to look at, and when."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID, uuid4

from app.db.session import SpaceSession
from app.derived.summaries.gate_settings import LEAST_FACTS
from app.ids import NodeId

NOTED_AT_ONCE, GATHERED_AT_ONCE = 50_000, 5_000
"""Nodes that one statement notes, and notes that it gathers at most: it must end within the statement
time-out.
"""
_NOWHERE = NodeId(UUID(int=0))


def merge_change_notes_by_node(space: SpaceSession) -> bool:
    """Make of notes of what changed, so many at once, one for each node; whether there were any.

    The graph is held (`tenancy.spaces.lock_graph_unchanged`).
    """
    parameters = {"notes": GATHERED_AT_ONCE, "nodes": NOTED_AT_ONCE, "mark": uuid4()}
    return bool(space.run("derived.summaries.merge_change_notes_by_node", parameters, prepare=False)[0][0])


def delete_summaries(space: SpaceSession, node_ids: Sequence[NodeId]) -> None:
    """Delete the summaries of these nodes, whose material was deleted; they are written anew.

    The graph is held (`tenancy.spaces.lock_graph_for_writing`).
    """
    space.run("derived.summaries.delete_summaries", {"nodes": list(node_ids), "mark": uuid4()}, prepare=False)


def delete_notes_on_small_nodes(space: SpaceSession) -> None:
    """Forget the notes on nodes that are not worth a summary. The graph is held
    (`tenancy.spaces.lock_graph_unchanged`).
    """
    space.run("derived.summaries.delete_notes_on_small_nodes", {"least": LEAST_FACTS}, prepare=False)


def note_all_nodes_changed(space: SpaceSession) -> None:
    """Have every node looked at that is worth a summary or has one."""
    after = _NOWHERE
    while True:
        parameters = {"least": LEAST_FACTS, "after": after, "limit": NOTED_AT_ONCE, "mark": uuid4()}
        rows = space.run("derived.summaries.note_all_nodes_changed", parameters, prepare=False)
        if not rows:
            return
        after = NodeId(rows[0][0])


def next_deferred_look(space: SpaceSession) -> datetime | None:
    """When the next deferred node is to be looked at again; None where none waits."""
    ((due,),) = space.run("derived.summaries.next_deferred_look")
    assert due is None or isinstance(due, datetime)
    return due
