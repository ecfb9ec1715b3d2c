"""A sentence in the form for the parser, each of its names as one word, and the tree over it."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from app.domain.char_range import CharRange
from app.domain.node_types import PEOPLE
from app.domain.scoring.stop_words import STOP_WORDS
from app.extraction.rules.claims.units import Unit
from app.extraction.rules.sentences import Sentence
from app.extraction.rules.syntax import Tree

if TYPE_CHECKING:
    from app.extraction.reader.pipeline import Parse, Pipeline

NOTE = re.compile(r"(?<=[\w.,;:)\"”])(?:\[\d{1,3}\])+|[¹²³⁴⁵⁶⁷⁸⁹⁰]+(?=[\s.,;:]|$)")
"""The number of a footnote after its text: "in 1941,[12]"."""
_MAX_TITLE_WORDS = 12
"""Maximum number of quoted words that may be a title; more are speech."""
_NAME_CONTINUATION = re.compile(r":[ \t]+[A-Z]|[-–—][A-Z]|[ \t]of[ \t](?:the[ \t])?[A-Z]")
"""Text after a name that is part of a longer one: "Thor: Ragnarok", "Lord Keeper of the Privy Seal"."""


_VERSION = re.compile(r"v?\d{1,3}(?:\.\d+)*")
_NEXT_WORD = re.compile(r"\s+(?P<word>\w+)")
_WORDS_AFTER_COUNT = frozenset(("of", "a", "more", "other", "per"))
"""Small words behind a number of things."""


class ShortenedSentence(NamedTuple):
    """The words of a sentence with each name as one word; `units` maps word indexes to names."""

    words: list[str]
    starts: list[int]
    units: dict[int, Unit]
    cut_positions: frozenset[int]


def build_tree(shortened_sentence: ShortenedSentence, parse: "Parse") -> Tree:
    """Return the tree; names before a noun or a number are in `cut_positions`: a statement about "the Acme
    team" is about the team.
    """
    qualifying_words = {
        index
        for index, next_index in pairwise(range(len(shortened_sentence.words)))
        if index in shortened_sentence.units
        and next_index not in shortened_sentence.units
        and (
            (parse.upos[next_index] == "NOUN" and shortened_sentence.words[next_index][:1].islower())
            or parse.upos[next_index] in ("NUM", "PROPN")
        )
    }
    return Tree.from_parse(
        shortened_sentence.words,
        parse,
        shortened_sentence.units,
        shortened_sentence.cut_positions | qualifying_words,
    )


def shorten_names(
    text: str,
    sentence: Sentence,
    units: Sequence[Unit],
    quotations: Sequence[CharRange],
    pipeline: "Pipeline",
    start_of_text: int = 0,
) -> ShortenedSentence:
    """Return the words of a sentence with each name replaced by its last word, and a version after it.

    The extent of a name is already known; a parser that has to find it again makes more errors. A description
    ("the company") keeps its article, without which the parser takes the noun for a part of the next phrase.
    `start_of_text`: the mark of a list item before it is not read.
    """
    words: list[str] = []
    starts: list[int] = []
    units_by_word: dict[int, Unit] = {}
    cut_positions: set[int] = set()
    unit_starts = [sentence.starts[unit.last - 1 if unit.is_reference else unit.first] for unit in units]
    unit_ends = [sentence.ends[unit.last - 1] for unit in units]
    next_unit_index = 0
    note_ranges = [match.span() for match in NOTE.finditer(text, sentence.start, sentence.end)]
    text_start = max(start_of_text, _find_start_after_number(sentence, units))
    for start, end in pipeline.split_into_tokens(text, text_start, sentence.end):
        if any(note_start <= start < note_end for note_start, note_end in note_ranges):
            continue
        if len(words) - 1 in units_by_word and _is_number_part_of_name(text, start, end, sentence.end):
            continue
        while next_unit_index < len(units) and unit_ends[next_unit_index] <= start:
            next_unit_index += 1
        is_inside_unit = next_unit_index < len(units) and unit_starts[next_unit_index] <= start
        if is_inside_unit and units_by_word.get(len(words) - 1) is units[next_unit_index]:
            if text[start].isalnum():
                words[-1] = text[start:end]
            continue
        if is_inside_unit:
            unit = units[next_unit_index]
            units_by_word[len(words)] = unit
            if _is_part_of_longer_name(
                text, unit_starts[next_unit_index], unit_ends[next_unit_index], unit, quotations
            ):
                cut_positions.add(len(words))
        words.append(text[start:end])
        starts.append(start)
    return ShortenedSentence(words, starts, units_by_word, frozenset(cut_positions))


def _is_number_part_of_name(text: str, start: int, end: int, sentence_end: int) -> bool:
    """Return whether a number after a name is a part of it: "needs PostgreSQL 15.", but not "sold Acme 15
    trucks", "Acme 15 of them".
    """
    if text[start - 1 : start] != " " or _VERSION.fullmatch(text, start, end) is None:
        return False
    next_word = _NEXT_WORD.match(text, end, sentence_end)
    return next_word is None or next_word["word"].lower() in STOP_WORDS - _WORDS_AFTER_COUNT


def _find_start_after_number(sentence: Sentence, units: Sequence[Unit]) -> int:
    """Return the beginning of a sentence after the number of a paragraph or note: "147 The bridge", "[147] In
    May".

    A number before a capitalised small word counts nothing; "36 Acme", "12 Monkeys" are not such numbers.
    """
    words = sentence.words[: units[0].first] if units else sentence.words
    number_index = next((index for index, word in enumerate(words) if any(map(str.isalpha, word))), 0)
    is_numbered = words[number_index : number_index + 1] and words[number_index].lower() in STOP_WORDS
    return (
        sentence.starts[number_index] if is_numbered and words[number_index][0].isupper() else sentence.start
    )


def _is_part_of_longer_name(
    text: str, start: int, end: int, unit: Unit, quotations: Sequence[CharRange]
) -> bool:
    """Return whether a name is part of a longer one, by the text around it."""
    continuation = _NAME_CONTINUATION.match(text, end)
    if continuation and (unit.kind not in PEOPLE or " of " not in continuation[0]):
        return True
    if start and text[start - 1] in "-–—" and text[start - 2 : start - 1].isalnum():
        return True
    return any(
        quotation_start < start
        and end < quotation_end
        and len(text[quotation_start:quotation_end].split()) <= _MAX_TITLE_WORDS
        and len(text[quotation_start:quotation_end].strip("\"“”«»'‘’.,;:!?").split())
        > len(text[start:end].split())
        for quotation_start, quotation_end in quotations
    )


def read_trees(
    text: str,
    sentences: Sequence[tuple[Sentence, Sequence[Unit]]],
    quotations: Sequence[CharRange],
    pipeline: "Pipeline",
) -> list[Tree]:
    """Return the trees of sentences of a chunk's text with their names, each name as one word.

    They are parsed as one batch, which takes half the time of as many single sentences.
    """
    short_sentences = [
        shorten_names(text, sentence, units, quotations, pipeline) for sentence, units in sentences
    ]
    parses = pipeline.parse([short_sentence.words for short_sentence in short_sentences])
    return list(map(build_tree, short_sentences, parses))
