"""Each table of a sheet has its own header, of one row or several, wherever it stands."""

import io
import random
from collections import Counter
from collections.abc import Sequence

import openpyxl
import pytest
from openpyxl.styles import Font
from openpyxl.worksheet.worksheet import Worksheet

from app.documents.parsers.sheet_tables import Row, SheetTable, split_sheet_into_tables
from app.documents.parsing import parse_document


def rows_of(grid: str) -> list[Row]:
    """The rows of a grid with a line for each row and bars between cells."""
    rows = [
        Row(number, {column: cell.strip() for column, cell in enumerate(line.split("|")) if cell.strip()})
        for number, line in enumerate(grid.strip("\n").split("\n"), start=1)
    ]
    return [row for row in rows if row.cells]


def tables_of(grid: str, spans: dict[int, Sequence[tuple[int, int]]] | None = None) -> list[SheetTable]:
    return list(split_sheet_into_tables(rows_of(grid), spans or {}))


def headers_of(grid: str, spans: dict[int, Sequence[tuple[int, int]]] | None = None) -> list[list[str]]:
    return [list(table.header.values()) for table in tables_of(grid, spans)]


BELOW_WITH_TITLE = """
Prices
Item|Price
Bolt|3
Nut|2

Stock
Site|Count
Kiel|40
"""


@pytest.mark.parametrize(
    ("grid", "headers"),
    [
        (BELOW_WITH_TITLE, [["Item", "Price"], ["Site", "Count"]]),
        ("Name|City\nAnn|Kiel\n\nName|Role\nBob|CEO", [["Name", "City"], ["Name", "Role"]]),
        (
            "Name|City\nAnn|Kiel\n\nFirm|Seat|Owner\nAcme|Oslo|Bob",
            [["Name", "City"], ["Firm", "Seat", "Owner"]],
        ),
        (
            "Item|Price||Land|Rate\nBolt|3||DE|19\nNut|2||FR|20\nPin|1||\nCap|5||",
            [["Item", "Price"], ["Land", "Rate"]],
        ),
        ("Name|Age||Name|Age\nAnn|30||Bob|40", [["Name", "Age"], ["Name", "Age"]]),
        (
            "Region|Head\nNorth|Ann\nSouth|Bob\n\nItem|Price\nBolt|3\nNut|2",
            [["Region", "Head"], ["Item", "Price"]],
        ),
        ("2024-01-02|Ann\n2024-01-03|Bob\n2024-01-04|Eve", [[]]),
        ("1|Ann|Kiel\n2|Bob|Oslo\n3|Eve|Rome", [[]]),
        ("Ann|ann@x.org\nBob|bob@x.org\nEve|eve@x.org", [[]]),
        ("Who|2024-01-02|2024-01-03\nAnn|3|2\nBob|1|4\nEve|2|2", [["Who", "2024-01-02", "2024-01-03"]]),
        ("1|2|3\n4|9|1\n5|2|2\n9|3|3", [["1", "2", "3"]]),
    ],
)
def test_tables_of_a_sheet_have_their_own_headers(grid: str, headers: list[list[str]]) -> None:
    assert headers_of(grid) == headers


@pytest.mark.parametrize(
    "grid",
    [
        "Name|City\nAnn|Kiel\n\nBob|Oslo\n\nEve|Rome",
        "Item|Price\nBolt|3\n\nTotal|3",
        "Item|Price\nBolt|3\n\nNorth\nNut|2\nPin|1",
        "Name|Age||City|Zip\nAnn|30||Kiel|24103\nBob|40||Oslo|",
        "Name|Note\nAnn|see below\n\nAsk Bob\nEve|nothing",
        "Name|Room\nAnn|Annex\n\nBob|unknown\nEve|5\nUdo|Annex",
    ],
)
def test_a_table_with_gaps_stays_whole(grid: str) -> None:
    assert len(tables_of(grid)) == 1


@pytest.mark.parametrize(
    ("grid", "spans", "names"),
    [
        (
            "Region|2023||2024|\n|Q1|Q2|Q1|Q2\nNorth|1|2|3|4",
            {1: [(1, 2), (3, 4)]},
            ["Region", "2023 Q1", "2023 Q2", "2024 Q1", "2024 Q2"],
        ),
        ("Sales||\n2023|2024\n5|6", {1: [(0, 1)]}, ["2023", "2024"]),
        (
            "Who|Contact|\nAnn|ann@x.org|555 1\nBob|bob@x.org|555 2",
            {1: [(1, 2)]},
            ["Who", "Contact", "Contact"],
        ),
        ("Who|Pay|\nAnn|10|20\nBob|30|40", {1: [(1, 2)]}, ["Who", "Pay", "Pay"]),
        (
            "A|B||||\n|C||D|\n|E|F|G|H\nx|1|2|3|4",
            {1: [(1, 4)], 2: [(1, 2), (3, 4)]},
            ["A", "B C E", "B C F", "B D G", "B D H"],
        ),
    ],
)
def test_merged_header_cells_name_all_columns_below(
    grid: str, spans: dict[int, Sequence[tuple[int, int]]], names: list[str]
) -> None:
    (table,) = tables_of(grid, spans)
    assert list(table.header.values()) == names


