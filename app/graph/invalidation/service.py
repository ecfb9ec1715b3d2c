"""Let a person end and restore claims, and list contradictions; the ledger records every change."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from app.db.changes import Change
from app.db.session import SpaceSession
from app.errors import Conflict, NotFound
from app.graph import input_checks, repository
from app.graph.invalidation import repository as invalidation_repository
from app.graph.invalidation import superseding
from app.graph.invalidation.repository import MAX_CONFLICT_ROWS, ConflictRows, StatedSentence, list_endings
from app.graph.invalidation.shapes import (
    ConflictCursor,
    ConflictSet,
    ConflictStatus,
    ConflictValue,
    EndedBy,
    EndedClaim,
    Ending,
    Invalidation,
    InvalidationScope,
    StatedValue,
)
from app.graph.shapes import Edge
from app.graph.validity import Polarity
from app.ids import ChunkId, EdgeId, NodeId, create_id
from app.limits import PAGE
from app.tenancy.audit import service as audit
from app.tenancy.spaces import service as spaces

__all__ = ["list_endings"]

MAX_DECIDED_CLAIMS = 10_000
"""Maximum number of ledger rows of one decision that can be restored at once."""


class EdgeWithLedger(NamedTuple):
    """An edge, and the rows of the ledger about it."""

    edge: Edge
    ledger_rows: list[Invalidation]


def get_edge_with_ledger(space: SpaceSession, edge_id: EdgeId) -> EdgeWithLedger:
    """Return an edge, ended or not, and its ledger rows, newest first, at most 200. Raises NotFound."""
    edges = repository.get_edges(space, [edge_id])
    if not edges:
        raise NotFound("edge")
    return EdgeWithLedger(
        edges[0],
        invalidation_repository.list_endings(space, edge_id=edge_id, only_in_force=False, limit=PAGE.maximum),
    )


def list_ended_claims_in_chunks(
    space: SpaceSession, chunk_ids: Sequence[ChunkId], *, as_of: datetime | None = None, limit: int = 50
) -> list[EndedClaim]:
    """Return these chunks' claims that have ended by now, or by `as_of`, last ended first.

    Whoever quotes the chunks must not state these claims as true.
    """
    if not chunk_ids:
        return []
    return invalidation_repository.list_ended_claims_in_chunks(space, chunk_ids, as_of=as_of, limit=limit)


def list_sentences_stated_later(
    space: SpaceSession, chunk_ids: Sequence[ChunkId], *, as_of: datetime, limit: int = 200
) -> list[StatedSentence]:
    """Return (chunk, sentence) of sentences, or whole chunks, that state only what began after `as_of`."""
    if not chunk_ids:
        return []
    return invalidation_repository.list_sentences_stated_later(space, chunk_ids, as_of=as_of, limit=limit)


def end_claim_by_person(
    space: SpaceSession,
    edge_id: EdgeId,
    *,
    reason: str,
    actor: str,
    ended_at: datetime | None = None,
    scope: InvalidationScope = InvalidationScope.CLAIM,
) -> list[Invalidation]:
    """End a claim as a person decided, in every row that states it, or one row only; return the ledger rows.

    `ended_at` is the time since when it does not hold, by default now. Rows that ended before are not
    changed, and a row that a later ingest adds holds: the claim is then contested again. Raises NotFound,
    Conflict `already_invalidated`, and InvalidInput for a blank or long reason or a future time.
    """
    input_checks.check_ending_decision("claim", reason, ended_at)
    spaces.lock_graph_and_increment_revision(space)
    end_by_edge_id, now = (
        invalidation_repository.get_end_date_of_each_row_of_claim(space, edge_id),
        space.transaction_time,
    )
    if not end_by_edge_id:
        raise NotFound("edge")
    if end_by_edge_id[edge_id] is not None:
        raise Conflict("This edge was ended before: restore it first.", code="already_invalidated")
    input_checks.check_not_in_future(ended_at, now)
    edge_ids = (
        [edge_id]
        if scope is InvalidationScope.EDGE
        else [row_id for row_id, row_end in end_by_edge_id.items() if row_end is None]
    )
    decision_id = _end_edges_by_person(space, edge_ids, ended_at or now, actor=actor, reason=reason)
    audit.record(
        space,
        "edge.invalidate",
        actor=actor,
        target=edge_id,
        other_targets=[other_id for other_id in edge_ids if other_id != edge_id],
        details={"scope": scope.value, "dated": ended_at is not None, "decision": str(decision_id)},
    )
    return invalidation_repository.list_endings(
        space, decision_id=decision_id, only_in_force=False, limit=MAX_DECIDED_CLAIMS
    )


def undo_ending_decision(space: SpaceSession, edge_id: EdgeId, *, actor: str) -> list[Invalidation]:
    """Undo the decision that ended this edge, for all edges that it ended; return its ledger rows.

    An edge restored after a later source had ended it is never ended by a source again. Raises NotFound, and
    Conflict `not_invalidated` if the edge holds.
    """
    spaces.lock_graph_and_increment_revision(space)
    _, history = get_edge_with_ledger(space, edge_id)
    entry = next((invalidation for invalidation in history if invalidation.undone_at is None), None)
    if entry is None:
        raise Conflict("This edge holds: there is nothing to restore.", code="not_invalidated")
    invalidations = invalidation_repository.list_endings(
        space, decision_id=entry.decision_id, limit=MAX_DECIDED_CLAIMS
    )
    invalidation_repository.undo_endings_and_list_restored_edges(
        space,
        [invalidation.id for invalidation in invalidations],
        undone_by=actor,
        undone_kind=EndedBy.PERSON,
    )
    space.mark_change(Change.GRAPH)
    audit.record(
        space,
        "edge.restore",
        actor=actor,
        target=edge_id,
        other_targets=[
            invalidation.edge_id for invalidation in invalidations if invalidation.edge_id != edge_id
        ],
        details={"decision": str(entry.decision_id)},
    )
    return invalidation_repository.list_endings(
        space, decision_id=entry.decision_id, only_in_force=False, limit=MAX_DECIDED_CLAIMS
    )


def uphold_value_and_end_others(
    space: SpaceSession, edge_id: EdgeId, *, reason: str, actor: str, ended_at: datetime | None = None
) -> list[Invalidation]:
    """End the other values of a single-valued relation, as a person decided; return the ledger rows.

    All standing rows of other values end by one decision, since `ended_at` or now, and restoring one of them
    undoes it for all. If the chosen value had ended, it is restored first. Raises NotFound, InvalidInput, and
    Conflict `not_single_valued`, `is_denial`, or `nothing_to_decide` if no other value holds.
    """
    input_checks.check_ending_decision("claim", reason, ended_at)
    spaces.lock_graph_and_increment_revision(space)
    edge, _ = get_edge_with_ledger(space, edge_id)
    if edge.relation_type not in space.settings.single_valued_relations:
        raise Conflict("A node may have several values of this relation.", code="not_single_valued")
    if edge.polarity is not Polarity.ASSERTED:
        raise Conflict("This edge denies a value, or only reports it: it cannot hold.", code="is_denial")
    if not edge.holds():
        undo_ending_decision(space, edge_id, actor=actor)
    rows = invalidation_repository.list_dated_rows_of_claims(
        space, [(edge.from_node_id, edge.relation_type, None)]
    )
    now = space.transaction_time
    input_checks.check_not_in_future(ended_at, now)
    rival_edge_ids = [
        row.id
        for row in rows
        if row.to_node_id != edge.to_node_id and row.entry is None and row.polarity == Polarity.ASSERTED
    ]
    if not rival_edge_ids:
        raise Conflict("No other value holds: there is nothing to decide.", code="nothing_to_decide")
    decision_id = _end_edges_by_person(
        space, rival_edge_ids[:MAX_DECIDED_CLAIMS], ended_at or now, actor=actor, reason=reason
    )
    audit.record(
        space,
        "conflict.decide",
        actor=actor,
        target=edge_id,
        other_targets=rival_edge_ids,
        details={"decision": str(decision_id)},
    )
    return invalidation_repository.list_endings(
        space, decision_id=decision_id, only_in_force=False, limit=MAX_DECIDED_CLAIMS
    )


def _end_edges_by_person(
    space: SpaceSession, edge_ids: Sequence[EdgeId], end_moment: datetime, *, actor: str, reason: str
) -> UUID:
    """End these edges by one decision of a person; return its id."""
    decision_id = create_id()
    invalidation_repository.end_edges_and_list_newly_ended(
        space,
        [Ending(edge_id, end_moment) for edge_id in edge_ids],
        kind=EndedBy.PERSON,
        decided_by=actor,
        reason=reason.strip(),
        decision_id=decision_id,
    )
    space.mark_change(Change.GRAPH)
    return decision_id


class EndedConflicts(NamedTuple):
    """The number of rows that were ended, and the cursor of the next page."""

    ended_row_count: int
    next_cursor: ConflictCursor | None


def end_conflicts_by_date(
    space: SpaceSession, *, after: ConflictCursor | None = None, limit: int = 200
) -> EndedConflicts:
    """End by date what is possible in a page of conflict sets; return the number of rows and the next cursor.

    It serves relations declared single-valued after their rows were written; later rows are handled when
    written. Raises Conflict `superseding_off` if the space does not end claims by date.
    """
    if not space.settings.supersede_by_date:
        raise Conflict("This space sets supersede_by_date to false.", code="superseding_off")
    spaces.lock_graph_and_increment_revision(space)
    conflicts = list_conflicts(space, after=after, limit=limit)
    if not conflicts:
        return EndedConflicts(0, None)
    ended_count = superseding.recompute_endings_by_date_and_count_ended(
        space, [(conflict.from_node_id, conflict.relation_type, None) for conflict in conflicts]
    )
    if ended_count:
        space.mark_change(Change.GRAPH)
        audit.record(space, "conflict.end_by_date", details={"ended": ended_count})
    return EndedConflicts(ended_count, conflicts[-1].cursor if len(conflicts) == limit else None)


def list_conflicts(
    space: SpaceSession,
    *,
    relation_type: str | None = None,
    only_contested: bool = False,
    after: ConflictCursor | None = None,
    limit: int = 50,
) -> list[ConflictSet]:
    """Return a page of nodes with several values of a single-valued relation, by relation and node.

    With `only_contested`, only sets with several values that hold. Returns [] for a relation that is not
    declared single-valued.
    """
    input_checks.check_range("limit", limit, 1, PAGE.maximum)
    if relation_type is not None:
        input_checks.check_length_and_characters("relation_type", relation_type)
    single_valued = space.settings.single_valued_relations
    relation_types = [
        declared_type for declared_type in single_valued if relation_type in (None, declared_type)
    ]
    if not relation_types:
        return []
    conflicts = invalidation_repository.list_conflicts(
        space, relation_types, only_contested=only_contested, after=after, limit=limit
    )
    return [_build_conflict_set(rows) for rows in conflicts]


def _build_conflict_set(conflict: ConflictRows) -> ConflictSet:
    """Build the set from its rows, which are sorted: those that hold first, heavier before lighter."""
    rows = conflict.rows
    rows_by_value: dict[NodeId, list[StatedValue]] = {}
    name_by_value_id = {}
    for row, _, name in rows[:MAX_CONFLICT_ROWS]:
        rows_by_value.setdefault(row.edge.to_node_id, []).append(row)
        name_by_value_id[row.edge.to_node_id] = name
    values = tuple(
        ConflictValue(
            node_id,
            name_by_value_id[node_id],
            _determine_status_of_value(stated_values),
            tuple(stated_values),
        )
        for node_id, stated_values in rows_by_value.items()
    )
    if conflict.current_value_count > 1:
        set_status = ConflictStatus.CONTESTED
    else:
        is_decided = any(value.status is ConflictStatus.DECIDED for value in values)
        set_status = ConflictStatus.DECIDED if is_decided else ConflictStatus.SUPERSEDED
    first_row, subject_name, _ = rows[0]
    return ConflictSet(
        first_row.edge.from_node_id,
        subject_name,
        first_row.edge.relation_type,
        set_status,
        values,
        len(rows) > MAX_CONFLICT_ROWS,
    )


def _determine_status_of_value(rows: Sequence[StatedValue]) -> ConflictStatus:
    if any(row.edge.holds() for row in rows):
        return ConflictStatus.CURRENT
    is_ended_by_person = any(row.kind is EndedBy.PERSON for row in rows)
    return ConflictStatus.DECIDED if is_ended_by_person else ConflictStatus.SUPERSEDED
