"""Find the nodes that are mentioned together with one node, closest first."""

import numpy as np

from app.db import arrays
from app.db.session import SpaceSession
from app.graph import cooccurrence_passages, repository
from app.graph import mention_repository as mentions
from app.graph.cooccurrence import (
    compute_cooccurrence_weights,
    number_distinct_ids,
    pair_nearby_mentions,
)
from app.graph.shapes import CooccurringNode, Node
from app.ids import NodeId

MAX_NODES = 10


def find_cooccurring_nodes(space: SpaceSession, node: Node) -> list[CooccurringNode]:
    """Return the ten nodes most closely tied to this one, each with a passage that mentions both.

    Executes at most five statements.
    """
    center_id = arrays.decode_ids([node.id.bytes])
    chunk_ids, mentioned_ids, starts = mentions.list_mentions_in_chunks_naming(space, center_id)
    distinct_ids, node_numbers = number_distinct_ids(mentioned_ids)
    if not len(distinct_ids):
        return []
    pairs = pair_nearby_mentions(
        len(distinct_ids), number_distinct_ids(chunk_ids).numbers, node_numbers, starts
    )
    (center_number,) = np.flatnonzero((distinct_ids == center_id).all(axis=1))
    pairs = pairs.select((pairs.first == center_number) | (pairs.second == center_number))
    if not len(pairs):
        return []
    weights = compute_cooccurrence_weights(pairs, *mentions.count_chunks_naming(space, distinct_ids))
    neighbor_numbers = np.where(pairs.first == center_number, pairs.second, pairs.first)
    closest_indices = np.lexsort((neighbor_numbers, -pairs.count, -weights))[:MAX_NODES]
    closest_indices = closest_indices[weights[closest_indices] > 0]
    shown_ids = [
        NodeId(node_id)
        for node_id in arrays.convert_ids_to_uuids(distinct_ids[neighbor_numbers[closest_indices]])
    ]
    nodes = {neighbor.id: neighbor for neighbor in repository.get_nodes(space, shown_ids)}
    existing_neighbors = [
        (index, nodes[node_id])
        for index, node_id in zip(closest_indices.tolist(), shown_ids, strict=True)
        if node_id in nodes
    ]
    passages = (
        cooccurrence_passages.find_passages_naming_both(
            space, [(node, neighbor) for _, neighbor in existing_neighbors]
        )
        if existing_neighbors
        else []
    )
    return [
        CooccurringNode(
            neighbor.id,
            neighbor.canonical_name,
            neighbor.node_type,
            int(pairs.count[index]),
            float(weights[index]),
            bool(quotes) and quotes[0].in_sentence,
            quotes[0].evidence if quotes else None,
        )
        for (index, neighbor), quotes in zip(existing_neighbors, passages, strict=True)
    ]
