"""Choose the sentences of the sources that answer a question, without a model; pure (requirement 10.3)."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from app.answers.asked_names import AskedName, AskedNames
from app.answers.asked_roles import AskedRoles
from app.answers.candidates import Quotable, list_quotable_sentences, remove_sentences_about_namesakes
from app.answers.chooser.choice import Choice, rank_sentences_by_likelihood_and_trust
from app.answers.chooser.model import Chooser
from app.answers.question_period import Period, find_period
from app.answers.question_tense import asks_of_the_past
from app.answers.quotes import (
    MAX_QUOTED_SOURCES,
    MAX_QUOTES,
    MAX_QUOTES_OF_LIST,
    MIN_SHARE_OF_WHOLE_QUESTION,
    Quotes,
    SourceQuote,
    choose_best_quotes,
    extend_quotes_to_list,
    remove_overlapping_quotes,
)
from app.answers.row_lookup import RowAnswer, look_up_rows
from app.answers.sentence_weights import GENERIC_QUESTION_STEMS, QuoteCandidate, weigh_sentences
from app.answers.shapes import Context, NumberedQuote, Source
from app.answers.text_matching import does_one_text_have_all_words_of_name, fold_to_spaced_lower_case
from app.answers.unsaid_words import explain_mostly_unsaid_question, write_unsaid_words
from app.documents.sentences import (
    find_start_after_list_mark,
    list_indices_without_unrelated_rows,
    may_contain_table_rows_or_records,
)
from app.domain.scoring.keywords import list_stems_of_texts, map_related_stems_to_asked_stems
from app.graph.questions import (
    find_capitalised_names_in_question,
    guess_relation_types,
    is_yes_no_question,
)
from app.graph.shapes import NodeAttribute
from app.ids import EdgeId
from app.retrieval.shapes import RetrievalResult, ScoredFact

MIN_SHARE_BESIDE_SURE_ANSWER = 0.4
"""Share of a sure answer's score from which another sentence is quoted with it."""
DOUBT_FACTOR = 0.2
"""Factor for the likelihood of a first quote for each sign that it does not answer: its passage lacks most of
the question's words, or no source about a named thing has a word of what is asked. It is the best of 0.05 to
0.5 by replays of the development packs (decision 156).
"""


def choose_quotes(
    question: str,
    sources: Sequence[Source],
    *,
    names: Iterable[str] = (),
    stated_quotes: Iterable[str] = (),
    excluded_quotes: Sequence[NumberedQuote] = (),
) -> Quotes:
    """Return the quotes that contain most of the question; none if no sentence contains any of it.

    A word weighs the more, the fewer sentences contain it. Words of `names`, the things asked about, weigh as
    much as the rarest, because the sources were found by them. `stated_quotes` are sentences that state the
    answer, `excluded_quotes` are sentences, by the number of the source, that no longer hold. If no sentence
    contains nearly all of the question or states the answer, the best sentence of each of the first sources
    is quoted: together they may answer.
    """
    names, stated_quotes = list(names), list(stated_quotes)
    quotable_sentences = remove_sentences_about_namesakes(
        list_quotable_sentences(sources, excluded_quotes), sources, question, names, stated_quotes
    )
    sentences = [
        quotable_sentences[index]
        for index in list_indices_without_unrelated_rows(
            [sentence.text for sentence in quotable_sentences], names
        )
    ]
    candidates = weigh_sentences(question, sources, sentences, names, stated_quotes)
    return extend_quotes_to_list(
        choose_best_quotes(question, candidates),
        question,
        candidates,
        is_answer_stated=bool(stated_quotes),
    )


def _find_answering_rows_in_context(
    retrieval: RetrievalResult,
    context: Context,
    earlier_quotes: Sequence[NumberedQuote],
    ended_quotes: Sequence[NumberedQuote],
) -> RowAnswer:
    """Return the rows of tables in the context that answer; an empty answer if it has no tables."""
    if not any(may_contain_table_rows_or_records(source.text) for source in context.sources):
        return RowAnswer()
    return look_up_rows(
        retrieval.query.text,
        list_quotable_sentences(context.sources, [*context.later_quotes, *earlier_quotes]),
        retrieval.nodes,
        generic_stems=GENERIC_QUESTION_STEMS,
        ended_quotes=ended_quotes,
    )


