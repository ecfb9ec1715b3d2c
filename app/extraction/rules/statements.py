"""Statements of a chunk: what its clauses say of two of its names, or of one, with the whole sentence."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from app.documents.language import detect_language
from app.domain.node_types import PEOPLE
from app.domain.scoring.stop_words import STOP_WORDS
from app.extraction.attributes import MAX_VALUE
from app.extraction.rules.centre import CENTRED, Centre, Introduced, find_centre, replace_pronoun_by_centre
from app.extraction.rules.claims.dates import Span, find_time_spans
from app.extraction.rules.claims.suppositions import find_retraction
from app.extraction.rules.claims.units import Unit
from app.extraction.rules.focus import PERSONAL, Focus
from app.extraction.rules.phrases import Phrase, read_phrases
from app.extraction.rules.pronouns.antecedents import TITLE_CONFIDENCE
from app.extraction.rules.pronouns.references import find_title_entity, split_into_units
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
from app.extraction.rules.relations import is_doubtful, is_supposed
from app.extraction.rules.sentences import Sentence
from app.extraction.rules.syntax import End, Tree, list_date_words, read_joined_names
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

LEAST_PARSED = 0.3
"""How sure the parser must be of all arcs that a statement rests on, together (p below)."""
CERTAINTY = (0.5, 0.4)
"""A statement is right with 0.5 + 0.4 p: a line through samples that were judged (records 93 and 95)."""
STAND_IN = "Menon"
"""A name of which the parser remembers nothing: "Acme audited Ostland Bank" may be an audited bank to it."""
SURE_WITHOUT_NAMES = 0.85
"""How sure the tree without names must be where the one with them says something else."""
ENGLISH = "en"
"""The language of the syntax that is read; a sentence of another one says nothing."""
_LONG_WORD = 4
LONGEST_SENTENCE = 60
"""Words of a sentence, each name counted as one; in longer ones too many arcs are wrong."""

_WORD = re.compile(r"[^\W\d_]+")
_STOPS = frozenset(".!…")
_BLANK_LINE = 2
"""Breaks of lines between two paragraphs that follow each other."""
_NOTE = re.compile(r"(?<=[\w.,;:)\"”])(?:\[\d{1,3}\])+|[¹²³⁴⁵⁶⁷⁸⁹⁰]+(?=[\s.,;:]|$)")
"""The number of a note behind what it is about: "in 1941,[12]"."""
LEAST_QUOTED = 5
"""Words of a quotation that says something."""
LONGEST_QUOTE = 1_500
"""Characters of a quote, at most, that holds what is said and who says it."""
_UNOPENED = re.compile(r'["”»](?=[\s,]|$)')
"""The mark that ends a quotation."""
_TITLE_WORDS = 12
"""Words between quotation marks, at most, that may be a title; more are what somebody says."""
_ENDING, _CLOSING = frozenset(".!:;…"), "\"”’')]»*_ "
"""Marks that end a sentence which states something, and what may stand behind them."""
_HEADING = re.compile(r"(?:^|\s)#{2,6}\s")
"""The mark of a heading that a page has within a line: nothing says where the heading ends."""
_ENTRY = re.compile(r"\s*(?:[-*+•‣▪–—]|\d{1,3}[.)])\s+")
_GOES_ON = re.compile(r":[ \t]+[A-Z]|[-–—][A-Z]|[ \t]of[ \t](?:the[ \t])?[A-Z]")
"""What follows a name that is a part of a longer one: "Thor: Ragnarok", "Lord Keeper of the Privy Seal"."""


class _Shortened(NamedTuple):
    """The words of a sentence with each name as one; `units` has which one stands where."""

    words: list[str]
    starts: list[int]
    units: dict[int, Unit]
    cut: frozenset[int]


class _Readable(NamedTuple):
    """A sentence that may state something: its words, its quote, and what its document is about."""

    short: _Shortened
    quote: Surface
    dates: list[tuple[int, int, Span]]
    """Where dates begin and end in the chunk's text."""
    topic: int | None
    title: frozenset[str]
    """The words of the document's title."""
    goes_on: bool
    """True where the sentence before it in the same paragraph was read too."""
    follows: bool
    """True where the sentence before it was read too, in the same paragraph or the one before."""
    is_doubted: bool
    """True where it says what somebody believes or claims: its main clause says so, others may not."""


