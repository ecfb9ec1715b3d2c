"""Decide whether a question is refused instead of answered, and write the reason; pure (requirement 10.3).

`choose_quotes_or_refuse` makes the decision. It gives the first of these reasons that applies: names that no
text of the space contains, things that no source mentions, the reason for which `extractive` chose no quote,
words that no source contains.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from app.answers.asked_names import AskedNames
from app.answers.chooser.model import Chooser, do_sources_show_small_space, guess_script_of_question
from app.answers.extractive import DOUBT_FACTOR, choose_quotes_for_retrieved
from app.answers.quotes import Quotes
from app.answers.sentence_weights import GENERIC_QUESTION_STEMS
from app.answers.shapes import Context, Source
from app.answers.text_matching import (
    are_forms_of_one_word,
    does_one_text_have_all_words_of_name,
    fold_to_spaced_lower_case,
)
from app.answers.unsaid_words import explain_unsaid_words, quote_and_join_names, write_unsaid_words
from app.documents.language import guess_language
from app.documents.sentences import append_table_header, split_passage_cached
from app.domain.scoring.keywords import list_stems_of_texts, map_related_stems_to_asked_stems
from app.domain.scoring.stop_words import PRONOUNS
from app.graph.names import flag_texts_about_namesakes
from app.graph.questions import capitalises_nouns, find_capitalised_names_in_question, is_yes_no_question
from app.retrieval.shapes import RetrievalResult

NO_ANSWER_REASON = "Nothing in this space answers the question."
MIN_LIKELIHOOD_DESPITE_UNKNOWN_NAMES = 0.5
"""Likelihood from which a sentence answers although half of the question's names stand in no text as the
question writes them, in scripts whose languages inflect names, and in languages that capitalise nouns.
"""
MIN_SHARE_OF_KNOWN_NAMES = 0.5
"""Share of the names in a question that texts of the space must contain, and more."""
MIN_MATCHED_SHARE_OF_NAME = 0.6
"""Share of a name's words by which a source mentions it."""
_MIN_NAME_LENGTH = 5
# First words of a sentence that continues about the subject of the sentence before.
_CONTINUING_WORDS = PRONOUNS | {"the", "his", "her", "its", "their"}
_WORD = re.compile(r"[^\W\d_]+")


def choose_quotes_or_refuse(retrieval: RetrievalResult, context: Context, chooser: Chooser | None) -> Quotes:
    """Return the best quotes, or the `reason` of the refusal and no quotes.

    The question is refused if its names are unknown, if no sentence answers it, or if no sentence about its
    names has a word of what is asked, and the first quote is unlikely to answer it or another sentence of a
    small space says all of these words of something else. `chooser` is the trained one by default.
    """
    unknown_names_reason = explain_unknown_names(retrieval)
    quotes = Quotes()
    if unknown_names_reason is None or _may_texts_write_names_otherwise(retrieval.query.text):
        quotes = choose_quotes_for_retrieved(retrieval, context, chooser=chooser)
        if (
            unknown_names_reason is not None
            and (quotes.likelihood or 0.0) < MIN_LIKELIHOOD_DESPITE_UNKNOWN_NAMES
        ):
            quotes = Quotes()
    is_doubtful = (
        bool(quotes.quotes)
        and quotes.likelihood is not None
        and (
            quotes.likelihood < quotes.threshold / DOUBT_FACTOR
            or _does_another_sentence_say_what_is_asked(retrieval, context.sources, quotes.quotes[0][1])
        )
    )
    if is_doubtful and are_asked_words_missing_beside_known_names(retrieval, context.sources):
        quotes = Quotes()
    if quotes.quotes:
        return quotes
    reason = (
        unknown_names_reason
        or explain_unmentioned_things(retrieval, context.sources)
        or quotes.reason
        or explain_missing_words(retrieval, context.sources)
        or NO_ANSWER_REASON
    )
    return replace(quotes, reason=reason)


def _may_texts_write_names_otherwise(question: str) -> bool:
    """Return whether texts may write the question's names in other forms or words: if it is not in Latin
    script, or if nouns are capitalised as names are.
    """
    return guess_script_of_question(question) != "Latin" or capitalises_nouns(question)


def explain_missing_words(retrieval: RetrievalResult, sources: Sequence[Source]) -> str | None:
    """Return a sentence with the words of the question that no source contains. If each word is in some
    source, return that the sources mention the names without the answer; None if the question has no known
    name.
    """
    question = retrieval.query.text
    known_names = _list_known_names(retrieval)
    texts = [text for source in sources for text in (source.document_title, source.text)]
    return explain_unsaid_words(question, texts, known_names) or (
        f"What was found speaks of {quote_and_join_names(known_names)}, but none of it says what was asked."
        if known_names
        else None
    )


