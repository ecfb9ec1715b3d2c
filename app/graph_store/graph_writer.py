"""Writes what extraction found into the graph, set-based; every call runs under the graph's lock.

Counts follow the mention rows that were really added or removed, so that a retry changes none
(requirement 3.3), and votes for name and type are kept beside them in the node's metadata.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from app.db.session import SpaceSession
from app.extraction.edge_weights import key_within
from app.extraction.grounding import GroundedRelation
from app.graph.invalidation import service as invalidation
from app.graph.invalidation import superseding
from app.graph.names import normalise_name
from app.graph_store import merge_repository, repository
from app.graph_store import merges as node_merges
from app.graph_store.write_attributes import write_attributes
from app.ids import ChunkId, DocumentId, EdgeId, NodeId, new_id
from app.resolution.entity_resolver import (
    Candidate,
    KnownNode,
    ResolvedNode,
    choose_name,
    choose_type,
    name_key,
    precedence,
    resolve,
)
from app.resolution.group_splitter import is_split, split
from app.resolution.name_similarity import likely_keys
from app.resolution.shapes import MergeOrder
from app.resolution.verdicts import Verdicts

SHORT, ALIAS = "short", "alias"


@dataclass(frozen=True)
class EdgeDraft:
    """One edge to be written; its ends are named, not numbered: nodes may merge in between.

    `stated_at` is the date of what states it: of the turn in a conversation, else of the document.
    """

    chunk_id: ChunkId
    from_name: str
    from_type: str
    to_name: str
    to_type: str
    relation: GroundedRelation
    weight: float
    extraction_key: UUID
    document_id: DocumentId
    stated_at: datetime | None = None


def write_nodes(
    space: SpaceSession, candidates: Sequence[Candidate], *, separates_homonyms: bool
) -> dict[str, int]:
    """Nodes, names and mentions for these candidates; returns how many nodes and mentions are new."""
    if not candidates:
        return {"nodes": 0, "mentions": 0, "merges": 0}
    things = _resolve(space, candidates, separates_homonyms=separates_homonyms)
    made = _insert_new(space, [thing for thing in things if thing.known is None], candidates)
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


def _resolve(
    space: SpaceSession, candidates: Sequence[Candidate], *, separates_homonyms: bool
) -> list[ResolvedNode]:
    names = {name: written for each in candidates for name, written in each.full_names().items()}
    by_name = repository.known_names(space, list(names))
    sure = {key for each in candidates for key in each.sure_keys(each.full_names().values())}
    by_key = merge_repository.known_keys(space, sure)
    things, groups = resolve(candidates, by_name, by_key, separates_homonyms=separates_homonyms)
    concerned = names.keys() | {name for _, node in (*by_name, *by_key) for name in node.full_names()}
    verdicts = Verdicts(merge_repository.verdicts_on(space, concerned))
    if not verdicts:
        return things
    return [
        part
        for thing, group in zip(things, groups, strict=True)
        for part in (
            split(group, candidates, verdicts, separates_homonyms=separates_homonyms)
            if is_split(group, candidates, verdicts)
            else [thing]
        )
    ]


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
    rows = repository.insert_nodes(
        space, [(node.id, node.canonical_name, node.node_type, json.dumps(node.metadata)) for node in ordered]
    )
    # A node of that very name and type may stand there, found by none of its names: it is the one.
    stored = {(node.canonical_name, node.node_type): node for node, _ in rows}
    for thing in things:
        assert thing.known is not None
        thing.known = stored[(thing.known.canonical_name, thing.known.node_type)]
    return sum(fresh for _, fresh in rows)


def _merge(
    space: SpaceSession, things: list[ResolvedNode], merges: Sequence[MergeOrder]
) -> list[ResolvedNode]:
    recounted = node_merges.merge(space, merges)
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
    repository.insert_names(space, [(*key, *rows[key]) for key in sorted(rows)])


def _insert_keys(
    space: SpaceSession, things: Sequence[ResolvedNode], candidates: Sequence[Candidate]
) -> None:
    """Under which keys other spellings find each thing: sure ones by what its texts show, and likely ones."""
    rows: set[tuple[str, NodeId]] = set()
    for thing in things:
        assert thing.known is not None
        written = thing.full_names.values()
        rows |= {(key, thing.known.id) for name in written for key in likely_keys(name)}
        for index in thing.candidates:
            own = candidates[index].full_names()
            names = [own[name] for name in own if name in thing.full_names]
            rows |= {(key, thing.known.id) for key in candidates[index].sure_keys(names)}
    merge_repository.insert_keys(space, rows)


def _insert_mentions(
    space: SpaceSession, things: Sequence[ResolvedNode], candidates: Sequence[Candidate]
) -> list[tuple[NodeId, str, str | None]]:
    rows: dict[tuple[ChunkId, NodeId], Candidate] = {}
    titular: set[tuple[ChunkId, NodeId]] = set()
    for thing in things:
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
        written.append((*key, first.text, first.start, first.end, entity.name, node_type, key in titular))
    return repository.insert_mentions(space, written)


def _order(candidate: Candidate) -> tuple[int, str]:
    return (candidate.entity.surfaces[0].start, candidate.entity.name)


def _update(
    space: SpaceSession,
    things: Sequence[ResolvedNode],
    candidates: Sequence[Candidate],
    added: Sequence[tuple[NodeId, str, str | None]],
) -> None:
    votes: dict[NodeId, list[tuple[str, str | None]]] = defaultdict(list)
    for node_id, name, node_type in added:
        votes[node_id].append((name, node_type))
    rows = []
    for thing in things:
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
        rows.append(_change(changed, len(votes[changed.id]), confidence))
    repository.update_nodes(space, rows)


def _change(node: KnownNode, mentions: int, confidence: float) -> tuple[Any, ...]:
    name = node.canonical_name
    return (
        node.id, mentions, name, normalise_name(name), node.node_type, json.dumps(node.metadata), confidence,
    )  # fmt: skip


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


class _Ends:
    """Which nodes the names of edges mean: of several of one name the one that the edge's chunk mentions."""

    def __init__(self, space: SpaceSession, edges: Sequence[EdgeDraft], *, separates_homonyms: bool) -> None:
        self._separates_homonyms = separates_homonyms
        self._nodes: dict[Hashable, list[KnownNode]] = defaultdict(list)
        names = [name for edge in edges for name in (edge.from_name, edge.to_name)]
        for name, node in repository.known_names(space, names):
            self._nodes[self._key(name, node.node_type)].append(node)
        for nodes in self._nodes.values():
            nodes.sort(key=precedence)
        several = {node.id for nodes in self._nodes.values() if len(nodes) > 1 for node in nodes}
        self._mentioned: set[tuple[ChunkId, NodeId]] = set()
        if several:
            chunks = {edge.chunk_id for edge in edges}
            self._mentioned = merge_repository.mentioned_of(space, chunks, several)

    def node(self, name: str, node_type: str, chunk_id: ChunkId) -> KnownNode | None:
        """The node that this name means in this chunk; None where nothing has the name."""
        nodes = self._nodes.get(self._key(name, node_type), [])
        if len(nodes) > 1:
            here = [node for node in nodes if (chunk_id, node.id) in self._mentioned]
            nodes = [node for node in here if node.node_type == node_type] or here or nodes
        return nodes[0] if nodes else None

    def _key(self, name: str, node_type: str) -> Hashable:
        return name_key(name, node_type, separates_homonyms=self._separates_homonyms)