class Read(NamedTuple):
    """A sentence with its trees: as it is written, and with a stand-in for each name."""

    sentence: _Readable
    written: Tree
    unnamed: Tree
    chunk_text: str


def extract_statements(
    chunk: ChunkText, entities: Sequence[FoundEntity], pipeline: "Pipeline"
) -> ChunkStatements:
    """Read what the chunk's clauses say of its entities; each quote is a whole sentence.

    Each sentence is parsed twice, with its names and with `STAND_IN` in their place, and says what both trees
    say, or the second alone where it is very sure. The confidence is `CERTAINTY` of how sure the less sure
    one is of its arcs, the time of a relation the one date that hangs on its verb.
    """
    quotations = find_quotations(chunk.text)
    lines = read_interview_lines(chunk.text, entities)
    relations, reads = read_chunk_statements(chunk, entities, quotations, lines, pipeline)
    spoken = find_speeches(map(_build_sentence_tree, reads), quotations, chunk.text)
    phrases = [
        phrase
        for read in reads
        for phrase in (
            *_read_phrases_of_nodes(read, quotations, spoken),
            *_read_quoted_speech(read, {**lines, **spoken}),
        )
    ]
    return ChunkStatements(relations, tuple(phrases))


def read_chunk_statements(
    chunk: ChunkText,
    entities: Sequence[FoundEntity],
    quotations: Sequence[Quotation],
    lines: Iterable[Quotation],
    pipeline: "Pipeline",
) -> tuple[tuple[FoundRelation, ...], list[Read]]:
    """Statements about two names, and the sentences with their trees, in which pronouns stand for names."""
    sentences = list(_list_readable_sentences(chunk, entities, quotations, lines, pipeline))
    words = [readable.short.words for readable in sentences]
    without_names = {
        position: _replace_names_by_stand_in(readable.short)
        for position, readable in enumerate(sentences)
        if readable.short.units
    }
    parses = list(pipeline.parse([*words, *without_names.values()]))
    unnamed = dict(zip(without_names, parses[len(words) :], strict=True))
    relations: dict[tuple[int, int, str], FoundRelation] = {}
    reads: list[Read] = []
    centre: Centre | None = None
    introduced = Introduced()
    focus = Focus(entities)
    for index, sentence in enumerate(sentences):
        read = _read(sentence, parses[index], unnamed.get(index, parses[index]), chunk.text)
        if len(sentence.short.units) > 1 and not sentence.is_doubted:
            for statement in _read_statements_of_names(read, quotations):
                key = (statement.from_entity, statement.to_entity, statement.relation_type)
                earlier = relations.get(key)
                if earlier is None or earlier.confidence < statement.confidence:
                    relations[key] = statement
        if centre is not None and sentence.goes_on:
            read = read._replace(
                written=replace_pronoun_by_centre(read.written, centre, focus.may_mean),
                unnamed=replace_pronoun_by_centre(read.unnamed, centre, focus.may_mean),
            )
        read = read._replace(
            written=introduced.replace_described_subject(read.written),
            unnamed=introduced.replace_described_subject(read.unnamed),
        )
        if not sentence.follows:
            focus.forget()
        quoted = _list_quoted_words(read, quotations)
        read = read._replace(
            written=focus.replace_pronouns_of_focus(read.written, quoted),
            unnamed=focus.replace_pronouns_of_focus(read.unnamed, quoted),
        )
        introduced.follow(read.unnamed)
        focus.follow(read.unnamed)
        centre = find_centre(read.unnamed)
        reads.append(read)
    return tuple(relations.values()), reads


def _build_sentence_tree(read: Read) -> SentenceTree:
    return SentenceTree(read.unnamed, read.sentence.short.starts, read.sentence.quote.end)


