"""Statements of a chunk: the content of its clauses about one or two of its names, quoted as the whole
sentence.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from app.domain.node_types import PEOPLE
from app.extraction.attributes import MAX_VALUE
from app.extraction.rules.english.lexicon import KIND_OF
from app.extraction.rules.indices import WordIndex
from app.extraction.rules.introductions import Antecedent, Introductions
from app.extraction.rules.joined_names import find_names_joined_by_clauses, list_date_words
from app.extraction.rules.parsed_chunks import (
    END_MARKS,
    MARKS_AFTER_END,
    WORD,
    ParsedChunk,
    ParsedSentence,
    build_trees,
    find_text_position_of_word,
    find_topic_entity,
)
from app.extraction.rules.pronouns.antecedents import TITLE_CONFIDENCE
from app.extraction.rules.pronouns.centering import (
    Centre,
    IntroducedNouns,
    find_centre,
    replace_pronoun_by_centre,
)
from app.extraction.rules.pronouns.person_focus import PersonFocus
from app.extraction.rules.quotations import Quotation, SentenceTree, Speech, find_speeches
from app.extraction.rules.quoted_speech import (
    append_attribution_to_quotation,
    find_quotation_around,
    list_quoted_words,
    read_quoted_speech,
)
from app.extraction.rules.shortened import NOTE
from app.extraction.rules.single_name_statements import Phrase, read_phrases
from app.extraction.rules.statement_certainty import compute_certainty
from app.extraction.rules.syntax import RelationEnd, Tree
from app.extraction.rules.tokens import are_most_longer_words_capitalised
from app.extraction.rules.unpaired_brackets import find_range_of_unpaired_bracket
from app.extraction.rules.verbless_roles import (
    PREFIX_CONFIDENCE,
    ROLE_PREDICATE,
    read_titles,
    read_verbless_roles,
)
from app.extraction.shapes import ChunkStatements, FoundAttribute, FoundPhrase, FoundRelation

_LIST_ENTRY_MARK = re.compile(r"\s*(?:[-*+•‣▪–—]|\d{1,3}[.)])\s+")


def extract_statements(parsed_chunk: ParsedChunk) -> ChunkStatements:
    """Return the statements of the chunk's clauses about its entities; each quote is a whole sentence.

    Statements of both trees of a sentence are returned, and those of the tree without names alone if it is
    very sure. The confidence is `estimate_certainty` of the less sure tree, the time of a relation is the
    only date that depends on its verb.
    """
    chunk, quotations = parsed_chunk.chunk, parsed_chunk.quotations
    relations, parsed_sentences = read_statements_and_resolve_pronouns(parsed_chunk)
    speech_by_quotation = find_speeches(map(_build_sentence_tree, parsed_sentences), quotations, chunk.text)
    introductions = Introductions(frozenset(WORD.findall(chunk.document_title.lower())))
    phrases: list[FoundPhrase] = []
    roles: list[FoundPhrase] = []
    for parsed_sentence in parsed_sentences:
        phrases += _read_phrases_of_nodes(parsed_sentence, quotations, speech_by_quotation, introductions)
        roles += _read_titles_of_people(parsed_sentence)
        phrases += read_quoted_speech(
            parsed_sentence, {**parsed_chunk.speech_by_interview_line, **speech_by_quotation}
        )
        introductions.record_nouns(parsed_sentence.unnamed_tree, parsed_sentence.sentence.quote.start)
    roles += read_verbless_roles(
        chunk, parsed_chunk.entities, find_topic_entity(chunk, parsed_chunk.entities)
    )
    first_role_by_key = {
        (role.entity, role.statement.name, role.statement.value): role for role in reversed(roles)
    }
    phrases += reversed(first_role_by_key.values())
    return ChunkStatements(relations, tuple(phrases))


class StatementsOfNames(NamedTuple):
    """Statements about two names each, and the sentences with their pronouns resolved to names."""

    relations: tuple[FoundRelation, ...]
    resolved_sentences: list[ParsedSentence]


_StatementKey = tuple[int, int, str]
"""The source, the target and the predicate of a statement."""


def read_statements_and_resolve_pronouns(parsed_chunk: ParsedChunk) -> StatementsOfNames:
    """Return the statements of a chunk about two names, and its sentences with resolved pronouns."""
    chunk, entities, quotations = parsed_chunk.chunk, parsed_chunk.entities, parsed_chunk.quotations
    relations: dict[_StatementKey, FoundRelation] = {}
    parsed_sentences: list[ParsedSentence] = []
    centre: Centre | None = None
    sentences_with_trees = [
        build_trees(*sentence_and_parses, chunk.text)
        for sentence_and_parses in zip(
            parsed_chunk.sentences, parsed_chunk.written_parses, parsed_chunk.unnamed_parses, strict=True
        )
    ]
    introduced_nouns = IntroducedNouns(
        chunk.document_title,
        entities,
        (parsed_sentence.unnamed_tree for parsed_sentence in sentences_with_trees),
    )
    person_focus = PersonFocus(entities)
    for sentence_with_trees in sentences_with_trees:
        sentence = sentence_with_trees.sentence
        parsed_sentence = sentence_with_trees._replace(
            written_tree=introduced_nouns.replace_descriptions(sentence_with_trees.written_tree),
            unnamed_tree=introduced_nouns.replace_descriptions(sentence_with_trees.unnamed_tree),
        )
        _add_surest_statements(relations, _read_statements_of_names(parsed_sentence, quotations))
        if centre is not None and sentence.continues_paragraph:
            parsed_sentence = parsed_sentence._replace(
                written_tree=replace_pronoun_by_centre(
                    parsed_sentence.written_tree, centre, person_focus.may_mean
                ),
                unnamed_tree=replace_pronoun_by_centre(
                    parsed_sentence.unnamed_tree, centre, person_focus.may_mean
                ),
            )
        parsed_sentence = parsed_sentence._replace(
            written_tree=introduced_nouns.replace_described_subject(parsed_sentence.written_tree),
            unnamed_tree=introduced_nouns.replace_described_subject(parsed_sentence.unnamed_tree),
        )
        if not sentence.follows_read_sentence:
            person_focus.clear()
        quoted_words = list_quoted_words(parsed_sentence, quotations)
        parsed_sentence = parsed_sentence._replace(
            written_tree=person_focus.replace_pronouns_of_focus(parsed_sentence.written_tree, quoted_words),
            unnamed_tree=person_focus.replace_pronouns_of_focus(parsed_sentence.unnamed_tree, quoted_words),
        )
        # "It was designed by Ada Lind": the pronoun joins two names, too.
        if parsed_sentence.unnamed_tree.units != sentence_with_trees.unnamed_tree.units:
            _add_surest_statements(relations, _read_statements_of_names(parsed_sentence, quotations))
        introduced_nouns.update(parsed_sentence.unnamed_tree)
        person_focus.record_people(parsed_sentence.unnamed_tree)
        centre = find_centre(parsed_sentence.unnamed_tree)
        parsed_sentences.append(parsed_sentence)
    return StatementsOfNames(tuple(relations.values()), parsed_sentences)


def _add_surest_statements(
    statement_by_key: dict[_StatementKey, FoundRelation], statements: Iterable[FoundRelation]
) -> None:
    """Add the statements to those by ends and predicate; of two with the same key the surer one is kept."""
    for statement in statements:
        key = (statement.from_entity, statement.to_entity, statement.relation_type)
        earlier_statement = statement_by_key.get(key)
        if earlier_statement is None or earlier_statement.confidence < statement.confidence:
            statement_by_key[key] = statement


def _build_sentence_tree(parsed_sentence: ParsedSentence) -> SentenceTree:
    return SentenceTree(
        parsed_sentence.unnamed_tree,
        parsed_sentence.sentence.short_sentence.starts,
        parsed_sentence.sentence.quote.end,
    )


class _StatingWord(NamedTuple):
    word: WordIndex
    confidence: float


def _read_predicates(tree: Tree) -> dict[_StatementKey, _StatingWord]:
    """Return the stating word and the confidence by source, target and predicate."""
    return {
        (source.entity, target.entity, verb): _StatingWord(word, target.confidence)
        for source, target, word, verb in find_names_joined_by_clauses(tree)
        if source.entity != target.entity
    }


def _read_statements_of_names(
    parsed_sentence: ParsedSentence, quotations: Sequence[Quotation]
) -> Iterator[FoundRelation]:
    """Yield the statements of a sentence about two of its names."""
    if (
        len(parsed_sentence.unnamed_tree.units) < 2
        or parsed_sentence.sentence.is_doubted
        or not (_has_end_mark(parsed_sentence) or _is_list_entry(parsed_sentence))
    ):
        return
    short_sentence = parsed_sentence.sentence.short_sentence
    predicates = _read_predicates(parsed_sentence.unnamed_tree)
    predicates_with_names = _read_predicates(parsed_sentence.written_tree) if predicates else {}
    for key, (word, confidence_without_names) in predicates.items():
        confidence = compute_certainty(
            confidence_without_names,
            predicates_with_names[key].confidence if key in predicates_with_names else None,
        )
        if confidence is None or find_quotation_around(parsed_sentence, word, quotations) is not None:
            continue
        if _is_any_in_open_range(
            parsed_sentence,
            [
                index
                for index, unit in short_sentence.units.items()
                if not set(key[:2]).isdisjoint(unit.entities)
            ],
        ):
            continue
        date_offsets = [
            short_sentence.starts[date_word]
            for date_word in list_date_words(parsed_sentence.unnamed_tree, word)
        ]
        date_spans = [
            span
            for date_start, date_end, span in parsed_sentence.sentence.dated_ranges
            if any(date_start <= offset < date_end for offset in date_offsets)
        ]
        span = date_spans[0] if len(date_spans) == 1 else None
        yield FoundRelation(
            *key,
            confidence,
            parsed_sentence.sentence.quote.text,
            valid_from=None if span is None else span.start_date,
            valid_to=None if span is None else span.end_date,
            is_statement=True,
        )


def _read_phrases_of_nodes(
    parsed_sentence: ParsedSentence,
    quotations: Sequence[Quotation],
    speech_by_quotation: Mapping[Quotation, Speech],
    introductions: Introductions,
) -> Iterator[FoundPhrase]:
    """Yield the statements of a sentence about the nodes that it names, in its own words.

    A statement between quotation marks needs a speaker: named after it in the sentence, or given by
    `speech_by_quotation`.
    """
    if _are_most_words_capitalised(parsed_sentence):
        return
    topic_entity = parsed_sentence.sentence.topic_entity
    topic = None if topic_entity is None else RelationEnd(topic_entity, TITLE_CONFIDENCE, -1, -1)
    mentioned_words = frozenset() if topic is None else _list_words_mentioned_before(parsed_sentence)
    text_before = parsed_sentence.chunk_text[: parsed_sentence.sentence.quote.start]

    def find_antecedent(noun: int) -> Antecedent | None:
        return introductions.find_antecedent(parsed_sentence.unnamed_tree, noun, text_before)

    def may_mean_topic(noun: int) -> bool:
        tree = parsed_sentence.unnamed_tree
        kind = KIND_OF.get(tree.parse.lemmas[noun].lower())
        is_in_title = tree.words[noun].lower() in parsed_sentence.sentence.title_words
        # "The founders" of a program are not taken for it.
        return is_in_title or kind is None or kind in PEOPLE | parsed_sentence.sentence.topic_kinds

    phrases = list(
        read_phrases(parsed_sentence.unnamed_tree, topic, mentioned_words, find_antecedent, may_mean_topic)
    )
    phrases_with_names = (
        read_phrases(parsed_sentence.written_tree, topic, mentioned_words, find_antecedent, may_mean_topic)
        if phrases
        else ()
    )
    confidence_with_names = {
        _build_phrase_key(phrase): phrase.node.confidence for phrase in phrases_with_names
    }
    for phrase in phrases:
        confidence = compute_certainty(
            phrase.node.confidence, confidence_with_names.get(_build_phrase_key(phrase))
        )
        is_asserted = not parsed_sentence.sentence.is_doubted or parsed_sentence.unnamed_tree.is_root(
            phrase.word
        )
        if confidence is None or not is_asserted or not _is_complete_sentence(parsed_sentence, phrase):
            continue
        text = _read_text_between(parsed_sentence, phrase.complement_start, phrase.complement_end)
        quote = parsed_sentence.sentence.quote
        quotation = find_quotation_around(parsed_sentence, phrase.word, quotations)
        if quotation is not None:
            speech = speech_by_quotation.get(quotation)
            # A quoted statement about no name is attributed to its speaker alone.
            if speech is not None and speech.entity is not None and phrase.node.entity == topic_entity:
                continue
            text, quote = append_attribution_to_quotation(parsed_sentence, phrase, quotation, speech, text)
        if 0 < len(text) <= MAX_VALUE:
            subject = ""
            if phrase.subject:
                subject = _read_text_between(parsed_sentence, phrase.subject[0], phrase.subject[-1] + 1)
            predicate = _read_text_between(parsed_sentence, phrase.predicate[0], phrase.predicate[-1] + 1)
            statement = FoundAttribute(predicate, text, quote, confidence=confidence, subject=subject)
            yield FoundPhrase(
                phrase.node.entity, statement, _list_entities_of_bare_names(parsed_sentence, phrase)
            )


def _read_titles_of_people(parsed_sentence: ParsedSentence) -> Iterator[FoundPhrase]:
    """Yield the titles in front of the people whom a sentence names."""
    sentence = parsed_sentence.sentence
    for title in read_titles(
        parsed_sentence.unnamed_tree, sentence.short_sentence.starts, parsed_sentence.chunk_text
    ):
        statement = FoundAttribute(
            ROLE_PREDICATE, title.text[:MAX_VALUE], sentence.quote, confidence=PREFIX_CONFIDENCE
        )
        yield FoundPhrase(title.entity, statement, None)


def _is_any_in_open_range(parsed_sentence: ParsedSentence, words: Iterable[int]) -> bool:
    """Return whether one of these words is on the open side of an unpaired bracket or quotation mark."""
    quote = parsed_sentence.sentence.quote
    open_range = find_range_of_unpaired_bracket(parsed_sentence.chunk_text, quote.start, quote.end)
    return any(parsed_sentence.sentence.short_sentence.starts[word] in open_range for word in words)


def _list_words_mentioned_before(parsed_sentence: ParsedSentence) -> frozenset[str]:
    """Return the words of the chunk before a sentence that are not in its document's title."""
    text_before = parsed_sentence.chunk_text[: parsed_sentence.sentence.quote.start]
    return frozenset(WORD.findall(text_before.lower())) - parsed_sentence.sentence.title_words


