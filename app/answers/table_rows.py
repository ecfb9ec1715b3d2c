"""Table rows and records among the sources, by columns, and the kind of each column; pure."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from app.answers.candidates import Quotable
from app.documents.sentences import split_row_or_record_into_cells
from app.domain.relation_phrases import StatedRelation, load_relations_by_header
from app.domain.scoring.keywords import list_stems
from app.domain.table_headers import convert_header_to_snake_case, remove_table_header_from_headings
from app.extraction.rules.records.headers import CATEGORY_BY_NAMING_KEY, LOCATION_KEYS, NODE_TYPE_BY_CATEGORY
from app.graph.names import normalise_name
from app.graph.shapes import Node

DATE, NUMBER = "date", "number"
"""Kinds of columns whose cells are not names."""
MIN_SHARE_OF_KIND = 0.6
"""Share of a column's cells that must be of a kind for the column to be of that kind."""
_DATE = re.compile(
    r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}\.?"  # 2024-05-01, 1.5.2024
    r"|(?:\d{1,2}(?:st|nd|rd|th|\.)? )?[^\W\d_]{3,}\.?,? (?:\d{1,2}, )?\d{4}"  # 1 May 2024, May 1, 2024
)
# "EUR 1,990.00", "88 kg", "12 %": a number with a unit on one side.
_NUMBER = re.compile(
    r"(?:[^\W\d_]{1,4}\.? |[$€£¥] ?)?[-+]?\d[\d.,' \u00a0]*(?: ?[^\W\d_]{1,12}\.?| ?[%€$£¥])?"
)
_YEAR = re.compile(r"[12]\d{3}")
_WORD = re.compile(r"\w+")
_NAME_HEADERS = ("", "name", "title")


class StemWithRange(NamedTuple):
    """A stem, and the range of its word in the text."""

    stem: str
    start: int
    end: int


@lru_cache(maxsize=8_192)
def list_stems_with_ranges(text: str) -> tuple[StemWithRange, ...]:
    """Return the stems of a text in order, with the ranges of their words; function words have none."""
    return tuple(
        StemWithRange(stem, match.start(), match.end())
        for match in _WORD.finditer(text)
        for stem in sorted(list_stems(match[0])) or _list_digit_or_capital(match[0])
    )


def _list_digit_or_capital(word: str) -> list[str]:
    """Return single digits or capitals, which distinguish "Ward 3" and "Studio A" from others."""
    return [word] if len(word) == 1 and (word.isdigit() or word.isupper()) and word != "I" else []


@dataclass(frozen=True, slots=True)
class Row:
    """A row or record: the sentence to quote, and its cells by header."""

    sentence: Quotable
    cells: Mapping[str, str]


