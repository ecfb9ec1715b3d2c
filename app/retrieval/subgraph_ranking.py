"""Fetch the subgraph around the seeds and rank its chunks by a walk: spreading activation
(`spreading_activation`).
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from app.db import arrays
from app.db.arrays import Ids
from app.db.session import SpaceSession
from app.db.sql import Pending
from app.domain.scoring.stop_words import STOP_WORDS
from app.graph.names import normalise_names
from app.graph.questions import is_written_as_name
from app.graph.shapes import Anchor
from app.ids import ChunkId, NodeId
from app.retrieval import repository
from app.retrieval.repository import Floats, SubgraphRows
from app.retrieval.score_fusion import fuse_scores
from app.retrieval.seeds import Seeds
from app.retrieval.spreading_activation import (
    HUB_MENTIONS,
    HUB_SHARE,
    PassageRanking,
    Subgraph,
    compute_specificity_of_anchors,
    flag_principal_anchors,
    rank_passages,
    subtract_name_vectors,
)

MAX_NODES, MAX_CHUNKS = 1_200, 300
"""Maximum number of nodes that lead to chunks, and of chunks, each of which is looked up several times
(docs/decisions/0065).
"""
MAX_EDGES_OF_ANCHOR = 50
"""Number of an anchor's strongest edges, per direction, that lead to its neighbours."""
SEEDS_LEADING_TO_CHUNKS, SEEDS_WITH_FACTS = 70, 20
"""Number of the up to 100 seeds whose nodes lead to more chunks, and whose facts are compared with the
question.
"""
MIN_CHUNKS_OF_NODE = 3
"""Minimum number of the subgraph's chunks that mention a node for it to be looked up."""
UNREACHED_HOPS = 255
"""The number of hops of what is not reached in two hops."""


MAX_CONTAINING_NAMES = 20
"""A name contained in more names ("John", "County") is not linked to them."""
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SubgraphRanking:
    """The chunks (c, 2) of a subgraph, by `arrays.ids`, and their ranking.

    `hops` is the distance of each chunk's nearest node from an anchor.
    """

    chunks: Ids
    ranking: PassageRanking
    hops: npt.NDArray[np.uint8]
    truncation_notes: tuple[str, ...]


def fetch_ranked_chunks(
    space: SpaceSession,
    question: str,
    vector: Floats | None,
    seeds: Seeds,
    *,
    as_of: datetime | None,
    is_graph_only: bool,
) -> Pending[SubgraphRanking]:
    """Send the query for the subgraph around anchors and seeds; its ranked chunks are pending.

    With `is_graph_only` the walk starts only from anchors and facts.
    """
    anchors = seeds.question_anchors.anchors
    anchor_ids = [anchor.node.id for anchor in anchors]
    pending_spread = repository.fetch_chunk_counts_of_names(
        space,
        [anchor.matched for anchor in anchors],
        [anchor.node.mention_count for anchor in anchors],
    )
    # A node matched with the whole question is what it asks for, not a name in it.
    named_node_ids = [
        anchor.node.id for anchor in anchors if anchor.matched != question and vector is not None
    ]
    pending_name_vectors = repository.fetch_node_vectors(space, named_node_ids)
    written_flags = np.array(
        [_is_written_as_anchor_name(anchor.matched, question) for anchor in anchors], bool
    )
    seed_chunk_ids = [chunk_id for chunk_id, _ in rank_chunks_without_graph(seeds)]
    spread_counts, space_chunk_count = pending_spread.result()
    pending_subgraph = repository.fetch_subgraph(
        space,
        anchor_ids=anchor_ids,
        seed_ids=seed_chunk_ids,
        question_vector=vector,
        residual_vector=None
        if vector is None
        else _subtract_principal_names(
            vector, anchors, np.array(spread_counts, np.int64), written_flags, pending_name_vectors.result()
        ),
        as_of=as_of,
        max_node_chunks=max(HUB_MENTIONS, int(HUB_SHARE * space_chunk_count)),
        max_nodes=MAX_NODES,
        max_chunks=MAX_CHUNKS,
        seeds_with_nodes=SEEDS_LEADING_TO_CHUNKS,
        seeds_with_facts=SEEDS_WITH_FACTS,
        min_chunks_of_node=MIN_CHUNKS_OF_NODE,
        fan_out=MAX_EDGES_OF_ANCHOR,
    )
    return pending_subgraph.then(
        lambda rows: _rank_subgraph(
            seeds, rows, spread_counts, space_chunk_count, written_flags, is_graph_only
        )
    )


