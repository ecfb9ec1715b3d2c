"""Answers a question from the rows of tables: what is asked for is the cell of one column, where the cells of
others are what the question names; pure.

"Who works in Ulm?" names a cell of the column City and asks for the person whose row it is. Each word of the
question has to be a named cell, or to belong to a column that is named or asked for: by its header, by a
relation that the registry reads from both, or by the kind of its cells. Else the rows tell nothing.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice, product
from typing import NamedTuple

from app.answers.candidates import Quotable
from app.answers.plurals import asks_for_several
from app.answers.shapes import SpanKind, TableCells
from app.answers.short_answers import find_kind_asked
from app.answers.stated import ReadWords, read_question
from app.answers.table_rows import DATE, NUMBER, Row, Table, list_stems, list_tables
from app.documents.language import guess_language
from app.domain.relation_phrases import (
    StatedRelation,
    are_close_relations,
    load_kinds_by_interrogative,
    load_relations_by_header,
    load_relations_by_phrase,
)
from app.domain.relation_types import RELATION_TYPES
from app.domain.scoring.keywords import RELATED
from app.domain.scoring.negation import is_negated
from app.extraction.rules.records.headers import CATEGORY_BY_NAME, NODE_TYPES, PLACES
from app.graph.name_forms import is_interrogative
from app.graph.questions import (
    VERB_PREPOSITIONS,
    capitalised_names,
    capitalises_nouns,
    is_yes_no_question,
    relation_hints,
)
from app.graph.shapes import Node

_LEAST_SHARED, _LONGEST_ENDING = 4, 3
"""Letters that two forms of a word share at its beginning, and those that each may have behind them."""
_MOST_ALTERNATIVES = 16
"""Ways to read the named cells of one row as its columns; a row with more is no answer."""
_ENGLISH, _AUXILIARY = "en", "do"
_GRAMMAR = frozenset(("ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "SCONJ"))
"""Parts of speech of words that ask for nothing."""
_NOUNS = frozenset(("NOUN", "PROPN", "NUM"))
_SUBJECTS = frozenset(("nsubj", "nsubj:pass"))
_PLACE, _PERSON = "Location", "Person"
_BELONGS_TO = frozenset((_PLACE, "Organization"))
"""Kinds of what somebody belongs to."""
_SPAN_KINDS = {DATE: SpanKind.DATE, NUMBER: SpanKind.NUMBER}
_Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class RowAnswer:
    """The rows that answer, in the order of their sources, and the one cell that is asked for, if there is
    one.
    """

    sentences: tuple[Quotable, ...] = ()
    short_answer: str | None = None
    kind: SpanKind = SpanKind.NAME
    asked_words: tuple[str, ...] = ()
    """Words of the question that are no named cells and ask for something."""
    unfit: tuple[Quotable, ...] = ()
    """Rows about what is named that cannot answer: they have no cell of the kind asked for, or state what
    is asked the other way round."""
    unsaid: tuple[str, ...] = ()
    """Words of the question that belong to no column of the rows about what is `named`."""
    named: tuple[str, ...] = ()
    tables: tuple[TableCells, ...] = ()
    """Of the tables that answer, the cells that each row of the answer has."""


@dataclass(frozen=True, slots=True)
class _RowMatch:
    """A table's rows whose cells under `given` are what the question names, one header for each name; all of
    its rows where the question names none of their cells.
    """

    table: Table
    given: tuple[str, ...]
    rows: list[Row] = field(default_factory=list)


class _AskedWords:
    """A question by its stems: which of them are named cells, and what the others ask for."""

    def __init__(self, question: str, asks_nothing: Collection[str]) -> None:
        self.question = question
        self.stems = list_stems(question)
        self._asks_nothing = asks_nothing
        self._interrogatives = {
            word.strip("¿?¡!,.").casefold()
            for word in question.split()
            if is_interrogative(word.strip("¿?¡!,."))
        }
        self.language = guess_language(question)
        self.read: ReadWords | None = read_question(question, self.language)
        kinds = load_kinds_by_interrogative()
        asked_kinds = {kinds[word] for word in self._interrogatives if word in kinds}
        self.kind_asked = next(iter(asked_kinds)) if len(asked_kinds) == 1 else None
        if self.kind_asked is None:
            self.kind_asked = {SpanKind.DATE: DATE, SpanKind.NUMBER: NUMBER}.get(
                find_kind_asked(question)  # type: ignore[arg-type]
            )
        self.relations = self._list_relations()
        self._grammar = self._list_grammar_words()
        self.asks_which = (
            self.read is None
            or self.kind_asked is not None
            or any(
                upos == "DET" and is_interrogative(word)
                for word, upos in zip(self.read.words, self.read.parse.upos, strict=True)
            )
        )
        """True where the question asks for somebody, how many, or which ones: "which people"."""
        self.nouns = self._list_nouns()

    def _list_nouns(self) -> frozenset[str]:
        """The stems of nouns, by the reader, or by the capital of a language that writes them with one; none
        in another language that is not read.
        """
        if self.read is not None:
            starts = self._list_starts(_NOUNS)
            return frozenset(stem for stem, start, _ in self.stems if start in starts)
        return frozenset(
            stem
            for stem, start, _ in self.stems
            if capitalises_nouns(self.question) and not self.question[start].islower()
        )

    def _list_grammar_words(self) -> set[int]:
        """The indexes of `stems` whose word the reader takes for one of grammar."""
        starts = self._list_starts(_GRAMMAR)
        return {index for index, (_, start, _) in enumerate(self.stems) if start in starts}

    def _list_starts(self, parts_of_speech: Collection[str]) -> set[int]:
        """The starts of words of these parts of speech; none where the language is not read."""
        if self.read is None:
            return set()
        return {
            start
            for (start, _), upos in zip(self.read.ranges, self.read.parse.upos, strict=True)
            if upos in parts_of_speech
        }

    def _list_relations(self) -> list[tuple[StatedRelation, frozenset[str]]]:
        """The relations that words of the question state, each with the stems of these words."""
        by_phrase = load_relations_by_phrase()
        # "Where was she born?" has no preposition.
        behind = ("", "_in") if self.kind_asked == _PLACE else ("",)
        return [
            (relation, frozenset(stem for stem, _, _ in list_stems(hint.replace("_", " "))))
            for hint in relation_hints(self.question)
            for preposition in behind
            for relation in by_phrase.get(f"{hint}{preposition}", ())
        ]

    def find(self, cell_stems: Sequence[str]) -> Iterator[_Range]:
        """The places, as indexes of `stems`, where all words of a cell stand side by side."""
        count = len(cell_stems)
        own = [stem for stem, _, _ in self.stems]
        for start in range(len(own) - count + 1) if count else ():
            if own[start : start + count] == cell_stems:
                yield start, start + count

    def to_text_range(self, place: _Range) -> _Range:
        """Return the range in the question's text of a place, which counts stems."""
        return self.stems[place[0]][1], self.stems[place[1] - 1][2]

    def list_others(self, named: Iterable[_Range]) -> list[str]:
        """The stems that are no named cell and ask for something, in order."""
        inside = {index for start, end in named for index in range(start, end)}
        inside |= self._grammar
        return [
            stem
            for index, (stem, start, end) in enumerate(self.stems)
            if index not in inside
            and stem not in self._asks_nothing
            and not is_interrogative(self.question[start:end])
        ]

    def word_of(self, stem: str) -> str:
        """The word of the question with this stem, as it is written."""
        return next(self.question[start:end] for own, start, end in self.stems if own == stem)

    def counts(self, table: Table) -> bool:
        """Return whether a question for a number asks how many rows there are."""
        return self.kind_asked == NUMBER and any(
            stem in self._asks_nothing or _names_rows(stem, table) for stem in self.nouns
        )

    def list_prepositions(self, named: _Range) -> list[str]:
        """The prepositions of a named thing, where the language is read."""
        if self.read is None:
            return []
        first, last = self.to_text_range(named)
        return [
            preposition
            for word, (start, _) in enumerate(self.read.ranges)
            if first <= start < last
            for preposition in self.read.cases(word)
            if preposition.isalpha()
        ]

    def is_named_alone(self, named: _Range) -> bool:
        """Return whether what is named is meant itself: "before 2025" and "than Ann" mean others."""
        return self.language != _ENGLISH or VERB_PREPOSITIONS.issuperset(self.list_prepositions(named))

    def is_doer_named(self, named: _Range) -> bool:
        """Return whether a named thing is the subject of its verb, by the reader or by an auxiliary before
        it: "Who does Ann report to?", "Where is Ann based?"
        """
        if self.read is None:
            return False
        first, last = self.to_text_range(named)
        parse = self.read.parse
        return any(
            (parse.lemmas[word].casefold() == _AUXILIARY and end <= first)
            or (parse.relations[word] in _SUBJECTS and first <= start < last)
            for word, (start, end) in enumerate(self.read.ranges)
        )

    def may_be_verb(self, stem: str) -> bool:
        """Return whether a word is no noun, in an unread language that writes nouns with a capital."""
        return self.read is None and bool(self.nouns) and stem not in self.nouns

    def is_verb_of(self, stem: str, named: _Range) -> bool:
        """Return whether a word is a verb on which a named thing hangs with a preposition: "sit in Ulm"."""
        if self.read is None:
            return False
        first, last = self.to_text_range(named)
        return any(
            self.read.cases(word)
            and self.read.parse.upos[head] == "VERB"
            and any(own == stem for own, _, _ in list_stems(self.read.words[head]))
            for word, head in enumerate(self.read.parse.heads)
            if first <= self.read.ranges[word][0] < last
        )


