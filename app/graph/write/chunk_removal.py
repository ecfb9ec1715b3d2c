"""Remove chunks that are about to be deleted from the graph; every call runs under the graph's lock.

Edges stay (requirement 2.4): supported by another chunk with the same text, or without evidence. An edge
without evidence keeps no words of the text: no quote, no date, no vector.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from app.db.session import SpaceSession
from app.graph.invalidation import evidence_changes
from app.graph.resolution.entity_resolver import KnownNode
from app.graph.resolution.votes import Vote, build_node_with_votes
from app.graph.write import merge_repository, name_tie_repository, repository
from app.graph.write.mention_counts import build_node_update
from app.graph.write.name_ties import Ties, list_ties_of_chunks
from app.graph.write.repository import delete_all_unused_nodes_and_count
from app.ids import ChunkId, EdgeId, NodeId

__all__ = ["delete_all_unused_nodes_and_count"]


@dataclass(frozen=True)
class RemovedTraces:
    """The traces of chunks about to be deleted.

    They are the edges left without evidence, the nodes mentioned less often with their former names, and what
    the chunks said about the names of these nodes.
    """

    edge_ids: list[EdgeId]
    names: dict[NodeId, str]
    ties: Ties


def remove_traces_of_chunks_from_graph(
    space: SpaceSession, chunk_ids: Sequence[ChunkId], *, is_text_replaced: bool = False
) -> RemovedTraces:
    """Remove the contributions of these chunks, which are about to be deleted, from the graph.

    With `is_text_replaced`, their documents have a new text: claims that only these chunks made are ended.
    """
    sorted_chunk_ids = sorted(chunk_ids)
    former_names, ties = _subtract_mentions_and_delete_attributes(space, sorted_chunk_ids)
    document_by_unsupported_edge, moved_edge_ids = repository.detach_chunks_from_edges(
        space, sorted_chunk_ids
    )
    if document_by_unsupported_edge:
        repository.delete_vectors_and_recalls_of_edges(space, document_by_unsupported_edge)
        if is_text_replaced:
            evidence_changes.end_edges_of_replaced_text(space, document_by_unsupported_edge)
        else:
            evidence_changes.undo_and_recompute_endings_caused_by_edges(space, document_by_unsupported_edge)
    if document_by_unsupported_edge or moved_edge_ids:
        # One of two documents that stated the same claim may be gone.
        merge_repository.recount_supporting_documents(
            space, sorted({*document_by_unsupported_edge, *moved_edge_ids})
        )
    return RemovedTraces(sorted(document_by_unsupported_edge), former_names, ties)


def remove_mentions_of_chunks_to_reread(space: SpaceSession, chunk_ids: Sequence[ChunkId]) -> RemovedTraces:
    """Remove the mentions and attributes of these chunks, which are about to be read again.

    Their edges stay: `edge_writer.replace_edges_of_chunks_and_count_changes` decides about them.
    """
    sorted_chunk_ids = sorted(chunk_ids)
    former_names, ties = _subtract_mentions_and_delete_attributes(space, sorted_chunk_ids)
    repository.delete_mentions_of_chunks(space, sorted_chunk_ids)
    name_tie_repository.clear_name_ties(space, sorted_chunk_ids)
    return RemovedTraces([], former_names, ties)


class _NamesOfNodes(NamedTuple):
    """The former names of nodes, and what removed chunks said about their names."""

    former_names: dict[NodeId, str]
    ties: Ties


def _subtract_mentions_and_delete_attributes(
    space: SpaceSession, chunk_ids: Sequence[ChunkId]
) -> _NamesOfNodes:
    """Subtract mentions and attributes of these chunks from the nodes.

    Returns the nodes' former names, and what the chunks said about their names.
    """
    nodes_with_votes: dict[NodeId, tuple[KnownNode, list[Vote]]] = {}
    for node, vote in repository.list_nodes_and_votes_of_chunks(space, chunk_ids):
        nodes_with_votes.setdefault(node.id, (node, []))[1].append(vote)
    ties = list_ties_of_chunks(
        space, chunk_ids, {node_id: votes for node_id, (_, votes) in nodes_with_votes.items()}
    )
    rows = [
        build_node_update(build_node_with_votes(node, votes, sign=-1), -len(votes), 0.0)
        for node, votes in nodes_with_votes.values()
    ]
    repository.add_mention_counts_and_set_names(space, rows)
    described_node_ids = repository.delete_attributes_and_statements_of_chunks(space, chunk_ids)
    if described_node_ids:
        repository.set_attributes_in_metadata_by_votes(space, described_node_ids)
    former_names = {node_id: node.canonical_name for node_id, (node, _) in nodes_with_votes.items()}
    return _NamesOfNodes(former_names, ties)


def sum_evidence_weights(space: SpaceSession, edge_ids: Sequence[EdgeId]) -> repository.EvidenceWeights:
    """Return the weight of these edges, and of the edges with evidence between the same nodes."""
    if not edge_ids:
        return repository.EvidenceWeights(0.0, 0.0)
    return repository.sum_evidence_weights(space, edge_ids)


def delete_edges_and_unused_nodes(
    space: SpaceSession, edge_ids: Sequence[EdgeId], node_ids: Sequence[NodeId]
) -> set[NodeId]:
    """Delete these edges, then the nodes left without edges and mentions (requirement 2.4); return the
    deleted nodes.

    Candidates for deletion are the edges' end nodes and `node_ids`.
    """
    return repository.delete_unused_nodes(
        space, [*repository.delete_edges_and_list_end_nodes(space, edge_ids), *node_ids]
    )
