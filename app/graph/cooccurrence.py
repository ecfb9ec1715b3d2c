"""Pairs of nodes that chunks name near one another, and how much that ties them. Columns alone, and pure.

A chunk knows where it names each of its nodes first. Two of them that stand near one another are a pair: it
counts a half where no name is between them, a third where one is, and so on, so that the names of a long list
are tied to their neighbours and not to the whole list. What the chunks add up to is weighed by normalised
pointwise mutual information over the space (Bouma 2009): a node that is named everywhere is tied to nobody.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.db.arrays import Ids

NEAR_NAMES = 4
"""A name is paired with so many that follow it in its chunk, at most."""
NEAR_CHARACTERS = 120
"""And with none that begins farther on: about a sentence."""
MOST_NAMES = 100
"""A chunk of more names is a list of names, and pairs none of them."""


@dataclass(frozen=True, slots=True)
class NamedPairs:
    """Pairs of node numbers, first < second, each once, in ascending order.

    `count` is the number of chunks that name both near one another, `nearness` the sum of what they count.
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    count: NDArray[np.int64]
    nearness: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.count)

    def select(self, mask: NDArray[np.bool_]) -> "NamedPairs":
        """The pairs that are chosen."""
        return NamedPairs(self.first[mask], self.second[mask], self.count[mask], self.nearness[mask])


def sorted_ids_and_positions(ids: Ids) -> tuple[Ids, NDArray[np.int64]]:
    """(the ids in ascending order, each once, and the place there of each id that was given)."""
    order = np.lexsort((ids[:, 1], ids[:, 0]))
    ids = ids[order]
    differs = np.ones(len(ids), bool)
    differs[1:] = (ids[1:] != ids[:-1]).any(axis=1)
    numbers = np.empty(len(ids), np.int64)
    numbers[order] = np.cumsum(differs) - 1
    return ids[differs], numbers


def pair_mentions(nodes: int, chunk: NDArray[Any], node: NDArray[Any], start: NDArray[Any]) -> NamedPairs:
    """The pairs of mentions: a chunk's number, a node's number below `nodes` and the first character, each.

    A chunk's mentions must be there as a whole; one that is there twice counts once.
    """
    order = np.lexsort((node, start, chunk))
    chunk, node, start = (column[order].astype(np.int64) for column in (chunk, node, start))
    once = np.ones(len(chunk), bool)
    once[1:] = (chunk[1:] != chunk[:-1]) | (node[1:] != node[:-1]) | (start[1:] != start[:-1])
    chunk, node, start = chunk[once], node[once], start[once]
    if len(chunk):
        _, inverse, names = np.unique(chunk, return_inverse=True, return_counts=True)
        few = names[inverse] <= MOST_NAMES
        chunk, node, start = chunk[few], node[few], start[few]
    codes, nearness = [np.zeros(0, np.int64)], [np.zeros(0)]
    for step in range(1, NEAR_NAMES + 1):
        is_near = (chunk[step:] == chunk[:-step]) & (start[step:] - start[:-step] <= NEAR_CHARACTERS)
        first_node, second_node = node[:-step][is_near], node[step:][is_near]
        codes.append(np.minimum(first_node, second_node) * nodes + np.maximum(first_node, second_node))
        nearness.append(np.full(len(first_node), 1 / (1 + step)))
    code, inverse, count = np.unique(np.concatenate(codes), return_inverse=True, return_counts=True)
    total = np.bincount(inverse, weights=np.concatenate(nearness), minlength=len(code)).astype(np.float64)
    first, second = np.divmod(code, max(1, nodes))
    return NamedPairs(first, second, count.astype(np.int64), total)


def cooccurrence_weights(pairs: NamedPairs, named: NDArray[Any], chunks: int) -> NDArray[np.float64]:
    """How much each pair ties its nodes, 0 to 1; `named` says how many of the space's chunks name each node.

    Nodes that are named together no more often than any two of theirs are not tied: 0.
    """
    # As if one more chunk named neither: in a space of one chunk nothing could be learned of its names.
    chunk_count = chunks + 1.0
    count = pairs.count.astype(np.float64)
    ends = [np.maximum(named[end].astype(np.float64), count) for end in (pairs.first, pairs.second)]
    information = np.log(count * chunk_count / (ends[0] * ends[1])) / np.log(
        chunk_count / np.minimum(count, chunks)
    )
    return np.asarray(np.maximum(information, 0.0) * pairs.nearness / (1.0 + pairs.nearness), np.float64)