def look_up_rows(
    question: str,
    sentences: Iterable[Quotable],
    nodes: Iterable[Node],
    *,
    asks_nothing: Collection[str],
    ended: Collection[tuple[int, str]] = (),
) -> RowAnswer:
    """The rows among the sentences that answer a question; no rows where none does, or it asks for yes or no.

    `asks_nothing` has the stems of words that ask for nothing by themselves. What has `ended`, by source and
    quote, answers when it did, and nothing else.
    """
    if is_yes_no_question(question):
        return RowAnswer()
    tables = list_tables(sentences, nodes)
    if not tables:
        return RowAnswer()
    asked = _AskedWords(question, asks_nothing)
    named = _list_named_cells(asked, tables)
    matches = [match for table in tables for match in _list_row_matches(table, named)]
    if is_negated(question) or not all(map(asked.is_named_alone, named)):
        return RowAnswer(unfit=tuple(row.sentence for match in matches for row in match.rows))
    if not named and asks_for_several(question):
        matches = [_RowMatch(table, (), list(table.rows)) for table in tables]
    verdicts = [(match, _judge_match(asked, list(named), match)) for match in matches]
    worths = [verdict.worth for _, verdict in verdicts if verdict.worth is not None]
    if not worths:
        return _describe_refusal(asked, named, verdicts if named else ())
    best = max(worths)
    return _build_answer(
        [(match, verdict.header) for match, verdict in verdicts if verdict.worth == best], ended
    )


