"""Choose which of the weighed sentences are quoted; pure (requirement 10.3)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from app.answers.asked_names import has_pronoun_subject
from app.answers.candidates import Quotable, is_previous_sentence_quoted, prepend_previous_sentence
from app.answers.plurals import asks_for_several
from app.answers.sentence_weights import QuoteCandidate
from app.answers.shapes import Source, SpanKind, TableCells
from app.answers.short_answers import find_kind_asked
from app.answers.text_matching import does_one_text_have_all_words_of_name, fold_to_spaced_lower_case
from app.documents.sentences import list_folded_row_names
from app.graph.questions import find_capitalised_names_in_question

MAX_QUOTES = 3
"""Maximum number of quotes if the best one covers nearly all of the question."""
MAX_QUOTES_OF_LIST = 40
"""Maximum number of quotes in a list of similar rows, claims or sentences."""
MAX_QUOTED_SOURCES = 5
"""Maximum number of sources that are quoted, one sentence each, if no quote covers nearly all of the
question.
"""
MIN_SHARE_OF_WHOLE_QUESTION = 0.8
"""Weighted share of the question's words from which a quote covers nearly all of it."""
MIN_SHARE_OF_BEST_SCORE = 0.6
"""Share of the best quote's score below which further quotes are left out."""
MAX_SHARE_OF_WEAK_ANSWER = 0.5
"""Share of the question's words, or likelihood, below which a quote is a weak answer."""
MIN_QUOTED_SHARE = 0.15
"""Share below which nothing is quoted."""


class SourceQuote(NamedTuple):
    """A sentence of a source, perhaps with the one before it."""

    source: Source
    text: str


@dataclass(frozen=True, slots=True)
class Quotes:
    """Sentences of sources: at most five, best first or one of each source in their order.

    `coverage`, 0 to 1, is the share of the question's words in the best one, with more weight for rare words.
    `likelihood` is the chooser's likelihood that the first one answers, lower if its passage lacks most of
    the question's words; below `threshold` the question is refused. If it `is_list`, there are up to
    `MAX_QUOTES_OF_LIST`, and `omitted_count` more would belong to the list. Without quotes, `reason` says
    which part of the question is not in the sources, if known. `asked_cell` is the cell of the first row that
    is asked for, with its kind.
    """

    quotes: tuple[SourceQuote, ...] = ()
    coverage: float = 0.0
    likelihood: float | None = None
    threshold: float = 0.0
    is_list: bool = False
    omitted_count: int = 0
    reason: str | None = None
    asked_cell: tuple[SpanKind, str] | None = None
    tables: tuple[TableCells, ...] = ()
    """Where rows answer, their documents and the cells by which further rows are found."""

    @property
    def is_unsure(self) -> bool:
        """True if the first quote is a weak answer, both by its words and by its likelihood."""
        return (
            self.coverage < MAX_SHARE_OF_WEAK_ANSWER and (self.likelihood or 0.0) < MAX_SHARE_OF_WEAK_ANSWER
        )


def choose_best_quotes(question: str, candidates: Sequence[QuoteCandidate]) -> Quotes:
    """Return the best quotes of weighed sentences, as `choose_quotes` does."""
    if not candidates or max(candidate.weighted_score for candidate in candidates) <= 0:
        return Quotes()
    ranked_candidates = sorted(candidates, key=lambda candidate: -candidate.weighted_score)
    best_candidate = ranked_candidates[0]
    coverage = best_candidate.score
    has_statement = any(candidate.is_statement for candidate in candidates)
    if coverage < MIN_QUOTED_SHARE and not has_statement:
        return Quotes()
    if coverage < MIN_SHARE_OF_WHOLE_QUESTION and not has_statement:
        return Quotes(
            remove_overlapping_quotes(
                _choose_one_of_each_source(ranked_candidates), MAX_QUOTED_SOURCES, question
            ),
            coverage,
        )
    # What states it belongs to the answer in however few words, and so does what says all of it: each may say
    # the opposite of the best.
    worthy_candidates = [
        candidate
        for candidate in ranked_candidates
        if candidate.weighted_score >= MIN_SHARE_OF_BEST_SCORE * best_candidate.weighted_score
        or candidate.is_statement
        or (candidate.score >= MIN_SHARE_OF_WHOLE_QUESTION and not candidate.sentence.is_retracted)
    ]
    return Quotes(remove_overlapping_quotes(worthy_candidates, MAX_QUOTES, question), coverage)


