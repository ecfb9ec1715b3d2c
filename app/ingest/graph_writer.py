"""Writes what extraction found into the graph, set-based; every call runs under the graph's lock.

Counts follow the mention rows that were really added or removed, so that a retry changes none
(requirement 3.3), and votes for name and type are kept beside them in the node's metadata.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from app.db.session import SpaceSession
from app.graph.names import normalise_name
from app.ids import ChunkId, NodeId, new_id
from app.ingest.entity_resolver import (
    Candidate,
    KnownNode,
    ResolvedNode,
    choose_name,
    choose_type,
    resolve,
)
from app.ingest.grounding import GroundedRelation

SHORT, ALIAS = "short", "alias"


@dataclass(frozen=True)
class EdgeDraft:
    """One edge to be written; its ends are named, not numbered: nodes may merge in between."""

    chunk_id: ChunkId
    from_name: str
    from_type: str
    to_name: str
    to_type: str
    relation: GroundedRelation
    weight: float
    extraction_key: UUID


def write_nodes(
    space: SpaceSession, candidates: Sequence[Candidate], *, separates_homonyms: bool
) -> dict[str, int]:
    """Nodes, names and mentions for these candidates; returns how many nodes and mentions are new."""
    if not candidates:
        return {"nodes": 0, "mentions": 0, "merges": 0}
    known = find_known(space, [name for each in candidates for name in each.full_names()])
    things = resolve(candidates, known, separates_homonyms=separates_homonyms)
    made = _insert_new(space, [thing for thing in things if thing.known is None], candidates)
    merges = [(loser, thing.known) for thing in things if thing.known for loser in thing.merged]
    if merges:
        things = _merge(space, things, merges)
    _insert_names(space, things)
    added = _insert_mentions(space, things, candidates)
    _update(space, things, candidates, added)
    return {"nodes": made, "mentions": len(added), "merges": len(merges)}


def find_known(space: SpaceSession, names: Sequence[str]) -> list[tuple[str, KnownNode]]:
    """(normalised name, node) for every node that one of these full names identifies."""
    rows = space.run("ingest.known_names", {"names": sorted(set(names))})
    return [(name, KnownNode(NodeId(node_id), *rest)) for name, node_id, *rest in rows]


def _insert_new(space: SpaceSession, things: Sequence[ResolvedNode], candidates: Sequence[Candidate]) -> int:
    for thing in things:
        names = Counter(candidates[index].entity.name for index in thing.candidates)
        types = Counter(
            candidates[index].entity.node_type
            for index in thing.candidates
            if candidates[index].entity.type_certain
        )
        first = candidates[thing.candidates[0]].chunk_id
        thing.known = KnownNode(
            NodeId(new_id()), choose_name(names), choose_type(types), 0, {"firstSeenChunkId": str(first)}
        )
    ordered = sorted(
        (thing.known for thing in things if thing.known), key=lambda n: (n.canonical_name, n.node_type)
    )
    rows = space.run(
        "ingest.insert_nodes",
        {
            "ids": [node.id for node in ordered],
            "names": [node.canonical_name for node in ordered],
            "types": [node.node_type for node in ordered],
            "metadata": [json.dumps(node.metadata) for node in ordered],
        },
    )
    # A node of that very name and type may stand there, found by none of its names: it is the one.
    stored = {
        (name, node_type): KnownNode(NodeId(i), name, node_type, count, meta)
        for i, name, node_type, count, meta, _ in rows
    }
    for thing in things:
        assert thing.known is not None
        thing.known = stored[(thing.known.canonical_name, thing.known.node_type)]
    return sum(1 for row in rows if row[5])


def _merge(
    space: SpaceSession, things: list[ResolvedNode], merges: Sequence[tuple[KnownNode, KnownNode]]
) -> list[ResolvedNode]:
    losers, winners = [loser.id for loser, _ in merges], [winner.id for _, winner in merges]
    space.run("ingest.merge_nodes", {"losers": losers, "winners": winners})
    space.run("ingest.drop_merged", {"losers": losers, "winners": winners})
    recounted = {
        NodeId(node_id): KnownNode(NodeId(node_id), *rest)
        for node_id, *rest in space.run("ingest.recount_nodes", {"nodes": sorted(set(winners))})
    }
    for thing in things:
        if thing.known is None or not thing.merged:
            continue
        thing.known = recounted[thing.known.id]
        for loser in thing.merged:
            for written in (loser.canonical_name, *loser.metadata.get("aliases", [])):
                _keep(thing.full_names, written)
    return things


def _keep(names: dict[str, str], written: str) -> None:
    normalised = normalise_name(written)
    names[normalised] = max(names.get(normalised, ""), written)


def _insert_names(space: SpaceSession, things: Sequence[ResolvedNode]) -> None:
    rows: dict[tuple[str, NodeId], tuple[str, str]] = {}
    for thing in things:
        assert thing.known is not None
        for kind, names in ((SHORT, thing.short_names), (ALIAS, thing.full_names)):
            for normalised, written in names.items():
                rows[(normalised, thing.known.id)] = (written, kind)
    keys = sorted(rows)
    space.run(
        "ingest.insert_names",
        {
            "names": [name for name, _ in keys],
            "nodes": [node for _, node in keys],
            "written": [rows[key][0] for key in keys],
            "kinds": [rows[key][1] for key in keys],
        },
    )


def _insert_mentions(
    space: SpaceSession, things: Sequence[ResolvedNode], candidates: Sequence[Candidate]
) -> list[tuple[Any, ...]]:
    rows: dict[tuple[ChunkId, NodeId], Candidate] = {}
    for thing in things:
        assert thing.known is not None
        for index in thing.candidates:
            key = (candidates[index].chunk_id, thing.known.id)
            standing = rows.get(key)
            if standing is None or _order(candidates[index]) < _order(standing):
                rows[key] = candidates[index]
    keys = sorted(rows)
    surfaces = [rows[key].entity.surfaces[0] for key in keys]
    return space.run(
        "ingest.insert_mentions",
        {
            "chunks": [chunk for chunk, _ in keys],
            "nodes": [node for _, node in keys],
            "surfaces": [each.text for each in surfaces],
            "starts": [each.start for each in surfaces],
            "ends": [each.end for each in surfaces],
            "names": [rows[key].entity.name for key in keys],
            "types": [rows[key].entity.node_type if rows[key].entity.type_certain else None for key in keys],
        },
    )


def _order(candidate: Candidate) -> tuple[int, str]:
    return (candidate.entity.surfaces[0].start, candidate.entity.name)


def _update(
    space: SpaceSession,
    things: Sequence[ResolvedNode],
    candidates: Sequence[Candidate],
    added: Sequence[tuple[Any, ...]],
) -> None:
    votes: dict[NodeId, list[tuple[str, str | None]]] = defaultdict(list)
    for node_id, name, node_type in added:
        votes[NodeId(node_id)].append((name, node_type))
    ids, counts, names, types, metadata, confidences = [], [], [], [], [], []
    for thing in things:
        node = thing.known
        assert node is not None
        changed = apply_votes(node, votes[node.id], sign=1)
        aliases: dict[str, str] = {}
        for written in (*node.metadata.get("aliases", []), node.canonical_name, *thing.full_names.values()):
            _keep(aliases, written)
        canonical = changed.canonical_name
        changed.metadata["aliases"] = sorted(
            written for normalised, written in aliases.items() if normalised != normalise_name(canonical)
        )
        ids.append(node.id)
        counts.append(len(votes[node.id]))
        names.append(canonical)
        types.append(changed.node_type)
        metadata.append(json.dumps(changed.metadata))
        confidences.append(max(candidates[index].entity.confidence for index in thing.candidates))
    _write_changes(space, ids, counts, names, types, metadata, confidences)


def _write_changes(
    space: SpaceSession,
    ids: list[NodeId],
    counts: list[int],
    names: list[str],
    types: list[str],
    metadata: list[str],
    confidences: list[float],
) -> None:
    space.run(
        "ingest.update_nodes",
        {
            "ids": ids,
            "counts": counts,
            "names": names,
            "normalised": [normalise_name(name) for name in names],
            "types": types,
            "metadata": metadata,
            "confidences": confidences,
        },
    )


def apply_votes(node: KnownNode, mentions: Sequence[tuple[str, str | None]], *, sign: int) -> KnownNode:
    """The node as these mentions, (name, type or None), leave it when they come (1) or go (-1)."""
    metadata = dict(node.metadata)
    names, types = Counter(metadata.get("nameVotes", {})), Counter(metadata.get("typeVotes", {}))
    for name, node_type in mentions:
        names[name] += sign
        if node_type is not None:
            types[node_type] += sign
    names, types = +names, +types
    metadata["nameVotes"], metadata["typeVotes"] = dict(names), dict(types)
    return KnownNode(
        node.id,
        choose_name(names) if names else node.canonical_name,
        choose_type(types) if types else node.node_type,
        node.mention_count + sign * len(mentions),
        metadata,
    )


def write_edges(
    space: SpaceSession, edges: Sequence[EdgeDraft], *, model: str, separates_homonyms: bool
) -> dict[str, int]:
    """Edges with their evidence, each once however often it is written; returns how many are new."""
    if not edges:
        return {"edges": 0}
    names = [name for edge in edges for name in (edge.from_name, edge.to_name)]
    best: dict[tuple[str, str], KnownNode] = {}
    for name, node in find_known(space, names):
        key = (name, node.node_type if separates_homonyms else "")
        standing = best.get(key)
        if standing is None or (-node.mention_count, str(node.id)) < (
            -standing.mention_count,
            str(standing.id),
        ):
            best[key] = node
    extracted_at = datetime.now(UTC).isoformat(timespec="seconds")
    rows: dict[UUID, tuple[Any, ...]] = {}
    for edge in edges:
        start = best.get((edge.from_name, edge.from_type if separates_homonyms else ""))
        end = best.get((edge.to_name, edge.to_type if separates_homonyms else ""))
        if start is None or end is None or start.id == end.id or edge.extraction_key in rows:
            continue
        metadata = {
            "confidence": round(edge.relation.confidence, 4),
            "model": model,
            "extractedAt": extracted_at,
            "quote": edge.relation.quote,
            "charStart": edge.relation.quote_start,
            "charEnd": edge.relation.quote_end,
        }
        rows[edge.extraction_key] = (
            new_id(), start.id, end.id, edge.relation.relation_type, edge.weight, edge.chunk_id, json.dumps(metadata),
        )  # fmt: skip
    keys = sorted(rows)
    columns = list(zip(*(rows[key] for key in keys), strict=True)) if keys else [()] * 7
    inserted = space.run(
        "ingest.insert_edges",
        {
            "keys": keys,
            "ids": list(columns[0]),
            "from_nodes": list(columns[1]),
            "to_nodes": list(columns[2]),
            "relations": list(columns[3]),
            "weights": list(columns[4]),
            "chunks": list(columns[5]),
            "metadata": list(columns[6]),
        },
    )
    space.run("ingest.confirm_edges", {"keys": keys})
    return {"edges": int(inserted[0][0])}


@dataclass(frozen=True)
class Forgotten:
    """What chunks about to be deleted leave behind: edges without evidence, nodes named less often."""

    edge_ids: list[UUID]
    node_ids: list[NodeId]


def forget_chunks(space: SpaceSession, chunk_ids: Sequence[ChunkId]) -> Forgotten:
    """Undo what these chunks, about to be deleted, count for.

    Edges stay (requirement 2.4): their evidence becomes another chunk of the same text, else null.
    """
    ids = sorted(chunk_ids)
    by_node: dict[NodeId, tuple[KnownNode, list[tuple[str, str | None]]]] = {}
    for node_id, canonical, node_type, count, metadata, name, mention_type in space.run(
        "ingest.mentions_of_chunks", {"chunks": ids}
    ):
        node = KnownNode(NodeId(node_id), canonical, node_type, count, metadata)
        by_node.setdefault(node.id, (node, []))[1].append((name, mention_type))
    changed = [apply_votes(node, mentions, sign=-1) for node, mentions in by_node.values()]
    _write_changes(
        space,
        [node.id for node in changed],
        [-len(by_node[node.id][1]) for node in changed],
        [node.canonical_name for node in changed],
        [node.node_type for node in changed],
        [json.dumps(node.metadata) for node in changed],
        [0.0] * len(changed),
    )
    unlinked = [row[0] for row in space.run("ingest.forget_evidence", {"chunks": ids}) if row[1]]
    return Forgotten(unlinked, [node.id for node in changed])


def prune(space: SpaceSession, edge_ids: Sequence[UUID], node_ids: Sequence[NodeId]) -> dict[str, int]:
    """Remove these edges, and those nodes, theirs included, left without edges and mentions (2.4)."""
    ends = [row[0] for row in space.run("ingest.prune_edges", {"edges": list(edge_ids)})]
    gone = space.run("ingest.prune_nodes", {"nodes": [*ends, *node_ids]})
    return {"edges": len(edge_ids), "nodes": len(gone)}
