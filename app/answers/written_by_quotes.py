"""Write the sentences of an answer without a model, by quotes, denials and findings of reports (requirement
10.3).
"""

from collections.abc import Callable, Iterator, Sequence

from app.answers.answer_draft import AnswerDraft
from app.answers.chooser.model import Chooser
from app.answers.denial_sentences import (
    DeniedSentence,
    are_denials_whole_answer,
    iterate_denied_sentences,
    list_denials_asked_about,
)
from app.answers.ended_answers import (
    are_quotes_stated_or_surely_chosen,
    list_ended_claims_that_would_answer,
    list_quotes_of_successors,
)
from app.answers.extractive import choose_quotes_for_retrieved
from app.answers.further_rows import build_context_without_uncited_new_sources
from app.answers.global_search import QUOTED_REPORTS
from app.answers.plurals import asks_for_several
from app.answers.quotes import MIN_SHARE_OF_WHOLE_QUESTION, Quotes
from app.answers.refusal import NO_ANSWER_REASON, choose_quotes_or_refuse
from app.answers.shapes import (
    WITHOUT_MODEL,
    Context,
    Event,
    Mode,
    NumberedQuote,
    Question,
    Sentence,
    Source,
    TableCells,
)
from app.answers.succession import choose_quotes_of_succession, find_asked_succession
from app.documents.sentences import (
    join_quote_lines_except_list_items,
    label_table_cells_or_return_unchanged,
    split_row_or_record_into_cells,
)
from app.retrieval.shapes import RetrievalResult


def write_answer_by_quotes(
    answer_draft: AnswerDraft,
    retrieval: RetrievalResult,
    chooser: Chooser | None = None,
    read_tables: Callable[[Sequence[TableCells]], Context] | None = None,
) -> Iterator[Event]:
    """Yield the denials of what was asked, then the best quotes with citations; claims that have ended, if
    only these answer. If the question is refused, yield nothing and add the reason to the warnings.

    If table rows answer, `read_tables` adds the other stored rows of their tables.
    """
    asked_succession = find_asked_succession(retrieval)
    denials = [] if asked_succession else list_denials_asked_about(retrieval)
    is_whole_answer = are_denials_whole_answer(retrieval, denials)
    denied_sentences = list(
        iterate_denied_sentences(denials, answer_draft.context.sources, is_whole_answer=is_whole_answer)
    )
    if denied_sentences:
        answer_draft.is_denied = not all(
            denied_sentence.is_upheld or denied_sentence.is_less_trusted
            for denied_sentence in denied_sentences
        )
        return (
            yield from _write_denials(
                answer_draft, retrieval, denied_sentences, is_whole_answer=is_whole_answer, chooser=chooser
            )
        )
    quotes = choose_quotes_or_refuse(retrieval, answer_draft.context, chooser)
    if asked_succession is not None:
        quotes = choose_quotes_of_succession(asked_succession, retrieval, answer_draft.context, quotes)
    elif ended_sentences := list_ended_claims_that_would_answer(
        retrieval, answer_draft.context, quotes, chooser
    ):
        successors = list_quotes_of_successors(retrieval, answer_draft.context.sources, ended_sentences)
        for source, quote in successors:
            yield answer_draft.add_sentence(
                _write_quote(source, quote), (source.number,), supported=True, quote=quote
            )
        answer_draft.is_denied = not successors
        for ended_sentence in ended_sentences:
            sentence_text = _write_quote(ended_sentence.source, ended_sentence.quote)
            yield answer_draft.add_sentence(
                f"{ended_sentence.opening}: {sentence_text}",
                (ended_sentence.source.number,),
                supported=True,
                quote=ended_sentence.quote,
            )
        return
    if not quotes.quotes:
        answer_draft.mode = Mode.NOTHING
        # Which names are unknown the reason says itself, and nothing is quoted.
        omitted_warnings = (WITHOUT_MODEL, *(retrieval.readings if retrieval.unknown_names else ()))
        answer_draft.warnings = [
            warning for warning in answer_draft.warnings if warning not in omitted_warnings
        ]
        answer_draft.warnings.append(quotes.reason or NO_ANSWER_REASON)
        return
    if quotes.tables and read_tables is not None:
        quotes = _find_further_rows_and_add_their_sources(
            answer_draft, retrieval, quotes, read_tables(quotes.tables)
        )
    if quotes.is_unsure:
        answer_draft.warnings.append("It is not sure that the quotes answer the question.")
    answer_draft.is_list = quotes.is_list or asks_for_several(answer_draft.question.text)
    if quotes.omitted_count:
        answer_draft.warnings.append(
            f"{quotes.omitted_count} more say the same of others and are not quoted."
        )
    yield from _write_quotes(answer_draft, quotes)


