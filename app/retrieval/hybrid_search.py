"""Hybrid search: vectors, words and the graph together rank the chunks that answer a question.

Three channels: chunks whose vectors are similar to the question's, chunks with its words, and a walk through
the graph from the anchors. The first two give the walk its seeds (`seeds`, `score_fusion`); the walk is a
personalised PageRank (`subgraph_ranking`, `spreading_activation`). Without the graph the seeds are ranked
directly.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import structlog

from app.db import arrays
from app.db.errors import DATABASE_ERRORS, is_busy, is_unreachable
from app.db.session import SpaceSession
from app.graph import service as graph
from app.graph.anchors import QuestionAnchors
from app.graph.shapes import Anchor, Explanation, GraphFilters
from app.ids import ChunkId
from app.retrieval import seeds, subgraph_ranking
from app.retrieval.repository import Floats
from app.retrieval.results import RankedChunk
from app.retrieval.seeds import Seeds
from app.retrieval.shapes import Query, Scoring, Strategy

log = structlog.get_logger(__name__)

GRAPH_SECONDS = 2
"""Maximum seconds for one statement of the graph channel, after which plain search answers
(requirement 9.2).
"""
SPARE_CHUNKS = 5
"""Number of chunks beyond top_k that are scored if the walk's score decides the order."""
SCORED_CHUNKS_FACTOR = 3
"""Factor of top_k for the number of scored chunks if another score than the walk's decides the order."""


@dataclass(frozen=True, slots=True)
class ChannelResults:
    """The results of the channels, best first, and warnings about missing ones."""

    ranked_chunks: list[RankedChunk]
    anchors: tuple[Anchor, ...]
    explanation: Explanation | None
    truncation_notes: tuple[str, ...]
    warnings: tuple[str, ...]
    unknown_names: tuple[str, ...] = ()
    question_readings: tuple[str, ...] = ()


def search_channels(space: SpaceSession, query: Query, question_vector: Floats | None) -> ChannelResults:
    """Return the chunks that the channels found, ranked, with the explanation of the graph.

    A graph that fails or is too slow is left out, with a warning.
    """
    is_graph_only = query.strategy is Strategy.GRAPH_ONLY
    similarity_by_chunk, word_scores_by_chunk = (
        ({}, {}) if is_graph_only else seeds.find_seed_chunks(space, query.text, question_vector)
    )
    plain_seeds = Seeds(
        QuestionAnchors(()),
        similarity_by_chunk,
        word_scores_by_chunk,
        seeds.COSINE_SHARE_BY_MODEL.get(space.opening_state.embedding_model, 0.5),
    )
    if query.strategy is Strategy.KNOWLEDGE_ONLY:
        return _rank_chunks_without_graph(plain_seeds, ())
    space.use_generic_plans()
    try:
        # If the graph is too slow, continue in this transaction with plain search.
        with space.limit_statement_time_in_block(GRAPH_SECONDS):
            return _search_chunks_with_graph(space, query, question_vector, plain_seeds)
    except DATABASE_ERRORS as error:
        if is_unreachable(error):
            raise
        log.warning("graph_channel_failed", exc_info=True)
        if is_graph_only:
            similarity_by_chunk, word_scores_by_chunk = seeds.find_seed_chunks(
                space, query.text, question_vector
            )
            plain_seeds = replace(
                plain_seeds,
                similarity_by_chunk=similarity_by_chunk,
                word_scores_by_chunk=word_scores_by_chunk,
            )
        failure = "did not answer in time" if is_busy(error) else "could not be asked"
        return _rank_chunks_without_graph(
            plain_seeds, (f"The graph {failure}; passages were found without it.",)
        )