def extend_quotes_to_list(
    quotes: Quotes, question: str, candidates: Sequence[QuoteCandidate], *, is_answer_stated: bool
) -> Quotes:
    """Return the quotes extended by all sentences like the first one, if the question asks for several; else
    unchanged.

    A question that may ask for one or for several is answered by a list if there are more similar rows or
    claims than would be quoted otherwise. `is_answer_stated` tells whether claims or values state the answer.
    A sentence is similar if it contains all of the question's words in the first one; a claim, if it contains
    the names of the first one.
    """
    if not quotes.quotes or (is_answer_stated and quotes.is_unsure):
        return quotes
    asks_for_several_things = asks_for_several(question)
    min_quotes = 2 if asks_for_several_things else MAX_QUOTES + 1
    _, first_text = quotes.quotes[0]
    if min_quotes > 2 and not ("|" in first_text or is_answer_stated):
        return quotes
    quotes_before_list, first_quote = _find_first_quotes_of_list(
        quotes.quotes if asks_for_several_things else quotes.quotes[:1], candidates
    )
    if first_quote is None:
        return quotes
    alike_candidates = [
        candidate
        for candidate in candidates
        if candidate is not first_quote
        and not candidate.sentence.is_retracted
        and not any(candidate.sentence.text in text for _, text in quotes_before_list)
        and (
            candidate.is_statement
            and first_quote.question_words_in_names <= candidate.question_words_in_names
            if first_quote.is_statement
            else first_quote.question_words <= candidate.question_words
        )
    ]
    listed_quotes = remove_overlapping_quotes([first_quote, *alike_candidates], MAX_QUOTES_OF_LIST, question)
    if len(listed_quotes) < min_quotes:
        return quotes
    return replace(
        quotes,
        quotes=(*quotes_before_list, *listed_quotes),
        is_list=True,
        omitted_count=max(len(alike_candidates) + 1 - MAX_QUOTES_OF_LIST, 0),
    )


class _BeginningOfList(NamedTuple):
    """The quotes before a list, and the quote with which it begins; None if there is no list."""

    quotes_before: Sequence[SourceQuote]
    first_quote: QuoteCandidate | None


def _find_first_quotes_of_list(
    quotes: Sequence[SourceQuote], candidates: Sequence[QuoteCandidate]
) -> _BeginningOfList:
    """Return the quote with which a list begins, and the quotes before it; None if there is none.

    It is the first quote that contains more of the question than names, or a row of a table or record after
    others.
    """
    for index, (source, text) in enumerate(quotes):
        for candidate in candidates:
            if candidate.sentence.source is source and candidate.sentence.text in text:
                is_later_row = index > 0 and list_folded_row_names([candidate.sentence.text]) != [""]
                if candidate.is_about_more_than_names or is_later_row:
                    return _BeginningOfList(quotes[:index], candidate)
                break
    return _BeginningOfList(quotes, None)


def _choose_one_of_each_source(candidates_by_rank: Sequence[QuoteCandidate]) -> list[QuoteCandidate]:
    """Return the best sentence of each source in the sources' order; those with more of the question than
    names come first.
    """
    candidate_by_source: dict[int, QuoteCandidate] = {}
    for candidate in candidates_by_rank:
        if candidate.score > 0:
            candidate_by_source.setdefault(candidate.sentence.source.number, candidate)
    foremost_candidates = [
        candidate_by_source[number] for number in sorted(candidate_by_source) if number <= MAX_QUOTED_SOURCES
    ]
    return sorted(foremost_candidates, key=lambda candidate: not candidate.is_about_more_than_names)


def remove_overlapping_quotes(
    candidates: Iterable[QuoteCandidate], limit: int, question: str
) -> tuple[SourceQuote, ...]:
    """Return at most `limit` quotes, none of which contains another. A quote that begins with a pronoun
    includes the sentence before.
    """
    asks_for_name = find_kind_asked(question) is SpanKind.NAME
    quotes_by_text: dict[str, SourceQuote] = {}
    for candidate in candidates:
        if len(quotes_by_text) == limit:
            break
        sentence = candidate.sentence
        earlier_texts = [
            quoted_text for source, quoted_text in quotes_by_text.values() if source is sentence.source
        ]
        needs_sentence_before = candidate.is_named_before or (
            asks_for_name
            and not is_previous_sentence_quoted(sentence, earlier_texts)
            and _is_answer_in_sentence_before(sentence, question)
        )
        text = prepend_previous_sentence(sentence, earlier_texts) if needs_sentence_before else sentence.text
        if not any(text in quoted_text or quoted_text in text for quoted_text in earlier_texts):
            quotes_by_text.setdefault(" ".join(text.casefold().split()), SourceQuote(sentence.source, text))
    return tuple(quotes_by_text.values())


def _is_answer_in_sentence_before(sentence: Quotable, question: str) -> bool:
    """Return whether the subject is a pronoun, the sentence has only names of the question, and the one
    before has another: the answer is in that one ("In 1990 she founded Globex.").
    """
    if sentence.previous_sentence is None:
        return False
    asked_texts = [fold_to_spaced_lower_case(question)]
    own_names, earlier_names = (
        [
            name
            for name in find_capitalised_names_in_question(f"- {text}")
            if not does_one_text_have_all_words_of_name(name.surface, asked_texts)
        ]
        for text in (sentence.text, sentence.previous_sentence.text)
    )
    # A first word, here the pronoun, is in capitals for its place.
    return (
        bool(earlier_names)
        and all(name.start == 2 for name in own_names)
        and has_pronoun_subject(sentence.text)
    )
