"""Find where retrieval enters a space: the nodes that a question means, and the chunks most similar to it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from app.db.session import SpaceSession
from app.domain.scoring.keywords import list_keywords
from app.graph import service as graph
from app.graph.anchors import QuestionAnchors
from app.graph.shapes import Anchor
from app.ids import ChunkId
from app.llm.embedding.hashed import HashedEmbedder
from app.retrieval import repository
from app.retrieval.repository import WordScores

Floats = npt.NDArray[np.float32]

CANDIDATES_PER_CHANNEL = 50
"""Number of chunks per channel; the walk starts from as many."""
COSINE_SHARE_BY_MODEL: Mapping[str, float] = {HashedEmbedder.model: 0.15}
"""Weight of cosines for models whose vectors encode only spelling, as words do, instead of a half
(record 9).
"""
MAX_KEYWORDS = 5
"""Number of a question's words that are searched in names if no other way finds an anchor
(requirement 9.2).
"""


@dataclass(frozen=True, slots=True)
class Seeds:
    """Chunks by channel with their scores, and the anchors. `similarity_by_chunk` has cosines.

    `cosine_share` is the weight of cosines relative to words, 0 to 1.
    """

    question_anchors: QuestionAnchors
    similarity_by_chunk: dict[ChunkId, float]
    word_scores_by_chunk: dict[ChunkId, WordScores]
    cosine_share: float = 0.5


class SeedChunks(NamedTuple):
    """The nearest chunks with their cosine, and those with words of the question with their scores."""

    similarity_by_chunk: dict[ChunkId, float]
    word_scores_by_chunk: dict[ChunkId, WordScores]


def find_seed_chunks(space: SpaceSession, question: str, vector: Floats | None) -> SeedChunks:
    """Return the nearest chunks with their cosine, and those with words of the question with their scores."""
    similarity_by_chunk = (
        {}
        if vector is None
        else dict(repository.find_nearest_chunks(space, vector, limit=CANDIDATES_PER_CHANNEL))
    )
    with space.pipelined():
        # Only from here on: the vector search must be planned for its values.
        space.use_generic_plans()
        word_scores_by_chunk = repository.find_chunks_by_words(
            space, question, vector, limit=CANDIDATES_PER_CHANNEL
        )
    return SeedChunks(similarity_by_chunk, word_scores_by_chunk)


def find_anchors_with_fallbacks(space: SpaceSession, question: str, vector: Floats | None) -> QuestionAnchors:
    """Return the nodes that the question names, else those with similar names, else those that share a word.

    The warnings say which fallback was used (requirement 9.2).
    """
    question_anchors = graph.find_anchors_in_question(space, question)
    if question_anchors.anchors:
        return question_anchors
    settings = space.settings
    if vector is not None:
        nearest_nodes = repository.find_nearest_nodes(space, vector, limit=settings.similar_anchors)
        cosine_by_node = {
            node_id: cosine for node_id, cosine in nearest_nodes if cosine >= settings.anchor_similarity
        }
        nodes = graph.get_nodes(space, list(cosine_by_node))
        if nodes:
            return QuestionAnchors(
                tuple(
                    Anchor(node, question)
                    for node in sorted(nodes, key=lambda node: -cosine_by_node[node.id])
                ),
                warnings=("The question names no node; the most similar names were used.",),
                unknown_names=question_anchors.unknown_names,
                reading_notes=question_anchors.reading_notes,
            )
    question_keywords = list_keywords(question)[:MAX_KEYWORDS]
    keyword_nodes = graph.find_best_node_for_each_prefix(space, question_keywords)
    if keyword_nodes:
        anchor_by_node_id = {node.id: Anchor(node, keyword) for keyword, node in reversed(keyword_nodes)}
        rarest_anchors = sorted(
            anchor_by_node_id.values(), key=lambda anchor: (anchor.node.mention_count, anchor.node.id)
        )
        return QuestionAnchors(
            tuple(rarest_anchors[: settings.similar_anchors]),
            warnings=("The question names no node; nodes with names that begin like its words were used.",),
            reading_notes=question_anchors.reading_notes,
            unknown_names=question_anchors.unknown_names,
        )
    return question_anchors
