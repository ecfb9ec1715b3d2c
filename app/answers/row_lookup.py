"""Answer a question from table rows: the question names cells of some columns and asks for the cell of
another; pure.

"Who works in Ulm?" names a cell of the column City, and asks for the person of the row. Each content word of
the question must be a named cell or belong to a column that is named or asked for: by its header, by a
relation that the registry reads from both, or by the kind of its cells. Otherwise the rows give no answer.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import NamedTuple

from app.answers.asked_columns import (
    RowMatch,
    RowVerdict,
    do_rows_only_mention_thing_of_another_row,
    judge_row_match,
    may_word_describe_rows,
)
from app.answers.candidates import Quotable
from app.answers.plurals import asks_for_several
from app.answers.shapes import NumberedQuote, SpanKind, TableCells
from app.answers.stemmed_question import StemmedQuestion, StemRange
from app.answers.table_rows import DATE, NUMBER, Row, Table, list_stems_with_ranges, list_tables
from app.domain.scoring.negation import is_negated
from app.graph.questions import (
    find_capitalised_names_in_question,
    is_yes_no_question,
)
from app.graph.shapes import Node

_MAX_CELL_ASSIGNMENTS = 16
"""Maximum number of ways to assign the named cells of a row to its columns; a row with more gives no answer.
"""
_SPAN_KINDS = {DATE: SpanKind.DATE, NUMBER: SpanKind.NUMBER}


@dataclass(frozen=True, slots=True)
class RowAnswer:
    """The rows that answer, in the order of their sources, and the cell that is asked for, if any."""

    sentences: tuple[Quotable, ...] = ()
    short_answer: str | None = None
    short_answer_kind: SpanKind = SpanKind.NAME
    asked_words: tuple[str, ...] = ()
    """Words of the question that are not named cells and ask for something."""
    unfit_rows: tuple[Quotable, ...] = ()
    """Rows about what is named that cannot answer: they have no cell of the kind asked for, or state what
    is asked the other way round."""
    unsaid_words: tuple[str, ...] = ()
    """Words of the question that belong to no column of the rows that contain the `cell_names`."""
    cell_names: tuple[str, ...] = ()
    tables: tuple[TableCells, ...] = ()
    """Of the tables that answer, the cells that each row of the answer has."""


class _JudgedMatch(NamedTuple):
    """A match, and whether it may answer the question."""

    match: RowMatch
    verdict: "RowVerdict"


class _AnsweringMatch(NamedTuple):
    """A match, and the header of the column asked for; None if several may be asked for."""

    match: RowMatch
    asked_header: str | None


def look_up_rows(
    question: str,
    sentences: Iterable[Quotable],
    nodes: Iterable[Node],
    *,
    generic_stems: Collection[str],
    ended_quotes: Collection[NumberedQuote] = (),
) -> RowAnswer:
    """Return the rows among the sentences that answer a question; none if no row does, or if the question is
    yes-or-no.

    `generic_stems` has the stems of words without content. Rows in `ended_quotes`, by source and
    quote, only answer when something ended.
    """
    if is_yes_no_question(question):
        return RowAnswer()
    tables = list_tables(sentences, nodes)
    if not tables:
        return RowAnswer()
    stemmed_question = StemmedQuestion(question, generic_stems)
    named_ranges = _list_named_cells(stemmed_question, tables)
    matches = [match for table in tables for match in _list_row_matches(table, named_ranges)]
    if is_negated(question) or not all(map(stemmed_question.is_thing_itself_asked_about, named_ranges)):
        return RowAnswer(unfit_rows=tuple(row.sentence for match in matches for row in match.rows))
    if not named_ranges and asks_for_several(question):
        matches = [RowMatch(table, (), list(table.rows)) for table in tables]
    judged_matches = [
        _JudgedMatch(match, judge_row_match(stemmed_question, list(named_ranges), match)) for match in matches
    ]
    scores = [verdict.score for _, verdict in judged_matches if verdict.score is not None]
    if not scores:
        return _explain_why_no_row_answers(
            stemmed_question, named_ranges, judged_matches if named_ranges else ()
        )
    best_score = max(scores)
    return _build_row_answer(
        [
            _AnsweringMatch(match, verdict.asked_header)
            for match, verdict in judged_matches
            if verdict.score == best_score
        ],
        stemmed_question.asked_kind,
        ended_quotes,
    )


def _explain_why_no_row_answers(
    stemmed_question: StemmedQuestion,
    named_ranges: Collection[StemRange],
    judged_matches: Sequence[_JudgedMatch],
) -> RowAnswer:
    """Return the rows about the named things that cannot answer, and the words that belong to none of their
    columns.
    """
    other_stems = stemmed_question.list_stems_outside(named_ranges)
    matches = [match for match, _ in judged_matches]
    unfit_tables: dict[int, Table] = {}
    fit_rows: list[Row] = []
    unsaid_stems: dict[str, None] = {}
    for match, verdict in judged_matches:
        stems_of_no_column = [
            stem for stem in other_stems if not may_word_describe_rows(stemmed_question, stem, match)
        ]
        if (
            not verdict.may_answer
            or stems_of_no_column
            or do_rows_only_mention_thing_of_another_row(other_stems, match, matches)
        ):
            unfit_tables[id(match.table)] = match.table
            unsaid_stems.update(dict.fromkeys(stems_of_no_column))
        else:
            fit_rows += match.rows
    # The other rows of such a table are about other things.
    unfit_rows = [
        row.sentence for table in unfit_tables.values() for row in table.rows if row not in fit_rows
    ]
    named_cells = [
        stemmed_question.question[slice(*stemmed_question.to_text_range(cell_range))]
        for cell_range in named_ranges
    ]
    return RowAnswer(
        asked_words=tuple(map(stemmed_question.get_word_of_stem, other_stems)),
        unfit_rows=tuple(unfit_rows),
        unsaid_words=tuple(map(stemmed_question.get_word_of_stem, unsaid_stems)),
        cell_names=tuple(named_cells),
    )


def _build_row_answer(
    answering_matches: Sequence[_AnsweringMatch],
    asked_kind: str | None,
    ended_quotes: Collection[NumberedQuote],
) -> RowAnswer:
    cell_kinds = [
        "" if header is None else match.table.find_kind_of_answer(header, asked_kind)
        for match, header in answering_matches
    ]
    answering_rows = [
        (row, header, kind)
        for (match, header), kind in zip(answering_matches, cell_kinds, strict=True)
        for row in match.rows
        if kind == DATE or not _is_row_in_ended_quotes(row.sentence, ended_quotes)
    ]
    sentences = [row.sentence for row, _, _ in answering_rows]
    asked_cells = {
        ("", "") if header is None else (row.cells.get(header, ""), kind)
        for row, header, kind in answering_rows
    }
    cell_text, kind = next(iter(asked_cells)) if len(asked_cells) == 1 else ("", "")
    ordered_sentences = sorted(
        sentences, key=lambda sentence: (-sentence.source.trust, sentence.source.number, sentence.start)
    )
    # A source may be a part of another one's chunk.
    sentence_by_position = {
        (sentence.source.document_id, sentence.source.char_start + sentence.start): sentence
        for sentence in ordered_sentences
    }
    return RowAnswer(
        tuple(sentence_by_position.values()),
        cell_text or None,
        _SPAN_KINDS.get(kind, SpanKind.NAME),
        tables=tuple(_list_table_cells(match for match, _ in answering_matches)),
    )


def _list_table_cells(matches: Iterable[RowMatch]) -> Iterator[TableCells]:
    """Yield the documents of the rows that answer, each with the cells that its rows have in common."""
    for match in matches:
        texts_by_header = [{row.cells[header] for row in match.rows} for header in match.named_headers]
        common_cells = tuple(next(iter(texts)) for texts in texts_by_header if len(texts) == 1)
        for document_id in dict.fromkeys(row.sentence.source.document_id for row in match.rows):
            yield TableCells(document_id, common_cells)


def _is_row_in_ended_quotes(sentence: Quotable, ended_quotes: Collection[NumberedQuote]) -> bool:
    return any(
        source_number == sentence.source.number and (quote in sentence.text or sentence.text in quote)
        for source_number, quote in ended_quotes
    )


def _list_named_cells(
    stemmed_question: StemmedQuestion, tables: Sequence[Table]
) -> Mapping[StemRange, frozenset[str]]:
    """Return the ranges of the question that are cells of a row, with the texts of these cells; none that is
    inside a longer one or is only a part of a name.
    """
    cell_texts = {cell for table in tables for row in table.rows for cell in row.cells.values()}
    texts_by_range: dict[StemRange, set[str]] = {}
    for text in sorted(cell_texts):
        for cell_range in stemmed_question.find_ranges_of_cell(
            [stem for stem, _, _ in list_stems_with_ranges(text)]
        ):
            texts_by_range.setdefault(cell_range, set()).add(text)
    header_stems = {
        stem for table in tables for header in table.headers for stem, _, _ in list_stems_with_ranges(header)
    }
    return {
        cell_range: frozenset(range_texts)
        for cell_range, range_texts in texts_by_range.items()
        if not any(
            other_range != cell_range and other_range[0] <= cell_range[0] and cell_range[1] <= other_range[1]
            for other_range in texts_by_range
        )
        and not _is_cell_part_of_longer_name_in_question(stemmed_question, cell_range, header_stems)
    }


def _is_cell_part_of_longer_name_in_question(
    stemmed_question: StemmedQuestion, cell_range: StemRange, header_stems: Collection[str]
) -> bool:
    """Return whether a name in the question extends beyond the range by a word that is not a header: "Neu
    Ulm" is not Ulm.
    """
    range_start, range_end = stemmed_question.to_text_range(cell_range)
    return any(
        name.start < range_end
        and range_start < name.end
        and any(
            name.start <= start < name.end
            and not range_start <= start < range_end
            and stem not in header_stems
            for stem, start, _ in stemmed_question.stems
        )
        for name in find_capitalised_names_in_question(stemmed_question.question)
    )


def _list_row_matches(table: Table, texts_by_range: Mapping[StemRange, frozenset[str]]) -> list[RowMatch]:
    """Return the rows that have a cell for each named range, by the headers of these cells."""
    matches: dict[tuple[str, ...], RowMatch] = {}
    for row in table.rows if texts_by_range else ():
        header_choices = [
            [header for header, cell in row.cells.items() if cell in texts]
            for texts in texts_by_range.values()
        ]
        for named_headers in islice(product(*header_choices), _MAX_CELL_ASSIGNMENTS):
            if len(set(named_headers)) == len(named_headers):
                matches.setdefault(named_headers, RowMatch(table, named_headers)).rows.append(row)
    return list(matches.values())