def _describe_refusal(
    asked: _AskedWords, named: Collection[_Range], verdicts: Sequence[tuple[_RowMatch, "_Verdict"]]
) -> RowAnswer:
    """Return which rows about what is named cannot answer, and which words have none of their columns."""
    others = asked.list_others(named)
    matches = [match for match, _ in verdicts]
    unfit: dict[int, Table] = {}
    fit: list[Row] = []
    unsaid: dict[str, None] = {}
    for match, verdict in verdicts:
        of_no_column = [stem for stem in others if not _is_of_rows(asked, stem, match)]
        if not verdict.may_answer or of_no_column or _is_of_another(others, match, matches):
            unfit[id(match.table)] = match.table
            unsaid.update(dict.fromkeys(of_no_column))
        else:
            fit += match.rows
    # The other rows of such a table are about other things.
    unfit_rows = [row.sentence for table in unfit.values() for row in table.rows if row not in fit]
    names = [asked.question[slice(*asked.to_text_range(place))] for place in named]
    return RowAnswer(
        asked_words=tuple(map(asked.word_of, others)),
        unfit=tuple(unfit_rows),
        unsaid=tuple(map(asked.word_of, unsaid)),
        named=tuple(names),
    )


def _build_answer(
    answers: Sequence[tuple[_RowMatch, str | None]], ended: Collection[tuple[int, str]]
) -> RowAnswer:
    answering = [
        (row, match.table, header)
        for match, header in answers
        for row in match.rows
        if (header is not None and match.table.kind_of_header[header] == DATE)
        or not _has_ended(row.sentence, ended)
    ]
    sentences = [row.sentence for row, _, _ in answering]
    cells = {
        ("", "") if header is None else (row.cells.get(header, ""), table.kind_of_header[header])
        for row, table, header in answering
    }
    text, kind = next(iter(cells)) if len(cells) == 1 else ("", "")
    ordered = sorted(
        sentences, key=lambda sentence: (-sentence.source.trust, sentence.source.number, sentence.start)
    )
    # A source may be a part of another one's chunk.
    by_position = {
        (sentence.source.document_id, sentence.source.char_start + sentence.start): sentence
        for sentence in ordered
    }
    return RowAnswer(
        tuple(by_position.values()),
        text or None,
        _SPAN_KINDS.get(kind, SpanKind.NAME),
        tables=tuple(_list_table_cells(match for match, _ in answers)),
    )


