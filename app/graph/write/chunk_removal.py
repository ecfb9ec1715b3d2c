"""Takes chunks that are about to go out of the graph; every call runs under the graph's lock.

Edges stay (requirement 2.4), on another chunk of the same text or without evidence. One without evidence has
none of its words: no quote, no date, no vector.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from app.db.session import SpaceSession
from app.graph.invalidation import evidence
from app.graph.resolution.entity_resolver import KnownNode
from app.graph.resolution.votes import Vote, apply_mention_votes
from app.graph.write import merge_repository, repository
from app.graph.write.graph_writer import node_update_row
from app.graph.write.repository import delete_all_unused_nodes
from app.ids import ChunkId, EdgeId, NodeId

__all__ = ["delete_all_unused_nodes"]


@dataclass(frozen=True)
class Forgotten:
    """The traces of chunks about to be deleted: edges without evidence, and the nodes that are named less
    often, each with what it was called.
    """

    edge_ids: list[EdgeId]
    names: dict[NodeId, str]


def remove_chunks_from_graph(
    space: SpaceSession, chunk_ids: Sequence[ChunkId], *, replaced: bool = False
) -> Forgotten:
    """Undo what these chunks, about to be deleted, count for.

    With `replaced` their documents have another text by now: claims that only these chunks made end.
    """
    ids = sorted(chunk_ids)
    names = _forget_names(space, ids)
    bare_edges, moved_edges = repository.detach_chunks_from_edges(space, ids)
    if bare_edges:
        repository.delete_vectors_and_recalls_of_edges(space, bare_edges)
        if replaced:
            evidence.end_edges_of_replaced_text(space, bare_edges)
        else:
            evidence.lift_endings_by_edges(space, bare_edges)
    if bare_edges or moved_edges:
        # Of two documents that agreed one may be gone.
        merge_repository.recount_supporting_documents(space, sorted({*bare_edges, *moved_edges}))
    return Forgotten(sorted(bare_edges), names)


def forget_reading(space: SpaceSession, chunk_ids: Sequence[ChunkId]) -> Forgotten:
    """Undo what these chunks name and say of single nodes, as they are about to be read anew.

    Their edges stay: `edge_writer.rewrite_edges` decides about them.
    """
    ids = sorted(chunk_ids)
    names = _forget_names(space, ids)
    repository.forget_mentions(space, ids)
    return Forgotten([], names)


def _forget_names(space: SpaceSession, ids: Sequence[ChunkId]) -> dict[NodeId, str]:
    """Count what these chunks name out of nodes and attributes: the nodes, each with what it was called."""
    by_node: dict[NodeId, tuple[KnownNode, list[Vote]]] = {}
    for node, vote in repository.mentions_of_chunks(space, ids):
        by_node.setdefault(node.id, (node, []))[1].append(vote)
    rows = [
        node_update_row(apply_mention_votes(node, mentions, sign=-1), -len(mentions), 0.0)
        for node, mentions in by_node.values()
    ]
    repository.update_nodes(space, rows)
    described_nodes = repository.delete_attributes_of_chunks(space, ids)
    if described_nodes:
        repository.update_metadata_by_attribute_votes(space, described_nodes)
    return {node_id: node.canonical_name for node_id, (node, _) in by_node.items()}


def evidence_weight_shares(space: SpaceSession, edge_ids: Sequence[EdgeId]) -> tuple[float, float]:
    """The weight of these edges, and that of the edges with evidence which join the same nodes."""
    return repository.evidence_weight_shares(space, edge_ids) if edge_ids else (0.0, 0.0)


def delete_edges_and_unused_nodes(
    space: SpaceSession, edge_ids: Sequence[EdgeId], node_ids: Sequence[NodeId]
) -> set[NodeId]:
    """Remove these edges, and those nodes, theirs included, left without edges and mentions (2.4): which."""
    return repository.delete_unused_nodes(space, [*repository.delete_edges(space, edge_ids), *node_ids])
