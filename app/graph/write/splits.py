"""Split a node that means two things into two nodes; every call runs under the graph's lock.

Some of its mentions move to a new node, with the edges and attributes that their chunks state. The ledger
records the split. Undoing it merges the two nodes, which is recorded as a merge.
"""

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from uuid import UUID

from app.db.changes import Change
from app.db.session import SpaceSession
from app.domain.node_types import DEFAULT_TYPE
from app.errors import Conflict, InvalidInput, NotFound
from app.extraction.sense_detection import build_sense_label
from app.graph.invalidation import superseding
from app.graph.names import choose_fuller_name, normalise_name
from app.graph.resolution.entity_resolver import Candidate, KnownNode
from app.graph.resolution.seals import decrypt_sense_or_none, encrypt_sense_with_name_and_text
from app.graph.resolution.sense_splitting import SenseMove
from app.graph.resolution.shapes import NameAndType, PartOfSplit, Split, SplitOrder
from app.graph.resolution.unmerge_plan import NameRow, NodeWithNames
from app.graph.resolution.votes import format_name_with_sense
from app.graph.write import merge_repository, merges, repository, split_repository
from app.graph.write.split_repository import get_node_of_each_chunk, list_splits
from app.ids import ChunkId, DocumentId, NodeId, create_id
from app.limits import SPLIT_MENTIONS
from app.tenancy.audit import service as audit
from app.tenancy.spaces import service as spaces

__all__ = ["get_node_of_each_chunk", "list_splits"]


def split_nodes_by_sense_and_count(space: SpaceSession, moves: Sequence[SenseMove]) -> int:
    """Move the mentions of each sense to a node of their own, for an ingest; return how many nodes
    changed.
    """
    moves = sorted(moves, key=lambda move: (move.node.id, move.sense))
    nodes_and_senses_to_rename = [(move.node.id, move.sense) for move in moves if move.is_whole_node]
    split_moves = [move for move in moves if not move.is_whole_node]
    mentions_by_move: dict[int, list[tuple[ChunkId, str]]] = defaultdict(list)
    rows = split_repository.list_mentions_of_senses(
        space, [(move.node.id, move.moved_senses) for move in split_moves]
    )
    for index, chunk_id, name in rows:
        mentions_by_move[index].append((chunk_id, name))
    orders = [
        SplitOrder(
            split_moves[index].node.id,
            NodeId(create_id()),
            split_moves[index].sense,
            tuple(chunk_id for chunk_id, _ in mentions_by_move[index]),
            tuple(sorted({name for _, name in mentions_by_move[index]})),
        )
        for index in sorted(mentions_by_move)
    ]
    if nodes_and_senses_to_rename:
        _rename_nodes_after_senses(space, nodes_and_senses_to_rename)
    if orders:
        _apply_splits(space, orders)
    return len(nodes_and_senses_to_rename) + len(orders)


def split_node_by_person(
    space: SpaceSession,
    node_id: NodeId,
    sense: str,
    *,
    chunk_ids: Sequence[ChunkId] = (),
    document_ids: Sequence[DocumentId] = (),
    actor: str,
) -> Split:
    """Split off the node's mentions in these chunks or documents, as a person decided; store a verdict.

    Raises NotFound; InvalidInput if the sense is blank, if the node is not mentioned there or nowhere else,
    or if there are too many mentions; Conflict if another node already has the new name.
    """
    label = build_sense_label(sense)
    if not label:
        raise InvalidInput("Say in a word or two which thing it is, as in “planet”.", code="sense_missing")
    spaces.lock_graph_and_increment_revision(space)
    node = merge_repository.get_nodes_with_names_and_keys(space, [node_id]).get(node_id)
    if node is None:
        raise NotFound("node")
    moved_mentions = split_repository.list_mentions_to_split(
        space, node_id, chunk_ids=chunk_ids, document_ids=document_ids, limit=SPLIT_MENTIONS.maximum + 1
    )
    if not moved_mentions:
        raise InvalidInput("Nothing of what you named mentions this node.", code="mentions_nothing")
    if len(moved_mentions) > SPLIT_MENTIONS.maximum:
        raise InvalidInput(
            f"One split moves at most {SPLIT_MENTIONS.maximum:,} mentions.", code="too_many_mentions"
        )
    if len(moved_mentions) == node.node.mention_count:
        raise InvalidInput(
            "That is every mention of the node: nothing would stay. Leave some out.",
            code="nothing_would_stay",
        )
    order = SplitOrder(
        node_id,
        NodeId(create_id()),
        label,
        tuple(mention.chunk_id for mention in moved_mentions),
        tuple(sorted({mention.name for mention in moved_mentions})),
        reason="person",
        decided_by=actor,
    )
    space.mark_change(Change.GRAPH)
    verdict_name_before = merges.build_verdict_name_of_node(node.node)
    new_node = _apply_splits(
        space,
        [order],
        content_hashes=[mention.content_hash for mention in moved_mentions],
        seals=[
            encrypt_sense_with_name_and_text(order.id, mention.name, mention.text, label)
            for mention in moved_mentions
        ],
    )[0]
    merges.record_persons_verdicts(
        space,
        [(verdict_name_before, merges.build_verdict_name_of_node(new_node.node))],
        are_same=False,
        actor=actor,
    )
    audit.record(
        space,
        "node.split",
        actor=actor,
        target=order.id,
        other_targets=[node_id, order.new_node_id],
        details={"mentions": len(moved_mentions)},
    )
    return _get_split(space, order.id)