def explain_unmentioned_things(retrieval: RetrievalResult, sources: Sequence[Source]) -> str | None:
    """Return a sentence with the things of the question that no source mentions; None if there are none."""
    unmentioned_names = [
        asked_name.surface for asked_name in AskedNames(retrieval, sources).unmentioned_names
    ]
    return write_unsaid_words(unmentioned_names, known_names=()) if unmentioned_names else None


def are_asked_words_missing_beside_known_names(retrieval: RetrievalResult, sources: Sequence[Source]) -> bool:
    """Return whether no sentence about a known name of the question contains a word of what is asked.

    Sentences about a thing that such a sentence mentions count too. Return False if the question names
    nothing known, or consists of names alone.
    """
    known_names, asked_stems = _list_known_names(retrieval), _list_asked_stems(retrieval.query.text)
    return bool(known_names and asked_stems) and not _is_any_stem_in_sentence_about_names(
        asked_stems, known_names, retrieval, sources
    )


def _list_asked_stems(question: str) -> frozenset[str]:
    """Return the stems of what is asked: the question's words without its names and numbers."""
    question_stems, name_stems = list_stems_of_texts([question, " ".join(_find_names_in_question(question))])
    return frozenset(
        stem for stem in question_stems - name_stems - GENERIC_QUESTION_STEMS if not stem.isdigit()
    )


def _does_another_sentence_say_what_is_asked(
    retrieval: RetrievalResult, sources: Sequence[Source], quote: str
) -> bool:
    """Return whether a sentence of a small space has every word of what is asked, and the quote has none.

    With so few sentences to compare, one about the name without these words may seem likely. Where another
    sentence says them all, of something else, it is not the answer.
    """
    if not do_sources_show_small_space(source.text for source in sources):
        return False
    asked_stems = _list_asked_stems(retrieval.query.text)
    sentences = [
        source.text[start:end] for source in sources for start, _, end in split_passage_cached(source.text)
    ]
    stems_of_quote, *stems_by_sentence = list_stems_of_texts([quote, *sentences])
    return asked_stems.isdisjoint(stems_of_quote) and any(asked_stems <= stems for stems in stems_by_sentence)


def is_yes_no_about_unknown_names(retrieval: RetrievalResult) -> bool:
    """Return whether the question asks for yes or no about names that no text contains: no model can know."""
    return is_yes_no_question(retrieval.query.text) and explain_unknown_names(retrieval) is not None


def explain_unknown_names(retrieval: RetrievalResult) -> str | None:
    """Return a sentence with the names that no text contains, if half of the question's names are unknown.

    In languages that capitalise nouns it must be more than half: the question may name a thing in other words
    than the texts. Return None if enough names are known.
    """
    question = retrieval.query.text
    asked_names = _find_names_in_question(question)
    deleted_names = _list_names_of_deleted_texts(retrieval)
    missing_names = {*retrieval.unknown_names, *deleted_names}
    unknown_names = [name for name in asked_names if name in missing_names]
    if unknown_names:
        # The index finds no longer and no inflected form of a word; the passages are searched for them here.
        passage_texts = [
            fold_to_spaced_lower_case(f"{passage.document_title} {passage.text}")
            for passage in retrieval.passages
        ]
        deleted_only_names = deleted_names - set(retrieval.unknown_names)
        unknown_names = [
            name
            for name in unknown_names
            if name in deleted_only_names or not does_one_text_have_all_words_of_name(name, passage_texts)
        ]
    known_count, min_known_count = (
        len(asked_names) - len(unknown_names),
        MIN_SHARE_OF_KNOWN_NAMES * len(asked_names),
    )
    if (
        not asked_names
        or known_count > min_known_count
        or (known_count == min_known_count and capitalises_nouns(question))
    ):
        return None
    quoted_names = quote_and_join_names(unknown_names)
    return f"Nothing in this space speaks of {quoted_names}, so the question is not answered."


def _find_names_in_question(question: str) -> list[str]:
    """Return the names in a question, as it writes them."""
    return [mention.surface for mention in find_capitalised_names_in_question(question)]


def _list_known_names(retrieval: RetrievalResult) -> list[str]:
    """Return the names in the question that the space knows."""
    return [
        name for name in _find_names_in_question(retrieval.query.text) if name not in retrieval.unknown_names
    ]


def _list_names_of_deleted_texts(retrieval: RetrievalResult) -> set[str]:
    """Return the names of nodes that have neither a mention nor a fact left: their texts were deleted."""
    fact_ends = {end for fact in retrieval.facts for end in (fact.edge.from_node_id, fact.edge.to_node_id)}
    names_in_texts = {
        anchor.matched
        for anchor in retrieval.anchors
        if anchor.node.mention_count > 0 or anchor.node.id in fact_ends
    }
    return {anchor.matched for anchor in retrieval.anchors} - names_in_texts