def _write_denials(
    answer_draft: AnswerDraft,
    retrieval: RetrievalResult,
    denied_sentences: Sequence[DeniedSentence],
    *,
    is_whole_answer: bool,
    chooser: Chooser | None,
) -> Iterator[Event]:
    """Yield the denied sentences, and the best quotes before them if these say who or what it is, else after
    them. If the denials alone are the answer, nothing else is quoted; nor is a sentence that is merely near
    to what has ended.
    """
    # What only a less trusted source denies is quoted as if it did not.
    earlier_quotes = [
        NumberedQuote(denied_sentence.source.number, denied_sentence.quote)
        for denied_sentence in denied_sentences
        if not denied_sentence.is_upheld
    ]
    other_quotes = (
        Quotes()
        if is_whole_answer
        else choose_quotes_for_retrieved(
            retrieval, answer_draft.context, earlier_quotes=earlier_quotes, chooser=chooser
        )
    )
    if all(
        denied_sentence.is_about_end for denied_sentence in denied_sentences
    ) and not are_quotes_stated_or_surely_chosen(other_quotes, chooser):
        other_quotes = Quotes()
    # The answer to "who" says first who it is, then who it is not.
    are_quotes_first = other_quotes.coverage >= MIN_SHARE_OF_WHOLE_QUESTION or any(
        denied_sentence.is_upheld for denied_sentence in denied_sentences
    )
    if are_quotes_first:
        yield from _write_quotes(answer_draft, other_quotes)
    quoted_keys = (
        {(source.number, text) for source, text in other_quotes.quotes} if are_quotes_first else set()
    )
    for denied_sentence in denied_sentences:
        if denied_sentence.is_upheld and (denied_sentence.source.number, denied_sentence.text) in quoted_keys:
            continue
        # "Since 2024" may be the date of the document: the quote itself says what is claimed.
        yield answer_draft.add_sentence(
            denied_sentence.text, (denied_sentence.source.number,), supported=True
        )
    if not are_quotes_first:
        yield from _write_quotes(answer_draft, other_quotes)


def _find_further_rows_and_add_their_sources(
    answer_draft: AnswerDraft,
    retrieval: RetrievalResult,
    quotes: Quotes,
    extended_context: Context,
) -> Quotes:
    """Return the answering rows of an extended context, and add the sources that they cite to the answer.
    Return the quotes unchanged if no row is added.
    """
    if len(extended_context.sources) == len(answer_draft.context.sources):
        return quotes
    all_quotes = choose_quotes_for_retrieved(retrieval, extended_context)
    if not all_quotes.tables:
        return quotes
    cited_numbers = {source.number for source, _ in all_quotes.quotes}
    answer_draft.context = build_context_without_uncited_new_sources(
        extended_context, answer_draft.context, cited_numbers
    )
    return all_quotes


def answer_by_quotes(
    question: Question, retrieval: RetrievalResult, context: Context, *, chooser: Chooser | None = None
) -> list[Sentence]:
    """Return the sentences of an answer without a model; [] if the question is refused. `chooser` is the
    trained one by default.
    """
    answer_draft = AnswerDraft(question, context, [])
    if context.sources:
        list(write_answer_by_quotes(answer_draft, retrieval, chooser))
    return answer_draft.sentences


def _write_quotes(answer_draft: AnswerDraft, quotes: Quotes) -> Iterator[Event]:
    if quotes.quotes and not answer_draft.sentences:
        source, text = quotes.quotes[0]
        answer_draft.begins_with_row = bool(
            split_row_or_record_into_cells(text, source.text, source.heading_path)
        )
        answer_draft.asked_cell = quotes.asked_cell
    for source, text in quotes.quotes:
        yield answer_draft.add_sentence(
            _write_quote(source, text), (source.number,), supported=True, quote=text
        )


def _write_quote(source: Source, text: str) -> str:
    """Return a quote as a sentence of the answer: cells and values with their names, lines joined."""
    labelled_text = (
        label_table_cells_or_return_unchanged(text, source.text, source.heading_path) if "|" in text else text
    )
    return join_quote_lines_except_list_items(labelled_text)


def write_answer_by_community_findings(answer_draft: AnswerDraft) -> Iterator[Event]:
    """Yield a sentence for each of the first communities: its title and its strongest finding."""
    if len(answer_draft.themes) > QUOTED_REPORTS:
        read_count = len(answer_draft.themes)
        answer_draft.warnings.append(
            f"Of {read_count} communities that were read, the {QUOTED_REPORTS} most relevant are quoted."
        )
    for theme in answer_draft.themes[:QUOTED_REPORTS]:
        text, source_numbers = theme.findings[0]
        yield answer_draft.add_sentence(
            f"{theme.title}: {text}",
            source_numbers,
            supported=_ends_with_quote_of_sources(text, answer_draft, source_numbers),
        )


def _ends_with_quote_of_sources(text: str, answer_draft: AnswerDraft, source_numbers: Sequence[int]) -> bool:
    """Return whether a finding is a claim of the graph, which ends with a quote of its evidence."""
    _, opening_quote, quote = text.rpartition("“")
    cited_texts = [source.text for source in answer_draft.context.sources if source.number in source_numbers]
    return (
        bool(opening_quote)
        and text.endswith("”")
        and any(quote[:-1] in source_text for source_text in cited_texts)
    )
