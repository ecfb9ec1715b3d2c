"""Erase the words of deleted chunks from nodes, names, merges and verdicts, under the graph's lock
(requirement 15.3).

A node without mentions keeps no words: it is deleted if it has no edge, else it stays under an empty name.
Other nodes lose the names that none of their texts contains.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from app.db.session import SpaceSession
from app.graph.names import normalise_name
from app.graph.resolution.entity_resolver import KnownNode
from app.graph.resolution.ledger_erasure import erase_chunks_from_row
from app.graph.resolution.name_similarity import list_spelling_keys_of_names
from app.graph.resolution.unmerge_plan import NameRow, NodeWithNames, build_names_with_kinds, list_aliases
from app.graph.write import merge_repository, name_ties, repository, word_erasure_repository
from app.graph.write.chunk_removal import RemovedTraces
from app.graph.write.mention_counts import build_node_update
from app.graph.write.word_erasure_repository import list_edges_replaced_by_document, try_changes_and_roll_back
from app.ids import ChunkId, EdgeId, NodeId

__all__ = ["list_edges_replaced_by_document", "try_changes_and_roll_back"]


@dataclass
class Erasure:
    """The nodes that an erasure changed.

    `forgotten_node_ids` have no name left, `pruned_count` counts the deleted ones, `renamed_node_ids` lost
    some of their names, and `retitled_node_ids` have another canonical name. Texts written about
    `described_node_ids` may contain erased words. The chunks `chunk_ids_to_reread` have names that no longer
    belong to the node that they mention.
    """

    forgotten_node_ids: list[NodeId] = field(default_factory=list)
    pruned_count: int = 0
    renamed_node_ids: list[NodeId] = field(default_factory=list)
    retitled_node_ids: list[NodeId] = field(default_factory=list)
    described_node_ids: list[NodeId] = field(default_factory=list)
    chunk_ids_to_reread: list[ChunkId] = field(default_factory=list)


def erase_words_of_removed_chunks(
    space: SpaceSession, traces: RemovedTraces, *, edge_ids: Collection[EdgeId]
) -> Erasure:
    """Erase the words that only the removed chunks contained.

    It concerns the nodes that they mentioned and the ends of these edges, which lost their evidence before.
    """
    bare_edge_ids = {*traces.edge_ids, *edge_ids}
    word_erasure_repository.erase_reasons_and_dates_of_endings(space, bare_edge_ids)
    end_node_ids = word_erasure_repository.list_end_nodes_of_edges(space, bare_edge_ids)
    deleted_count = repository.delete_all_unused_nodes_and_count(space)
    nameless_node_ids = repository.erase_words_of_unmentioned_nodes(space)
    erasure = erase_unattested_names(space, traces, more_node_ids=[*end_node_ids, *nameless_node_ids])
    erasure.pruned_count, erasure.forgotten_node_ids = deleted_count, nameless_node_ids
    erasure.described_node_ids = word_erasure_repository.drop_vectors_of_renamed_nodes(
        space, {*end_node_ids, *nameless_node_ids}, erasure.retitled_node_ids
    )
    return erasure


def erase_unattested_names(
    space: SpaceSession, traces: RemovedTraces, *, more_node_ids: Iterable[NodeId] = ()
) -> Erasure:
    """Remove the names that no remaining chunk gives to the nodes.

    Returns the renamed, retitled and written-about nodes. The ledger of merges and the verdicts lose the
    names too. A node without mentions keeps its names, because its text may return.
    """
    node_ids = sorted({*traces.names, *more_node_ids})
    nodes = merge_repository.get_nodes_with_names_and_keys(space, node_ids)
    named_nodes = {node_id: node for node_id, node in nodes.items() if node.node.mention_count}
    attested_names = _find_names_attested_by_chunks(space, named_nodes)
    lost_names = {
        node_id: node.names.keys() - attested_names[node_id].keys() for node_id, node in named_nodes.items()
    }
    changed_nodes = [node for node_id, node in named_nodes.items() if lost_names[node_id]]
    for node in changed_nodes:
        node.names = build_names_with_kinds(attested_names[node.node.id], node.node.canonical_name)
        node.keys = list_spelling_keys_of_names(
            [row.name for row in node.names.values() if row.kind != "short"], node.keys
        )
    if changed_nodes:
        merge_repository.replace_names_and_keys(space, changed_nodes)
        repository.add_mention_counts_and_set_names(
            space, [build_node_update(_remove_lost_aliases(node), 0, 0.0) for node in changed_nodes]
        )
    _erase_words_of_deleted_chunks_from_merge_ledger(space, node_ids)
    repository.delete_verdicts_on_unused_names(
        space, {name for names in lost_names.values() for name in names}
    )
    retitled_ids = [
        node_id
        for node_id, node in named_nodes.items()
        if traces.names.get(node_id, node.node.canonical_name) != node.node.canonical_name
    ]
    return Erasure(
        chunk_ids_to_reread=name_ties.free_untied_names_and_list_chunks_to_reread(space, traces.ties),
        renamed_node_ids=[node.node.id for node in changed_nodes],
        retitled_node_ids=retitled_ids,
        described_node_ids=word_erasure_repository.drop_vectors_of_renamed_nodes(space, (), retitled_ids)
        if retitled_ids
        else [],
    )


def delete_vectors_with_old_names(space: SpaceSession, renamed_ids: Sequence[NodeId]) -> list[NodeId]:
    """Delete the vectors that contain old names of these nodes.

    Returns the nodes about which written texts may contain the names.
    """
    return list(word_erasure_repository.drop_vectors_of_renamed_nodes(space, (), renamed_ids))


def _remove_lost_aliases(node: NodeWithNames) -> KnownNode:
    """Return the node with its remaining names as aliases."""
    known_node = node.node
    aliases = list_aliases(node.names, known_node.canonical_name)
    return KnownNode(
        known_node.id,
        known_node.canonical_name,
        known_node.node_type,
        known_node.mention_count,
        {**known_node.metadata, "aliases": aliases},
    )


def _find_names_attested_by_chunks(
    space: SpaceSession, nodes: Mapping[NodeId, NodeWithNames]
) -> dict[NodeId, dict[str, NameRow]]:
    """Return the names of each node that its chunks give it, as extracted or in the words of their texts."""
    names_by_node: dict[NodeId, set[str]] = defaultdict(set)
    for node_id, *name_and_surface in word_erasure_repository.list_names_in_mentions(space, nodes):
        names_by_node[node_id] |= {normalise_name(text) for text in name_and_surface}
    # What a chunk ties to a node may be written otherwise than it is stored: "Ltd" and "Ltd.".
    for node_id, tie in name_ties.list_name_ties_of_nodes(space, nodes):
        names_by_node[node_id] |= {normalise_name(name) for name in tie.names}
    for node_id, node in nodes.items():
        # The canonical name comes from the votes of its mentions; for a homonym it includes the sense.
        names_by_node[node_id].add(normalise_name(node.node.canonical_name))
    doubtful_names = [
        (node_id, row.name, _list_longer_names(name, row, node.names))
        for node_id, node in nodes.items()
        for name, row in node.names.items()
        if name not in names_by_node[node_id]
    ]
    names_in_texts = (
        word_erasure_repository.find_names_in_texts(space, doubtful_names) if doubtful_names else set()
    )
    return {
        node_id: {
            name: row
            for name, row in node.names.items()
            if name in names_by_node[node_id] or (node_id, row.name) in names_in_texts
        }
        for node_id, node in nodes.items()
    }


def _list_longer_names(name: str, row: NameRow, names: Mapping[str, NameRow]) -> list[str]:
    """Return the names that contain this one; none for a short name, which may occur only inside them."""
    if row.kind == "short":
        return []
    return [
        longer_name.name
        for other_name, longer_name in names.items()
        if other_name != name and name in other_name
    ]


def _erase_words_of_deleted_chunks_from_merge_ledger(space: SpaceSession, node_ids: Sequence[NodeId]) -> None:
    """Erase what deleted chunks contributed from the ledger of merges, so that undoing cannot restore it."""
    merge_rows = merge_repository.list_merges_involving_nodes(space, node_ids)
    if not merge_rows:
        return
    chunk_ids = {chunk_id for merge_row in merge_rows for chunk_id in merge_row.referenced_chunks()}
    deleted_chunk_ids = chunk_ids - word_erasure_repository.select_existing_chunks(space, chunk_ids)
    winners = merge_repository.get_nodes_with_names_and_keys(
        space, [merge_row.winner_id for merge_row in merge_rows]
    )
    winner_names = {name for node in winners.values() for name in node.names}
    merge_repository.update_ledger_rows(
        space, [erase_chunks_from_row(merge_row, deleted_chunk_ids, winner_names) for merge_row in merge_rows]
    )
