"""The statements of retrieval, each a named .sql file; columns come as arrays, not as rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from app.db import arrays
from app.db.arrays import Ids, Integers, format_vectors
from app.db.session import Row, SpaceSession
from app.db.sql import Pending
from app.db.vectors.indexes import index_name
from app.ids import ChunkId, DocumentId, EdgeId, NodeId

Floats = npt.NDArray[np.float32]

WORD_BUDGET, WORD_BOUND = 200, 3_000
"""Chunks that the rarest words of a question may match together by estimate, and that are ranked at most."""
SPREAD_BOUND = 100
"""Chunks past which it makes no difference in how many more a name's words stand."""
USUAL_TOKENS = 120
"""Length of a chunk that its score is neither raised nor lowered for."""
MOST_PER_CHUNK = 200
"""Mentions and facts of one chunk that are looked at; extraction keeps fewer."""
LEAST_CANDIDATES, ROWS_PER_CANDIDATE = 50, 20_000
"""Candidates of the index of a large space: 50 and one for every 20,000 rows, which keeps recall@10 above
0.98 up to 200,000 rows at least (docs/benchmarks.md).
"""


@dataclass(frozen=True, slots=True)
class SubgraphRows:
    """The nodes and chunks of a subgraph and what ties them, as columns; a place in a list stands for what is
    there.

    `nodes` (n, 2) and `chunks` (c, 2): ids (`arrays.ids`). `counts` (n, 2): chunks of the space that name
    the node, edges that touch it. The nodes that were looked up come first and have their `names`; the counts
    of the others, which few of these chunks name, are of what is here. `cosine` (c, 2): cosine with the
    question, and with what it asks besides names; 0 without a vector. `mentions` (m, 3): chunk, node, 1 where
    titular. `edges` (e, 2): from, to. `fact_cosine` (e): cosine of the fact with the question, 0 where it is
    not compared. `leading` of the nodes were there before the chunks and led to them.
    """

    nodes: Ids
    names: list[str]
    counts: Integers
    chunks: Ids
    cosine: npt.NDArray[np.float64]
    mentions: Integers
    edges: Integers
    fact_cosine: npt.NDArray[np.float64]
    leading: int


@dataclass(frozen=True, slots=True)
class StoredPassage:
    """A chunk with what an answer shows of its document."""

    id: ChunkId
    document_id: DocumentId
    document_title: str
    heading_path: tuple[str, ...]
    text: str
    char_start: int
    char_end: int
    source_kind: str
    created_at: datetime
    extracted_by: str | None
    language: str | None
    place: str | None = None
    trust: float = 1.0


@dataclass(frozen=True, slots=True)
class FactDetails:
    """The parts of a fact's score besides its confidence; `source_kind` is None without evidence."""

    accesses: int
    last_accessed_at: datetime
    source_kind: str | None
    trust: float = 1.0


def _format_vector(vector: Floats) -> str:
    return format_vectors(vector[None])[0]


@dataclass(frozen=True, slots=True)
class _Nearest:
    """A table of vectors, and how its nearest rows are found: by the space's own index, or by all of them."""

    table: str
    indexed: str
    exact: str


_CHUNKS = _Nearest("chunk_vector", "retrieval.nearest_chunks_indexed", "retrieval.nearest_chunks")
_NODES = _Nearest("node_vector", "retrieval.nearest_nodes_indexed", "retrieval.nearest_nodes")


def _find_nearest(space: SpaceSession, kind: _Nearest, vector: Floats, limit: int) -> list[tuple[Any, ...]]:
    """Rows of (id, cosine) of the nearest vectors, by the space's own index on the table where it has one."""
    parameters: dict[str, Any] = {"vector": _format_vector(vector), "limit": limit}
    indexed, rows, _ = space.run_each(
        kind.indexed,
        {
            **parameters,
            "dimensions": len(vector),
            "name": index_name(
                kind.table,
                space.space_id,
                space.opened.vector_set,
                dedicated=space.opened.dedicated_vectors,
            ),
            "least": max(LEAST_CANDIDATES, limit),
            "rows_per_candidate": ROWS_PER_CANDIDATE,
        },
    )
    if indexed and len(rows) < limit:
        # The index ended before there were enough; there may be no more, or it may have lost some.
        return space.run(kind.exact, parameters)
    return rows


