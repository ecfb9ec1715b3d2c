"""Choose the sentences of the sources that answer a question, without a model; pure (requirement 10.3)."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from math import fsum, log

from app.answers.asked_names import AskedName, AskedNames, has_pronoun_subject
from app.answers.asked_roles import AskedRoles
from app.answers.candidates import (
    Quotable,
    group_by_least_trust,
    is_previous_sentence_quoted,
    list_quotable_sentences,
    list_words_of_names_meant_by_pronouns,
    prepend_previous_sentence,
    remove_sentences_about_namesakes,
)
from app.answers.chooser.choice import Choice, choose_sentences
from app.answers.chooser.features import fold_text, has_all_words_of_name
from app.answers.chooser.model import Chooser
from app.answers.plurals import asks_for_several
from app.answers.question_period import Period, find_period
from app.answers.row_lookup import RowAnswer, look_up_rows
from app.answers.shapes import Context, Source, SpanKind, TableCells
from app.answers.short_answers import find_kind_asked
from app.answers.unsaid_words import explain_mostly_unsaid_question, write_unsaid_words
from app.documents.sentences import (
    find_start_after_list_mark,
    list_folded_row_names,
    list_indices_without_unrelated_rows,
    may_contain_rows,
)
from app.domain.scoring.keywords import list_stems_of_texts, map_related_stems_to_asked_stems, stems
from app.domain.scoring.stop_words import PRONOUNS, STOP_WORDS, split_into_word_set
from app.graph.questions import (
    asks_of_the_past,
    find_capitalised_names_in_question,
    guess_relation_types,
    is_yes_no_question,
)
from app.graph.shapes import NodeAttribute
from app.ids import EdgeId
from app.retrieval.shapes import RetrievalResult, ScoredFact

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
RELATED_SHARE = 0.7
"""Weight of a related word ("married" for "wife") relative to the word itself."""
NEIGHBOR_SENTENCE_SHARE = 0.5
"""Weight of an asked name that only another sentence of the passage contains."""
PREVIOUS_SENTENCE_SHARE = 0.9
"""Weight of an asked name in the sentence before, if this one begins with "She" or "It"."""
OWN_ROW_FACTOR = 1.2
"""Factor for a table row whose subject is an asked name."""
RETRACTED_SENTENCE_FACTOR = 0.5
"""Factor for a sentence that the next one retracts."""
RANK_DISCOUNT = 0.05
"""Discount of a sentence's score for each rank of its source."""
STATED_BONUS = 2.0
"""Bonus for stating a relation that the question asks for, in units of its rarest word."""
MIN_SHARE_OF_BEST_SCORE = 0.6
"""Share of the best quote's score below which further quotes are left out."""
MIN_SHARE_BESIDE_SURE_ANSWER = 0.4
"""Share of a sure answer's score from which another sentence is quoted with it."""
MAX_SHARE_OF_WEAK_ANSWER = 0.5
"""Share of the question's words, or likelihood, below which a quote is a weak answer."""
MIN_QUOTED_SHARE = 0.15
"""Share below which nothing is quoted."""
DOUBT_FACTOR = 0.2
"""Factor for the likelihood of a first quote for each sign that it does not answer: its passage lacks most of
the question's words, or no source about a named thing has a word of what is asked. It is the best of 0.05 to
0.5 by replays of the development packs (decision 156).
"""
# Words that introduce no new subject.
_WORDS_WITHOUT_NEW_SUBJECT = (STOP_WORDS | PRONOUNS) - {"the", "a", "an"}
_WORD = re.compile(r"[^\W\d_]+")
GENERIC_QUESTION_STEMS = stems(
    " ".join(
        split_into_word_set(
            """
            tell list give show describe explain name know say said mean happen thing kind type sort many much
            person people place please find term called does speak question answer information fact detail
            """
        )
    )
)
"""Stems of question words without content of their own."""


