"""A person's decisions about attribute values: end a wrong one, choose one of several, or undo either.

A decision is stored in each row that states the value, so it is deleted with the text. A new text that states
the value again is a new row, and holds.
"""

from datetime import UTC, datetime

from app.db.changes import Change
from app.db.session import SpaceSession
from app.errors import Conflict, NotFound
from app.graph import input_checks
from app.graph import service as graph
from app.graph.shapes import Attribute
from app.graph.write.curation import repository
from app.graph.write.curation.shapes import ValueDecision
from app.graph.write.repository import set_attributes_in_metadata_by_votes
from app.ids import NodeId
from app.tenancy.audit import service as audit
from app.tenancy.spaces import service as spaces

Value = str | float | bool


def end_attribute_value_and_list_rows(
    space: SpaceSession,
    node_id: NodeId,
    name: str,
    value: Value,
    *,
    reason: str,
    actor: str,
    ended_at: datetime | None = None,
) -> list[Attribute]:
    """End a value of a node, in every row that states it; return the rows of the attribute afterwards.

    `ended_at` is the time since when it does not hold, by default now. The latest of the remaining values
    then holds. Raises NotFound if no chunk states the value, Conflict `already_ended`, and InvalidInput for a
    blank reason or a future time.
    """
    input_checks.check_ending_decision("value", reason, ended_at)
    spaces.lock_graph_and_increment_revision(space)
    rows = _list_rows_of_attribute(space, node_id, name)
    rows_of_value = [row for row in rows if _states_value(row, value)]
    if not rows_of_value:
        raise NotFound("value")
    if all(row.ended_at is not None for row in rows_of_value):
        raise Conflict("This value was ended before: restore it first.", code="already_ended")
    now = datetime.now(UTC)
    input_checks.check_not_in_future(ended_at, now)
    decision = ValueDecision(ended_at or now, actor, reason.strip())
    repository.end_values_of_attribute(space, node_id, name, value, decision, ends_others=False)
    return _apply_votes_audit_and_list_rows(space, node_id, "value.end", actor=actor, attribute=name)


def uphold_attribute_value_and_end_others(
    space: SpaceSession, node_id: NodeId, name: str, value: Value, *, reason: str, actor: str
) -> list[Attribute]:
    """End all other current values of the attribute; return the rows of the attribute afterwards.

    If the value itself had ended, it is restored first. Raises NotFound, InvalidInput, and Conflict
    `nothing_to_decide` if no other value holds.
    """
    input_checks.check_ending_decision("value", reason, None)
    spaces.lock_graph_and_increment_revision(space)
    rows = _list_rows_of_attribute(space, node_id, name)
    if not any(_states_value(row, value) for row in rows):
        raise NotFound("value")
    if all(_states_value(row, value) or row.ended_at is not None for row in rows):
        raise Conflict("No other value holds: there is nothing to decide.", code="nothing_to_decide")
    repository.restore_values_and_count(space, node_id, name, value)
    decision = ValueDecision(datetime.now(UTC), actor, reason.strip())
    repository.end_values_of_attribute(space, node_id, name, value, decision, ends_others=True)
    return _apply_votes_audit_and_list_rows(space, node_id, "value.uphold", actor=actor, attribute=name)


def restore_attribute_value_and_list_rows(
    space: SpaceSession, node_id: NodeId, name: str, value: Value, *, actor: str
) -> list[Attribute]:
    """Restore an ended value, in every row that states it; return the rows of the attribute afterwards.

    Raises NotFound, and Conflict `not_ended` if nobody ended it.
    """
    spaces.lock_graph_and_increment_revision(space)
    rows = [row for row in _list_rows_of_attribute(space, node_id, name) if _states_value(row, value)]
    if not rows:
        raise NotFound("value")
    if not repository.restore_values_and_count(space, node_id, name, value):
        raise Conflict("Nobody ended this value: there is nothing to restore.", code="not_ended")
    return _apply_votes_audit_and_list_rows(space, node_id, "value.restore", actor=actor, attribute=name)


def _list_rows_of_attribute(space: SpaceSession, node_id: NodeId, name: str) -> list[Attribute]:
    """Return the rows of this attribute. Raises NotFound for an unknown node, InvalidInput for a bad name."""
    input_checks.check_length_and_characters("name", name)
    graph.get_node(space, node_id)
    return [row for row in graph.list_attributes(space, node_id) if row.name == name]


def _states_value(attribute: Attribute, value: Value) -> bool:
    """Return whether the row states this value; True and 1 are different values."""
    return attribute.value == value and isinstance(attribute.value, bool) == isinstance(value, bool)


def _apply_votes_audit_and_list_rows(
    space: SpaceSession, node_id: NodeId, action: str, *, actor: str, attribute: str
) -> list[Attribute]:
    """Record a decision in the node's metadata and the audit log; return the rows of the attribute."""
    set_attributes_in_metadata_by_votes(space, [node_id])
    space.mark_change(Change.GRAPH)
    audit.record(space, action, actor=actor, target=node_id)
    return [row for row in graph.list_attributes(space, node_id) if row.name == attribute]