def _list_table_cells(matches: Iterable[_RowMatch]) -> Iterator[TableCells]:
    """The documents of the rows that answer, each with the cells that its rows have in common."""
    for match in matches:
        texts_by_header = [{row.cells[header] for row in match.rows} for header in match.given]
        common_cells = tuple(next(iter(texts)) for texts in texts_by_header if len(texts) == 1)
        for document_id in dict.fromkeys(row.sentence.source.document_id for row in match.rows):
            yield TableCells(document_id, common_cells)


def _has_ended(sentence: Quotable, ended: Collection[tuple[int, str]]) -> bool:
    return any(
        number == sentence.source.number and (quote in sentence.text or sentence.text in quote)
        for number, quote in ended
    )


def _list_named_cells(asked: _AskedWords, tables: Sequence[Table]) -> Mapping[_Range, frozenset[str]]:
    """The places of the question that are cells of some row, with the texts of these cells; none that lies
    within a longer one, or is only a part of a name.
    """
    texts = {cell for table in tables for row in table.rows for cell in row.cells.values()}
    places: dict[_Range, set[str]] = {}
    for text in sorted(texts):
        for place in asked.find([stem for stem, _, _ in list_stems(text)]):
            places.setdefault(place, set()).add(text)
    header_stems = {stem for table in tables for header in table.headers for stem, _, _ in list_stems(header)}
    return {
        place: frozenset(cells)
        for place, cells in places.items()
        if not any(other != place and other[0] <= place[0] and place[1] <= other[1] for other in places)
        and not _is_part_of_name(asked, place, header_stems)
    }


def _is_part_of_name(asked: _AskedWords, place: _Range, header_stems: Collection[str]) -> bool:
    """Return whether a name that the question writes begins before the place or ends behind it with a word
    that is no header: "Neu Ulm" is not Ulm.
    """
    first, last = asked.to_text_range(place)
    return any(
        name.start < last
        and first < name.end
        and any(
            name.start <= start < name.end and not first <= start < last and stem not in header_stems
            for stem, start, _ in asked.stems
        )
        for name in capitalised_names(asked.question)
    )