def _read_quoted_speech(read: Read, spoken: Mapping[Quotation, Speech]) -> Iterator[FoundPhrase]:
    """Yield what the sentence quotes of somebody whom the text names, said of that one as it is written."""
    tree, starts, quote = read.unnamed, read.sentence.short.starts, read.sentence.quote
    quoted_speech = next(
        (
            (quotation, speech)
            for quotation, speech in spoken.items()
            if _has_words_of_quotation(quotation, starts, quote)
        ),
        None,
    )
    if quoted_speech is None:
        return
    quotation, speech = quoted_speech
    words = [
        index
        for index, start in enumerate(starts)
        if quotation.start < start < quotation.end - 1 and tree.words[index] not in QUOTATION_MARKS
    ]
    has_verb = any(tree.parse.upos[index] in ("VERB", "AUX") for index in words)
    if (
        speech.entity is None
        or len(words) < LEAST_QUOTED
        or not has_verb
        or has_pronoun_for_outside(tree, words)
    ):
        return
    end = min(quotation.end - 1, quote.end)
    text = " ".join(read.chunk_text[starts[words[0]] : end].split()).strip('"“”«» ').rstrip(",;: ")
    first, last = min(quote.start, speech.start), max(quote.end, speech.end)
    if text.endswith("?") or not 0 < len(text) <= MAX_VALUE - 2 or last - first > LONGEST_QUOTE:
        return
    certainty = _compute_certainty(speech.confidence, speech.confidence)
    if certainty is not None:
        surface = Surface(read.chunk_text[first:last], first, last)
        statement = FoundAttribute(speech.verb or "said", f"“{text}”", surface, confidence=certainty)
        yield FoundPhrase(speech.entity, statement, None)


def _has_words_of_quotation(quotation: Quotation, starts: Sequence[int], quote: Surface) -> bool:
    """Return whether a quotation has words of the sentence in it."""
    return (
        any(quotation.start < start < quotation.end - 1 for start in starts) and quotation.start < quote.end
    )


def _read(sentence: _Readable, written: "Parse", unnamed: "Parse", chunk_text: str) -> Read:
    short = sentence.short
    # What a name is to the parser it is by its own word.
    upos = [(written if index in short.units else unnamed).upos[index] for index in range(len(short.words))]
    return Read(
        sentence, _build_tree(short, written), _build_tree(short, replace(unnamed, upos=upos)), chunk_text
    )


def _read_predicates(tree: Tree) -> dict[tuple[int, int, str], tuple[int, float]]:
    """The word that says it, and how sure it is, by source, target and predicate."""
    return {
        (source.entity, target.entity, verb): (word, target.confidence)
        for source, target, word, verb in read_joined_names(tree)
        if source.entity != target.entity
    }


def _replace_names_by_stand_in(short: _Shortened) -> list[str]:
    """The words with `STAND_IN` for each name; a pronoun that stands for one stays."""
    return [
        STAND_IN if index in short.units and not short.units[index].is_reference else word
        for index, word in enumerate(short.words)
    ]


def _compute_certainty(confidence: float, with_names: float | None) -> float | None:
    """The confidence in what the tree without names says, where the other says it too by how sure that is.

    None where they are not sure enough.
    """
    if with_names is not None:
        confidence = min(confidence, with_names)
    if confidence < (SURE_WITHOUT_NAMES if with_names is None else LEAST_PARSED):
        return None
    return round(CERTAINTY[0] + CERTAINTY[1] * confidence, 2)


def _find_quotation_around(read: Read, word: int, quotations: Sequence[Quotation]) -> Quotation | None:
    """Where the quotation begins and ends in which a word stands: then somebody else says it."""
    offset = read.sentence.short.starts[word]
    return next((quotation for quotation in quotations if quotation.start < offset < quotation.end), None)


def _list_quoted_words(read: Read, quotations: Sequence[Quotation]) -> frozenset[int]:
    """The words of a sentence that stand between quotation marks."""
    return frozenset(
        index
        for index, start in enumerate(read.sentence.short.starts)
        if any(quotation.start < start < quotation.end for quotation in quotations)
    )


