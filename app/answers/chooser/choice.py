"""Rank the quotable sentences by their likelihood to answer, with features from retrieval; pure."""

from collections.abc import Callable, Collection, Iterable, Sequence, Set
from dataclasses import dataclass, replace
from typing import NamedTuple

from app.answers.candidates import Quotable, group_cumulatively_by_minimum_trust
from app.answers.chooser.features import (
    CandidatePassage,
    CandidateSentence,
    SentenceFeatures,
    select_sentences_and_compute_features,
)
from app.answers.chooser.model import Chooser, do_sources_show_small_space, load_chooser
from app.answers.shapes import Source
from app.answers.text_matching import does_one_text_have_all_words_of_name, fold_to_spaced_lower_case
from app.graph.questions import find_capitalised_names_in_question
from app.ids import ChunkId, EdgeId
from app.retrieval.shapes import Passage, RetrievalResult


@dataclass(frozen=True, slots=True)
class Choice:
    """Sentences, each with its likelihood to answer, 0 to 1, and its score: the likelihood times the source's
    trust. The best comes first.

    Below `threshold` no sentence is an answer; from `min_likelihood_of_sure_answer` on the first one is.
    """

    sentences: tuple[Quotable, ...]
    likelihoods: tuple[float, ...]
    scores: tuple[float, ...]
    threshold: float
    min_likelihood_of_sure_answer: float

    @property
    def best_likelihood(self) -> float:
        """The likelihood of the first sentence, or 0 if there is none."""
        return self.likelihoods[0] if self.likelihoods else 0.0

    def limit_to(self, sentences: Iterable[Quotable]) -> "Choice":
        """Return the choice limited to these sentences."""
        sentence_keys = {(sentence.source.number, sentence.text) for sentence in sentences}
        indices = [
            index
            for index, sentence in enumerate(self.sentences)
            if (sentence.source.number, sentence.text) in sentence_keys
        ]
        return replace(
            self,
            sentences=tuple(self.sentences[index] for index in indices),
            likelihoods=tuple(self.likelihoods[index] for index in indices),
            scores=tuple(self.scores[index] for index in indices),
        )


def rank_sentences_by_likelihood_and_trust(
    retrieval: RetrievalResult,
    sources: Sequence[Source],
    sentences: Sequence[Quotable],
    *,
    names: Sequence[str],
    asked_edge_ids: Collection[EdgeId] = (),
    is_about_several: bool = False,
    chooser: Chooser | None = None,
) -> Choice:
    """Return the sentences ranked by likelihood and trust. `asked_edge_ids` are the claims whose relation the
    question names; `is_about_several` tells whether it is about several things.

    A sentence is compared only with sentences that are trusted at least as much, so that no source lowers the
    likelihood of a sentence of a more trusted one: by repeating its words, by denying it or by its number.
    """
    chooser = chooser or load_chooser()
    question = retrieval.query.text
    threshold = chooser.get_likelihood_threshold(
        question,
        is_about_several=is_about_several,
        in_small_space=do_sources_show_small_space(source.text for source in sources),
    )
    common_words = chooser.select_common_words(question)
    ranked_sentences: list[tuple[Quotable, float]] = []
    for trust, trusted_sentences in group_cumulatively_by_minimum_trust(sentences):
        candidate_indices, feature_rows = select_sentences_and_build_features(
            retrieval,
            [source for source in sources if source.trust >= trust],
            trusted_sentences,
            names=names,
            asked_edge_ids=asked_edge_ids,
            score_kinds=chooser.score_kinds_asked,
            common_words=common_words,
        )
        ranked_sentences += [
            (trusted_sentences[index], float(likelihood))
            for index, likelihood in zip(
                candidate_indices, chooser.compute_likelihoods(feature_rows), strict=True
            )
            if trusted_sentences[index].source.trust == trust
        ]
    # Of two alike the more trusted, else the earlier one comes first.
    ranked_sentences.sort(key=lambda ranked: -ranked[1] * ranked[0].source.trust)
    return Choice(
        tuple(sentence for sentence, _ in ranked_sentences),
        tuple(likelihood for _, likelihood in ranked_sentences),
        tuple(likelihood * sentence.source.trust for sentence, likelihood in ranked_sentences),
        threshold,
        chooser.min_likelihood_of_sure_answer,
    )