def _list_row_matches(table: Table, named: Mapping[_Range, frozenset[str]]) -> list[_RowMatch]:
    """The rows that have a cell for each named place, by the headers of these cells."""
    matches: dict[tuple[str, ...], _RowMatch] = {}
    for row in table.rows if named else ():
        choices = [
            [header for header, cell in row.cells.items() if cell in texts] for texts in named.values()
        ]
        for given in islice(product(*choices), _MOST_ALTERNATIVES):
            if len(set(given)) == len(given):
                matches.setdefault(given, _RowMatch(table, given)).rows.append(row)
    return list(matches.values())


class _Verdict(NamedTuple):
    """The judgement of a match: it may answer or not, and if it answers, its worth and the header asked for.

    `header` is None if several may be asked for.
    """

    may_answer: bool
    worth: float | None = None
    header: str | None = None


def _judge_match(asked: _AskedWords, named: Sequence[_Range], match: _RowMatch) -> _Verdict:
    """Return whether a match may answer the question, and what its answer is worth.

    It may not if no column is of the kind asked for, or if the relation is stated the other way round. It has
    no answer if a word of the question belongs to no column.
    """
    table = match.table
    others = asked.list_others(named)
    own_by_header = _group_words_by_header(asked, others, match)
    candidates = [
        header for header, own in own_by_header.items() if _may_be_asked_for(asked, table, header, own)
    ]
    if not candidates:
        return _Verdict(False)
    directed = [header for header in candidates if _is_stated_in_direction(asked, named, match, header)]
    fitting = {
        header: worth
        for header in directed
        if (worth := _weigh_column(asked, named, match, header, own_by_header[header])) is not None
    }
    if not fitting:
        return _Verdict(len(directed) == len(candidates))
    best = max(fitting.values())
    leading = [header for header, worth in fitting.items() if worth == best]
    return _Verdict(True, len(named) + 0.1 * best, leading[0] if len(leading) == 1 else None)


def _group_words_by_header(
    asked: _AskedWords, others: Collection[str], match: _RowMatch
) -> dict[str, set[str]]:
    """Return the words of the question that belong to each column that names none of its cells."""
    own_by_header = {
        header: {stem for stem in others if _belongs_to_column(asked, stem, match.table, header)}
        for header in match.table.headers
        if header not in match.given
    }
    # Words that say it in another way count where no column has them.
    of_none = {stem for stem in others if not _is_said_by_some_column(asked, stem, match.table)}
    for header, own in own_by_header.items():
        own.update(stem for stem in of_none if _is_related_to_header(asked, stem, header))
    return own_by_header


def _may_be_asked_for(asked: _AskedWords, table: Table, header: str, own: Collection[str]) -> bool:
    """Return whether a column may hold what is asked for; `own` has the words of the question that belong to
    it. Who supplies a part may be a company, nobody is a date, and the rows say themselves how many they are.
    """
    kind = table.kind_of_header[header]
    if asked.kind_asked is None or kind == asked.kind_asked:
        return True
    if asked.kind_asked in (DATE, NUMBER):
        is_counted = asked.counts(table) and header in table.naming_headers
        return is_counted or (kind not in (DATE, NUMBER) and header in table.headers_with_digits)
    if kind in (DATE, NUMBER):
        return False
    return bool(own) or kind == "" or (asked.kind_asked == _PERSON and kind == "Organization")


def _weigh_column(
    asked: _AskedWords, named: Sequence[_Range], match: _RowMatch, header: str, own: Collection[str]
) -> float | None:
    """Return what a column is worth as the one asked for; None if a word of the question has no column.

    Without a word of its own that is the column which names the row, where the question says that it asks
    for somebody or which ones.
    """
    table = match.table
    names_row = header in table.naming_headers
    others = asked.list_others(named)
    of_rest = {
        stem
        for stem in others
        if _is_of_given_or_rows(asked, stem, match)
        or _is_verb_of_place(asked, stem, named, match, header)
        or (own and _is_place_of_unknown_column(asked, stem, named, match))
    }
    unsaid = set(others) - set(own) - of_rest
    # A language that is not read tells its nouns at least: what has the noun asked for answers.
    if unsaid and (asked.read is not None or unsaid & asked.nouns or not asked.nouns.intersection(own)):
        return None
    asks_rows = bool(named) and (
        names_row and asked.asks_which and not _is_of_itself(asked, named, others, match)
    )
    asks_place = bool(named) and asked.kind_asked == _PLACE == table.kind_of_header[header]
    if not own and not asks_rows and not asks_place:
        return None
    of_kind = asked.kind_asked is not None and table.kind_of_header[header] == asked.kind_asked
    # What a row says of itself comes before what it says of another.
    of_itself = names_row or bool(set(match.given) & set(table.naming_headers))
    return len(set(own) - of_rest) + 0.5 * len(own) + 0.25 * of_kind + 0.1 * names_row + 0.05 * of_itself