def choose_quotes_for_retrieved(
    retrieval: RetrievalResult,
    context: Context,
    *,
    earlier_quotes: Sequence[NumberedQuote] = (),
    chooser: Chooser | None = None,
) -> Quotes:
    """Return the quotes for a retrieval result, by its anchors and facts, without what no longer holds.

    `earlier_quotes`, by source and quote, are quoted already and left out. If table rows, claims or values
    answer, they are quoted. Else the chooser, by default the trained one, decides which sentence answers and
    whether one does, of those that may be about the things that the question names.
    """
    asked_edge_ids = list_asked_and_contradicting_edge_ids(retrieval)
    question = retrieval.query.text
    anchor_names = list_asked_anchor_names(retrieval)
    ended_quotes = _list_quotes_of_ended_facts(question, context)
    asked_names, period = AskedNames(retrieval, context.sources), find_period(question)
    row_answer = (
        _find_answering_rows_in_context(retrieval, context, earlier_quotes, ended_quotes)
        if period is None
        else RowAnswer()
    )
    if row_answer.sentences and not _is_any_name_in_source_trusted_more_than_rows(
        anchor_names, row_answer.sentences, context.sources
    ):
        return _quote_rows(row_answer)
    excluded_quotes = [
        *context.later_quotes,
        *earlier_quotes,
        *(NumberedQuote(sentence.source.number, sentence.text) for sentence in row_answer.unfit_rows),
    ]
    if stated_quotes := _list_quotes_of_claims_that_answer(
        retrieval, asked_edge_ids, asked_names.names, period, row_answer.unfit_rows
    ):
        return choose_quotes(
            question,
            context.sources,
            names=anchor_names,
            stated_quotes=stated_quotes,
            excluded_quotes=[*excluded_quotes, *_remove_stated_quotes(ended_quotes, stated_quotes)],
        )
    sentences = list_sentences_to_choose_from(
        question, context.sources, anchor_names, [*excluded_quotes, *ended_quotes]
    )
    choice = rank_sentences_by_likelihood_and_trust(
        retrieval,
        context.sources,
        sentences,
        names=anchor_names,
        asked_edge_ids=asked_edge_ids,
        is_about_several=asked_names.may_answer_take_two_sentences,
        chooser=chooser,
    )
    sentences, untimely_reason = _select_sentences_about_all(sentences, asked_names, period)
    choice, sentences = _remove_sentences_about_others(
        question, choice.limit_to(sentences), sentences, asked_names.names
    )
    if (
        not choice.sentences
        or (choice.best_likelihood < choice.threshold and _asks_more_than_names(retrieval))
        or (
            row_answer.unfit_rows
            and not _is_any_word_in_source(row_answer.asked_words, choice.sentences[0].source)
        )
    ):
        unsaid_reason = (
            write_unsaid_words(row_answer.unsaid_words, row_answer.cell_names)
            if row_answer.unsaid_words
            else None
        )
        return Quotes(reason=untimely_reason or unsaid_reason)
    first_quotes = remove_overlapping_quotes(
        [_build_candidate(choice, 0, anchor_names, question)], 1, question
    )
    candidates = weigh_sentences(question, context.sources, sentences, anchor_names, ())
    if choice.best_likelihood >= choice.min_likelihood_of_sure_answer:
        likely_quotes = [
            _build_candidate(choice, index, anchor_names, question)
            for index, score in enumerate(choice.scores)
            if score >= MIN_SHARE_BESIDE_SURE_ANSWER * choice.scores[0]
        ]
        # What says all of it in a later or another source may say the opposite of the first.
        likely_quotes += _list_sentences_saying_all(candidates)
        quotes = Quotes(
            remove_overlapping_quotes(likely_quotes, MAX_QUOTES, question), 1.0, choice.best_likelihood
        )
    else:
        # The answer may take two: what says most of the question follows.
        other_quotes = choose_best_quotes(question, candidates)
        quotes = Quotes(
            _append_quotes(first_quotes, other_quotes.quotes)[:MAX_QUOTED_SOURCES],
            other_quotes.coverage,
            choice.best_likelihood,
        )
        if _asks_more_than_names(retrieval) and (
            reason := _explain_words_that_first_passage_lacks(
                question, asked_names, choice.sentences[0].source, quotes
            )
        ):
            # The row of a table says all of it with its header, which is not a sentence.
            if other_quotes.coverage >= MIN_SHARE_OF_WHOLE_QUESTION:
                quotes = replace(other_quotes, likelihood=choice.best_likelihood)
            elif DOUBT_FACTOR * choice.best_likelihood < choice.threshold:
                return Quotes(reason=reason)
            else:
                quotes = replace(quotes, likelihood=DOUBT_FACTOR * choice.best_likelihood)
    return extend_quotes_to_list(
        replace(quotes, threshold=choice.threshold), question, candidates, is_answer_stated=False
    )