@pytest.mark.parametrize(
    ("grid", "has_labels"),
    [
        ("Invoice\nNumber|2024-17\nCustomer|Velten GmbH\nDue|2024-06-01", True),
        ("Bolt|3\nNut|2", True),
        ("Item|Price\nBolt|3", False),
        ("Item|2023\nBolt|3", False),
        ("Number|17\nNumber|18", False),
        ("Number|17\nCustomer", False),
        (
            "\n".join(
                f"Item {chr(97 + number // 26)}{chr(97 + number % 26)}|{number}0" for number in range(31)
            ),
            False,
        ),
    ],
)
def test_labels_with_values_are_one_record_and_no_table(grid: str, has_labels: bool) -> None:
    (table,) = tables_of(grid)
    assert table.has_labels is has_labels


def test_labels_are_read_as_fields() -> None:
    document = parse_document(
        b"Invoice,\nNumber,2024-17\nCustomer,Velten GmbH\n\nItem,Qty,Price\nPump,2,100\n", "csv"
    )
    assert "Number: 2024-17\nCustomer: Velten GmbH" in document.text
    assert "Item: Pump\nQty: 2\nPrice: 100" in document.text
    assert "rows 2 to 3" in {place.name for place in document.places}


def test_every_cell_is_in_one_title_header_or_row() -> None:
    random.seed(7)
    for _ in range(400):
        count = 0
        rows: list[Row] = []
        for number in range(1, random.randint(3, 14)):
            columns = [column for column in range(random.randint(1, 8)) if random.random() < 0.6]
            cells: dict[int, str] = {}
            for column in columns:
                count += 1
                cells[column] = random.choice([f"w{count}x", f"{count}00001"])
            if cells:
                rows.append(Row(number, cells))
        spans = {number: [(0, 1), (2, 3)] for number in (1, 2, 3) if random.random() < 0.4}
        tables = list(split_sheet_into_tables(rows, spans)) if rows else []
        in_rows = Counter(cell for table in tables for _, row in table.rows for cell in row.values())
        heads = " ".join(
            text
            for table in tables
            for text in (*(title for _, title in table.titles), *table.header.values())
        )
        for _, row in rows:
            for cell in row.values():
                assert in_rows[cell] == (0 if cell in heads else 1), (rows, spans, cell)


def test_a_workbook_is_read_by_the_headers_of_its_tables() -> None:
    workbook = openpyxl.Workbook()
    sheet: Worksheet = workbook.create_sheet("Plan", 0)
    for row in (
        ["Region", "2023", None, None, "Contact", "Phone"],
        [None, "Q1", "Q2", None, "Ann", "555 1"],
        ["North", 1, 2, None, "Bob", "555 2"],
        ["South", 3, 4],
        [],
        ["Staff"],
        ["Name", "Role"],
        ["Eve", "Auditor"],
    ):
        sheet.append(row)
    sheet.merge_cells("A1:A2")
    sheet.merge_cells("B1:C1")
    file = io.BytesIO()
    workbook.save(file)
    document = parse_document(file.getvalue(), "xlsx")
    assert "Region: North\n2023 Q1: 1\n2023 Q2: 2" in document.text
    assert "Contact: Ann\nPhone: 555 1" in document.text
    assert "Staff" in document.text
    assert "Eve\nRole: Auditor" in document.text
    places = {document.text[place.start :].partition("\n")[0]: place.name for place in document.places}
    assert places["Region: North"] == "sheet Plan, row 3"
    assert places["Eve"] == "sheet Plan, row 8"


def test_a_header_in_bold_type_begins_a_table_of_words() -> None:
    grid = "Name|City\nAnn|Kiel\nBob|Oslo\n\nProduct|Owner\nBolt|Ann\nNut|Bob\n\nSeat\nFirm|Land\nAcme|NO"
    below = [["Name", "City"], ["Product", "Owner"], ["Firm", "Land"]]

    def headers(*bold_rows: int) -> list[list[str]]:
        return [
            list(table.header.values())
            for table in split_sheet_into_tables(rows_of(grid), {}, set(bold_rows))
        ]

    assert headers(1, 5, 9, 10) == below
    # The header above is not, a row of the table is too, or a part of a row: these do not tell.
    assert headers(5, 10) == headers() == [["Name", "City"]]
    assert headers(1, 5, 6, 10, 11) == [["Name", "City"]]


def test_a_bold_row_after_a_gap_that_is_no_header_stays_a_row() -> None:
    grid = "Name|City|Role\nAnn|Kiel|CEO\n\nTeam|Sales\nBob|Oslo|CFO\n\nCid|Rom|CTO"
    assert [table.header for table in split_sheet_into_tables(rows_of(grid), {}, {1, 4})] == [
        {0: "Name", 1: "City", 2: "Role"}
    ]
    # No row directly below, and a number among the cells.
    grid = "Name|City\nAnn|Kiel\n\nBob|Rom\n\nCid|Ulm\n\nSum|12\nDan|Bonn"
    assert len(list(split_sheet_into_tables(rows_of(grid), {}, {1, 4, 8}))) == 1


@pytest.mark.parametrize("header_font", [Font(bold=True), Font(italic=True)])
def test_bold_headers_of_a_workbook_are_seen(header_font: Font) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert isinstance(sheet, Worksheet)
    for row in (["Name", "City"], ["Ann", "Kiel"], [], ["Product", "Owner"], ["Bolt", "Ann"]):
        sheet.append(row)
    for row_number in (1, 4):
        for cell in sheet[row_number]:
            cell.font = header_font
    stored = io.BytesIO()
    book.save(stored)
    text = parse_document(stored.getvalue(), "xlsx").text
    assert ("Product: Bolt\nOwner: Ann" in text) == bool(header_font.b)
