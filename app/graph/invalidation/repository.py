"""Rows of the ledger of ended claims. `end_edges` and `lift_endings` alone set and clear an edge's
invalidated_at.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from app.db.session import SpaceSession
from app.domain.relation_types import LIES_IN
from app.graph.invalidation.shapes import (
    ConflictCursor,
    DatedClaim,
    EndedBy,
    EndedClaim,
    Ending,
    Invalidation,
    StatedValue,
)
from app.graph.repository import EDGE_COLUMNS, edge_from_row
from app.graph.validity import ENDS_WITH_SOURCE, ENDS_WITH_TARGET
from app.ids import ChunkId, DocumentId, EdgeId, NodeId, new_id

Group = tuple[NodeId, str]
"""A node and a relation type that leaves it, or enters it."""
Claimed = tuple[NodeId, str, NodeId | None]
"""A claim: a node, a relation type and the node that it leads to, or None for whatever it leads to."""
MOST_ROWS = 100
"""Rows of a conflict set that are told at most, those that stand first."""


@dataclass(slots=True)
class FoundSet:
    """The rows of a conflict set, each with the names of subject and value, and how many values stand."""

    standing_values: int
    rows: list[tuple[StatedValue, str, str]] = field(default_factory=list)


def dated_rows_of_claims(
    space: SpaceSession, groups: Iterable[Claimed]
) -> tuple[list[DatedClaim], datetime | None]:
    """All rows of these claims, denials among them, in the order of their ids, and the database's time;
    nothing where there is none.
    """
    distinct_groups = set(groups)
    if not distinct_groups:
        return [], None
    rows = space.run("graph.dated_rows_of_claims", _claim_columns(distinct_groups))
    claims_by_id = {row[0]: DatedClaim(*row[:-1]) for row in rows}
    return list(claims_by_id.values()), rows[0][-1] if rows else None


def denied_or_ended_claims(space: SpaceSession, claims: Iterable[Claimed]) -> list[Claimed]:
    """Those of these claims that a row denies, or of which a row ended."""
    distinct_claims = set(claims)
    return (
        [
            _claim_key_from_row(row)
            for row in space.run("graph.denied_or_ended_claims", _claim_columns(distinct_claims))
        ]
        if distinct_claims
        else []
    )


def denied_or_ended_claims_of_nodes(space: SpaceSession, node_ids: Iterable[NodeId]) -> list[Claimed]:
    """The claims about these nodes that a row denies, or of which a row ended."""
    rows = space.run("graph.denied_or_ended_claims_of_nodes", {"nodes": sorted(set(node_ids))})
    return [_claim_key_from_row(row) for row in rows]


def claims_about(space: SpaceSession, node_ids: Iterable[NodeId]) -> set[Claimed]:
    """The claims about these nodes that end where one of them exists no more."""
    parameters = {
        "nodes": sorted(set(node_ids)),
        "leaving": sorted(ENDS_WITH_SOURCE),
        "entering": sorted(ENDS_WITH_TARGET),
    }
    return {_claim_key_from_row(row) for row in space.run("graph.claims_about", parameters)}


def claims_due(space: SpaceSession, reason: str) -> set[Claimed]:
    """The claims that were to begin later, by this reason of the ledger, and whose time has come."""
    return {_claim_key_from_row(row) for row in space.run("graph.claims_due", {"reason": reason})}


def claims_of_targets(space: SpaceSession, targets: Iterable[Group]) -> set[Claimed]:
    """All claims that enter these nodes by these relations, each given as a node and a relation."""
    distinct_targets = sorted(set(targets))
    if not distinct_targets:
        return set()
    parameters = {
        "relations": [relation for _, relation in distinct_targets],
        "to_nodes": [node for node, _ in distinct_targets],
    }
    return {_claim_key_from_row(row) for row in space.run("graph.claims_of_targets", parameters)}


def claims_of_chunks(space: SpaceSession, chunk_ids: Sequence[ChunkId]) -> dict[Claimed, bool]:
    """The claims that these chunks state, or others of the same text: whether a row denies or ends each."""
    rows = space.run("graph.claims_of_chunks", {"chunks": list(chunk_ids)})
    return {_claim_key_from_row(row): bool(row[3]) for row in rows}


def reweigh_edges(space: SpaceSession, chunk_ids: Sequence[ChunkId], *, factor: float) -> None:
    """Multiply the weights of the edges that rest on these chunks, up to 1."""
    space.run("graph.reweigh_edges", {"chunks": list(chunk_ids), "factor": factor})


def claims_denied_by_edges(space: SpaceSession, edge_ids: Iterable[EdgeId]) -> list[Claimed]:
    """The claims of those of these edges that deny or end them."""
    return [
        _claim_key_from_row(row)
        for row in space.run("graph.claims_denied_by_edges", {"edges": sorted(set(edge_ids))})
    ]


def _claim_key_from_row(row: Sequence[Any]) -> Claimed:
    return NodeId(row[0]), row[1], NodeId(row[2])


def _claim_columns(claims: Iterable[Claimed]) -> dict[str, Any]:
    sorted_claims = sorted(claims, key=lambda claim: (claim[0], claim[1], str(claim[2])))
    return {
        "from_nodes": [claim[0] for claim in sorted_claims],
        "relations": [claim[1] for claim in sorted_claims],
        "to_nodes": [claim[2] for claim in sorted_claims],
    }


def transaction_time(space: SpaceSession) -> datetime:
    """When the transaction began, by the database's clock."""
    now: datetime = space.run("graph.transaction_time")[0][0]
    return now


