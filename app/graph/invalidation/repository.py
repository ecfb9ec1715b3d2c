"""Rows of the ledger of ended claims.

Only `end_edges_and_list_newly_ended` and `undo_endings_and_list_restored_edges` set and clear an edge's
`invalidated_at`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from app.db.session import SpaceSession
from app.domain.relation_types import CONTAINMENT_RELATIONS
from app.graph.invalidation.shapes import (
    ConflictCursor,
    DatedClaim,
    EndedBy,
    EndedClaim,
    Ending,
    Invalidation,
    StatedValue,
)
from app.graph.repository import EDGE_COLUMN_COUNT, build_edge_from_row
from app.graph.shapes import NodeAndRelation
from app.graph.validity import RELATIONS_ENDING_WITH_SOURCE, RELATIONS_ENDING_WITH_TARGET
from app.ids import ChunkId, DocumentId, EdgeId, NodeId, create_id

ClaimKey = tuple[NodeId, str, NodeId | None]
"""A claim: source node, relation type and target node, or None for any target."""
MAX_CONFLICT_ROWS = 100
"""Maximum number of rows of a conflict set that are returned, those that hold first."""


@dataclass(slots=True)
class ConflictRows:
    """The rows of a conflict set, each with the names of subject and value, and the number of values
    that hold.
    """

    current_value_count: int
    rows: list[tuple[StatedValue, str, str]] = field(default_factory=list)


def list_dated_rows_of_claims(space: SpaceSession, claim_keys: Iterable[ClaimKey]) -> list[DatedClaim]:
    """Return all rows of these claims, denials included, by id."""
    distinct_claim_keys = set(claim_keys)
    if not distinct_claim_keys:
        return []
    rows = space.run("graph.list_dated_rows_of_claims", _build_claim_columns(distinct_claim_keys))
    return list({row[0]: DatedClaim(*row) for row in rows}.values())


def find_denied_or_ended_claims(space: SpaceSession, claim_keys: Iterable[ClaimKey]) -> list[ClaimKey]:
    """Return those of these claims that have a row that denies them or has ended."""
    distinct_claim_keys = set(claim_keys)
    return (
        [
            _build_claim_key_from_row(row)
            for row in space.run(
                "graph.find_denied_or_ended_claims", _build_claim_columns(distinct_claim_keys)
            )
        ]
        if distinct_claim_keys
        else []
    )


def find_denied_or_ended_claims_of_nodes(space: SpaceSession, node_ids: Iterable[NodeId]) -> list[ClaimKey]:
    """Return the claims about these nodes that have a row that denies them or has ended."""
    rows = space.run("graph.find_denied_or_ended_claims_of_nodes", {"nodes": sorted(set(node_ids))})
    return [_build_claim_key_from_row(row) for row in rows]


def find_claims_ending_with_nodes(space: SpaceSession, node_ids: Iterable[NodeId]) -> set[ClaimKey]:
    """Return the claims about these nodes that end when one of the nodes ceases to exist."""
    parameters = {
        "nodes": sorted(set(node_ids)),
        "leaving": sorted(RELATIONS_ENDING_WITH_SOURCE),
        "entering": sorted(RELATIONS_ENDING_WITH_TARGET),
    }
    return {
        _build_claim_key_from_row(row) for row in space.run("graph.find_claims_ending_with_nodes", parameters)
    }


def get_seconds_until_claims_begin_or_end(space: SpaceSession, not_yet_reason: str) -> dict[ClaimKey, float]:
    """Return the claims that begin or end at a later moment, with the seconds from the transaction's time
    until then; at most 0 if it has come.

    The claims that begin later are ended with this reason.
    """
    parameters = {"reason": not_yet_reason, "now": space.transaction_time}
    return {
        _build_claim_key_from_row(row): row[3]
        for row in space.run("graph.list_claims_that_change_later", parameters)
    }


def list_claims_of_targets(space: SpaceSession, targets: Iterable[NodeAndRelation]) -> set[ClaimKey]:
    """Return all claims whose (target, relation) is one of these pairs."""
    distinct_targets = sorted(set(targets))
    if not distinct_targets:
        return set()
    parameters = {
        "relations": [relation for _, relation in distinct_targets],
        "to_nodes": [node for node, _ in distinct_targets],
    }
    return {_build_claim_key_from_row(row) for row in space.run("graph.list_claims_of_targets", parameters)}


class ClaimsOfChunks(NamedTuple):
    """The claims that chunks state, and those of them that a row denies or ends."""

    claim_keys: list[ClaimKey]
    denied_or_ended: set[ClaimKey]


def list_claims_of_chunks(space: SpaceSession, chunk_ids: Sequence[ChunkId]) -> ClaimsOfChunks:
    """Return the claims of these chunks, or of others with the same text."""
    rows = space.run("graph.list_claims_of_chunks", {"chunks": list(chunk_ids)})
    return ClaimsOfChunks(
        [_build_claim_key_from_row(row) for row in rows],
        {_build_claim_key_from_row(row) for row in rows if row[3]},
    )


def multiply_edge_weights(space: SpaceSession, chunk_ids: Sequence[ChunkId], *, factor: float) -> None:
    """Multiply the weights of the edges of these chunks by the factor, up to 1."""
    space.run("graph.multiply_edge_weights", {"chunks": list(chunk_ids), "factor": factor})


def list_claims_denied_by_edges(space: SpaceSession, edge_ids: Iterable[EdgeId]) -> list[ClaimKey]:
    """Return the claims that these edges deny or end."""
    return [
        _build_claim_key_from_row(row)
        for row in space.run("graph.list_claims_denied_by_edges", {"edges": sorted(set(edge_ids))})
    ]


def _build_claim_key_from_row(row: Sequence[Any]) -> ClaimKey:
    return NodeId(row[0]), row[1], NodeId(row[2])


def _build_claim_columns(claim_keys: Iterable[ClaimKey]) -> dict[str, Any]:
    sorted_claim_keys = sorted(
        claim_keys, key=lambda claim_key: (claim_key[0], claim_key[1], str(claim_key[2]))
    )
    return {
        "from_nodes": [claim_key[0] for claim_key in sorted_claim_keys],
        "relations": [claim_key[1] for claim_key in sorted_claim_keys],
        "to_nodes": [claim_key[2] for claim_key in sorted_claim_keys],
    }


def get_end_date_of_each_row_of_claim(space: SpaceSession, edge_id: EdgeId) -> dict[EdgeId, datetime | None]:
    """Return when each row of this edge's claim ended; {} for an unknown edge."""
    rows = space.run("graph.get_end_dates_of_claim", {"edge": edge_id})
    return {EdgeId(row[0]): row[1] for row in rows}