def undo_split(space: SpaceSession, split_id: UUID, *, actor: str) -> NodeId:
    """Merge the two nodes of a split again and store that they are one; return the remaining node's id.

    Raises NotFound; Conflict if it is already undone, or if either node is gone or merged into another.
    """
    spaces.lock_graph_and_increment_revision(space)
    split = _get_split(space, split_id)
    if split.undone_at is not None:
        raise Conflict("This split is undone already.", code="already_undone")
    nodes = merge_repository.get_nodes_with_names_and_keys(space, (split.node_id, split.new_node_id))
    for node_id in (split.node_id, split.new_node_id):
        if node_id in nodes:
            continue
        later_merge = merge_repository.find_merge_that_removed_node(space, node_id)
        if later_merge is not None:
            raise Conflict(
                f"A node of it was merged into another: undo {later_merge} first.", code="merged_again"
            )
        raise Conflict("A node of it does not exist any more.", code="node_gone")
    new_node = nodes[split.new_node_id].node
    merges.merge_nodes_by_person(space, split.node_id, split.new_node_id, actor=actor)
    _remove_name_made_by_split(space, split.node_id, new_node.canonical_name)
    split_repository.mark_split_undone(space, split_id, actor=actor)
    audit.record(
        space, "node.unsplit", actor=actor, target=split_id, other_targets=[split.node_id, split.new_node_id]
    )
    return split.node_id


def find_parts_split_off_before_deletion(
    space: SpaceSession, candidates: Sequence[Candidate]
) -> dict[int, PartOfSplit]:
    """Return the candidates, by index, that a person had split off before their document was deleted.

    They are recognised by the chunk's text.
    """
    rows = split_repository.list_chunks_of_missing_split_parts(
        space, {new_candidate.chunk_id for new_candidate in candidates}
    )
    rows_by_chunk: dict[ChunkId, list[split_repository.TextOfPart]] = defaultdict(list)
    seals_by_split: dict[UUID, list[bytes]] = {}
    for row in rows:
        rows_by_chunk[row.chunk_id].append(row)
        if row.seals is not None:
            seals_by_split[row.split_id] = row.seals
    part_by_candidate_index: dict[int, PartOfSplit] = {}
    for index, candidate in enumerate(candidates):
        for row in rows_by_chunk.get(candidate.chunk_id, ()):
            sense = decrypt_sense_or_none(
                seals_by_split[row.split_id], row.split_id, candidate.entity.name, row.text
            )
            if sense is not None:
                part_by_candidate_index[index] = PartOfSplit(row.split_id, sense, row.decided_by)
    return part_by_candidate_index


ReturnedPart = tuple[PartOfSplit, str, KnownNode]
"""A part of a split, its name without the sense, and the node that is this part again."""


def relink_splits_to_parts(space: SpaceSession, parts_with_plain_names: Sequence[ReturnedPart]) -> None:
    """Link splits to these nodes, which are their parts again.

    Each comes with the name it would have without the sense. The verdict "not the same" is stored again,
    because it was deleted with the name.
    """
    split_repository.link_splits_to_nodes(
        space,
        [
            split_repository.SplitAndNode(split_part.split_id, node.id)
            for split_part, _, node in parts_with_plain_names
        ],
    )
    for split_part, plain_name, node in parts_with_plain_names:
        pair = (
            NameAndType(normalise_name(plain_name), node.node_type),
            merges.build_verdict_name_of_node(node),
        )
        merges.record_persons_verdicts(space, [pair], are_same=False, actor=split_part.decided_by)


def _get_split(space: SpaceSession, split_id: UUID) -> Split:
    split = split_repository.find_split(space, split_id)
    if split is None:
        raise NotFound("split")
    return split


