"""The sentences of a chunk that may state something, with their syntax: each is parsed with its names and
without them.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from app.documents.language import detect_language
from app.extraction.rules.claims.cut_names import NamesOfSentence
from app.extraction.rules.claims.suppositions import find_retraction
from app.extraction.rules.claims.time_spans import Span, find_time_spans
from app.extraction.rules.claims.units import Unit
from app.extraction.rules.indices import EntityIndex
from app.extraction.rules.pronouns.antecedents import PERSONAL_PRONOUNS
from app.extraction.rules.pronouns.centering import CENTRE_PRONOUNS
from app.extraction.rules.pronouns.references import find_title_entity, read_sentences_with_units
from app.extraction.rules.quotations import (
    MAX_LINE_BREAKS,
    Quotation,
    Speech,
    find_quotations,
    read_interview_lines,
)
from app.extraction.rules.relations import is_question_condition_or_rumour, is_sentence_doubtful
from app.extraction.rules.sentences import Sentence
from app.extraction.rules.shortened import ShortenedSentence, build_tree, shorten_names
from app.extraction.rules.syntax import ENGLISH, MAX_SENTENCE_LENGTH, NAME_PLACEHOLDER, Tree
from app.extraction.shapes import ChunkText, FoundEntity, Surface
from app.graph.names import normalise_name

if TYPE_CHECKING:
    from app.extraction.reader.pipeline import Parse, Pipeline


WORD = re.compile(r"[^\W\d_]+")
_FULL_STOPS = frozenset(".!…")
END_MARKS, MARKS_AFTER_END = frozenset(".!:;…"), "\"”’')]»*_ "
"""Final marks of a sentence that states something, and marks that may follow them."""
_HEADING_MARK = re.compile(r"(?:^|\s)#{2,6}\s")
"""The mark of a heading within a line; the end of such a heading is unknown."""


class ReadableSentence(NamedTuple):
    """A sentence that may state something: its words, its quote, and the topic of its document."""

    short_sentence: ShortenedSentence
    quote: Surface
    dated_ranges: list[tuple[int, int, Span]]
    """Ranges of the dates in the chunk's text."""
    topic_entity: EntityIndex | None
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

    sentence: ReadableSentence
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
    sentences: Sequence[ReadableSentence]
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


def build_trees(
    sentence: ReadableSentence, written_parse: "Parse", unnamed_parse: "Parse", chunk_text: str
) -> ParsedSentence:
    """Return a sentence with its tree as written and its tree without names."""
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


def _replace_names_by_stand_in(shortened_sentence: ShortenedSentence) -> list[str]:
    """Return the words with `NAME_PLACEHOLDER` for each name; a pronoun that refers to one is kept."""
    return [
        NAME_PLACEHOLDER
        if index in shortened_sentence.units and not shortened_sentence.units[index].is_reference
        else word
        for index, word in enumerate(shortened_sentence.words)
    ]


def _list_topic_kinds(entities: Sequence[FoundEntity], topic_entity: EntityIndex | None) -> frozenset[str]:
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
) -> Iterator[ReadableSentence]:
    """Yield the sentences of a chunk about its names or topic that are not retracted, doubted or too long.

    A sentence with a pronoun may be about a name of the previous sentence; one of a quotation or of an
    interview line may be about the speaker.
    """
    spoken_quotations = [*quotations, *interview_lines]
    topic_entity = find_topic_entity(chunk, entities)
    topic_kinds = _list_topic_kinds(entities, topic_entity)
    title_words = frozenset(WORD.findall(chunk.document_title.lower()))
    has_personal_pronoun = not PERSONAL_PRONOUNS.isdisjoint(WORD.findall(chunk.text.lower()))
    read_until = -1
    for sentence, units, _, quote in read_sentences_with_units(chunk, entities):
        text_between = chunk.text[read_until : sentence.start]
        follows_read_sentence = (
            read_until >= 0 and not text_between.strip() and text_between.count("\n") <= MAX_LINE_BREAKS
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
            and not is_question_condition_or_rumour(sentence, units[0].first if units else 0)
            and detect_language(quote.text, ENGLISH) == ENGLISH
        ):
            short_sentence = shorten_names(chunk.text, sentence, units, quotations, pipeline, quote.start)
            short_sentence = _cut_parts_of_longer_names(short_sentence, sentence, units)
            if len(short_sentence.words) <= MAX_SENTENCE_LENGTH:
                dated_ranges = [
                    (sentence.starts[span.first], sentence.ends[span.last - 1], span)
                    for span in find_time_spans(chunk.text, sentence)
                ]
                is_doubted = is_sentence_doubtful(sentence, units[0].first if units else 0)
                yield ReadableSentence(
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


def _cut_parts_of_longer_names(
    short_sentence: ShortenedSentence, sentence: Sentence, units: Sequence[Unit]
) -> ShortenedSentence:
    """Return the sentence with the names that its words continue among its `cut_positions`."""
    names_of_sentence = NamesOfSentence(sentence, units)
    part_positions = {
        word for word, unit in short_sentence.units.items() if names_of_sentence.is_part_of_longer_name(unit)
    }
    return short_sentence._replace(cut_positions=short_sentence.cut_positions | part_positions)


def _continues_paragraph(text: str, read_until: int, sentence: Sentence) -> bool:
    """Return whether a sentence directly follows the text read; a new paragraph must begin with a pronoun."""
    text_between = text[read_until : sentence.start]
    is_ended = text[:read_until].rstrip(MARKS_AFTER_END)[-1:] in _FULL_STOPS
    may_continue = "\n" not in text_between or (sentence.lower[0] in CENTRE_PRONOUNS and is_ended)
    return may_continue and text_between.count("\n") <= MAX_LINE_BREAKS


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


def find_topic_entity(chunk: ChunkText, entities: Sequence[FoundEntity]) -> EntityIndex | None:
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


def find_text_position_of_word(parsed_sentence: ParsedSentence, end_index: int) -> int:
    """Return the position in the chunk's text where the word at `end_index` begins, or where the sentence
    ends.
    """
    starts = parsed_sentence.sentence.short_sentence.starts
    return starts[end_index] if end_index < len(starts) else parsed_sentence.sentence.quote.end