def end_dates_of_claim(
    space: SpaceSession, edge_id: EdgeId
) -> tuple[dict[EdgeId, datetime | None], datetime | None]:
    """When each row of this edge's claim ended, and the database's time; nothing for an unknown edge."""
    rows = space.run("graph.end_dates_of_claim", {"edge": edge_id})
    return {EdgeId(row[0]): row[1] for row in rows}, rows[0][2] if rows else None


def end_edges(
    space: SpaceSession,
    endings: Sequence[Ending],
    *,
    kind: EndedBy,
    decided_by: str,
    reason: str,
    decision_id: UUID | None = None,
) -> list[EdgeId]:
    """End these edges, with a row of the ledger for each; those that had not ended. Each its own decision
    unless one is given.
    """
    ids = [new_id() for _ in endings]
    rows = space.run(
        "graph.end_edges",
        {
            "ids": ids,
            "decisions": [decision_id or row_id for row_id in ids],
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


def lift_endings(
    space: SpaceSession, entry_ids: Sequence[UUID], *, undone_by: str, undone_kind: EndedBy
) -> list[tuple[EdgeId, Claimed]]:
    """Take back these rows of the ledger, as far as they hold: the edges that hold again, each with its
    claim.
    """
    rows = space.run(
        "graph.lift_endings",
        {"ids": list(entry_ids), "undone_by": undone_by, "undone_kind": undone_kind.value},
    )
    return [(EdgeId(row[0]), _claim_key_from_row(row[1:])) for row in rows]


def endings_caused_by_edges(space: SpaceSession, edge_ids: Sequence[EdgeId]) -> list[UUID]:
    """The rows of the ledger that still hold and by which these edges ended others."""
    return [row[0] for row in space.run("graph.endings_caused_by_edges", {"edges": list(edge_ids)})]


def active_endings(space: SpaceSession, edge_ids: Sequence[EdgeId], kind: EndedBy) -> list[UUID]:
    """The rows of the ledger of this kind that still hold and by which these edges are ended."""
    return [
        row[0] for row in space.run("graph.active_endings", {"edges": list(edge_ids), "kind": kind.value})
    ]


def record_replaced_documents(space: SpaceSession, edges: Mapping[EdgeId, DocumentId]) -> None:
    """Note at the decisions of persons about these edges which document's text stated them."""
    space.run("graph.record_replaced_documents", {"edges": list(edges), "documents": list(edges.values())})


def list_endings(
    space: SpaceSession,
    *,
    edge_id: EdgeId | None = None,
    decision_id: UUID | None = None,
    standing: bool = True,
    after: UUID | None = None,
    limit: int = 100,
) -> list[Invalidation]:
    """A page of the ledger's rows, newest first, of one edge or one decision where given; with `standing`
    only those that are not undone. The next page begins after the last one's id.
    """
    rows = space.run(
        "graph.list_endings",
        {"edge": edge_id, "decision": decision_id, "standing": standing, "after": after, "limit": limit},
        prepare=False,
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
    contested: bool,
    after: ConflictCursor | None,
    limit: int,
) -> list[FoundSet]:
    """A page of conflict sets with their rows, at most MOST_ROWS and one of each."""
    rows = space.run(
        "graph.list_conflicts",
        {
            "relations": sorted(set(relation_types)),
            "contested": contested,
            "lies_in": list(LIES_IN),
            "after_relation": after.relation_type if after else None,
            "after_node": after.from_node_id if after else None,
            "limit": limit,
            "per_set": MOST_ROWS + 1,
        },
        prepare=False,
    )
    sets: dict[Group, FoundSet] = {}
    for row in rows:
        subject, value, dated, decision_id, kind, decided_by, reason, source_edge_id, standing_values = row[
            EDGE_COLUMNS:
        ]
        edge = edge_from_row(space, row[:EDGE_COLUMNS])
        stated_value = StatedValue(
            edge, dated, decision_id, EndedBy(kind) if kind else None, decided_by, reason, source_edge_id
        )
        conflict_set = sets.setdefault((edge.from_node_id, edge.relation_type), FoundSet(standing_values))
        conflict_set.rows.append((stated_value, subject, value))
    return list(sets.values())


def ended_claims_in_chunks(
    space: SpaceSession, chunk_ids: Sequence[ChunkId], *, as_of: datetime | None, limit: int
) -> list[EndedClaim]:
    """The claims of these chunks that hold no more, now or at a moment, and that no other row states, the
    last ended first.
    """
    parameters = {"chunks": list(chunk_ids), "as_of": as_of, "limit": limit}
    rows = space.run("graph.ended_claims_in_chunks", parameters)
    return [EndedClaim(ChunkId(row[0]), *row[1:]) for row in rows]


def sentences_stated_later(
    space: SpaceSession, chunk_ids: Sequence[ChunkId], *, as_of: datetime, limit: int
) -> list[tuple[ChunkId, str]]:
    """The sentences of these chunks that only say what began after that moment."""
    parameters = {"chunks": list(chunk_ids), "as_of": as_of, "limit": limit}
    return [(ChunkId(row[0]), row[1]) for row in space.run("graph.sentences_stated_later", parameters)]
