"""The SQL statements of retrieval, each a named .sql file; columns are returned as arrays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from app.db import arrays
from app.db.arrays import Ids, Integers, format_vectors
from app.db.session import Row, SpaceSession
from app.db.sql import Pending
from app.db.vectors.indexes import build_index_name
from app.ids import ChunkId, DocumentId, EdgeId, NodeId

Floats = npt.NDArray[np.float32]

MAX_RARE_WORD_MATCHES, MAX_RANKED_WORD_MATCHES = 200, 3_000
"""Maximum estimated number of chunks matched by the question's rarest words together, and chunks ranked."""
MAX_COUNTED_SPREAD = 100
"""Number of chunks with a name's words beyond which the exact count is irrelevant."""
USUAL_TOKENS = 120
"""Length of a chunk at which its score is neither raised nor lowered."""
MAX_ROWS_PER_CHUNK = 200
"""Maximum number of mentions and facts of one chunk that are read; extraction keeps fewer."""
MIN_CANDIDATES, ROWS_PER_CANDIDATE = 50, 20_000
"""Number of index candidates for a large space: 50 and one for every 20,000 rows.

This keeps recall@10 above 0.98 up to 200,000 rows at least (docs/benchmarks.md).
"""


@dataclass(frozen=True, slots=True)
class SubgraphRows:
    """The nodes and chunks of a subgraph and their links, as columns; links refer to indices in the lists.

    `nodes` (n, 2) and `chunks` (c, 2) are ids (`arrays.ids`). `mention_and_edge_counts` (n, 2): chunks of the
    space that mention the node, and its edges. The nodes that were looked up come first and have their
    `names`; the counts of the others, which few of these chunks mention, cover only this subgraph. `cosines`
    (c, 2): cosine with the question, and with the question without its names; 0 without a vector. `mentions`
    (m, 3): chunk, node, 1 if titular. `edges` (e, 2): from, to. `fact_cosines` (e): cosine of the fact with
    the question, 0 if not compared. `leading_node_count` nodes were found before the chunks and led to
    them.
    """

    nodes: Ids
    names: list[str]
    mention_and_edge_counts: Integers
    chunks: Ids
    cosines: npt.NDArray[np.float64]
    mentions: Integers
    edges: Integers
    fact_cosines: npt.NDArray[np.float64]
    leading_node_count: int


@dataclass(frozen=True, slots=True)
class StoredPassage:
    """A chunk with the fields of its document that an answer displays."""

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
    document_id: DocumentId | None = None


def _format_vector(vector: Floats) -> str:
    return format_vectors(vector[None])[0]


@dataclass(frozen=True, slots=True)
class _NearestSearch:
    """A table of vectors, and the statements for its nearest rows: with the space's own index, and exact."""

    table: str
    indexed_statement: str
    exact_statement: str


_CHUNK_SEARCH = _NearestSearch("chunk_vector", "retrieval.nearest_chunks_indexed", "retrieval.nearest_chunks")
_NODE_SEARCH = _NearestSearch("node_vector", "retrieval.nearest_nodes_indexed", "retrieval.nearest_nodes")


def _find_nearest_vectors(
    space: SpaceSession, nearest_search: _NearestSearch, vector: Floats, limit: int
) -> list[tuple[Any, ...]]:
    """Return (id, cosine) rows of the nearest vectors, using the space's own index if there is one."""
    parameters: dict[str, Any] = {"vector": _format_vector(vector), "limit": limit}
    own_index_name, rows, _ = space.run_each_statement(
        nearest_search.indexed_statement,
        {
            **parameters,
            "dimensions": len(vector),
            "name": build_index_name(
                nearest_search.table,
                space.space_id,
                space.opening_state.vector_set,
                is_dedicated=space.opening_state.dedicated_vectors,
            ),
            "least": max(MIN_CANDIDATES, limit),
            "rows_per_candidate": ROWS_PER_CANDIDATE,
        },
    )
    if own_index_name and len(rows) < limit:
        # The index returned too few rows: either there are no more, or it missed some.
        return space.run(nearest_search.exact_statement, parameters)
    return rows


class NearChunk(NamedTuple):
    """A chunk, and the cosine of its vector and the one searched for."""

    chunk_id: ChunkId
    cosine: float


def find_nearest_chunks(space: SpaceSession, vector: Floats, *, limit: int) -> list[NearChunk]:
    """Return (chunk, cosine) of the `limit` nearest chunks, nearest first; fewer only if there are fewer."""
    rows = _find_nearest_vectors(space, _CHUNK_SEARCH, vector, limit)
    return [NearChunk(ChunkId(row[0]), row[1]) for row in rows]


