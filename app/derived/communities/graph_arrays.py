"""A space's graph as arrays, parsed from the bytes that the database sends, without an object per edge.

Ids are stored as two 64-bit halves. Sets are represented by sums of well mixed 64-bit numbers: these show
whether members or facts changed, independent of their order.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from app.db.arrays import decode_consecutive_ids
from app.derived.communities.leiden import Labels

Ids = NDArray[np.uint64]
"""Shape (n, 2): the high and the low half of each id."""

MEMBER_DTYPE = np.dtype([("node", ">u8", 2), ("community", ">u8", 2), ("weight", ">f4")])
"""A member as sent by the database."""
_NO_ENDS = (np.zeros(0, np.int32), np.zeros(0, np.int32))
_ODD_MULTIPLIERS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)


@dataclass(frozen=True, slots=True)
class GraphArrays:
    """Nodes in the order of their ids, and one array entry per edge.

    `source` and `target` are node numbers, `relation` is a hash of the relation type.
    """

    ids: Ids
    source: NDArray[np.int32]
    target: NDArray[np.int32]
    weight: NDArray[np.float32]
    relation: NDArray[np.int32]


class Numbering:
    """Finds the indexes of ids in an array of distinct ids.

    Ten million ids in a million take 0.4 s; numpy's binary search takes 3.6 s, because of cache misses.
    """

    def __init__(self, ids: Ids) -> None:
        bit_count = min(24, max(1, len(ids).bit_length()))
        self._shift = np.uint64(64 - bit_count)
        for odd_factor in _ODD_MULTIPLIERS:
            self._factor = np.uint64(odd_factor)
            keys = self._hash_ids(ids)
            sorted_positions = np.argsort(keys)
            self._sorted_keys = np.append(keys[sorted_positions], np.uint64(2**64 - 1))
            if not (self._sorted_keys[1:-1] == self._sorted_keys[:-2]).any():
                break
        else:
            # Two of a million 64-bit keys collide once in 37 million; three collisions in a row are
            # deliberate.
            raise ValueError("These ids cannot be told apart.")
        self._sorted_positions = np.append(sorted_positions, -1).astype(np.int32)
        # Start of the keys with these leading bits: at most a few steps before the one searched for.
        self._bucket_starts = np.searchsorted(
            self._sorted_keys[:-1], np.arange(2**bit_count, dtype=np.uint64) << self._shift
        ).astype(np.int32)

    def find_positions(self, ids: Ids) -> NDArray[np.int32]:
        """Return the index of each id, or -1."""
        keys = self._hash_ids(ids)
        slots = self._bucket_starts[keys >> self._shift]
        slots_below_key = np.flatnonzero(self._sorted_keys[slots] < keys)
        while len(slots_below_key):
            slots[slots_below_key] += 1
            slots_below_key = slots_below_key[
                self._sorted_keys[slots[slots_below_key]] < keys[slots_below_key]
            ]
        return np.where(self._sorted_keys[slots] == keys, self._sorted_positions[slots], -1).astype(np.int32)

    def _hash_ids(self, ids: Ids) -> NDArray[np.uint64]:
        # Time-ordered ids share their leading bits; the product does not.
        return (ids[:, 1] + ids[:, 0] * self._factor) * np.uint64(_ODD_MULTIPLIERS[0])


def sort_ids(ids: Ids) -> Ids:
    """Return the ids in ascending order."""
    ids = ids[np.argsort(ids[:, 0])]
    # Few ids share the high half; sorting by both keeps them in the same positions.
    duplicate_indices = np.flatnonzero(ids[1:, 0] == ids[:-1, 0])
    tied_rows = np.unique(np.append(duplicate_indices, duplicate_indices + 1), return_index=True)[0]
    ids[tied_rows] = ids[tied_rows][np.lexsort((ids[tied_rows, 1], ids[tied_rows, 0]))]
    return ids


def build_graph_arrays(ids: Ids, edges: Iterable[tuple[bytes, bytes, bytes, bytes]]) -> GraphArrays:
    """Return the graph of these node ids, in ascending order, and edges; edges to other nodes are dropped.

    Edges come in blocks of four columns, big-endian: source and target ids, float4 weights, int4 relations.
    """
    numbering = Numbering(ids)
    end_columns: list[tuple[NDArray[np.int32], NDArray[np.int32]]] = [_NO_ENDS]
    weight, relation = [np.zeros(0, np.float32)], [np.zeros(0, np.int32)]
    for sources, targets, weights, relations in edges:
        source, target = (
            numbering.find_positions(decode_consecutive_ids(sources)),
            numbering.find_positions(decode_consecutive_ids(targets)),
        )
        is_numbered = (source >= 0) & (target >= 0)
        end_columns.append((source[is_numbered], target[is_numbered]))
        weight.append(np.frombuffer(weights, ">f4")[is_numbered].astype(np.float32))
        relation.append(np.frombuffer(relations, ">i4")[is_numbered].astype(np.int32))
    return GraphArrays(
        ids,
        np.concatenate([source for source, _ in end_columns]),
        np.concatenate([target for _, target in end_columns]),
        np.concatenate(weight),
        np.concatenate(relation),
    )


def format_ids_as_postgres_array(ids: Ids) -> str:
    """Return the ids as a Postgres array literal; for any number, because no object per id is made."""
    hex_digits = ids.astype(">u8").tobytes().hex()
    return f"{{{','.join([hex_digits[begin : begin + 32] for begin in range(0, len(hex_digits), 32)])}}}"


def convert_uuids_to_ids(ids: Sequence[UUID]) -> Ids:
    """Return the ids of Python objects as an array."""
    return decode_consecutive_ids(b"".join(uuid.bytes for uuid in ids))


def hash_members_and_facts_by_level(
    graph: GraphArrays, labels: Sequence[Labels], member_hashes: Sequence[Ids]
) -> list[Ids]:
    """Return, for each level, a 128-bit hash of each community's members and facts (requirement 7.3).

    `member_hashes` are the hashes of the members alone. A fact is a claim: source, relation type and target.
    Further edges that state the same fact change nothing.
    """
    source, target, relation = graph.source, graph.target, graph.relation
    claims: NDArray[np.uint64] | None = None
    hashes = []
    for level_labels, level_member_hashes in zip(labels, member_hashes, strict=True):
        # An edge inside a community is inside its parent too; about half of all edges are inside one.
        inner_edges = np.flatnonzero(
            (level_labels[source] == level_labels[target]) & (level_labels[source] >= 0)
        )
        source, target = source[inner_edges], target[inner_edges]
        if claims is None:
            claims, first_indices = np.unique(
                hash_claims(graph.ids, source, target, relation[inner_edges]), return_index=True
            )
            source, target = source[first_indices], target[first_indices]
        else:
            claims = claims[inner_edges]
        hashes.append(
            sum_hashes_by_community(
                level_member_hashes, level_labels[source], claims, len(level_member_hashes)
            )
        )
    return hashes


def hash_members_by_level(ids: Ids, labels: Sequence[Labels], community_counts: Sequence[int]) -> list[Ids]:
    """Return, for each level, a 128-bit hash of each community's members."""
    node_hashes = hash_nodes(ids)
    return [
        sum_hashes_by_community(np.zeros((count, 2), np.uint64), level_labels, node_hashes, count)
        for level_labels, count in zip(labels, community_counts, strict=True)
    ]


