"""Statements of chunks: what their clauses say of two of their names, each with its whole sentence."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from app.domain.node_types import PEOPLE
from app.extraction.rules.claims.dates import Span, spans_of
from app.extraction.rules.claims.suppositions import taken_back
from app.extraction.rules.claims.units import Unit
from app.extraction.rules.pronouns.references import units_by_sentence
from app.extraction.rules.relations import is_doubtful
from app.extraction.rules.sentences import Sentence
from app.extraction.rules.syntax import Tree, dates_of, joined_names
from app.extraction.shapes import ChunkText, FoundEntity, FoundRelation

if TYPE_CHECKING:
    from app.extraction.reader.pipeline import Parse, Pipeline

LEAST_PARSED = 0.3
"""How sure the parser must be of all arcs that a statement rests on, together (p below)."""
CERTAINTY = (0.5, 0.4)
"""A statement is right with 0.5 + 0.4 p: a line through samples that were judged (records 93 and 95)."""
STAND_IN = "Menon"
"""A name of which the parser remembers nothing: "Acme audited Ostland Bank" may be an audited bank to it."""
SURE_WITHOUT_NAMES = 0.85
"""How sure the tree without names must be where the one with them says something else."""
LONGEST_SENTENCE = 60
"""Words of a sentence, each name counted as one; in longer ones too many arcs are wrong."""

_QUOTED = re.compile(r'“[^”\n]*+”?|"[^"\n]*+"?|«[^»\n]*+»?|(?<!\w)[\'‘][^\'’\n]{2,80}[\'’](?!\w)')
_TITLE_WORDS = 12
"""Words between quotation marks, at most, that may be a title; more are what somebody says."""
_GOES_ON = re.compile(r":[ \t]+[A-Z]|[-–—][A-Z]|[ \t]of[ \t](?:the[ \t])?[A-Z]")
"""What follows a name that is a part of a longer one: "Thor: Ragnarok", "Lord Keeper of the Privy Seal"."""


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
    dates: list[tuple[int, int, Span]]
    """Where dates begin and end in the chunk's text."""


def statements_of_chunks(
    chunks: Sequence[tuple[ChunkText, Sequence[FoundEntity]]], pipeline: "Pipeline"
) -> list[tuple[FoundRelation, ...]]:
    """For each chunk the statements of its clauses between its entities; each quote is the whole sentence.

    Each sentence is parsed twice, with its names and with `STAND_IN` in their place, and says what both trees
    say, or the second alone where it is very sure. The confidence is `CERTAINTY` of how sure the less sure
    one is of its arcs, the time the one date that hangs on its verb. All sentences are parsed together.
    """
    quotations = [[found.span() for found in _QUOTED.finditer(chunk.text)] for chunk, _ in chunks]
    sentences = [
        readable
        for number, (chunk, entities) in enumerate(chunks)
        for readable in _readable(number, chunk, entities, quotations[number], pipeline)
    ]
    written = pipeline.parse(list(pipeline.read_words([each.short.words for each in sentences])))
    unnamed = pipeline.parse(list(pipeline.read_words([_without_names(each.short) for each in sentences])))
    found: list[dict[tuple[int, int, str], FoundRelation]] = [{} for _ in chunks]
    for sentence, one, other in zip(sentences, written, unnamed, strict=True):
        of_chunk = found[sentence.chunk]
        for statement in _statements(sentence, one, other, quotations[sentence.chunk]):
            key = (statement.from_entity, statement.to_entity, statement.relation_type)
            standing = of_chunk.get(key)
            if standing is None or standing.confidence < statement.confidence:
                of_chunk[key] = statement
    return [tuple(relations.values()) for relations in found]


def _predicates(tree: Tree) -> dict[tuple[int, int, str], tuple[int, float]]:
    """The word that says it, and how sure it is, by source, target and predicate."""
    return {
        (source.entity, target.entity, verb): (word, target.confidence)
        for source, target, word, verb in joined_names(tree)
        if source.entity != target.entity
    }


def _without_names(short: _Shortened) -> list[str]:
    """The words with `STAND_IN` for each name; a pronoun that stands for one stays."""
    return [
        STAND_IN if at in short.places and word[:1].isupper() else word for at, word in enumerate(short.words)
    ]


def _statements(
    sentence: _Readable, written: "Parse", unnamed: "Parse", quotations: Sequence[tuple[int, int]]
) -> Iterator[FoundRelation]:
    """The statements of a sentence about two of its names, by its trees with them and without."""
    short = sentence.short
    # What a name is to the parser it is by its own word.
    upos = [(written if at in short.places else unnamed).upos[at] for at in range(len(short.words))]
    tree = _tree(short, replace(unnamed, upos=upos))
    with_names = _predicates(_tree(short, written))
    for key, (word, sure) in _predicates(tree).items():
        # What stands between quotation marks is said by somebody else.
        if any(start < short.starts[word] < end for start, end in quotations):
            continue
        if key in with_names:
            sure = min(sure, with_names[key][1])
        if sure < (LEAST_PARSED if key in with_names else SURE_WITHOUT_NAMES):
            continue
        at = [short.starts[each] for each in dates_of(tree, word)]
        own = [span for begin, end, span in sentence.dates if any(begin <= each < end for each in at)]
        span = own[0] if len(own) == 1 else None
        yield FoundRelation(
            *key,
            round(CERTAINTY[0] + CERTAINTY[1] * sure, 2),
            sentence.quote,
            valid_from=None if span is None else span.since,
            valid_to=None if span is None else span.until,
            is_statement=True,
        )


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
                dates = [
                    (sentence.starts[span.first], sentence.ends[span.last - 1], span)
                    for span in spans_of(chunk.text, sentence)
                ]
                yield _Readable(number, short, quote.text, dates)


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
    if goes_on and (unit.kind not in PEOPLE or " of " not in goes_on[0]):
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