def write_edges(
    space: SpaceSession,
    edges: Sequence[EdgeDraft],
    *,
    model: str,
    separates_homonyms: bool,
    single_valued: Collection[str] = (),
) -> dict[str, int]:
    """Edges with their evidence, each once however often it is written; returns how many are new.

    Of a relation type that is `single_valued` what a later date contradicts is ended in the same transaction.
    """
    if not edges:
        return {"edges": 0}
    best = _Ends(space, edges, separates_homonyms=separates_homonyms)
    extracted_at = datetime.now(UTC).isoformat(timespec="seconds")
    rows: dict[UUID, tuple[Any, ...]] = {}
    for edge in edges:
        start = best.node(edge.from_name, edge.from_type, edge.chunk_id)
        end = best.node(edge.to_name, edge.to_type, edge.chunk_id)
        # Of a relation with one value the date decides: the same words of another date are another row.
        dated = edge.stated_at is not None and edge.relation.relation_type in single_valued
        key = key_within(edge.extraction_key, str(edge.stated_at)) if dated else edge.extraction_key
        if start is None or end is None or start.id == end.id or key in rows:
            continue
        metadata: dict[str, Any] = {
            "confidence": round(edge.relation.confidence, 4),
            "model": model,
            "extractedAt": extracted_at,
            "quote": edge.relation.quote,
            "charStart": edge.relation.quote_start,
            "charEnd": edge.relation.quote_end,
        }
        if edge.stated_at is not None:
            metadata["statedAt"] = edge.stated_at.isoformat()
        rows[key] = (
            key, new_id(), start.id, end.id, edge.relation.relation_type, edge.weight, edge.chunk_id,
            json.dumps(metadata), edge.document_id,
        )  # fmt: skip
    inserted, restated = repository.insert_edges(space, [rows[key] for key in sorted(rows)])
    if restated:
        # Another document says in the same words what was ended: a row of its own, which holds.
        again = [(key_within(key, str(rows[key][-1])), new_id(), *rows[key][2:]) for key in restated]
        inserted += repository.insert_edges(space, sorted(again))[0]
    written = {"edges": inserted}
    concerned = {(row[2], row[4]) for row in rows.values() if row[4] in single_valued}
    if concerned:
        written["superseded"] = superseding.end_by_date(space, concerned)
    return written


