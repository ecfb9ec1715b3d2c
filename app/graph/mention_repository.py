"""Read the mentions of nodes in chunks, as arrays."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.db.arrays import Column, Ids, decode_ids
from app.db.session import SpaceSession
from app.graph.cooccurrence import MAX_NAMES

MAX_CHUNKS = 500
"""Only this many of the newest chunks are read for a node that more chunks mention."""
_COUNT_SLICE = 50_000


class MentionColumns(NamedTuple):
    """Mentions as columns: their chunks, their nodes, and their first characters in the chunks."""

    chunk_ids: Ids
    node_ids: Ids
    starts: NDArray[np.int64]


def list_mentions_in_chunks_naming(space: SpaceSession, node_ids: Ids) -> MentionColumns:
    """Return all mentions in the chunks that mention one of these nodes.

    For a chunk that mentions more than `MAX_NAMES` nodes, one more than this number is returned.
    """
    ((packed_chunk_ids, packed_node_ids, packed_starts),) = space.run(
        "graph.list_mentions_in_chunks_naming",
        {"nodes": Column.from_uuids(node_ids), "chunks": MAX_CHUNKS, "names": MAX_NAMES + 1},
        should_prepare=False,
        binary=True,
    )
    return MentionColumns(
        decode_ids([packed_chunk_ids or b""]),
        decode_ids([packed_node_ids or b""]),
        np.frombuffer(packed_starts or b"", ">i4").astype(np.int64),
    )


class ChunkCounts(NamedTuple):
    """The number of chunks that mention each node, and of all chunks of the space."""

    chunk_count_by_node: NDArray[np.int64]
    total_chunk_count: int


def count_chunks_naming(space: SpaceSession, node_ids: Ids) -> ChunkCounts:
    """Return the number of chunks that mention each of these nodes, and the number of chunks in the space."""
    chunk_count, count_arrays = 0, [np.zeros(0, np.int64)]
    for begin in range(0, len(node_ids), _COUNT_SLICE):
        ((chunk_count, packed_counts),) = space.run(
            "graph.count_chunks_naming",
            {"nodes": Column.from_uuids(node_ids[begin : begin + _COUNT_SLICE])},
            should_prepare=False,
            binary=True,
        )
        count_arrays.append(np.frombuffer(packed_counts or b"", ">i4").astype(np.int64))
    chunk_counts = np.concatenate(count_arrays)
    return ChunkCounts(chunk_counts, max(int(chunk_count), int(chunk_counts.max(initial=1))))
