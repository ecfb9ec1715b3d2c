"""Ties of nodes without claims: to the nodes that are mentioned near them.

Where nodes have claims, only claims define communities. A node without claims is tied to its neighbors in the
text, more weakly than by a claim. Two nodes with claims are never tied, so that the communities of a space
with many claims depend on the claims only.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.db.session import SpaceSession
from app.derived.communities.graph_arrays import Ids, Numbering
from app.derived.communities.leiden import NodePairs
from app.graph import mentions
from app.graph.cooccurrence import (
    compute_cooccurrence_weights,
    number_distinct_ids,
    pair_nearby_mentions,
)

TIE_WEIGHT = 0.5
"""Weight of the closest tie, where the most confident claim has 1."""
MIN_TIE_WEIGHT = 0.05
"""Minimum weight of a tie."""
NODE_SLICE_ROWS = 4_096
"""Number of nodes whose chunks are read by one query."""


def build_empty_ties(node_count: int) -> NodePairs:
    """Return no ties among `node_count` nodes."""
    no_nodes = np.zeros(0, np.int64)
    return NodePairs(node_count, no_nodes, no_nodes, np.zeros(0))


def read_cooccurrence_ties(space: SpaceSession, node_ids: Ids, has_no_claims: NDArray[np.bool_]) -> NodePairs:
    """Return the ties among nodes with these ids, all of a space; at least one node of each pair is
    `has_no_claims`.
    """
    tied_ids, pairs = read_ties_touching_nodes(space, node_ids[has_no_claims])
    if not len(pairs):
        return build_empty_ties(len(node_ids))
    node_index = Numbering(node_ids).find_positions(tied_ids).astype(np.int64)
    # Both arrays are ascending, so the first of a pair remains the first.
    return NodePairs(
        len(node_ids), node_index[pairs.first_nodes], node_index[pairs.second_nodes], pairs.weights
    )


class TiesByPosition(NamedTuple):
    """The ids of tied nodes in ascending order, and the ties between their positions."""

    node_ids: Ids
    ties: NodePairs


def read_ties_touching_nodes(space: SpaceSession, searched_ids: Ids) -> TiesByPosition:
    """Return the ties that include at least one of these nodes."""
    mention_parts = list(_list_mentions_in_slices(space, searched_ids))
    chunk_ids, mentioned_node_ids, starts = (
        np.concatenate(column) for column in zip(*mention_parts, strict=True)
    )
    ids, node_indices = number_distinct_ids(mentioned_node_ids)
    if not len(ids):
        return TiesByPosition(ids, build_empty_ties(0))
    pairs = pair_nearby_mentions(len(ids), number_distinct_ids(chunk_ids)[1], node_indices, starts)
    is_searched = Numbering(searched_ids).find_positions(ids) >= 0
    pairs = pairs.select(is_searched[pairs.first] | is_searched[pairs.second])
    tie_weights = TIE_WEIGHT * compute_cooccurrence_weights(pairs, *mentions.count_chunks_naming(space, ids))
    is_strong = tie_weights >= MIN_TIE_WEIGHT
    return TiesByPosition(
        ids, NodePairs(len(ids), pairs.first[is_strong], pairs.second[is_strong], tie_weights[is_strong])
    )


def combine_pairs_with_ties(pairs: NodePairs, ties: NodePairs) -> NodePairs:
    """Return the pairs of claims and the ties combined; the weights of a pair in both are added."""
    if not len(ties):
        return pairs
    pair_codes = np.concatenate(
        [
            pair_part.first_nodes * np.int64(pairs.node_count) + pair_part.second_nodes
            for pair_part in (pairs, ties)
        ]
    )
    pair_codes, pair_indices = np.unique(pair_codes, return_inverse=True)
    weights = np.bincount(
        pair_indices, weights=np.concatenate((pairs.weights, ties.weights)), minlength=len(pair_codes)
    )
    return NodePairs(
        pairs.node_count, *np.divmod(pair_codes, max(1, pairs.node_count)), weights.astype(np.float64)
    )


def _list_mentions_in_slices(space: SpaceSession, ids: Ids) -> Iterator[mentions.MentionColumns]:
    for begin in range(0, max(1, len(ids)), NODE_SLICE_ROWS):
        yield mentions.list_mentions_in_chunks_naming(space, ids[begin : begin + NODE_SLICE_ROWS])