def _apply_splits(
    space: SpaceSession,
    orders: Sequence[SplitOrder],
    *,
    content_hashes: Sequence[str] = (),
    seals: Sequence[bytes] = (),
) -> list[NodeWithNames]:
    """Apply these splits; return the nodes that received the parts, in order.

    If a node already has the new name, it receives the part when an ingest splits; when a person splits,
    raises Conflict.
    """
    old_nodes = merge_repository.get_nodes_with_names_and_keys(space, [order.node_id for order in orders])
    new_rows = [
        (
            order.new_node_id,
            format_name_with_sense(_choose_fullest_moved_name(order), order.sense),
            old_nodes[order.node_id].node.node_type,
            json.dumps({"firstSeenChunkId": str(order.chunk_ids[0]), "sense": order.sense}),
        )
        for order in orders
    ]
    stored_nodes = repository.insert_nodes(space, sorted(new_rows, key=lambda row: (row[1], row[2])))
    stored_id_by_name_and_type = {(node.canonical_name, node.node_type): node.id for node, _ in stored_nodes}
    if any(split_order.reason == "person" for split_order in orders) and not all(
        is_new for _, is_new in stored_nodes
    ):
        raise Conflict("Another node is called so already: merge the two first.", code="name_taken")
    orders = [
        replace(split_order, new_node_id=stored_id_by_name_and_type[draft[1], draft[2]])
        for split_order, draft in zip(orders, new_rows, strict=True)
    ]
    split_repository.move_mentions_and_record_splits(
        space, orders, content_hashes=content_hashes, seals=seals
    )
    touched_ids = sorted(
        {node_id for split_order in orders for node_id in (split_order.node_id, split_order.new_node_id)}
    )
    recounted_nodes = repository.recount_nodes(space, touched_ids)
    repository.set_attributes_in_metadata_by_votes(space, touched_ids)
    nodes = merge_repository.get_nodes_with_names_and_keys(space, touched_ids)
    fresh_node_ids = {node.id for node, is_new in stored_nodes if is_new}
    for order in orders:
        new_node = nodes[order.new_node_id]
        if order.new_node_id in fresh_node_ids:
            # A node created now has the dates of its mentions.
            new_node.confidence, new_node.last_seen_at = 0.0, old_nodes[order.node_id].last_seen_at
        recounted_nodes[order.new_node_id].metadata["sense"] = order.sense
        new_node.names |= {normalise_name(name): NameRow(name, "alias") for name in order.names}
        new_node.keys |= old_nodes[order.node_id].keys
        new_node.confidence = max(new_node.confidence, old_nodes[order.node_id].confidence)
        new_node.first_seen_at = min(new_node.first_seen_at, old_nodes[order.node_id].first_seen_at)
        new_node.last_seen_at = max(new_node.last_seen_at, old_nodes[order.node_id].last_seen_at)
    for node_id in touched_ids:
        _rename_node_after_split(space, nodes[node_id], recounted_nodes[node_id])
    # A denial that moved to the part denies claims about the part.
    superseding.recompute_endings_after_merge_or_split(space, touched_ids)
    new_nodes = merge_repository.get_nodes_with_names_and_keys(space, [order.new_node_id for order in orders])
    return [new_nodes[order.new_node_id] for order in orders]


def _choose_fullest_moved_name(order: SplitOrder) -> str:
    """Return the fullest name among the mentions to move; once they have moved, votes name the node."""
    return reduce(choose_fuller_name, order.names)


def _rename_node_after_split(
    space: SpaceSession, node_with_names: NodeWithNames, recounted_node: KnownNode
) -> None:
    # A part whose texts show no type does not keep the type that the other part's texts showed.
    has_texts = bool(recounted_node.metadata.get("nameVotes"))
    fallback_type = DEFAULT_TYPE if has_texts else node_with_names.node.node_type
    fallback = merges.FallbackName(node_with_names.node.canonical_name, fallback_type)
    merges.rename_node_by_votes(
        space, node_with_names, recounted_node, fallback=fallback, keeps_name_if_taken=True
    )


NodeAndSense = tuple[NodeId, str]


def _rename_nodes_after_senses(space: SpaceSession, nodes_and_senses: Sequence[NodeAndSense]) -> None:
    """Rename nodes, all of whose mentions state one sense, after that sense."""
    nodes = merge_repository.get_nodes_with_names_and_keys(
        space, [node_id for node_id, _ in nodes_and_senses]
    )
    for node_id, sense in nodes_and_senses:
        node = nodes[node_id].node
        node.metadata["sense"] = sense
        _rename_node_after_split(space, nodes[node_id], node)


def _remove_name_made_by_split(space: SpaceSession, node_id: NodeId, name: str) -> None:
    """Remove the name that only the split had given from the reunited node."""
    node = merge_repository.get_nodes_with_names_and_keys(space, [node_id])[node_id]
    bracketed_name = normalise_name(name)
    if bracketed_name in {
        normalise_name(voted_name) for voted_name in node.node.metadata.get("nameVotes", {})
    }:
        return
    node.names.pop(bracketed_name, None)
    _rename_node_after_split(space, node, node.node)