class WordScores(NamedTuple):
    """The scores of a chunk that has words of the question: by these words, and its vector's cosine."""

    lexical: float
    cosine: float


def find_chunks_by_words(
    space: SpaceSession, question: str, vector: Floats | None, *, limit: int
) -> dict[ChunkId, WordScores]:
    """Return the `limit` best chunks by the question's words, best first; {} without common words."""
    parameters = {
        "question": question,
        "vector": None if vector is None else _format_vector(vector),
        "limit": limit,
        "budget": MAX_RARE_WORD_MATCHES,
        "bound": MAX_RANKED_WORD_MATCHES,
        "usual_tokens": USUAL_TOKENS,
    }
    rows = space.run("retrieval.find_chunks_by_words", parameters)
    return {ChunkId(chunk_id): WordScores(lexical, cosine) for chunk_id, lexical, cosine in rows}


class NameSpread(NamedTuple):
    """The number of chunks with the words of each name, and the number of the space's chunks."""

    chunk_counts: list[int]
    space_chunk_count: int


def fetch_chunk_counts_of_names(
    space: SpaceSession, names: Sequence[str], mention_counts: Sequence[int]
) -> Pending[NameSpread]:
    """Send the query for the number of chunks with each name's words, and of all chunks; `.result()` waits
    for it.

    Counts stop at a bound. Nothing is counted for a name whose node is mentioned in that many chunks;
    `mention_counts` are the numbers of chunks per name.
    """
    rare_names = [
        name for name, count in zip(names, mention_counts, strict=True) if count < MAX_COUNTED_SPREAD
    ]
    pending_counts = space.send(
        "retrieval.count_name_spread", {"names": rare_names, "bound": MAX_COUNTED_SPREAD}
    )

    def read_counts(rows: list[Row]) -> NameSpread:
        space_row, *count_rows = rows
        counts = iter(count_rows)
        chunk_counts = [
            next(counts)[1] if count < MAX_COUNTED_SPREAD else MAX_COUNTED_SPREAD for count in mention_counts
        ]
        return NameSpread(chunk_counts, space_row[1])

    return pending_counts.then(read_counts)


class NearNode(NamedTuple):
    """A node, and the cosine of its name's vector and the one searched for."""

    node_id: NodeId
    cosine: float


def find_nearest_nodes(space: SpaceSession, vector: Floats, *, limit: int) -> list[NearNode]:
    """Return (node, cosine) of the `limit` nodes with the nearest names, nearest first."""
    rows = _find_nearest_vectors(space, _NODE_SEARCH, vector, limit)
    return [NearNode(NodeId(row[0]), row[1]) for row in rows]


def fetch_node_vectors(space: SpaceSession, node_ids: Sequence[NodeId]) -> Pending[Mapping[NodeId, Floats]]:
    """Send the query for the vectors of these nodes' names, where they exist; `.result()` waits for it."""
    if not node_ids:
        return Pending.completed({})
    pending_rows = space.send("retrieval.get_node_vectors", {"nodes": list(node_ids)}, binary=True)
    # The vector's half-precision numbers follow two 16-bit integers: its length and zero.
    return pending_rows.then(
        lambda rows: {
            NodeId(node): np.frombuffer(vector_bytes, ">f2", offset=4).astype(np.float32)
            for node, vector_bytes in rows
        }
    )


def fetch_subgraph(
    space: SpaceSession,
    *,
    anchor_ids: Sequence[NodeId],
    seed_ids: Sequence[ChunkId],
    question_vector: Floats | None,
    residual_vector: Floats | None,
    as_of: datetime | None,
    max_node_chunks: int,
    max_nodes: int,
    max_chunks: int,
    seeds_with_nodes: int,
    seeds_with_facts: int,
    min_chunks_of_node: int,
    fan_out: int,
) -> Pending[SubgraphRows]:
    """Send the query for the subgraph around these anchors and seeds, best first; `.result()` waits for it.

    Anchors and seeds come before all others. The nodes include those that the first `seeds_with_nodes` seeds
    mention, and those mentioned by at least `min_chunks_of_node` of the chunks. A node mentioned in more than
    `max_node_chunks` chunks leads only to those about it. Facts that touch no anchor and that none of the
    first `seeds_with_facts` seeds states have a cosine of 0.
    """
    pending_rows = space.send(
        "retrieval.fetch_subgraph",
        {
            "anchors": list(anchor_ids),
            "seeds": list(seed_ids),
            "question": None if question_vector is None else _format_vector(question_vector),
            "rest": None if residual_vector is None else _format_vector(residual_vector),
            "as_of": as_of,
            "hub": max_node_chunks,
            "per_chunk": MAX_ROWS_PER_CHUNK,
            "max_nodes": max_nodes,
            "max_chunks": max_chunks,
            "naming": seeds_with_nodes,
            "stating": seeds_with_facts,
            "often": min_chunks_of_node,
            "fan_out": fan_out,
        },
        binary=True,
    )
    return pending_rows.then(lambda rows: _decode_subgraph_rows(rows[0]))


