"""Statements of a chunk: the content of its clauses about one or two of its names, quoted as the whole
sentence.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from app.documents.language import detect_language
from app.domain.node_types import PEOPLE
from app.extraction.attributes import MAX_VALUE
from app.extraction.rules.claims.suppositions import find_retraction
from app.extraction.rules.claims.time_spans import Span, find_time_spans
from app.extraction.rules.english.lexicon import KIND_OF
from app.extraction.rules.introductions import Antecedent, Introductions
from app.extraction.rules.pronouns.antecedents import TITLE_CONFIDENCE
from app.extraction.rules.pronouns.centering import (
    CENTRE_PRONOUNS,
    Centre,
    IntroducedNouns,
    find_centre,
    replace_pronoun_by_centre,
)
from app.extraction.rules.pronouns.person_focus import PERSONAL_PRONOUNS, PersonFocus
from app.extraction.rules.pronouns.references import find_title_entity, read_sentences_with_units
from app.extraction.rules.quotations import (
    QUOTATION_MARKS,
    Quotation,
    SentenceTree,
    Speech,
    find_quotations,
    find_speeches,
    has_pronoun_for_outside,
    read_interview_lines,
)
from app.extraction.rules.relations import is_sentence_doubtful, is_supposed
from app.extraction.rules.sentences import Sentence
from app.extraction.rules.shortened import NOTE, ShortenedSentence, build_tree, shorten_names
from app.extraction.rules.single_name_statements import Phrase, read_phrases
from app.extraction.rules.syntax import RelationEnd, Tree, list_date_words, read_joined_names
from app.extraction.rules.unpaired_brackets import find_range_of_unpaired_bracket
from app.extraction.rules.verbless_roles import (
    PREFIX_CONFIDENCE,
    ROLE_PREDICATE,
    read_titles,
    read_verbless_roles,
)
from app.extraction.shapes import (
    ChunkStatements,
    ChunkText,
    FoundAttribute,
    FoundEntity,
    FoundPhrase,
    FoundRelation,
    Surface,
)
from app.graph.names import normalise_name

if TYPE_CHECKING:
    from app.extraction.reader.pipeline import Parse, Pipeline

MIN_PARSE_CONFIDENCE = 0.3
"""Minimum joint confidence of the parser in all arcs of a statement (p below)."""
_CERTAINTY_INTERCEPT, _CERTAINTY_SLOPE = 0.5, 0.4
"""A statement is right with probability 0.5 + 0.4 p: a line fitted to judged samples (records 93 and 95)."""
NAME_PLACEHOLDER = "Menon"
"""A name unknown to the parser, whose training may mislead it: "Acme audited Ostland Bank" may be an audited
bank to it.
"""
MIN_CONFIDENCE_WITHOUT_NAMES = 0.85
"""Minimum confidence of the tree without names if the tree with names disagrees."""
ENGLISH = "en"
"""The language of the syntax; sentences in other languages give no statements."""
_MIN_LONG_WORD_LENGTH = 4
MAX_SENTENCE_LENGTH = 60
"""Maximum number of words of a sentence, each name counted as one; longer ones have too many wrong arcs."""

_WORD = re.compile(r"[^\W\d_]+")
_FULL_STOPS = frozenset(".!…")
_MAX_LINE_BREAKS = 2
"""Number of line breaks between adjacent paragraphs."""
MIN_QUOTED_WORDS = 5
"""Minimum number of words of a quotation with content."""
MAX_QUOTE_LENGTH = 1_500
"""Maximum number of characters of a quote that contains speech and its attribution."""
_CLOSING_QUOTATION_MARK = re.compile(r'["”»](?=[\s,]|$)')
"""A mark that closes a quotation."""
_END_MARKS, _MARKS_AFTER_END = frozenset(".!:;…"), "\"”’')]»*_ "
"""Final marks of a sentence that states something, and marks that may follow them."""
_HEADING_MARK = re.compile(r"(?:^|\s)#{2,6}\s")
"""The mark of a heading within a line; the end of such a heading is unknown."""
_LIST_ENTRY_MARK = re.compile(r"\s*(?:[-*+•‣▪–—]|\d{1,3}[.)])\s+")


class _ReadableSentence(NamedTuple):
    """A sentence that may state something: its words, its quote, and the topic of its document."""

    short_sentence: ShortenedSentence
    quote: Surface
    dated_ranges: list[tuple[int, int, Span]]
    """Ranges of the dates in the chunk's text."""
    topic_entity: int | None
    topic_kinds: frozenset[str]
    """The kind of the topic if it is the only thing of this kind in the chunk; empty if it is unknown."""
    title_words: frozenset[str]
    """The words of the document's title."""
    continues_paragraph: bool
    """True if the previous sentence of the same paragraph was read too."""
    follows_read_sentence: bool
    """True if the previous sentence was read too, in the same paragraph or the one before."""
    is_doubted: bool
    """True if its main clause reports a belief or claim; subordinate clauses may not."""


