"""Judge which column of a table a question asks for, once it named cells of a row; pure.

Each content word of the question must be a named cell or belong to a column that is named or asked for: by
its header, by a relation that the registry reads from both, or by the kind of its cells.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from app.answers.stemmed_question import StemmedQuestion, StemRange
from app.answers.table_rows import DATE, NUMBER, Row, Table, list_stems_with_ranges
from app.domain.relation_phrases import (
    StatedRelation,
    are_relations_alike_in_words,
    load_relations_by_header,
)
from app.domain.relation_types import RELATION_TYPES
from app.domain.scoring.keywords import RELATED_STEMS
from app.extraction.rules.records.headers import CATEGORY_BY_NAMING_KEY, LOCATION_KEYS, NODE_TYPE_BY_CATEGORY

_MIN_SHARED_LETTERS, _MAX_ENDING_LENGTH = 4, 3
"""Minimum number of letters that two forms of a word share at the beginning, and maximum number that each may
have after them.
"""
_MIN_LETTERS_OF_LAST_PART = 3
_PLACE, _PERSON = "Location", "Person"
_KINDS_WITH_MEMBERS = frozenset((_PLACE, "Organization"))
"""Kinds of things that somebody can belong to."""


@dataclass(frozen=True, slots=True)
class RowMatch:
    """The rows of a table with the named cells in the columns `named_headers`, one for each name; all rows if
    the question names none of their cells.
    """

    table: Table
    named_headers: tuple[str, ...]
    rows: list[Row] = field(default_factory=list)


class RowVerdict(NamedTuple):
    """The judgement of a match: it may answer or not, and if it answers, its score and the header asked for.

    `asked_header` is None if several may be asked for.
    """

    may_answer: bool
    score: float | None = None
    asked_header: str | None = None


def judge_row_match(
    stemmed_question: StemmedQuestion, named_ranges: Sequence[StemRange], match: RowMatch
) -> RowVerdict:
    """Return whether a match may answer the question, and the score of its answer.

    It may not if no column is of the kind asked for, or if the relation is stated the other way round. It has
    no answer if a word of the question belongs to no column.
    """
    table = match.table
    other_stems = stemmed_question.list_stems_outside(named_ranges)
    stems_by_header = _group_question_stems_by_unnamed_column(stemmed_question, other_stems, match)
    candidate_headers = [
        header
        for header, column_stems in stems_by_header.items()
        if _may_question_ask_for_column(stemmed_question, table, header, column_stems)
    ]
    if not candidate_headers:
        return RowVerdict(False)
    directed_headers = [
        header
        for header in candidate_headers
        if _do_columns_state_relations_in_asked_direction(stemmed_question, named_ranges, match, header)
    ]
    score_by_header = {
        header: score
        for header in directed_headers
        if (score := _score_column(stemmed_question, named_ranges, match, header, stems_by_header[header]))
        is not None
    }
    if not score_by_header:
        return RowVerdict(len(directed_headers) == len(candidate_headers))
    best_score = max(score_by_header.values())
    leading_headers = [header for header, score in score_by_header.items() if score == best_score]
    return RowVerdict(
        True, len(named_ranges) + 0.1 * best_score, leading_headers[0] if len(leading_headers) == 1 else None
    )


def _group_question_stems_by_unnamed_column(
    stemmed_question: StemmedQuestion, other_stems: Collection[str], match: RowMatch
) -> dict[str, set[str]]:
    """Return the words of the question that belong to each column without a named cell."""
    stems_by_header = {
        header: {
            stem for stem in other_stems if _belongs_to_column(stemmed_question, stem, match.table, header)
        }
        for header in match.table.headers
        if header not in match.named_headers
    }
    # Words that say it in another way count where no column has them.
    stems_of_no_column = {
        stem for stem in other_stems if not _is_said_by_some_column(stemmed_question, stem, match.table)
    }
    for header, column_stems in stems_by_header.items():
        column_stems.update(
            stem for stem in stems_of_no_column if _does_word_mean_header(stemmed_question, stem, header)
        )
    return stems_by_header


def _may_question_ask_for_column(
    stemmed_question: StemmedQuestion, table: Table, header: str, column_stems: Collection[str]
) -> bool:
    """Return whether a column may have what is asked for; `column_stems` are the question's words that belong
    to it.

    A supplier may be a company, a date is nobody, and the number of rows is in no column. A number that may
    be a year is a date only where the question has a word of its column, and names nothing that is counted:
    "when were units sold?"
    """
    kind = table.kind_by_header[header]
    if stemmed_question.asked_kind is None or kind == stemmed_question.asked_kind:
        return True
    if stemmed_question.asked_kind == DATE and header in table.year_headers:
        return (
            bool(column_stems)
            and stemmed_question.noun_stems.intersection(column_stems) <= stemmed_question.kind_noun_stems
        )
    if stemmed_question.asked_kind in (DATE, NUMBER):
        is_counted = _asks_for_count(stemmed_question, table) and header in table.naming_headers
        return is_counted or (kind not in (DATE, NUMBER) and header in table.headers_with_digits)
    if kind in (DATE, NUMBER):
        return False
    return (
        bool(column_stems)
        or kind == ""
        or (stemmed_question.asked_kind == _PERSON and kind == "Organization")
    )


def _score_column(
    stemmed_question: StemmedQuestion,
    named_ranges: Sequence[StemRange],
    match: RowMatch,
    header: str,
    column_stems: Collection[str],
) -> float | None:
    """Return the score of a column as the one asked for; None if a word of the question belongs to no column.

    Without a word of its own, it must be the column that names the row, and the question must ask for
    somebody or for which ones.
    """
    table = match.table
    names_row = header in table.naming_headers
    other_stems = stemmed_question.list_stems_outside(named_ranges)
    explained_stems = _list_stems_explained_without_column(
        stemmed_question, other_stems, named_ranges, match, header, column_stems
    )
    may_be_of_asked_kind = stemmed_question.asked_kind is not None and table.may_column_be_of_kind(
        header, stemmed_question.asked_kind
    )
    if may_be_of_asked_kind:
        explained_stems |= stemmed_question.kind_noun_stems
    unsaid_stems = set(other_stems) - set(column_stems) - explained_stems
    # A language that is not read tells its nouns at least: what has the noun asked for answers.
    if unsaid_stems and (
        stemmed_question.parsed_question is not None
        or unsaid_stems & stemmed_question.noun_stems
        or not stemmed_question.noun_stems.intersection(column_stems)
    ):
        return None
    asks_for_rows = bool(named_ranges) and (
        names_row
        and stemmed_question.asks_which
        and not _asks_only_who_is_named(stemmed_question, named_ranges, other_stems, match)
    )
    asks_for_place = (
        bool(named_ranges) and stemmed_question.asked_kind == _PLACE == table.kind_by_header[header]
    )
    if not column_stems and not asks_for_rows and not asks_for_place:
        return None
    # What a row says of itself comes before what it says of another.
    is_about_row_itself = names_row or bool(set(match.named_headers) & set(table.naming_headers))
    return (
        len(set(column_stems) - explained_stems)
        + 0.5 * len(column_stems)
        + 0.25 * may_be_of_asked_kind
        + 0.1 * names_row
        + 0.05 * is_about_row_itself
    )


def _list_stems_explained_without_column(
    stemmed_question: StemmedQuestion,
    other_stems: Iterable[str],
    named_ranges: Sequence[StemRange],
    match: RowMatch,
    header: str,
    column_stems: Collection[str],
) -> set[str]:
    """Return the words of the question that need not belong to the column: they belong to a named column or
    to the rows, or are verbs of places or of the asked noun.
    """
    return {
        stem
        for stem in other_stems
        if _is_of_named_column_or_rows(stemmed_question, stem, match)
        or _does_verb_only_say_where_somebody_is(stemmed_question, stem, named_ranges, match, header)
        or (column_stems and _is_place_of_unknown_column(stemmed_question, stem, named_ranges, match))
        or _is_verb_of_asked_noun(stemmed_question, stem, column_stems)
    }


def _is_verb_of_asked_noun(
    stemmed_question: StemmedQuestion, stem: str, column_stems: Collection[str]
) -> bool:
    """Return whether a word is a verb of no known relation while the noun that is asked for is the column:
    "which depot does it belong to" asks for the depot.
    """
    return (
        stem in stemmed_question.verb_stems
        and not any(stem in relation_stems for _, relation_stems in stemmed_question.stated_relations)
        and not stemmed_question.asked_noun_stems.isdisjoint(column_stems)
    )


def _is_of_named_column_or_rows(stemmed_question: StemmedQuestion, stem: str, match: RowMatch) -> bool:
    """Return whether a word belongs to a column with a named cell, or describes the rows."""
    return _describes_rows(stem, match.table) or any(
        _belongs_to_column(stemmed_question, stem, match.table, named_header)
        or _does_word_mean_header(stemmed_question, stem, named_header)
        for named_header in match.named_headers
    )


def _asks_only_who_is_named(
    stemmed_question: StemmedQuestion,
    named_ranges: Sequence[StemRange],
    other_stems: Collection[str],
    match: RowMatch,
) -> bool:
    """Return whether a question only asks who a named thing is: rows that mention it are about others."""
    return not other_stems and any(
        match.table.kind_by_header[named_header] and not stemmed_question.list_prepositions(cell_range)
        for cell_range, named_header in zip(named_ranges, match.named_headers, strict=True)
    )


def _belongs_to_column(stemmed_question: StemmedQuestion, stem: str, table: Table, header: str) -> bool:
    """Return whether a word of the question is a form of a word of the header, or states its relation."""
    header_stems = [header_stem for header_stem, _, _ in list_stems_with_ranges(header)]
    if any(_are_forms_of_one_word(stem, header_stem) for header_stem in header_stems):
        return True
    # A compound is a kind of what its last part names: a weekday is a day.
    if stem in stemmed_question.noun_stems and any(
        header_stem.endswith(stem) and len(stem) >= _MIN_LETTERS_OF_LAST_PART for header_stem in header_stems
    ):
        return True
    word = stemmed_question.get_word_of_stem(stem).casefold()
    header_relations = table.relations_by_header[header]
    if any(
        stem in relation_stems and are_relations_alike_in_words(relation.relation, header_relation.relation)
        for relation, relation_stems in stemmed_question.stated_relations
        for header_relation in header_relations
    ):
        return True
    # A noun is another word for the header: "boss" of a supervisor, but no country for a city.
    header_relation_types = {relation.relation for relation in header_relations}
    relations_of_word = load_relations_by_header().get(word, frozenset())
    return word not in LOCATION_KEYS and any(
        relation.relation in header_relation_types for relation in relations_of_word
    )


def _does_word_mean_header(stemmed_question: StemmedQuestion, stem: str, header: str) -> bool:
    """Return whether a word has a meaning related to the header: "cost" and a price."""
    return stemmed_question.get_word_of_stem(stem).casefold() not in LOCATION_KEYS and any(
        header_stem in RELATED_STEMS.get(stem, ()) for header_stem, _, _ in list_stems_with_ranges(header)
    )


def _are_forms_of_one_word(left_stem: str, right_stem: str) -> bool:
    shared_length = 0
    while (
        shared_length < min(len(left_stem), len(right_stem))
        and left_stem[shared_length] == right_stem[shared_length]
    ):
        shared_length += 1
    return left_stem == right_stem or (
        shared_length >= _MIN_SHARED_LETTERS
        and max(len(left_stem), len(right_stem)) - shared_length <= _MAX_ENDING_LENGTH
    )


def _asks_for_count(question: StemmedQuestion, table: Table) -> bool:
    """Return whether a question for a number asks for the number of rows."""
    return question.asked_kind == NUMBER and any(
        stem in question.generic_stems or _describes_rows(stem, table) for stem in question.noun_stems
    )


def _describes_rows(stem: str, table: Table) -> bool:
    """Return whether a word describes the rows: by a header that names them, their kind, or the title."""
    return (
        any(_are_forms_of_one_word(stem, row_stem) for row_stem in table.title_stems)
        or any(
            _are_forms_of_one_word(stem, row_stem)
            for header in table.naming_headers
            for row_stem, _, _ in list_stems_with_ranges(header)
        )
        or any(
            table.kind_by_header[header] == NODE_TYPE_BY_CATEGORY.get(category, category)
            for category_name, category in CATEGORY_BY_NAMING_KEY.items()
            if category_name not in LOCATION_KEYS
            and [row_stem for row_stem, _, _ in list_stems_with_ranges(category_name)] == [stem]
            for header in table.naming_headers
        )
    )


def _does_verb_only_say_where_somebody_is(
    stemmed_question: StemmedQuestion,
    stem: str,
    named_ranges: Sequence[StemRange],
    match: RowMatch,
    header: str,
) -> bool:
    """Return whether a word is a verb that only says that somebody is at a place.

    No relation of the registry may give it another meaning, and the place must be asked for or named with a
    preposition. If the language has a parser, the registry must use the verb for locations or membership:
    "invested in Ulm" means more.
    """
    if any(stem in relation_stems for _, relation_stems in stemmed_question.stated_relations):
        return False
    kind_by_header = match.table.kind_by_header
    if stemmed_question.asked_kind == _PLACE and kind_by_header[header] == _PLACE:
        return True
    if stemmed_question.parsed_question is not None and stem not in _load_stems_of_verbs_of_place():
        return False
    return header in match.table.naming_headers and any(
        kind_by_header[named_header] == _PLACE
        and (
            stemmed_question.is_verb_of(stem, cell_range)
            or stemmed_question.is_surely_no_noun_by_spelling(stem)
        )
        for cell_range, named_header in zip(named_ranges, match.named_headers, strict=True)
    )


@cache
def _load_stems_of_verbs_of_place() -> frozenset[str]:
    """Return the stems of the registry's words for being or belonging somewhere for some time.

    Nobody is where they studied or were born.
    """
    return frozenset(
        stem
        for entry in RELATION_TYPES
        if entry.has_term
        for wording in entry.wordings
        if wording.states_location or (entry.ends.targets and entry.ends.targets <= _KINDS_WITH_MEMBERS)
        for phrase in wording.words
        for stem, _, _ in list_stems_with_ranges(phrase.partition(" ")[0])
    )


def _is_place_of_unknown_column(
    stemmed_question: StemmedQuestion, stem: str, named_ranges: Sequence[StemRange], match: RowMatch
) -> bool:
    """Return whether a word shows that a named cell is a place, "based in Ulm", if the kind of its column is
    unknown and no other column has places.
    """
    table = match.table
    if not any(
        stem in relation_stems and _may_column_of_places_state(relation)
        for relation, relation_stems in stemmed_question.stated_relations
    ):
        return False
    return _PLACE not in table.kind_by_header.values() and any(
        not table.kind_by_header[named_header] and not table.relations_by_header[named_header]
        for cell_range, named_header in zip(named_ranges, match.named_headers, strict=True)
        if stemmed_question.is_verb_of(stem, cell_range)
    )


def _may_column_of_places_state(relation: StatedRelation) -> bool:
    """Return whether a column of places states this relation of its rows: their location, not their
    birthplace.
    """
    return any(
        are_relations_alike_in_words(relation.relation, place_relation.relation)
        for place_header in LOCATION_KEYS
        for place_relation in load_relations_by_header().get(place_header, ())
    )


def _do_columns_state_relations_in_asked_direction(
    stemmed_question: StemmedQuestion, named_ranges: Sequence[StemRange], match: RowMatch, header: str
) -> bool:
    """Return whether the question asks for its relations in the direction in which the columns state them."""
    relations_by_header, naming_headers = match.table.relations_by_header, match.table.naming_headers
    is_subject_named = any(stemmed_question.is_named_as_subject(cell_range) for cell_range in named_ranges)
    for relation, _ in stemmed_question.stated_relations:
        # The interrogative is the subject of its verb unless the named thing is the subject.
        asks_source = relation.is_reversed == is_subject_named
        asked_directions = {
            header_relation.is_reversed
            for header_relation in relations_by_header[header]
            if header_relation.relation == relation.relation
        }
        named_directions = {
            header_relation.is_reversed
            for named_header in match.named_headers
            if header in naming_headers and named_header not in naming_headers
            for header_relation in relations_by_header[named_header]
            if header_relation.relation == relation.relation
        }
        if (header not in naming_headers and asked_directions == {not asks_source}) or named_directions == {
            asks_source
        }:
            return False
    return True


def may_word_describe_rows(stemmed_question: StemmedQuestion, stem: str, match: RowMatch) -> bool:
    """Return whether a word of the question may describe a match's rows: a noun of a header, or a verb whose
    relation no header states unless the named column may.
    """
    table = match.table
    states_relation = any(stem in relation_stems for _, relation_stems in stemmed_question.stated_relations)
    may_named_column_state_it = any(
        named_header not in table.naming_headers and not table.relations_by_header[named_header]
        for named_header in match.named_headers
    )
    return (
        (stem not in stemmed_question.noun_stems and (not states_relation or may_named_column_state_it))
        or _describes_rows(stem, table)
        or _is_said_by_some_column(stemmed_question, stem, table)
        or any(_does_word_mean_header(stemmed_question, stem, header) for header in table.headers)
    )


def _is_said_by_some_column(stemmed_question: StemmedQuestion, stem: str, table: Table) -> bool:
    return any(_belongs_to_column(stemmed_question, stem, table, header) for header in table.headers)


def do_rows_only_mention_thing_of_another_row(
    other_stems: Collection[str], match: RowMatch, matches: Iterable[RowMatch]
) -> bool:
    """Return whether nothing is asked about the named thing, and the rows only mention it while another row
    of their table is about it.
    """
    naming_headers = set(match.table.naming_headers)
    return (
        not other_stems
        and not naming_headers & set(match.named_headers)
        and any(
            other_match.table is match.table and naming_headers & set(other_match.named_headers)
            for other_match in matches
        )
    )