def end_edges_and_list_newly_ended(
    space: SpaceSession,
    endings: Sequence[Ending],
    *,
    kind: EndedBy,
    decided_by: str,
    reason: str,
    decision_id: UUID | None = None,
) -> list[EdgeId]:
    """End these edges, with a ledger row for each; return those that had not ended before.

    Each ending is a decision of its own unless `decision_id` is given.
    """
    entry_ids = [create_id() for _ in endings]
    rows = space.run(
        "graph.end_edges_and_list_newly_ended",
        {
            "ids": entry_ids,
            "decisions": [decision_id or entry_id for entry_id in entry_ids],
            "edges": [ending.edge_id for ending in endings],
            "ends": [ending.until for ending in endings],
            "dates": [ending.claim_dated_at for ending in endings],
            "source_edges": [ending.source_edge_id for ending in endings],
            "source_chunks": [ending.source_chunk_id for ending in endings],
            "documents": [ending.document_id for ending in endings],
            "kind": kind.value,
            "decided_by": decided_by,
            "reason": reason,
        },
    )
    return [EdgeId(row[0]) for row in rows]


def set_future_ends(space: SpaceSession, end_by_edge_id: Mapping[EdgeId, datetime | None]) -> None:
    """Store when each of these edges will end, None if nothing lies ahead."""
    edge_ids = sorted(end_by_edge_id)
    space.run(
        "graph.set_ends_ahead", {"edges": edge_ids, "ends": [end_by_edge_id[edge_id] for edge_id in edge_ids]}
    )


class RestoredEdge(NamedTuple):
    """An edge whose ending was undone, and its claim."""

    edge_id: EdgeId
    claim_key: ClaimKey


def undo_endings_and_list_restored_edges(
    space: SpaceSession, entry_ids: Sequence[UUID], *, undone_by: str, undone_kind: EndedBy
) -> list[RestoredEdge]:
    """Undo these ledger rows that are in force; return the restored edges, each with its claim."""
    rows = space.run(
        "graph.lift_endings",
        {"ids": list(entry_ids), "undone_by": undone_by, "undone_kind": undone_kind.value},
    )
    return [RestoredEdge(EdgeId(row[0]), _build_claim_key_from_row(row[1:])) for row in rows]