class ParsedSentence(NamedTuple):
    """A sentence with its two trees: as written, and with a stand-in for each name."""

    sentence: _ReadableSentence
    written_tree: Tree
    unnamed_tree: Tree
    chunk_text: str


class ParsedChunk(NamedTuple):
    """A chunk with the sentences that may state something, and the syntax of each as written and without
    names.
    """

    chunk: ChunkText
    entities: Sequence[FoundEntity]
    quotations: Sequence[Quotation]
    speech_by_interview_line: Mapping[Quotation, Speech]
    sentences: Sequence[_ReadableSentence]
    written_parses: Sequence["Parse"]
    unnamed_parses: Sequence["Parse"]


def parse_chunk(chunk: ChunkText, entities: Sequence[FoundEntity], pipeline: "Pipeline") -> ParsedChunk:
    """Return the sentences of a chunk with their syntax; all are parsed as one batch.

    Each is parsed twice, with its names and with `NAME_PLACEHOLDER` in their place.
    """
    quotations = find_quotations(chunk.text)
    speech_by_interview_line = read_interview_lines(chunk.text, entities)
    sentences = list(
        _list_readable_sentences(chunk, entities, quotations, speech_by_interview_line, pipeline)
    )
    words_by_sentence = [readable_sentence.short_sentence.words for readable_sentence in sentences]
    unnamed_words_by_sentence = [
        _replace_names_by_stand_in(readable_sentence.short_sentence) for readable_sentence in sentences
    ]
    parses = list(pipeline.parse([*words_by_sentence, *unnamed_words_by_sentence]))
    return ParsedChunk(
        chunk,
        entities,
        quotations,
        speech_by_interview_line,
        sentences,
        parses[: len(words_by_sentence)],
        parses[len(words_by_sentence) :],
    )


def extract_statements(parsed_chunk: ParsedChunk) -> ChunkStatements:
    """Return the statements of the chunk's clauses about its entities; each quote is a whole sentence.

    Statements of both trees of a sentence are returned, and those of the tree without names alone if it is
    very sure. The confidence is `estimate_certainty` of the less sure tree, the time of a relation is the
    only date that depends on its verb.
    """
    chunk, quotations = parsed_chunk.chunk, parsed_chunk.quotations
    relations, parsed_sentences = read_chunk_statements(parsed_chunk)
    speech_by_quotation = find_speeches(map(_build_sentence_tree, parsed_sentences), quotations, chunk.text)
    introductions = Introductions(frozenset(_WORD.findall(chunk.document_title.lower())))
    phrases: list[FoundPhrase] = []
    roles: list[FoundPhrase] = []
    for parsed_sentence in parsed_sentences:
        phrases += _read_phrases_of_nodes(parsed_sentence, quotations, speech_by_quotation, introductions)
        roles += _read_titles_of_people(parsed_sentence)
        phrases += _read_quoted_speech(
            parsed_sentence, {**parsed_chunk.speech_by_interview_line, **speech_by_quotation}
        )
        introductions.record_nouns(parsed_sentence.unnamed_tree, parsed_sentence.sentence.quote.start)
    roles += read_verbless_roles(
        chunk, parsed_chunk.entities, _find_topic_entity(chunk, parsed_chunk.entities)
    )
    first_role_by_key = {
        (role.entity, role.statement.name, role.statement.value): role for role in reversed(roles)
    }
    phrases += reversed(first_role_by_key.values())
    return ChunkStatements(relations, tuple(phrases))