def _is_any_word_in_source(words: Sequence[str], source: Source) -> bool:
    """Return whether a passage contains a form of one of the words, or a related word; True without words."""
    asked_stems, source_stems = list_stems_of_texts(
        [" ".join(words), f"{source.document_title} {source.text}"]
    )
    return not asked_stems or bool(
        source_stems & (asked_stems | map_related_stems_to_asked_stems(asked_stems).keys())
    )


def _is_any_name_in_source_trusted_more_than_rows(
    names: Sequence[str], rows: Sequence[Quotable], sources: Sequence[Source]
) -> bool:
    """Return whether a source that is trusted more than these rows' names what is asked about: then the rows
    compete with its sentences by trust, and do not answer alone.
    """
    max_row_trust = max(row.source.trust for row in rows)
    more_trusted_texts = [
        fold_to_spaced_lower_case(source.text) for source in sources if source.trust > max_row_trust
    ]
    return any(does_one_text_have_all_words_of_name(name, more_trusted_texts) for name in names)


def _quote_rows(row_answer: RowAnswer) -> Quotes:
    """Return the rows that a look-up found as quotes."""
    quotes = tuple(SourceQuote(sentence.source, sentence.text) for sentence in row_answer.sentences)
    return Quotes(
        quotes[:MAX_QUOTES_OF_LIST],
        1.0,
        is_list=len(quotes) > 1,
        omitted_count=max(len(quotes) - MAX_QUOTES_OF_LIST, 0),
        asked_cell=(row_answer.short_answer_kind, row_answer.short_answer)
        if row_answer.short_answer
        else None,
        tables=row_answer.tables,
    )


def _list_quotes_of_claims_that_answer(
    retrieval: RetrievalResult,
    asked_edge_ids: Collection[EdgeId],
    asked_names: Sequence[AskedName],
    period: Period | None,
    unfit_rows: Sequence[Quotable],
) -> list[str]:
    """Return the quotes of claims and values that state the answer: about the asked thing in the asked role,
    in the asked period, and not in an `unfit_rows` row.
    """
    question = retrieval.query.text
    quotes = [
        quote[find_start_after_list_mark(quote, 0, len(quote)) :]
        for fact in retrieval.facts
        if (quote := fact.edge.quote)
        and fact.edge.id in asked_edge_ids
        and (period is None or period.may_claim_have_begun(fact.edge.valid_from, quote))
    ] + [value.evidence.quote or "" for value in list_asked_values(retrieval) if value.holds]
    quotes = [quote for quote in quotes if not any(quote in sentence.text for sentence in unfit_rows)]
    if not asked_names or is_yes_no_question(question):
        return quotes
    are_about_others = AskedRoles(question, asked_names).flag_sentences_about_others(quotes)
    return [
        quote for quote, is_about_other in zip(quotes, are_about_others, strict=True) if not is_about_other
    ]