@dataclass(frozen=True, slots=True)
class Quotes:
    """Pairs of a source and a sentence of it: at most five, best first or one of each source in their order.

    `coverage`, 0 to 1, is the share of the question's words in the best one, with more weight for rare words.
    `likelihood` is the chooser's likelihood that the first one answers, lower if its passage lacks most of
    the question's words; below `threshold` the question is refused. If it `is_list`, there are up to
    `MAX_QUOTES_OF_LIST`, and `omitted_count` more would belong to the list. Without quotes, `reason` says
    which part of the question is not in the sources, if known. `asked_cell` is the cell of the first row that
    is asked for, with its kind.
    """

    quotes: tuple[tuple[Source, str], ...] = ()
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


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A sentence with its values as a quote.

    `score` is the share of the question's words in it, by their weights; `weighted_score` is the score by
    which it ranks as a quote, `is_statement` whether it states the answer. `is_named_before` is True if the
    sentence before contains a name that this one refers to.
    """

    sentence: Quotable
    score: float
    weighted_score: float
    is_statement: bool
    is_about_more_than_names: bool
    is_named_before: bool
    question_words: frozenset[str] = frozenset()
    question_words_in_names: frozenset[str] = frozenset()


def choose_quotes(
    question: str,
    sources: Sequence[Source],
    *,
    names: Iterable[str] = (),
    stated_quotes: Iterable[str] = (),
    excluded_quotes: Sequence[tuple[int, str]] = (),
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
    candidates = _weigh_sentences(question, sources, sentences, names, stated_quotes)
    return _extend_quotes_to_list(
        _choose_best_candidates(question, candidates),
        question,
        candidates,
        is_answer_stated=bool(stated_quotes),
    )


def _choose_best_candidates(question: str, candidates: Sequence[_Candidate]) -> Quotes:
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
            _remove_overlapping_quotes(
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
    return Quotes(_remove_overlapping_quotes(worthy_candidates, MAX_QUOTES, question), coverage)


def _extend_quotes_to_list(
    quotes: Quotes, question: str, candidates: Sequence[_Candidate], *, is_answer_stated: bool
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
    listed_quotes = _remove_overlapping_quotes([first_quote, *alike_candidates], MAX_QUOTES_OF_LIST, question)
    if len(listed_quotes) < min_quotes:
        return quotes
    return replace(
        quotes,
        quotes=(*quotes_before_list, *listed_quotes),
        is_list=True,
        omitted_count=max(len(alike_candidates) + 1 - MAX_QUOTES_OF_LIST, 0),
    )


def _find_first_quotes_of_list(
    quotes: Sequence[tuple[Source, str]], candidates: Sequence[_Candidate]
) -> tuple[Sequence[tuple[Source, str]], _Candidate | None]:
    """Return the quote with which a list begins, and the quotes before it; None if there is none.

    It is the first quote that contains more of the question than names, or a row of a table or record after
    others.
    """
    for index, (source, text) in enumerate(quotes):
        for candidate in candidates:
            if candidate.sentence.source is source and candidate.sentence.text in text:
                is_later_row = index > 0 and list_folded_row_names([candidate.sentence.text]) != [""]
                if candidate.is_about_more_than_names or is_later_row:
                    return quotes[:index], candidate
                break
    return quotes, None


def _weigh_sentences(
    question: str,
    sources: Sequence[Source],
    sentences: Sequence[Quotable],
    names: Sequence[str],
    stated_quotes: Sequence[str],
) -> list[_Candidate]:
    """Return the sentences in their order with their scores.

    Each is weighed among the sentences that are trusted at least as much: no source changes the order of the
    sentences of a more trusted one.
    """
    candidate_by_sentence = {}
    for trust, trusted_sentences in group_by_least_trust(sentences):
        source_numbers = sorted(source.number for source in sources if source.trust >= trust)
        for candidate in _weigh_sentences_among_themselves(
            question, source_numbers, trusted_sentences, names, stated_quotes
        ):
            if candidate.sentence.source.trust == trust:
                candidate_by_sentence[id(candidate.sentence)] = candidate
    return [candidate_by_sentence[id(sentence)] for sentence in sentences]


def _weigh_sentences_among_themselves(
    question: str,
    source_numbers: Sequence[int],
    sentences: Sequence[Quotable],
    names: Sequence[str],
    stated_quotes: Sequence[str],
) -> list[_Candidate]:
    """Return the sentences with their scores, which depend on all of them: the fewer contain a word, the more
    it weighs. `source_numbers` are the numbers of their sources by rank.
    """
    asked_stems, name_stems, *stems_by_sentence = list_stems_of_texts(
        [question, " ".join(names), *(sentence.text_with_header for sentence in sentences)]
    )
    stem_by_related_stem = map_related_stems_to_asked_stems(asked_stems)
    folded_names = {name.casefold() for name in names}
    weight_by_stem = _weigh_stems(
        asked_stems, [sentence_stems & asked_stems for sentence_stems in stems_by_sentence]
    )
    max_weight = max(weight_by_stem.values(), default=0.0)
    weight_by_stem |= dict.fromkeys(asked_stems & name_stems, max_weight)
    full_weight = fsum(weight_by_stem.values()) or 1.0
    name_stems_by_source: dict[int, set[str]] = {}
    for sentence, sentence_stems in zip(sentences, stems_by_sentence, strict=True):
        name_stems_by_source.setdefault(sentence.source.number, set()).update(
            sentence_stems & asked_stems & name_stems
        )
    subject_stems_by_sentence = list_words_of_names_meant_by_pronouns(
        sentences, [sentence_stems & asked_stems & name_stems for sentence_stems in stems_by_sentence]
    )
    candidates = []
    row_names = list_folded_row_names([sentence.text for sentence in sentences])
    for sentence, sentence_stems, subject_stems, row_name in zip(
        sentences, stems_by_sentence, subject_stems_by_sentence, row_names, strict=True
    ):
        related_stems = {
            stem_by_related_stem[stem] for stem in sentence_stems & stem_by_related_stem.keys()
        } - sentence_stems
        # By fsum, as sets have another order in each process: of two alike the same has to win.
        said_weight = fsum(weight_by_stem[stem] for stem in sentence_stems & asked_stems)
        said_weight += RELATED_SHARE * fsum(weight_by_stem[stem] for stem in related_stems)
        says_more = bool(
            ((sentence_stems & asked_stems) | related_stems) - name_stems - GENERIC_QUESTION_STEMS
        )
        if says_more and not _begins_with_new_subject(sentence.text):
            said_weight += NEIGHBOR_SENTENCE_SHARE * fsum(
                weight_by_stem[stem]
                for stem in name_stems_by_source[sentence.source.number] - sentence_stems - subject_stems
            )
            said_weight += PREVIOUS_SENTENCE_SHARE * fsum(
                weight_by_stem[stem] for stem in subject_stems - sentence_stems
            )
        # What is taken back answers whether it is so, and not what is.
        is_retracted_answer = sentence.is_retracted and not is_yes_no_question(question)
        states_answer = not is_retracted_answer and any(quote in sentence.text for quote in stated_quotes)
        score = said_weight / full_weight
        bonus = STATED_BONUS * max_weight / full_weight if states_answer else 0.0
        source_factor = _compute_source_factor(
            sentence,
            source_numbers.index(sentence.source.number),
            is_own_row=row_name in folded_names,
            is_retracted=is_retracted_answer,
        )
        candidates.append(
            _Candidate(
                sentence,
                score,
                (score + bonus) * source_factor,
                states_answer,
                says_more,
                bool(subject_stems - sentence_stems),
                (sentence_stems | subject_stems) & asked_stems,
                (sentence_stems | subject_stems) & asked_stems & name_stems,
            )
        )
    return candidates


def _compute_source_factor(
    sentence: Quotable, source_rank: int, *, is_own_row: bool, is_retracted: bool
) -> float:
    """Return the factor of a sentence's score for the rank and trust of its source and for its kind."""
    rank_factor = max(0.0, 1 - RANK_DISCOUNT * source_rank)
    return (
        rank_factor
        * sentence.source.trust
        * (OWN_ROW_FACTOR if is_own_row else 1)
        * (RETRACTED_SENTENCE_FACTOR if is_retracted else 1)
    )