def find_nearest_chunks(space: SpaceSession, vector: Floats, *, limit: int) -> list[tuple[ChunkId, float]]:
    """(chunk, cosine) of the `limit` nearest chunks, nearest first; always as many as there are."""
    rows = _find_nearest(space, _CHUNKS, vector, limit)
    return [(ChunkId(row[0]), row[1]) for row in rows]


def find_chunks_by_words(
    space: SpaceSession, question: str, vector: Floats | None, *, limit: int
) -> list[tuple[ChunkId, float, float]]:
    """(chunk, score, cosine) of the `limit` best by the question's words; none where no word is shared."""
    parameters = {
        "question": question,
        "vector": None if vector is None else _format_vector(vector),
        "limit": limit,
        "budget": WORD_BUDGET,
        "bound": WORD_BOUND,
        "usual_tokens": USUAL_TOKENS,
    }
    rows = space.run("retrieval.find_chunks_by_words", parameters)
    return [(ChunkId(row[0]), row[1], row[2]) for row in rows]


def count_name_spread(
    space: SpaceSession, names: Sequence[str], mentions: Sequence[int]
) -> Pending[tuple[list[int], int]]:
    """Ask in how many chunks the words of each name stand, counted up to a bound, and how many chunks the
    space has.

    Where a node is named by as many chunks as the bound already, nothing is counted: `mentions` are those.
    Pending.
    """
    few = [name for name, count in zip(names, mentions, strict=True) if count < SPREAD_BOUND]
    answer = space.send("retrieval.count_name_spread", {"names": few, "bound": SPREAD_BOUND})

    def read(rows: list[Row]) -> tuple[list[int], int]:
        size, *counted = rows
        spread = iter(counted)
        return [next(spread)[1] if count < SPREAD_BOUND else SPREAD_BOUND for count in mentions], size[1]

    return answer.then(read)


def find_nearest_nodes(space: SpaceSession, vector: Floats, *, limit: int) -> list[tuple[NodeId, float]]:
    """(node, cosine) of the `limit` nodes whose names are nearest, nearest first."""
    rows = _find_nearest(space, _NODES, vector, limit)
    return [(NodeId(row[0]), row[1]) for row in rows]


def get_node_vectors(space: SpaceSession, nodes: Sequence[NodeId]) -> Pending[Mapping[NodeId, Floats]]:
    """Ask for the vectors of these nodes' names, as far as they have one: pending."""
    if not nodes:
        return Pending.of({})
    answer = space.send("retrieval.get_node_vectors", {"nodes": list(nodes)}, binary=True)
    # Two numbers of two bytes, its length and nothing, stand before the vector's halves.
    return answer.then(
        lambda rows: {
            NodeId(node): np.frombuffer(sent, ">f2", offset=4).astype(np.float32) for node, sent in rows
        }
    )


def fetch_subgraph(
    space: SpaceSession,
    *,
    anchors: Sequence[NodeId],
    seeds: Sequence[ChunkId],
    question: Floats | None,
    remainder: Floats | None,
    as_of: datetime | None,
    hub: int,
    max_nodes: int,
    max_chunks: int,
    naming: int,
    stating: int,
    often: int,
    fan_out: int,
) -> Pending[SubgraphRows]:
    """Ask what a walk from these anchors and seeds, best first, may pass: pending.

    Anchors and seeds come before all others. What the first `naming` seeds name is among the nodes; of what
    the chunks name besides, nodes that at least `often` of them name are looked up as well. A node that more
    than `hub` chunks name leads to those alone that are about it. Facts that touch no anchor and that none of
    the first `stating` seeds states have a cosine of 0.
    """
    answer = space.send(
        "retrieval.subgraph",
        {
            "anchors": list(anchors),
            "seeds": list(seeds),
            "question": None if question is None else _format_vector(question),
            "rest": None if remainder is None else _format_vector(remainder),
            "as_of": as_of,
            "hub": hub,
            "per_chunk": MOST_PER_CHUNK,
            "max_nodes": max_nodes,
            "max_chunks": max_chunks,
            "naming": naming,
            "stating": stating,
            "often": often,
            "fan_out": fan_out,
        },
        binary=True,
    )
    return answer.then(lambda rows: _decode_subgraph_rows(rows[0]))


