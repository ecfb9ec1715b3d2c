"""Tables of a sheet: where each begins, its titles and its header; pure.

A sheet is cells in rows and columns. It has several tables if they are beside each other, with an empty
column between, or below each other, with an empty row between and a header of their own. A table with an
empty row or column within stays whole: what divides it is evidence that something new begins, not space.
"""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

Cells = Mapping[int, str]
"""The filled cells of a row by their columns, from 0."""


class Row(NamedTuple):
    """The number of a row in its sheet, and its cells."""

    number: int
    cells: Cells


ColumnSpan = tuple[int, int]
"""The first and the last column of a merged cell."""


Spans = Mapping[int, Sequence[ColumnSpan]]
"""First and last column of the cells of a row that are merged over several columns, by the row's number."""
NO_SPANS: Spans = MappingProxyType({})

MAX_TITLES = 3
MAX_HEADER_ROWS = 3
MAX_LABEL_ROWS = 30
"""Maximum number of rows of labels; more of them are a list of things."""
# Limits of what a sheet may cost: parts beside each other, and merged cells of a row of a header.
_MAX_PARTS = 8
_MAX_SPANS = 200
_YEARS = range(1900, 2101)
# Two rows may be alike by chance.
_MIN_ALIKE_ROWS = 3
_DIGITS = re.compile(r"\d+")
_MIN_NUMBERS_OF_DATE = 3
_WHOLE_NUMBER = re.compile(r"[0-9]{1,10}")
_MAIL_ADDRESS = re.compile(r"[^@\s]{1,64}@[^@\s]{1,255}")


@dataclass(frozen=True, slots=True)
class SheetTable:
    """A table: its titles as (row number, text), the row of its header, the names of columns, its rows.

    `header` has names for the columns that have one; a table of one row has no header but that row. It is
    empty if the first row is data, or if `has_labels`: each row is a label and its value, all of one thing.
    """

    titles: Sequence[tuple[int, str]]
    header_row: int
    header: Cells
    rows: Sequence[Row]
    has_labels: bool = False


def split_sheet_into_tables(
    rows: Sequence[Row], spans: Spans, bold_rows: Collection[int] = frozenset()
) -> Iterator[SheetTable]:
    """Yield the tables of a sheet with these non-empty rows, from left to right, then from top to bottom.

    `bold_rows` are the numbers of the rows of which all filled cells are in bold type.
    """
    for rows_of_column_group in _split_tables_beside_each_other(rows):
        for table_rows in _split_tables_below_each_other(rows_of_column_group, bold_rows):
            yield _read_table(table_rows, spans)


def _split_tables_beside_each_other(rows: Sequence[Row]) -> list[Sequence[Row]]:
    """Return the rows of each table that is beside others, with an empty column between."""
    columns = sorted({column for _, cells in rows for column in cells})
    first_columns = columns[:1] + [right for left, right in pairwise(columns) if right > left + 1]
    if not 2 <= len(first_columns) <= _MAX_PARTS:
        return [rows]
    rows_by_group: list[list[Row]] = [[] for _ in first_columns]
    for number, cells in rows:
        cells_by_group: dict[int, dict[int, str]] = {}
        for column, cell in cells.items():
            cells_by_group.setdefault(bisect_right(first_columns, column) - 1, {})[column] = cell
        for group, group_cells in cells_by_group.items():
            rows_by_group[group].append(Row(number, group_cells))
    table_row_groups: list[Sequence[Row]] = [rows_by_group[0]]
    for group_rows in rows_by_group[1:]:
        if _are_separate_tables(table_row_groups[-1], group_rows):
            table_row_groups.append(group_rows)
        else:
            table_row_groups[-1] = _join_columns(table_row_groups[-1], group_rows)
    return table_row_groups


def _join_columns(left_rows: Sequence[Row], right_rows: Sequence[Row]) -> list[Row]:
    cells_by_row: dict[int, dict[int, str]] = {}
    for number, cells in (*left_rows, *right_rows):
        cells_by_row.setdefault(number, {}).update(cells)
    return [Row(number, cells) for number, cells in sorted(cells_by_row.items())]