def _explain_words_that_first_passage_lacks(
    question: str, asked_names: AskedNames, first_source: Source, quotes: Quotes
) -> str | None:
    """Return a reason with the question's words that the first sentence's passage lacks, if it lacks most of
    them.

    If the passage does not mention all things named, all quoted passages are examined: a question of two
    steps is answered by two.
    """
    sources = (
        [first_source]
        if asked_names.are_all_mentioned_by_passage_or_titles(first_source)
        else [source for source, _ in quotes.quotes]
    )
    return explain_mostly_unsaid_question(
        question, [text for source in sources for text in (source.document_title, source.text)]
    )


class _SentencesAboutAll(NamedTuple):
    """Sentences, and a reason if there are none only because of the asked period."""

    sentences: list[Quotable]
    untimely_reason: str | None


def _select_sentences_about_all(
    sentences: Sequence[Quotable], asked_names: AskedNames, period: Period | None
) -> _SentencesAboutAll:
    """Return the sentences that may be about all things named, in the asked period."""
    sentences_about_all = [
        sentence
        for sentence in sentences
        if asked_names.may_sentence_be_about_all_names(sentence.source, sentence.text)
    ]
    timely_sentences = [
        sentence
        for sentence in sentences_about_all
        if period is None or period.may_be_time_of_sentence(sentence)
    ]
    is_untimely = bool(sentences_about_all) and not timely_sentences
    return _SentencesAboutAll(
        timely_sentences,
        f"Nothing that was found tells what was asked for {period}." if is_untimely else None,
    )


class _ChoiceWithSentences(NamedTuple):
    """A choice, and the sentences to which it is limited."""

    choice: Choice
    sentences: list[Quotable]


def _remove_sentences_about_others(
    question: str, choice: Choice, sentences: list[Quotable], asked_names: Sequence[AskedName]
) -> _ChoiceWithSentences:
    """Return the choice and the sentences without those that say of another thing what is asked of one. All
    stay for a yes-or-no question, since they may mean no.
    """
    if not asked_names or is_yes_no_question(question):
        return _ChoiceWithSentences(choice, sentences)
    are_about_others = AskedRoles(question, asked_names).flag_sentences_about_others(
        [sentence.text for sentence in choice.sentences]
    )
    keys_about_others = {
        (sentence.source.number, sentence.text)
        for sentence, is_about_other in zip(choice.sentences, are_about_others, strict=True)
        if is_about_other
    }
    if not keys_about_others:
        return _ChoiceWithSentences(choice, sentences)
    remaining_sentences = [
        sentence for sentence in sentences if (sentence.source.number, sentence.text) not in keys_about_others
    ]
    return _ChoiceWithSentences(choice.limit_to(remaining_sentences), remaining_sentences)


def _append_quotes(
    first_quotes: Sequence[SourceQuote], other_quotes: Sequence[SourceQuote]
) -> tuple[SourceQuote, ...]:
    """Return the first quotes and those of the others that do not overlap with them. A quote that begins with
    a first one of its source replaces it.
    """
    quotes = list(first_quotes)
    for source, text in other_quotes:
        for index, (first_source, first_quote) in enumerate(first_quotes):
            if first_quote in text and source is first_source:
                quotes[index] = SourceQuote(source, text)
            if first_quote in text or text in first_quote:
                break
        else:
            quotes.append(SourceQuote(source, text))
    return tuple(quotes)


def _list_sentences_saying_all(candidates: Iterable[QuoteCandidate]) -> list[QuoteCandidate]:
    """Return the sentences with nearly all words of the question that are not retracted, the best first."""
    return sorted(
        (
            candidate
            for candidate in candidates
            if candidate.score >= MIN_SHARE_OF_WHOLE_QUESTION and not candidate.sentence.is_retracted
        ),
        key=lambda candidate: -candidate.weighted_score,
    )


def _asks_more_than_names(retrieval: RetrievalResult) -> bool:
    """Return whether a question asks for more than information about the things that it names."""
    joined_names = " ".join(
        mention.surface for mention in find_capitalised_names_in_question(retrieval.query.text)
    )
    asked_stems, name_stems = list_stems_of_texts([retrieval.query.text, joined_names])
    return not name_stems or bool(asked_stems - name_stems - GENERIC_QUESTION_STEMS)