def _decode_subgraph_rows(row: Row) -> SubgraphRows:
    node_records, names = row[0], row[1]
    node_columns = arrays.decode_records(
        node_records, arrays.ID_FIELD, ("mentions", ">i4"), ("degree", ">i4")
    )
    chunk_columns = arrays.decode_records(row[2], ("place", ">i4"), arrays.ID_FIELD, ("cosine", ">f4", (2,)))
    mention_columns = arrays.decode_records(row[3], ("place", ">i4"), arrays.ID_FIELD)
    fact_columns = arrays.decode_records(row[4], ("ends", ">u8", (2, 2)), ("cosine", ">f4"))
    looked_up_ids, mentioned_ids = (
        node_columns["id"].astype(np.uint64),
        mention_columns["id"].astype(np.uint64),
    )
    mention_node_indices = arrays.find_positions(mentioned_ids, looked_up_ids)
    new_ids, new_node_indices = arrays.deduplicate_ids(mentioned_ids[mention_node_indices < 0])
    mention_node_indices[mention_node_indices < 0] = len(looked_up_ids) + new_node_indices
    nodes = np.concatenate([looked_up_ids, new_ids])
    edge_ends = arrays.find_positions(fact_columns["ends"].astype(np.uint64).reshape(-1, 2), nodes).reshape(
        -1, 2
    )
    # After a merge a fact may have an end that none of these chunks mentions.
    is_complete = (edge_ends >= 0).all(axis=1)
    edge_ends = edge_ends[is_complete]
    counts = np.stack(
        [
            np.bincount(mention_node_indices, minlength=len(nodes)),
            np.bincount(edge_ends.ravel(), minlength=len(nodes)),
        ],
        1,
    )
    counts[: len(looked_up_ids)] = np.stack([node_columns["mentions"], node_columns["degree"]], 1)
    chunk_order = np.argsort(chunk_columns["place"])
    marked_positions = mention_columns["place"].astype(np.int64)
    return SubgraphRows(
        nodes,
        names or [],
        counts,
        chunk_columns["id"].astype(np.uint64)[chunk_order],
        chunk_columns["cosine"].astype(np.float64)[chunk_order],
        np.stack([marked_positions >> 1, mention_node_indices, marked_positions & 1], 1),
        edge_ends,
        fact_columns["cosine"].astype(np.float64)[is_complete],
        row[5],
    )


def fetch_passages(
    space: SpaceSession, chunk_ids: Sequence[ChunkId]
) -> Pending[dict[ChunkId, StoredPassage]]:
    """Send the query for the chunks that exist of these, with text and document; `.result()` waits for it."""
    pending_rows = space.send("retrieval.get_passages", {"chunks": list(chunk_ids)})
    return pending_rows.then(
        lambda rows: {
            ChunkId(row[0]): StoredPassage(
                ChunkId(row[0]), DocumentId(row[1]), row[2], tuple(row[3]), *row[4:]
            )
            for row in rows
        }
    )


def fetch_use_age_and_source_of_edges(
    space: SpaceSession, edge_ids: Sequence[EdgeId]
) -> Pending[Mapping[EdgeId, FactDetails]]:
    """Send the query for use, age and source of these edges; `.result()` waits for it."""
    if not edge_ids:
        return Pending.completed({})
    pending_rows = space.send("retrieval.get_fact_details", {"edges": list(edge_ids)})
    return pending_rows.then(lambda rows: {EdgeId(row[0]): FactDetails(*row[1:]) for row in rows})


class ChunkAndNode(NamedTuple):
    """A chunk, and a node that it mentions."""

    chunk_id: ChunkId
    node_id: NodeId


def fetch_summaries_by_mention(
    space: SpaceSession, chunk_ids: Sequence[ChunkId], node_ids: Sequence[NodeId]
) -> Pending[Mapping[ChunkAndNode, str]]:
    """Send the query for the summaries of those of these nodes that these chunks mention; `.result()` waits
    for it.

    The result maps each chunk and node that it mentions to the node's summary or "".
    """
    if not chunk_ids or not node_ids:
        return Pending.completed({})
    parameters = {"chunks": list(chunk_ids), "nodes": list(node_ids)}
    pending_rows = space.send("retrieval.find_summaries_of_named_anchors", parameters)
    return pending_rows.then(
        lambda rows: {
            ChunkAndNode(ChunkId(chunk), NodeId(node)): summary or "" for chunk, node, summary in rows
        }
    )