def _read_statements_of_names(read: Read, quotations: Sequence[Quotation]) -> Iterator[FoundRelation]:
    """Statements of a sentence about two of its names."""
    if not (_has_end(read) or _is_entry(read)):
        return
    short = read.sentence.short
    predicates = _read_predicates(read.unnamed)
    with_names = _read_predicates(read.written) if predicates else {}
    for key, (word, confidence_without_names) in predicates.items():
        confidence = _compute_certainty(
            confidence_without_names, with_names[key][1] if key in with_names else None
        )
        if confidence is None or _find_quotation_around(read, word, quotations) is not None:
            continue
        date_offsets = [short.starts[date_word] for date_word in list_date_words(read.unnamed, word)]
        date_spans = [
            span
            for begin, end, span in read.sentence.dates
            if any(begin <= offset < end for offset in date_offsets)
        ]
        span = date_spans[0] if len(date_spans) == 1 else None
        yield FoundRelation(
            *key,
            confidence,
            read.sentence.quote.text,
            valid_from=None if span is None else span.since,
            valid_to=None if span is None else span.until,
            is_statement=True,
        )


def _read_phrases_of_nodes(
    read: Read, quotations: Sequence[Quotation], spoken: Mapping[Quotation, Speech]
) -> Iterator[FoundPhrase]:
    """Statements of a sentence about the nodes that it names, as they are written.

    One between quotation marks needs somebody who says it: named behind it in the sentence, or by `spoken`.
    """
    if _is_headline(read):
        return
    about = read.sentence.topic
    topic = None if about is None else End(about, TITLE_CONFIDENCE, -1, -1)
    mentioned = frozenset() if topic is None else _list_words_mentioned_before(read)
    phrases = list(read_phrases(read.unnamed, topic, mentioned))
    written = read_phrases(read.written, topic, mentioned) if phrases else ()
    with_names = {_phrase_key(phrase): phrase.about.confidence for phrase in written}
    for phrase in phrases:
        confidence = _compute_certainty(phrase.about.confidence, with_names.get(_phrase_key(phrase)))
        is_whole = not read.sentence.is_doubted or read.unnamed.is_root(phrase.word)
        if confidence is None or not is_whole or not _is_ended(read, phrase):
            continue
        text = _read_text_between(read, phrase.first, phrase.last)
        quote = read.sentence.quote
        quotation = _find_quotation_around(read, phrase.word, quotations)
        if quotation is not None:
            speech = spoken.get(quotation)
            # What a quotation says of no name is said of who says it alone.
            if speech is not None and speech.entity is not None and phrase.about.entity == about:
                continue
            text, quote = _add_speaker(read, phrase, quotation, speech, text)
        if 0 < len(text) <= MAX_VALUE:
            subject = ""
            if phrase.subject:
                subject = _read_text_between(read, phrase.subject[0], phrase.subject[-1] + 1)
                if subject.count("(") != subject.count(")"):
                    # It begins within a remark in brackets, or the page has lost where that ends.
                    continue
            predicate = _read_text_between(read, phrase.predicate[0], phrase.predicate[-1] + 1)
            statement = FoundAttribute(predicate, text, quote, confidence=confidence, subject=subject)
            yield FoundPhrase(phrase.about.entity, statement, _list_only_names(read, phrase))


def _add_speaker(
    read: Read, phrase: Phrase, quotation: Quotation, speech: Speech | None, text: str
) -> tuple[str, Surface]:
    """The words of a quotation and who says it behind them, and the quote of both; "" where nobody does."""
    quote = read.sentence.quote
    words_behind = read.chunk_text[quotation.end - 1 : _end_of(read, phrase.last)].strip(_CLOSING + ",")
    # The mark that ends it has lost the one that opens it.
    text = _UNOPENED.sub("", text, count=1)
    if any(map(str.isalpha, words_behind)):
        return text, quote
    if speech is None or has_pronoun_for_outside(read.unnamed, range(len(read.unnamed.words))):
        return "", quote
    first, last = min(quote.start, speech.start), max(quote.end, speech.end)
    if last - first > LONGEST_QUOTE:
        return "", quote
    text = f"{text.rstrip(_CLOSING + ',')}, {read.chunk_text[speech.start : speech.end]}"
    return text, Surface(read.chunk_text[first:last], first, last)


def _list_words_mentioned_before(read: Read) -> frozenset[str]:
    """The words of the chunk before a sentence that its document's title does not have."""
    before = read.chunk_text[: read.sentence.quote.start]
    return frozenset(_WORD.findall(before.lower())) - read.sentence.title


