"""Writes what extraction found into the graph, set-based; every call runs under the graph's lock.

Counts follow the mention rows that were really added or removed, so that a retry changes none
(requirement 3.3), and votes for name and type are kept beside them in the node's metadata.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from app.db.session import SpaceSession
from app.extraction.senses import sense_label
from app.graph.invalidation import superseding
from app.graph.names import normalise_name
from app.graph.resolution.entity_resolver import (
    Candidate,
    KnownNode,
    ResolvedNode,
    choose_name,
    choose_type,
)
from app.graph.resolution.name_similarity import likely_keys
from app.graph.resolution.shapes import MergeOrder
from app.graph.resolution.votes import Vote, apply_votes, with_sense
from app.graph.write import merge_repository, repository, splits
from app.graph.write import merges as node_merges
from app.graph.write.resolving import resolve_candidates
from app.graph.write.write_attributes import write_attributes
from app.ids import ChunkId, DocumentId, NodeId, new_id

SHORT, ALIAS = "short", "alias"


def write_nodes(
    space: SpaceSession, candidates: Sequence[Candidate], *, separates_homonyms: bool
) -> dict[str, int]:
    """Nodes, names and mentions for these candidates; returns how many nodes and mentions are new."""
    if not candidates:
        return {"nodes": 0, "mentions": 0, "merges": 0}
    things = resolve_candidates(space, candidates, separates_homonyms=separates_homonyms)
    made = _insert_new(space, [thing for thing in things if thing.known is None], candidates)
    parts = [
        (
            thing.part,
            choose_name(Counter(candidates[candidate].entity.name for candidate in thing.candidates)),
            node,
        )
        for thing in things
        if thing.part is not None and (node := thing.known) is not None
    ]
    if parts:
        splits.lead_to_parts(space, parts)
    merges = [
        MergeOrder(loser.id, thing.known.id, reason)
        for thing in things
        if thing.known
        for loser, reason in zip(thing.merged, thing.reasons, strict=True)
    ]
    if merges:
        things = _merge(space, things, merges)
    _insert_names(space, things)
    _insert_keys(space, things, candidates)
    added = _insert_mentions(space, things, candidates)
    _update(space, things, candidates, added)
    counts = {"nodes": made, "mentions": len(added), "merges": len(merges)}
    described = [
        (candidates[index].chunk_id, thing.known.id, candidates[index].entity)
        for thing in things
        if thing.known is not None
        for index in thing.candidates
        if candidates[index].entity.attributes
    ]
    if described:
        counts["attributes"] = write_attributes(space, described)
    return counts


def _insert_new(
    space: SpaceSession, resolved_nodes: Sequence[ResolvedNode], candidates: Sequence[Candidate]
) -> int:
    for thing in resolved_nodes:
        names = Counter(candidates[index].entity.name for index in thing.candidates)
        types = Counter(
            candidates[index].entity.node_type
            for index in thing.candidates
            if candidates[index].entity.type_certain
        )
        first = candidates[thing.candidates[0]].chunk_id
        metadata = {"firstSeenChunkId": str(first)}
        name = choose_name(names)
        if thing.sense:
            metadata["sense"] = thing.sense
            name = with_sense(name, thing.sense)
            thing.full_names[normalise_name(name)] = name
        thing.known = KnownNode(NodeId(new_id()), name, choose_type(types), 0, metadata)
    ordered = sorted(
        (thing.known for thing in resolved_nodes if thing.known),
        key=lambda n: (n.canonical_name, n.node_type),
    )
    rows = repository.insert_nodes(
        space, [(node.id, node.canonical_name, node.node_type, json.dumps(node.metadata)) for node in ordered]
    )
    # A node of that very name and type may stand there, found by none of its names: it is the one.
    stored = {(node.canonical_name, node.node_type): node for node, _ in rows}
    for thing in resolved_nodes:
        assert thing.known is not None
        thing.known = stored[(thing.known.canonical_name, thing.known.node_type)]
    return sum(fresh for _, fresh in rows)


def _merge(
    space: SpaceSession, resolved_nodes: list[ResolvedNode], merges: Sequence[MergeOrder]
) -> list[ResolvedNode]:
    recounted = node_merges.merge(space, merges)
    superseding.end_around(space, recounted)
    for thing in resolved_nodes:
        if thing.known is None or not thing.merged:
            continue
        thing.known = recounted[thing.known.id]
        for loser in thing.merged:
            for written in (loser.canonical_name, *loser.metadata.get("aliases", [])):
                _keep(thing.full_names, written)
    return resolved_nodes


def _keep(names: dict[str, str], written: str) -> None:
    normalised = normalise_name(written)
    names[normalised] = max(names.get(normalised, ""), written)


def _insert_names(space: SpaceSession, resolved_nodes: Sequence[ResolvedNode]) -> None:
    rows: dict[tuple[str, NodeId], tuple[str, str]] = {}
    for thing in resolved_nodes:
        assert thing.known is not None
        for kind, names in ((SHORT, thing.short_names), (ALIAS, thing.full_names)):
            for normalised, written in names.items():
                rows[(normalised, thing.known.id)] = (written, kind)
    repository.insert_names(space, [(*key, *rows[key]) for key in sorted(rows)])


def _insert_keys(
    space: SpaceSession, resolved_nodes: Sequence[ResolvedNode], candidates: Sequence[Candidate]
) -> None:
    """Under which keys other spellings find each thing: sure ones by what its texts show, and likely ones."""
    rows: set[tuple[str, NodeId]] = set()
    for thing in resolved_nodes:
        assert thing.known is not None
        written = thing.full_names.values()
        rows |= {(key, thing.known.id) for name in written for key in likely_keys(name)}
        for index in thing.candidates:
            own = candidates[index].full_names()
            names = [own[name] for name in own if name in thing.full_names]
            rows |= {(key, thing.known.id) for key in candidates[index].sure_keys(names)}
    merge_repository.insert_keys(space, rows)


def _insert_mentions(
    space: SpaceSession, resolved_nodes: Sequence[ResolvedNode], candidates: Sequence[Candidate]
) -> list[tuple[NodeId, Vote]]:
    rows: dict[tuple[ChunkId, NodeId], Candidate] = {}
    titular: set[tuple[ChunkId, NodeId]] = set()
    for thing in resolved_nodes:
        assert thing.known is not None
        for index in thing.candidates:
            key = (candidates[index].chunk_id, thing.known.id)
            if candidates[index].titular:
                titular.add(key)
            standing = rows.get(key)
            if standing is None or _order(candidates[index]) < _order(standing):
                rows[key] = candidates[index]
    written = []
    for key in sorted(rows):
        entity = rows[key].entity
        first = entity.surfaces[0]
        node_type = entity.node_type if entity.type_certain else None
        sense = sense_label(entity.sense) or None
        written.append(
            (*key, first.text, first.start, first.end, entity.name, node_type, key in titular, sense)
        )
    return repository.insert_mentions(space, written)


def _order(candidate: Candidate) -> tuple[int, str]:
    return (candidate.entity.surfaces[0].start, candidate.entity.name)


def _update(
    space: SpaceSession,
    resolved_nodes: Sequence[ResolvedNode],
    candidates: Sequence[Candidate],
    added: Sequence[tuple[NodeId, Vote]],
) -> None:
    votes: dict[NodeId, list[Vote]] = defaultdict(list)
    for node_id, vote in added:
        votes[node_id].append(vote)
    rows = []
    for thing in resolved_nodes:
        assert thing.known is not None
        changed = apply_votes(thing.known, votes[thing.known.id], sign=1)
        aliases: dict[str, str] = {}
        for written in (
            *thing.known.metadata.get("aliases", []),
            thing.known.canonical_name,
            *thing.full_names.values(),
        ):
            _keep(aliases, written)
        own = normalise_name(changed.canonical_name)
        changed.metadata["aliases"] = sorted(
            written for normalised, written in aliases.items() if normalised != own
        )
        confidence = max(candidates[index].entity.confidence for index in thing.candidates)
        rows.append(changed_row(changed, len(votes[changed.id]), confidence))
    repository.update_nodes(space, rows)


def changed_row(node: KnownNode, mentions: int, confidence: float) -> tuple[Any, ...]:
    name = node.canonical_name
    return (
        node.id, mentions, name, normalise_name(name), node.node_type, json.dumps(node.metadata), confidence,
    )  # fmt: skip


def count_nodes_of(space: SpaceSession, document_id: DocumentId) -> int:
    """How many nodes the document names by now."""
    return repository.count_nodes_of(space, document_id)