def _is_any_stem_in_sentence_about_names(
    asked_stems: frozenset[str],
    known_names: Sequence[str],
    retrieval: RetrievalResult,
    sources: Sequence[Source],
) -> bool:
    """Return whether a sentence about a known name contains an asked stem or a related one.

    Return True if the sources mention two of the known names: the question may compare them.
    """
    node_names = [
        anchor.node.canonical_name
        for anchor in retrieval.anchors
        if any(anchor.matched in name or name in anchor.matched for name in known_names)
    ]
    names = [*known_names, *node_names]
    titles = [" ".join((source.document_title, *source.heading_path)) for source in sources]
    titled_texts = [f"{title} {source.text}" for title, source in zip(titles, sources, strict=True)]
    stems_of_all = list_stems_of_texts([*names, *titles, *titled_texts])
    stems_by_name, source_stems = stems_of_all[: len(names)], stems_of_all[len(names) :]
    title_stems, text_stems = source_stems[: len(sources)], source_stems[len(sources) :]
    stems_by_known_name = stems_by_name[: len(known_names)]
    if (
        sum(
            any(_contains_stems_of_name(stems, name_stems) for stems in text_stems)
            for name_stems in stems_by_known_name
        )
        > 1
    ):
        return True
    has_name_in_title = [
        any(_contains_stems_of_name(stems, name_stems) for name_stems in stems_by_name)
        for stems in title_stems
    ]
    related_stems = asked_stems.union(map_related_stems_to_asked_stems(asked_stems))
    return any(
        related_stems & stems
        or any(are_forms_of_one_word(asked_stem, stem) for asked_stem in asked_stems for stem in stems)
        for stems in _list_stems_about_names(
            names, stems_by_name, sources, titles, has_name_in_title, retrieval.query.text
        )
    )


def _list_stems_about_names(
    names: Sequence[str],
    stems_by_name: Sequence[frozenset[str]],
    sources: Sequence[Source],
    titles: Sequence[str],
    has_name_in_title: Sequence[bool],
    question: str,
) -> list[frozenset[str]]:
    """Return the stems of each sentence that mentions a name or continues about it, and of each linked
    sentence.

    `has_name_in_title` tells for each source whether its title mentions a name. A linked sentence shares a
    capitalised word with such a sentence, in its text or its title: it is the second step of a question.
    Sentences about namesakes are not linked.
    """
    indexed_sentences = _list_sentences_of_sources(sources)
    sentences = [sentence for _, sentence in indexed_sentences]
    sentences_about_names: list[tuple[str, frozenset[str]]] = []
    other_sentences: list[tuple[str, frozenset[str]]] = []
    was_about_names, mentioned_names, last_source_index = False, False, -1
    is_english = guess_language(question) == "en"
    for (source_index, sentence), stems, is_namesake in zip(
        indexed_sentences,
        list_stems_of_texts(sentences),
        flag_texts_about_namesakes(sentences, names),
        strict=True,
    ):
        is_next = source_index == last_source_index
        continues_about_names = is_next and (
            was_about_names and sentence.split(maxsplit=1)[0].casefold() in _CONTINUING_WORDS
            if is_english
            # Which words continue is not known: the next sentence may.
            else mentioned_names
        )
        mentioned_names = has_name_in_title[source_index] or any(
            _contains_stems_of_name(stems, name_stems) for name_stems in stems_by_name
        )
        was_about_names = mentioned_names or continues_about_names
        last_source_index = source_index
        if was_about_names:
            sentences_about_names.append((sentence, stems))
        elif not is_namesake:
            other_sentences.append((f"{sentence} {titles[source_index]}", stems))
    linking_words = {
        word for sentence, _ in sentences_about_names for word in _list_capitalised_words(sentence)
    }
    linked_stems = [
        stems for text, stems in other_sentences if linking_words.intersection(_list_capitalised_words(text))
    ]
    return [*(stems for _, stems in sentences_about_names), *linked_stems]


class _SentenceOfSource(NamedTuple):
    """A sentence, and the index of its source."""

    source_index: int
    text: str


def _list_sentences_of_sources(sources: Sequence[Source]) -> list[_SentenceOfSource]:
    """Return the sentences of the sources; table rows include their header."""
    ranges = [split_passage_cached(source.text) for source in sources]
    return [
        _SentenceOfSource(
            index,
            append_table_header(sentence, source.text, source.heading_path) if "|" in sentence else sentence,
        )
        for index, source in enumerate(sources)
        for sentence in (source.text[start:end] for start, _, end in ranges[index])
    ]


def _list_capitalised_words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text) if len(word) >= _MIN_NAME_LENGTH and word[0].isupper()]


def _contains_stems_of_name(text_stems: frozenset[str], name_stems: frozenset[str]) -> bool:
    """Return whether stems of a text contain enough of the stems of a name."""
    return bool(name_stems) and len(name_stems & text_stems) >= MIN_MATCHED_SHARE_OF_NAME * len(name_stems)
