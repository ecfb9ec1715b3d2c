"""Ties of nodes that nothing is claimed of: the nodes beside which chunks name them.

Claims alone say who hangs together wherever there are any. A node without one is no less of a community than
its neighbours in the text: it is tied to them, more weakly than a claim would. Two nodes that have claims are
not tied, so that communities of a space with many claims stay what the claims make them.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from app.db.session import SpaceSession
from app.derived.communities.graph_arrays import Ids, Numbering
from app.derived.communities.leiden import Pairs
from app.graph import mentions
from app.graph.cooccurrence import cooccurrence_weights, pair_mentions, sorted_ids_and_positions

TIE_WEIGHT = 0.5
"""The weight of the closest tie, where the surest claim weighs 1."""
LEAST_TIE = 0.05
"""A tie that weighs less is left out."""
NODE_SLICE = 4_096
"""Nodes whose chunks are read by one statement."""


def empty_ties(nodes: int) -> Pairs:
    """Of so many nodes none is tied."""
    none = np.zeros(0, np.int64)
    return Pairs(nodes, none, none, np.zeros(0))


def read_cooccurrence_ties(space: SpaceSession, ids: Ids, unclaimed: NDArray[np.bool_]) -> Pairs:
    """The ties among nodes with these ids, all of a space: of pairs of which one at least is `unclaimed`."""
    named, pairs = read_ties_of_nodes(space, ids[unclaimed])
    if not len(pairs):
        return empty_ties(len(ids))
    number = Numbering(ids).positions_of(named).astype(np.int64)
    # Both in ascending order: the first of a pair stays the first.
    return Pairs(len(ids), number[pairs.first], number[pairs.second], pairs.weight)


def read_ties_of_nodes(space: SpaceSession, nodes: Ids) -> tuple[Ids, Pairs]:
    """(ids in ascending order, the ties among them that one of these nodes is part of)."""
    parts = list(_mentions_in_slices(space, nodes))
    chunks, named, starts = (np.concatenate(column) for column in zip(*parts, strict=True))
    ids, node = sorted_ids_and_positions(named)
    if not len(ids):
        return ids, empty_ties(0)
    pairs = pair_mentions(len(ids), sorted_ids_and_positions(chunks)[1], node, starts)
    in_graph = Numbering(nodes).positions_of(ids) >= 0
    pairs = pairs.select(in_graph[pairs.first] | in_graph[pairs.second])
    weight = TIE_WEIGHT * cooccurrence_weights(pairs, *mentions.count_chunks_naming(space, ids))
    strong = weight >= LEAST_TIE
    return ids, Pairs(len(ids), pairs.first[strong], pairs.second[strong], weight[strong])


def add_ties(pairs: Pairs, ties: Pairs) -> Pairs:
    """The pairs that claims make, and the ties; what is both weighs both."""
    if not len(ties):
        return pairs
    code = np.concatenate([part.first * np.int64(pairs.nodes) + part.second for part in (pairs, ties)])
    code, pair_index = np.unique(code, return_inverse=True)
    weight = np.bincount(pair_index, weights=np.concatenate((pairs.weight, ties.weight)), minlength=len(code))
    return Pairs(pairs.nodes, *np.divmod(code, max(1, pairs.nodes)), weight.astype(np.float64))


def _mentions_in_slices(space: SpaceSession, ids: Ids) -> Iterator[tuple[Ids, Ids, NDArray[np.int64]]]:
    for begin in range(0, max(1, len(ids)), NODE_SLICE):
        yield mentions.mentions_in_shared_chunks(space, ids[begin : begin + NODE_SLICE])
