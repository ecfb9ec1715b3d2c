"""Write extracted entities into the graph in sets; every call runs under the graph's lock.

Counts follow the mention rows that were actually added or removed, so that a retry changes none (requirement
3.3). Votes for name and type are stored with them in the node's metadata.
"""

import json
from collections import Counter
from collections.abc import Collection, Sequence

from app.db.session import SpaceSession
from app.extraction.sense_detection import build_sense_label
from app.graph.invalidation import superseding
from app.graph.names import normalise_name
from app.graph.resolution.entity_resolver import (
    Candidate,
    KnownNode,
    ResolvedNode,
    choose_canonical_name,
    choose_node_type,
    keep_one_spelling,
)
from app.graph.resolution.name_similarity import list_likely_spelling_keys
from app.graph.resolution.shapes import MergeOrder
from app.graph.resolution.votes import GIVEN_NAME_KEY, format_name_with_sense
from app.graph.write import merge_repository, name_ties, repository, splits
from app.graph.write import merges as node_merges
from app.graph.write.mention_counts import raise_mention_counts_and_rename_nodes
from app.graph.write.repository import AddedVote, CountByName, count_nodes_of_document
from app.graph.write.resolving import resolve_candidates_and_split_nodes
from app.graph.write.write_attributes import write_attributes_and_count_new
from app.ids import ChunkId, NodeId, create_id

__all__ = ["count_nodes_of_document"]

SHORT_NAME, ALIAS_NAME = "short", "alias"


def write_resolved_nodes_and_count_changes(
    space: SpaceSession, candidates: Sequence[Candidate], *, separates_homonyms: bool
) -> CountByName:
    """Write nodes, names and mentions of these candidates; return the counts of new rows and of merges."""
    if not candidates:
        return {"nodes": 0, "mentions": 0, "merges": 0}
    resolved_nodes = resolve_candidates_and_split_nodes(
        space, candidates, separates_homonyms=separates_homonyms
    )
    inserted_count = _insert_or_reuse_nodes(
        space,
        [resolved_node for resolved_node in resolved_nodes if resolved_node.known_node is None],
        candidates,
    )
    returned_parts = [
        (
            resolved_node.split_part,
            choose_canonical_name(
                Counter(candidates[index].entity.name for index in resolved_node.candidate_indices)
            ),
            node,
        )
        for resolved_node in resolved_nodes
        if resolved_node.split_part is not None and (node := resolved_node.known_node) is not None
    ]
    if returned_parts:
        splits.relink_splits_to_parts(space, returned_parts)
    merge_orders = [
        MergeOrder(loser.id, resolved_node.known_node.id, reason)
        for resolved_node in resolved_nodes
        if resolved_node.known_node
        for loser, reason in zip(resolved_node.merged_nodes, resolved_node.merge_reasons, strict=True)
    ]
    nameless_ids = _delete_names_of_nodes_without_texts(space, resolved_nodes)
    if merge_orders:
        resolved_nodes = _merge_resolved_nodes(space, resolved_nodes, merge_orders, nameless_ids)
    _insert_names(space, resolved_nodes)
    _insert_spelling_keys(space, resolved_nodes, candidates)
    added_votes = _insert_mentions(space, resolved_nodes, candidates)
    name_ties.store_names_tied_by_candidates(space, candidates)
    raise_mention_counts_and_rename_nodes(space, resolved_nodes, candidates, added_votes, nameless_ids)
    row_counts = {"nodes": inserted_count, "mentions": len(added_votes), "merges": len(merge_orders)}
    described_nodes = [
        (candidates[index].chunk_id, resolved_node.known_node.id, candidates[index].entity)
        for resolved_node in resolved_nodes
        if resolved_node.known_node is not None
        for index in resolved_node.candidate_indices
        if candidates[index].entity.attributes
    ]
    if described_nodes:
        row_counts["attributes"] = write_attributes_and_count_new(space, described_nodes)
    return row_counts


def _insert_or_reuse_nodes(
    space: SpaceSession, resolved_nodes: Sequence[ResolvedNode], candidates: Sequence[Candidate]
) -> int:
    for resolved_node in resolved_nodes:
        name_votes = Counter(candidates[index].entity.name for index in resolved_node.candidate_indices)
        type_votes = Counter(
            voted_type
            for index in resolved_node.candidate_indices
            if (voted_type := candidates[index].entity.voted_type) is not None
        )
        first_chunk_id = candidates[resolved_node.candidate_indices[0]].chunk_id
        metadata = {"firstSeenChunkId": str(first_chunk_id)}
        name = choose_canonical_name(name_votes)
        if resolved_node.sense:
            metadata["sense"] = resolved_node.sense
            name = format_name_with_sense(name, resolved_node.sense)
            resolved_node.full_names[normalise_name(name)] = name
        resolved_node.known_node = KnownNode(
            NodeId(create_id()), name, choose_node_type(type_votes), 0, metadata
        )
    sorted_nodes = sorted(
        (resolved_node.known_node for resolved_node in resolved_nodes if resolved_node.known_node),
        key=lambda node: (node.canonical_name, node.node_type),
    )
    inserted_nodes = repository.insert_nodes(
        space,
        [(node.id, node.canonical_name, node.node_type, json.dumps(node.metadata)) for node in sorted_nodes],
    )
    # A node with this name and type may exist although none of its names matched: use that one.
    node_by_name_and_type = {(node.canonical_name, node.node_type): node for node, _ in inserted_nodes}
    for resolved_node in resolved_nodes:
        assert resolved_node.known_node is not None
        resolved_node.known_node = node_by_name_and_type[
            (resolved_node.known_node.canonical_name, resolved_node.known_node.node_type)
        ]
    return sum(is_new for _, is_new in inserted_nodes)