def _build_candidate(choice: Choice, index: int, names: Sequence[str], question: str) -> QuoteCandidate:
    """Build a candidate from a chosen sentence, which may refer to a name in the sentence before."""
    sentence, likelihood = choice.sentences[index], choice.likelihoods[index]
    text_before = ""
    if sentence.begins_with_pronoun_subject and sentence.previous_sentence:
        text_before = sentence.previous_sentence.text
    asked_stems, name_stems, sentence_stems, stems_before = list_stems_of_texts(
        [question, " ".join(names), sentence.text, text_before]
    )
    return QuoteCandidate(
        sentence,
        likelihood,
        likelihood,
        False,
        True,
        bool((stems_before & asked_stems & name_stems) - sentence_stems),
    )


def list_asked_and_contradicting_edge_ids(retrieval: RetrievalResult) -> set[EdgeId]:
    """Return the claims that state the answer, and those that contradict them."""
    asked_edge_ids = {fact.edge.id for fact in list_asked_facts(retrieval)}
    for conflict in retrieval.explanation.contested if retrieval.explanation else ():
        # Who quotes one side quotes the other (requirement 8.3).
        if asked_edge_ids & set(conflict.edge_ids):
            asked_edge_ids |= set(conflict.edge_ids)
    return asked_edge_ids


def list_asked_anchor_names(retrieval: RetrievalResult) -> list[str]:
    """Return the names of the things asked about, as nodes have them and as the question writes them."""
    return [
        name
        for anchor in retrieval.anchors
        # An anchor found by meaning was matched by the whole question.
        for name in (anchor.node.canonical_name, anchor.matched)
        if name != retrieval.query.text
    ]


def list_sentences_to_choose_from(
    question: str, sources: Sequence[Source], names: Sequence[str], excluded_quotes: Sequence[NumberedQuote]
) -> list[Quotable]:
    """Return the sentences that may be quoted: not about namesakes, no rows about other things, and not
    retracted, unless the question is yes-or-no.
    """
    quotable_sentences = remove_sentences_about_namesakes(
        list_quotable_sentences(sources, excluded_quotes), sources, question, names, ()
    )
    if not is_yes_no_question(question):
        quotable_sentences = [sentence for sentence in quotable_sentences if not sentence.is_retracted]
    return [
        quotable_sentences[index]
        for index in list_indices_without_unrelated_rows(
            [sentence.text for sentence in quotable_sentences], names
        )
    ]


def _list_quotes_of_ended_facts(question: str, context: Context) -> list[NumberedQuote]:
    """Return the quotes that tell the question only what no longer holds, by source; none if it asks about
    the past.
    """
    if not context.ended_quotes or asks_of_the_past(question):
        return []
    asked_relation_types = guess_relation_types(question)
    return [
        NumberedQuote(ended_quote.number, ended_quote.quote)
        for ended_quote in context.ended_quotes
        if ended_quote.is_only_asked_claim(asked_relation_types)
    ]


def _remove_stated_quotes(
    ended_quotes: Sequence[NumberedQuote], stated_quotes: Sequence[str]
) -> list[NumberedQuote]:
    """Return the ended quotes without the sentences that also state what is asked and holds."""
    return [
        ended_quote
        for ended_quote in ended_quotes
        if not any(ended_quote.text in stated_quote for stated_quote in stated_quotes)
    ]


def list_asked_values(retrieval: RetrievalResult) -> Sequence[NodeAttribute]:
    """Return the attribute values that the question asks for."""
    return retrieval.explanation.asked_attributes if retrieval.explanation else ()


def list_asked_facts(retrieval: RetrievalResult) -> list[ScoredFact]:
    """Return the facts about a named thing whose relation the question asks for."""
    anchor_node_ids = {anchor.node.id for anchor in retrieval.anchors}
    hinted_relations = set(guess_relation_types(retrieval.query.text))
    return [
        fact
        for fact in retrieval.facts
        if fact.edge.relation_type in hinted_relations
        and anchor_node_ids & {fact.edge.from_node_id, fact.edge.to_node_id}
    ]