def _rank_subgraph(
    seeds: Seeds,
    subgraph_rows: SubgraphRows,
    spread_counts: Sequence[int],
    space_chunk_count: int,
    written_flags: npt.NDArray[np.bool_],
    is_graph_only: bool,
) -> SubgraphRanking:
    anchor_ids = [anchor.node.id for anchor in seeds.question_anchors.anchors]
    anchor_nodes = arrays.find_positions(
        arrays.decode_ids([node_id.bytes for node_id in anchor_ids]), subgraph_rows.nodes
    )
    is_in_subgraph = anchor_nodes >= 0
    lexical_scores = np.zeros(len(subgraph_rows.chunks))
    word_match_positions = arrays.find_positions(
        arrays.decode_ids([chunk_id.bytes for chunk_id in seeds.word_scores_by_chunk]), subgraph_rows.chunks
    )
    word_scores_of_seeds = np.array(
        [word_scores.lexical for word_scores in seeds.word_scores_by_chunk.values()]
    )
    lexical_scores[word_match_positions[word_match_positions >= 0]] = word_scores_of_seeds[
        word_match_positions >= 0
    ]
    subgraph = Subgraph(
        space_passages=space_chunk_count,
        node_mentions=subgraph_rows.mention_and_edge_counts[:, 0],
        node_degree=subgraph_rows.mention_and_edge_counts[:, 1],
        passage_cosine=subgraph_rows.cosines[:, 0],
        passage_residual_cosine=subgraph_rows.cosines[:, 1],
        cosine_share=seeds.cosine_share,
        passage_lexical=lexical_scores,
        anchor_node=anchor_nodes[is_in_subgraph],
        anchor_spread=np.array(spread_counts, np.int64)[is_in_subgraph],
        anchor_is_written=written_flags[is_in_subgraph],
        mention_passage=subgraph_rows.mentions[:, 0],
        mention_node=subgraph_rows.mentions[:, 1],
        mention_is_titular=subgraph_rows.mentions[:, 2].astype(bool),
        edge_from=subgraph_rows.edges[:, 0],
        edge_to=subgraph_rows.edges[:, 1],
        edge_cosine=subgraph_rows.fact_cosines,
        nested_names=find_indices_of_nested_names(normalise_names(subgraph_rows.names)),
    )
    ranking = rank_passages(subgraph, starts_from_passages=not is_graph_only)
    truncation_notes = []
    if subgraph_rows.leading_node_count == MAX_NODES:
        truncation_notes.append(f"Only {MAX_NODES:,} nodes around the question were read.")
    if len(subgraph_rows.chunks) == MAX_CHUNKS:
        truncation_notes.append(f"Only {MAX_CHUNKS:,} chunks around the question were read.")
    return SubgraphRanking(
        subgraph_rows.chunks, ranking, _count_hops_from_anchors_to_chunks(subgraph), tuple(truncation_notes)
    )


def _subtract_principal_names(
    vector: Floats,
    anchors: Sequence[Anchor],
    spread_counts: npt.NDArray[np.int64],
    written_flags: npt.NDArray[np.bool_],
    name_vectors_by_node: Mapping[NodeId, Floats],
) -> Floats:
    """Return the question's vector without the names that it is about, using the vectors of the
    named nodes.
    """
    mention_counts = np.array([anchor.node.mention_count for anchor in anchors], np.int64)
    principal_flags = flag_principal_anchors(
        compute_specificity_of_anchors(spread_counts, mention_counts, written_flags)
    )
    principal_vectors = [
        name_vectors_by_node[anchor.node.id]
        for anchor, is_principal in zip(anchors, principal_flags, strict=True)
        if is_principal and anchor.node.id in name_vectors_by_node
    ]
    name_vectors = np.array(principal_vectors, np.float64).reshape(-1, len(vector))
    return subtract_name_vectors(vector.astype(np.float64), name_vectors).astype(np.float32)


def _is_written_as_anchor_name(matched_text: str, question: str) -> bool:
    return matched_text != question and is_written_as_name(
        matched_text, is_first_word=question.lstrip().startswith(matched_text)
    )


class ScoredChunk(NamedTuple):
    """A chunk, and its score from 0 to 1."""

    chunk_id: ChunkId
    score: float