def _begins_with_new_subject(sentence: str) -> bool:
    """Return whether a sentence begins with a new subject, so that it is not about the name of the sentence
    before.
    """
    first_word = _WORD.search(sentence)
    return first_word is None or first_word[0].casefold() not in _WORDS_WITHOUT_NEW_SUBJECT


def _choose_one_of_each_source(candidates_by_rank: Sequence[_Candidate]) -> list[_Candidate]:
    """Return the best sentence of each source in the sources' order; those with more of the question than
    names come first.
    """
    candidate_by_source: dict[int, _Candidate] = {}
    for candidate in candidates_by_rank:
        if candidate.score > 0:
            candidate_by_source.setdefault(candidate.sentence.source.number, candidate)
    foremost_candidates = [
        candidate_by_source[number] for number in sorted(candidate_by_source) if number <= MAX_QUOTED_SOURCES
    ]
    return sorted(foremost_candidates, key=lambda candidate: not candidate.is_about_more_than_names)


def _remove_overlapping_quotes(
    candidates: Iterable[_Candidate], limit: int, question: str
) -> tuple[tuple[Source, str], ...]:
    """Return at most `limit` quotes, none of which contains another. A quote that begins with a pronoun
    includes the sentence before.
    """
    asks_for_name = find_kind_asked(question) is SpanKind.NAME
    quotes_by_text: dict[str, tuple[Source, str]] = {}
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
            and _is_name_in_sentence_before(sentence, question)
        )
        text = prepend_previous_sentence(sentence, earlier_texts) if needs_sentence_before else sentence.text
        if not any(text in quoted_text or quoted_text in text for quoted_text in earlier_texts):
            quotes_by_text.setdefault(" ".join(text.casefold().split()), (sentence.source, text))
    return tuple(quotes_by_text.values())