def _is_headline(read: Read) -> bool:
    """Return whether most words have a capital that are no names: those of a headline may be any."""
    units, words = read.sentence.short.units, read.unnamed.words
    longer = [
        word for index, word in enumerate(words) if index and index not in units and len(word) >= _LONG_WORD
    ]
    return 2 * sum(word[:1].isupper() for word in longer) > len(longer)


def _phrase_key(phrase: Phrase) -> tuple[int, ...]:
    return phrase.about.entity, phrase.word, phrase.first, phrase.last, *phrase.subject


def _read_text_between(read: Read, first: int, last: int) -> str:
    """The chunk's text from one word to before another, in one line, without the mark that ends it.

    A name is one word, which begins where its first does and ends before the next word.
    """
    begin, end = read.sentence.short.starts[first], _end_of(read, last)
    text = _NOTE.sub("", read.chunk_text[begin:end])
    return " ".join(text.split()).rstrip(",;: ").removesuffix(".").rstrip()


def _end_of(read: Read, last: int) -> int:
    """The place in the chunk's text where the word at `last` begins, or where the sentence ends."""
    starts = read.sentence.short.starts
    return starts[last] if last < len(starts) else read.sentence.quote.end


def _has_end(read: Read) -> bool:
    """Return whether a mark ends the sentence: captions, headings and teasers have none."""
    return read.sentence.quote.text.rstrip(_CLOSING)[-1:] in _ENDING


def _is_entry(read: Read) -> bool:
    """Return whether the sentence is an entry of a list: all behind its mark, up to the end of the line."""
    quote, text = read.sentence.quote, read.chunk_text
    line = text.rfind("\n", 0, quote.start) + 1
    is_first = _ENTRY.fullmatch(text, line, quote.start) is not None
    return is_first and "\n" in text[quote.end : quote.end + 2]


def _is_ended(read: Read, phrase: Phrase) -> bool:
    """Return whether the sentence is whole: a mark ends it, or it is an entry and its verb is a finite one.

    "Questions considered in May" is no sentence.
    """
    if _has_end(read):
        return True
    tree = read.unnamed
    is_finite = any(
        tree.parse.upos[index] == "AUX" or tree.words[index].lower() == f"{tree.parse.lemmas[index]}s"
        for index in phrase.predicate
    )
    return is_finite and _is_entry(read)


def _list_only_names(read: Read, phrase: Phrase) -> frozenset[int] | None:
    """The entities that a phrase names, where it says nothing else; None where it does."""
    tree, units = read.unnamed, read.sentence.short.units
    words = range(phrase.first, phrase.last)
    if any(
        index not in units and tree.parse.upos[index] not in ("ADP", "DET", "PUNCT", "CCONJ")
        for index in words
    ):
        return None
    return frozenset(entity for index in words if index in units for entity in units[index].entities)


def _list_readable_sentences(
    chunk: ChunkText,
    entities: Sequence[FoundEntity],
    quotations: Sequence[Quotation],
    lines: Iterable[Quotation],
    pipeline: "Pipeline",
) -> Iterator[_Readable]:
    """The sentences of a chunk about its names or topic that are not taken back, doubted or too long.

    One with a pronoun may be about what the sentence before it names, and one of a quotation, or of the lines
    that somebody says, about that one.
    """
    spoken = [*quotations, *lines]
    topic = _find_topic_entity(chunk, entities)
    title = frozenset(_WORD.findall(chunk.document_title.lower()))
    is_of_people = not PERSONAL.isdisjoint(_WORD.findall(chunk.text.lower()))
    read_until = -1
    for sentence, units, _, quote in split_into_units(chunk, entities):
        between = chunk.text[read_until : sentence.start]
        follows = read_until >= 0 and not between.strip() and between.count("\n") <= _BLANK_LINE
        goes_on = read_until >= 0 and _is_continued(chunk.text, read_until, sentence)
        read_until = -1
        if (
            not sentence.outside
            # What follows may tell of somebody else than the pronoun behind it means.
            and (
                units
                or topic is not None
                or (follows and is_of_people)
                or _may_point(sentence, spoken, goes_on=goes_on)
            )
            and _HEADING.search(quote.text) is None
            and find_retraction(sentence.lower) is None
            and not is_supposed(sentence, units[0].first if units else 0)
            and detect_language(quote.text, ENGLISH) == ENGLISH
        ):
            short = _shorten_names(chunk.text, sentence, units, quotations, pipeline)
            if len(short.words) <= LONGEST_SENTENCE:
                dates = [
                    (sentence.starts[span.first], sentence.ends[span.last - 1], span)
                    for span in find_time_spans(chunk.text, sentence)
                ]
                is_doubted = is_doubtful(sentence, units[0].first if units else 0)
                yield _Readable(short, quote, dates, topic, title, goes_on, follows, is_doubted)
                read_until = sentence.end


