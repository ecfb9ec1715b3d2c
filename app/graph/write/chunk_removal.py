"""Takes chunks that are about to go out of the graph; every call runs under the graph's lock.

Edges stay (requirement 2.4), on another chunk of the same text or without evidence. One without evidence has
none of its words: no quote, no date, no vector.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from app.db.session import SpaceSession
from app.graph.invalidation import evidence
from app.graph.resolution.entity_resolver import KnownNode
from app.graph.resolution.votes import Vote, apply_votes
from app.graph.write import merge_repository, repository
from app.graph.write.graph_writer import changed_row
from app.graph.write.repository import prune_unnamed
from app.ids import ChunkId, EdgeId, NodeId

__all__ = ["prune_unnamed"]


@dataclass(frozen=True)
class Forgotten:
    """The traces of chunks about to be deleted: edges without evidence, and the nodes that are named less
    often, each with what it was called.
    """

    edge_ids: list[EdgeId]
    names: dict[NodeId, str]


def forget_chunks(space: SpaceSession, chunk_ids: Sequence[ChunkId], *, replaced: bool = False) -> Forgotten:
    """Undo what these chunks, about to be deleted, count for.

    With `replaced` their documents have another text by now: claims that only these chunks made end.
    """
    ids = sorted(chunk_ids)
    by_node: dict[NodeId, tuple[KnownNode, list[Vote]]] = {}
    for node, vote in repository.mentions_of_chunks(space, ids):
        by_node.setdefault(node.id, (node, []))[1].append(vote)
    rows = [
        changed_row(apply_votes(node, mentions, sign=-1), -len(mentions), 0.0)
        for node, mentions in by_node.values()
    ]
    repository.update_nodes(space, rows)
    described_nodes = repository.forget_attributes(space, ids)
    if described_nodes:
        repository.apply_attribute_votes(space, described_nodes)
    bare_edges, moved_edges = repository.forget_evidence(space, ids)
    if bare_edges:
        repository.drop_traces(space, bare_edges)
        if replaced:
            evidence.source_replaced(space, bare_edges)
        else:
            evidence.evidence_gone(space, bare_edges)
    if bare_edges or moved_edges:
        # Of two documents that agreed one may be gone.
        merge_repository.restage(space, sorted({*bare_edges, *moved_edges}))
    return Forgotten(
        sorted(bare_edges), {node_id: node.canonical_name for node_id, (node, _) in by_node.items()}
    )


def weights_of(space: SpaceSession, edge_ids: Sequence[EdgeId]) -> tuple[float, float]:
    """The weight of these edges, and that of the edges with evidence which join the same nodes."""
    return repository.weights_of(space, edge_ids) if edge_ids else (0.0, 0.0)


def prune(space: SpaceSession, edge_ids: Sequence[EdgeId], node_ids: Sequence[NodeId]) -> set[NodeId]:
    """Remove these edges, and those nodes, theirs included, left without edges and mentions (2.4): which."""
    return repository.prune_nodes(space, [*repository.prune_edges(space, edge_ids), *node_ids])