def _is_name_in_sentence_before(sentence: Quotable, question: str) -> bool:
    """Return whether the subject is a pronoun, the sentence has only names of the question, and the one
    before has another: the answer is in that one ("In 1990 she founded Globex.").
    """
    if sentence.previous_sentence is None:
        return False
    asked_texts = [fold_text(question)]
    own_names, earlier_names = (
        [
            name
            for name in find_capitalised_names_in_question(f"- {text}")
            if not has_all_words_of_name(name.surface, asked_texts)
        ]
        for text in (sentence.text, sentence.previous_sentence.text)
    )
    # A first word, here the pronoun, is in capitals for its place.
    return (
        bool(earlier_names)
        and all(name.start == 2 for name in own_names)
        and has_pronoun_subject(sentence.text)
    )


def _weigh_stems(
    asked_stems: Iterable[str], stems_by_sentence: Sequence[Collection[str]]
) -> dict[str, float]:
    """Return the weight of each word: the fewer sentences contain it, the more."""
    counts = Counter(stem for stems in stems_by_sentence for stem in stems)
    return {stem: log(1 + len(stems_by_sentence) / max(counts[stem], 1)) for stem in asked_stems}


def _look_up_rows_of_context(
    retrieval: RetrievalResult,
    context: Context,
    earlier_quotes: Sequence[tuple[int, str]],
    ended_quotes: Sequence[tuple[int, str]],
) -> RowAnswer:
    """Return the rows of tables in the context that answer; an empty answer if it has no tables."""
    if not any(may_contain_rows(source.text) for source in context.sources):
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
    earlier_quotes: Sequence[tuple[int, str]] = (),
    chooser: Chooser | None = None,
) -> Quotes:
    """Return the quotes for a retrieval result, by its anchors and facts, without what no longer holds.

    `earlier_quotes`, by source and quote, are quoted already and left out. If table rows, claims or values
    answer, they are quoted. Else the chooser, by default the trained one, decides which sentence answers and
    whether one does, of those that may be about the things that the question names.
    """
    asked_edge_ids = list_asked_edge_ids(retrieval)
    question = retrieval.query.text
    anchor_names = list_asked_anchor_names(retrieval)
    ended_quotes = _list_ended_quotes(question, context)
    excluded_quotes = [*ended_quotes, *context.later_quotes, *earlier_quotes]
    asked_names, period = AskedNames(retrieval, context.sources), find_period(question)
    row_answer = (
        _look_up_rows_of_context(retrieval, context, earlier_quotes, ended_quotes)
        if period is None
        else RowAnswer()
    )
    if row_answer.sentences and not _is_named_by_more_trusted(
        anchor_names, row_answer.sentences, context.sources
    ):
        return _quote_rows(row_answer)
    excluded_quotes += [(sentence.source.number, sentence.text) for sentence in row_answer.unfit_rows]
    if stated_quotes := _list_stated_quotes(
        retrieval, asked_edge_ids, asked_names.names, period, row_answer.unfit_rows
    ):
        return choose_quotes(
            question,
            context.sources,
            names=anchor_names,
            stated_quotes=stated_quotes,
            excluded_quotes=excluded_quotes,
        )
    sentences = list_sentences_to_choose(question, context.sources, anchor_names, excluded_quotes)
    choice = choose_sentences(
        retrieval,
        context.sources,
        sentences,
        names=anchor_names,
        asked_edge_ids=asked_edge_ids,
        is_about_several=asked_names.has_several_names,
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
    first_quotes = _remove_overlapping_quotes(
        [_build_candidate(choice, 0, anchor_names, question)], 1, question
    )
    candidates = _weigh_sentences(question, context.sources, sentences, anchor_names, ())
    if choice.best_likelihood >= choice.min_likelihood_of_sure_answer:
        likely_quotes = [
            _build_candidate(choice, index, anchor_names, question)
            for index, score in enumerate(choice.scores)
            if score >= MIN_SHARE_BESIDE_SURE_ANSWER * choice.scores[0]
        ]
        # What says all of it in a later or another source may say the opposite of the first.
        likely_quotes += _list_sentences_saying_all(candidates)
        quotes = Quotes(
            _remove_overlapping_quotes(likely_quotes, MAX_QUOTES, question), 1.0, choice.best_likelihood
        )
    else:
        # The answer may take two: what says most of the question follows.
        other_quotes = _choose_best_candidates(question, candidates)
        quotes = Quotes(
            _append_quotes(first_quotes, other_quotes.quotes)[:MAX_QUOTED_SOURCES],
            other_quotes.coverage,
            choice.best_likelihood,
        )
        if _asks_more_than_names(retrieval) and (
            reason := _explain_unsaid_words(question, asked_names, choice.sentences[0].source, quotes)
        ):
            # The row of a table says all of it with its header, which is not a sentence.
            if other_quotes.coverage >= MIN_SHARE_OF_WHOLE_QUESTION:
                quotes = replace(other_quotes, likelihood=choice.best_likelihood)
            elif DOUBT_FACTOR * choice.best_likelihood < choice.threshold:
                return Quotes(reason=reason)
            else:
                quotes = replace(quotes, likelihood=DOUBT_FACTOR * choice.best_likelihood)
    return _extend_quotes_to_list(
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


def _is_named_by_more_trusted(
    names: Sequence[str], rows: Sequence[Quotable], sources: Sequence[Source]
) -> bool:
    """Return whether a source that is trusted more than these rows' names what is asked about: then the rows
    compete with its sentences by trust, and do not answer alone.
    """
    max_row_trust = max(row.source.trust for row in rows)
    more_trusted_texts = [fold_text(source.text) for source in sources if source.trust > max_row_trust]
    return any(has_all_words_of_name(name, more_trusted_texts) for name in names)


def _quote_rows(row_answer: RowAnswer) -> Quotes:
    """Return the rows that a look-up found as quotes."""
    quotes = tuple((sentence.source, sentence.text) for sentence in row_answer.sentences)
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


def _list_stated_quotes(
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
        and (period is None or period.has_begun(fact.edge.valid_from, quote))
    ] + [value.evidence.quote or "" for value in list_asked_values(retrieval) if value.holds]
    quotes = [quote for quote in quotes if not any(quote in sentence.text for sentence in unfit_rows)]
    if not asked_names or is_yes_no_question(question):
        return quotes
    are_about_others = AskedRoles(question, asked_names).flag_sentences_about_others(quotes)
    return [
        quote for quote, is_about_other in zip(quotes, are_about_others, strict=True) if not is_about_other
    ]


def _explain_unsaid_words(
    question: str, asked_names: AskedNames, first_source: Source, quotes: Quotes
) -> str | None:
    """Return a reason with the question's words that the first sentence's passage lacks, if it lacks most of
    them.

    If the passage does not mention all things named, all quoted passages are examined: a question of two
    steps is answered by two.
    """
    sources = (
        [first_source]
        if asked_names.are_all_mentioned_by(first_source)
        else [source for source, _ in quotes.quotes]
    )
    return explain_mostly_unsaid_question(
        question, [text for source in sources for text in (source.document_title, source.text)]
    )


def _select_sentences_about_all(
    sentences: Sequence[Quotable], asked_names: AskedNames, period: Period | None
) -> tuple[list[Quotable], str | None]:
    """Return the sentences that may be about all things named, in the asked period; and a reason if only the
    period is missing.
    """
    sentences_about_all = [
        sentence for sentence in sentences if asked_names.may_sentence_answer(sentence.source, sentence.text)
    ]
    timely_sentences = [
        sentence
        for sentence in sentences_about_all
        if period is None or period.may_be_time_of_sentence(sentence)
    ]
    is_untimely = bool(sentences_about_all) and not timely_sentences
    return (
        timely_sentences,
        f"Nothing that was found tells what was asked for {period}." if is_untimely else None,
    )


def _remove_sentences_about_others(
    question: str, choice: Choice, sentences: list[Quotable], asked_names: Sequence[AskedName]
) -> tuple[Choice, list[Quotable]]:
    """Return the choice and the sentences without those that say of another thing what is asked of one. All
    stay for a yes-or-no question, since they may mean no.
    """
    if not asked_names or is_yes_no_question(question):
        return choice, sentences
    are_about_others = AskedRoles(question, asked_names).flag_sentences_about_others(
        [sentence.text for sentence in choice.sentences]
    )
    keys_about_others = {
        (sentence.source.number, sentence.text)
        for sentence, is_about_other in zip(choice.sentences, are_about_others, strict=True)
        if is_about_other
    }
    if not keys_about_others:
        return choice, sentences
    remaining_sentences = [
        sentence for sentence in sentences if (sentence.source.number, sentence.text) not in keys_about_others
    ]
    return choice.limit_to(remaining_sentences), remaining_sentences


def _append_quotes(
    first_quotes: Sequence[tuple[Source, str]], other_quotes: Sequence[tuple[Source, str]]
) -> tuple[tuple[Source, str], ...]:
    """Return the first quotes and those of the others that do not overlap with them. A quote that begins with
    a first one of its source replaces it.
    """
    quotes = list(first_quotes)
    for source, text in other_quotes:
        for index, (first_source, first_quote) in enumerate(first_quotes):
            if first_quote in text and source is first_source:
                quotes[index] = source, text
            if first_quote in text or text in first_quote:
                break
        else:
            quotes.append((source, text))
    return tuple(quotes)


def _list_sentences_saying_all(candidates: Iterable[_Candidate]) -> list[_Candidate]:
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


def _build_candidate(choice: Choice, index: int, names: Sequence[str], question: str) -> _Candidate:
    """Build a candidate from a chosen sentence, which may refer to a name in the sentence before."""
    sentence, likelihood = choice.sentences[index], choice.likelihoods[index]
    text_before = ""
    if sentence.begins_with_pronoun_subject and sentence.previous_sentence:
        text_before = sentence.previous_sentence.text
    asked_stems, name_stems, sentence_stems, stems_before = list_stems_of_texts(
        [question, " ".join(names), sentence.text, text_before]
    )
    return _Candidate(
        sentence,
        likelihood,
        likelihood,
        False,
        True,
        bool((stems_before & asked_stems & name_stems) - sentence_stems),
    )


def list_asked_edge_ids(retrieval: RetrievalResult) -> set[EdgeId]:
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


def list_sentences_to_choose(
    question: str, sources: Sequence[Source], names: Sequence[str], excluded_quotes: Sequence[tuple[int, str]]
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


def _list_ended_quotes(question: str, context: Context) -> list[tuple[int, str]]:
    """Return the quotes that no longer hold, by source, unless the question asks about the past."""
    return (
        [] if asks_of_the_past(question) else [(claim.number, claim.quote) for claim in context.ended_quotes]
    )


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