def _decode_subgraph_rows(row: Row) -> SubgraphRows:
    sent, names = row[0], row[1]
    node = arrays.decode_records(sent, arrays.ID, ("mentions", ">i4"), ("degree", ">i4"))
    chunk = arrays.decode_records(row[2], ("place", ">i4"), arrays.ID, ("cosine", ">f4", (2,)))
    mention = arrays.decode_records(row[3], ("place", ">i4"), arrays.ID)
    fact = arrays.decode_records(row[4], ("ends", ">u8", (2, 2)), ("cosine", ">f4"))
    looked_up, named = node["id"].astype(np.uint64), mention["id"].astype(np.uint64)
    node_index = arrays.find_positions(named, looked_up)
    new_ids, repeat_index = arrays.deduplicate_ids(named[node_index < 0])
    node_index[node_index < 0] = len(looked_up) + repeat_index
    nodes = np.concatenate([looked_up, new_ids])
    edges = arrays.find_positions(fact["ends"].astype(np.uint64).reshape(-1, 2), nodes).reshape(-1, 2)
    # A merge may have given the fact an end that none of these chunks names.
    complete = (edges >= 0).all(axis=1)
    edges = edges[complete]
    counts = np.stack(
        [np.bincount(node_index, minlength=len(nodes)), np.bincount(edges.ravel(), minlength=len(nodes))], 1
    )
    counts[: len(looked_up)] = np.stack([node["mentions"], node["degree"]], 1)
    in_order = np.argsort(chunk["place"])
    marked = mention["place"].astype(np.int64)
    return SubgraphRows(
        nodes,
        names or [],
        counts,
        chunk["id"].astype(np.uint64)[in_order],
        chunk["cosine"].astype(np.float64)[in_order],
        np.stack([marked >> 1, node_index, marked & 1], 1),
        edges,
        fact["cosine"].astype(np.float64)[complete],
        row[5],
    )


def get_passages(space: SpaceSession, chunk_ids: Sequence[ChunkId]) -> Pending[dict[ChunkId, StoredPassage]]:
    """Ask for the chunks with their text and document; pending, and without those that are gone."""
    answer = space.send("retrieval.get_passages", {"chunks": list(chunk_ids)})
    return answer.then(
        lambda rows: {
            ChunkId(row[0]): StoredPassage(
                ChunkId(row[0]), DocumentId(row[1]), row[2], tuple(row[3]), *row[4:]
            )
            for row in rows
        }
    )


def get_fact_details(
    space: SpaceSession, edge_ids: Sequence[EdgeId]
) -> Pending[Mapping[EdgeId, FactDetails]]:
    """Ask for use, age and source of these edges: pending."""
    if not edge_ids:
        return Pending.of({})
    answer = space.send("retrieval.get_fact_details", {"edges": list(edge_ids)})
    return answer.then(lambda rows: {EdgeId(row[0]): FactDetails(*row[1:]) for row in rows})


def find_anchors_named(
    space: SpaceSession, chunk_ids: Sequence[ChunkId], node_ids: Sequence[NodeId]
) -> Pending[Mapping[tuple[ChunkId, NodeId], str]]:
    """Ask of which of these chunks and nodes the chunk names the node, each with the node's summary or "".

    Pending.
    """
    if not chunk_ids or not node_ids:
        return Pending.of({})
    parameters = {"chunks": list(chunk_ids), "nodes": list(node_ids)}
    answer = space.send("retrieval.find_anchors_named", parameters)
    return answer.then(
        lambda rows: {(ChunkId(chunk), NodeId(node)): summary or "" for chunk, node, summary in rows}
    )