def list_ids_of_endings_caused_by_edges(space: SpaceSession, edge_ids: Sequence[EdgeId]) -> list[UUID]:
    """Return the ledger rows in force by which these edges ended others."""
    return [row[0] for row in space.run("graph.list_endings_caused_by_edges", {"edges": list(edge_ids)})]


def list_ids_of_active_endings(space: SpaceSession, edge_ids: Sequence[EdgeId], kind: EndedBy) -> list[UUID]:
    """Return the ledger rows of this kind in force by which these edges are ended."""
    return [
        row[0]
        for row in space.run("graph.list_active_endings", {"edges": list(edge_ids), "kind": kind.value})
    ]


def record_replaced_documents(space: SpaceSession, document_by_edge_id: Mapping[EdgeId, DocumentId]) -> None:
    """Record in persons' decisions about these edges which document's text had stated them."""
    space.run(
        "graph.record_replaced_documents",
        {"edges": list(document_by_edge_id), "documents": list(document_by_edge_id.values())},
    )


def list_endings(
    space: SpaceSession,
    *,
    edge_id: EdgeId | None = None,
    decision_id: UUID | None = None,
    only_in_force: bool = True,
    after: UUID | None = None,
    limit: int = 100,
) -> list[Invalidation]:
    """Return a page of the ledger, newest first, optionally of one edge or one decision.

    With `only_in_force`, only rows that are not undone. `after` is the id of the previous page's last row.
    """
    rows = space.run(
        "graph.list_endings",
        {
            "edge": edge_id,
            "decision": decision_id,
            "only_in_force": only_in_force,
            "after": after,
            "limit": limit,
        },
        should_prepare=False,
    )
    return [
        Invalidation._make(
            (*row[:3], EndedBy(row[3]), *row[4:13], EndedBy(row[13]) if row[13] else None, *row[14:])
        )
        for row in rows
    ]


def list_conflicts(
    space: SpaceSession,
    relation_types: Sequence[str],
    *,
    only_contested: bool,
    after: ConflictCursor | None,
    limit: int,
) -> list[ConflictRows]:
    """Return a page of conflict sets, each with at most `MAX_CONFLICT_ROWS` + 1 rows."""
    rows = space.run(
        "graph.list_conflicts",
        {
            "relations": sorted(set(relation_types)),
            "contested": only_contested,
            "lies_in": list(CONTAINMENT_RELATIONS),
            "after_relation": after.relation_type if after else None,
            "after_node": after.from_node_id if after else None,
            "limit": limit,
            "per_set": MAX_CONFLICT_ROWS + 1,
        },
        should_prepare=False,
    )
    conflict_by_node_and_relation: dict[NodeAndRelation, ConflictRows] = {}
    for row in rows:
        (
            subject_name,
            value_name,
            dated_at,
            decision_id,
            kind,
            decided_by,
            reason,
            source_edge_id,
            current_value_count,
        ) = row[EDGE_COLUMN_COUNT:]
        edge = build_edge_from_row(space, row[:EDGE_COLUMN_COUNT])
        stated_value = StatedValue(
            edge,
            dated_at,
            decision_id,
            EndedBy(kind) if kind else None,
            decided_by,
            reason,
            source_edge_id,
        )
        conflict = conflict_by_node_and_relation.setdefault(
            (edge.from_node_id, edge.relation_type), ConflictRows(current_value_count)
        )
        conflict.rows.append((stated_value, subject_name, value_name))
    return list(conflict_by_node_and_relation.values())


def list_ended_claims_in_chunks(
    space: SpaceSession, chunk_ids: Sequence[ChunkId], *, as_of: datetime | None, limit: int
) -> list[EndedClaim]:
    """Return the claims of these chunks that no longer hold, now or at `as_of`, last ended first.

    Claims that another row still states are left out.
    """
    parameters = {"chunks": list(chunk_ids), "as_of": as_of, "limit": limit}
    rows = space.run("graph.list_ended_claims_in_chunks", parameters)
    return [EndedClaim(ChunkId(row[0]), *row[1:]) for row in rows]


class StatedSentence(NamedTuple):
    """A sentence of a chunk that an edge quotes."""

    chunk_id: ChunkId
    sentence: str


def list_sentences_stated_later(
    space: SpaceSession, chunk_ids: Sequence[ChunkId], *, as_of: datetime, limit: int
) -> list[StatedSentence]:
    """Return the sentences of these chunks that state only what began after that moment."""
    parameters = {"chunks": list(chunk_ids), "as_of": as_of, "limit": limit}
    return [
        StatedSentence(ChunkId(row[0]), row[1])
        for row in space.run("graph.list_sentences_stated_later", parameters)
    ]
