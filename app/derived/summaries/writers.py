"""Writers of node summaries: rules, from the strongest facts, or a model."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from app.derived.summaries.gate_input import format_fact
from app.derived.summaries.shapes import RULES, Citation, Claim, Summary, SummaryMaterial
from app.graph.narrative import format_claim_of_names, format_relation_in_sentence
from app.ids import EdgeId
from app.llm.model_calls.asker import Asker
from app.llm.model_calls.malformed_answer_retries import Fault
from app.llm.prompts import node_summary
from app.llm.prompts.node_summary import MAX_SENTENCES
from app.llm.prompts.shapes import QuotedClaim

MAX_QUOTE_LENGTH, MAX_SENTENCE_LENGTH = 300, 600
MIN_FACTS_FOR_MODEL = 2
"""Minimum number of facts for a model call: a single fact needs no summary."""
FACTS_PER_SENTENCE = 3


class Writer(Protocol):
    """Writes summaries."""

    def write_summaries(self, materials: Sequence[SummaryMaterial]) -> list[Summary]:
        """Return a summary for each material, in order."""
        ...


SentenceWithClaims = tuple[str, Sequence[Claim]]
"""A sentence of a summary, and the claims that it states."""


class RulesWriter:
    """Needs no key: states what the node does, what others do with it, and what is denied of it."""

    def write_summaries(self, materials: Sequence[SummaryMaterial]) -> list[Summary]:
        """Return a summary for each material, in order."""
        return [self._write_summary_by_rules(material) for material in materials]

    def _write_summary_by_rules(self, material: SummaryMaterial) -> Summary:
        node_id = str(material.node_id)
        asserted_claims = [claim for claim in material.claims if not claim.fact.is_denied]
        outgoing_claims = [
            claim
            for claim in asserted_claims
            if claim.fact.end_ids is not None and claim.fact.end_ids[0] == node_id
        ]
        incoming_claims = [claim for claim in asserted_claims if claim not in outgoing_claims]
        denied_claims = [claim for claim in material.claims if claim.fact.is_denied][:1]
        sentences_and_claims: list[SentenceWithClaims] = []
        if sentence_claims := outgoing_claims[:FACTS_PER_SENTENCE]:
            phrases = [
                f"{verb} {_join_with_and(claim_of_verb.fact.target for claim_of_verb in claims_of_verb)}"
                for verb, claims_of_verb in _group_claims_by_verb(sentence_claims)
            ]
            sentences_and_claims.append((f"{material.name} {_join_with_and(phrases)}.", sentence_claims))
        if sentence_claims := incoming_claims[:FACTS_PER_SENTENCE]:
            phrases = [
                format_claim_of_names(claim.fact.source, claim.fact.relation_type, material.name)
                for claim in sentence_claims
            ]
            sentences_and_claims.append((f"{_join_with_and(phrases)}.", sentence_claims))
        for claim in denied_claims:
            sentences_and_claims.append((f"It is also said: “{_shorten_quote(claim.fact.quote)}”", [claim]))
        return _join_sentences_with_citations(sentences_and_claims, RULES)


@dataclass
class ModelWriter:
    """Calls a model, several nodes per call; answers are stored and paid once.

    If an answer cannot be used, rules write the summary.
    """

    asker: Asker
    _rules: RulesWriter = field(default_factory=RulesWriter)

    def write_summaries(self, materials: Sequence[SummaryMaterial]) -> list[Summary]:
        """Return a summary for each material, in order. Raises like the Asker."""
        asked_materials = [material for material in materials if len(material.claims) >= MIN_FACTS_FOR_MODEL]
        answers = (
            self.asker.ask(
                node_summary.PROMPT, [_format_prompt_passage(material) for material in asked_materials]
            )
            if asked_materials
            else []
        )
        summaries_by_node = {
            material.node_id: self._build_summary_from_answer(material, answer)
            for material, answer in zip(asked_materials, answers, strict=True)
            if not isinstance(answer, Fault)
        }
        return [
            summaries_by_node.get(material.node_id) or self._rules.write_summaries([material])[0]
            for material in materials
        ]

    def _build_summary_from_answer(self, material: SummaryMaterial, answer: object) -> Summary | None:
        assert isinstance(answer, dict)
        sentences_and_claims = []
        for sentence in answer["sentences"][:MAX_SENTENCES]:
            # A fact number that is not in the question is ignored; a sentence without citations is dropped.
            cited_claims = [
                material.claims[fact_number - 1]
                for fact_number in sentence["facts"]
                if 1 <= fact_number <= len(material.claims)
            ]
            text = " ".join(str(sentence["text"]).split())
            if cited_claims and text and len(text) <= MAX_SENTENCE_LENGTH:
                sentences_and_claims.append((text, cited_claims))
        return (
            _join_sentences_with_citations(sentences_and_claims, self.asker.client.model)
            if sentences_and_claims
            else None
        )


def _format_prompt_passage(material: SummaryMaterial) -> str:
    return node_summary.render_passage(
        material.name,
        material.node_type,
        [QuotedClaim(format_fact(claim.fact), _shorten_quote(claim.fact.quote)) for claim in material.claims],
    )


def _join_sentences_with_citations(
    sentences_and_claims: Iterable[SentenceWithClaims], written_by: str
) -> Summary:
    text, citations = "", []
    for sentence, claims in sentences_and_claims:
        start = len(text) + 1 if text else 0
        text = f"{text} {sentence}" if text else sentence
        edge_ids: dict[EdgeId, None] = dict.fromkeys(
            edge_id for claim in claims for edge_id in claim.edge_ids
        )
        citations.append(Citation(start, len(text), tuple(edge_ids)))
    return Summary(text, tuple(citations), written_by)


def _group_claims_by_verb(claims: Sequence[Claim]) -> list[tuple[str, list[Claim]]]:
    claims_by_verb: dict[str, list[Claim]] = {}
    for claim in claims:
        claims_by_verb.setdefault(format_relation_in_sentence(claim.fact.relation_type), []).append(claim)
    return list(claims_by_verb.items())


def _join_with_and(phrases: Iterable[str]) -> str:
    *first_phrases, last_phrase = phrases
    return f"{', '.join(first_phrases)} and {last_phrase}" if first_phrases else last_phrase


def _shorten_quote(quote: str) -> str:
    return " ".join(quote.split())[:MAX_QUOTE_LENGTH]