@dataclass(frozen=True)
class Forgotten:
    """The traces of chunks about to be deleted: edges without evidence, nodes named less often."""

    edge_ids: list[UUID]
    node_ids: list[NodeId]


def forget_chunks(space: SpaceSession, chunk_ids: Sequence[ChunkId]) -> Forgotten:
    """Undo what these chunks, about to be deleted, count for.

    Edges stay (requirement 2.4): their evidence becomes another chunk of the same text, else null.
    """
    ids = sorted(chunk_ids)
    by_node: dict[NodeId, tuple[KnownNode, list[tuple[str, str | None]]]] = {}
    for node, name, node_type in repository.mentions_of_chunks(space, ids):
        by_node.setdefault(node.id, (node, []))[1].append((name, node_type))
    rows = [
        _change(apply_votes(node, mentions, sign=-1), -len(mentions), 0.0)
        for node, mentions in by_node.values()
    ]
    repository.update_nodes(space, rows)
    described = repository.forget_attributes(space, ids)
    if described:
        repository.apply_attribute_votes(space, described)
    return Forgotten(repository.forget_evidence(space, ids), list(by_node))


def prune(space: SpaceSession, edge_ids: Sequence[UUID], node_ids: Sequence[NodeId]) -> dict[str, int]:
    """Remove these edges, and those nodes, theirs included, left without edges and mentions (2.4)."""
    ends = repository.prune_edges(space, edge_ids)
    # What stands on a source that is gone has no reason any more.
    invalidation.sources_gone(space, [EdgeId(each) for each in edge_ids])
    return {"edges": len(edge_ids), "nodes": repository.prune_nodes(space, [*ends, *node_ids])}


def count_nodes_of(space: SpaceSession, document_id: DocumentId) -> int:
    """How many nodes the document names by now."""
    return repository.count_nodes_of(space, document_id)