def _merge_resolved_nodes(
    space: SpaceSession,
    resolved_nodes: list[ResolvedNode],
    merge_orders: Sequence[MergeOrder],
    nameless_ids: Collection[NodeId],
) -> list[ResolvedNode]:
    recounted_nodes = node_merges.apply_merges(space, merge_orders)
    superseding.recompute_endings_after_merge_or_split(space, recounted_nodes)
    for resolved_node in resolved_nodes:
        if resolved_node.known_node is None or not resolved_node.merged_nodes:
            continue
        resolved_node.known_node = recounted_nodes[resolved_node.known_node.id]
        for loser in resolved_node.merged_nodes:
            if loser.id in nameless_ids:
                continue
            for written_name in (loser.canonical_name, *loser.metadata.get("aliases", [])):
                keep_one_spelling(resolved_node.full_names, written_name)
    return resolved_nodes


def _delete_names_of_nodes_without_texts(
    space: SpaceSession, resolved_nodes: Sequence[ResolvedNode]
) -> set[NodeId]:
    """Remove the names of nodes whose texts have gone: they are called what the new texts call them.

    Returns these nodes.
    """
    node_ids = {
        node.id
        for resolved_node in resolved_nodes
        for node in (resolved_node.known_node, *resolved_node.merged_nodes)
        if node is not None and _has_lost_its_texts(node)
    }
    if node_ids:
        repository.delete_names_of_nodes(space, sorted(node_ids))
    return node_ids


def _has_lost_its_texts(node: KnownNode) -> bool:
    """Return whether no text names the node any more.

    A node that never had a text, or that a person or a sense named, keeps its names.
    """
    metadata = node.metadata
    return (
        not node.mention_count
        and metadata.get("nameVotes") == {}
        and GIVEN_NAME_KEY not in metadata
        and not metadata.get("sense")
    )


def _insert_names(space: SpaceSession, resolved_nodes: Sequence[ResolvedNode]) -> None:
    name_and_kind_by_key: dict[tuple[str, NodeId], tuple[str, str]] = {}
    for resolved_node in resolved_nodes:
        assert resolved_node.known_node is not None
        for name_kind, written_names in (
            (SHORT_NAME, resolved_node.short_names),
            (ALIAS_NAME, resolved_node.full_names),
        ):
            for normalised_name, written_name in written_names.items():
                name_and_kind_by_key[(normalised_name, resolved_node.known_node.id)] = (
                    written_name,
                    name_kind,
                )
    repository.insert_names(
        space, [(*key, *name_and_kind_by_key[key]) for key in sorted(name_and_kind_by_key)]
    )


def _insert_spelling_keys(
    space: SpaceSession, resolved_nodes: Sequence[ResolvedNode], candidates: Sequence[Candidate]
) -> None:
    """Insert the keys by which other spellings of a node are found: sure ones from its texts, and likely
    ones.
    """
    key_rows: set[tuple[str, NodeId]] = set()
    for resolved_node in resolved_nodes:
        assert resolved_node.known_node is not None
        written_names = resolved_node.full_names.values()
        key_rows |= {
            (key, resolved_node.known_node.id)
            for name in written_names
            for key in list_likely_spelling_keys(name)
        }
        for index in resolved_node.candidate_indices:
            full_names = candidates[index].full_names()
            names_of_candidate = [full_names[name] for name in full_names if name in resolved_node.full_names]
            sure_keys = candidates[index].list_sure_spelling_keys(names_of_candidate)
            key_rows |= {(key, resolved_node.known_node.id) for key in sure_keys}
    merge_repository.insert_spelling_keys(space, key_rows)


def _insert_mentions(
    space: SpaceSession, resolved_nodes: Sequence[ResolvedNode], candidates: Sequence[Candidate]
) -> list[AddedVote]:
    candidate_by_key: dict[tuple[ChunkId, NodeId], Candidate] = {}
    titular_keys: set[tuple[ChunkId, NodeId]] = set()
    type_by_key: dict[tuple[ChunkId, NodeId], str] = {}
    for resolved_node in resolved_nodes:
        assert resolved_node.known_node is not None
        for index in resolved_node.candidate_indices:
            mention_key = (candidates[index].chunk_id, resolved_node.known_node.id)
            if candidates[index].titular:
                titular_keys.add(mention_key)
            candidate_by_key[mention_key] = min(
                candidate_by_key.get(mention_key, candidates[index]),
                candidates[index],
                key=_sort_key_by_text_order,
            )
            # A chunk may use two names of which only one shows the type. Of several types the least is
            # chosen, as `merge_nodes.sql` does when they turn out to be one entity later.
            voted_type = candidates[index].entity.voted_type
            if voted_type is not None:
                type_by_key[mention_key] = min(type_by_key.get(mention_key, voted_type), voted_type)
    mention_rows = []
    for mention_key in sorted(candidate_by_key):
        entity = candidate_by_key[mention_key].entity
        first_surface = entity.surfaces[0]
        sense = build_sense_label(entity.sense) or None
        mention_rows.append(
            (
                *mention_key,
                first_surface.text,
                first_surface.start,
                first_surface.end,
                entity.name,
                type_by_key.get(mention_key),
                mention_key in titular_keys,
                sense,
            )
        )
    trust_by_chunk = {candidate.chunk_id: candidate.trust for candidate in candidates}
    return repository.insert_mentions(space, mention_rows, trust_by_chunk=trust_by_chunk)


def _sort_key_by_text_order(candidate: Candidate) -> tuple[int, str]:
    return (candidate.entity.surfaces[0].start, candidate.entity.name)
