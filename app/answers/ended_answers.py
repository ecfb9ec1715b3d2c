"""Answer by claims that no longer hold, where nothing that holds answers; pure (requirement 10.3)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from app.answers.chooser.model import Chooser, load_chooser
from app.answers.question_tense import asks_of_the_past
from app.answers.quotes import Quotes
from app.answers.refusal import choose_quotes_or_refuse
from app.answers.shapes import Context, EndedQuote, Source
from app.domain.relation_phrases import add_relations_that_end_each_other
from app.graph.questions import guess_relation_types
from app.graph.shapes import format_ending
from app.retrieval.shapes import RetrievalResult


class SourceAndQuote(NamedTuple):
    """A quote, and the source that contains it."""

    source: Source
    quote: str


@dataclass(frozen=True, slots=True)
class EndedSentence:
    """A quote of a source that no longer holds; `opening` says since when."""

    opening: str
    source: Source
    quote: str
    ended_quote: EndedQuote


def list_ended_claims_that_would_answer(
    retrieval: RetrievalResult, context: Context, standing_quotes: Quotes, chooser: Chooser | None
) -> list[EndedSentence]:
    """Return the claims that would be quoted first if they had not ended, with their ends; [] if what holds
    answers.

    `standing_quotes` were chosen without the ended claims. They answer if claims, values or rows state them,
    or if they are sure. Otherwise they are merely the sentences nearest to the ended one.
    """
    if not context.ended_quotes or asks_of_the_past(retrieval.query.text):
        return []
    if are_quotes_stated_or_surely_chosen(standing_quotes, chooser):
        return []
    asked_relation_types = guess_relation_types(retrieval.query.text)
    ended_quotes = [
        ended_quote
        for ended_quote in context.ended_quotes
        if ended_quote.is_only_asked_claim(asked_relation_types)
    ]
    quotes = choose_quotes_or_refuse(retrieval, replace(context, ended_quotes=()), chooser)
    ended_sentences = []
    for source, quote in quotes.quotes:
        ended_quote = _find_ended_quote(ended_quotes, source, quote)
        if ended_quote is None:
            break
        opening = format_ending(ended_quote.until, is_by_person=ended_quote.is_ended_by_person)
        ended_sentences.append(EndedSentence(opening, source, quote, ended_quote))
    return ended_sentences


def list_quotes_of_successors(
    retrieval: RetrievalResult, sources: Sequence[Source], ended_sentences: Sequence[EndedSentence]
) -> list[SourceAndQuote]:
    """Return the quotes of claims that hold in place of the ended ones: where a firm that has moved is now.

    They are about the same thing, which the question names, with the same relation or one that says nearly
    the same.
    """
    name_by_node_id = {node.id: node.canonical_name for node in retrieval.nodes}
    anchor_names = {anchor.node.canonical_name for anchor in retrieval.anchors}
    asked_relations = {
        (ended.ended_quote.from_name, relation_type)
        for ended in ended_sentences
        if ended.ended_quote.from_name in anchor_names
        for relation_type in add_relations_that_end_each_other({ended.ended_quote.relation_type})
    }
    successors = [
        SourceAndQuote(source, fact.edge.quote)
        for fact in retrieval.facts
        if fact.edge.quote
        and (name_by_node_id.get(fact.edge.from_node_id, ""), fact.edge.relation_type) in asked_relations
        for source in sources
        if fact.edge.evidence is not None
        and source.chunk_id == fact.edge.evidence.chunk_id
        and fact.edge.quote in source.text
    ]
    return list(dict.fromkeys(successors))


def _find_ended_quote(ended_quotes: Sequence[EndedQuote], source: Source, quote: str) -> EndedQuote | None:
    """Return the first ended claim that a quote of this source states; None if it states none."""
    return next(
        (ended for ended in ended_quotes if ended.number == source.number and ended.quote in quote), None
    )


def are_quotes_stated_or_surely_chosen(quotes: Quotes, chooser: Chooser | None) -> bool:
    """Return whether quotes are stated by claims, values or rows, or a sure choice."""
    min_likelihood = (chooser or load_chooser()).min_likelihood_of_sure_answer
    return bool(quotes.quotes) and (quotes.likelihood is None or quotes.likelihood >= min_likelihood)