def _search_chunks_with_graph(
    space: SpaceSession,
    query: Query,
    question_vector: Floats | None,
    plain_seeds: Seeds,
) -> ChannelResults:
    question_anchors = seeds.find_anchors_with_fallbacks(space, query.text, question_vector)
    seeds_with_anchors = replace(plain_seeds, question_anchors=question_anchors)
    with space.pipelined():
        pending_explanation = graph.start_explanation(
            space,
            question=query.text,
            filters=GraphFilters(as_of=query.as_of, with_evidence=True),
            known_anchors=question_anchors,
        )
        pending_ranking = subgraph_ranking.fetch_ranked_chunks(
            space,
            query.text,
            question_vector,
            seeds_with_anchors,
            as_of=query.as_of,
            is_graph_only=query.strategy is Strategy.GRAPH_ONLY,
        )
        # Build the explanation while Postgres executes the walk's query.
        explanation = pending_explanation.result()
        ranked_subgraph = pending_ranking.result()
    return ChannelResults(
        _list_ranked_chunks(ranked_subgraph, seeds_with_anchors, compute_scored_chunk_count(query)),
        question_anchors.anchors,
        explanation,
        (*ranked_subgraph.truncation_notes, *explanation.truncated),
        explanation.warnings,
        question_anchors.unknown_names,
        question_anchors.reading_notes,
    )


def compute_scored_chunk_count(query: Query) -> int:
    """Return the number of chunks that are scored to answer a query."""
    if query.scoring is Scoring.WALK:
        # Less trusted chunks may be replaced by later ones.
        return query.top_k + SPARE_CHUNKS
    return query.top_k * SCORED_CHUNKS_FACTOR


def _rank_chunks_without_graph(question_seeds: Seeds, warnings: tuple[str, ...]) -> ChannelResults:
    scored_chunks = subgraph_ranking.rank_chunks_without_graph(question_seeds)
    best_score = max((score for _, score in scored_chunks), default=0.0) or 1.0
    channel_ranks = _ChannelRanks(question_seeds)
    ranked_chunks = [
        RankedChunk(chunk_id, score / best_score, *channel_ranks.get_ranks(chunk_id), hops=None)
        for chunk_id, score in scored_chunks
    ]
    return ChannelResults(ranked_chunks, (), None, (), warnings)


def _list_ranked_chunks(
    ranked_subgraph: subgraph_ranking.SubgraphRanking, question_seeds: Seeds, max_chunks: int
) -> list[RankedChunk]:
    chunk_indices = ranked_subgraph.ranking.best_passages[:max_chunks]
    chunk_uuids = arrays.convert_ids_to_uuids(ranked_subgraph.chunks[chunk_indices])
    walk_scores = ranked_subgraph.ranking.passage_mass
    best_score = float(walk_scores.max(initial=0.0)) or 1.0
    channel_ranks = _ChannelRanks(question_seeds)
    ranked_chunks = []
    for chunk_id, chunk_index in zip(map(ChunkId, chunk_uuids), chunk_indices.tolist(), strict=True):
        hops = int(ranked_subgraph.hops[chunk_index])
        if walk_scores[chunk_index] <= 0:
            # The remaining chunks were not reached by the walk.
            break
        ranked_chunks.append(
            RankedChunk(
                chunk_id,
                float(walk_scores[chunk_index]) / best_score,
                *channel_ranks.get_ranks(chunk_id),
                hops=None if hops == subgraph_ranking.UNREACHED_HOPS else hops,
            )
        )
    return ranked_chunks


class _Ranks(NamedTuple):
    """The ranks of a chunk by similarity and by words, from 1; None where a channel lacks it."""

    similarity_rank: int | None
    word_rank: int | None


class _ChannelRanks:
    """The ranks of chunks in each channel, from 1."""

    def __init__(self, question_seeds: Seeds) -> None:
        self._similarity_ranks = {
            chunk_id: rank for rank, chunk_id in enumerate(question_seeds.similarity_by_chunk, 1)
        }
        self._word_ranks = {
            chunk_id: rank for rank, chunk_id in enumerate(question_seeds.word_scores_by_chunk, 1)
        }

    def get_ranks(self, chunk_id: ChunkId) -> _Ranks:
        """Return the chunk's rank by similarity and its rank by words; None where a channel lacks it."""
        return _Ranks(self._similarity_ranks.get(chunk_id), self._word_ranks.get(chunk_id))
