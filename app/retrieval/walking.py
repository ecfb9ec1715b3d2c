"""From seeds to ranked chunks: fetches the subgraph around them and has it walked."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
import numpy.typing as npt

from app.db.session import SpaceSession
from app.graph.shapes import Anchor
from app.ids import ChunkId, NodeId
from app.retrieval import repository
from app.retrieval.ranking import HUB_MENTIONS, HUB_SHARE, Ranking, Subgraph, hybrid_scores, rank
from app.retrieval.repository import Fetched, Floats
from app.retrieval.seeds import Seeds

MAX_NODES, MAX_CHUNKS = 2_000, 2_000
"""Bounds of the subgraph (retrieval.md measured about as many)."""
FAN_OUT, EDGES_PER_NODE = 50, 50
"""Strongest edges, per direction, that lead from an anchor to its neighbours, and that tie fetched nodes."""
UNREACHED = 255
"""Hops of what no walk of two hops reaches."""


@dataclass(frozen=True, slots=True)
class Walked:
    """A subgraph and its ranking. `hops` (m) says how far each chunk's nearest node is from an anchor."""

    fetched: Fetched
    ranking: Ranking
    hops: npt.NDArray[np.uint8]
    truncated: tuple[str, ...]


def walk(
    space: SpaceSession,
    anchors: Sequence[Anchor],
    seeds: Seeds,
    vector: Floats | None,
    *,
    as_of: datetime | None,
    graph_only: bool,
) -> Walked:
    """Rank the chunks around anchors and seeds. With `graph_only` the walk starts from anchors and facts alone."""
    spread, size = repository.spread_of_names(space, [anchor.matched for anchor in anchors])
    hub = max(HUB_MENTIONS, int(HUB_SHARE * size))
    fetched = repository.subgraph(
        space,
        anchors=[anchor.node.id for anchor in anchors],
        seeds=seeds.chunks,
        vector=vector,
        as_of=as_of,
        hub=hub,
        max_nodes=MAX_NODES,
        max_chunks=MAX_CHUNKS,
        fan_out=FAN_OUT,
        edges_per_node=EDGES_PER_NODE,
    )
    place = {node_id: number for number, node_id in enumerate(fetched.nodes)}
    named = [
        (place[anchor.node.id], many)
        for anchor, many in zip(anchors, spread, strict=True)
        if anchor.node.id in place
    ]
    worded = {chunk: score for chunk, (score, _) in seeds.worded.items()}
    lexical = np.array([worded.get(chunk, 0.0) for chunk in fetched.chunks])
    mentions = fetched.mentions.astype(np.int64)
    subgraph = Subgraph(
        space_passages=size,
        node_mentions=fetched.node_counts[:, 0].astype(np.int64),
        node_degree=fetched.node_counts[:, 1].astype(np.int64),
        passage_cosine=fetched.similarities.astype(np.float64),
        passage_lexical=lexical,
        anchor_node=np.array([node for node, _ in named], np.int64),
        anchor_spread=np.array([many for _, many in named], np.int64),
        mention_passage=mentions[:, 0],
        mention_node=mentions[:, 1],
        mention_titular=mentions[:, 2].astype(bool),
        edge_from=fetched.edges[:, 0].astype(np.int64),
        edge_to=fetched.edges[:, 1].astype(np.int64),
        edge_cosine=fetched.fact_similarities.astype(np.float64),
    )
    ranking = rank(subgraph, from_passages=not graph_only)
    truncated = []
    if len(fetched.nodes) == MAX_NODES:
        truncated.append(f"Only {MAX_NODES:,} nodes around the question were looked at.")
    if len(fetched.chunks) == MAX_CHUNKS:
        truncated.append(f"Only {MAX_CHUNKS:,} chunks around the question were looked at.")
    return Walked(fetched, ranking, _hops(subgraph), tuple(truncated))


def direct_order(seeds: Seeds) -> list[tuple[ChunkId, float]]:
    """(chunk, score 0 to 1) by words and meaning alone, best first: plain hybrid search."""
    chunks = seeds.chunks
    cosine = np.array([seeds.similar.get(each, seeds.worded.get(each, (0.0, 0.0))[1]) for each in chunks])
    lexical = np.array([seeds.worded.get(each, (0.0, 0.0))[0] for each in chunks])
    scores = hybrid_scores(cosine, lexical)
    return sorted(zip(chunks, scores.tolist(), strict=True), key=lambda pair: -pair[1])


def _hops(subgraph: Subgraph) -> npt.NDArray[np.uint8]:
    """For each chunk the fewest hops from an anchor to a node that it names, 0 to 2, else UNREACHED."""
    nodes = np.full(len(subgraph.node_mentions), UNREACHED, np.uint8)
    nodes[subgraph.anchor_node] = 0
    for hop in (1, 2):
        for begin, end in (
            (subgraph.edge_from, subgraph.edge_to),
            (subgraph.edge_to, subgraph.edge_from),
        ):
            reached = end[nodes[begin] == hop - 1]
            nodes[reached] = np.minimum(nodes[reached], hop)
    chunks = np.full(len(subgraph.passage_cosine), UNREACHED, np.uint8)
    known = subgraph.mention_node >= 0
    np.minimum.at(chunks, subgraph.mention_passage[known], nodes[subgraph.mention_node[known]])
    return chunks


def reached_nodes(walked: Walked, *, limit: int) -> list[NodeId]:
    """The nodes that held most of the walk, best first."""
    order = np.argsort(-walked.ranking.nodes, kind="stable")[:limit]
    return [walked.fetched.nodes[place] for place in order.tolist()]