def _is_of_given_or_rows(asked: _AskedWords, stem: str, match: _RowMatch) -> bool:
    """Return whether a word belongs to a column whose cell is named, or says what the rows are."""
    return _names_rows(stem, match.table) or any(
        _belongs_to_column(asked, stem, match.table, given) or _is_related_to_header(asked, stem, given)
        for given in match.given
    )


def _is_of_itself(
    asked: _AskedWords, named: Sequence[_Range], others: Collection[str], match: _RowMatch
) -> bool:
    """Return whether a question asks only who a named thing is: rows that mention it are others."""
    return not others and any(
        match.table.kind_of_header[given] and not asked.list_prepositions(place)
        for place, given in zip(named, match.given, strict=True)
    )


def _belongs_to_column(asked: _AskedWords, stem: str, table: Table, header: str) -> bool:
    """Return whether a word of the question is one of a header in some form, or states its relation."""
    header_stems = [own for own, _, _ in list_stems(header)]
    if any(_are_forms_of_one_word(stem, own) for own in header_stems):
        return True
    word = asked.word_of(stem).casefold()
    relations = table.relations_of_header[header]
    if any(
        stem in words and are_close_relations(relation.relation, own.relation)
        for relation, words in asked.relations
        for own in relations
    ):
        return True
    # A noun is another word for the header: "boss" of a supervisor, but no country for a city.
    own_relations = {relation.relation for relation in relations}
    named_relations = load_relations_by_header().get(word, frozenset())
    return word not in PLACES and any(relation.relation in own_relations for relation in named_relations)


def _is_related_to_header(asked: _AskedWords, stem: str, header: str) -> bool:
    """Return whether a word says in another way what a header says: "cost" of a price."""
    return asked.word_of(stem).casefold() not in PLACES and any(
        own in RELATED.get(stem, ()) for own, _, _ in list_stems(header)
    )


def _are_forms_of_one_word(one: str, other: str) -> bool:
    shared = 0
    while shared < min(len(one), len(other)) and one[shared] == other[shared]:
        shared += 1
    return one == other or (shared >= _LEAST_SHARED and max(len(one), len(other)) - shared <= _LONGEST_ENDING)


def _names_rows(stem: str, table: Table) -> bool:
    """Return whether a word says what the rows are: a header that names them, their kind, or the title."""
    return (
        any(_are_forms_of_one_word(stem, own) for own in table.title_stems)
        or any(
            _are_forms_of_one_word(stem, own)
            for header in table.naming_headers
            for own, _, _ in list_stems(header)
        )
        or any(
            table.kind_of_header[header] == NODE_TYPES.get(category, category)
            for key, category in CATEGORY_BY_NAME.items()
            if key not in PLACES and [own for own, _, _ in list_stems(key)] == [stem]
            for header in table.naming_headers
        )
    )


