"""Pairs of nodes mentioned near each other in chunks, and how strongly that ties them. Arrays only; pure.

A chunk records the first position of each of its nodes. Two nodes near each other are a pair: it counts 1/2
with no name in between, 1/3 with one, and so on, so that the names of a long list are tied to their
neighbours and not to the whole list. The sum over the chunks is weighted by normalised pointwise mutual
information over the space (Bouma 2009): a node that is mentioned everywhere is tied to none.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.db.arrays import Ids

NEAR_NAMES = 4
"""Maximum number of following names in the chunk with which a name is paired."""
NEAR_CHARACTERS = 120
"""Maximum distance in characters of a pair: about a sentence."""
MAX_NAMES = 100
"""A chunk with more names is a list of names, and none of them are paired."""


@dataclass(frozen=True, slots=True)
class NamedPairs:
    """Distinct pairs of node numbers, first < second, in ascending order.

    `count` is the number of chunks that mention both near each other, `nearness` the sum of their counts.
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    count: NDArray[np.int64]
    nearness: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.count)

    def select(self, mask: NDArray[np.bool_]) -> "NamedPairs":
        """Return the pairs selected by the mask."""
        return NamedPairs(self.first[mask], self.second[mask], self.count[mask], self.nearness[mask])


def sort_ids_with_positions(ids: Ids) -> tuple[Ids, NDArray[np.int64]]:
    """Return the distinct ids in ascending order, and the position there of each given id."""
    order = np.lexsort((ids[:, 1], ids[:, 0]))
    ids = ids[order]
    is_new_id = np.ones(len(ids), bool)
    is_new_id[1:] = (ids[1:] != ids[:-1]).any(axis=1)
    numbers = np.empty(len(ids), np.int64)
    numbers[order] = np.cumsum(is_new_id) - 1
    return ids[is_new_id], numbers


def pair_mentions(nodes: int, chunk: NDArray[Any], node: NDArray[Any], start: NDArray[Any]) -> NamedPairs:
    """Return the pairs among mentions, given as chunk number, node number below `nodes` and first character.

    All mentions of a chunk must be present; duplicates count once.
    """
    order = np.lexsort((node, start, chunk))
    chunk, node, start = (column[order].astype(np.int64) for column in (chunk, node, start))
    is_first = np.ones(len(chunk), bool)
    is_first[1:] = (chunk[1:] != chunk[:-1]) | (node[1:] != node[:-1]) | (start[1:] != start[:-1])
    chunk, node, start = chunk[is_first], node[is_first], start[is_first]
    if len(chunk):
        _, pair_indices, names = np.unique(chunk, return_inverse=True, return_counts=True)
        has_few_names = names[pair_indices] <= MAX_NAMES
        chunk, node, start = chunk[has_few_names], node[has_few_names], start[has_few_names]
    codes, nearness_parts = [np.zeros(0, np.int64)], [np.zeros(0)]
    for step in range(1, NEAR_NAMES + 1):
        is_near = (chunk[step:] == chunk[:-step]) & (start[step:] - start[:-step] <= NEAR_CHARACTERS)
        first_node, second_node = node[:-step][is_near], node[step:][is_near]
        codes.append(np.minimum(first_node, second_node) * nodes + np.maximum(first_node, second_node))
        nearness_parts.append(np.full(len(first_node), 1 / (1 + step)))
    code, pair_indices, count = np.unique(np.concatenate(codes), return_inverse=True, return_counts=True)
    total = np.bincount(pair_indices, weights=np.concatenate(nearness_parts), minlength=len(code)).astype(
        np.float64
    )
    first, second = np.divmod(code, max(1, nodes))
    return NamedPairs(first, second, count.astype(np.int64), total)


def compute_cooccurrence_weights(
    pairs: NamedPairs, chunk_counts: NDArray[Any], chunks: int
) -> NDArray[np.float64]:
    """Return how strongly each pair ties its nodes, 0 to 1; `chunk_counts` are per node.

    It is 0 for nodes that occur together no more often than by chance.
    """
    # Add one chunk that mentions neither; otherwise a space with one chunk would tie no names.
    chunk_count = chunks + 1.0
    pair_counts = pairs.count.astype(np.float64)
    end_counts = [
        np.maximum(chunk_counts[end].astype(np.float64), pair_counts) for end in (pairs.first, pairs.second)
    ]
    information = np.log(pair_counts * chunk_count / (end_counts[0] * end_counts[1])) / np.log(
        chunk_count / np.minimum(pair_counts, chunks)
    )
    return np.asarray(np.maximum(information, 0.0) * pairs.nearness / (1.0 + pairs.nearness), np.float64)