def _is_continued(text: str, read_until: int, sentence: Sentence) -> bool:
    """Return whether a sentence goes on; into another paragraph only its first word may point."""
    between = text[read_until : sentence.start]
    is_ended = text[:read_until].rstrip(_CLOSING)[-1:] in _STOPS
    is_next = "\n" not in between or (sentence.lower[0] in CENTRED and is_ended)
    return is_next and between.count("\n") <= _BLANK_LINE


def _may_point(sentence: Sentence, spoken: Iterable[Quotation], *, goes_on: bool) -> bool:
    """Return whether a sentence may be about what the one before names, or about who says it."""
    points = goes_on and (sentence.lower[0] == "the" or not CENTRED.isdisjoint(sentence.lower))
    return points or any(
        quotation.start < sentence.end and sentence.start < quotation.end for quotation in spoken
    )


def _find_topic_entity(chunk: ChunkText, entities: Sequence[FoundEntity]) -> int | None:
    """The entity that the document is about: that of its title, else the one that its title names first."""
    for position, entity in enumerate(entities):
        if entity.is_background:
            return position
    exact = find_title_entity(chunk, entities)
    if exact is not None:
        return exact
    title = f" {normalise_name(chunk.document_title)} "
    offsets = {
        position: title.find(f" {normalise_name(entity.name)} ") for position, entity in enumerate(entities)
    }
    named = [position for position, offset in offsets.items() if offset >= 0]
    return min(named, key=lambda position: offsets[position]) if named else None


def _build_tree(short: _Shortened, parse: "Parse") -> Tree:
    """The tree, in which a name before a noun or a number is cut: of "the Acme team" it is the team's."""
    qualifying = {
        index
        for index, following in pairwise(range(len(short.words)))
        if index in short.units
        and following not in short.units
        and (
            (parse.upos[following] == "NOUN" and short.words[following][:1].islower())
            or parse.upos[following] in ("NUM", "PROPN")
        )
    }
    return Tree.of(short.words, parse, short.units, short.cut | qualifying)


def _shorten_names(
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
    units_by_word: dict[int, Unit] = {}
    cut: set[int] = set()
    ends = [sentence.ends[unit.last - 1] for unit in units]
    following = 0
    notes = [match.span() for match in _NOTE.finditer(text, sentence.start, sentence.end)]
    for start, end in pipeline.tokens(text, _index_behind_note_number(sentence, units), sentence.end):
        if any(first <= start < last for first, last in notes):
            continue
        while following < len(units) and ends[following] <= start:
            following += 1
        inside = following < len(units) and sentence.starts[units[following].first] <= start
        if inside and units_by_word.get(len(words) - 1) is units[following]:
            if text[start].isalnum():
                words[-1] = text[start:end]
            continue
        if inside:
            unit = units[following]
            units_by_word[len(words)] = unit
            if _is_cut(text, sentence.starts[unit.first], ends[following], unit, quotations):
                cut.add(len(words))
        words.append(text[start:end])
        starts.append(start)
    return _Shortened(words, starts, units_by_word, frozenset(cut))


def _index_behind_note_number(sentence: Sentence, units: Sequence[Unit]) -> int:
    """Where a sentence begins behind the number of a paragraph or note: "147 The bridge", "[147] In May".

    Before a small word with a capital a number counts nothing; "36 Acme", "12 Monkeys" are no such numbers.
    """
    words = sentence.words[: units[0].first] if units else sentence.words
    number = next((index for index, word in enumerate(words) if any(map(str.isalpha, word))), 0)
    is_numbered = words[number : number + 1] and words[number].lower() in STOP_WORDS
    return sentence.starts[number] if is_numbered and words[number][0].isupper() else sentence.start


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
