"""Build results from what retrieval found: scores with their breakdown, and the reasons for each passage."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from app.documents.language import detect_language_unless_read_by_rules, format_language_name
from app.domain.scoring.passage_score import (
    Hybrid,
    compute_graph_distance_score,
    compute_recency_score,
    compute_reference_count_score,
)
from app.domain.scoring.relevance import FactWeights, score_fact_relevance
from app.domain.scoring.text_overlap import Bigrams, compute_weighted_text_overlap
from app.extraction.reader.languages import has_pipeline
from app.graph.narrative import format_claim
from app.graph.shapes import Anchor, Edge, Explanation, Node
from app.ids import ChunkId, EdgeId, NodeId
from app.retrieval.repository import FactDetails, StoredPassage
from app.retrieval.shapes import Passage, ScoredFact, Scoring
from app.space_settings import EffectiveSettings


@dataclass(frozen=True, slots=True)
class RankedChunk:
    """A chunk as found by the channels; `walk_score` is the score that orders them, from 0 to 1 for the best.

    `similarity_rank` and `word_rank` are its ranks, from 1, among the nearest chunks and among those with
    common words; None if that channel did not find it. `hops` is its distance from an anchor, None if
    unreachable.
    """

    chunk_id: ChunkId
    walk_score: float
    similarity_rank: int | None
    word_rank: int | None
    hops: int | None


@dataclass(frozen=True, slots=True)
class PassageScorer:
    """Builds results from the chunks that answer one question; `node_by_id` are those of its facts."""

    question_bigrams: Bigrams
    node_by_id: Mapping[NodeId, Node]
    scoring: Scoring
    settings: EffectiveSettings
    now: datetime

    def score_passage(
        self,
        chunk: RankedChunk,
        stored_passage: StoredPassage,
        *,
        stated_edges: Sequence[Edge],
        named_anchors: Sequence[Anchor],
        summary: str,
    ) -> Passage:
        """Return the chunk as a result with the requested score (requirement 9.4).

        `stated_edges` are the facts in it; `summary` is that of the question's nodes that it mentions.
        """
        hybrid_parts = Hybrid(
            text_overlap=compute_weighted_text_overlap(
                self.question_bigrams,
                title=stored_passage.document_title,
                summary=summary,
                body=stored_passage.text,
            ),
            graph_distance=compute_graph_distance_score(chunk.hops),
            temporal=compute_recency_score(stored_passage.created_at, now=self.now),
            reference=compute_reference_count_score(
                len(stated_edges), half_count=self.settings.promotion_threshold
            ),
        )
        breakdown = {
            "walk": chunk.walk_score,
            **hybrid_parts.breakdown,
            "hybrid": hybrid_parts.weighted_score(self.settings.hybrid_weights),
        }
        return Passage(
            chunk_id=stored_passage.id,
            document_id=stored_passage.document_id,
            document_title=stored_passage.document_title,
            heading_path=stored_passage.heading_path,
            text=stored_passage.text,
            char_start=stored_passage.char_start,
            char_end=stored_passage.char_end,
            source_kind=stored_passage.source_kind,
            created_at=stored_passage.created_at,
            score=breakdown[self.scoring.value] * stored_passage.trust,
            breakdown=breakdown,
            facts=tuple(edge.id for edge in stated_edges),
            place=stored_passage.place,
            trust=stored_passage.trust,
            why=tuple(_explain_rank(chunk, stated_edges, named_anchors, self.node_by_id)),
        )


def _explain_rank(
    chunk: RankedChunk,
    stated_edges: Sequence[Edge],
    named_anchors: Sequence[Anchor],
    node_by_id: Mapping[NodeId, Node],
) -> Iterable[str]:
    if named_anchors:
        yield (
            "It names "
            + ", ".join(dict.fromkeys(anchor.node.canonical_name for anchor in named_anchors))
            + "."
        )
    name_by_node_id = {
        node_id: node_by_id[node_id].canonical_name
        for edge in stated_edges
        for node_id in (edge.from_node_id, edge.to_node_id)
    }
    for edge in stated_edges:
        yield f"It states: {format_claim(edge, name_by_node_id)}."
    if not named_anchors and not stated_edges and chunk.hops is not None:
        yield (
            f"It names what is {chunk.hops} {'hop' if chunk.hops == 1 else 'hops'} from the question's nodes."
        )
    if chunk.similarity_rank is not None:
        yield f"It is number {chunk.similarity_rank} by meaning."
    if chunk.word_rank is not None:
        yield f"It is number {chunk.word_rank} by words."


def score_facts(
    explanation: Explanation,
    details_by_edge_id: Mapping[EdgeId, FactDetails],
    *,
    settings: EffectiveSettings,
    now: datetime,
) -> tuple[ScoredFact, ...]:
    """Return the explanation's facts with their scores, best first (requirement 9.4)."""
    anchor_node_ids = {anchor.node.id for anchor in explanation.anchors}
    fact_weights = FactWeights(
        settings.fact_source_weights,
        settings.fact_decay,
        timedelta(days=settings.fact_grace_days),
        settings.fact_usage_boost,
        settings.fact_confirmed_weight,
    )
    facts = []
    for edge in explanation.edges:
        detail = details_by_edge_id.get(edge.id)
        if detail is None:
            continue
        relevance = score_fact_relevance(
            confidence=edge.confidence,
            source_kind=detail.source_kind,
            status=edge.status,
            last_accessed_at=detail.last_accessed_at,
            accesses=detail.accesses,
            now=now,
            weights=fact_weights,
        )
        hop = 1 if anchor_node_ids & {edge.from_node_id, edge.to_node_id} else 2
        trust_breakdown = {"trust": detail.trust} if detail.trust < 1 else {}
        facts.append(
            ScoredFact(edge, relevance.score * detail.trust, hop, {**relevance.breakdown, **trust_breakdown})
        )
    return tuple(sorted(facts, key=lambda fact: (-fact.score, fact.hop, fact.edge.id)))


def list_warnings_of_unread_languages(
    passages: Sequence[Passage], stored_passages: Mapping[ChunkId, StoredPassage]
) -> Iterable[str]:
    """Yield a warning for languages in which no graph, or only names, was extracted from the passages."""
    passage_count_by_language = Counter(
        language
        for passage in passages
        if (stored_passage := stored_passages[passage.chunk_id]).extracted_by is not None
        and stored_passage.extracted_by.startswith("rules/")
        and (language := detect_language_unless_read_by_rules(stored_passage.text, stored_passage.language))
        is not None
    )
    for language, count in sorted(passage_count_by_language.items()):
        left_out_text = (
            "Names, and no claims, were read in" if has_pipeline(language) else "No graph was drawn of"
        )
        yield (
            f"{left_out_text} {count} of these passages, in {format_language_name(language)}:"
            " without a model claims are read in English alone."
        )
