"""Pairs of nodes mentioned near each other in chunks, and how strongly that ties them. Arrays only; pure.

A chunk records the first position of each of its nodes. Two nodes near each other are a pair: it counts 1/2
with no name in between, 1/3 with one, and so on, so that the names of a long list are tied to their
neighbours and not to the whole list. The sum over the chunks is weighted by normalised pointwise mutual
information over the space (Bouma 2009): a node that is mentioned everywhere is tied to none.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

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


class NumberedIds(NamedTuple):
    """Distinct ids in ascending order, and for each of the given ids its position among them."""

    distinct_ids: Ids
    numbers: NDArray[np.int64]


def number_distinct_ids(ids: Ids) -> NumberedIds:
    """Return the distinct ids in ascending order, and the position there of each given id."""
    order = np.lexsort((ids[:, 1], ids[:, 0]))
    ids = ids[order]
    is_new_id = np.ones(len(ids), bool)
    is_new_id[1:] = (ids[1:] != ids[:-1]).any(axis=1)
    numbers = np.empty(len(ids), np.int64)
    numbers[order] = np.cumsum(is_new_id) - 1
    return NumberedIds(ids[is_new_id], numbers)


def pair_nearby_mentions(
    node_count: int, chunk_numbers: NDArray[Any], node_numbers: NDArray[Any], starts: NDArray[Any]
) -> NamedPairs:
    """Return the pairs of mentions near each other in one chunk.

    Mentions are given as chunk number, node number below `node_count` and first character. All mentions of a
    chunk must be present; duplicates count once; a chunk with more than `MAX_NAMES` names has no pairs.
    """
    order = np.lexsort((node_numbers, starts, chunk_numbers))
    chunk_numbers, node_numbers, starts = (
        column[order].astype(np.int64) for column in (chunk_numbers, node_numbers, starts)
    )
    is_first = np.ones(len(chunk_numbers), bool)
    is_first[1:] = (
        (chunk_numbers[1:] != chunk_numbers[:-1])
        | (node_numbers[1:] != node_numbers[:-1])
        | (starts[1:] != starts[:-1])
    )
    chunk_numbers, node_numbers, starts = chunk_numbers[is_first], node_numbers[is_first], starts[is_first]
    if len(chunk_numbers):
        _, inverse_indices, name_counts = np.unique(chunk_numbers, return_inverse=True, return_counts=True)
        has_few_names = name_counts[inverse_indices] <= MAX_NAMES
        chunk_numbers, node_numbers, starts = (
            chunk_numbers[has_few_names],
            node_numbers[has_few_names],
            starts[has_few_names],
        )
    code_parts, nearness_parts = [np.zeros(0, np.int64)], [np.zeros(0)]
    for step in range(1, NEAR_NAMES + 1):
        is_near = (chunk_numbers[step:] == chunk_numbers[:-step]) & (
            starts[step:] - starts[:-step] <= NEAR_CHARACTERS
        )
        first_node, second_node = node_numbers[:-step][is_near], node_numbers[step:][is_near]
        code_parts.append(
            np.minimum(first_node, second_node) * node_count + np.maximum(first_node, second_node)
        )
        nearness_parts.append(np.full(len(first_node), 1 / (1 + step)))
    pair_codes, inverse_indices, pair_counts = np.unique(
        np.concatenate(code_parts), return_inverse=True, return_counts=True
    )
    nearness_sums = np.bincount(
        inverse_indices, weights=np.concatenate(nearness_parts), minlength=len(pair_codes)
    ).astype(np.float64)
    first, second = np.divmod(pair_codes, max(1, node_count))
    return NamedPairs(first, second, pair_counts.astype(np.int64), nearness_sums)


def compute_cooccurrence_weights(
    pairs: NamedPairs, chunk_count_by_node: NDArray[Any], total_chunk_count: int
) -> NDArray[np.float64]:
    """Return how strongly each pair ties its nodes, 0 to 1; `chunk_count_by_node` are per node.

    It is 0 for nodes that occur together no more often than by chance.
    """
    # Add one chunk that mentions neither; otherwise a space with one chunk would tie no names.
    smoothed_chunk_count = total_chunk_count + 1.0
    pair_counts = pairs.count.astype(np.float64)
    end_counts = [
        np.maximum(chunk_count_by_node[end].astype(np.float64), pair_counts)
        for end in (pairs.first, pairs.second)
    ]
    information = np.log(pair_counts * smoothed_chunk_count / (end_counts[0] * end_counts[1])) / np.log(
        smoothed_chunk_count / np.minimum(pair_counts, total_chunk_count)
    )
    return np.asarray(np.maximum(information, 0.0) * pairs.nearness / (1.0 + pairs.nearness), np.float64)
