"""Statements of chunks: what their clauses say of two of their names, each with its whole sentence."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from app.extraction.rules.claims.suppositions import taken_back
from app.extraction.rules.claims.units import Unit
from app.extraction.rules.clauses import Tree, joined_names
from app.extraction.rules.pronouns.references import units_by_sentence
from app.extraction.rules.relations import is_doubtful
from app.extraction.rules.sentences import Sentence
from app.extraction.shapes import ChunkText, FoundEntity, FoundRelation

if TYPE_CHECKING:
    from app.extraction.reader.pipeline import Parse, Pipeline

LEAST_PARSED = 0.3
"""How sure the parser must be of all arcs that a statement rests on, together (p below)."""
CERTAINTY = (0.5, 0.4)
"""A statement is right with 0.5 + 0.4 p: a line through two samples that were judged (record 93)."""
LONGEST_SENTENCE = 60
"""Words of a sentence, each name counted as one; in longer ones too many arcs are wrong."""

_QUOTED = re.compile(r'“[^”\n]*+”?|"[^"\n]*+"?|«[^»\n]*+»?|(?<!\w)[\'‘][^\'’\n]{2,80}[\'’](?!\w)')
_TITLE_WORDS = 12
"""Words between quotation marks, at most, that may be a title; more are what somebody says."""
_GOES_ON = re.compile(r":[ \t]+[A-Z]|[-–—][A-Z]|[ \t]of[ \t](?:the[ \t])?[A-Z]")
"""What follows a name that is a part of a longer one: "Thor: Ragnarok", "Lord Keeper of the Privy Seal"."""
_PEOPLE = "Person"


class _Shortened(NamedTuple):
    """The words of a sentence with each name as one; `places` has which unit stands where."""

    words: list[str]
    starts: list[int]
    places: dict[int, Unit]
    cut: frozenset[int]


class _Readable(NamedTuple):
    """A sentence that may state something: whose chunk it is of, its words, and the quote that it is."""

    chunk: int
    short: _Shortened
    quote: str


def statements_of_chunks(
    chunks: Sequence[tuple[ChunkText, Sequence[FoundEntity]]], pipeline: "Pipeline"
) -> list[tuple[FoundRelation, ...]]:
    """For each chunk the statements of its clauses between its entities; each quote is the whole sentence.

    The confidence of each is `CERTAINTY` of how sure the parser is of its arcs. All sentences are parsed
    together.
    """
    quotations = [[found.span() for found in _QUOTED.finditer(chunk.text)] for chunk, _ in chunks]
    sentences = [
        readable
        for number, (chunk, entities) in enumerate(chunks)
        for readable in _readable(number, chunk, entities, quotations[number], pipeline)
    ]
    parses = pipeline.parse(list(pipeline.read_words([each.short.words for each in sentences])))
    found: list[dict[tuple[int, int, str], FoundRelation]] = [{} for _ in chunks]
    for (number, short, quote), parse in zip(sentences, parses, strict=True):
        for source, target, word, verb in joined_names(_tree(short, parse)):
            if source.entity == target.entity or target.confidence < LEAST_PARSED:
                continue
            # What stands between quotation marks is said by somebody else.
            if any(start < short.starts[word] < end for start, end in quotations[number]):
                continue
            confidence = round(CERTAINTY[0] + CERTAINTY[1] * target.confidence, 2)
            key = (source.entity, target.entity, verb)
            standing = found[number].get(key)
            if standing is None or standing.confidence < confidence:
                found[number][key] = FoundRelation(
                    source.entity, target.entity, verb, confidence, quote, is_statement=True
                )
    return [tuple(relations.values()) for relations in found]


def _readable(
    number: int,
    chunk: ChunkText,
    entities: Sequence[FoundEntity],
    quotations: Sequence[tuple[int, int]],
    pipeline: "Pipeline",
) -> Iterator[_Readable]:
    """The sentences of a chunk that name two things and are not taken back, doubted or too long."""
    for sentence, units, _, quote in units_by_sentence(chunk, entities):
        if (
            not sentence.outside
            and len(units) > 1
            and taken_back(sentence.lower) is None
            and not is_doubtful(sentence, units[0].first)
        ):
            short = _shortened(chunk.text, sentence, units, quotations, pipeline)
            if len(short.words) <= LONGEST_SENTENCE:
                yield _Readable(number, short, quote.text)


def _tree(short: _Shortened, parse: "Parse") -> Tree:
    """The tree, in which a name before a noun or a number is cut: of "the Acme team" it is the team's."""
    qualifying = {
        at
        for at, following in pairwise(range(len(short.words)))
        if at in short.places
        and following not in short.places
        and (
            (parse.upos[following] == "NOUN" and short.words[following][:1].islower())
            or parse.upos[following] in ("NUM", "PROPN")
        )
    }
    return Tree.of(short.words, parse, short.places, short.cut | qualifying)


def _shortened(
    text: str,
    sentence: Sentence,
    units: Sequence[Unit],
    quotations: Sequence[tuple[int, int]],
    pipeline: "Pipeline",
) -> _Shortened:
    """The words of a sentence with each name as one, its last.

    That a name is one thing is known already: a parser that has to find it out again errs more often.
    """
    words: list[str] = []
    starts: list[int] = []
    places: dict[int, Unit] = {}
    cut: set[int] = set()
    ends = [sentence.ends[unit.last - 1] for unit in units]
    following = 0
    for start, end in pipeline.tokens(text, sentence.start, sentence.end):
        while following < len(units) and ends[following] <= start:
            following += 1
        inside = following < len(units) and sentence.starts[units[following].first] <= start
        if inside and places.get(len(words) - 1) is units[following]:
            if text[start].isalnum():
                words[-1] = text[start:end]
            continue
        if inside:
            unit = units[following]
            places[len(words)] = unit
            if _is_cut(text, sentence.starts[unit.first], ends[following], unit, quotations):
                cut.add(len(words))
        words.append(text[start:end])
        starts.append(start)
    return _Shortened(words, starts, places, frozenset(cut))


def _is_cut(text: str, start: int, end: int, unit: Unit, quotations: Sequence[tuple[int, int]]) -> bool:
    """Return whether a name is a part of a longer one, by what stands around it."""
    goes_on = _GOES_ON.match(text, end)
    if goes_on and (unit.kind != _PEOPLE or " of " not in goes_on[0]):
        return True
    if start and text[start - 1] in "-–—" and text[start - 2 : start - 1].isalnum():
        return True
    return any(
        first < start
        and end < last
        and len(text[first:last].split()) <= _TITLE_WORDS
        and len(text[first:last].strip("\"“”«»'‘’.,;:!?").split()) > len(text[start:end].split())
        for first, last in quotations
    )