def _are_separate_tables(left_part_rows: Sequence[Row], right_part_rows: Sequence[Row]) -> bool:
    """Return whether two parts of a sheet are tables of their own, and no halves of one with a gap.

    Halves have the same rows and different headers. The end counts from two rows on, since a last row may
    be incomplete.
    """
    left_rows, right_rows = (
        [row for row in part_rows if len(row.cells) > 1] for part_rows in (left_part_rows, right_part_rows)
    )
    if len(left_rows) < 2 or len(right_rows) < 2:
        return False
    begins_alike = left_rows[0].number == right_rows[0].number
    if not begins_alike or abs(left_rows[-1].number - right_rows[-1].number) > 1:
        return True
    return not _fold_names(left_rows[0].cells).isdisjoint(_fold_names(right_rows[0].cells))


def _split_tables_below_each_other(
    rows: Sequence[Row], bold_rows: Collection[int]
) -> Iterator[Sequence[Row]]:
    """Yield the rows of each table that is below others, after an empty row and with a header of its own."""
    table_start = 0
    header: Cells | None = None
    is_header_bold = False
    ends_with_number: dict[int, bool] = {}
    for index, (number, cells) in enumerate(rows):
        is_after_gap = index > table_start and number > rows[index - 1].number + 1
        if is_after_gap and (
            _begins_table(rows, index, index - table_start, header, ends_with_number)
            or (is_header_bold and _is_bold_header_at(rows, index, bold_rows))
        ):
            yield rows[table_start:index]
            table_start, header, is_header_bold, ends_with_number = index, None, False, {}
        if header is not None:
            for column, cell in cells.items():
                ends_with_number[column] = _is_number(cell)
        elif len(cells) > 1:
            header, is_header_bold = cells, number in bold_rows
    yield rows[table_start:]


def _is_bold_header_at(rows: Sequence[Row], index: int, bold_rows: Collection[int]) -> bool:
    """Return whether a header in bold type stands here, below titles or none, that names all columns of the
    row below it.
    """
    index = _find_index_after_titles(rows, index)
    if index + 1 >= len(rows):
        return False
    (number, cells), (next_number, next_cells) = rows[index], rows[index + 1]
    return (
        number in bold_rows
        and next_number not in bold_rows
        and next_number == number + 1
        and _may_be_header(cells)
        and next_cells.keys() <= cells.keys()
    )


def _find_index_after_titles(rows: Sequence[Row], index: int) -> int:
    last_title = min(index + MAX_TITLES, len(rows)) - 1
    while index <= last_title and len(rows[index].cells) == 1:
        index += 1
    return index


def _may_be_header(cells: Cells) -> bool:
    """Return whether the cells name several columns, each differently and none by a number."""
    return (
        len(cells) > 1 and not any(map(_is_number, cells.values())) and len(_fold_names(cells)) == len(cells)
    )


def _begins_table(
    rows: Sequence[Row],
    index: int,
    row_count_above: int,
    header_above: Cells | None,
    ends_with_number: Mapping[int, bool],
) -> bool:
    """Return whether a table begins at this row: with titles or none, then a header that is not a further row
    of the table above.

    Such a header shares a name with that table's header, has words below a number, has numbers below it in
    a column that has words above, or names columns that the table above does not have.
    """
    index = _find_index_after_titles(rows, index)
    if index + 1 >= len(rows):
        return False
    cells, next_cells = rows[index].cells, rows[index + 1].cells
    if not _may_be_header(cells):
        return False
    if header_above is None:
        # Titles belong to the table below them.
        return row_count_above > MAX_TITLES
    if not _fold_names(cells).isdisjoint(_fold_names(header_above)):
        return True
    if any(ends_with_number.get(column, False) for column in cells):
        return True
    if any(
        not has_number and column in cells and _has_numbers_below(rows, index, column)
        for column, has_number in ends_with_number.items()
    ):
        return True
    return not cells.keys() <= header_above.keys() and next_cells.keys() <= cells.keys()


def _has_numbers_below(rows: Sequence[Row], index: int, column: int) -> bool:
    """Return whether the column has several numbers below this row, and up to a gap nothing else."""
    number_count = 0
    for (upper_number, _), (number, cells) in pairwise(rows[index:]):
        if number > upper_number + 1:
            break
        if not _is_number(cells.get(column, "")):
            return False
        number_count += 1
    return number_count > 1


def _fold_names(cells: Cells) -> frozenset[str]:
    return frozenset(" ".join(cell.casefold().split()) for cell in cells.values())


def _is_number(cell: str) -> bool:
    """Return whether a cell is a number, an amount or a date, with more digits than letters."""
    digit_count = sum(character.isdecimal() for character in cell)
    return digit_count > sum(character.isalpha() for character in cell)