def rank_chunks_without_graph(seeds: Seeds) -> list[ScoredChunk]:
    """Return the chunks by words and meaning alone, best first: plain hybrid search."""
    # (cosine, lexical score) of each chunk, starting with those found by meaning.
    channel_scores = {chunk_id: (cosine, 0.0) for chunk_id, cosine in seeds.similarity_by_chunk.items()}
    for chunk_id, word_scores in seeds.word_scores_by_chunk.items():
        cosine, _ = channel_scores.get(chunk_id, (word_scores.cosine, 0.0))
        channel_scores[chunk_id] = (cosine, word_scores.lexical)
    chunk_ids = list(channel_scores)
    score_pairs = np.array(list(channel_scores.values()), np.float64).reshape(-1, 2)
    scores = fuse_scores(score_pairs[:, 0], score_pairs[:, 1], cosine_share=seeds.cosine_share)
    scored_chunks = map(ScoredChunk, chunk_ids, scores.tolist())
    return sorted(scored_chunks, key=lambda scored_chunk: -scored_chunk.score)


def _count_hops_from_anchors_to_chunks(subgraph: Subgraph) -> npt.NDArray[np.uint8]:
    """Return for each chunk the fewest hops from an anchor to a node that it mentions, 0 to 2, else
    UNREACHED_HOPS.
    """
    node_hops = np.full(len(subgraph.node_mentions), UNREACHED_HOPS, np.uint8)
    node_hops[subgraph.anchor_node] = 0
    for hop in (1, 2):
        for from_nodes, to_nodes in (
            (subgraph.edge_from, subgraph.edge_to),
            (subgraph.edge_to, subgraph.edge_from),
        ):
            reached_nodes = to_nodes[node_hops[from_nodes] == hop - 1]
            node_hops[reached_nodes] = np.minimum(node_hops[reached_nodes], hop)
    chunk_hops = np.full(len(subgraph.passage_cosine), UNREACHED_HOPS, np.uint8)
    np.minimum.at(chunk_hops, subgraph.mention_passage, node_hops[subgraph.mention_node])
    return chunk_hops


class NestedNames(NamedTuple):
    """Indices of names that are contained in others, and of those others."""

    short_name_indices: Integers
    long_name_indices: Integers


def find_indices_of_nested_names(names: Sequence[str]) -> NestedNames:
    """Return indices (short, long), each (k), where the normalised name `long_name_indices` contains
    `short_name_indices` as words.

    "Fredericton" is contained in "Diocese of Fredericton": they are different, but one leads to the other. So
    is "Nathan Juran" in "Nathan H. Juran", whose initial may be omitted. Stop words and names contained in
    more than 20 others are left out. Sorted by `short_name_indices`, then `long_name_indices`.
    """
    words_of_names = [name.split() for name in names]
    word_counts = Counter(chain.from_iterable(words_of_names))
    shared_words = {word for word, count in word_counts.items() if count > 1}
    # All words of a contained name occur in other names. Most names have a unique word and are skipped here.
    candidate_indices = [
        index for index, words in enumerate(words_of_names) if shared_words.issuperset(words) and words
    ]
    rarest_word_by_name = {
        index: min(words_of_names[index], key=word_counts.__getitem__) for index in candidate_indices
    }
    rarest_words = set(rarest_word_by_name.values())
    indices_by_word: dict[str, list[int]] = defaultdict(list)
    for index, words in enumerate(words_of_names):
        for word in rarest_words.intersection(words):
            indices_by_word[word].append(index)
    short_name_indices, long_name_indices = [], []
    for index in candidate_indices:
        name, words = names[index], words_of_names[index]
        if len(words) == 1 and name in STOP_WORDS:
            continue
        padded_name = f" {name} "
        containing_indices = [
            containing_index
            for containing_index in indices_by_word[rarest_word_by_name[index]]
            if len(names[containing_index]) > len(name)
            and (
                padded_name in f" {names[containing_index]} "
                or name == _strip_initials(names[containing_index], words_of_names[containing_index])
            )
        ]
        if len(containing_indices) <= MAX_CONTAINING_NAMES:
            short_name_indices.extend([index] * len(containing_indices))
            long_name_indices.extend(containing_indices)
    return NestedNames(np.array(short_name_indices, np.int64), np.array(long_name_indices, np.int64))


def _strip_initials(name: str, words: Sequence[str]) -> str:
    """Return a name of several words without the initials between its first and its last."""
    if len(words) < 3 or all(len(word.rstrip(".")) > 1 for word in words[1:-1]):
        return name
    return " ".join((words[0], *(word for word in words[1:-1] if len(word.rstrip(".")) > 1), words[-1]))