def _is_verb_of_place(
    asked: _AskedWords, stem: str, named: Sequence[_Range], match: _RowMatch, header: str
) -> bool:
    """Return whether a word is a verb that only says that somebody is at a place: no relation of the registry
    says another thing of it, and the place is asked for, or named behind a preposition. There the verb has to
    be one that the registry says of places or of who belongs to them, where the language is read: "invested
    in Ulm" says more.
    """
    if any(stem in words for _, words in asked.relations):
        return False
    kinds = match.table.kind_of_header
    if asked.kind_asked == _PLACE and kinds[header] == _PLACE:
        return True
    if asked.read is not None and stem not in _load_verbs_of_place():
        return False
    return header in match.table.naming_headers and any(
        kinds[given] == _PLACE and (asked.is_verb_of(stem, place) or asked.may_be_verb(stem))
        for place, given in zip(named, match.given, strict=True)
    )


@cache
def _load_verbs_of_place() -> frozenset[str]:
    """Return the stems of the words by which the registry says where somebody is, or where they belong."""
    return frozenset(
        stem
        for entry in RELATION_TYPES
        for wording in entry.wordings
        if wording.locating or (entry.ends.targets and entry.ends.targets <= _BELONGS_TO)
        for words in wording.words
        for stem, _, _ in list_stems(words.partition(" ")[0])
    )


def _is_place_of_unknown_column(
    asked: _AskedWords, stem: str, named: Sequence[_Range], match: _RowMatch
) -> bool:
    """Return whether a word says of a named cell that it is a place, "based in Ulm", where nothing tells what
    the cell's column holds and no other column is one of places.
    """
    table = match.table
    if not any(stem in words and _is_stated_by_places(relation) for relation, words in asked.relations):
        return False
    return _PLACE not in table.kind_of_header.values() and any(
        not table.kind_of_header[given] and not table.relations_of_header[given]
        for place, given in zip(named, match.given, strict=True)
        if asked.is_verb_of(stem, place)
    )


def _is_stated_by_places(relation: StatedRelation) -> bool:
    """Return whether a column of places states the relation of its rows: where they are, not were born."""
    return any(
        are_close_relations(relation.relation, own.relation)
        for header in PLACES
        for own in load_relations_by_header().get(header, ())
    )


def _is_stated_in_direction(
    asked: _AskedWords, named: Sequence[_Range], match: _RowMatch, header: str
) -> bool:
    """Return whether no relation of the question is the one of the named or asked column turned round."""
    relations_of, naming = match.table.relations_of_header, match.table.naming_headers
    is_doer_named = any(asked.is_doer_named(place) for place in named)
    for relation, _ in asked.relations:
        # The interrogative is the subject of its verb, but where the named thing is.
        asks_source = relation.turned == is_doer_named
        of_asked = {own.turned for own in relations_of[header] if own.relation == relation.relation}
        of_given = {
            own.turned
            for given in match.given
            if header in naming and given not in naming
            for own in relations_of[given]
            if own.relation == relation.relation
        }
        if (header not in naming and of_asked == {not asks_source}) or of_given == {asks_source}:
            return False
    return True


def _is_of_rows(asked: _AskedWords, stem: str, match: _RowMatch) -> bool:
    """Return whether a word of the question says something of a match's rows, as far as that can be told:
    a noun of a header, and a verb whose relation no header states unless the named column may.
    """
    table = match.table
    is_verb = any(stem in words for _, words in asked.relations)
    may_state = any(
        given not in table.naming_headers and not table.relations_of_header[given] for given in match.given
    )
    return (
        (stem not in asked.nouns and (not is_verb or may_state))
        or _names_rows(stem, table)
        or _is_said_by_some_column(asked, stem, table)
        or any(_is_related_to_header(asked, stem, header) for header in table.headers)
    )


def _is_said_by_some_column(asked: _AskedWords, stem: str, table: Table) -> bool:
    return any(_belongs_to_column(asked, stem, table, header) for header in table.headers)


def _is_of_another(others: Collection[str], match: _RowMatch, matches: Iterable[_RowMatch]) -> bool:
    """Return whether nothing is asked of what is named, and the rows only mention it where another row of
    their table is its own.
    """
    naming = set(match.table.naming_headers)
    return (
        not others
        and not naming & set(match.given)
        and any(other.table is match.table and naming & set(other.given) for other in matches)
    )
