"""Retrieval: find the passages, facts and paths of one space that answer a question (requirement 9)."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple

import structlog

from app.db.database import Database
from app.db.session import SpaceSession
from app.documents import service as documents
from app.domain.invisible_breaks import remove_invisible_breaks
from app.domain.scoring.text_overlap import count_letter_bigrams
from app.errors import CitegraphError, InvalidInput
from app.graph import input_checks
from app.graph.shapes import Edge, Explanation, GraphFilters
from app.ids import ChunkId, DocumentId, EdgeId, SpaceId, TenantId
from app.limits import PASSAGES
from app.llm.deadline import limit_seconds
from app.llm.embedding.embedders import Embedders
from app.llm.model_calls.ledger import UnlimitedAnswerStore
from app.retrieval import hybrid_search, repository
from app.retrieval.cache import AnswerCache, CacheWarmer, compute_cache_version
from app.retrieval.hybrid_search import ChannelResults, compute_scored_chunk_count
from app.retrieval.repository import Floats, StoredPassage
from app.retrieval.results import PassageScorer, list_warnings_of_unread_languages, score_facts
from app.retrieval.shapes import Passage, Query, RetrievalResult, Scoring, Strategy
from app.settings import Settings
from app.space_settings import EffectiveSettings

log = structlog.get_logger(__name__)

EMBEDDING_SECONDS = 10.0
"""Maximum seconds for embedding a question, including retries, after which only words are searched."""


class _EmbeddedQuestion(NamedTuple):
    """The vector of a question, or None with a warning."""

    vector: Floats | None
    warnings: tuple[str, ...]


class Retriever:
    """Answers queries on any space. One per process: it holds the cache of repeated queries.

    Its parameters are those of the space, else of `settings`. No transaction is open while the question is
    embedded.
    """

    def __init__(
        self,
        database: Database,
        embedders: Embedders,
        settings: Settings,
        *,
        cache: AnswerCache | None = None,
    ) -> None:
        self._database = database
        self._embedders = embedders
        self._settings = settings
        self._cache = AnswerCache() if cache is None else cache
        self._warmer = CacheWarmer(self._get_cached_or_retrieve_and_cache)

    def close(self) -> None:
        """Stop the background thread."""
        self._warmer.close()

    def retrieve_and_record_recalls(
        self, tenant_id: TenantId, space_id: SpaceId, query: Query
    ) -> RetrievalResult:
        """Return the passages that answer, best first, with facts, paths and citations; record them as
        recalled.

        It takes the arguments of `retrieve_without_recording_recalls` and raises the same errors.
        """
        result = self.retrieve_without_recording_recalls(tenant_id, space_id, query)
        self._database.record_recall_after_commit(tenant_id, space_id, result)
        return result

    @property
    def cache_lookups(self) -> Mapping[str, int]:
        """The number of cache lookups by outcome."""
        return self._cache.lookups

    def retrieve_without_recording_recalls(
        self, tenant_id: TenantId, space_id: SpaceId, query: Query
    ) -> RetrievalResult:
        """Return the same as `retrieve_and_record_recalls` without recording it: for answers, which record
        their citations, and evaluations.

        If the embedding or the graph fails, the result is made without it and has a warning. Raises NotFound
        for a space that the tenant does not have, InvalidInput for an invalid query.
        """
        check_query(query)
        query = replace(query, text=remove_invisible_breaks(query.text))
        result = self._get_cached_or_retrieve_and_cache(tenant_id, space_id, query)
        self._warmer.count_query_and_warm_if_changed(tenant_id, space_id, result.graph_revision, query)
        return result

    def _get_cached_or_retrieve_and_cache(
        self, tenant_id: TenantId, space_id: SpaceId, query: Query
    ) -> RetrievalResult:
        with self._database.open_space(tenant_id, space_id, may_use_replica=True) as space:
            opening_state = space.opening_state
            cached_result = self._cache.get(tenant_id, space_id, compute_cache_version(opening_state), query)
        if cached_result is not None:
            return replace(cached_result, query=query, cached=True)
        vector, warnings = self._embed_question(
            query.text, opening_state.embedding_model, opening_state.embedding_dimensions, tenant_id, space_id
        )
        with self._database.open_space(
            tenant_id, space_id, may_use_replica=True, statement_timeout_seconds=self._settings.answer_timeout
        ) as space:
            # If the space has switched to another model meanwhile, this vector does not belong to it.
            has_changed_vectors = space.opening_state.vector_set != opening_state.vector_set
            if not has_changed_vectors:
                version = compute_cache_version(space.opening_state)
                cache_seconds = space.settings.answer_cache_seconds
                result = self._build_result(space, query, vector, warnings)
        if has_changed_vectors:
            return self._get_cached_or_retrieve_and_cache(tenant_id, space_id, query)
        # Do not cache an answer made without embedding or graph.
        is_complete = result.explanation is not None or query.strategy is Strategy.KNOWLEDGE_ONLY
        if is_complete and not warnings:
            self._cache.put(tenant_id, space_id, version, result, lifetime_seconds=cache_seconds)
        return result

    def _embed_question(
        self, question: str, model: str, dimensions: int, tenant_id: TenantId, space_id: SpaceId
    ) -> _EmbeddedQuestion:

        def meter() -> UnlimitedAnswerStore:
            return UnlimitedAnswerStore(self._database, tenant_id=tenant_id, space_id=space_id)

        try:
            embedder = self._embedders.get_embedder(model, dimensions, tenant_id, meter=meter)
            with limit_seconds(EMBEDDING_SECONDS):
                return _EmbeddedQuestion(embedder.embed([question])[0], ())
        except CitegraphError as error:
            log.warning("question_not_embedded", model=model, code=error.code)
            warning = "The question could not be embedded; it was looked for by its words alone."
            return _EmbeddedQuestion(None, (warning,))

    def _build_result(
        self,
        space: SpaceSession,
        query: Query,
        vector: Floats | None,
        warnings: tuple[str, ...],
    ) -> RetrievalResult:
        channels = hybrid_search.search_channels(space, query, vector)
        explanation = channels.explanation
        with space.pipelined():
            pending_fact_details = repository.fetch_use_age_and_source_of_edges(
                space, _list_edge_ids(explanation)
            )
            pending_trust = documents.fetch_trust_below_one(space, _list_document_ids_of_values(explanation))
            chunk_ids = [
                ranked_chunk.chunk_id
                for ranked_chunk in channels.ranked_chunks[: compute_scored_chunk_count(query)]
            ]
            pending_passages = repository.fetch_passages(space, chunk_ids)
            pending_summaries = repository.fetch_summaries_by_mention(
                space, chunk_ids, [anchor.node.id for anchor in channels.anchors]
            )
            stored_passages = pending_passages.result()
            passages = self._score_passages(
                query, channels, stored_passages, pending_summaries.result(), space.settings
            )
            facts = (
                score_facts(
                    explanation, pending_fact_details.result(), settings=space.settings, now=datetime.now(UTC)
                )
                if explanation
                else ()
            )
            trust = {
                **pending_trust.result(),
                **{
                    detail.document_id: detail.trust
                    for detail in pending_fact_details.result().values()
                    if detail.trust < 1 and detail.document_id is not None
                },
            }
        return RetrievalResult(
            query=query,
            trust=trust,
            anchors=channels.anchors,
            passages=tuple(passages),
            facts=facts,
            nodes=explanation.nodes if explanation else (),
            explanation=explanation,
            graph_revision=space.opening_state.graph_revision,
            truncated=channels.truncation_notes,
            warnings=(
                *warnings,
                *channels.warnings,
                *list_warnings_of_unread_languages(passages, stored_passages),
            ),
            unknown_names=channels.unknown_names,
            readings=channels.question_readings,
        )

    def _score_passages(
        self,
        query: Query,
        channels: ChannelResults,
        stored_passages: Mapping[ChunkId, StoredPassage],
        summaries: Mapping[repository.ChunkAndNode, str],
        settings: EffectiveSettings,
    ) -> list[Passage]:
        explanation = channels.explanation
        edges_by_chunk: dict[ChunkId, list[Edge]] = {}
        node_by_id = {node.id: node for node in explanation.nodes} if explanation else {}
        for edge in explanation.edges if explanation else ():
            if edge.evidence is not None:
                edges_by_chunk.setdefault(edge.evidence.chunk_id, []).append(edge)
        scorer = PassageScorer(
            count_letter_bigrams(query.text), node_by_id, query.scoring, settings, datetime.now(UTC)
        )
        scored_passages = [
            scorer.score_passage(
                ranked_chunk,
                stored_passages[ranked_chunk.chunk_id],
                stated_edges=edges_by_chunk.get(ranked_chunk.chunk_id, ()),
                named_anchors=[
                    anchor
                    for anchor in channels.anchors
                    if repository.ChunkAndNode(ranked_chunk.chunk_id, anchor.node.id) in summaries
                ],
                summary=" ".join(
                    summary
                    for anchor in channels.anchors
                    if (
                        summary := summaries.get(
                            repository.ChunkAndNode(ranked_chunk.chunk_id, anchor.node.id)
                        )
                    )
                ),
            )
            for ranked_chunk in channels.ranked_chunks[: compute_scored_chunk_count(query)]
            if ranked_chunk.chunk_id in stored_passages
        ]
        passages = [passage for passage in scored_passages if passage.score >= query.min_score]
        if query.scoring is not Scoring.WALK or any(passage.trust < 1 for passage in passages):
            passages.sort(key=lambda passage: -passage.score)
        return passages[: query.top_k]


def check_query(query: Query) -> None:
    """Check that a query is not blank or too long, and its numbers within bounds. Raises InvalidInput."""
    input_checks.check_length_and_characters("query", query.text)
    if input_checks.is_blank(query.text):
        raise InvalidInput("query must not be blank.", code="blank")
    input_checks.check_range("top_k", query.top_k, 1, PASSAGES.maximum)
    if not 0 <= query.min_score <= 1:
        raise InvalidInput("min_score must be between 0 and 1.", code="min_score_out_of_range")
    input_checks.check_graph_filters(GraphFilters(as_of=query.as_of))


def _list_edge_ids(explanation: Explanation | None) -> list[EdgeId]:
    """Return the ids of an explanation's edges, denials and reports."""
    if explanation is None:
        return []
    denial_edges = [edge for denial in explanation.denials for edge in (denial.edge, denial.asserted)]
    reported_edges = [report.edge for report in explanation.reported]
    edges = (*explanation.edges, *denial_edges, *reported_edges)
    return list(dict.fromkeys(edge.id for edge in edges if edge is not None))


def _list_document_ids_of_values(explanation: Explanation | None) -> set[DocumentId]:
    """Return the documents that state an explanation's attribute values."""
    if explanation is None:
        return set()
    values = (*explanation.attributes, *explanation.asked_attributes)
    return {value.evidence.document_id for value in values}