def _read_table(rows: Sequence[Row], spans: Spans) -> SheetTable:
    title_count = _count_titles(rows)
    titles = [(number, next(iter(cells.values()))) for number, cells in rows[:title_count]]
    if _are_rows_labels_with_values(rows[title_count:]):
        return SheetTable(titles, rows[title_count].number, {}, rows[title_count:], has_labels=True)
    header_row, first_cells = rows[title_count]
    if _is_first_row_data(rows[title_count:]):
        return SheetTable(titles, header_row, {}, rows[title_count:])
    header, rows = dict(first_cells), rows[title_count + 1 :]
    upper_row = header_row
    for _ in range(MAX_HEADER_ROWS - 1):
        spans_of_header_row = [span for span in spans.get(upper_row, ())[:_MAX_SPANS] if span[0] in header]
        if not spans_of_header_row:
            break
        is_last_row = not _continues_header(header, spans_of_header_row, rows)
        lower_cells = {} if is_last_row else rows[0].cells
        columns = {column for _, cells in rows for column in cells} if is_last_row else lower_cells
        upper_cells = {
            column: header[first]
            for first, last in spans_of_header_row
            for column in columns
            if first <= column <= last
        } | header
        header = {
            column: _join_names(upper_cells.get(column, ""), lower_cells.get(column, ""))
            for column in sorted(upper_cells.keys() | lower_cells.keys())
        }
        if is_last_row:
            break
        upper_row, rows = rows[0].number, rows[1:]
    return SheetTable(titles, header_row, header, rows)


def _are_rows_labels_with_values(rows: Sequence[Row]) -> bool:
    """Return whether these are labels with their values: two columns, whose first row has a number where a
    header would have a name.
    """
    if not 2 <= len(rows) <= MAX_LABEL_ROWS or len({column for _, cells in rows for column in cells}) != 2:
        return False
    if any(len(cells) != 2 for _, cells in rows):
        return False
    labels, values = zip(*(cells.values() for _, cells in rows), strict=True)
    return (
        _is_number(values[0])
        and not _is_year(values[0])
        and not any(map(_is_number, labels))
        and len(set(labels)) == len(labels)
    )


def _is_first_row_data(rows: Sequence[Row]) -> bool:
    """Return whether a column has no name in the first row, but a value like those of all rows below."""
    if len(rows) < _MIN_ALIKE_ROWS:
        return False
    return any(
        _are_uniform_data_values([cells.get(column, "") for _, cells in rows]) for column in rows[0].cells
    )


def _are_uniform_data_values(cells: Sequence[str]) -> bool:
    """Return whether these are dates or times written alike, addresses of mail, or numbers that count on."""
    if len(_DIGITS.findall(cells[0])) >= _MIN_NUMBERS_OF_DATE and _is_number(cells[0]):
        pattern = _DIGITS.sub("0", cells[0])
        return all(_DIGITS.sub("0", cell) == pattern for cell in cells)
    if _WHOLE_NUMBER.fullmatch(cells[0]):
        return all(
            _WHOLE_NUMBER.fullmatch(lower_cell) and int(lower_cell) == int(upper_cell) + 1
            for upper_cell, lower_cell in pairwise(cells)
        )
    return all(map(_MAIL_ADDRESS.fullmatch, cells))


def _count_titles(rows: Sequence[Row]) -> int:
    """Return the number of titles above the header: rows with one cell, above two rows with several.

    Above only one such row it may be the header of a list.
    """
    for index in range(min(MAX_TITLES + 1, len(rows) - 1)):
        if len(rows[index].cells) > 1:
            return index if len(rows[index + 1].cells) > 1 else 0
    return 0


def _continues_header(header: Cells, spans: Sequence[ColumnSpan], rows: Sequence[Row]) -> bool:
    """Return whether the first of the rows is the next row of a header with merged cells.

    It names the columns below the merged cells, and beside them repeats the header or adds to it.
    """
    if len(rows) < 2:
        return False
    lower_cells = rows[0].cells
    below_spans = {column for column in lower_cells if any(first <= column <= last for first, last in spans)}
    if not below_spans:
        return False
    if any(
        column in header and header[column] != cell
        for column, cell in lower_cells.items()
        if column not in below_spans
    ):
        return False
    return all(not _is_number(lower_cells[column]) or _is_year(lower_cells[column]) for column in below_spans)


def _is_year(cell: str) -> bool:
    return len(cell) == 4 and cell.isdecimal() and int(cell) in _YEARS


def _join_names(upper_name: str, lower_name: str) -> str:
    return upper_name if upper_name == lower_name else f"{upper_name} {lower_name}".strip()
