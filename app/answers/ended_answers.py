"""Answer by claims that no longer hold, where nothing that holds answers; pure (requirement 10.3)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.answers.chooser.model import Chooser, load_chooser
from app.answers.quotes import Quotes
from app.answers.refusal import choose_quotes_or_refuse
from app.answers.shapes import Context, EndedQuote, Source
from app.graph.questions import asks_of_the_past, guess_relation_types
from app.graph.shapes import format_ending
from app.retrieval.shapes import RetrievalResult


@dataclass(frozen=True, slots=True)
class EndedSentence:
    """A quote of a source that no longer holds; `opening` says since when."""

    opening: str
    source: Source
    quote: str


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
        ended_sentences.append(EndedSentence(opening, source, quote))
    return ended_sentences


def _find_ended_quote(ended_quotes: Sequence[EndedQuote], source: Source, quote: str) -> EndedQuote | None:
    """Return the first ended claim that a quote of this source states; None if it states none."""
    return next(
        (ended for ended in ended_quotes if ended.number == source.number and ended.quote in quote), None
    )


def are_quotes_stated_or_surely_chosen(quotes: Quotes, chooser: Chooser | None) -> bool:
    """Return whether quotes are stated by claims, values or rows, or a sure choice."""
    min_likelihood = (chooser or load_chooser()).min_likelihood_of_sure_answer
    return bool(quotes.quotes) and (quotes.likelihood is None or quotes.likelihood >= min_likelihood)