def _are_most_words_capitalised(parsed_sentence: ParsedSentence) -> bool:
    """Return whether most words other than names are capitalised: in a headline any word may be."""
    units, words = parsed_sentence.sentence.short_sentence.units, parsed_sentence.unnamed_tree.words
    return are_most_longer_words_capitalised(
        word for index, word in enumerate(words) if index and index not in units
    )


def _build_phrase_key(phrase: Phrase) -> tuple[int, ...]:
    return phrase.node.entity, phrase.word, phrase.complement_start, phrase.complement_end, *phrase.subject


def _read_text_between(parsed_sentence: ParsedSentence, first_index: int, end_index: int) -> str:
    """Return the chunk's text from one word to before another, in one line, without its final mark.

    A name counts as one word from its first word to the beginning of the next word.
    """
    text_start, text_end = (
        parsed_sentence.sentence.short_sentence.starts[first_index],
        find_text_position_of_word(parsed_sentence, end_index),
    )
    text = NOTE.sub("", parsed_sentence.chunk_text[text_start:text_end])
    return " ".join(text.split()).rstrip(",;: ").removesuffix(".").rstrip()


def _has_end_mark(parsed_sentence: ParsedSentence) -> bool:
    """Return whether a mark ends the sentence; captions, headings and teasers have none."""
    return parsed_sentence.sentence.quote.text.rstrip(MARKS_AFTER_END)[-1:] in END_MARKS


