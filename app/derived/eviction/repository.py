"""Queries of memory: bulk writes of recalls, and the chunks that a policy selects."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.db.session import SpaceSession
from app.derived.eviction.shapes import EvictableChunk, EvictionReason, Plan, Policy, Recalls
from app.ids import ChunkId, DocumentId, EdgeId


def add_chunk_recalls(space: SpaceSession, recalls: Mapping[ChunkId, Recalls]) -> None:
    """Add recalls to the existing chunks among these."""
    if recalls:
        space.run("derived.eviction.record_chunks", _build_recall_columns(recalls))


def add_edge_recalls(space: SpaceSession, recalls: Mapping[EdgeId, Recalls]) -> None:
    """Add recalls to the existing edges among these."""
    if recalls:
        space.run("derived.eviction.record_edges", _build_recall_columns(recalls))


def _build_recall_columns(recalls: Mapping[Any, Recalls]) -> dict[str, list[Any]]:
    return {
        "ids": list(recalls),
        "counts": [recall.count for recall in recalls.values()],
        "scores": [recall.total_score for recall in recalls.values()],
        "ages": [recall.age_seconds for recall in recalls.values()],
    }


def list_evictable_chunks(
    space: SpaceSession, policy: Policy, *, max_examined_chunks: int, after: int, limit: int
) -> Plan:
    """Return which of the first `max_examined_chunks` chunks the policy evicts, listing those after rank
    `after`.
    """
    space.prefer_index_order()
    rows = space.run(
        "derived.eviction.list_evictable_chunks",
        {
            "count_weight": policy.weights.count,
            "average_weight": policy.weights.average,
            "recency_weight": policy.weights.recency,
            "half_life": policy.weights.half_life.total_seconds(),
            "ttl_days": policy.ttl_days,
            "max_chunks": policy.max_chunks,
            "min_value": policy.min_value,
            "grace": policy.grace.total_seconds(),
            "including_last_evidence": policy.including_last_evidence,
            "examine": max_examined_chunks,
            "after": after,
            "limit": limit,
        },
        should_prepare=False,
    )
    chunk_count, evictable_count, protected_count, has_more = rows[0][:4]
    # If none is listed, the totals are in a row of their own.
    candidates = [
        EvictableChunk(
            row[4], ChunkId(row[5]), DocumentId(row[6]), row[7], row[8], row[9], row[10], row[11], row[12],
            EvictionReason(row[13]),
        )
        for row in rows
        if row[4] is not None
    ]  # fmt: skip
    return Plan(policy, chunk_count, evictable_count, protected_count, tuple(candidates), has_more)


def select_still_evictable_chunks(
    space: SpaceSession, chunk_ids: Sequence[ChunkId], *, including_last_evidence: bool
) -> list[ChunkId]:
    """Return the chunks that may still be evicted: their document is not being read, and no edge loses its
    last evidence.
    """
    rows = space.run(
        "derived.eviction.select_still_evictable_chunks",
        {"chunks": list(chunk_ids), "including_last_evidence": including_last_evidence},
    )
    return [ChunkId(row[0]) for row in rows]