def hash_nodes(ids: Ids) -> NDArray[np.uint64]:
    """Return a 64-bit hash for each node."""
    first_lane, second_lane = _compute_two_hash_lanes(ids)
    return _mix_bits(first_lane ^ second_lane)


def hash_claims(
    ids: Ids, source: NDArray[Any], target: NDArray[Any], relation: NDArray[Any]
) -> NDArray[np.uint64]:
    """Return a 64-bit hash of each edge's claim; `source` and `target` are indexes into `ids`."""
    first_lane, second_lane = _compute_two_hash_lanes(ids)
    return _mix_bits(first_lane[source] + _mix_bits(second_lane[target] + relation.astype(np.uint64)))


def sum_hashes_by_community(
    start_sums: Ids, labels: NDArray[Any], hashes: NDArray[np.uint64], community_count: int
) -> Ids:
    """Return `start_sums` with each key added to the sum of the community of its label; -1 is none."""
    is_labelled = labels >= 0
    hash_sums = np.array(start_sums)
    for lane, odd_factor in enumerate(_ODD_MULTIPLIERS[:2]):
        lane_sums = np.zeros(community_count, np.uint64)
        np.add.at(lane_sums, labels[is_labelled], _mix_bits(hashes[is_labelled] ^ np.uint64(odd_factor)))
        hash_sums[:, lane] += lane_sums
    return hash_sums


def _compute_two_hash_lanes(ids: Ids) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    return _mix_bits(ids[:, 0] ^ _mix_bits(ids[:, 1])), _mix_bits(ids[:, 1] + np.uint64(_ODD_MULTIPLIERS[2]))


def _mix_bits(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a bijective mix of 64 bits in which each input bit affects half of the output (Steele, Lea,
    Flood 2014).
    """
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