def _is_list_entry(parsed_sentence: ParsedSentence) -> bool:
    """Return whether the sentence is a whole list entry, from its mark to the end of the line."""
    quote, text = parsed_sentence.sentence.quote, parsed_sentence.chunk_text
    line_start = text.rfind("\n", 0, quote.start) + 1
    follows_entry_mark = _LIST_ENTRY_MARK.fullmatch(text, line_start, quote.start) is not None
    return follows_entry_mark and "\n" in text[quote.end : quote.end + 2]


def _is_complete_sentence(parsed_sentence: ParsedSentence, phrase: Phrase) -> bool:
    """Return whether the sentence is complete: a mark ends it, or it is a list entry with a finite verb.

    "Questions considered in May" is not a sentence. No part of the phrase may be left open by a bracket.
    """
    if _is_any_in_open_range(
        parsed_sentence, (phrase.complement_start, phrase.complement_end - 1, *phrase.subject[:1])
    ):
        return False
    if _has_end_mark(parsed_sentence):
        return True
    tree = parsed_sentence.unnamed_tree
    is_finite = any(
        tree.parse.upos[index] == "AUX" or tree.words[index].lower() == f"{tree.parse.lemmas[index]}s"
        for index in phrase.predicate
    )
    return is_finite and _is_list_entry(parsed_sentence)


def _list_entities_of_bare_names(parsed_sentence: ParsedSentence, phrase: Phrase) -> frozenset[int] | None:
    """Return the entities of a phrase that consists of names only; None if it contains other words."""
    tree, units = parsed_sentence.unnamed_tree, parsed_sentence.sentence.short_sentence.units
    words = range(phrase.complement_start, phrase.complement_end)
    if any(
        index not in units and tree.parse.upos[index] not in ("ADP", "DET", "PUNCT", "CCONJ")
        for index in words
    ):
        return None
    return frozenset(entity for index in words if index in units for entity in units[index].entities)