def select_sentences_and_build_features(
    retrieval: RetrievalResult,
    sources: Sequence[Source],
    sentences: Sequence[Quotable],
    *,
    names: Sequence[str],
    asked_edge_ids: Collection[EdgeId],
    score_kinds: Callable[[Sequence[str]], Sequence[float]],
    common_words: Set[str],
) -> SentenceFeatures:
    """Return the sentences that may answer, with their features."""
    question = retrieval.query.text
    passage_by_chunk_id = {passage.chunk_id: passage for passage in retrieval.passages}
    passages = [
        _build_candidate_passage(source, passage_by_chunk_id.get(source.chunk_id)) for source in sources
    ]
    claims_by_chunk_id = _list_claim_quotes_by_chunk(retrieval, asked_edge_ids)
    index_by_source = {source.number: index for index, source in enumerate(sources)}
    candidate_sentences = []
    for sentence in sentences:
        sentence_claims = [
            (asked_end_count, is_asked)
            for quote, asked_end_count, is_asked in claims_by_chunk_id.get(sentence.source.chunk_id, ())
            if quote in sentence.text or sentence.text in quote
        ]
        candidate_sentences.append(
            CandidateSentence(
                sentence.text_with_header,
                index_by_source[sentence.source.number],
                claim_count=len(sentence_claims),
                anchor_claim_count=sum(asked_end_count > 0 for asked_end_count, _ in sentence_claims),
                anchor_pair_claim_count=sum(asked_end_count > 1 for asked_end_count, _ in sentence_claims),
                states_answer=any(is_asked for _, is_asked in sentence_claims),
            )
        )
    return select_sentences_and_compute_features(
        question,
        candidate_sentences,
        passages,
        names=names,
        unknown_names_share=_compute_share_of_unknown_names(retrieval, passages),
        score_kinds=score_kinds,
        common_words=common_words,
    )


def _build_candidate_passage(source: Source, ranked_passage: Passage | None) -> CandidatePassage:
    """Build the passage of a source; a source that comes from a claim only has no retrieval scores."""
    title = " ".join((source.document_title, *source.heading_path))
    if ranked_passage is None:
        return CandidatePassage(source.text, title)
    walk_score = ranked_passage.breakdown.get("walk", ranked_passage.score)
    return CandidatePassage(source.text, title, walk_score, ranked_passage.breakdown.get("text_overlap", 0.0))


class _ClaimQuote(NamedTuple):
    """The quote of a claim, how many of its ends the question names, and whether it asks for the claim."""

    text: str
    asked_end_count: int
    is_asked_for: bool


def _list_claim_quotes_by_chunk(
    retrieval: RetrievalResult, asked_edge_ids: Collection[EdgeId]
) -> dict[ChunkId, list[_ClaimQuote]]:
    """Return the quotes of claims by chunk."""
    anchor_node_ids = {anchor.node.id for anchor in retrieval.anchors}
    claims_by_chunk: dict[ChunkId, list[_ClaimQuote]] = {}
    for fact in retrieval.facts:
        edge = fact.edge
        if edge.evidence is not None and edge.quote:
            asked_end_count = len(anchor_node_ids & {edge.from_node_id, edge.to_node_id})
            claims_by_chunk.setdefault(edge.evidence.chunk_id, []).append(
                _ClaimQuote(edge.quote, asked_end_count, edge.id in asked_edge_ids)
            )
    return claims_by_chunk


def _compute_share_of_unknown_names(
    retrieval: RetrievalResult, passages: Sequence[CandidatePassage]
) -> float:
    """Return the share of the question's names that neither the space nor a passage contains."""
    if not retrieval.unknown_names:
        return 0.0
    question_names = [mention.surface for mention in find_capitalised_names_in_question(retrieval.query.text)]
    unknown_names = [name for name in question_names if name in retrieval.unknown_names]
    passage_texts = (
        [fold_to_spaced_lower_case(f"{passage.title} {passage.text}") for passage in passages]
        if unknown_names
        else []
    )
    return sum(not does_one_text_have_all_words_of_name(name, passage_texts) for name in unknown_names) / max(
        len(question_names), 1
    )