class Table:
    """The rows of one table that are among the sources; `kind_by_name` has the node types by
    normalised name.
    """

    def __init__(self, title: str, rows: Sequence[Row], kind_by_name: Mapping[str, str]) -> None:
        self.rows = rows
        self.headers = list(dict.fromkeys(header for row in rows for header in row.cells))
        self.title_stems = list_stems(title)
        self._kind_by_name = kind_by_name

    @cached_property
    def kind_by_header(self) -> Mapping[str, str]:
        """The kind of each column: a date, a number, the type of the nodes that its header or cells name; ""
        if unknown.
        """
        return {header: self._find_kind_of_column(header) for header in self.headers}

    def _find_kind_of_column(self, header: str) -> str:
        cells = self._list_cells(header)
        for written_kind, pattern in ((DATE, _DATE), (NUMBER, _NUMBER)):
            if _does_pattern_match_most_cells(pattern, cells):
                return written_kind
        named_kinds = {
            relation.value_kind for relation in self.relations_by_header[header] if relation.value_kind
        }
        if len(named_kinds) == 1:
            return named_kinds.pop()
        category = CATEGORY_BY_NAMING_KEY.get(convert_header_to_snake_case(header))
        node_type = NODE_TYPE_BY_CATEGORY.get(category, category) if category is not None else None
        if node_type is not None:
            return node_type
        votes = Counter(kind for cell in cells if (kind := self._kind_by_name.get(normalise_name(cell))))
        kind, count = votes.most_common(1)[0] if votes else ("", 0)
        return kind if count >= MIN_SHARE_OF_KIND * votes.total() else ""

    def _list_cells(self, header: str) -> list[str]:
        return [cell for row in self.rows if (cell := row.cells.get(header))]

    @cached_property
    def year_headers(self) -> frozenset[str]:
        """The columns of numbers that may be years: only their headers tell."""
        return frozenset(
            header
            for header in self.headers
            if _does_pattern_match_most_cells(_YEAR, self._list_cells(header))
        )

    def may_column_be_of_kind(self, header: str, kind: str) -> bool:
        """Return whether the cells of a column are of a kind, or may be years where dates are wanted."""
        return self.kind_by_header[header] == kind or (kind == DATE and header in self.year_headers)

    def find_kind_of_answer(self, header: str, asked_kind: str | None) -> str:
        """Return the kind of a column's cells as the answer to a question for a kind."""
        if asked_kind is not None and self.may_column_be_of_kind(header, asked_kind):
            return asked_kind
        return self.kind_by_header[header]

    @cached_property
    def headers_with_digits(self) -> frozenset[str]:
        """The columns with a digit in a cell."""
        return frozenset(
            header for row in self.rows for header, cell in row.cells.items() if any(map(str.isdigit, cell))
        )

    @cached_property
    def relations_by_header(self) -> Mapping[str, frozenset[StatedRelation]]:
        """The relations that each column may state of its row, by its header or the last word of that."""
        relations_by_header = load_relations_by_header()
        key_by_header = {header: convert_header_to_snake_case(header) for header in self.headers}
        return {
            header: relations_by_header.get(key)
            or relations_by_header.get(key.rpartition("_")[2])
            or frozenset()
            for header, key in key_by_header.items()
        }

    @cached_property
    def naming_headers(self) -> Sequence[str]:
        """The columns that may name the row: the line above its values; else one whose header says so; else
        those with distinct cells that are not dates or numbers.
        """
        for header in self.headers:
            if convert_header_to_snake_case(header) in _NAME_HEADERS:
                return [header]
        distinct_headers = [header for header in self.headers if self._has_distinct_cells(header)]
        worded_headers = [
            header for header in distinct_headers if self.kind_by_header[header] not in (DATE, NUMBER)
        ]
        # "Depot, Manager, Office": a place names a row only if no other column does before it.
        category_headers = [
            header
            for header in distinct_headers
            if (key := convert_header_to_snake_case(header)) in CATEGORY_BY_NAMING_KEY
            and (key not in LOCATION_KEYS or worded_headers[:1] == [header])
        ]
        return category_headers[:1] or worded_headers

    def _has_distinct_cells(self, header: str) -> bool:
        cells = [row.cells.get(header, "") for row in self.rows]
        return all(cells) and len(set(cells)) == len(cells)


def _does_pattern_match_most_cells(pattern: re.Pattern[str], cells: Sequence[str]) -> bool:
    """Return whether there are cells, and the pattern matches enough of them for a kind."""
    match_count = sum(pattern.fullmatch(cell) is not None for cell in cells)
    return bool(cells) and match_count >= MIN_SHARE_OF_KIND * len(cells)


def list_tables(sentences: Iterable[Quotable], nodes: Iterable[Node]) -> list[Table]:
    """Return the tables of the rows among the sentences. Rows of one document under the same headings with
    the same first column belong to one table.
    """
    kind_by_name = {normalise_name(node.canonical_name): node.node_type for node in nodes}
    rows_by_table_key: dict[tuple[str, ...], list[Row]] = {}
    title_by_table_key: dict[tuple[str, ...], str] = {}
    for sentence in sentences:
        source = sentence.source
        cells = dict(split_row_or_record_into_cells(sentence.text, source.text, source.heading_path))
        if not any(character.isalnum() for cell in cells.values() for character in cell):
            continue  # A sentence, or the rule below a header.
        headings = remove_table_header_from_headings(source.heading_path)
        if "" in cells and headings[-1:] == (cells[""],):
            headings = headings[:-1]  # A record's own name is the innermost heading of its chunk.
        table_key = (source.document_title, *headings, next(iter(cells)))
        rows_by_table_key.setdefault(table_key, []).append(Row(sentence, cells))
        title_by_table_key[table_key] = " ".join((source.document_title, *headings))
    return [
        Table(title_by_table_key[table_key], rows, kind_by_name)
        for table_key, rows in rows_by_table_key.items()
    ]
