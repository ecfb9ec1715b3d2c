"""Ties of nodes without claims: to the nodes that are mentioned near them.

Where nodes have claims, only claims define communities. A node without claims is tied to its neighbors in the
text, more weakly than by a claim. Two nodes with claims are never tied, so that the communities of a space
with many claims depend on the claims only.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from app.db.session import SpaceSession
from app.derived.communities.graph_arrays import Ids, Numbering
from app.derived.communities.leiden import NodePairs
from app.graph import mentions
from app.graph.cooccurrence import compute_cooccurrence_weights, pair_mentions, sort_ids_with_positions

TIE_WEIGHT = 0.5
"""Weight of the closest tie, where the most confident claim has 1."""
MIN_TIE = 0.05
"""Minimum weight of a tie."""
NODE_SLICE_ROWS = 4_096
"""Number of nodes whose chunks are read by one query."""


def build_empty_ties(nodes: int) -> NodePairs:
    """Return no ties among `nodes` nodes."""
    no_nodes = np.zeros(0, np.int64)
    return NodePairs(nodes, no_nodes, no_nodes, np.zeros(0))


def read_cooccurrence_ties(space: SpaceSession, ids: Ids, has_no_claims: NDArray[np.bool_]) -> NodePairs:
    """Return the ties among nodes with these ids, all of a space; at least one node of each pair is
    `has_no_claims`.
    """
    tied_ids, pairs = read_ties_of_nodes(space, ids[has_no_claims])
    if not len(pairs):
        return build_empty_ties(len(ids))
    number = Numbering(ids).positions_of(tied_ids).astype(np.int64)
    # Both arrays are ascending, so the first of a pair remains the first.
    return NodePairs(len(ids), number[pairs.first_nodes], number[pairs.second_nodes], pairs.weights)


def read_ties_of_nodes(space: SpaceSession, nodes: Ids) -> tuple[Ids, NodePairs]:
    """Return (ids in ascending order, the ties among them that include one of these nodes)."""
    parts = list(_mentions_in_slices(space, nodes))
    chunks, mentioned_nodes, starts = (np.concatenate(column) for column in zip(*parts, strict=True))
    ids, node = sort_ids_with_positions(mentioned_nodes)
    if not len(ids):
        return ids, build_empty_ties(0)
    pairs = pair_mentions(len(ids), sort_ids_with_positions(chunks)[1], node, starts)
    in_graph = Numbering(nodes).positions_of(ids) >= 0
    pairs = pairs.select(in_graph[pairs.first] | in_graph[pairs.second])
    weight = TIE_WEIGHT * compute_cooccurrence_weights(pairs, *mentions.count_chunks_naming(space, ids))
    is_strong = weight >= MIN_TIE
    return ids, NodePairs(len(ids), pairs.first[is_strong], pairs.second[is_strong], weight[is_strong])


def add_ties(pairs: NodePairs, ties: NodePairs) -> NodePairs:
    """Return the pairs of claims and the ties combined; the weights of a pair in both are added."""
    if not len(ties):
        return pairs
    code = np.concatenate(
        [
            pair_array.first_nodes * np.int64(pairs.node_count) + pair_array.second_nodes
            for pair_array in (pairs, ties)
        ]
    )
    code, pair_index = np.unique(code, return_inverse=True)
    weight = np.bincount(
        pair_index, weights=np.concatenate((pairs.weights, ties.weights)), minlength=len(code)
    )
    return NodePairs(pairs.node_count, *np.divmod(code, max(1, pairs.node_count)), weight.astype(np.float64))


def _mentions_in_slices(space: SpaceSession, ids: Ids) -> Iterator[tuple[Ids, Ids, NDArray[np.int64]]]:
    for begin in range(0, max(1, len(ids)), NODE_SLICE_ROWS):
        yield mentions.list_mentions_in_shared_chunks(space, ids[begin : begin + NODE_SLICE_ROWS])