def read_chunk_statements(
    parsed_chunk: ParsedChunk,
) -> tuple[tuple[FoundRelation, ...], list[ParsedSentence]]:
    """Return statements about two names, and the sentences with their trees, in which pronouns are resolved
    to names.
    """
    chunk, entities, quotations = parsed_chunk.chunk, parsed_chunk.entities, parsed_chunk.quotations
    relations: dict[tuple[int, int, str], FoundRelation] = {}
    parsed_sentences: list[ParsedSentence] = []
    centre: Centre | None = None
    sentences_with_trees = [
        _build_trees(*sentence_and_parses, chunk.text)
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
        quoted_words = _list_quoted_words(parsed_sentence, quotations)
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
    return tuple(relations.values()), parsed_sentences


def _add_surest_statements(
    statement_by_key: dict[tuple[int, int, str], FoundRelation], statements: Iterable[FoundRelation]
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


def _read_quoted_speech(
    parsed_sentence: ParsedSentence, speech_by_quotation: Mapping[Quotation, Speech]
) -> Iterator[FoundPhrase]:
    """Yield the quotations of a sentence as statements about their named speaker."""
    tree, starts, quote = (
        parsed_sentence.unnamed_tree,
        parsed_sentence.sentence.short_sentence.starts,
        parsed_sentence.sentence.quote,
    )
    quoted_speech = next(
        (
            (quotation, speech)
            for quotation, speech in speech_by_quotation.items()
            if _has_words_of_quotation(quotation, starts, quote)
        ),
        None,
    )
    if quoted_speech is None:
        return
    quotation, speech = quoted_speech
    quoted_words = [
        index
        for index, start in enumerate(starts)
        if quotation.start < start < quotation.end - 1 and tree.words[index] not in QUOTATION_MARKS
    ]
    has_verb = any(tree.parse.upos[index] in ("VERB", "AUX") for index in quoted_words)
    if (
        speech.entity is None
        or len(quoted_words) < MIN_QUOTED_WORDS
        or not has_verb
        or has_pronoun_for_outside(tree, quoted_words)
    ):
        return
    end = min(quotation.end - 1, quote.end)
    text = (
        " ".join(parsed_sentence.chunk_text[starts[quoted_words[0]] : end].split())
        .strip('"“”«» ')
        .rstrip(",;: ")
    )
    quote_start, quote_end = min(quote.start, speech.start), max(quote.end, speech.end)
    if text.endswith("?") or not 0 < len(text) <= MAX_VALUE - 2 or quote_end - quote_start > MAX_QUOTE_LENGTH:
        return
    certainty = _compute_certainty(speech.confidence, speech.confidence)
    if certainty is not None:
        surface = Surface(parsed_sentence.chunk_text[quote_start:quote_end], quote_start, quote_end)
        statement = FoundAttribute(speech.verb or "said", f"“{text}”", surface, confidence=certainty)
        yield FoundPhrase(speech.entity, statement, None)


def _has_words_of_quotation(quotation: Quotation, starts: Sequence[int], quote: Surface) -> bool:
    """Return whether a quotation contains words of the sentence."""
    return (
        any(quotation.start < start < quotation.end - 1 for start in starts) and quotation.start < quote.end
    )


def _build_trees(
    sentence: _ReadableSentence, written_parse: "Parse", unnamed_parse: "Parse", chunk_text: str
) -> ParsedSentence:
    short_sentence = sentence.short_sentence
    # The part of speech of a name is taken from the tree with its own word.
    upos = [
        (written_parse if index in short_sentence.units else unnamed_parse).upos[index]
        for index in range(len(short_sentence.words))
    ]
    return ParsedSentence(
        sentence,
        build_tree(short_sentence, written_parse),
        build_tree(short_sentence, replace(unnamed_parse, upos=upos)),
        chunk_text,
    )


class _StatingWord(NamedTuple):
    word: int
    confidence: float


def _read_predicates(tree: Tree) -> dict[tuple[int, int, str], _StatingWord]:
    """Return the stating word and the confidence by source, target and predicate."""
    return {
        (source.entity, target.entity, verb): _StatingWord(word, target.confidence)
        for source, target, word, verb in read_joined_names(tree)
        if source.entity != target.entity
    }


def _replace_names_by_stand_in(shortened_sentence: ShortenedSentence) -> list[str]:
    """Return the words with `NAME_PLACEHOLDER` for each name; a pronoun that refers to one is kept."""
    return [
        NAME_PLACEHOLDER
        if index in shortened_sentence.units and not shortened_sentence.units[index].is_reference
        else word
        for index, word in enumerate(shortened_sentence.words)
    ]


def _compute_certainty(confidence: float, confidence_with_names: float | None) -> float | None:
    """Return the confidence in a statement of the tree without names; None if the trees are not sure enough.

    `confidence_with_names` is that of the tree with names, None if it disagrees.
    """
    if confidence_with_names is not None:
        confidence = min(confidence, confidence_with_names)
    if confidence < (MIN_CONFIDENCE_WITHOUT_NAMES if confidence_with_names is None else MIN_PARSE_CONFIDENCE):
        return None
    return estimate_certainty(confidence)


def estimate_certainty(parse_confidence: float) -> float:
    """Return the probability that a statement is right if the parser is this sure of its arcs."""
    return round(_CERTAINTY_INTERCEPT + _CERTAINTY_SLOPE * parse_confidence, 2)


def _find_quotation_around(
    parsed_sentence: ParsedSentence, word: int, quotations: Sequence[Quotation]
) -> Quotation | None:
    """Return the quotation that contains a word, or None; its words are somebody else's."""
    offset = parsed_sentence.sentence.short_sentence.starts[word]
    return next((quotation for quotation in quotations if quotation.start < offset < quotation.end), None)


def _list_quoted_words(parsed_sentence: ParsedSentence, quotations: Sequence[Quotation]) -> frozenset[int]:
    """Return the words of a sentence between quotation marks."""
    return frozenset(
        index
        for index, start in enumerate(parsed_sentence.sentence.short_sentence.starts)
        if any(quotation.start < start < quotation.end for quotation in quotations)
    )


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
        confidence = _compute_certainty(
            confidence_without_names,
            predicates_with_names[key].confidence if key in predicates_with_names else None,
        )
        if confidence is None or _find_quotation_around(parsed_sentence, word, quotations) is not None:
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
    if _is_headline(parsed_sentence):
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
        confidence = _compute_certainty(
            phrase.node.confidence, confidence_with_names.get(_build_phrase_key(phrase))
        )
        is_asserted = not parsed_sentence.sentence.is_doubted or parsed_sentence.unnamed_tree.is_root(
            phrase.word
        )
        if confidence is None or not is_asserted or not _is_complete_sentence(parsed_sentence, phrase):
            continue
        text = _read_text_between(parsed_sentence, phrase.complement_start, phrase.complement_end)
        quote = parsed_sentence.sentence.quote
        quotation = _find_quotation_around(parsed_sentence, phrase.word, quotations)
        if quotation is not None:
            speech = speech_by_quotation.get(quotation)
            # A quoted statement about no name is attributed to its speaker alone.
            if speech is not None and speech.entity is not None and phrase.node.entity == topic_entity:
                continue
            text, quote = _add_speaker(parsed_sentence, phrase, quotation, speech, text)
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


def _add_speaker(
    parsed_sentence: ParsedSentence, phrase: Phrase, quotation: Quotation, speech: Speech | None, text: str
) -> tuple[str, Surface]:
    """Return the words of a quotation followed by its attribution, and the quote of both; "" without a
    speaker.
    """
    quote = parsed_sentence.sentence.quote
    words_after = parsed_sentence.chunk_text[
        quotation.end - 1 : _find_text_position_of_word(parsed_sentence, phrase.complement_end)
    ].strip(_MARKS_AFTER_END + ",")
    # A closing mark without an opening one.
    text = _CLOSING_QUOTATION_MARK.sub("", text, count=1)
    if any(map(str.isalpha, words_after)):
        return text, quote
    if speech is None or has_pronoun_for_outside(
        parsed_sentence.unnamed_tree, range(len(parsed_sentence.unnamed_tree.words))
    ):
        return "", quote
    quote_start, quote_end = min(quote.start, speech.start), max(quote.end, speech.end)
    if quote_end - quote_start > MAX_QUOTE_LENGTH:
        return "", quote
    text = f"{text.rstrip(_MARKS_AFTER_END + ',')}, {parsed_sentence.chunk_text[speech.start : speech.end]}"
    return text, Surface(parsed_sentence.chunk_text[quote_start:quote_end], quote_start, quote_end)


def _list_words_mentioned_before(parsed_sentence: ParsedSentence) -> frozenset[str]:
    """Return the words of the chunk before a sentence that are not in its document's title."""
    text_before = parsed_sentence.chunk_text[: parsed_sentence.sentence.quote.start]
    return frozenset(_WORD.findall(text_before.lower())) - parsed_sentence.sentence.title_words


def _is_headline(parsed_sentence: ParsedSentence) -> bool:
    """Return whether most words other than names are capitalised: in a headline any word may be."""
    units, words = parsed_sentence.sentence.short_sentence.units, parsed_sentence.unnamed_tree.words
    longer_words = [
        word
        for index, word in enumerate(words)
        if index and index not in units and len(word) >= _MIN_LONG_WORD_LENGTH
    ]
    return 2 * sum(word[:1].isupper() for word in longer_words) > len(longer_words)


def _build_phrase_key(phrase: Phrase) -> tuple[int, ...]:
    return phrase.node.entity, phrase.word, phrase.complement_start, phrase.complement_end, *phrase.subject


def _read_text_between(parsed_sentence: ParsedSentence, first_index: int, end_index: int) -> str:
    """Return the chunk's text from one word to before another, in one line, without its final mark.

    A name counts as one word from its first word to the beginning of the next word.
    """
    text_start, text_end = (
        parsed_sentence.sentence.short_sentence.starts[first_index],
        _find_text_position_of_word(parsed_sentence, end_index),
    )
    text = NOTE.sub("", parsed_sentence.chunk_text[text_start:text_end])
    return " ".join(text.split()).rstrip(",;: ").removesuffix(".").rstrip()


def _find_text_position_of_word(parsed_sentence: ParsedSentence, end_index: int) -> int:
    """Return the position in the chunk's text where the word at `end_index` begins, or where the sentence
    ends.
    """
    starts = parsed_sentence.sentence.short_sentence.starts
    return starts[end_index] if end_index < len(starts) else parsed_sentence.sentence.quote.end


def _has_end_mark(parsed_sentence: ParsedSentence) -> bool:
    """Return whether a mark ends the sentence; captions, headings and teasers have none."""
    return parsed_sentence.sentence.quote.text.rstrip(_MARKS_AFTER_END)[-1:] in _END_MARKS


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


def _list_topic_kinds(entities: Sequence[FoundEntity], topic_entity: int | None) -> frozenset[str]:
    """Return the kind of the topic if it is certain and the chunk has no other thing of it; else none."""
    if topic_entity is None or not entities[topic_entity].is_type_certain:
        return frozenset()
    kinds = [entity.node_type for entity in entities]
    return frozenset(kind for kind in kinds if kind == kinds[topic_entity] and kinds.count(kind) == 1)


def _list_readable_sentences(
    chunk: ChunkText,
    entities: Sequence[FoundEntity],
    quotations: Sequence[Quotation],
    interview_lines: Iterable[Quotation],
    pipeline: "Pipeline",
) -> Iterator[_ReadableSentence]:
    """Yield the sentences of a chunk about its names or topic that are not retracted, doubted or too long.

    A sentence with a pronoun may be about a name of the previous sentence; one of a quotation or of an
    interview line may be about the speaker.
    """
    spoken_quotations = [*quotations, *interview_lines]
    topic_entity = _find_topic_entity(chunk, entities)
    topic_kinds = _list_topic_kinds(entities, topic_entity)
    title_words = frozenset(_WORD.findall(chunk.document_title.lower()))
    has_personal_pronoun = not PERSONAL_PRONOUNS.isdisjoint(_WORD.findall(chunk.text.lower()))
    read_until = -1
    for sentence, units, _, quote in read_sentences_with_units(chunk, entities):
        text_between = chunk.text[read_until : sentence.start]
        follows_read_sentence = (
            read_until >= 0 and not text_between.strip() and text_between.count("\n") <= _MAX_LINE_BREAKS
        )
        is_continuation = read_until >= 0 and _continues_paragraph(chunk.text, read_until, sentence)
        read_until = -1
        if (
            not sentence.is_outside_prose
            # Without names, the sentence may be about somebody other than the pronoun's person.
            and (
                units
                or topic_entity is not None
                or (follows_read_sentence and has_personal_pronoun)
                or _may_refer_back(sentence, spoken_quotations, is_continuation=is_continuation)
            )
            and _HEADING_MARK.search(quote.text) is None
            and find_retraction(sentence.lower) is None
            and not is_supposed(sentence, units[0].first if units else 0)
            and detect_language(quote.text, ENGLISH) == ENGLISH
        ):
            short_sentence = shorten_names(chunk.text, sentence, units, quotations, pipeline, quote.start)
            if len(short_sentence.words) <= MAX_SENTENCE_LENGTH:
                dated_ranges = [
                    (sentence.starts[span.first], sentence.ends[span.last - 1], span)
                    for span in find_time_spans(chunk.text, sentence)
                ]
                is_doubted = is_sentence_doubtful(sentence, units[0].first if units else 0)
                yield _ReadableSentence(
                    short_sentence,
                    quote,
                    dated_ranges,
                    topic_entity,
                    topic_kinds,
                    title_words,
                    is_continuation,
                    follows_read_sentence,
                    is_doubted,
                )
                read_until = sentence.end


def _continues_paragraph(text: str, read_until: int, sentence: Sentence) -> bool:
    """Return whether a sentence directly follows the text read; a new paragraph must begin with a pronoun."""
    text_between = text[read_until : sentence.start]
    is_ended = text[:read_until].rstrip(_MARKS_AFTER_END)[-1:] in _FULL_STOPS
    may_continue = "\n" not in text_between or (sentence.lower[0] in CENTRE_PRONOUNS and is_ended)
    return may_continue and text_between.count("\n") <= _MAX_LINE_BREAKS


def _may_refer_back(
    sentence: Sentence, spoken_quotations: Iterable[Quotation], *, is_continuation: bool
) -> bool:
    """Return whether a sentence may be about a name of the previous one, or about its speaker."""
    has_referring_word = is_continuation and (
        sentence.lower[0] == "the" or not CENTRE_PRONOUNS.isdisjoint(sentence.lower)
    )
    return has_referring_word or any(
        quotation.start < sentence.end and sentence.start < quotation.end for quotation in spoken_quotations
    )


def _find_topic_entity(chunk: ChunkText, entities: Sequence[FoundEntity]) -> int | None:
    """Return the entity that the document is about: that of its title, else the first name in its title; None
    without one.
    """
    for position, entity in enumerate(entities):
        if entity.is_background:
            return position
    exact_entity = find_title_entity(chunk, entities)
    if exact_entity is not None:
        return exact_entity
    normalised_title = f" {normalise_name(chunk.document_title)} "
    offset_by_position = {
        position: normalised_title.find(f" {normalise_name(entity.name)} ")
        for position, entity in enumerate(entities)
    }
    positions_in_title = [position for position, offset in offset_by_position.items() if offset >= 0]
    return (
        min(positions_in_title, key=lambda position: offset_by_position[position])
        if positions_in_title
        else None
    )
